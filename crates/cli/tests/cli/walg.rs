//! What docs/walg.md says, on streams in WAL-G's layout.

use crate::support::{KEY, Sandbox, libsodium_parts, pat};
use ss55_wire::secretstream::Tag;

/// A backup as WAL-G writes one: full chunks, and a FINAL one that is not.
fn backup(plaintext: &[u8]) -> Vec<u8> {
    let chunks = plaintext.chunks_exact(8192);
    let last = chunks.remainder();
    let mut all: Vec<(Tag, &[u8])> = chunks.map(|chunk| (Tag::MESSAGE, chunk)).collect();
    all.push((Tag::FINAL, last));
    libsodium_parts(&all).concat()
}

#[test]
fn verify_decrypt_reencrypt_and_back() {
    let sandbox = Sandbox::new();
    for size in [0, 1, 8191, 8192, 8193, 200_000] {
        let plaintext = pat(size);
        let backup = backup(&plaintext);
        sandbox.write("part.enc", &backup);
        let walg = "--format libsodium -k k --key-transform hex";
        sandbox.run(&format!("verify {walg} part.enc")).succeeds();
        sandbox
            .run(&format!("decrypt {walg} -o part part.enc"))
            .succeeds();
        assert!(sandbox.read("part") == plaintext);
        let _ = std::fs::remove_file(sandbox.path("new.key"));
        sandbox
            .run(&format!(
                "reencrypt {walg} --new-key new.key -o part.ss55 part.enc"
            ))
            .succeeds();
        let run = sandbox.run("decrypt -k new.key --format v2 -o - part.ss55");
        assert!(run.succeeds().stdout == plaintext);
        sandbox
            .run(&format!("encrypt {walg} -o again.enc part"))
            .succeeds();
        assert_eq!(sandbox.read("again.enc").len(), backup.len());
        let run = sandbox.run(&format!("decrypt {walg} -o - again.enc"));
        assert!(run.succeeds().stdout == plaintext);
    }
}

#[test]
fn what_is_accepted() {
    let sandbox = Sandbox::new();
    let full = pat(8192);
    let walg = "verify --format libsodium -k k";
    let full_final = libsodium_parts(&[(Tag::MESSAGE, &full), (Tag::FINAL, &full)]).concat();
    sandbox.pipe(walg, &full_final).succeeds();
    let no_final = libsodium_parts(&[(Tag::MESSAGE, &full), (Tag::MESSAGE, &full)]).concat();
    sandbox.pipe(walg, &no_final).fails(4, &["truncated"]);
    let whole = backup(&pat(20_000));
    sandbox
        .pipe(walg, &whole[..whole.len() - 1])
        .fails(4, &["truncated"]);
    sandbox
        .pipe(walg, &[&whole[..], b"x"].concat())
        .fails(5, &["data after the end"]);
    let more = libsodium_parts(&[(Tag::FINAL, &full), (Tag::FINAL, b"x")]).concat();
    sandbox.pipe(walg, &more).fails(5, &["data after the end"]);
    // Closed before anything was written.
    sandbox.pipe(walg, &whole[24..41]).fails(4, &["truncated"]);
}

/// The rules of `WALG_LIBSODIUM_KEY_TRANSFORM`, and a warning with each weak key.
#[test]
fn key_transforms() {
    let sandbox = Sandbox::new();
    let base64 = "WlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlo=";
    let hex = hex::encode(KEY);
    let encrypt = |transform: &str, text: &[u8]| {
        sandbox.write("t", text);
        sandbox.pipe(
            &format!("encrypt -k t --key-transform {transform}"),
            b"data",
        )
    };
    for (transform, text) in [
        ("hex", hex.clone()),
        ("hex", format!(" \t{}\r\n", hex.to_uppercase())),
        ("base64", format!("{base64}\n")),
    ] {
        let sealed = encrypt(transform, text.as_bytes()).succeeds().stdout;
        let run = sandbox.pipe("decrypt -k k", &sealed).succeeds();
        assert_eq!(run.stdout, b"data");
    }
    for (transform, text) in [
        ("hex", &hex[..63]),
        ("hex", &format!("{hex}00")),
        ("hex", base64),
        ("base64", &base64[..43]),
        ("base64", &base64.replace("WlpaWlo=", "WlpaW-_=")),
        ("base64", &hex),
        ("none", "twenty-four bytes, no 25"),
        ("none", ""),
    ] {
        encrypt(transform, text.as_bytes()).fails(2, &["key from \"t\": expected"]);
    }
    // The text itself: filled up, or cut.
    let raw = |text: &str| {
        let mut key = [0; 32];
        let len = text.len().min(32);
        key[..len].copy_from_slice(&text.as_bytes()[..len]);
        key
    };
    let text = "a secret that is long enough, and too long for a key";
    for len in [25, 31, 32, 33, text.len()] {
        let run = encrypt("none", format!("{}\n", &text[..len]).as_bytes());
        assert!(run.status.success());
        assert!(
            run.stderr
                .starts_with("ss55: warning: --key-transform none")
        );
        sandbox.write("raw", raw(text[..len].trim()));
        let run = sandbox.pipe("decrypt -k raw --key-format raw", &run.stdout);
        assert_eq!(run.succeeds().stdout, b"data", "{len}");
    }
    let run = sandbox
        .command(["encrypt", "--key-transform", "none"])
        .env("SS55_KEY", text)
        .output()
        .unwrap();
    assert!(run.status.success());
    sandbox
        .run("encrypt -k k --key-transform hex --key-format hex")
        .misused("cannot be used with");
}
