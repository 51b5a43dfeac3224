//! The accumulator below [`Poly1305`](crate::Poly1305): whole blocks in, no buffering.
//!
//! For code that fuses the MAC with a cipher and cuts the message itself.

use crate::{Backend, Tag, backend::portable};
use zeroize::ZeroizeOnDrop;

/// The running sum h = (...((m_1 r + m_2) r + ...) r) mod 2^130 - 5 of the blocks so far. Wiped on
/// drop.
#[derive(Clone)]
pub struct Accumulator {
    scalar: portable::State,
    backend: Backend,
}

impl Accumulator {
    /// h = 0 under `key` = r | s; r is clamped (RFC 8439, 2.5).
    #[inline]
    pub fn new(backend: Backend, key: &[u8; 32]) -> Self {
        Accumulator {
            scalar: portable::State::new(key),
            backend,
        }
    }

    /// Absorbs whole 16-byte blocks.
    ///
    /// # Panics
    /// If `blocks.len()` is not a multiple of 16.
    #[inline]
    pub fn blocks(&mut self, blocks: &[u8]) {
        let (blocks, rest) = blocks.as_chunks::<16>();
        assert!(rest.is_empty(), "part of a block");
        self.backend.blocks(&mut self.scalar, blocks);
    }

    /// Absorbs the last block of a message when it is a partial one, 1 to 15 bytes: the bit 2^(8 n)
    /// follows its n bytes.
    ///
    /// # Panics
    /// If `part` is empty or longer than 15 bytes.
    #[inline]
    pub fn last_block(&mut self, part: &[u8]) {
        assert!(!part.is_empty(), "no block has no bytes");
        let mut block = [0; 16];
        block[part.len()] = 1;
        block[..part.len()].copy_from_slice(part);
        self.scalar.absorb::<0>(&[block]);
    }

    /// (h mod 2^130 - 5) + s mod 2^128.
    #[inline]
    pub fn tag(&self) -> Tag {
        self.scalar.tag().into()
    }

    /// The backend that absorbs blocks.
    #[inline]
    pub fn backend(&self) -> Backend {
        self.backend
    }
}

impl ZeroizeOnDrop for Accumulator {}

/// Chains of Poly1305 in scalar registers, which a fused kernel runs beside its vectors.
#[cfg(any(
    target_pointer_width = "64",
    target_arch = "x86_64",
    target_arch = "aarch64"
))]
pub mod scalar {
    pub use crate::backend::scalar::*;
}

/// The x86 kernels' tokens, and the pieces that a fused kernel is composed of.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub mod x86 {
    pub use crate::backend::x86::*;
}

/// The NEON kernel's token, and the pieces that a fused kernel is composed of.
#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon"
))]
pub mod aarch64 {
    pub use crate::backend::aarch64::*;
}
