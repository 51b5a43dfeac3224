//! A buffer that is wiped where it may hold plaintext, and nowhere else.

use std::ops::{Deref, DerefMut};
use zeroize::Zeroize;

/// Bytes of which the first few are secret at times. Those are wiped on drop; wiping all of a frame
/// costs as much as encrypting it twice.
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    secret: usize,
}

impl Buffer {
    pub(crate) fn new(len: usize) -> Self {
        Buffer {
            bytes: vec![0; len],
            secret: 0,
        }
    }

    /// Memory for `len` bytes, not a single one of them touched: not all readers need it.
    pub(crate) fn reserved(len: usize) -> Self {
        Buffer {
            bytes: Vec::with_capacity(len),
            secret: 0,
        }
    }

    /// Room for `len` bytes of plaintext, within what was reserved.
    pub(crate) fn room(&mut self, len: usize) -> &mut [u8] {
        if self.bytes.len() < len {
            self.bytes.resize(len, 0);
        }
        self.mark_secret(len);
        &mut self.bytes[..len]
    }

    /// The first `len` bytes hold plaintext, or are about to.
    pub(crate) fn mark_secret(&mut self, len: usize) {
        self.secret = self.secret.max(len);
    }

    /// All plaintext that was here has been encrypted where it lay.
    pub(crate) fn mark_sealed(&mut self) {
        self.secret = 0;
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.bytes[..self.secret].zeroize();
    }
}
