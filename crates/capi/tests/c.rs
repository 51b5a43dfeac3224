//! The library as C programs see it: two of them, in `c/`, compiled and linked against its header and its
//! static archive.
//!
//! Where the standard library is linked statically there may be no loader for C programs either.

#![cfg(all(target_os = "linux", not(target_feature = "crt-static")))]

#[path = "../../wire/tests/support/negative.rs"]
mod negative;

use negative::Vector;
use ss55_stream::{Decryptor, Encryptor, Formats, Key, libsodium};
use ss55_wire::Error;
use std::env;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;

/// What a static library of Rust asks of the system.
const SYSTEM: &[&str] = &["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"];

fn run(command: &mut Command) -> Output {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    output
}

/// The archive. Cargo does not build it for the tests of its own crate, so that is asked for here, with the
/// same target and profile.
fn archive() -> &'static Path {
    static ARCHIVE: OnceLock<PathBuf> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        let test = env::current_exe().unwrap();
        // target/[TRIPLE/]debug/deps/c-HASH
        let folder = test.ancestors().nth(2).unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(["build", "--lib", "--locked"]);
        if folder.ends_with("release") {
            cargo.arg("--release");
        }
        let above = folder.parent().unwrap();
        let name = above.file_name().unwrap().to_str().unwrap();
        if name.contains("-linux-") {
            cargo.args(["--target", name]);
            cargo.arg("--target-dir").arg(above.parent().unwrap());
        } else {
            cargo.arg("--target-dir").arg(above);
        }
        run(&mut cargo);
        folder.join("libss55.a")
    })
}

/// Compiles `c/NAME.c`, with `flags`, to a program in a folder that is the caller's.
fn compile(name: &str, flags: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(name);
    let mut cc = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args(["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"])
        .args(["-pedantic", "-g", "-O1"])
        .arg(concat!("-DVERSION=\"", env!("CARGO_PKG_VERSION"), "\""))
        .arg("-I")
        .arg(here.join("include"))
        .arg(here.join("tests/c").join(name).with_extension("c"))
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(archive())
        .args(SYSTEM);
    run(&mut cc);
    (folder, program)
}

#[test]
fn calls_answer_as_the_header_says() {
    let (_folder, program) = compile("calls", &["-DLOOK", "-Wl,--wrap=free"]);
    let output = run(&mut Command::new(program));
    assert_eq!(output.stdout, b"all answers are right\n");
}

#[test]
fn valgrind_has_nothing_to_say() {
    let valgrind = Command::new("valgrind").arg("--version").output();
    if !valgrind.is_ok_and(|output| output.status.success()) {
        assert!(
            env::var_os("SS55_REQUIRE_VALGRIND").is_none(),
            "there is no valgrind"
        );
        let _ = writeln!(std::io::stderr(), "skipped: valgrind");
        return;
    }
    let (_folder, program) = compile("calls", &[]);
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--quiet", "--error-exitcode=99", "--leak-check=full"])
        .arg(program);
    let output = run(&mut valgrind);
    assert_eq!(output.stdout, b"all answers are right\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// The header is C++ too.
#[test]
fn the_header_compiles_alone() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/ss55.h");
    for (compiler, language) in [("cc", "c"), ("c++", "c++")] {
        let there = Command::new(compiler).arg("--version").output();
        if language == "c++" && !there.is_ok_and(|output| output.status.success()) {
            let _ = writeln!(std::io::stderr(), "skipped: c++");
            continue;
        }
        let mut cc = Command::new(compiler);
        cc.args(["-x", language, "-Wall", "-Wextra", "-Werror", "-pedantic"])
            .args(["-fsyntax-only", "-include"])
            .arg(&header)
            .arg("/dev/null");
        run(&mut cc);
    }
}

#[test]
fn the_example_of_the_readme_compiles() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = include_str!("../README.md")
        .split("```")
        .find_map(|block| block.strip_prefix("c\n"))
        .expect("a block of C");
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("example.c");
    std::fs::write(&source, example).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"])
        .arg(here.join("include"))
        .arg(source);
    run(&mut cc);
}

/// The program `filter`, compiled once.
struct Filter {
    _folder: tempfile::TempDir,
    program: PathBuf,
}

impl Filter {
    fn new() -> Self {
        let (folder, program) = compile("filter", &[]);
        Filter {
            _folder: folder,
            program,
        }
    }

