//! ChaCha20-BLAKE2s-SIV: authenticated encryption that a repeated nonce does not break.

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

pub use error::Error;
pub use iv::Iv;
pub use nonce::advance_nonce;
pub use siv::{MAX_MESSAGE_LEN, Siv, Siv128, Siv256, check_message_len};
pub use ss55_chacha_simd::Backend;
