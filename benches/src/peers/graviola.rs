//! graviola: the AEADs.

use super::Entry;
use crate::{
    Operation,
    work::{self, Aead, KEY},
};
use graviola::aead::{ChaCha20Poly1305, XChaCha20Poly1305};

pub(super) fn entry(operation: Operation, size: usize) -> Entry {
    let short = ChaCha20Poly1305::new(KEY);
    let long = XChaCha20Poly1305::new(KEY);
    Some(match operation {
        Operation::Seal => ("ChaCha20Poly1305::encrypt", work::seal(size, short)),
        Operation::Open => ("ChaCha20Poly1305::decrypt", work::open(size, short)),
        Operation::XSeal => ("XChaCha20Poly1305::encrypt", work::seal(size, long)),
        Operation::XOpen => ("XChaCha20Poly1305::decrypt", work::open(size, long)),
        _ => return None,
    })
}

macro_rules! aead {
    ($type:ident, $nonce_len:literal) => {
        impl Aead<$nonce_len> for $type {
            fn seal(
                &mut self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                message: &mut [u8],
            ) -> [u8; 16] {
                let mut tag = [0; 16];
                self.encrypt(nonce, aad, message, &mut tag);
                tag
            }
            fn open(
                &mut self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                message: &mut [u8],
                tag: &[u8; 16],
            ) -> bool {
                self.decrypt(nonce, aad, message, tag).is_ok()
            }
        }
    };
}

aead!(ChaCha20Poly1305, 12);
aead!(XChaCha20Poly1305, 24);