    /// The exit code, and what came out.
    fn run(&self, part: &str, layout: &str, key: &[u8], ad: &[u8], input: &[u8]) -> (i32, Vec<u8>) {
        let mut child = Command::new(&self.program)
            .args([part, layout, &hex::encode(key), &hex::encode(ad)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let output = thread::scope(|scope| {
            // It may have seen enough before the end.
            scope.spawn(move || drop(stdin.write_all(input)));
            child.wait_with_output().unwrap()
        });
        (output.status.code().unwrap(), output.stdout)
    }
}

const KEY: [u8; 32] = *b"thirty-two bytes, nobody's secre";

/// Sizes about those of frames, chunks and the program's buffers.
const SIZES: &[usize] = &[
    0, 1, 612, 613, 1009, 8191, 8192, 8193, 16384, 65535, 65536, 65537, 200_000,
];

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i + i / 251) as u8).collect()
}

#[test]
fn v2_is_what_the_rust_streams_read_and_write() {
    let filter = Filter::new();
    for &len in SIZES {
        let plaintext = pattern(len);
        for part in ["encryptor", "sealer"] {
            let (code, sealed) = filter.run(part, "v2", &KEY, b"ad", &plaintext);
            assert_eq!(code, 0, "{part}, {len}");
            let builder = Decryptor::builder().formats(Formats::V2).ad(*b"ad");
            let mut opened = Vec::new();
            let mut stream = builder.build(&sealed[..], &Key::from_bytes(KEY));
            stream.read_to_end(&mut opened).unwrap();
            assert!(opened == plaintext, "{part}, {len}");
        }
        let builder = Encryptor::builder().ad(*b"ad");
        let mut stream = builder.build(Vec::new(), &Key::from_bytes(KEY));
        stream.write_all(&plaintext).unwrap();
        let sealed = stream.finish().unwrap();
        for part in ["decryptor", "opener"] {
            let (code, opened) = filter.run(part, "v2", &KEY, b"ad", &sealed);
            assert!((code, &opened) == (0, &plaintext), "{part}, {len}: {code}");
        }
    }
}

#[test]
fn the_libsodium_layout_is_what_the_rust_streams_read_and_write() {
    let filter = Filter::new();
    for &(chunk, name) in &[(8192, "0"), (1, "1"), (1000, "1000"), (65536, "65536")] {
        for &len in SIZES.iter().filter(|len| chunk > 1 || **len < 2000) {
            let plaintext = pattern(len);
            for part in ["encryptor", "sealer"] {
                let (code, sealed) = filter.run(part, name, &KEY, b"", &plaintext);
                assert_eq!(code, 0, "{part}, {len}");
                let builder = libsodium::Decryptor::builder().chunk_size(chunk);
                let mut opened = Vec::new();
                let mut stream = builder.build(&sealed[..], &Key::from_bytes(KEY));
                stream.read_to_end(&mut opened).unwrap();
                assert!(opened == plaintext, "{part}, {len}");
            }
            let builder = libsodium::Encryptor::builder().chunk_size(chunk);
            let mut stream = builder.build(Vec::new(), &Key::from_bytes(KEY));
            stream.write_all(&plaintext).unwrap();
            let sealed = stream.finish().unwrap();
            for part in ["decryptor", "opener"] {
                let (code, opened) = filter.run(part, name, &KEY, b"", &sealed);
                assert!((code, &opened) == (0, &plaintext), "{part}, {len}: {code}");
            }
        }
    }
}

/// The numbers of the header, which are a promise.
fn code(end: Result<(), Error>) -> i32 {
    match end {
        Ok(()) => 0,
        Err(Error::Authentication) => 7,
        Err(Error::Truncated) => 8,
        Err(Error::TrailingData) => 9,
        Err(Error::BadMagic | Error::BadLength(_) | Error::UnknownTag(_)) => 10,
        Err(Error::UnsupportedVersion(_) | Error::UnsupportedFlags(_)) => 11,
        Err(error) => panic!("{error}"),
    }
}

fn check(filter: &Filter, vector: &Vector, layout: &str) {
    for part in ["decryptor", "opener"] {
        let (key, ad) = (vector.key(), vector.ad());
        let (found, plaintext) = filter.run(part, layout, &key, &ad, &vector.stream());
        assert_eq!(found, code(vector.end()), "{}, {part}", vector.name);
        vector.assert_released(&plaintext, part);
    }
}

#[test]
fn wrong_streams_end_in_the_right_error() {
    let filter = Filter::new();
    for vector in negative::v2() {
        check(&filter, &vector, "v2");
    }
    for vector in negative::secretstream() {
        check(&filter, &vector, &vector.chunk_size.to_string());
    }
}
