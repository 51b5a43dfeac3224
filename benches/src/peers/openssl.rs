//! OpenSSL through EVP: ciphers fetched once, contexts and keys kept.
#![allow(unsafe_code)] // FFI

use super::Entry;
use crate::{
    Operation,
    work::{self, Aead, Cipher, KEY, Mac},
};
use openssl_sys as ffi;
use std::{
    ffi::{CStr, c_int},
    ptr::{null, null_mut},
};

/// `OPENSSL_VERSION_STRING`: the number alone.
const VERSION_STRING: c_int = 6;

pub(super) fn version() -> String {
    // SAFETY: it gives a static C string.
    let version = unsafe { CStr::from_ptr(ffi::OpenSSL_version(VERSION_STRING)) };
    version.to_string_lossy().into_owned()
}

pub(super) fn entry(operation: Operation, size: usize) -> Entry {
    Some(match operation {
        Operation::Seal => (
            "EVP_EncryptInit_ex (nonce), EVP_EncryptUpdate (AAD), EVP_EncryptUpdate, \
             EVP_EncryptFinal_ex, EVP_CIPHER_CTX_ctrl (get tag)",
            work::seal(size, Evp::new(c"ChaCha20-Poly1305")),
        ),
        Operation::Open => (
            "EVP_DecryptInit_ex (nonce), EVP_CIPHER_CTX_ctrl (set tag), EVP_DecryptUpdate (AAD), \
             EVP_DecryptUpdate, EVP_DecryptFinal_ex",
            work::open(size, Evp::new(c"ChaCha20-Poly1305")),
        ),
        Operation::Chacha20 => (
            "EVP_EncryptInit_ex (nonce), EVP_EncryptUpdate",
            work::xor(size, Evp::new(c"ChaCha20")),
        ),
        Operation::Poly1305 => (
            "EVP_MAC_init, EVP_MAC_update, EVP_MAC_final",
            work::mac(size, EvpMac::new()),
        ),
        _ => return None,
    })
}

/// Two contexts with the key set: turning one from sealing to opening would cost a key setup.
struct Evp {
    encrypt: *mut ffi::EVP_CIPHER_CTX,
    decrypt: *mut ffi::EVP_CIPHER_CTX,
}

impl Evp {
    fn new(name: &CStr) -> Self {
        ffi::init();
        // SAFETY: name is a C string; a null library context and null properties are the defaults. A
        // context keeps its own reference to the cipher, which can be freed here. KEY has the 32
        // bytes that both ciphers take.
        unsafe {
            let cipher = ffi::EVP_CIPHER_fetch(null_mut(), name.as_ptr(), null());
            assert!(!cipher.is_null(), "OpenSSL lacks {name:?}");
            let encrypt = ffi::EVP_CIPHER_CTX_new();
            let decrypt = ffi::EVP_CIPHER_CTX_new();
            assert!(!encrypt.is_null() && !decrypt.is_null(), "out of memory");
            let (key, no_nonce) = (KEY.as_ptr(), null());
            expect(ffi::EVP_EncryptInit_ex(
                encrypt,
                cipher,
                null_mut(),
                key,
                no_nonce,
            ));
            expect(ffi::EVP_DecryptInit_ex(
                decrypt,
                cipher,
                null_mut(),
                key,
                no_nonce,
            ));
            ffi::EVP_CIPHER_free(cipher);
            Evp { encrypt, decrypt }
        }
    }
}

impl Drop for Evp {
    fn drop(&mut self) {
        // SAFETY: both are contexts that nobody else has.
        unsafe {
            ffi::EVP_CIPHER_CTX_free(self.encrypt);
            ffi::EVP_CIPHER_CTX_free(self.decrypt);
        }
    }
}

