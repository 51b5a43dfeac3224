//! Several inputs: each on its own, and the worst of their codes.

use crate::support::{Sandbox, pat, v1_parts};
use std::os::unix::fs::symlink;

#[test]
fn each_has_its_own_output() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c"] {
        sandbox.write(name, name.repeat(1000));
    }
    sandbox.run("encrypt -k k a b c").succeeds();
    for name in ["a", "b", "c"] {
        sandbox.write(name, "");
    }
    sandbox.run("verify -k k a.ss55 b.ss55 c.ss55").succeeds();
    sandbox.run("decrypt -k k a.ss55 b.ss55 c.ss55").succeeds();
    for name in ["a", "b", "c"] {
        assert_eq!(sandbox.read(name), name.repeat(1000).as_bytes());
    }
}

#[test]
fn one_that_fails_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c"] {
        sandbox.write(name, pat(100));
    }
    let run = sandbox.run("encrypt -k k a missing b");
    assert_eq!(run.status.code(), Some(1));
    assert!(run.stderr.contains("\"missing\""), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 2);
    assert!(sandbox.exists("a.ss55") && sandbox.exists("b.ss55"));

    let whole = sandbox.read("a.ss55");
    sandbox.write("cut", &whole[..whole.len() - 1]);
    sandbox.write("more", [&whole[..], b"x"].concat());
    let run = sandbox.run("verify -k k cut a.ss55 more missing");
    assert_eq!(run.status.code(), Some(5));
    assert_eq!(run.stderr.lines().count(), 6);
    let run = sandbox.run("verify -k other a.ss55 missing b.ss55");
    assert_eq!(run.status.code(), Some(3));
}

#[test]
fn what_cannot_be_done_to_several() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "a");
    sandbox.write("b", "b");
    sandbox
        .run("encrypt -k k -o c a b")
        .fails(2, &["one output, and several inputs"]);
    sandbox
        .run("encrypt --new-key new a b")
        .fails(2, &["one key is made for one input"]);
    sandbox
        .run("encrypt -k - a b")
        .fails(2, &["one key on standard input"]);
    assert!(!sandbox.exists("new") && !sandbox.exists("a.ss55"));
}

#[test]
fn verify_in_json() {
    let sandbox = Sandbox::new();
    sandbox.write("a", pat(70_000));
    sandbox.run("encrypt -k k a").succeeds();
    let whole = sandbox.read("a.ss55");
    let mut damaged = whole.clone();
    damaged[36 + 65_536 + 21 + 9] ^= 1;
    sandbox.write("damaged", damaged);
    sandbox.write("v1", v1_parts(&[b"old"]).concat());
    let run = sandbox.run("verify --json -k k a.ss55 damaged v1 missing");
    assert_eq!(run.status.code(), Some(3));
    let reports: Vec<serde_json::Value> = String::from_utf8(run.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        reports,
        [
            serde_json::json!({
                "file": "a.ss55", "file_hex": null, "format": "v2", "authentic": true,
                "end_authenticated": true, "authentic_plaintext_size": 70_000,
                "problem_code": null, "problem": null,
            }),
            serde_json::json!({
                "file": "damaged", "file_hex": null, "format": "v2", "authentic": false,
                "end_authenticated": false, "authentic_plaintext_size": 65_536,
                "problem_code": "damaged",
                "problem": "authentication failed: damage in the frame at byte 65593",
            }),
            serde_json::json!({
                "file": "v1", "file_hex": null, "format": "v1", "authentic": true,
                "end_authenticated": false, "authentic_plaintext_size": 3,
                "problem_code": null, "problem": null,
            }),
            serde_json::json!({
                "file": "missing", "file_hex": null, "format": null, "authentic": false,
                "end_authenticated": false, "authentic_plaintext_size": 0,
                "problem_code": "io", "problem": "\"missing\": No such file or directory",
            }),
        ]
    );
}

/// What one of them would take from another is found out before anything is done.
#[test]
fn none_takes_from_another() {
    let sandbox = Sandbox::new();
    for name in ["a", "a.ss55", "b"] {
        sandbox.write(name, name);
    }
    symlink("a.ss55", sandbox.path("b.ss55")).unwrap();
    let before = sandbox.files();
    for (args, words) in [
        ("encrypt -k k a b a", "the output of two inputs"),
        ("encrypt -k k b ./b", "the output of two inputs"),
        ("encrypt -k k k a b other", "the output of two inputs"),
        ("encrypt -k k a a.ss55", "an input, and the output"),
        (
            "encrypt -k k ../../dev/null a b.ss55",
            "an input, and the output",
        ),
        ("decrypt -k k a.ss55 ./a.ss55", "the output of two inputs"),
        ("decrypt -k k a.ss55 a", "an input, and the output"),
        ("encrypt -k k - a -", "it is read once"),
        ("verify -k k - a /dev/stdin", "it is read once"),
    ] {
        let run = sandbox.run(args).fails(2, &[words]);
        assert_eq!(run.stdout, b"");
        assert!(sandbox.files() == before, "{args}");
    }
    // To read one twice takes nothing from it.
    sandbox.run("encrypt -k k b -o c").succeeds();
    sandbox.run("verify -k k c c").succeeds();
    // One that is missing, or gives no name, fails in its turn and alone.
    let run = sandbox.run("decrypt -k k c missing.ss55 c");
    assert_eq!(run.status.code(), Some(2));
    assert_eq!(run.stderr.lines().count(), 6, "{}", run.stderr);
}
