//! libsodium, built with its `--enable-opt`.
#![allow(unsafe_code)] // FFI

use super::Entry;
use crate::{
    Operation,
    work::{self, Aead, Cipher, HEADER, KEY, Mac, Secretstream},
};
use libsodium_sys as sodium;
use std::{
    ffi::CStr,
    mem::MaybeUninit,
    ptr::{null, null_mut},
};

pub(super) fn version() -> String {
    // SAFETY: it gives a static C string.
    let version = unsafe { CStr::from_ptr(sodium::sodium_version_string()) };
    version.to_string_lossy().into_owned()
}

pub(super) fn entry(operation: Operation, size: usize) -> Entry {
    let sodium = Sodium::new();
    Some(match operation {
        Operation::Seal => (
            "crypto_aead_chacha20poly1305_ietf_encrypt_detached",
            work::seal::<12>(size, sodium),
        ),
        Operation::Open => (
            "crypto_aead_chacha20poly1305_ietf_decrypt_detached",
            work::open::<12>(size, sodium),
        ),
        Operation::XSeal => (
            "crypto_aead_xchacha20poly1305_ietf_encrypt_detached",
            work::seal::<24>(size, sodium),
        ),
        Operation::XOpen => (
            "crypto_aead_xchacha20poly1305_ietf_decrypt_detached",
            work::open::<24>(size, sodium),
        ),
        Operation::Push => (
            "crypto_secretstream_xchacha20poly1305_push",
            work::push(size, State::new(sodium)),
        ),
        Operation::Pull => (
            "crypto_secretstream_xchacha20poly1305_pull",
            work::pull(size, State::new(sodium)),
        ),
        Operation::Chacha20 => (
            "crypto_stream_chacha20_ietf_xor_ic",
            work::xor(size, sodium),
        ),
        Operation::Poly1305 => ("crypto_onetimeauth_poly1305", work::mac(size, sodium)),
        Operation::Write
        | Operation::Read
        | Operation::SerpentEncrypt
        | Operation::SerpentDecrypt
        | Operation::SerpentXts => return None,
    })
}

/// Proves that the library is initialized: it has then chosen its kernels.
struct Sodium(());

impl Sodium {
    fn new() -> Self {
        // SAFETY: sodium_init may be called any number of times, from any thread.
        assert!(unsafe { sodium::sodium_init() } >= 0, "sodium_init failed");
        Sodium(())
    }
}

macro_rules! aead {
    ($nonce_len:literal, $encrypt:ident, $decrypt:ident) => {
        impl Aead<$nonce_len> for Sodium {
            fn seal(
                &mut self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                message: &mut [u8],
            ) -> [u8; 16] {
                let mut tag = [0; 16];
                let text = message.as_mut_ptr();
                // SAFETY: text and aad are valid for their lengths, text may be both input and
                // output; tag, nonce and key have the lengths that the function documents; the
                // length of the tag is not asked for, and there is no secret nonce.
                unsafe {
                    sodium::$encrypt(
                        text,
                        tag.as_mut_ptr(),
                        null_mut(),
                        text,
                        message.len() as u64,
                        aad.as_ptr(),
                        aad.len() as u64,
                        null(),
                        nonce.as_ptr(),
                        KEY.as_ptr(),
                    );
                }
                tag
            }
            fn open(
                &mut self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                message: &mut [u8],
                tag: &[u8; 16],
            ) -> bool {
                let text = message.as_mut_ptr();
                // SAFETY: as in seal.
                let result = unsafe {
                    sodium::$decrypt(
                        text,
                        null_mut(),
                        text,
                        message.len() as u64,
                        tag.as_ptr(),
                        aad.as_ptr(),
                        aad.len() as u64,
                        nonce.as_ptr(),
                        KEY.as_ptr(),
                    )
                };
                result == 0
            }
        }
    };
}

aead!(
    12,
    crypto_aead_chacha20poly1305_ietf_encrypt_detached,
    crypto_aead_chacha20poly1305_ietf_decrypt_detached
);
aead!(
    24,
    crypto_aead_xchacha20poly1305_ietf_encrypt_detached,
    crypto_aead_xchacha20poly1305_ietf_decrypt_detached
);

impl Cipher for Sodium {
    fn xor(&mut self, nonce: &[u8; 12], message: &mut [u8]) {
        let text = message.as_mut_ptr();
        // SAFETY: text is valid for its length and may be both input and output; nonce and key have
        // 12 and 32 bytes.
        unsafe {
            sodium::crypto_stream_chacha20_ietf_xor_ic(
                text,
                text,
                message.len() as u64,
                nonce.as_ptr(),
                0,
                KEY.as_ptr(),
            );
        }
    }
}

impl Mac for Sodium {
    fn mac(&mut self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        let mut tag = [0; 16];
        // SAFETY: message is valid for its length; tag and key have 16 and 32 bytes.
        unsafe {
            sodium::crypto_onetimeauth_poly1305(
                tag.as_mut_ptr(),
                message.as_ptr(),
                message.len() as u64,
                key.as_ptr(),
            );
        }
        tag
    }
}

struct State {
    state: sodium::crypto_secretstream_xchacha20poly1305_state,
    library: Sodium,
}

impl State {
    fn new(library: Sodium) -> Self {
        let mut state = MaybeUninit::uninit();
        // SAFETY: init_pull writes the whole state; header and key have 24 and 32 bytes. Both ends
        // start in the same state; this one takes a header that is given.
        let state = unsafe {
            sodium::crypto_secretstream_xchacha20poly1305_init_pull(
                state.as_mut_ptr(),
                HEADER.as_ptr(),
                KEY.as_ptr(),
            );
            state.assume_init()
        };
        State { state, library }
    }
}

impl Secretstream for State {
    fn restart(&mut self) {
        let Sodium(()) = self.library;
        *self = State::new(Sodium(()));
    }
    fn push(&mut self, message: &[u8], chunk: &mut [u8]) {
        assert_eq!(chunk.len(), message.len() + 17);
        // SAFETY: message is valid for its length and chunk for 17 bytes more, disjoint; the length
        // is not asked for, and there is no ad.
        unsafe {
            sodium::crypto_secretstream_xchacha20poly1305_push(
                &raw mut self.state,
                chunk.as_mut_ptr(),
                null_mut(),
                message.as_ptr(),
                message.len() as u64,
                null(),
                0,
                0,
            );
        }
    }
    fn pull(&mut self, chunk: &[u8], message: &mut [u8]) -> bool {
        assert_eq!(chunk.len(), message.len() + 17);
        let mut tag = 0;
        // SAFETY: as in push; tag is one byte.
        let result = unsafe {
            sodium::crypto_secretstream_xchacha20poly1305_pull(
                &raw mut self.state,
                message.as_mut_ptr(),
                null_mut(),
                &raw mut tag,
                chunk.as_ptr(),
                chunk.len() as u64,
                null(),
                0,
            )
        };
        result == 0
    }
}
