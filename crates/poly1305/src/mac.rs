//! The incremental authenticator: cuts its input into blocks for a kernel.

use crate::{Backend, Tag, hazmat::Accumulator};
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bytes in a block.
const BLOCK: usize = 16;

/// A running Poly1305 of one message under a one-time key. Wiped on drop.
#[derive(Clone)]
pub struct Poly1305 {
    acc: Accumulator,
    /// The begun block: `filled` bytes of the message, fewer than a block between calls.
    block: [u8; BLOCK],
    filled: usize,
}

impl Poly1305 {
    /// Starts a message under `key`, r then s, on the fastest backend of this machine. r is clamped
    /// here.
    #[inline]
    pub fn new(key: &[u8; 32]) -> Self {
        Self::with_backend(Backend::detect(), key)
    }

    /// Starts a message on a given backend.
    #[inline]
    pub fn with_backend(backend: Backend, key: &[u8; 32]) -> Self {
        Poly1305 {
            acc: Accumulator::new(backend, key),
            block: [0; BLOCK],
            filled: 0,
        }
    }

    /// The tag of a whole message.
    #[inline]
    pub fn mac(key: &[u8; 32], message: &[u8]) -> Tag {
        let mut mac = Poly1305::new(key);
        mac.update(message);
        mac.finalize()
    }

    /// Appends `data` to the message.
    pub fn update(&mut self, mut data: &[u8]) {
        if self.filled > 0 {
            let take = data.len().min(BLOCK - self.filled);
            self.block[self.filled..self.filled + take].copy_from_slice(&data[..take]);
            self.filled += take;
            data = &data[take..];
            if self.filled < BLOCK {
                return;
            }
            self.acc.blocks(&self.block);
            self.filled = 0;
        }
        let (whole, rest) = data.split_at(data.len() / BLOCK * BLOCK);
        self.acc.blocks(whole);
        self.block[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    /// Ends the begun block, if any, with zero bytes: the padding of the AEAD's MAC input (RFC 8439,
    /// 2.8.1).
    pub fn pad16(&mut self) {
        if self.filled > 0 {
            self.block[self.filled..].fill(0);
            self.acc.blocks(&self.block);
            self.filled = 0;
        }
    }

    /// Ends the message.
    pub fn finalize(mut self) -> Tag {
        if self.filled > 0 {
            self.acc.last_block(&self.block[..self.filled]);
        }
        self.acc.tag()
    }
}

impl Drop for Poly1305 {
    fn drop(&mut self) {
        self.block.zeroize(); // `acc` wipes itself
    }
}

impl ZeroizeOnDrop for Poly1305 {}

impl fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poly1305")
            .field("backend", &self.acc.backend().name())
            .finish_non_exhaustive()
    }
}
