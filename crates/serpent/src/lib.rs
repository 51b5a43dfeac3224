//! The Serpent block cipher, bitsliced, and its XTS mode.
//!
//! Serpent (Anderson, Biham, Knudsen, 1998) has 128-bit blocks, keys of 128, 192 or 256 bits and 32
//! rounds. Its S-boxes were made to be computed as logic on whole words, so it runs without tables, in
//! time that does not depend on its data, and on as many blocks at once as a register has lanes.
//!
//! ```
//! use ss55_serpent::Serpent;
//!
//! let cipher = Serpent::new(&[7; 32])?;
//! let mut blocks = [*b"sixteen bytes, a", *b"nd sixteen more "];
//! cipher.encrypt_blocks(&mut blocks);
//! assert_ne!(&blocks[0], b"sixteen bytes, a");
//! cipher.decrypt_blocks(&mut blocks);
//! assert_eq!(&blocks[0], b"sixteen bytes, a");
//! # Ok::<(), ss55_serpent::InvalidKeyLength>(())
//! ```
//!
//! Bytes are in little-endian order: that of Botan, libgcrypt, VeraCrypt and Linux's `serpent`. (The
//! AES submission prints blocks and keys backwards; Linux calls that `tnepres`.)
//!
//! A block cipher alone hides nothing but single blocks, and neither it nor [`xts`] detects changes: for
//! messages and files take `ss55-aead` or `ss55-stream`. This crate is for formats that name Serpent.
//!
//! | backend | selected when | blocks at once |
//! |---|---|---|
//! | `avx512` | x86-64 with AVX-512 F, VL and BW | 64 |
//! | `avx2` | x86-64 with AVX2 | 16 |
//! | `sse2` | x86 and x86-64 with SSE2 | 4 |
//! | `neon` | aarch64, little-endian | 4 |
//! | `portable` | nothing better is there | 1 |
//!
//! | feature | default | what for |
//! |---|---|---|
//! | `cipher` | no | `RustCrypto`'s `BlockCipherEncrypt`, `BlockCipherDecrypt` and `KeyInit` (cipher 0.5) |
//!
//! With it modes such as `ctr` and `cbc` are handed as many blocks at once as the backend takes.

#![no_std]
#![deny(unsafe_code)]

mod backend;
mod block;
mod schedule;
#[cfg(feature = "cipher")]
mod traits;
pub mod xts;

pub use backend::Backend;
pub use block::{InvalidKeyLength, Serpent};
#[cfg(feature = "cipher")]
pub use cipher;
pub use xts::SerpentXts;

/// Bytes in a block.
pub const BLOCK: usize = 16;

/// A block as `inout` and `cipher` see it: `[u8; 16]` in other clothes.
type Block = hybrid_array::Array<u8, hybrid_array::sizes::U16>;
