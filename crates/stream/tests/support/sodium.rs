//! libsodium as the oracle, behind safe calls.
#![allow(dead_code)] // each test file takes what it needs

use libsodium_sys as sodium;
use std::{mem::MaybeUninit, ptr};

/// One side of a `crypto_secretstream_xchacha20poly1305` stream.
pub struct Secretstream(sodium::crypto_secretstream_xchacha20poly1305_state);

impl Secretstream {
    /// Either side of the stream with this header: both start from one state, and the function for
    /// the pulling side takes a header instead of making one.
    pub fn new(key: &[u8; 32], header: &[u8; 24]) -> Self {
        init();
        let mut state = MaybeUninit::uninit();
        // SAFETY: the function writes the whole state; header and key have the 24 and 32 bytes that
        // it reads.
        let state = unsafe {
            let rc = sodium::crypto_secretstream_xchacha20poly1305_init_pull(
                state.as_mut_ptr(),
                header.as_ptr(),
                key.as_ptr(),
            );
            assert_eq!(rc, 0);
            state.assume_init()
        };
        Secretstream(state)
    }

    pub fn push(&mut self, tag: u8, message: &[u8]) -> Vec<u8> {
        let mut chunk = vec![0; message.len() + 17];
        // SAFETY: chunk has the 17 bytes more than message that the function writes; message is
        // valid for its length; the ad is empty; both optional pointers may be null.
        let rc = unsafe {
            sodium::crypto_secretstream_xchacha20poly1305_push(
                &raw mut self.0,
                chunk.as_mut_ptr(),
                ptr::null_mut(),
                message.as_ptr(),
                message.len() as u64,
                ptr::null(),
                0,
                tag,
            )
        };
        assert_eq!(rc, 0);
        chunk
    }

    /// The tag and the message, or `None` where libsodium refuses the chunk.
    pub fn pull(&mut self, chunk: &[u8]) -> Option<(u8, Vec<u8>)> {
        let mut message = vec![0; chunk.len().saturating_sub(17)];
        let mut tag = 0xff;
        // SAFETY: message has the 17 bytes less than chunk that the function writes, and it writes
        // none for a chunk below 17; chunk is valid for its length; the ad is empty; the length's
        // pointer may be null.
        let rc = unsafe {
            sodium::crypto_secretstream_xchacha20poly1305_pull(
                &raw mut self.0,
                message.as_mut_ptr(),
                ptr::null_mut(),
                &raw mut tag,
                chunk.as_ptr(),
                chunk.len() as u64,
                ptr::null(),
                0,
            )
        };
        (rc == 0).then_some((tag, message))
    }
}

/// ChaCha20-Poly1305 of RFC 8439: the ciphertext and the mac behind it.
pub fn aead_seal(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], plaintext: &[u8]) -> Vec<u8> {
    init();
    let mut sealed = vec![0; plaintext.len() + 16];
    // SAFETY: sealed has the 16 bytes more than plaintext that the function writes; the slices are
    // valid for their lengths; nonce and key have 12 and 32 bytes; the length's pointer and the
    // secret nonce may be null.
    let rc = unsafe {
        sodium::crypto_aead_chacha20poly1305_ietf_encrypt(
            sealed.as_mut_ptr(),
            ptr::null_mut(),
            plaintext.as_ptr(),
            plaintext.len() as u64,
            aad.as_ptr(),
            aad.len() as u64,
            ptr::null(),
            nonce.as_ptr(),
            key.as_ptr(),
        )
    };
    assert_eq!(rc, 0);
    sealed
}

pub fn hchacha20(key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
    init();
    let mut out = [0; 32];
    // SAFETY: out, input and key have the 32, 16 and 32 bytes that the function documents; a null
    // constant selects "expand 32-byte k".
    let rc = unsafe {
        sodium::crypto_core_hchacha20(out.as_mut_ptr(), input.as_ptr(), key.as_ptr(), ptr::null())
    };
    assert_eq!(rc, 0);
    out
}

fn init() {
    // SAFETY: sodium_init may be called any number of times, from any thread.
    assert!(unsafe { sodium::sodium_init() } >= 0);
}
