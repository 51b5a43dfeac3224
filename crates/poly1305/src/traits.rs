//! `RustCrypto`'s universal hash traits (feature `universal-hash`).

use crate::Poly1305;
use universal_hash::{
    Block, Key, KeyInit, ParBlocks, UhfBackend, UhfClosure, UniversalHash,
    array::Array,
    common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser},
    consts::{U16, U32, U64},
};

impl KeySizeUser for Poly1305 {
    type KeySize = U32;
}

impl KeyInit for Poly1305 {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Poly1305::new(&key.0)
    }
}

impl BlockSizeUser for Poly1305 {
    type BlockSize = U16;
}

impl UniversalHash for Poly1305 {
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
        f.call(&mut Blocks(self));
    }

    #[inline]
    fn update(&mut self, blocks: &[Block<Self>]) {
        self.update(Array::slice_as_flattened(blocks));
    }

    fn finalize(self) -> Block<Self> {
        <[u8; 16]>::from(self.finalize()).into()
    }
}

/// What a closure hands its blocks to.
struct Blocks<'a>(&'a mut Poly1305);

impl BlockSizeUser for Blocks<'_> {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Blocks<'_> {
    /// 1024 bytes: enough for the widest kernel to be worth its powers of r.
    type ParBlocksSize = U64;
}

impl UhfBackend for Blocks<'_> {
    #[inline]
    fn proc_block(&mut self, block: &Block<Self>) {
        self.0.update(block);
    }

    #[inline]
    fn proc_par_blocks(&mut self, blocks: &ParBlocks<Self>) {
        self.0.update(Array::slice_as_flattened(blocks));
    }
}
