//! Values that others have published or computed, on every backend.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;
#[path = "support/ciphers.rs"]
#[allow(dead_code)]
mod ciphers;

use backends::backends;
use ciphers::{KEY, cipher};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use ss55_chacha_simd::{hazmat::hchacha, hchacha20};

const RFC8439: &str = include_str!("../../../testdata/rfc8439.json");
const XCHACHA_DRAFT: &str = include_str!("../../../testdata/xchacha_draft.json");
const LIBSODIUM: &str = include_str!("../../../testdata/libsodium.json");
const ORACLE: &str = include_str!("../../../testdata/chacha.json");
const ORACLE_HCHACHA20: &str = include_str!("../../../testdata/hchacha20.json");
const CARRY: &str = include_str!("../../../testdata/chacha_carry.json");

#[derive(Deserialize)]
struct Published {
    #[serde(default, alias = "xchacha20")]
    chacha20: Vec<Encryption>,
    #[serde(default)]
    hchacha20: Vec<Subkey>,
}

#[derive(Deserialize)]
struct Encryption {
    section: String,
    key: String,
    nonce: String,
    counter: u64,
    plaintext: String,
    ciphertext: String,
}

#[derive(Deserialize)]
struct Vectors<T> {
    vectors: Vec<T>,
}

#[derive(Deserialize)]
struct Subkey {
    key: String,
    input: String,
    output: String,
}

fn unhex(text: &str) -> Vec<u8> {
    hex::decode(text).expect("hexadecimal")
}

fn unhex_array<const N: usize>(text: &str) -> [u8; N] {
    unhex(text).try_into().expect("the right length")
}

#[test]
fn published_encryptions() {
    let files = [RFC8439, XCHACHA_DRAFT, LIBSODIUM].map(|file| {
        let file: Published = serde_json::from_str(file).expect("the schema");
        assert!(!file.chacha20.is_empty());
        file.chacha20
    });
    for v in files.iter().flatten() {
        let (key, nonce) = (unhex_array(&v.key), unhex(&v.nonce));
        let cipher = cipher(20, nonce.len());
        for &backend in backends() {
            let mut data = unhex(&v.plaintext);
            let mut stream = (cipher.with_backend)(backend, &key, &nonce);
            stream.seek_block(v.counter).expect("early");
            stream.apply(&mut data).expect("short");
            let name = backend.name();
            assert_eq!(hex::encode(&data), v.ciphertext, "{name}, {}", v.section);
        }
        let mut data = unhex(&v.plaintext);
        (cipher.xor)(&key, &nonce, v.counter, &mut data).expect("short");
        assert_eq!(hex::encode(&data), v.ciphertext, "xor, {}", v.section);
    }
}

#[test]
fn hchacha20_subkeys() {
    let mut vectors: Vec<Subkey> = serde_json::from_str::<Vectors<_>>(ORACLE_HCHACHA20)
        .expect("the schema")
        .vectors;
    for file in [XCHACHA_DRAFT, LIBSODIUM] {
        let file: Published = serde_json::from_str(file).expect("the schema");
        assert!(!file.hchacha20.is_empty());
        vectors.extend(file.hchacha20);
    }
    for v in vectors {
        let subkey = hchacha20(&unhex_array(&v.key), &unhex_array(&v.input));
        assert_eq!(hex::encode(subkey), v.output);
    }
}

/// The subkeys of 8 and 12 rounds are their own, not those of `HChaCha20`: the choice in which
/// implementations differ.
#[test]
fn reduced_rounds_derive_with_reduced_rounds() {
    let nonce: [u8; 24] = KEY[..24].try_into().expect("24");
    let (input, rest) = nonce.split_first_chunk::<16>().expect("24 >= 16");
    let subkeys = [
        (8, hchacha::<8>(&KEY, input)),
        (12, hchacha::<12>(&KEY, input)),
        (20, hchacha20(&KEY, input)),
    ];
    for (rounds, subkey) in subkeys {
        let (mut long, mut short) = ([0; 100], [0; 100]);
        (cipher(rounds, 24).xor)(&KEY, &nonce, 0, &mut long).expect("short");
        (cipher(rounds, 8).xor)(&subkey, rest, 0, &mut short).expect("short");
        assert_eq!(long, short, "{rounds} rounds");
    }
}

