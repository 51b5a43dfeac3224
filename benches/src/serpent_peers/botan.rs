//! Botan's C interface, of the library that Debian has: Serpent by blocks.

use super::BOTAN;
use crate::{
    Contestant, Operation,
    work::{self, Blocks, KEY},
};
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ptr,
};

#[link(name = "botan-2")]
unsafe extern "C" {
    fn botan_version_string() -> *const c_char;
    fn botan_block_cipher_init(cipher: *mut *mut c_void, name: *const c_char) -> c_int;
    fn botan_block_cipher_set_key(cipher: *mut c_void, key: *const u8, len: usize) -> c_int;
    fn botan_block_cipher_encrypt_blocks(
        cipher: *mut c_void,
        input: *const u8,
        output: *mut u8,
        blocks: usize,
    ) -> c_int;
    fn botan_block_cipher_decrypt_blocks(
        cipher: *mut c_void,
        input: *const u8,
        output: *mut u8,
        blocks: usize,
    ) -> c_int;
    fn botan_block_cipher_destroy(cipher: *mut c_void) -> c_int;
}

pub(super) fn version() -> String {
    // SAFETY: a static string.
    let version = unsafe { CStr::from_ptr(botan_version_string()) };
    version.to_string_lossy().into_owned()
}

pub(super) fn contestant(operation: Operation, size: usize) -> Option<Contestant> {
    let (call, work) = match operation {
        Operation::SerpentEncrypt => (
            "botan_block_cipher_encrypt_blocks",
            work::encrypt(size, Cipher::new()),
        ),
        Operation::SerpentDecrypt => (
            "botan_block_cipher_decrypt_blocks",
            work::decrypt(size, Cipher::new()),
        ),
        _ => return None,
    };
    Some(Contestant::new(BOTAN, call, operation, size, work))
}

/// A `botan_block_cipher_t` with its key.
struct Cipher(*mut c_void);

impl Cipher {
    fn new() -> Self {
        let mut cipher = ptr::null_mut();
        // SAFETY: a name that ends in NUL, a place for the object, a key and its length.
        let errors = unsafe {
            [
                botan_block_cipher_init(&raw mut cipher, c"Serpent".as_ptr()),
                botan_block_cipher_set_key(cipher, KEY.as_ptr(), KEY.len()),
            ]
        };
        assert_eq!(errors, [0, 0]);
        Cipher(cipher)
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: made by `new`, given back once.
        unsafe { botan_block_cipher_destroy(self.0) };
    }
}

impl Blocks for Cipher {
    fn encrypt(&mut self, blocks: &mut [[u8; 16]]) {
        let data = blocks.as_mut_ptr().cast();
        // SAFETY: in place is allowed; the count is that of the blocks.
        let error = unsafe { botan_block_cipher_encrypt_blocks(self.0, data, data, blocks.len()) };
        assert_eq!(error, 0);
    }
    fn decrypt(&mut self, blocks: &mut [[u8; 16]]) {
        let data = blocks.as_mut_ptr().cast();
        // SAFETY: in place is allowed; the count is that of the blocks.
        let error = unsafe { botan_block_cipher_decrypt_blocks(self.0, data, data, blocks.len()) };
        assert_eq!(error, 0);
    }
}
