//! From one key or format to another: all of it, or nothing.

use crate::support::{Sandbox, libsodium_parts, pat, v1_parts, v2_parts};
use ss55_wire::secretstream::Tag;

#[test]
fn every_format_becomes_v2() {
    let sandbox = Sandbox::new();
    let plaintext = pat(150_000);
    let frames: Vec<&[u8]> = plaintext.chunks(50_000).collect();
    let chunks: Vec<(Tag, &[u8])> = plaintext
        .chunks(8192)
        .enumerate()
        .map(|(i, chunk)| (if i == 18 { Tag::FINAL } else { Tag::MESSAGE }, chunk))
        .collect();
    sandbox.write("v2", v2_parts(&frames).concat());
    sandbox.write("layout", libsodium_parts(&chunks).concat());
    sandbox.write("v1", v1_parts(&frames).concat());
    for input in ["v2", "layout"] {
        sandbox
            .run(&format!("reencrypt -k k --to-key other -o out {input}"))
            .succeeds();
        let run = sandbox.run("decrypt -k other --format v2 -o - out");
        assert!(run.succeeds().stdout == plaintext);
        sandbox
            .run(&format!("reencrypt -k k -o same {input}"))
            .succeeds();
        let run = sandbox.run("decrypt -k k --format v2 -o - same");
        assert!(run.succeeds().stdout == plaintext);
        assert_ne!(sandbox.read("same"), sandbox.read(input));
    }
    sandbox
        .run("reencrypt -k k -o from-v1 v1")
        .fails(2, &["no final frame", "--accept-unauthenticated-end"]);
    assert!(!sandbox.exists("from-v1"));
    let run = sandbox.run("reencrypt -k k --accept-unauthenticated-end -o from-v1 v1");
    assert!(run.status.success());
    assert!(run.stderr.contains("warning"), "{}", run.stderr);
    let run = sandbox.run("decrypt -k k --format v2 -o - from-v1");
    assert!(run.succeeds().stdout == plaintext);
}

#[test]
fn what_fails_leaves_nothing() {
    let sandbox = Sandbox::new();
    let plaintext = pat(300_000);
    let parts = v2_parts(&plaintext.chunks(50_000).collect::<Vec<_>>());
    let whole = parts.concat();
    let mut damaged = whole.clone();
    damaged[200_000] ^= 1;
    sandbox.write("damaged", damaged);
    sandbox.write("cut", &whole[..whole.len() - 21]);
    sandbox.write("more", [&whole[..], b"x"].concat());
    sandbox.write("whole", &whole);
    sandbox.write("old", "old");
    let before = sandbox.files();
    for (input, code) in [("damaged", 3), ("cut", 4), ("more", 5), ("missing", 1)] {
        for output in ["old", "new"] {
            sandbox
                .run(&format!(
                    "reencrypt -k k --new-key made -o {output} {input}"
                ))
                .fails(code, &[input]);
        }
    }
    sandbox
        .run("reencrypt -k other --new-key made -o new whole")
        .fails(3, &["first frame"]);
    sandbox
        .run("reencrypt -k k --to-key absent -o new whole")
        .fails(1, &["absent"]);
    sandbox
        .run("reencrypt -k k whole")
        .fails(2, &["no name to write to"]);
    for output in ["whole", "k", "other"] {
        sandbox
            .run(&format!("reencrypt -k k --to-key other -o {output} whole"))
            .fails(2, &["are one file"]);
    }
    assert_eq!(sandbox.files(), before);
}
