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
//!
//! # Backends
//!
//! One is chosen when a cipher is made, and kept in it. All give the same bytes.
//!
//! | backend | selected when | blocks at once |
//! |---|---|---|
//! | `avx512` | x86-64 with AVX-512 F, VL, BW and IFMA | 32 |
//! | `avx2` | x86 and x86-64 with AVX2 | 16 (4 on x86) |
//! | `ssse3` | x86 and x86-64 with SSSE3 | 8 (4 on x86) |
//! | `sse2` | x86 with SSE2, every x86-64 | 8 (4 on x86) |
//! | `neon8` | AArch64 of Apple, for its wide cores | 8 |
//! | `neon` | AArch64 of others, little-endian | 4 |
//! | `simd128` | wasm32, built with `-C target-feature=+simd128` | 8 |
//! | `portable` | nothing better is there | 1 |
//!
//! # Features
//!
//! | feature | default | what for |
//! |---|---|---|
//! | `cipher` | no | `RustCrypto`'s `KeyIvInit`, `StreamCipher` and `StreamCipherSeek` (cipher 0.5) for all nine types |
//!
//! With it they take the place of those of the crate `chacha20`. The methods of a type have precedence over
//! those of the traits: [`apply_keystream`](ChaCha::apply_keystream) gives an error where the trait's panics.

#![no_std]
#![deny(unsafe_code)]

mod backend;
mod chacha;
pub mod hazmat;
#[cfg(feature = "cipher")]
mod traits;

pub use backend::Backend;
pub use chacha::{
    ChaCha, ChaCha8, ChaCha8Legacy, ChaCha12, ChaCha12Legacy, ChaCha20, ChaCha20Legacy, Extended,
    Ietf, KeystreamExhausted, Legacy, Variant, XChaCha8, XChaCha12, XChaCha20,
};
#[cfg(feature = "cipher")]
pub use cipher;
pub use hazmat::hchacha20;
