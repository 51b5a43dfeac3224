//! Single messages.

use crate::support::{CommandExt, KEY, OTHER_KEY, Sandbox, pat, v2_parts};
use ss55_siv::{Iv, Siv256};
use std::{fs, path::PathBuf};

/// nonce | ciphertext | IV
fn sealed(key: [u8; 32], nonce: [u8; 12], plaintext: &[u8]) -> Vec<u8> {
    let mut text = plaintext.to_vec();
    let siv = Siv256::new(&key);
    let iv = siv.seal_in_place_detached(&nonce, b"", &mut text).unwrap();
    [&nonce[..], &text, iv.as_bytes()].concat()
}

fn opened(key: [u8; 32], sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, rest) = sealed.split_first_chunk()?;
    let (text, iv) = rest.split_last_chunk::<32>()?;
    let mut text = text.to_vec();
    let siv = Siv256::new(&key);
    let result = siv.open_in_place_detached(nonce, b"", &mut text, &Iv::from(*iv));
    result.ok().map(|()| text)
}

#[test]
fn messages_go_round_in_files_and_pipes() {
    for size in [
        0,
        1,
        8192,
        65537,
        (1 << 20) - 1,
        1 << 20,
        (1 << 20) + 1,
        3_000_000,
    ] {
        let sandbox = Sandbox::new();
        let plaintext = pat(size);
        sandbox.write("f", &plaintext);
        sandbox.run("siv-encrypt -k k f").succeeds();
        let file = sandbox.read("f.siv");
        assert_eq!(file.len(), size + 44);
        assert!(opened(KEY, &file).as_deref() == Some(&plaintext), "{size}");
        fs::remove_file(sandbox.path("f")).unwrap();
        sandbox.run("siv-decrypt -k k f.siv").succeeds();
        assert!(sandbox.read("f") == plaintext, "{size}");

        let stream = sandbox
            .pipe("siv-encrypt -k k", &plaintext)
            .succeeds()
            .stdout;
        assert!(
            opened(KEY, &stream).as_deref() == Some(&plaintext),
            "{size}"
        );
        let back = sandbox
            .pipe("siv-decrypt -k k -", &stream)
            .succeeds()
            .stdout;
        assert!(back == plaintext, "{size}");
    }
}

/// What siv-decrypt accepts is what the library seals, on each backend.
#[test]
fn the_layout_is_the_documented_one() {
    let sandbox = Sandbox::new();
    let file = sealed(KEY, [7; 12], &pat(1000));
    let back = sandbox.pipe("siv-decrypt -k k", &file).succeeds().stdout;
    assert!(back == pat(1000));
    for backend in ss55_siv::Backend::available() {
        let mut command = sandbox.command(["siv-decrypt", "-k", "k"]);
        let run = command.env("SS55_BACKEND", backend.name()).pipe(&file);
        assert!(run.succeeds().stdout == pat(1000), "{}", backend.name());
    }
    let mut command = sandbox.command(["siv-decrypt", "-k", "k"]);
    command
        .env("SS55_BACKEND", "abacus")
        .pipe(&file)
        .fails(2, &["SS55_BACKEND"]);
}

#[test]
fn equal_messages_differ_unless_determinism_is_asked_for() {
    let sandbox = Sandbox::new();
    let seal = |args: &str| sandbox.pipe(args, b"attack").succeeds().stdout;
    assert_ne!(
        seal("siv-encrypt -k k")[..12],
        seal("siv-encrypt -k k")[..12]
    );
    let deterministic = "siv-encrypt -k k --deterministic";
    assert_eq!(seal(deterministic), sealed(KEY, [0; 12], b"attack"));
    assert_eq!(seal(deterministic), seal(deterministic));
    assert_eq!(
        sandbox
            .pipe("siv-decrypt -k k", &seal(deterministic))
            .succeeds()
            .stdout,
        b"attack"
    );
    let help = sandbox.run("siv-encrypt --help").succeeds().stdout;
    assert!(String::from_utf8(help).unwrap().contains("LEAKS"));
}

