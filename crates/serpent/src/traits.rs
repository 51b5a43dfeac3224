//! `RustCrypto`'s block cipher traits (feature `cipher`).
//!
//! A mode asks its cipher how many blocks it takes at once, which there is a type. So the backend, which
//! is a value, picks the type, and the mode runs inside.

use crate::{Backend, Block, Serpent};
use cipher::{
    AlgorithmName, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt,
    BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InOut,
    InOutBuf, InvalidLength, Key, KeyInit, KeySizeUser, ParBlocks, ParBlocksSizeUser,
    array::ArraySize,
    consts::{U1, U4, U16, U32, U64},
};
use core::{fmt, marker::PhantomData};

impl KeySizeUser for Serpent {
    type KeySize = U32;
}

impl KeyInit for Serpent {
    fn new(key: &Key<Self>) -> Self {
        Serpent::from_checked(Backend::detect(), key)
    }

    /// Takes 16, 24 or 32 bytes.
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Serpent::new(key).map_err(|_| InvalidLength)
    }
}

impl BlockSizeUser for Serpent {
    type BlockSize = U16;
}

impl AlgorithmName for Serpent {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Serpent")
    }
}

/// The cipher, to a mode that takes `Width` blocks at once.
struct Wide<'s, Width>(&'s Serpent, PhantomData<Width>);

impl<Width> BlockSizeUser for Wide<'_, Width> {
    type BlockSize = U16;
}

impl<Width: ArraySize> ParBlocksSizeUser for Wide<'_, Width> {
    type ParBlocksSize = Width;
}

impl<Width: ArraySize> BlockCipherEncBackend for Wide<'_, Width> {
    #[inline]
    fn encrypt_block(&self, block: InOut<'_, '_, Block>) {
        self.0.encrypt(None, one(block));
    }
    #[inline]
    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.encrypt(None, blocks.into_buf());
    }
    #[inline]
    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block>) {
        self.0.encrypt(None, blocks);
    }
}

impl<Width: ArraySize> BlockCipherDecBackend for Wide<'_, Width> {
    #[inline]
    fn decrypt_block(&self, block: InOut<'_, '_, Block>) {
        self.0.decrypt(None, one(block));
    }
    #[inline]
    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.decrypt(None, blocks.into_buf());
    }
    #[inline]
    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block>) {
        self.0.decrypt(None, blocks);
    }
}

fn one<'i, 'o>(block: InOut<'i, 'o, Block>) -> InOutBuf<'i, 'o, Block> {
    let (block, _) = block.into_buf().into_chunks();
    block
}

/// `f.call`, with the cipher as wide as its backend.
macro_rules! call {
    ($cipher:expr, $f:expr) => {
        match $cipher.backend().width() {
            64 => $f.call(&Wide::<U64>($cipher, PhantomData)),
            16 => $f.call(&Wide::<U16>($cipher, PhantomData)),
            4 => $f.call(&Wide::<U4>($cipher, PhantomData)),
            _ => $f.call(&Wide::<U1>($cipher, PhantomData)),
        }
    };
}

impl BlockCipherEncrypt for Serpent {
    #[inline]
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
        call!(self, f);
    }
}

impl BlockCipherDecrypt for Serpent {
    #[inline]
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
        call!(self, f);
    }
}
