//! The C library in the place of libsodium: the names that it has, and programs of others that are given it.
//!
//! They are compiled with libsodium's own header and linked with Debian's libsodium; `LD_PRELOAD` puts ours
//! before it.

use crate::{debian, process};
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::MetadataCommand;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGES: &[&str] = &[
    "gcc",
    "g++",
    "libc6-dev",
    "libsodium-dev",
    "binutils",
    "python3-nacl",
    "valgrind",
];

/// The crate that has libsodium's sources, its tests among them.
const SOURCES: &str = "libsodium-sys-stable";
/// libsodium's own tests of what is replaced.
const THEIR_TESTS: &[&str] = &["secretstream_xchacha20poly1305", "aead_xchacha20poly1305"];

/// A name of libsodium's that begins with one of these is replaced, all others are left.
const REPLACED: &[&str] = &[
    "crypto_secretstream_xchacha20poly1305_",
    "crypto_aead_xchacha20poly1305_ietf_",
];

/// Debian's, which has Debian's packages.
const PYTHON: &str = "/usr/bin/python3";

/// Sends a stream and messages through PyNaCl.
const PYNACL: &str = r#"
import nacl.bindings as b
key = b.crypto_secretstream_xchacha20poly1305_keygen()
push = b.crypto_secretstream_xchacha20poly1305_state()
pull = b.crypto_secretstream_xchacha20poly1305_state()
header = b.crypto_secretstream_xchacha20poly1305_init_push(push, key)
b.crypto_secretstream_xchacha20poly1305_init_pull(pull, header, key)
for i, n in enumerate([0, 1, 64, 1000, 8192, 100000]):
    text, ad, tag = bytes(range(256)) * (n // 256) + b"x" * (n % 256), b"ad" * (i % 2), i % 4
    chunk = b.crypto_secretstream_xchacha20poly1305_push(push, text, ad or None, tag)
    forged = bytearray(chunk)
    forged[n // 2] ^= 1
    try:
        b.crypto_secretstream_xchacha20poly1305_pull(pull, bytes(forged), ad or None)
        raise SystemExit("a forged chunk was opened")
    except RuntimeError:
        pass
    assert b.crypto_secretstream_xchacha20poly1305_pull(pull, chunk, ad or None) == (text, tag)
    nonce = b.randombytes(24)
    sealed = b.crypto_aead_xchacha20poly1305_ietf_encrypt(text, ad, nonce, key)
    assert b.crypto_aead_xchacha20poly1305_ietf_decrypt(sealed, ad, nonce, key) == text
"#;

/// # Errors
/// If a name is missing or too many, or a program sees a difference.
pub fn run() -> Result<()> {
    debian::install(None, PACKAGES)?;
    let mut tests = process::cargo();
    tests
        .current_dir(crate::root())
        .env("SS55_REQUIRE_VALGRIND", "1")
        .args(["test", "--package", "ss55-capi", "--locked"]);
    process::succeed(&mut tests)?;

    let own = library(false)?;
    check_names(&own, &own_names()?)?;
    let compat = library(true)?;
    let mut names = own_names()?;
    names.extend(replaced_names()?);
    check_names(&compat, &names)?;

    let folder = tempfile::tempdir()?;
    transcript(folder.path(), &compat)?;
    their_tests(folder.path(), &compat)?;
    pynacl(folder.path(), &compat)?;
    speed(folder.path(), &compat)
}

/// Builds the shared library, released, with libsodium's names or without, where the other one was.
fn library(compat: bool) -> Result<PathBuf> {
    let target = crate::root().join("target/capi");
    let mut build = process::cargo();
    build
        .current_dir(crate::root())
        .args(["build", "--release", "--package", "ss55-capi", "--locked"])
        .arg("--target-dir")
        .arg(&target);
    if compat {
        build.args(["--features", "sodium-compat"]);
    }
    process::succeed(&mut build)?;
    Ok(target.join("release/libss55.so"))
}

/// The functions that the header declares.
fn own_names() -> Result<BTreeSet<String>> {
    let header = fs::read_to_string(crate::header::path())?;
    Ok(functions(&header, "ss55_"))
}

/// libsodium's functions that are replaced: those that its library has.
fn replaced_names() -> Result<BTreeSet<String>> {
    let mut flags = Command::new("pkg-config");
    let folder = process::output(flags.args(["--variable=libdir", "libsodium"]))?;
    let folder = String::from_utf8(folder)?;
    let names = exported(&Path::new(folder.trim()).join("libsodium.so"))?;
    let ours = |name: &String| REPLACED.iter().any(|prefix| name.starts_with(prefix));
    let names: BTreeSet<_> = names.into_iter().filter(ours).collect();
    ensure!(names.len() == 25, "libsodium has {names:?}");
    Ok(names)
}

/// The words of `header` that begin with `prefix` and are called.
fn functions(header: &str, prefix: &str) -> BTreeSet<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let called = header.split('(').filter_map(|before| {
        let name = before.rsplit(|c| !word(c)).next()?;
        name.starts_with(prefix).then(|| name.to_owned())
    });
    // `typedef ... (*name)(` is none: a star is before it.
    called
        .filter(|name| !header.contains(&format!("(*{name})")))
        .collect()
}

fn exported(library: &Path) -> Result<BTreeSet<String>> {
    let mut nm = Command::new("nm");
    nm.args(["--dynamic", "--defined-only", "--format=posix"])
        .arg(library);
    let listing = String::from_utf8(process::output(&mut nm)?)?;
    let names = listing
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    Ok(names.map(str::to_owned).collect())
}

fn check_names(library: &Path, expected: &BTreeSet<String>) -> Result<()> {
    let found = exported(library)?;
    compare_names(&found, expected).with_context(|| library.display().to_string())?;
    println!(
        "capi: {} names, no other, in {}",
        found.len(),
        library.display()
    );
    Ok(())
}

fn compare_names(found: &BTreeSet<String>, expected: &BTreeSet<String>) -> Result<()> {
    let missing: Vec<_> = expected.difference(found).collect();
    ensure!(missing.is_empty(), "does not export {missing:?}");
    let others: Vec<_> = found.difference(expected).collect();
    ensure!(others.is_empty(), "exports {others:?}");
    Ok(())
}

/// Compiles `source` for libsodium.
fn compile(source: &Path, program: &Path, flags: &[&str]) -> Result<()> {
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-D_GNU_SOURCE", "-O2"])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(program)
        .args(["-lsodium", "-ldl"]);
    process::output(&mut cc).map(drop)
}

/// A program of ours for libsodium, and a program that is to be run.
fn program(folder: &Path, name: &str) -> Result<PathBuf> {
    let source = crate::root().join(format!("crates/capi/tests/c/{name}.c"));
    let program = folder.join(name);
    compile(&source, &program, &["-Wall", "-Wextra", "-Werror"])?;
    Ok(program)
}

/// `program` with `library` before libsodium.
fn preloaded(program: impl AsRef<std::ffi::OsStr>, library: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("LD_PRELOAD", library);
    command
}

/// What comes of fixed inputs, without ours and with it.
fn transcript(folder: &Path, library: &Path) -> Result<()> {
    let program = program(folder, "sodium")?;
    let theirs = process::output(&mut Command::new(&program))?;
    let ours = process::output(&mut preloaded(&program, library))?;
    let lines = same_lines(&theirs, &ours)?;
    println!("capi: {lines} lines of a transcript, as libsodium writes them");

    let places = process::output(preloaded(&program, library).arg("where"))?;
    let places = String::from_utf8(places)?;
    let here = library.to_str().context("a path that is no text")?;
    for line in places.lines() {
        ensure!(line.ends_with(here), "not replaced: {line}");
    }
    ensure!(places.lines().count() == 25, "{places}");
    println!("capi: {} names were replaced", places.lines().count());
    process::output(preloaded(&program, library).arg("ours"))?;
    println!("capi: every overlap is as if the input had been copied");
    Ok(())
}

/// How many lines there are, if they are the same.
fn same_lines(theirs: &[u8], ours: &[u8]) -> Result<usize> {
    let (theirs, ours) = (std::str::from_utf8(theirs)?, std::str::from_utf8(ours)?);
    for (their, our) in theirs.lines().zip(ours.lines()) {
        ensure!(their == our, "libsodium: {their}\nours:      {our}");
    }
    let count = theirs.lines().count();
    ensure!(count == ours.lines().count(), "one of them ends early");
    ensure!(count > 2000, "{count} lines are not all");
    Ok(count)
}

/// libsodium's tests, of the version that is vendored, with what they must print.
fn their_tests(folder: &Path, library: &Path) -> Result<()> {
    let metadata = MetadataCommand::new().current_dir(crate::root()).exec()?;
    let package = metadata
        .packages
        .iter()
        .find(|package| package.name.as_str() == SOURCES)
        .with_context(|| format!("no package is {SOURCES}"))?;
    let archive = package.manifest_path.with_file_name("LATEST.tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("--directory")
        .arg(folder)
        .args(["--strip-components=3", "--wildcards", "-xzf"])
        .arg(archive)
        .args(["*/test/default/*", "*/test/quirks/*"]);
    process::output(&mut tar)?;
    for name in THEIR_TESTS {
        let program = folder.join(name);
        let here = format!("-DTEST_SRCDIR=\"{}\"", folder.display());
        compile(&folder.join(name).with_extension("c"), &program, &[&here])?;
        let mut test = preloaded(&program, library);
        process::output(test.current_dir(folder))?;
        println!("capi: libsodium's test {name} passed");
    }
    Ok(())
}

/// Python's binding, which Debian has linked with the shared libsodium. The loader says whose functions it got.
fn pynacl(folder: &Path, library: &Path) -> Result<()> {
    let bindings = folder.join("bindings");
    let mut python = preloaded(PYTHON, library);
    python
        .args(["-c", PYNACL])
        .env("LD_DEBUG", "bindings")
        .env("LD_DEBUG_OUTPUT", &bindings);
    process::output(&mut python)?;
    // The loader puts the process's number behind the name.
    let file = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.file_stem() == bindings.file_name())
        .context("the loader wrote nothing")?;
    let bindings = String::from_utf8_lossy(&fs::read(file)?).into_owned();
    let bound = |name: &str| {
        bindings.lines().any(|line| {
            line.contains("_sodium.abi3.so")
                && line.contains(&format!("libss55.so [0]: normal symbol `{name}'"))
        })
    };
    for prefix in REPLACED {
        let names = match *prefix {
            "crypto_aead_xchacha20poly1305_ietf_" => ["encrypt", "decrypt"],
            _ => ["push", "pull"],
        };
        for name in names {
            let name = format!("{prefix}{name}");
            ensure!(bound(&name), "PyNaCl has another {name}");
        }
    }
    println!("capi: PyNaCl sends streams and messages through it");
    Ok(())
}

/// Prints how fast libsodium's functions are, theirs and ours. No pass and no failure.
fn speed(folder: &Path, library: &Path) -> Result<()> {
    let program = program(folder, "sodium_speed")?;
    let version = process::output(Command::new("pkg-config").args(["--modversion", "libsodium"]))?;
    let theirs = speeds(&process::output(&mut Command::new(&program))?)?;
    let ours = speeds(&process::output(&mut preloaded(&program, library))?)?;
    println!(
        "capi: MB/s: what, bytes, libsodium {}, preloaded, ratio",
        String::from_utf8(version)?.trim()
    );
    for ((name, their), (_, our)) in theirs.iter().zip(&ours) {
        println!(
            "capi: {name:>14} {their:>6.0} {our:>6.0} {:>5.2}",
            our / their
        );
    }
    Ok(())
}

/// Of each line, what is before its last word, and that.
fn speeds(printed: &[u8]) -> Result<Vec<(String, f64)>> {
    let line = |line: &str| match line.rsplit_once(' ') {
        Some((name, speed)) => Ok((name.to_owned(), speed.parse()?)),
        None => bail!("no figure: {line}"),
    };
    std::str::from_utf8(printed)?.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn functions_are_what_a_header_declares() {
        let header = "typedef int (*ss55_callback)(void *user);\n\
                      enum ss55_error ss55_one(const int *a,\n  size_t ss55_len);\n\
                      /** `ss55_other` and `ss55_one` */ const char *ss55_two(void);";
        assert_eq!(functions(header, "ss55_"), names(&["ss55_one", "ss55_two"]));
    }

    #[test]
    fn one_name_more_or_less_is_found() {
        let expected = names(&["a", "b"]);
        compare_names(&names(&["a", "b"]), &expected).unwrap();
        let message = compare_names(&names(&["a"]), &expected).unwrap_err();
        assert!(message.to_string().contains("does not export [\"b\"]"));
        let message = compare_names(&names(&["a", "b", "c"]), &expected).unwrap_err();
        assert!(message.to_string().contains("exports [\"c\"]"));
    }

    #[test]
    fn a_line_that_differs_is_shown() {
        let many = "line\n".repeat(3000);
        assert_eq!(same_lines(many.as_bytes(), many.as_bytes()).unwrap(), 3000);
        let other = many.replacen("line", "lime", 1);
        let message = same_lines(many.as_bytes(), other.as_bytes()).unwrap_err();
        assert!(message.to_string().contains("lime"));
        same_lines(many.as_bytes(), &many.as_bytes()[..5]).unwrap_err();
        same_lines(b"", b"").unwrap_err();
    }
}
