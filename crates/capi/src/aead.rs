//! Single messages.

use crate::{
    error::ss55_error::{
        self, SS55_ERROR_AUTHENTICATION, SS55_ERROR_OVERLAP, SS55_ERROR_TOO_LONG, SS55_OK,
    },
    handle::guarded,
    memory::{self, array, input, output, overlap},
};
use ss55_aead::{Aad, Engine, InOutBuf, Key, MAX_MESSAGE_LEN, SimdEngine, Tag};
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// The engine, chosen once: a C caller has no object to keep it in.
pub(crate) fn engine() -> SimdEngine {
    static ENGINE: OnceLock<SimdEngine> = OnceLock::new();
    *ENGINE.get_or_init(SimdEngine::new)
}

/// The subkey and the 96-bit nonce that XChaCha20-Poly1305 goes on with (draft-irtf-cfrg-xchacha-03, 2.3).
pub(crate) fn extend(key: &Key, nonce: &[u8; 24]) -> (Key, [u8; 12]) {
    let (first, rest) = nonce.split_first_chunk().expect("24 >= 16");
    let mut short = [0; 12];
    short[4..].copy_from_slice(rest);
    let subkey = Zeroizing::new(engine().hchacha20(key.as_bytes(), first));
    (Key::from_bytes(*subkey), short)
}

/// A message to be sealed or opened, as the caller named it.
struct Message {
    ad: *const u8,
    ad_len: usize,
    from: *const u8,
    to: *mut u8,
    len: usize,
}

impl Message {
    /// What is written must be nowhere else, but that the message may be where its result goes.
    fn check(&self, mac: Option<*mut u8>) -> Result<(), ss55_error> {
        if self.len as u64 > MAX_MESSAGE_LEN {
            return Err(SS55_ERROR_TOO_LONG);
        }
        let Message {
            ad,
            ad_len,
            from,
            to,
            len,
        } = *self;
        let over_message = overlap(to, len, from, len) && !core::ptr::eq(to, from);
        let over_mac = mac.is_some_and(|mac| {
            [(from, len), (to.cast_const(), len), (ad, ad_len)]
                .iter()
                .any(|(other, len)| overlap(mac, Tag::LEN, *other, *len))
        });
        if over_message || over_mac || overlap(to, len, ad, ad_len) {
            return Err(SS55_ERROR_OVERLAP);
        }
        Ok(())
    }

    /// Ad and message as the engine wants them.
    ///
    /// # Safety
    /// The pointers are as the head of the header says, and were checked.
    unsafe fn parts<'a>(&self) -> Result<(&'a [u8], InOutBuf<'a, 'a, u8>), ss55_error> {
        // SAFETY: the caller vouches for the pointers. That `to` has the bytes of `from` or none of them was
        // checked, and a reference is made to one of them where they are the same.
        unsafe {
            let ad = input(self.ad, self.ad_len)?;
            let to = output(self.to, self.len)?;
            if core::ptr::eq(self.to, self.from) {
                return Ok((ad, to.into()));
            }
            let from = input(self.from, self.len)?;
            Ok((ad, InOutBuf::new(from, to).expect("of one length")))
        }
    }

    /// # Safety
    /// As [`parts`](Self::parts); `mac` is NULL or has room.
    unsafe fn seal(
        &self,
        key: &Key,
        nonce: &[u8; 12],
        mac: *mut u8,
    ) -> Result<ss55_error, ss55_error> {
        self.check(Some(mac))?;
        // SAFETY: the caller vouches for the pointers, and they were checked.
        unsafe {
            let place = output(mac, Tag::LEN)?;
            let (ad, buf) = self.parts()?;
            let tag = engine().seal(key.as_bytes(), nonce, Aad::from(ad), buf);
            place.copy_from_slice(tag.as_bytes());
        }
        Ok(SS55_OK)
    }

    /// # Safety
    /// As [`parts`](Self::parts); `mac` is NULL or has 16 bytes.
    unsafe fn open(
        &self,
        key: &Key,
        nonce: &[u8; 12],
        mac: *const u8,
    ) -> Result<ss55_error, ss55_error> {
        self.check(None)?;
        // SAFETY: the caller vouches for the pointers, and they were checked. The mac is copied before
        // anything is written.
        unsafe {
            let mac = Tag::from(array(mac)?);
            let (ad, buf) = self.parts()?;
            let opened = engine().open(key.as_bytes(), nonce, Aad::from(ad), buf, &mac);
            opened.map_err(|_| SS55_ERROR_AUTHENTICATION)?;
        }
        Ok(SS55_OK)
    }
}

/// ChaCha20-Poly1305 (RFC 8439, 2.8): encrypts `len` bytes from `plaintext` to `ciphertext` and puts their tag,
/// 16 bytes, at `mac`. `key` has 32 bytes. `nonce` has 12 and must never repeat under one key.
///
/// `ciphertext` may be `plaintext`. Otherwise what is written must overlap nothing.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_chacha20poly1305_seal(
    key: *const u8,
    nonce: *const u8,
    ad: *const u8,
    ad_len: usize,
    plaintext: *const u8,
    len: usize,
    ciphertext: *mut u8,
    mac: *mut u8,
) -> ss55_error {
    let message = Message {
        ad,
        ad_len,
        from: plaintext,
        to: ciphertext,
        len,
    };
    // SAFETY: the caller vouches for all pointers.
    guarded(|| unsafe {
        let key = memory::key(key)?;
        message.seal(&key, &array(nonce)?, mac)
    })
}

