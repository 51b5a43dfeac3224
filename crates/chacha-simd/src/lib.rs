//! ChaCha8, ChaCha12 and ChaCha20 with 64-, 96- and 192-bit nonces.
//!
//! A cipher object holds a key, a nonce and a position in the keystream. It encrypts and decrypts by
//! XOR, seeks to any byte, and ends exactly where its counter does: the last block is usable, one
//! byte more is an error before the caller's buffer changes.
//!
//! ```
//! use ss55_chacha_simd::ChaCha20;
//!
//! let (key, nonce) = ([7; 32], [9; 12]);
//! let mut data = *b"attack at dawn";
//! ChaCha20::new(&key, &nonce).apply_keystream(&mut data)?;
//! assert_ne!(&data, b"attack at dawn");
//! ChaCha20::new(&key, &nonce).apply_keystream(&mut data)?;
//! assert_eq!(&data, b"attack at dawn");
//! # Ok::<(), ss55_chacha_simd::KeystreamExhausted>(())
//! ```
//!
//! A stream cipher alone does not detect changes to its ciphertext: for that take `ss55-aead`.
//!
//! | type | nonce | counter | keystream per nonce | source |
//! |---|---|---|---|---|
//! | [`ChaCha20`] and 12, 8 | 96 bits | 32 bits | 2^38 bytes | RFC 8439, 2.4 |
//! | [`ChaCha20Legacy`] and 12, 8 | 64 bits | 64 bits | 2^70 bytes | Bernstein, *ChaCha, a variant of Salsa20* |
//! | [`XChaCha20`] and 12, 8 | 192 bits | 64 bits | 2^70 bytes | draft-irtf-cfrg-xchacha-03 |
//!
//! `XChaChaN` derives its subkey with `HChaChaN`, of the same number of rounds, as `RustCrypto` does.
//! (The Go package aead/chacha20 derives with `HChaCha20` whatever the rounds: its `XChaCha8` and
//! `XChaCha12` streams differ from these.)

#![no_std]
#![deny(unsafe_code)]

mod backend;
mod cipher;
pub mod hazmat;

pub use backend::Backend;
pub use cipher::{
    ChaCha, ChaCha8, ChaCha8Legacy, ChaCha12, ChaCha12Legacy, ChaCha20, ChaCha20Legacy, Extended,
    Ietf, KeystreamExhausted, Legacy, Variant, XChaCha8, XChaCha12, XChaCha20,
};
pub use hazmat::hchacha20;
