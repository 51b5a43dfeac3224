//! The block cipher under one key.

use crate::{BLOCK, Backend, Block, schedule::Schedule};
use core::fmt;
use inout::InOutBuf;
use zeroize::ZeroizeOnDrop;

/// A key's length is not 16, 24 or 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidKeyLength;

impl fmt::Display for InvalidKeyLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a Serpent key has 16, 24 or 32 bytes")
    }
}

impl core::error::Error for InvalidKeyLength {}

/// Serpent under one key. Its round keys are wiped on drop.
#[derive(Clone)]
pub struct Serpent {
    schedule: Schedule,
    backend: Backend,
}

impl Serpent {
    /// Prepares a key of 16, 24 or 32 bytes for the fastest backend of this machine.
    ///
    /// # Errors
    /// [`InvalidKeyLength`] for any other length. (The algorithm has a meaning for all up to 32 bytes;
    /// only these three are in use.)
    #[inline]
    pub fn new(key: &[u8]) -> Result<Self, InvalidKeyLength> {
        Self::with_backend(Backend::detect(), key)
    }

    /// Prepares a key for a given backend.
    ///
    /// # Errors
    /// [`InvalidKeyLength`] as for [`new`](Self::new).
    pub fn with_backend(backend: Backend, key: &[u8]) -> Result<Self, InvalidKeyLength> {
        match key.len() {
            16 | 24 | 32 => Ok(Self::from_checked(backend, key)),
            _ => Err(InvalidKeyLength),
        }
    }

    /// From a key whose length is one of the three.
    pub(crate) fn from_checked(backend: Backend, key: &[u8]) -> Self {
        Serpent {
            schedule: Schedule::new(key),
            backend,
        }
    }

    /// The backend that was chosen.
    #[inline]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Encrypts one block.
    #[inline]
    pub fn encrypt_block(&self, block: &mut [u8; BLOCK]) {
        self.encrypt_blocks(core::slice::from_mut(block));
    }

    /// Decrypts one block.
    #[inline]
    pub fn decrypt_block(&self, block: &mut [u8; BLOCK]) {
        self.decrypt_blocks(core::slice::from_mut(block));
    }

    /// Encrypts blocks, each alone.
    #[inline]
    pub fn encrypt_blocks(&self, blocks: &mut [[u8; BLOCK]]) {
        self.encrypt(None, Block::cast_slice_from_core_mut(blocks).into());
    }

    /// Decrypts blocks, each alone.
    #[inline]
    pub fn decrypt_blocks(&self, blocks: &mut [[u8; BLOCK]]) {
        self.decrypt(None, Block::cast_slice_from_core_mut(blocks).into());
    }

    /// Encrypts the blocks of `input` into `output`.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[inline]
    pub fn encrypt_blocks_to(&self, input: &[[u8; BLOCK]], output: &mut [[u8; BLOCK]]) {
        self.encrypt(None, pair(input, output));
    }

    /// Decrypts the blocks of `input` into `output`.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[inline]
    pub fn decrypt_blocks_to(&self, input: &[[u8; BLOCK]], output: &mut [[u8; BLOCK]]) {
        self.decrypt(None, pair(input, output));
    }

    // Not inline: the kernels are compiled in this crate, not in each that uses it.
    pub(crate) fn encrypt(&self, tweaks: Option<&[u128]>, blocks: InOutBuf<'_, '_, Block>) {
        self.backend
            .dispatch::<true>(&self.schedule.encrypt, tweaks, blocks);
    }

    pub(crate) fn decrypt(&self, tweaks: Option<&[u128]>, blocks: InOutBuf<'_, '_, Block>) {
        self.backend
            .dispatch::<false>(&self.schedule.decrypt, tweaks, blocks);
    }
}

fn pair<'i, 'o>(
    input: &'i [[u8; BLOCK]],
    output: &'o mut [[u8; BLOCK]],
) -> InOutBuf<'i, 'o, Block> {
    let output = Block::cast_slice_from_core_mut(output);
    InOutBuf::new(Block::cast_slice_from_core(input), output).expect("lengths differ")
}

/// By `Schedule`'s drop.
impl ZeroizeOnDrop for Serpent {}

impl fmt::Debug for Serpent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serpent")
            .field("backend", &self.backend.name())
            .finish_non_exhaustive()
    }
}
