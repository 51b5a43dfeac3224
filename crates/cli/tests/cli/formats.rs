//! Round trips, vectors, and which format is taken for which.

use crate::support::{CommandExt, KEY, Sandbox, libsodium_parts, pat, v1_parts};
use ss55_wire::{
    secretstream::{Tag, layout},
    v2,
};
use std::{fs, io::Write, path::Path};

const SIZES: [usize; 14] = [
    0, 1, 8191, 8192, 8193, 16384, 16385, 65535, 65536, 65537, 131072, 262143, 262144, 262145,
];

#[test]
fn v2_goes_round_at_the_edges_of_frames() {
    for size in SIZES {
        let sandbox = Sandbox::new();
        sandbox.write("f", pat(size));
        sandbox.run("encrypt -k k f").succeeds();
        let sealed = sandbox.read("f.ss55");
        assert_eq!(Some(sealed.len() as u64), v2::sealed_len(size as u64));
        fs::remove_file(sandbox.path("f")).unwrap();
        sandbox.run("verify -k k f.ss55").succeeds();
        sandbox.run("decrypt -k k f.ss55").succeeds();
        assert_eq!(sandbox.read("f"), pat(size), "{size}");
    }
}

#[test]
fn libsodium_goes_round_at_the_edges_of_chunks() {
    for size in SIZES {
        for (option, chunk_size) in [("", 8192), ("--chunk-size 1000", 1000)] {
            let sandbox = Sandbox::new();
            let encrypt = format!("encrypt -k k --format libsodium {option}");
            let sealed = sandbox.pipe(&encrypt, &pat(size)).succeeds().stdout;
            let expected = layout::sealed_len(size as u64, chunk_size);
            assert_eq!(Some(sealed.len() as u64), expected);
            for format in ["auto", "libsodium"] {
                let decrypt = format!("decrypt -k k --format {format} {option}");
                let plaintext = sandbox.pipe(&decrypt, &sealed).succeeds().stdout;
                assert!(plaintext == pat(size), "{size} {format}");
            }
        }
    }
}

#[test]
fn two_encryptions_differ() {
    let sandbox = Sandbox::new();
    let first = sandbox.pipe("encrypt -k k", b"x").succeeds().stdout;
    let second = sandbox.pipe("encrypt -k k", b"x").succeeds().stdout;
    assert_ne!(first, second);
}

#[test]
fn short_reads_are_not_the_end() {
    let sandbox = Sandbox::new();
    let plaintext = pat(20_000);
    let sealed = sandbox.pipe("encrypt -k k", &plaintext).succeeds().stdout;
    for pieces in [&[1][..], &[1, 2, 3, 4, 5], &[8191], &[8210]] {
        let mut child = sandbox.command(["decrypt", "-k", "k"]).start();
        let mut stdin = child.stdin.take().unwrap();
        let mut rest = &sealed[..];
        for piece in pieces.iter().cycle() {
            let (now, later) = rest.split_at(rest.len().min(*piece));
            stdin.write_all(now).unwrap();
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        assert!(output.stdout == plaintext, "{pieces:?}");
    }
}

/// Vectors of other programs' making, as far as one ad serves all frames.
#[test]
fn vectors_decrypt() {
    let mut done = 0;
    for format in ["v1", "v2"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
        let text = fs::read_to_string(folder.join(format).with_extension("json")).unwrap();
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        for vector in file["vectors"].as_array().unwrap() {
            let frames = vector["frames"].as_array().unwrap();
            let (Some(wire), [frame]) = (vector["wire"].as_str(), &frames[..]) else {
                continue;
            };
            let sandbox = Sandbox::new();
            sandbox.write("f.ss55", hex::decode(wire).unwrap());
            sandbox.write("ad", hex::decode(frame["ad"].as_str().unwrap()).unwrap());
            let run = sandbox
                .command(["decrypt", "f.ss55", "-o", "-", "--ad", "@ad"])
                .env("SS55_KEY", vector["key"].as_str().unwrap())
                .run();
            assert!(run.status.success(), "{format} {}", run.stderr);
            assert_eq!(
                hex::encode(run.stdout),
                frame["plaintext"].as_str().unwrap()
            );
            done += 1;
        }
    }
    assert!(done >= 4, "{done} vectors");
}

#[test]
fn v1_is_read_with_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.write("f.ss55", v1_parts(&[b"one", b"", b"two"]).concat());
    for format in ["auto", "v1"] {
        for command in ["decrypt -o -", "verify"] {
            let run = sandbox.run(&format!("{command} -k k --format {format} f.ss55"));
            assert!(run.status.success(), "{}", run.stderr);
            assert_eq!(run.stderr.lines().count(), 1);
            assert!(run.stderr.starts_with("ss55: warning: \"f.ss55\""));
            let expected: &[u8] = if command == "verify" { b"" } else { b"onetwo" };
            assert_eq!(run.stdout, expected);
        }
    }
    sandbox
        .run("verify -k k --format v2 f.ss55")
        .fails(5, &["not an SS55 v2"]);
    let run = sandbox.run("verify -k k --format libsodium f.ss55");
    assert_ne!(run.status.code(), Some(0));
}

