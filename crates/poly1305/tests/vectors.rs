//! Values that others have published or computed, on every backend.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;

use backends::backends;
use serde::Deserialize;
use ss55_poly1305::Poly1305;

const RFC8439: &str = include_str!("../../../testdata/rfc8439.json");
const ORACLE: &str = include_str!("../../../testdata/poly1305.json");
const EDGES: &str = include_str!("../../../testdata/poly1305_edges.json");

#[derive(Deserialize)]
struct Vectors<T> {
    vectors: Vec<T>,
}

/// Byte i is 7i + 3.
fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    hex::decode(text).expect("hexadecimal")
}

/// The tag on every backend, and by the one-shot form.
fn assert_tag(key: &str, message: &[u8], tag: &str, case: &str) {
    let key: [u8; 32] = unhex(key).try_into().expect("32 bytes");
    for &backend in backends() {
        let mut mac = Poly1305::with_backend(backend, &key);
        mac.update(message);
        let name = backend.name();
        assert_eq!(
            hex::encode(mac.finalize().as_bytes()),
            tag,
            "{name}, {case}"
        );
    }
    let one_shot = Poly1305::mac(&key, message);
    assert_eq!(hex::encode(one_shot.as_bytes()), tag, "one shot, {case}");
}

#[test]
fn rfc8439() {
    #[derive(Deserialize)]
    struct File {
        poly1305: Vec<Vector>,
    }
    #[derive(Deserialize)]
    struct Vector {
        section: String,
        key: String,
        message: String,
        tag: String,
    }
    let file: File = serde_json::from_str(RFC8439).expect("the schema");
    assert_eq!(file.poly1305.len(), 12);
    for v in file.poly1305 {
        assert_tag(&v.key, &unhex(&v.message), &v.tag, &v.section);
    }
}

#[test]
fn tags_of_the_python_oracle() {
    #[derive(Deserialize)]
    struct Vector {
        key: String,
        length: usize,
        tag: String,
    }
    let file: Vectors<Vector> = serde_json::from_str(ORACLE).expect("the schema");
    assert_eq!(file.vectors.len(), 82);
    for v in file.vectors {
        assert_tag(
            &v.key,
            &pat(v.length),
            &v.tag,
            &format!("{} bytes", v.length),
        );
    }
}

/// Sums that end at 0, p - 1, 2^128 and their neighbours, after 1 to 129 blocks: the last reduction,
/// behind every combination of a wide loop and its tail.
#[test]
fn sums_at_the_edges_of_the_field() {
    #[derive(Deserialize)]
    struct Vector {
        key: String,
        r: String,
        fill: String,
        filled_blocks: usize,
        last_block: String,
        sum: String,
        tag: String,
    }
    let file: Vectors<Vector> = serde_json::from_str(EDGES).expect("the schema");
    assert!(file.vectors.len() > 300);
    for v in file.vectors {
        let mut message = unhex(&v.fill).repeat(16 * v.filled_blocks);
        message.extend(unhex(&v.last_block));
        let case = format!(
            "r {}, {} blocks of {}, sum {}",
            v.r, v.filled_blocks, v.fill, v.sum
        );
        assert_tag(&v.key, &message, &v.tag, &case);
    }
}

/// Messages of ones on which limb carries have been lost.
#[test]
fn long_runs_of_ones() {
    let key = "ab6990081c728705a0395a09c010590400000000000000000000000000000000";
    let tags = [
        (64, "51360cdd1b24161a6709a8410e3abe57"),
        (4096, "c08f04037a040fc9307ad4b098178f86"),
    ];
    for (len, tag) in tags {
        assert_tag(key, &vec![0xff; len], tag, &format!("{len} bytes of ff"));
    }
}
