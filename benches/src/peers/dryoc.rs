//! dryoc: libsodium's interface in Rust, with kernels of its own.

use super::Entry;
use crate::{
    Operation,
    work::{self, Aead, HEADER, KEY, Mac, Secretstream},
};
use dryoc::classic::{
    crypto_aead_chacha20poly1305_ietf as short, crypto_aead_xchacha20poly1305_ietf as long,
    crypto_onetimeauth::crypto_onetimeauth, crypto_secretstream_xchacha20poly1305 as stream,
};

pub(super) fn entry(operation: Operation, size: usize) -> Entry {
    Some(match operation {
        Operation::Seal => (
            "crypto_aead_chacha20poly1305_ietf_encrypt_detached_inplace",
            work::seal::<12>(size, Dryoc),
        ),
        Operation::Open => (
            "crypto_aead_chacha20poly1305_ietf_decrypt_detached_inplace",
            work::open::<12>(size, Dryoc),
        ),
        Operation::XSeal => (
            "crypto_aead_xchacha20poly1305_ietf_encrypt_detached_inplace",
            work::seal::<24>(size, Dryoc),
        ),
        Operation::XOpen => (
            "crypto_aead_xchacha20poly1305_ietf_decrypt_detached_inplace",
            work::open::<24>(size, Dryoc),
        ),
        Operation::Push => (
            "crypto_secretstream_xchacha20poly1305_push",
            work::push(size, stream::State::new()),
        ),
        Operation::Pull => (
            "crypto_secretstream_xchacha20poly1305_pull",
            work::pull(size, stream::State::new()),
        ),
        Operation::Poly1305 => ("crypto_onetimeauth", work::mac(size, Dryoc)),
        _ => return None,
    })
}

/// The functions, which keep nothing from call to call.
struct Dryoc;

impl Aead<12> for Dryoc {
    fn seal(&mut self, nonce: &[u8; 12], aad: &[u8], message: &mut [u8]) -> [u8; 16] {
        let mut tag = [0; 16];
        short::crypto_aead_chacha20poly1305_ietf_encrypt_detached_inplace(
            message,
            &mut tag,
            Some(aad),
            nonce,
            &KEY,
        )
        .expect("not too long");
        tag
    }
    fn open(&mut self, nonce: &[u8; 12], aad: &[u8], message: &mut [u8], tag: &[u8; 16]) -> bool {
        short::crypto_aead_chacha20poly1305_ietf_decrypt_detached_inplace(
            message,
            tag,
            Some(aad),
            nonce,
            &KEY,
        )
        .is_ok()
    }
}

impl Aead<24> for Dryoc {
    fn seal(&mut self, nonce: &[u8; 24], aad: &[u8], message: &mut [u8]) -> [u8; 16] {
        let mut tag = [0; 16];
        long::crypto_aead_xchacha20poly1305_ietf_encrypt_detached_inplace(
            message,
            &mut tag,
            Some(aad),
            nonce,
            &KEY,
        )
        .expect("not too long");
        tag
    }
    fn open(&mut self, nonce: &[u8; 24], aad: &[u8], message: &mut [u8], tag: &[u8; 16]) -> bool {
        long::crypto_aead_xchacha20poly1305_ietf_decrypt_detached_inplace(
            message,
            tag,
            Some(aad),
            nonce,
            &KEY,
        )
        .is_ok()
    }
}

impl Mac for Dryoc {
    fn mac(&mut self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        let mut tag = [0; 16];
        crypto_onetimeauth(&mut tag, message, key);
        tag
    }
}

impl Secretstream for stream::State {
    fn restart(&mut self) {
        // Both ends start in the same state; this one takes a header that is given.
        stream::crypto_secretstream_xchacha20poly1305_init_pull(self, &HEADER, &KEY);
    }
    fn push(&mut self, message: &[u8], chunk: &mut [u8]) {
        stream::crypto_secretstream_xchacha20poly1305_push(self, chunk, message, None, 0)
            .expect("the lengths fit");
    }
    fn pull(&mut self, chunk: &[u8], message: &mut [u8]) -> bool {
        let mut tag = 0;
        stream::crypto_secretstream_xchacha20poly1305_pull(self, message, &mut tag, chunk, None)
            .is_ok()
    }
}
