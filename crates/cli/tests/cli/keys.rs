//! Key files and variables: exactly the key, or a message that names the file, the form and the
//! length, and never shows the key.

use crate::support::{CommandExt, KEY, Run, Sandbox};
use std::{fs, os::unix::ffi::OsStrExt, path::Path, process::Command};

/// 32 bytes of every kind, the last one a line feed.
const RAW: [u8; 32] = *b"\x00\x01\xfe\xffabcdefghijklmnopqrstuvwxyz\x80\x0a";
/// Whose base64 has both characters of the two alphabets: `+` or `-`, `/` or `_`.
const TALKATIVE: [u8; 32] = [0xfb; 32];

fn hex() -> String {
    hex::encode(TALKATIVE)
}

/// 0xfb repeated: groups of `+/v7`, and a last group of two bytes.
fn base64() -> String {
    format!("{}+/s", "+/v7".repeat(10))
}

fn url(text: &str) -> String {
    text.replace('+', "-").replace('/', "_")
}

/// What `verify` says of a stream under `key`, given a key file of this content.
fn verify(key: [u8; 32], content: &[u8], options: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.write("secret", content);
    let sealed = sandbox
        .command(["encrypt"])
        .env("SS55_KEY", hex::encode(key))
        .pipe(b"x")
        .succeeds()
        .stdout;
    let run = sandbox.pipe(&format!("verify -k secret {options}"), &sealed);
    // No message shows eight characters of the key in a row.
    for text in [hex(), base64(), url(&base64())] {
        assert!(!run.stderr.contains(&text[..8]), "{}", run.stderr);
    }
    run
}

#[test]
fn every_form_is_exactly_the_key() {
    let hex = hex();
    let base64 = base64();
    let padded = format!("{base64}=");
    let contents: [String; 16] = [
        hex.clone(),
        format!("{hex}\n"),
        format!("{hex}\r\n"),
        format!("{hex}\r"),
        format!("  {hex}\n"),
        format!("{hex} \n\n"),
        hex.to_uppercase(),
        format!("\u{feff}{hex}\r\n"),
        base64.clone(),
        format!("{base64}\n"),
        padded.clone(),
        format!("{padded}\r\n"),
        url(&base64),
        url(&padded),
        format!("\u{feff}{padded}\n"),
        format!("\t{padded}"),
    ];
    for content in contents {
        verify(TALKATIVE, content.as_bytes(), "").succeeds();
    }
    verify(RAW, &RAW, "").succeeds();
    verify(TALKATIVE, &TALKATIVE, "").succeeds();
    let mut binary = [b'g'; 32];
    (binary[0], binary[31]) = (0x80, b'\n');
    verify(binary, &binary, "").succeeds();
}

#[test]
fn whatever_is_no_key_is_described() {
    let hex = hex();
    let base64 = base64();
    let utf16 = |text: &str| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    let cases: [(Vec<u8>, &str); 13] = [
        (hex[..63].into(), "63 characters"),
        (format!("{hex}0\n").into(), "65 characters"),
        (
            format!("{}g", &hex[..63]).into(),
            "64 characters that are not hex",
        ),
        (
            format!("{} {}", &hex[..32], &hex[32..]).into(),
            "65 characters",
        ),
        (format!("{hex}\n{hex}\n").into(), "129 characters"),
        (base64[..42].into(), "42 characters"),
        (format!("{base64}==").into(), "45 characters"),
        (
            format!("{}!", &base64[..42]).into(),
            "43 characters that are not base64",
        ),
        (utf16(&hex), "130 bytes of UTF-16 text"),
        (Vec::new(), "no text in 0 bytes"),
        (b" \r\n".into(), "no text in 3 bytes"),
        (RAW[..31].into(), "31 bytes"),
        ([&RAW[..], b"\n"].concat(), "33 bytes"),
    ];
    for (content, found) in cases {
        verify(TALKATIVE, &content, "").fails(
            2,
            &[
                "\"secret\"",
                "64 hex digits",
                "base64",
                "32 raw bytes",
                found,
            ],
        );
    }
}

#[test]
fn thirty_two_hex_digits_are_ambiguous() {
    let half = &hex()[..32];
    let half_key: [u8; 32] = half.as_bytes().try_into().unwrap();
    let ambiguous = ["\"secret\"", "32 bytes", "--key-format raw|hex|base64"];
    verify(half_key, half.as_bytes(), "").fails(2, &ambiguous);
    let line = format!("{}\n", &half[..31]);
    verify(half_key, line.as_bytes(), "").fails(2, &ambiguous);
    verify(half_key, half.as_bytes(), "--key-format raw").succeeds();
    verify(half_key, half.as_bytes(), "--key-format hex").fails(2, &["32 characters"]);
    verify(half_key, half.as_bytes(), "--key-format base64").fails(2, &["32 characters"]);
}

