//! The streams of testdata/negative through the codecs, on every engine: which error, and how much
//! plaintext before it.

#[path = "support/inputs.rs"]
mod inputs;
#[path = "support/negative.rs"]
mod negative;
#[path = "support/read.rs"]
mod read;

use inputs::engines;
use negative::Vector;
use ss55_aead::{Engine, Key};
use ss55_wire::Error;
use std::collections::BTreeSet;

fn check(vectors: &[Vector], format: &str, read: impl Fn(&dyn Engine, &Vector) -> read::Outcome) {
    let mut read_at_all = 0;
    for vector in vectors.iter().filter(|vector| vector.accepts(format)) {
        for engine in &engines() {
            let (released, end) = read(&**engine, vector);
            let name = engine.name();
            assert_eq!(end, vector.end(), "{}, {name}", vector.name);
            vector.assert_released(&released.concat(), name);
        }
        read_at_all += 1;
    }
    assert_eq!(read_at_all, vectors.len());
}

#[test]
fn v2() {
    check(&negative::v2(), "v2", |engine, vector| {
        let key = Key::from_bytes(vector.key());
        read::v2(engine, &key, &vector.stream(), read::ad(&vector.ad()))
    });
}

#[test]
fn v1() {
    check(&negative::v1(), "v1", |engine, vector| {
        let key = Key::from_bytes(vector.key());
        read::v1(engine, &key, &vector.stream(), read::ad(&vector.ad()))
    });
}

#[test]
fn secretstream() {
    check(&negative::secretstream(), "libsodium", |engine, vector| {
        let key = Key::from_bytes(vector.key());
        read::layout(engine, &key, &vector.stream(), vector.chunk_size)
    });
}

/// Every error that a stream can cause. The others are of the caller's making, or need 2^64 frames.
#[test]
fn every_error_of_a_stream_has_a_vector() {
    let kinds = |vectors: Vec<Vector>| -> BTreeSet<String> {
        let ends = vectors.iter().map(|vector| match vector.end() {
            Ok(()) => "Ok".into(),
            Err(error) => format!("{error:?}").split('(').next().unwrap().into(),
        });
        ends.collect()
    };
    let of_all = ["Authentication", "BadLength", "Ok", "Truncated"];
    let of_v2 = [
        "BadMagic",
        "TrailingData",
        "UnknownTag",
        "UnsupportedFlags",
        "UnsupportedVersion",
    ];
    let is = |expected: &[&str]| expected.iter().map(ToString::to_string).collect();
    assert_eq!(kinds(negative::v2()), is(&[&of_all[..], &of_v2].concat()));
    assert_eq!(kinds(negative::v1()), is(&of_all));
    let of_layout = ["Authentication", "Ok", "TrailingData", "Truncated"];
    assert_eq!(kinds(negative::secretstream()), is(&of_layout));

    let vectors = negative::v2();
    let tags = vectors.iter().filter_map(|vector| match vector.end() {
        Err(Error::UnknownTag(tag)) => Some(tag),
        _ => None,
    });
    let tags: BTreeSet<u8> = tags.collect();
    assert!(tags.iter().copied().eq((1..=2).chain(4..=255)));
}
