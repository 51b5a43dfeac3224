//! What can be seen without a key.

use crate::support::{Sandbox, libsodium_parts, pat, v1_parts, v2_parts};
use serde_json::{Value, json};
use ss55_wire::secretstream::Tag;

/// The report on `stream` as a file and through a pipe, which must agree but for the name.
#[track_caller]
fn inspect(stream: &[u8], code: i32) -> Value {
    let sandbox = Sandbox::new();
    sandbox.write("f", stream);
    let [file, pipe] = [
        sandbox.run("inspect --json f"),
        sandbox.pipe("inspect --json", stream),
    ]
    .map(|run| {
        assert_eq!(run.status.code(), Some(code), "{}", run.stderr);
        let json: Value = serde_json::from_slice(&run.stdout).unwrap();
        if code != 0 {
            run.fails(code, &[]);
        }
        json
    });
    assert_eq!(file["file"], "f");
    assert_eq!(pipe["file"], Value::Null);
    let text = sandbox.run("inspect f");
    assert_eq!(text.status.code(), Some(code));
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.starts_with("file: \"f\"\nformat: "), "{text}");
    let mut file = file;
    file["file"] = Value::Null;
    assert_eq!(file, pipe);
    file.as_object_mut().unwrap().remove("file");
    file
}

#[test]
fn a_whole_v2_stream() {
    let stream = v2_parts(&[&pat(65536), b"", b"abc"]).concat();
    assert_eq!(
        inspect(&stream, 0),
        json!({
            "format": "v2", "certain": true, "size": stream.len(), "frames": 4, "plaintext_size": 65539,
            "ends_properly": true, "problem_code": null, "problem": null, "file_hex": null,
        })
    );
}

#[test]
fn a_v2_stream_that_is_not_whole() {
    let parts = v2_parts(&[&pat(100), b"abc"]);
    let stream = parts.concat();
    let cut = inspect(&stream[..stream.len() - 21], 4);
    assert_eq!(
        (&cut["frames"], &cut["plaintext_size"]),
        (&json!(2), &json!(103))
    );
    assert_eq!(cut["ends_properly"], false);
    assert!(cut["problem"].as_str().unwrap().contains("truncated"));
    assert_eq!(cut["problem_code"], "truncated");
    let cut = inspect(&stream[..100], 4);
    assert_eq!((&cut["frames"], &cut["size"]), (&json!(0), &json!(100)));
    // No key was used: no hint may call anything authentic.
    let sandbox = Sandbox::new();
    let longer = [&stream[..], b"more"].concat();
    for (stream, code) in [(&stream[..stream.len() - 21], 4), (&longer, 5)] {
        let run = sandbox.pipe("inspect", stream).fails(code, &[]);
        assert!(!run.stderr.contains("was authentic"), "{}", run.stderr);
        assert!(!run.stderr.contains("and authentic"), "{}", run.stderr);
    }
    let longer = inspect(&[&stream[..], b"more"].concat(), 5);
    assert_eq!(
        (&longer["frames"], &longer["size"]),
        (&json!(3), &json!(stream.len() + 4))
    );
    assert_eq!(inspect(&stream[..20], 4)["format"], "v2");
    let mut future = stream.clone();
    future[9] = 7;
    assert_eq!(inspect(&future, 5)["format"], "v2");
}

#[test]
fn v1_is_known_by_its_chain_of_lengths() {
    let parts = v1_parts(&[&pat(1000), b"", &pat(65600)]);
    let stream = parts.concat();
    assert_eq!(
        inspect(&stream, 0),
        json!({
            "format": "v1", "certain": false, "size": stream.len(), "frames": 3, "plaintext_size": 66600,
            "ends_properly": true, "problem_code": null, "problem": null, "file_hex": null,
        })
    );
    assert_eq!(inspect(&parts[..3].concat(), 0)["frames"], 2);
    assert_eq!(inspect(&stream[..stream.len() - 1], 4)["format"], "v1");
}

#[test]
fn what_is_left_is_probably_libsodium() {
    let full = pat(8192);
    let chunks = [(Tag::MESSAGE, &full[..]), (Tag::FINAL, b"abc")];
    let stream = libsodium_parts(&chunks).concat();
    assert_eq!(
        inspect(&stream, 0),
        json!({
            "format": "probably libsodium", "certain": false, "size": stream.len(), "frames": 2,
            "plaintext_size": 8195, "ends_properly": null, "problem_code": null,
            "problem": null, "file_hex": null,
        })
    );
    let cut = inspect(&stream[..stream.len() - 4], 4);
    assert_eq!(cut["format"], "probably libsodium");
    assert_eq!(cut["frames"], 1);
    let full_final = libsodium_parts(&[(Tag::FINAL, &full)]).concat();
    assert_eq!(inspect(&full_final, 0)["plaintext_size"], 8192);
    let sandbox = Sandbox::new();
    let run = sandbox.pipe("inspect --json --chunk-size 4", &[9; 24 + 21 + 21 + 18]);
    let json: Value = serde_json::from_slice(&run.succeeds().stdout).unwrap();
    assert_eq!(
        (&json["frames"], &json["plaintext_size"]),
        (&json!(3), &json!(9))
    );
}

#[test]
fn what_is_nothing_is_unknown() {
    for (stream, words) in [
        (&b""[..], "empty"),
        (&[1; 10], "truncated"),
        (&[1; 24], "24 bytes"),
    ] {
        let report = inspect(stream, 4);
        assert_eq!(report["format"], "unknown");
        assert!(report["problem"].as_str().unwrap().contains(words));
    }
}
