//! ring: the AEAD alone.

use super::Entry;
use crate::{
    Operation,
    work::{self, Aead, KEY},
};
use ring::aead::{self, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

pub(super) fn entry(operation: Operation, size: usize) -> Entry {
    let key = UnboundKey::new(&CHACHA20_POLY1305, &KEY).expect("32 bytes");
    let key = LessSafeKey::new(key);
    Some(match operation {
        Operation::Seal => (
            "LessSafeKey::seal_in_place_separate_tag",
            work::seal(size, key),
        ),
        Operation::Open => (
            "LessSafeKey::open_in_place_separate_tag",
            work::open(size, key),
        ),
        _ => return None,
    })
}

impl Aead<12> for LessSafeKey {
    fn seal(&mut self, nonce: &[u8; 12], aad: &[u8], message: &mut [u8]) -> [u8; 16] {
        let (nonce, aad) = (Nonce::assume_unique_for_key(*nonce), aead::Aad::from(aad));
        let tag = self
            .seal_in_place_separate_tag(nonce, aad, message)
            .expect("not too long");
        tag.as_ref().try_into().expect("16 bytes")
    }
    fn open(&mut self, nonce: &[u8; 12], aad: &[u8], message: &mut [u8], tag: &[u8; 16]) -> bool {
        let (nonce, aad) = (Nonce::assume_unique_for_key(*nonce), aead::Aad::from(aad));
        self.open_in_place_separate_tag(nonce, aad, (*tag).into(), message, 0..)
            .is_ok()
    }
}
