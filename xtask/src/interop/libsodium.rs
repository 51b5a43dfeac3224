//! The C library's secretstream, as it is.
#![allow(unsafe_code)] // FFI

use anyhow::{Result, ensure};
use libsodium_sys as sodium;
use std::ffi::CStr;
use std::ptr;

pub const HEADER_LEN: usize = sodium::crypto_secretstream_xchacha20poly1305_HEADERBYTES as usize;
pub const OVERHEAD: usize = sodium::crypto_secretstream_xchacha20poly1305_ABYTES as usize;

pub const MESSAGE: u8 = sodium::crypto_secretstream_xchacha20poly1305_TAG_MESSAGE as u8;
pub const PUSH: u8 = sodium::crypto_secretstream_xchacha20poly1305_TAG_PUSH as u8;
pub const REKEY: u8 = sodium::crypto_secretstream_xchacha20poly1305_TAG_REKEY as u8;
pub const FINAL: u8 = MESSAGE | PUSH | REKEY;

type State = sodium::crypto_secretstream_xchacha20poly1305_state;

const ZEROED: State = State {
    k: [0; 32],
    nonce: [0; 12],
    _pad: [0; 8],
};

/// Starts the library; everything else here needs it to have been called.
///
/// # Errors
/// If it does not start.
pub fn start() -> Result<String> {
    // SAFETY: sodium_init may be called any number of times, from any thread.
    let status = unsafe { sodium::sodium_init() };
    ensure!(status >= 0, "libsodium does not start");
    // SAFETY: the function returns a C string that lives as long as the program.
    let version = unsafe { CStr::from_ptr(sodium::sodium_version_string()) };
    Ok(version.to_string_lossy().into_owned())
}

/// The side that encrypts.
pub struct Push(State);

impl Push {
    /// A new stream and its random header.
    pub fn new(key: &[u8; 32]) -> (Self, [u8; HEADER_LEN]) {
        let mut push = Push(ZEROED);
        let mut header = [0; HEADER_LEN];
        // SAFETY: header and key have the 24 and 32 bytes that the function documents.
        unsafe {
            sodium::crypto_secretstream_xchacha20poly1305_init_push(
                &raw mut push.0,
                header.as_mut_ptr(),
                key.as_ptr(),
            );
        }
        (push, header)
    }

    pub fn push(&mut self, tag: u8, ad: &[u8], message: &[u8]) -> Vec<u8> {
        let mut chunk = vec![0; message.len() + OVERHEAD];
        // SAFETY: chunk has room for the message and the overhead; the other pointers are valid for
        // the lengths beside them; the written length may be null.
        let status = unsafe {
            sodium::crypto_secretstream_xchacha20poly1305_push(
                &raw mut self.0,
                chunk.as_mut_ptr(),
                ptr::null_mut(),
                message.as_ptr(),
                message.len() as u64,
                ad.as_ptr(),
                ad.len() as u64,
                tag,
            )
        };
        assert_eq!(status, 0, "a push cannot fail");
        chunk
    }

    pub fn rekey(&mut self) {
        // SAFETY: the state is initialized.
        unsafe { sodium::crypto_secretstream_xchacha20poly1305_rekey(&raw mut self.0) };
    }

    /// Sets the chunk counter, the first four bytes of the nonce, to reach its end.
    pub fn set_counter(&mut self, counter: u32) {
        self.0.nonce[..4].copy_from_slice(&counter.to_le_bytes());
    }
}

/// The side that decrypts.
pub struct Pull(State);

impl Pull {
    pub fn new(key: &[u8; 32], header: &[u8; HEADER_LEN]) -> Self {
        let mut pull = Pull(ZEROED);
        // SAFETY: header and key have the 24 and 32 bytes that the function documents.
        unsafe {
            sodium::crypto_secretstream_xchacha20poly1305_init_pull(
                &raw mut pull.0,
                header.as_ptr(),
                key.as_ptr(),
            );
        }
        pull
    }

    /// The tag and the message of an authentic chunk.
    pub fn pull(&mut self, ad: &[u8], chunk: &[u8]) -> Option<(u8, Vec<u8>)> {
        let mut message = vec![0; chunk.len().checked_sub(OVERHEAD)?];
        let mut tag = 0;
        // SAFETY: message has room for the chunk without the overhead; the other pointers are valid
        // for the lengths beside them; the written length may be null.
        let status = unsafe {
            sodium::crypto_secretstream_xchacha20poly1305_pull(
                &raw mut self.0,
                message.as_mut_ptr(),
                ptr::null_mut(),
                &raw mut tag,
                chunk.as_ptr(),
                chunk.len() as u64,
                ad.as_ptr(),
                ad.len() as u64,
            )
        };
        (status == 0).then_some((tag, message))
    }

    pub fn rekey(&mut self) {
        // SAFETY: the state is initialized.
        unsafe { sodium::crypto_secretstream_xchacha20poly1305_rekey(&raw mut self.0) };
    }

    /// Sets the chunk counter, the first four bytes of the nonce, to reach its end.
    pub fn set_counter(&mut self, counter: u32) {
        self.0.nonce[..4].copy_from_slice(&counter.to_le_bytes());
    }
}
