//! RustCrypto's Serpent.

use super::RUSTCRYPTO;
use crate::{
    Contestant, Operation,
    work::{self, Blocks, KEY},
};
use serpent::{
    Serpent,
    cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit},
};

pub(super) fn contestant(operation: Operation, size: usize) -> Option<Contestant> {
    let cipher = Serpent::new_from_slice(&KEY).expect("it takes 32 bytes");
    let (call, work) = match operation {
        Operation::SerpentEncrypt => ("Serpent::encrypt_blocks", work::encrypt(size, cipher)),
        Operation::SerpentDecrypt => ("Serpent::decrypt_blocks", work::decrypt(size, cipher)),
        _ => return None,
    };
    Some(Contestant::new(RUSTCRYPTO, call, operation, size, work))
}

impl Blocks for Serpent {
    fn encrypt(&mut self, blocks: &mut [[u8; 16]]) {
        self.encrypt_blocks(Array::cast_slice_from_core_mut(blocks));
    }
    fn decrypt(&mut self, blocks: &mut [[u8; 16]]) {
        self.decrypt_blocks(Array::cast_slice_from_core_mut(blocks));
    }
}
