//! Values that others have published or computed, on every backend.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;

use backends::backends;
use serde::Deserialize;
use ss55_serpent::{Serpent, SerpentXts};

const ECB: &str = include_str!("../../../testdata/serpent_ecb.json");
const CORPUS: &str = include_str!("../../../testdata/serpent_corpus.json");
const XTS: &str = include_str!("../../../testdata/serpent_xts.json");

#[derive(Deserialize)]
struct Vectors<T> {
    vectors: Vec<T>,
}

fn unhex(text: &str) -> Vec<u8> {
    hex::decode(text).expect("hexadecimal")
}

fn parse<T: for<'a> Deserialize<'a>>(file: &str) -> Vec<T> {
    let file: Vectors<T> = serde_json::from_str(file).expect("the schema");
    file.vectors
}

#[derive(Deserialize)]
struct Blocks {
    key: String,
    plaintext: String,
    ciphertext: String,
}

fn assert_blocks(v: &Blocks) {
    let (key, plaintext) = (unhex(&v.key), unhex(&v.plaintext));
    let (plaintext, []) = plaintext.as_chunks() else {
        panic!("no whole blocks")
    };
    for &backend in backends() {
        let cipher = Serpent::with_backend(backend, &key).expect("a length that is in use");
        let mut blocks = plaintext.to_vec();
        cipher.encrypt_blocks(&mut blocks);
        let name = backend.name();
        assert_eq!(hex::encode(blocks.as_flattened()), v.ciphertext, "{name}");
        cipher.decrypt_blocks(&mut blocks);
        assert_eq!(blocks, plaintext, "{name}");
        for block in &mut blocks {
            cipher.encrypt_block(block);
        }
        assert_eq!(hex::encode(blocks.as_flattened()), v.ciphertext, "{name}");
        for block in &mut blocks {
            cipher.decrypt_block(block);
        }
        assert_eq!(blocks, plaintext, "{name}");
    }
}

#[test]
fn blocks_of_libgcrypt() {
    let vectors: Vec<Blocks> = parse(ECB);
    assert_eq!(vectors.len(), 36);
    for v in &vectors {
        assert_blocks(v);
    }
}

/// Random keys and blocks on which `RustCrypto` and Botan agree.
#[test]
fn blocks_of_rustcrypto_and_botan() {
    let vectors: Vec<Blocks> = parse(CORPUS);
    assert_eq!(vectors.len(), 768);
    for v in &vectors {
        assert_blocks(v);
    }
}

/// The zero block under keys of one bit, in three lengths. In the other byte order (`tnepres`) the first
/// would begin abed96e7.
#[test]
fn byte_order() {
    let vectors = [
        (16, "264e5481eff42a4606abda06c0bfda3d"),
        (24, "9e274ead9b737bb21efcfca548602689"),
        (32, "a223aa1288463c0e2be38ebd825616c0"),
    ];
    for (len, ciphertext) in vectors {
        let mut key = vec![0; len];
        key[0] = 0x80;
        assert_blocks(&Blocks {
            key: hex::encode(key),
            plaintext: "00".repeat(16),
            ciphertext: ciphertext.into(),
        });
    }
}

/// The pattern that stands for data.
fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

#[test]
fn units_of_libgcrypt() {
    #[derive(Deserialize)]
    struct Unit {
        key: String,
        #[serde(rename = "unit")]
        number: String,
        plaintext_len: usize,
        ciphertext: String,
    }
    let vectors: Vec<Unit> = parse(XTS);
    assert_eq!(vectors.len(), 48);
    for v in vectors {
        let keys = unhex(&v.key).try_into().expect("two keys");
        let unit = v.number.parse().expect("a number of 64 bits");
        for &backend in backends() {
            let xts = SerpentXts::with_backend(backend, &keys);
            let mut data = pat(v.plaintext_len);
            xts.encrypt_unit(unit, &mut data).expect("16 bytes or more");
            let case = format!("{}, unit {unit}", backend.name());
            assert_eq!(hex::encode(&data), v.ciphertext, "{case}");
            xts.decrypt_unit(unit, &mut data).expect("16 bytes or more");
            assert_eq!(data, pat(v.plaintext_len), "{case}");
        }
    }
}

/// Values on which tweaks of the wrong width or order part.
#[test]
fn unit_numbers() {
    let keys = core::array::from_fn(|i| i as u8);
    let vectors = [
        (0, 512, "c5cec7db2a0eadfab09bb70234028e96"),
        (256, 512, "f925c5ada8d0636f514baca5066dd151"),
        (1 << 32, 512, "2537aa8bbdf4d723217f62d5e4c33f30"),
        (256, 17, "6110a97c2a705ae91cf9d833c06825dbf9"),
    ];
    for (unit, len, ciphertext) in vectors {
        for &backend in backends() {
            let mut data = pat(len);
            let xts = SerpentXts::with_backend(backend, &keys);
            xts.encrypt_unit(unit, &mut data).expect("long enough");
            let begin = &hex::encode(data)[..ciphertext.len()];
            assert_eq!(begin, ciphertext, "{}, unit {unit}", backend.name());
        }
    }
}
