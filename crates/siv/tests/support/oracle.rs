//! The construction put together in a straight line from the crates blake2 and chacha20.

use blake2::{
    Blake2sMac,
    digest::{FixedOutput, KeyInit, Update, consts},
};
use chacha20::{
    ChaCha20,
    cipher::{KeyIvInit, StreamCipher},
};

pub const KEY: [u8; 32] = *b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\
    \x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f";
pub const NONCE: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/// Bytes that are neither zero nor alike.
pub fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

macro_rules! blake2s {
    ($size:ty, $key:expr, $($part:expr),*) => {{
        let mut mac = Blake2sMac::<$size>::new_from_slice($key).expect("32 bytes at most");
        $(mac.update($part);)*
        mac.finalize_fixed().to_vec()
    }};
}

/// Ciphertext and IV.
pub fn seal(
    iv_len: usize,
    key: &[u8; 32],
    nonce: &[u8; 12],
    ad: &[u8],
    plaintext: &[u8],
) -> (Vec<u8>, Vec<u8>) {
    let enc_key = blake2s!(consts::U32, key, b"kdf/enc");
    let mac_key = blake2s!(consts::U32, key, b"kdf/mac");
    let (len, ad_len) = (plaintext.len() as u64, ad.len() as u64);
    let (len, ad_len) = (&len.to_le_bytes(), &ad_len.to_le_bytes());
    let iv = if iv_len == 16 {
        blake2s!(consts::U16, &mac_key, len, ad_len, plaintext, ad, nonce)
    } else {
        blake2s!(consts::U32, &mac_key, len, ad_len, plaintext, ad, nonce)
    };
    let subkey = blake2s!(consts::U32, &enc_key, nonce, &iv, b"kdf/sub");
    let subkey: [u8; 32] = subkey.try_into().expect("32 bytes");
    let mut ciphertext = plaintext.to_vec();
    ChaCha20::new(&subkey.into(), nonce.into()).apply_keystream(&mut ciphertext);
    (ciphertext, iv)
}