#[test]
fn v1_is_taken_for_v1_only_after_an_authentic_frame() {
    let sandbox = Sandbox::new();
    sandbox.write("bare", v1_parts(&[]).concat());
    sandbox
        .run("verify -k k bare")
        .fails(4, &["truncated", "--format v1"]);
    let run = sandbox.run("verify -k k --format v1 bare");
    assert!(run.status.success() && run.stderr.contains("warning"));

    let whole = v1_parts(&[b"0123456789"]).concat();
    sandbox.write("whole", &whole);
    sandbox
        .run("verify -k other whole")
        .fails(3, &["wrong key, or not such a stream"]);
    sandbox.write("cut", &whole[..whole.len() - 1]);
    sandbox.run("verify -k other cut").fails(4, &["truncated"]);
    sandbox.run("verify -k k cut").fails(4, &["truncated"]);
}

#[test]
fn a_full_final_chunk_and_every_tag_are_read() {
    let full = pat(8192);
    let chunks = [
        (Tag::MESSAGE, &full[..]),
        (Tag::REKEY, &full),
        (Tag::PUSH, &full),
        (Tag::FINAL, &full),
    ];
    let sandbox = Sandbox::new();
    let sealed = libsodium_parts(&chunks).concat();
    let plaintext = sandbox.pipe("decrypt -k k", &sealed).succeeds().stdout;
    assert!(plaintext == full.repeat(4));
}

#[test]
fn the_ad_must_be_the_same() {
    let sandbox = Sandbox::new();
    sandbox.write("ad", b"backup 7");
    let sealed = sandbox
        .command(["encrypt", "-k", "k", "--ad", "backup 7"])
        .pipe(b"text")
        .succeeds()
        .stdout;
    let same = sandbox.pipe("decrypt -k k --ad @ad", &sealed).succeeds();
    assert_eq!(same.stdout, b"text");
    sandbox
        .pipe("decrypt -k k", &sealed)
        .fails(3, &["wrong --ad"]);
    sandbox
        .pipe("decrypt -k k --ad other", &sealed)
        .fails(3, &["wrong --ad"]);
    sandbox
        .run("encrypt -k k k --ad @absent -o -")
        .fails(1, &["\"absent\""]);
    sandbox
        .run("encrypt -k k k --ad @/dev/zero -o -")
        .fails(2, &["\"/dev/zero\"", "more than"]);
}

#[test]
fn an_ad_is_never_left_unauthenticated() {
    let sandbox = Sandbox::new();
    let sealed = libsodium_parts(&[(Tag::FINAL, b"text")]).concat();
    sandbox.pipe("decrypt -k k --ad x", &sealed).fails(3, &[]);
    for command in ["encrypt", "decrypt"] {
        sandbox
            .run(&format!("{command} -k k --format libsodium --ad x -o -"))
            .fails(2, &["--ad"]);
    }
}

#[test]
fn options_of_another_format_are_refused() {
    let sandbox = Sandbox::new();
    for args in [
        "encrypt --chunk-size 9",
        "decrypt --format v2 --chunk-size 9",
        "verify --format v1 --chunk-size 9",
    ] {
        sandbox
            .run(&format!("{args} -k k"))
            .fails(2, &["--chunk-size"]);
    }
    for size in ["0", "67108865", "-1"] {
        let args = format!("encrypt -k k --format libsodium --chunk-size={size}");
        let run = sandbox.run(&args);
        assert_eq!(run.status.code(), Some(2));
        assert!(run.stderr.contains("hint: "), "{}", run.stderr);
    }
}

#[test]
fn names_are_made_and_unmade() {
    let sandbox = Sandbox::new();
    sandbox.write("f", b"text");
    sandbox.run("encrypt -k k ./f").succeeds();
    sandbox.run("decrypt -k k f.ss55 -o g").succeeds();
    assert_eq!(sandbox.read("g"), b"text");
    fs::rename(sandbox.path("f.ss55"), sandbox.path("f.enc")).unwrap();
    sandbox
        .run("decrypt -k k f.enc")
        .fails(2, &["\"f.enc\"", ".ss55", "-o OUT"]);
    fs::rename(sandbox.path("f.enc"), sandbox.path(".ss55")).unwrap();
    sandbox.run("decrypt -k k .ss55").fails(2, &[".ss55"]);
    let run = sandbox.run("decrypt -k k .ss55 -o -").succeeds();
    assert_eq!(run.stdout, b"text");
    assert_eq!(sandbox.read("k"), hex::encode(KEY).as_bytes());
}
