//! The construction in a straight line: BLAKE2s of the crate blake2, ChaCha20 of the crate chacha20 or of
//! libsodium. Both MACs are keyed once and cloned for each message.

use crate::{AD, Aead, KEY, NONCE};
use blake2::{
    Blake2sMac256,
    digest::{FixedOutput, KeyInit, Update},
};
use chacha20::{
    ChaCha20,
    cipher::{KeyIvInit, StreamCipher},
};
use libsodium_sys::{crypto_stream_chacha20_ietf_xor, sodium_init};
use std::{hint::black_box, marker::PhantomData};
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

pub type Straight = Composition<RustCrypto>;
pub type Sodium = Composition<Libsodium>;

pub trait Cipher {
    fn xor(key: &[u8; 32], message: &mut [u8]);
}

pub struct RustCrypto;

impl Cipher for RustCrypto {
    fn xor(key: &[u8; 32], message: &mut [u8]) {
        ChaCha20::new(key.into(), &NONCE.into()).apply_keystream(message);
    }
}

pub struct Libsodium;

impl Cipher for Libsodium {
    fn xor(key: &[u8; 32], message: &mut [u8]) {
        let (buf, len) = (message.as_mut_ptr(), message.len() as u64);
        // SAFETY: key and nonce have 32 and 12 bytes; it works in place on `len` bytes.
        unsafe { crypto_stream_chacha20_ietf_xor(buf, buf, len, NONCE.as_ptr(), key.as_ptr()) };
    }
}

/// Before that libsodium works without vectors.
pub fn choose_kernels() {
    // SAFETY: it may be called at any time.
    assert!(unsafe { sodium_init() } >= 0, "libsodium does not start");
}

pub struct Composition<C> {
    mac: Blake2sMac256,
    enc: Blake2sMac256,
    cipher: PhantomData<C>,
}

fn keyed(key: &[u8]) -> Blake2sMac256 {
    Blake2sMac256::new_from_slice(key).expect("32 bytes")
}

impl<C: Cipher> Composition<C> {
    fn iv(&self, message: &[u8]) -> [u8; 32] {
        let mut mac = self.mac.clone();
        mac.update(&(message.len() as u64).to_le_bytes());
        mac.update(&(AD.len() as u64).to_le_bytes());
        mac.update(message);
        mac.update(&AD);
        mac.update(&NONCE);
        mac.finalize_fixed().into()
    }

    fn xor(&self, iv: &[u8; 32], message: &mut [u8]) {
        let mut mac = self.enc.clone();
        mac.update(&NONCE);
        mac.update(iv);
        mac.update(b"kdf/sub");
        C::xor(&mac.finalize_fixed().into(), message);
    }
}

impl<C: Cipher> Aead for Composition<C> {
    fn new() -> Self {
        let derive = |label| {
            let mut mac = keyed(black_box(&KEY));
            mac.update(label);
            keyed(&mac.finalize_fixed())
        };
        Composition {
            mac: derive(b"kdf/mac"),
            enc: derive(b"kdf/enc"),
            cipher: PhantomData,
        }
    }

    fn seal(&self, message: &mut [u8]) -> [u8; 32] {
        let iv = self.iv(message);
        self.xor(&iv, message);
        iv
    }

    fn open(&self, message: &mut [u8], iv: &[u8; 32]) -> bool {
        self.xor(iv, message);
        let authentic: bool = self.iv(message).ct_eq(iv).into();
        if !authentic {
            message.zeroize();
        }
        authentic
    }
}