#[test]
fn thirty_two_characters_of_text_are_ambiguous() {
    for text in [
        "correct horse battery staple 32!",
        "correct horse battery staple 31\n",
    ] {
        let key: [u8; 32] = text.as_bytes().try_into().unwrap();
        verify(key, &key, "").fails(2, &["32 bytes of text", "--key-format raw"]);
        verify(key, &key, "--key-format raw").succeeds();
    }
}

#[test]
fn an_empty_variable_is_not_set() {
    let sandbox = Sandbox::new();
    let sealed = sandbox.pipe("encrypt -k k", b"x").succeeds().stdout;
    let verify = |key: &str, file: &str| {
        let mut command = sandbox.command(["verify"]);
        command.env("SS55_KEY", key).env("SS55_KEY_FILE", file);
        command.pipe(&sealed)
    };
    verify("", "k").succeeds();
    verify(&hex::encode(KEY), "").succeeds();
    verify("", "").fails(2, &["no key"]);
}

#[test]
fn a_key_format_accepts_nothing_else() {
    verify(TALKATIVE, hex().as_bytes(), "--key-format hex").succeeds();
    verify(TALKATIVE, base64().as_bytes(), "--key-format base64").succeeds();
    verify(RAW, &RAW, "--key-format raw").succeeds();
    verify(TALKATIVE, base64().as_bytes(), "--key-format hex").fails(2, &["43 characters"]);
    verify(TALKATIVE, hex().as_bytes(), "--key-format base64").fails(2, &["64 characters"]);
    verify(TALKATIVE, hex().as_bytes(), "--key-format raw").fails(2, &["64 bytes"]);
}

#[test]
fn what_is_no_file_is_an_io_error_and_reading_has_a_bound() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("folder")).unwrap();
    sandbox
        .run("verify -k folder k")
        .fails(1, &["\"folder\"", "directory"]);
    sandbox
        .run("verify -k absent k")
        .fails(1, &["\"absent\"", "key file"]);
    sandbox
        .run("verify -k /dev/zero k")
        .fails(2, &["\"/dev/zero\"", "more than 4096 bytes"]);
    sandbox
        .run("verify -k /dev/null k")
        .fails(2, &["\"/dev/null\"", "0 bytes"]);
}

#[test]
fn a_key_given_as_a_file_name_is_not_repeated() {
    let sandbox = Sandbox::new();
    for key in [hex(), base64()] {
        // A slash would make it a path that no file can have, and base64's has some.
        let run = sandbox.command(["verify", "-k", &key, "k"]).run();
        assert!(!run.stderr.contains(&key[..8]), "{}", run.stderr);
        run.fails(2, &["looks like a key itself"]);
    }
}

#[test]
fn the_option_goes_before_the_environment() {
    let sandbox = Sandbox::new();
    let sealed = sandbox.pipe("encrypt -k k", b"x").succeeds().stdout;
    let verify = |args: &str| -> Command {
        let mut command = sandbox.command(args.split_whitespace());
        command.env_remove("SS55_KEY");
        command
    };
    verify("verify")
        .env("SS55_KEY", hex::encode(KEY))
        .pipe(&sealed)
        .succeeds();
    verify("verify")
        .env("SS55_KEY_FILE", "k")
        .pipe(&sealed)
        .succeeds();
    verify("verify -k k")
        .env("SS55_KEY", "nonsense")
        .env("SS55_KEY_FILE", "absent")
        .pipe(&sealed)
        .succeeds();
    verify("verify")
        .env("SS55_KEY", hex::encode(KEY))
        .env("SS55_KEY_FILE", "k")
        .pipe(&sealed)
        .fails(2, &["SS55_KEY and SS55_KEY_FILE", "-k FILE"]);
    verify("verify")
        .env("SS55_KEY_FILE", "absent")
        .pipe(&sealed)
        .fails(1, &["\"absent\""]);
    verify("verify")
        .pipe(&sealed)
        .fails(2, &["no key", "ss55 keygen"]);
}

