//! The same constructions by libsodium: an alternative engine, and the oracle of the tests.
#![allow(unsafe_code)] // FFI

use super::{Engine, keystream_fits};
use crate::Tag;
use core::mem::MaybeUninit;
use inout::InOutBuf;
use libsodium_sys as sodium;

/// libsodium's ChaCha20 and Poly1305 (feature `libsodium`).
#[derive(Clone, Copy, Debug)]
pub struct SodiumEngine(());

impl SodiumEngine {
    /// Initializes the library, once per process.
    ///
    /// # Panics
    /// If libsodium cannot be initialized.
    pub fn new() -> Self {
        // SAFETY: sodium_init may be called any number of times, from any thread.
        assert!(unsafe { sodium::sodium_init() } >= 0, "sodium_init failed");
        SodiumEngine(())
    }
}

impl Default for SodiumEngine {
    fn default() -> Self {
        SodiumEngine::new()
    }
}

impl Engine for SodiumEngine {
    fn name(&self) -> &'static str {
        "libsodium"
    }

    fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
        let mut out = [0; 32];
        // SAFETY: out, input and key have the 32, 16 and 32 bytes that the function documents; a
        // null constant selects "expand 32-byte k".
        unsafe {
            sodium::crypto_core_hchacha20(
                out.as_mut_ptr(),
                input.as_ptr(),
                key.as_ptr(),
                core::ptr::null(),
            );
        }
        out
    }

    fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>) {
        let fits = keystream_fits(counter, buf.len());
        assert!(fits, "past the end of the keystream");
        let len = buf.len() as u64;
        let (input, output) = buf.into_raw();
        // SAFETY: both pointers are valid for len bytes and equal or disjoint (InOutBuf), which
        // libsodium allows; nonce and key have 12 and 32 bytes.
        unsafe {
            sodium::crypto_stream_chacha20_ietf_xor_ic(
                output,
                input,
                len,
                nonce.as_ptr(),
                counter,
                key.as_ptr(),
            );
        }
    }

    fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
        let mut state = MaybeUninit::<sodium::crypto_onetimeauth_state>::uninit();
        // SAFETY: init writes the whole state; key has 32 bytes.
        unsafe { sodium::crypto_onetimeauth_init(state.as_mut_ptr(), key.as_ptr()) };
        for part in parts {
            // SAFETY: the state is initialized; the slice is valid for its length.
            unsafe {
                sodium::crypto_onetimeauth_update(
                    state.as_mut_ptr(),
                    part.as_ptr(),
                    part.len() as u64,
                );
            }
        }
        let mut tag = [0; 16];
        // SAFETY: the state is initialized; tag has 16 bytes. final wipes the state.
        unsafe { sodium::crypto_onetimeauth_final(state.as_mut_ptr(), tag.as_mut_ptr()) };
        tag.into()
    }
}
