//! What is different when a person watches.

use crate::support::{CommandExt, Sandbox, pat, v2_parts};
use rustix::{
    fs::OFlags,
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};
use std::{
    fs::{File, OpenOptions},
    io::Read,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    process::Stdio,
};

/// A terminal: what a person sees, and what a program writes to.
pub fn terminal() -> (File, File) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let program = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlags::NOCTTY.bits().cast_signed())
        .open(Path::new(name.to_str().unwrap()))
        .unwrap();
    (person.into(), program)
}

#[test]
fn a_terminal_gets_binary_data_only_if_that_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("f", v2_parts(&[b"hello"]).concat());
    let to_terminal = |args: &str| {
        let (person, program) = terminal();
        let mut command = sandbox.command(args.split_whitespace());
        command
            .stdin(File::open(sandbox.path("f")).unwrap())
            .stdout(program)
            .stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        (crate::support::Run::new(output), person, command)
    };
    for args in ["encrypt -k k", "decrypt -k k", "decrypt -k k -"] {
        let (run, ..) = to_terminal(args);
        run.fails(2, &["terminal", "-o OUT", "-o -"]);
    }
    let (run, mut person, _command) = to_terminal("decrypt -k k -o -");
    run.succeeds();
    let mut seen = [0; 5];
    person.read_exact(&mut seen).unwrap();
    assert_eq!(&seen, b"hello");
    // Text is no binary data.
    to_terminal("keygen").0.succeeds();
    to_terminal("inspect").0.succeeds();
}

#[test]
fn progress_is_shown_on_a_terminal_and_can_be_silenced() {
    let sandbox = Sandbox::new();
    sandbox.write("f", pat(1 << 20));
    let seen = |args: &str| {
        let (mut person, program) = terminal();
        let mut command = sandbox.command(args.split_whitespace());
        let status = command.stderr(program).status().unwrap();
        assert!(status.success());
        // The last writer goes with the command; reading then ends with an error, as terminals do.
        drop(command);
        let mut seen = Vec::new();
        let _ = person.read_to_end(&mut seen);
        seen
    };
    let shown = String::from_utf8(seen("encrypt -k k -o out f")).unwrap();
    assert!(shown.contains("MiB"), "{shown:?}");
    assert!(seen("encrypt -k k -o out f --quiet").is_empty());
    assert!(seen("verify -q -k k out").is_empty());
}

#[test]
fn help_and_version_say_what_they_should() {
    let sandbox = Sandbox::new();
    let help = |args: &str| String::from_utf8(sandbox.run(args).succeeds().stdout).unwrap();
    for args in ["--help", "encrypt --help", "decrypt -h", "help verify"] {
        let help = help(args);
        for words in ["Exit status:", "3  authentication failed", "SS55_KEY_FILE"] {
            assert!(help.contains(words), "{args}: {help}");
        }
    }
    for (words, found) in [
        ("pipefail", ["--help", "decrypt -h"]),
        ("REPLACED", ["encrypt -h", "decrypt -h"]),
        ("64 MiB", ["encrypt -h", "verify -h"]),
        ("16 MiB", ["encrypt -h", "verify -h"]),
        ("empty plaintext", ["encrypt -h", "decrypt -h"]),
    ] {
        for args in found {
            assert!(help(args).contains(words), "{args}: {words}");
        }
    }
    // What does not apply is not there.
    for args in ["keygen -h", "inspect -h"] {
        for words in ["SS55_KEY", "REPLACED", "quiet", "authentication"] {
            assert!(!help(args).contains(words), "{args}: {words}");
        }
    }
    let version = sandbox.run("--version").succeeds().stdout;
    let expected = format!("ss55 {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(version, expected.as_bytes());
    for args in [
        "",
        "unknown",
        "encrypt --unknown",
        "inspect a b",
        "decrypt --format v3",
    ] {
        let run = sandbox.command(args.split_whitespace()).run();
        assert_eq!(run.status.code(), Some(2), "{args}");
        assert!(run.stdout.is_empty());
    }
}