/// Checks `mac` and decrypts `len` bytes from `ciphertext` to `plaintext`, which may be the same. After
/// `SS55_ERROR_AUTHENTICATION` there are zeros at `plaintext`; until then nobody may read there.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_chacha20poly1305_open(
    key: *const u8,
    nonce: *const u8,
    ad: *const u8,
    ad_len: usize,
    ciphertext: *const u8,
    len: usize,
    mac: *const u8,
    plaintext: *mut u8,
) -> ss55_error {
    let message = Message {
        ad,
        ad_len,
        from: ciphertext,
        to: plaintext,
        len,
    };
    // SAFETY: the caller vouches for all pointers.
    guarded(|| unsafe {
        let key = memory::key(key)?;
        message.open(&key, &array(nonce)?, mac)
    })
}

/// XChaCha20-Poly1305: as `ss55_chacha20poly1305_seal`, but `nonce` has 24 bytes and may be random.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_xchacha20poly1305_seal(
    key: *const u8,
    nonce: *const u8,
    ad: *const u8,
    ad_len: usize,
    plaintext: *const u8,
    len: usize,
    ciphertext: *mut u8,
    mac: *mut u8,
) -> ss55_error {
    let message = Message {
        ad,
        ad_len,
        from: plaintext,
        to: ciphertext,
        len,
    };
    // SAFETY: the caller vouches for all pointers.
    guarded(|| unsafe {
        let (key, nonce) = extend(&memory::key(key)?, &array(nonce)?);
        message.seal(&key, &nonce, mac)
    })
}

/// XChaCha20-Poly1305: as `ss55_chacha20poly1305_open`, but `nonce` has 24 bytes.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_xchacha20poly1305_open(
    key: *const u8,
    nonce: *const u8,
    ad: *const u8,
    ad_len: usize,
    ciphertext: *const u8,
    len: usize,
    mac: *const u8,
    plaintext: *mut u8,
) -> ss55_error {
    let message = Message {
        ad,
        ad_len,
        from: ciphertext,
        to: plaintext,
        len,
    };
    // SAFETY: the caller vouches for all pointers.
    guarded(|| unsafe {
        let (key, nonce) = extend(&memory::key(key)?, &array(nonce)?);
        message.open(&key, &nonce, mac)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use sha2::{Digest, Sha256};

    type Seal = unsafe extern "C" fn(
        *const u8,
        *const u8,
        *const u8,
        usize,
        *const u8,
        usize,
        *mut u8,
        *mut u8,
    ) -> ss55_error;
    type Open = unsafe extern "C" fn(
        *const u8,
        *const u8,
        *const u8,
        usize,
        *const u8,
        usize,
        *const u8,
        *mut u8,
    ) -> ss55_error;

    #[derive(Deserialize)]
    struct Vector {
        key: String,
        nonce12: String,
        nonce24: String,
        aad: String,
        plaintext_len: usize,
        sha256_ct: String,
        tag: String,
        x_sha256_ct: String,
        x_tag: String,
    }

    #[derive(Deserialize)]
    struct File {
        vectors: Vec<Vector>,
    }

    /// The key, the nonce and what comes of them, in hexadecimal.
    struct Case<'a>(&'a str, &'a str, &'a str, &'a str);

    fn check(seal: Seal, open: Open, aad: &str, len: usize, case: &Case<'_>) {
        let Case(key, nonce, sha256, tag) = case;
        let (key, nonce) = (hex::decode(key).unwrap(), hex::decode(nonce).unwrap());
        let aad = hex::decode(aad).unwrap();
        let plaintext: Vec<u8> = (0..len).map(|i| (7 * i + 3) as u8).collect();
        let (mut ciphertext, mut mac) = (vec![0xee; len], [0xee; 16]);
        let (mut opened, mut in_place) = (vec![0xee; len], plaintext.clone());
        let (key, nonce) = (key.as_ptr(), nonce.as_ptr());
        let (ad, ad_len) = (aad.as_ptr(), aad.len());
        // SAFETY: all pointers are to the lengths that go with them.
        unsafe {
            let (from, to) = (plaintext.as_ptr(), ciphertext.as_mut_ptr());
            let sealed = seal(key, nonce, ad, ad_len, from, len, to, mac.as_mut_ptr());
            assert_eq!(sealed, SS55_OK);
            assert_eq!(hex::encode(Sha256::digest(&ciphertext)), *sha256, "{len}");
            assert_eq!(hex::encode(mac), *tag, "{len}");

            let (from, to) = (ciphertext.as_ptr(), opened.as_mut_ptr());
            let end = open(key, nonce, ad, ad_len, from, len, mac.as_ptr(), to);
            assert_eq!(end, SS55_OK);
            assert!(opened == plaintext, "{len}");

            let buf = in_place.as_mut_ptr();
            let sealed = seal(key, nonce, ad, ad_len, buf, len, buf, mac.as_mut_ptr());
            assert_eq!((sealed, hex::encode(mac)), (SS55_OK, (*tag).to_owned()));
            assert!(in_place == ciphertext, "{len}");
        }
    }

    #[test]
    fn vectors_of_the_oracle() {
        let json = include_str!("../../../testdata/aead.json");
        let file: File = serde_json::from_str(json).unwrap();
        assert_eq!(file.vectors.len(), 11);
        for v in &file.vectors {
            let (seal, open) = (ss55_chacha20poly1305_seal, ss55_chacha20poly1305_open);
            let case = Case(&v.key, &v.nonce12, &v.sha256_ct, &v.tag);
            check(seal, open, &v.aad, v.plaintext_len, &case);
            let (seal, open) = (ss55_xchacha20poly1305_seal, ss55_xchacha20poly1305_open);
            let case = Case(&v.key, &v.nonce24, &v.x_sha256_ct, &v.x_tag);
            check(seal, open, &v.aad, v.plaintext_len, &case);
        }
    }
}
