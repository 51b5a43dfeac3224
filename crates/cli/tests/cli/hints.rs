//! What messages say: the truth, what helps, and never a key.

use crate::support::{CommandExt, KEY, Sandbox, libsodium_parts, pat, v2_parts};
use ss55_wire::secretstream::Tag;
use std::{fs, os::unix::fs::symlink};

#[test]
fn no_message_shows_what_looks_like_a_key() {
    let sandbox = Sandbox::new();
    let hex = hex::encode([0xa9; 32]);
    let base64 = "qamp/an7qanpqXmp/akpqRmp+amJqWmpyampqamp/ak";
    for key in [&hex[..], base64] {
        let longer = format!("{key}0");
        let scripts = [
            format!("verify -k ' {key}' k"),
            format!("verify -k 0x{key} k"),
            format!("verify -k @{key} k"),
            format!("verify -k {longer} k"),
            format!("verify -k {} k", &key[..key.len() - 1]),
            format!("verify -k '{key}\r' k"),
            format!("keygen {key}"),
            format!("keygen -o nodir/{key}"),
            format!("encrypt --key-format {key} k"),
            format!("encrypt --new-key nodir/{key} k -o out"),
            format!("encrypt -k k k -o nodir/{key}"),
            format!("encrypt -k k {key}"),
            format!("encrypt -k k k --ad @{key}"),
            format!("inspect {key}"),
            format!("encrypt --{key}"),
            key.to_owned(),
        ];
        for script in scripts {
            let run = sandbox.shell(&format!("\"$SS55\" {script}")).run();
            assert!(matches!(run.status.code(), Some(1 | 2)), "{script}");
            // Not even twelve characters of it in a row.
            for at in 0..key.len() - 12 {
                let part = &key[at..at + 12];
                assert!(!run.stderr.contains(part), "{script}: {}", run.stderr);
            }
        }
        let run = sandbox
            .command(["verify", "k"])
            .env("SS55_KEY_FILE", format!("{key}/x"))
            .run();
        assert!(!run.stderr.contains(&key[..12]), "{}", run.stderr);
        run.fails(2, &["looks like a key itself"]);
    }
}

#[test]
fn a_hint_names_what_may_be_wrong_with_the_libsodium_layout() {
    let sandbox = Sandbox::new();
    let full = pat(8192);
    let chunks = [(Tag::MESSAGE, &full[..]), (Tag::FINAL, b"end")];
    let stream = libsodium_parts(&chunks).concat();
    for (size, code) in [(100, 3), (8191, 3), (65536, 4)] {
        for format in ["auto", "libsodium"] {
            let args = format!("verify -k k --format {format} --chunk-size {size}");
            let run = sandbox.pipe(&args, &stream).fails(code, &["--chunk-size"]);
            assert!(format == "auto" || !run.stderr.contains("--ad"));
            assert!(!run.stderr.contains("was authentic"), "{}", run.stderr);
        }
    }
    sandbox
        .pipe("verify -k k --ad x", &stream)
        .fails(3, &["libsodium layout", "the key is right", "--ad"]);
    let mut damaged = stream.clone();
    *damaged.last_mut().unwrap() ^= 1;
    sandbox
        .pipe("verify -k k", &damaged)
        .fails(4, &["last chunk is damaged", "was authentic"]);
}

#[test]
fn a_forced_format_that_is_not_the_magic_s_is_named() {
    let sandbox = Sandbox::new();
    let stream = v2_parts(&[&pat(100)]).concat();
    for format in ["v1", "libsodium"] {
        for stream in [&stream[..], &v2_parts(&[&pat(30_000)]).concat()] {
            let run = sandbox.pipe(&format!("verify -k k --format {format}"), stream);
            assert!(run.stderr.contains("begins like SS55 v2"), "{}", run.stderr);
        }
    }
}

#[test]
fn nothing_is_called_authentic_that_is_not() {
    let sandbox = Sandbox::new();
    let stream = v2_parts(&[&pat(100)]).concat();
    let run = sandbox.pipe("verify -k other", &stream[..100]);
    let run = run.fails(4, &["nothing before it was authenticated"]);
    assert!(!run.stderr.contains("was authentic;"), "{}", run.stderr);
    sandbox
        .pipe("verify -k k", &stream[..stream.len() - 1])
        .fails(4, &["what came before it was authentic"]);
}

#[test]
fn each_failure_of_a_file_has_its_own_hint() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("folder")).unwrap();
    let long = "name.".repeat(60);
    for (args, words) in [
        ("encrypt -k k k -o folder".to_owned(), "a file in it"),
        ("encrypt -k k k -o folder/".to_owned(), "a file in it"),
        ("keygen -o folder/".to_owned(), "a file in it"),
        (
            "encrypt -k k k -o no/out".to_owned(),
            "its folder must exist",
        ),
        ("encrypt -k k k --ad @. -o out".to_owned(), "name a file"),
        ("verify -k . k".to_owned(), "name a file"),
        (format!("encrypt -k k k -o {long}"), "shorter name"),
        (format!("keygen -o {long}"), "shorter name"),
        ("encrypt -k k .".to_owned(), "tar c DIR"),
    ] {
        let run = sandbox.run(&args).fails(1, &[words]);
        assert!(
            words == "tar c DIR" || !run.stderr.contains("tar c"),
            "{args}"
        );
    }
    // A name that would be too long only with its suffix.
    let fits = "n".repeat(252);
    symlink("k", sandbox.path(&fits)).unwrap();
    let run = sandbox.command(["encrypt", "-k", "other", &fits]).run();
    run.fails(1, &["-o OUT"]);
    let run = sandbox.run("encrypt -k k k -o -y");
    assert_eq!(run.status.code(), Some(2));
    assert!(!run.stderr.contains("'-- -y'"), "{}", run.stderr);
    assert_eq!(sandbox.read("k"), hex::encode(KEY).as_bytes());
}