/// Whatever is wrong, nothing is written, and an output that was there stays.
#[test]
fn a_failure_leaves_no_trace() {
    let sandbox = Sandbox::new();
    let good = sealed(KEY, [9; 12], &pat(5000));
    let refused = |file: &[u8], code: i32, words: &[&str]| {
        sandbox.write("f.siv", file);
        for old in [None, Some(b"old")] {
            let _ = fs::remove_file(sandbox.path("f"));
            if let Some(old) = old {
                sandbox.write("f", old);
            }
            let before = sandbox.files();
            sandbox.run("siv-decrypt -k k f.siv").fails(code, words);
            assert_eq!(sandbox.files(), before);
        }
        let run = sandbox.pipe("siv-decrypt -k k", file).fails(code, words);
        assert_eq!(run.stdout, b"");
    };
    for at in [0, 11, 12, 2000, 5011, 5012, 5043] {
        let mut bad = good.clone();
        bad[at] ^= 4;
        refused(&bad, 3, &["authentication failed", "wrong key, or damage"]);
    }
    refused(
        &good[..good.len() - 1],
        3,
        &["authentication failed", "cut"],
    );
    refused(
        &[&good[..], b"\0"].concat(),
        3,
        &["authentication failed", "added to"],
    );
    refused(&sealed(OTHER_KEY, [9; 12], b"x"), 3, &["wrong key"]);
    refused(&[0; 44], 3, &["authentication failed"]);
    refused(&good[..43], 4, &["truncated: 43 bytes"]);
    refused(&good[..1], 4, &["truncated: 1 byte,"]);
    refused(
        b"",
        4,
        &["truncated: the input is empty", "a sealed message has"],
    );
    let v2 = v2_parts(&[b"text"]).concat();
    refused(&v2, 3, &["begins like SS55 v2", "`ss55 decrypt`"]);
    refused(&good[..20], 4, &["siv-encrypt"]);
}

#[test]
fn outputs_and_keys_are_treated_as_by_encrypt() {
    let sandbox = Sandbox::new();
    sandbox.write("f", "text");
    let untouched = sandbox.files();
    sandbox.run("siv-encrypt f").fails(2, &["no key"]);
    sandbox.run("siv-encrypt -k nokey f").fails(1, &["nokey"]);
    sandbox.run("siv-encrypt -k k nofile").fails(1, &["nofile"]);
    sandbox
        .run("siv-encrypt -k k f -o f")
        .fails(2, &["the output and the input are one file"]);
    sandbox
        .run("siv-encrypt -k k f -o k")
        .fails(2, &["the output and the key file are one file"]);
    sandbox
        .run("siv-encrypt -k k f -o nodir/f")
        .fails(1, &["nodir"]);
    sandbox
        .run("siv-decrypt -k k f")
        .fails(2, &["does not end with .siv"]);
    sandbox
        .run("siv-decrypt -k k f -o out")
        .fails(4, &["truncated"]);
    assert_eq!(sandbox.files(), untouched);

    // An output that is there is replaced, and keeps its mode.
    sandbox.write("f.siv", "old");
    let private = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o600);
    fs::set_permissions(sandbox.path("f.siv"), private).unwrap();
    sandbox.run("siv-encrypt -k k f").succeeds();
    assert_eq!(sandbox.mode("f.siv"), 0o600);
    assert_eq!(opened(KEY, &sandbox.read("f.siv")).unwrap(), b"text");
    let names: Vec<PathBuf> = sandbox.files().into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        ["f", "f.siv", "k", "other"].map(|name| sandbox.path(name))
    );
}

#[test]
fn a_message_beyond_all_limits_is_refused() {
    let sandbox = Sandbox::new();
    // A hole: it takes no room on the disk.
    let hole = fs::File::create(sandbox.path("hole")).unwrap();
    hole.set_len((1 << 38) + 1).unwrap();
    for (command, hint) in [
        ("siv-encrypt", "ss55 encrypt"),
        ("siv-decrypt -o out", "decrypt it where there is more"),
    ] {
        let args = format!("{command} -k k hole");
        sandbox.run(&args).fails(1, &["no memory", hint]);
    }
}

#[test]
fn a_message_beyond_the_memory_is_refused() {
    let sandbox = Sandbox::new();
    let script = "ulimit -v 200000; head -c 150000000 /dev/zero | \"$SS55\" siv-encrypt -k k > out";
    sandbox
        .shell(script)
        .run()
        .fails(1, &["standard input: no memory"]);
}

/// The help speaks of what there is.
#[test]
fn the_help_is_of_messages() {
    let sandbox = Sandbox::new();
    for command in ["siv-encrypt", "siv-decrypt"] {
        let help = sandbox.run(&format!("{command} --help")).succeeds().stdout;
        let help = String::from_utf8(help).unwrap();
        assert!(help.contains("too little memory"), "{help}");
        for foreign in ["chunk", "libsodium", "--new-key", "--ad", "several inputs"] {
            assert!(!help.contains(foreign), "{foreign} in {help}");
        }
    }
}
