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

#![no_std]
#![deny(unsafe_code)]

mod backend;
pub mod hazmat;
mod mac;
mod tag;

pub use backend::Backend;
pub use mac::Poly1305;
pub use tag::Tag;
