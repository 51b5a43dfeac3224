//! ChaCha20-BLAKE2s-SIV: authenticated encryption that a repeated nonce does not break.
//!
//! ```
//! use ss55_siv::Siv256;
//!
//! let siv = Siv256::new(&[7; 32]);
//! let nonce = [9; 12]; // may repeat
//! let mut text = *b"attack at dawn";
//! let iv = siv.seal_in_place_detached(&nonce, b"v1", &mut text)?;
//! siv.open_in_place_detached(&nonce, b"v1", &mut text, &iv)?;
//! assert_eq!(&text, b"attack at dawn");
//! # Ok::<(), ss55_siv::Error>(())
//! ```
//!
//! **The construction has no public proof and no public review.** Where nonces can be kept unique, or be
//! long and random, take `ss55-aead`; where a proof is needed, AES-GCM-SIV or AES-SIV.
//!
//! ```text
//! enc_key = BLAKE2s-256(key, "kdf/enc")          mac_key = BLAKE2s-256(key, "kdf/mac")
//! IV      = BLAKE2s(mac_key, le64(len(plaintext)) | le64(len(ad)) | plaintext | ad | nonce)
//! subkey  = BLAKE2s-256(enc_key, nonce | IV | "kdf/sub")
//! ciphertext = plaintext XOR ChaCha20(subkey, nonce, counter 0)
//! ```
//!
//! The IV, 16 bytes for [`Siv128`] and 32 for [`Siv256`], is authenticator and second nonce in one, and is
//! sent with the ciphertext. Under a repeated nonce, equal messages with equal ad are seen to be equal, and
//! nothing else is meant to be seen.
//!
//! ChaCha20 runs on the kernels of `ss55-chacha-simd`. BLAKE2s is this crate's own, in safe Rust without
//! vectors: of one message they would make it half as fast, and it is 7 % faster than the crate `blake2`
//! for long messages, and by a compression each for short ones, since the block that holds the key alone
//! is hashed once, in `new`. The README has the figures. A decryption hashes each 8 KiB while they are in
//! the first-level cache; to interleave both kernels within a block could save the time of ChaCha20 at
//! most, a tenth, and is not done.
//!
//! | feature | default | what for |
//! |---|---|---|
//! | `aead` | no | `RustCrypto`'s `KeyInit` and `AeadInOut` (aead 0.6), the IV as a tag behind the ciphertext |
//! | `small` | no | rounds in a loop: less code, slower; the same bytes |

#![no_std]
#![forbid(unsafe_code)]

mod blake2s;
mod bytes;
mod error;
mod iv;
mod nonce;
mod siv;

#[cfg(feature = "aead")]
mod rustcrypto;

#[cfg(feature = "aead")]
pub use aead;
pub use error::Error;
pub use iv::Iv;
pub use nonce::advance_nonce;
pub use siv::{MAX_MESSAGE_LEN, Siv, Siv128, Siv256, check_message_len};
pub use ss55_chacha_simd::Backend;
