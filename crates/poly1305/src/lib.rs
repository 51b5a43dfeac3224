//! Poly1305, the one-time authenticator of RFC 8439, 2.5.
//!
//! ```
//! use ss55_poly1305::Poly1305;
//!
//! let key = [0x42; 32]; // one key, one message
//! let mut mac = Poly1305::new(&key);
//! mac.update(b"Cryptographic Forum ");
//! mac.update(b"Research Group");
//! assert_eq!(mac.finalize(), Poly1305::mac(&key, b"Cryptographic Forum Research Group"));
//! ```
//!
//! A key authenticates ONE message: two tags under one key give the key away. Derive a fresh key
//! for each, as ChaCha20-Poly1305 does (`ss55-aead`).
//!
//! # Backends
//!
//! One is chosen when a MAC is made, and kept in it. All give the same bytes.
//!
//! | backend | selected when | blocks at once |
//! |---|---|---|
//! | `avx512` | x86-64 with AVX-512 F, VL, BW and IFMA, and BMI2 | 8 |
//! | `avx2` | x86 with AVX2 and BMI2 | 8 |
//! | `sse2` | x86 with SSE2, as every x86-64 has | 4; on x86-64 2, in scalar registers |
//! | `neon` | AArch64, little-endian | 4 |
//! | `portable` | nothing better is there | 1 |
//!
//! # Features
//!
//! | feature | default | what for |
//! |---|---|---|
//! | `universal-hash` | no | `RustCrypto`'s `UniversalHash` and `KeyInit` (universal-hash 0.6) |

#![no_std]
#![deny(unsafe_code)]

mod backend;
pub mod hazmat;
mod mac;
mod tag;
#[cfg(feature = "universal-hash")]
mod traits;

pub use backend::Backend;
pub use mac::Poly1305;
pub use tag::Tag;
#[cfg(feature = "universal-hash")]
pub use universal_hash;
