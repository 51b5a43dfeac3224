//! RustCrypto: chacha20poly1305, chacha20, poly1305.

use super::Entry;
use crate::{
    Operation, locked,
    work::{self, Aead, Cipher, KEY, Mac},
};
use chacha20::{
    ChaCha20,
    cipher::{KeyIvInit, StreamCipher},
};
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, KeyInit, XChaCha20Poly1305};
use poly1305::{Poly1305, universal_hash::UniversalHash};

pub(super) fn version() -> String {
    let [aead, chacha, poly] = ["chacha20poly1305", "chacha20", "poly1305"].map(locked);
    // What this project's kernels of 128 bits are to be compared with: the switches that give RustCrypto
    // the same instructions.
    let kernels = if cfg!(all(chacha20_backend = "sse2", poly1305_backend = "soft")) {
        "SSE2, poly1305 without vectors"
    } else if cfg!(chacha20_backend = "sse2") {
        "SSE2, poly1305 on its best"
    } else if cfg!(chacha20_avx512) {
        "AVX-512 on"
    } else {
        "AVX-512 off, as by default"
    };
    format!("chacha20poly1305 {aead}, chacha20 {chacha}, poly1305 {poly}; {kernels}")
}

pub(super) fn entry(operation: Operation, size: usize) -> Entry {
    let short = ChaCha20Poly1305::new(&KEY.into());
    let long = XChaCha20Poly1305::new(&KEY.into());
    Some(match operation {
        Operation::Seal => ("encrypt_inout_detached", work::seal(size, short)),
        Operation::Open => ("decrypt_inout_detached", work::open(size, short)),
        Operation::XSeal => ("encrypt_inout_detached", work::seal(size, long)),
        Operation::XOpen => ("decrypt_inout_detached", work::open(size, long)),
        Operation::Chacha20 => (
            "ChaCha20::new, apply_keystream",
            work::xor(size, RustCrypto),
        ),
        Operation::Poly1305 => (
            "Poly1305::new, update_padded, finalize",
            work::mac(size, RustCrypto),
        ),
        _ => return None,
    })
}

/// The primitives, which are made anew for each message.
struct RustCrypto;

macro_rules! aead {
    ($type:ident, $nonce_len:literal) => {
        impl Aead<$nonce_len> for $type {
            fn seal(
                &mut self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                message: &mut [u8],
            ) -> [u8; 16] {
                self.encrypt_inout_detached(nonce.into(), aad, message.into())
                    .expect("not too long")
                    .into()
            }
            fn open(
                &mut self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                message: &mut [u8],
                tag: &[u8; 16],
            ) -> bool {
                self.decrypt_inout_detached(nonce.into(), aad, message.into(), tag.into())
                    .is_ok()
            }
        }
    };
}

aead!(ChaCha20Poly1305, 12);
aead!(XChaCha20Poly1305, 24);

impl Cipher for RustCrypto {
    fn xor(&mut self, nonce: &[u8; 12], message: &mut [u8]) {
        ChaCha20::new(&KEY.into(), nonce.into()).apply_keystream(message);
    }
}

impl Mac for RustCrypto {
    fn mac(&mut self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        let mut mac = Poly1305::new(key.into());
        // Whole blocks only, so nothing is padded; it takes several blocks at once, where
        // compute_unpadded takes one.
        mac.update_padded(message);
        mac.finalize().into()
    }
}