#[test]
fn a_variable_holds_text() {
    let sandbox = Sandbox::new();
    let run = |text: &[u8], options: &str| {
        sandbox
            .command(format!("verify k {options}").split_whitespace())
            .env("SS55_KEY", std::ffi::OsStr::from_bytes(text))
            .run()
    };
    let expected = ["SS55_KEY", "64 hex digits", "base64"];
    run(&hex().as_bytes()[..63], "").fails(2, &expected);
    run(&hex().as_bytes()[..63], "").fails(2, &["63 characters"]);
    run(&hex().as_bytes()[..32], "").fails(2, &["32 characters"]);
    run(b"\xff\x00"[..1].as_ref(), "").fails(2, &["not text"]);
    run(hex().as_bytes(), "--key-format raw").fails(2, &["SS55_KEY", "raw"]);
    // A whole key: what fails now is the stream.
    run(hex().as_bytes(), "").fails(3, &[]);
    run(base64().as_bytes(), "--key-format base64").fails(3, &[]);
}

#[test]
fn a_key_comes_through_a_pipe_or_standard_input() {
    let sandbox = Sandbox::new();
    sandbox.write("f", b"x");
    sandbox.run("encrypt -k k f").succeeds();
    let key = hex::encode(KEY);
    sandbox
        .pipe("verify -k - f.ss55", key.as_bytes())
        .succeeds();
    sandbox
        .pipe("verify -k /dev/stdin f.ss55", key.as_bytes())
        .succeeds();
    sandbox
        .pipe("verify -k -", key.as_bytes())
        .fails(2, &["both standard input"]);
    sandbox
        .pipe("verify -k - f.ss55", b"short")
        .fails(2, &["standard input", "5 characters"]);
}

#[test]
fn keygen_makes_another_key_each_time() {
    let sandbox = Sandbox::new();
    let keys: [Vec<u8>; 2] = std::array::from_fn(|_| sandbox.run("keygen").succeeds().stdout);
    assert_ne!(keys[0], keys[1]);
    for key in keys {
        let digits = key.strip_suffix(b"\n").unwrap();
        assert_eq!(digits.len(), 64);
        assert!(
            digits
                .iter()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b))
        );
    }
    assert_eq!(sandbox.run("keygen -o -").succeeds().stdout.len(), 65);
}

#[test]
fn a_new_key_file_is_its_owner_s_alone_under_every_umask() {
    for umask in ["000", "022", "077"] {
        let sandbox = Sandbox::new();
        let script = format!("umask {umask}; exec \"$SS55\" keygen -o new");
        sandbox.shell(&script).run().succeeds();
        assert_eq!(sandbox.mode("new"), 0o600, "{umask}");
        let script = format!("umask {umask}; exec \"$SS55\" encrypt --new-key made k -o out");
        sandbox.shell(&script).run().succeeds();
        assert_eq!(sandbox.mode("made"), 0o600, "{umask}");
        sandbox.run("verify -k made out").succeeds();
    }
}

#[test]
fn no_key_file_is_ever_overwritten() {
    let sandbox = Sandbox::new();
    sandbox.run("keygen -o new").succeeds();
    let key = sandbox.read("new");
    std::os::unix::fs::symlink("nowhere", sandbox.path("dangling")).unwrap();
    for name in ["new", "dangling", "/dev/null"] {
        let words = [name, "exists", "never overwritten"];
        sandbox.run(&format!("keygen -o {name}")).fails(1, &words);
        sandbox
            .run(&format!("encrypt --new-key {name} k -o out"))
            .fails(1, &words);
        assert!(!sandbox.exists("out"));
    }
    assert_eq!(sandbox.read("new"), key);
    assert!(!Path::new("nowhere").exists() && !sandbox.exists("nowhere"));
}

#[test]
fn a_new_key_goes_if_its_encryption_fails() {
    let sandbox = Sandbox::new();
    let before = sandbox.files();
    sandbox
        .run("encrypt --new-key new absent")
        .fails(1, &["\"absent\""]);
    sandbox
        .run("encrypt --new-key new k -o /dev/full")
        .fails(1, &["/dev/full"]);
    sandbox
        .run("encrypt --new-key new k -o no/folder")
        .fails(1, &["no/folder"]);
    sandbox
        .run("encrypt --new-key new k -o new")
        .fails(2, &["one file"]);
    assert_eq!(sandbox.files(), before);
    sandbox.run("encrypt --new-key new k -o out").succeeds();
    sandbox.run("verify -k new out").succeeds();
    let both = sandbox.run("encrypt --new-key another -k k k");
    assert_eq!(both.status.code(), Some(2));
}
