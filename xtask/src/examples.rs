//! Runs every example of the product, and compares what it prints or writes with what it should.
//!
//! An example that is not known here is a failure: nobody would run it.

use crate::process;
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{MetadataCommand, TargetKind};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What shows that an example works.
enum Proof {
    /// Its output.
    Prints(&'static str),
    /// The beginning of its output.
    Begins(&'static str),
    /// It encrypts a file and decrypts it again.
    Files,
    /// It encrypts its input and decrypts it again.
    Pipe,
    /// It encrypts a file, which the example `file` decrypts.
    Parts,
    /// It needs what is not here; its own tests make it.
    Tests,
}

const EXAMPLES: &[(&str, Proof)] = &[
    (
        "async_pipe",
        Proof::Prints("1000000 bytes came through, 1000 blocks of 1000 intact\n"),
    ),
    ("ctr", Proof::Prints("100000 bytes there and back\n")),
    (
        "engine",
        Proof::Prints(
            "sealed by rustcrypto: 37 bytes\n\
             opened: one construction, whoever computes it\n",
        ),
    ),
    ("file", Proof::Files),
    (
        "message",
        Proof::Prints(
            "21.5 degrees\n21.5 degrees\n35.0 degrees\n21.5 degrees\n\
             another nonce: equal is false\n\
             the same nonce, another text: equal is false\n\
             the same nonce, the same text: equal is true\n\
             forged: authentication failed\n",
        ),
    ),
    (
        "object_store",
        // The second line is the same of a folder, which has another name each time.
        Proof::Begins("InMemory: 4096 bytes of 20006483, for which 77155 were fetched\nLocalFile"),
    ),
    ("parts", Proof::Parts),
    ("pipe", Proof::Pipe),
    (
        "seek",
        Proof::Prints(
            "7000000 bytes of plaintext\n\
             entry 0123456\nentry 0123457\nentry 0123458\n",
        ),
    ),
    (
        "segments",
        Proof::Prints("RustCrypto reads: attack at dawn\na cut message is refused\n"),
    ),
    (
        "socket",
        Proof::Prints("1000 messages, 693000 bytes, and an authenticated end\n"),
    ),
    ("veracrypt_header", Proof::Tests),
];

/// Three frames and a bit, in no pattern of a frame's length.
const PLAINTEXT: usize = 3 * 65_536 + 17;
const KEY: [u8; 32] = [0x5a; 32];
/// [`KEY`] in base64.
const KEY_BASE64: &str = "WlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlo=";

/// # Errors
/// If an example fails, prints or writes something else, is not known here, or is gone.
pub fn run() -> Result<()> {
    let packages = packages()?;
    for name in packages.keys() {
        let known = EXAMPLES.iter().any(|(known, _)| known == name);
        ensure!(known, "xtask/src/examples.rs does not run {name}");
    }
    let mut build = process::cargo();
    build.current_dir(crate::root()).args([
        "build",
        "--locked",
        "--all-features",
        "--target-dir",
        "target",
    ]);
    for (name, _) in EXAMPLES {
        let package = packages
            .get(*name)
            .with_context(|| format!("no package has the example {name}"))?;
        build.args(["--package", package, "--example", name]);
    }
    process::succeed(&mut build)?;
    let programs = crate::root().join("target/debug/examples");
    for (name, proof) in EXAMPLES {
        proof
            .check(&programs, name, &packages[*name])
            .with_context(|| format!("the example {name}"))?;
        println!("examples: {name}: passed");
    }
    println!("examples: {} run", EXAMPLES.len());
    Ok(())
}

/// The examples of the product, each with its package.
fn packages() -> Result<BTreeMap<String, String>> {
    let metadata = MetadataCommand::new()
        .current_dir(crate::root())
        .no_deps()
        .exec()?;
    let mut examples = BTreeMap::new();
    for package in metadata.workspace_default_packages() {
        for target in &package.targets {
            if target.kind.contains(&TargetKind::Example) {
                let other = examples.insert(target.name.clone(), package.name.to_string());
                ensure!(other.is_none(), "two examples are called {}", target.name);
            }
        }
    }
    Ok(examples)
}

impl Proof {
    fn check(&self, programs: &Path, name: &str, package: &str) -> Result<()> {
        let program = || Command::new(programs.join(name));
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        let plaintext: Vec<u8> = (0..PLAINTEXT).map(|i| (i * i / 7) as u8).collect();
        match self {
            Proof::Prints(expected) => {
                let printed = String::from_utf8(process::output(&mut program())?)?;
                ensure!(printed == *expected, "it printed {printed:?}");
            }
            Proof::Begins(expected) => {
                let printed = String::from_utf8(process::output(&mut program())?)?;
                ensure!(printed.starts_with(expected), "it printed {printed:?}");
            }
            Proof::Files => {
                let key = Inputs::write(folder.path(), &plaintext)?;
                for (verb, from, to) in [("encrypt", "in", "sealed"), ("decrypt", "sealed", "out")]
                {
                    let mut work = program();
                    work.arg(verb).arg(&key.0).args([path(from), path(to)]);
                    process::output(&mut work)?;
                }
                same(&fs::read(path("out"))?, &plaintext)?;
                refuses(&path("sealed"), |sealed| {
                    let mut work = program();
                    work.arg("decrypt")
                        .arg(&key.0)
                        .arg(sealed)
                        .arg(path("none"));
                    process::output(&mut work)
                })?;
                ensure!(!path("none").exists(), "a forgery left a file");
            }
            Proof::Pipe => {
                let through = |verb: &str, input: &[u8]| {
                    let mut work = program();
                    work.arg(verb).env("SS55_KEY", KEY_BASE64);
                    process::pipe(&mut work, input)
                };
                let mut sealed = through("encrypt", &plaintext)?;
                same(&through("decrypt", &sealed)?, &plaintext)?;
                sealed.pop();
                ensure!(
                    through("decrypt", &sealed).is_err(),
                    "a cut stream was read"
                );
            }
            Proof::Parts => {
                let key = Inputs::write(folder.path(), &plaintext)?;
                let mut seal = program();
                seal.arg(&key.0).args([path("in"), path("sealed")]);
                process::output(&mut seal)?;
                let mut open = Command::new(programs.join("file"));
                open.arg("decrypt")
                    .arg(&key.0)
                    .args([path("sealed"), path("out")]);
                process::output(&mut open)?;
                same(&fs::read(path("out"))?, &plaintext)?;
            }
            Proof::Tests => {
                let mut test = process::cargo();
                test.current_dir(crate::root())
                    .args(["test", "--locked", "--package", package])
                    .args(["--example", name]);
                let printed = String::from_utf8(process::output(&mut test)?)?;
                ensure!(!printed.contains("running 0 tests"), "it has no tests");
            }
        }
        Ok(())
    }
}

/// The file with the key.
struct Inputs(PathBuf);

impl Inputs {
    /// Puts `key` and `in` into `folder`.
    fn write(folder: &Path, plaintext: &[u8]) -> Result<Self> {
        let key = folder.join("key");
        fs::write(&key, KEY)?;
        fs::write(folder.join("in"), plaintext)?;
        Ok(Inputs(key))
    }
}

fn same(output: &[u8], plaintext: &[u8]) -> Result<()> {
    if output != plaintext {
        bail!("{} bytes came back of {}", output.len(), plaintext.len());
    }
    Ok(())
}

/// A bit of the last byte changed.
fn refuses<T>(sealed: &Path, open: impl Fn(&Path) -> Result<T>) -> Result<()> {
    let mut bytes = fs::read(sealed)?;
    *bytes.last_mut().context("an empty stream")? ^= 1;
    let forged = sealed.with_extension("forged");
    fs::write(&forged, bytes)?;
    ensure!(open(&forged).is_err(), "a forgery was opened");
    Ok(())
}
