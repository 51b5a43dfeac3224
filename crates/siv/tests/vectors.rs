//! The values of the independent oracle, on every backend.

#[path = "../../chacha-simd/tests/support/backends.rs"]
#[allow(dead_code)]
mod backends;

use backends::backends;
use serde::Deserialize;
use ss55_siv::{Iv, Siv};

const VECTORS: &str = include_str!("../../../testdata/siv.json");

#[derive(Deserialize)]
struct File {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    iv_len: usize,
    key: String,
    nonce: String,
    ad: String,
    plaintext: String,
    ciphertext: String,
    iv: String,
}

fn unhex(text: &str) -> Vec<u8> {
    hex::decode(text).expect("hexadecimal")
}

fn unhex_array<const N: usize>(text: &str) -> [u8; N] {
    unhex(text).try_into().expect("the right length")
}

fn check<const N: usize>(v: &Vector) {
    let (key, nonce, ad) = (unhex_array(&v.key), unhex_array(&v.nonce), unhex(&v.ad));
    let iv = Iv::<N>::from(unhex_array(&v.iv));
    for &backend in backends() {
        let case = format!(
            "{}, {} bytes, ad {}",
            backend.name(),
            v.plaintext.len() / 2,
            v.ad
        );
        let siv = Siv::<N>::with_backend(backend, &key);
        let mut buf = unhex(&v.plaintext);
        assert_eq!(
            siv.seal_in_place_detached(&nonce, &ad, &mut buf),
            Ok(iv),
            "{case}"
        );
        assert_eq!(hex::encode(&buf), v.ciphertext, "{case}");
        assert_eq!(
            siv.open_in_place_detached(&nonce, &ad, &mut buf, &iv),
            Ok(()),
            "{case}"
        );
        assert_eq!(hex::encode(&buf), v.plaintext, "{case}");
    }
}

#[test]
fn of_the_python_oracle() {
    let file: File = serde_json::from_str(VECTORS).expect("the schema");
    let (mut of_128, mut of_256) = (0, 0);
    for v in &file.vectors {
        match v.iv_len {
            16 => {
                check::<16>(v);
                of_128 += 1;
            }
            32 => {
                check::<32>(v);
                of_256 += 1;
            }
            other => panic!("no IV has {other} bytes"),
        }
    }
    assert_eq!((of_128, of_256), (8, 8));
}