impl Aead<12> for Evp {
    fn seal(&mut self, nonce: &[u8; 12], aad: &[u8], message: &mut [u8]) -> [u8; 16] {
        let ctx = self.encrypt;
        let mut tag = [0; 16];
        let (mut len, text) = (0, message.as_mut_ptr());
        // SAFETY: ctx is an initialized ChaCha20-Poly1305 context, whose nonce has 12 bytes and whose
        // tag has 16; aad and text are valid for their lengths, and text may be both input and output.
        // final writes nothing for a stream cipher.
        unsafe {
            expect(ffi::EVP_EncryptInit_ex(
                ctx,
                null(),
                null_mut(),
                null(),
                nonce.as_ptr(),
            ));
            let aad_len = int(aad.len());
            expect(ffi::EVP_EncryptUpdate(
                ctx,
                null_mut(),
                &raw mut len,
                aad.as_ptr(),
                aad_len,
            ));
            let text_len = int(message.len());
            expect(ffi::EVP_EncryptUpdate(
                ctx,
                text,
                &raw mut len,
                text,
                text_len,
            ));
            expect(ffi::EVP_EncryptFinal_ex(ctx, text, &raw mut len));
            let tag = tag.as_mut_ptr().cast();
            // The same number for every AEAD; only its name says GCM.
            expect(ffi::EVP_CIPHER_CTX_ctrl(
                ctx,
                ffi::EVP_CTRL_GCM_GET_TAG,
                16,
                tag,
            ));
        }
        tag
    }

    fn open(&mut self, nonce: &[u8; 12], aad: &[u8], message: &mut [u8], tag: &[u8; 16]) -> bool {
        let ctx = self.decrypt;
        let (mut len, text) = (0, message.as_mut_ptr());
        // SAFETY: as in seal; setting a tag only reads it.
        unsafe {
            expect(ffi::EVP_DecryptInit_ex(
                ctx,
                null(),
                null_mut(),
                null(),
                nonce.as_ptr(),
            ));
            let tag = tag.as_ptr().cast_mut().cast();
            expect(ffi::EVP_CIPHER_CTX_ctrl(
                ctx,
                ffi::EVP_CTRL_GCM_SET_TAG,
                16,
                tag,
            ));
            let aad_len = int(aad.len());
            expect(ffi::EVP_DecryptUpdate(
                ctx,
                null_mut(),
                &raw mut len,
                aad.as_ptr(),
                aad_len,
            ));
            let text_len = int(message.len());
            expect(ffi::EVP_DecryptUpdate(
                ctx,
                text,
                &raw mut len,
                text,
                text_len,
            ));
            ffi::EVP_DecryptFinal_ex(ctx, text, &raw mut len) == 1
        }
    }
}

impl Cipher for Evp {
    fn xor(&mut self, nonce: &[u8; 12], message: &mut [u8]) {
        // Block counter 0, then the nonce.
        let mut row = [0; 16];
        row[4..].copy_from_slice(nonce);
        let (mut len, text) = (0, message.as_mut_ptr());
        let text_len = int(message.len());
        // SAFETY: encrypt is an initialized ChaCha20 context, whose IV has 16 bytes; text is valid for
        // its length and may be both input and output.
        unsafe {
            expect(ffi::EVP_EncryptInit_ex(
                self.encrypt,
                null(),
                null_mut(),
                null(),
                row.as_ptr(),
            ));
            expect(ffi::EVP_EncryptUpdate(
                self.encrypt,
                text,
                &raw mut len,
                text,
                text_len,
            ));
        }
    }
}

struct EvpMac(*mut ffi::EVP_MAC_CTX);

impl EvpMac {
    fn new() -> Self {
        ffi::init();
        // SAFETY: as in Evp::new.
        unsafe {
            let mac = ffi::EVP_MAC_fetch(null_mut(), c"POLY1305".as_ptr(), null());
            assert!(!mac.is_null(), "OpenSSL lacks Poly1305");
            let ctx = ffi::EVP_MAC_CTX_new(mac);
            assert!(!ctx.is_null(), "out of memory");
            ffi::EVP_MAC_free(mac);
            EvpMac(ctx)
        }
    }
}

impl Drop for EvpMac {
    fn drop(&mut self) {
        // SAFETY: a context that nobody else has.
        unsafe { ffi::EVP_MAC_CTX_free(self.0) }
    }
}

impl Mac for EvpMac {
    fn mac(&mut self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        let mut tag = [0; 16];
        let mut len = 0;
        // SAFETY: the context is one of Poly1305; key, message and tag are valid for their lengths.
        unsafe {
            expect(ffi::EVP_MAC_init(self.0, key.as_ptr(), 32, null()));
            expect(ffi::EVP_MAC_update(self.0, message.as_ptr(), message.len()));
            expect(ffi::EVP_MAC_final(
                self.0,
                tag.as_mut_ptr(),
                &raw mut len,
                16,
            ));
        }
        tag
    }
}

/// Checks what an EVP function returns.
fn expect(result: c_int) {
    assert_eq!(result, 1, "OpenSSL failed");
}

fn int(len: usize) -> c_int {
    len.try_into().expect("no message is that long")
}
