//! ChaCha20-Poly1305 and XChaCha20-Poly1305 behind an engine trait that anyone can implement.
//!
//! ```
//! use ss55_aead::{Aad, XChaCha20Poly1305};
//!
//! let aead = XChaCha20Poly1305::new(&[7; 32]);
//! let nonce = [9; 24]; // random, once per message
//! let mut text = *b"attack at dawn";
//! let tag = aead.seal_in_place_detached(&nonce, Aad::from(b"v1"), &mut text);
//! aead.open_in_place_detached(&nonce, Aad::from(b"v1"), &mut text, &tag)?;
//! assert_eq!(&text, b"attack at dawn");
//! # Ok::<(), ss55_aead::AuthenticationError>(())
//! ```
//!
//! | what | nonce | source |
//! |---|---|---|
//! | [`ChaCha20Poly1305`] | 96 bits, a counter: it must never repeat under a key | RFC 8439, 2.8 |
//! | [`XChaCha20Poly1305`] | 192 bits, random | draft-irtf-cfrg-xchacha-03 |
//!
//! Both are generic over an [`Engine`], which does the work: [`SimdEngine`] is the fastest of this
//! machine, [`PortableEngine`] safe Rust, `SodiumEngine` (feature `libsodium`) the C library. The
//! streams of `ss55-wire` and `ss55-stream` take any of them, or yours.
//!
//! | feature | default | what for |
//! |---|---|---|
//! | `getrandom` | yes | [`Key::generate`], and `Generate` of the traits |
//! | `aead` | no | `RustCrypto`'s `KeyInit` and `AeadInOut` (aead 0.6), the tag after the ciphertext |
//! | `alloc` | no | those, and `Aead`, which gives vectors |
//! | `libsodium` | no | `SodiumEngine`; builds libsodium, which needs a C compiler |

#![no_std]
#![deny(unsafe_code)]

mod chacha20poly1305;
mod engine;
mod error;
mod key;
#[cfg(feature = "aead")]
mod traits;

/// The examples of the README are tests too.
#[cfg(all(doctest, feature = "alloc", feature = "getrandom"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "aead")]
pub use aead;
pub use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
#[cfg(feature = "libsodium")]
pub use engine::sodium::SodiumEngine;
pub use engine::{
    Aad, Engine, MAX_MESSAGE_LEN, MAX_SECRETSTREAM_LEN, PortableEngine, SimdEngine, keystream_fits,
    secretstream_prefix,
};
pub use error::{AuthenticationError, InvalidKey};
pub use inout::InOutBuf;
pub use key::Key;
pub use ss55_poly1305::Tag;