#[test]
fn keystreams_of_the_python_oracle() {
    #[derive(Deserialize)]
    struct Keystream {
        rounds: usize,
        key: String,
        nonce: String,
        block: u64,
        length: usize,
        first16: String,
        last16: String,
        sha256: String,
    }
    let file: Vectors<Keystream> = serde_json::from_str(ORACLE).expect("the schema");
    assert_eq!(file.vectors.len(), 45);
    for v in file.vectors {
        let (key, nonce) = (unhex_array(&v.key), unhex(&v.nonce));
        let cipher = cipher(v.rounds, nonce.len());
        for &backend in backends() {
            let mut data = vec![0; v.length];
            let mut stream = (cipher.with_backend)(backend, &key, &nonce);
            stream.seek_block(v.block).expect("within the keystream");
            stream.apply(&mut data).expect("within the keystream");
            let case = format!("{}, {}, block {}", backend.name(), cipher.name, v.block);
            assert_eq!(hex::encode(&data[..16]), v.first16, "{case}");
            assert_eq!(hex::encode(&data[v.length - 16..]), v.last16, "{case}");
            assert_eq!(hex::encode(Sha256::digest(&data)), v.sha256, "{case}");
        }
    }
}

/// A kernel that adds the counter in 64-bit lanes after the feed-forward carries into word 13 where
/// the low half wraps: once in 2^32 blocks. These blocks wrap, and the calls put each of them into
/// every lane of a group of up to 64 blocks, in the first trip of a loop and in later ones.
#[test]
fn word_12_wraps_in_every_lane() {
    #[derive(Deserialize)]
    struct Carry {
        rounds: usize,
        key: String,
        nonce: String,
        block: u64,
        keystream: String,
        faulty_bytes_52_to_56: String,
    }
    let file: Vectors<Carry> = serde_json::from_str(CARRY).expect("the schema");
    let mut seen = Vec::new();
    for v in file.vectors {
        let (key, nonce) = (unhex_array(&v.key), unhex(&v.nonce));
        let expected = unhex(&v.keystream);
        assert_ne!(hex::encode(&expected[52..56]), v.faulty_bytes_52_to_56);
        seen.push((v.rounds, nonce.len()));
        let cipher = cipher(v.rounds, nonce.len());
        for &backend in backends() {
            for lane in 0..=v.block.min(63) {
                // Exactly to the block's end, a little past it, and a whole group past it.
                for more in [0, 1, 64, 4096] {
                    let at = lane as usize * 64;
                    let mut data = vec![0; at + 64 + more];
                    let mut stream = (cipher.with_backend)(backend, &key, &nonce);
                    stream.seek_block(v.block - lane).expect("early");
                    stream.apply(&mut data).expect("short");
                    assert_eq!(
                        hex::encode(&data[at..at + 64]),
                        v.keystream,
                        "{}, {}, block {} in lane {lane}, {more} bytes more",
                        backend.name(),
                        cipher.name,
                        v.block
                    );
                }
            }
        }
    }
    for rounds in [8, 12, 20] {
        for nonce_len in [8, 12, 24] {
            assert!(seen.contains(&(rounds, nonce_len)), "{rounds}, {nonce_len}");
        }
    }
}

/// Two values on which 32-bit and 64-bit counters part.
#[test]
fn blocks_around_2_pow_32() {
    for &backend in backends() {
        let mut block = [0; 16];
        let mut legacy = cipher(20, 8).at(backend, 1 << 32);
        legacy.apply(&mut block).expect("a 64-bit counter");
        assert_eq!(hex::encode(block), "2fcab2c09a960545c6f57e9269ebc22b");

        let mut block = [0; 16];
        let mut ietf = cipher(20, 12).at(backend, 0xffff_ffff);
        ietf.apply(&mut block).expect("the last block");
        assert_eq!(hex::encode(block), "14eed149cd60a456f359e704f9d4b07f");
    }
}
