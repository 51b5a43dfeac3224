//! orion: portable Rust.

use super::Entry;
use crate::{
    Operation,
    work::{self, Aead, Cipher, KEY, Mac},
};
use orion::hazardous::{
    aead::{chacha20poly1305 as short, xchacha20poly1305 as long},
    mac::poly1305::{OneTimeKey, Poly1305, Tag},
    stream::chacha20::{ChaCha20, SecretKey},
};

pub(super) fn entry(operation: Operation, size: usize) -> Entry {
    let orion = Orion(SecretKey::from(KEY));
    Some(match operation {
        Operation::Seal => (
            "ChaCha20Poly1305::seal_inplace",
            work::seal::<12>(size, orion),
        ),
        Operation::Open => (
            "ChaCha20Poly1305::open_inplace",
            work::open::<12>(size, orion),
        ),
        Operation::XSeal => (
            "XChaCha20Poly1305::seal_inplace",
            work::seal::<24>(size, orion),
        ),
        Operation::XOpen => (
            "XChaCha20Poly1305::open_inplace",
            work::open::<24>(size, orion),
        ),
        Operation::Chacha20 => ("ChaCha20::xor_keystream_into", work::xor(size, orion)),
        Operation::Poly1305 => ("Poly1305::poly1305", work::mac(size, orion)),
        _ => return None,
    })
}

struct Orion(SecretKey);

fn bytes(tag: &Tag) -> [u8; 16] {
    let bytes: &[u8] = tag.unprotected_as_ref();
    bytes.try_into().expect("16 bytes")
}

impl Aead<12> for Orion {
    fn seal(&mut self, nonce: &[u8; 12], aad: &[u8], message: &mut [u8]) -> [u8; 16] {
        let nonce = short::Nonce::from(*nonce);
        bytes(
            &short::ChaCha20Poly1305::seal_inplace(&self.0, &nonce, Some(aad), message)
                .expect("not too long"),
        )
    }
    fn open(&mut self, nonce: &[u8; 12], aad: &[u8], message: &mut [u8], tag: &[u8; 16]) -> bool {
        let (nonce, tag) = (short::Nonce::from(*nonce), Tag::from(*tag));
        short::ChaCha20Poly1305::open_inplace(&self.0, &nonce, &tag, Some(aad), message).is_ok()
    }
}

impl Aead<24> for Orion {
    fn seal(&mut self, nonce: &[u8; 24], aad: &[u8], message: &mut [u8]) -> [u8; 16] {
        let nonce = long::Nonce::from(*nonce);
        bytes(
            &long::XChaCha20Poly1305::seal_inplace(&self.0, &nonce, Some(aad), message)
                .expect("not too long"),
        )
    }
    fn open(&mut self, nonce: &[u8; 24], aad: &[u8], message: &mut [u8], tag: &[u8; 16]) -> bool {
        let (nonce, tag) = (long::Nonce::from(*nonce), Tag::from(*tag));
        long::XChaCha20Poly1305::open_inplace(&self.0, &nonce, &tag, Some(aad), message).is_ok()
    }
}

impl Cipher for Orion {
    fn xor(&mut self, nonce: &[u8; 12], message: &mut [u8]) {
        ChaCha20::new(&self.0, &(*nonce).into())
            .xor_keystream_into(message)
            .expect("far from the end of the keystream");
    }
}

impl Mac for Orion {
    fn mac(&mut self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        let key = OneTimeKey::from(*key);
        bytes(&Poly1305::poly1305(&key, message).expect("a fresh state"))
    }
}
