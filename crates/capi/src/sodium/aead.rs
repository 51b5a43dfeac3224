//! `crypto_aead_xchacha20poly1305_ietf_*`.

use super::{Ad, FAILED, any_length, constants, length, moved, or_misuse};
use crate::{
    aead::{engine, extend},
    memory::{self, array, input, put},
};
use core::ffi::{c_int, c_ulonglong};
use ss55_aead::{Aad, Engine, Key, MAX_MESSAGE_LEN, Tag};

const NONCE_LEN: usize = 24;

constants! {
    crypto_aead_xchacha20poly1305_ietf_keybytes: usize = Key::LEN;
    crypto_aead_xchacha20poly1305_ietf_nsecbytes: usize = 0;
    crypto_aead_xchacha20poly1305_ietf_npubbytes: usize = NONCE_LEN;
    crypto_aead_xchacha20poly1305_ietf_abytes: usize = Tag::LEN;
    // What the header says: more than fits under one nonce in RFC 8439's terms, which is the limit here.
    crypto_aead_xchacha20poly1305_ietf_messagebytes_max: usize = usize::MAX - Tag::LEN;
}

/// Subkey and nonce.
///
/// # Safety
/// `npub` has 24 bytes and `k` 32, or they are NULL.
unsafe fn derive(npub: *const u8, k: *const u8) -> (Key, [u8; 12]) {
    // SAFETY: the caller vouches for both.
    let (nonce, key) = unsafe { (or_misuse(array(npub)), or_misuse(memory::key(k))) };
    extend(&key, &nonce)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_aead_xchacha20poly1305_ietf_keygen(k: *mut u8) {
    // SAFETY: libsodium's contract: k has room for a key.
    unsafe { super::random(k, Key::LEN) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
    c: *mut u8,
    mac: *mut u8,
    maclen_p: *mut c_ulonglong,
    m: *const u8,
    mlen: c_ulonglong,
    ad: *const u8,
    adlen: c_ulonglong,
    _nsec: *const u8,
    npub: *const u8,
    k: *const u8,
) -> c_int {
    // SAFETY: libsodium's contract: a message, an ad of these lengths, nonce and key; room for a ciphertext as
    // long as the message, a mac, and its length, unless NULL. The mac is written when nothing else is
    // needed any more.
    unsafe {
        let (len, ad_len) = (length(mlen, MAX_MESSAGE_LEN), any_length(adlen));
        let (key, nonce) = derive(npub, k);
        let ad = Ad::new(ad, ad_len, c, len);
        let buf = moved(m, c, len);
        let tag = engine().seal(key.as_bytes(), &nonce, Aad::from(ad.bytes()), buf);
        if mac.is_null() {
            super::misuse();
        }
        mac.copy_from(tag.as_bytes().as_ptr(), Tag::LEN);
        put(maclen_p, Tag::LEN as c_ulonglong);
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_aead_xchacha20poly1305_ietf_encrypt(
    c: *mut u8,
    clen_p: *mut c_ulonglong,
    m: *const u8,
    mlen: c_ulonglong,
    ad: *const u8,
    adlen: c_ulonglong,
    nsec: *const u8,
    npub: *const u8,
    k: *const u8,
) -> c_int {
    let len = length(mlen, MAX_MESSAGE_LEN);
    // SAFETY: libsodium's contract is that of the other function, with the mac behind the ciphertext.
    unsafe {
        let mac = c.wrapping_add(len);
        let none = core::ptr::null_mut();
        let done = crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
            c, mac, none, m, mlen, ad, adlen, nsec, npub, k,
        );
        put(clen_p, mlen + Tag::LEN as c_ulonglong);
        done
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
    m: *mut u8,
    _nsec: *mut u8,
    c: *const u8,
    clen: c_ulonglong,
    mac: *const u8,
    ad: *const u8,
    adlen: c_ulonglong,
    npub: *const u8,
    k: *const u8,
) -> c_int {
    // SAFETY: libsodium's contract: a ciphertext, an ad of these lengths, mac, nonce and key; room for a
    // message as long as the ciphertext, unless NULL. The slices of ciphertext and ad end before m is
    // written; mac, nonce and key are copied before.
    unsafe {
        let len = any_length(clen);
        let (key, nonce) = derive(npub, k);
        let tag = Tag::from(or_misuse(array(mac)));
        let ciphertext = or_misuse(input(c, len));
        let ad = Aad::from(or_misuse(input(ad, any_length(adlen))));
        let verified = engine().verify(key.as_bytes(), &nonce, ad, ciphertext, &tag);
        match (verified, m.is_null()) {
            (Ok(()), true) => 0,
            (Ok(()), false) => {
                engine().xor(key.as_bytes(), &nonce, 1, moved(c, m, len));
                0
            }
            (Err(_), true) => FAILED,
            (Err(_), false) => {
                m.write_bytes(0, len);
                FAILED
            }
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn crypto_aead_xchacha20poly1305_ietf_decrypt(
    m: *mut u8,
    mlen_p: *mut c_ulonglong,
    nsec: *mut u8,
    c: *const u8,
    clen: c_ulonglong,
    ad: *const u8,
    adlen: c_ulonglong,
    npub: *const u8,
    k: *const u8,
) -> c_int {
    let mut done = FAILED;
    let mut mlen = 0;
    if let Some(len) = clen.checked_sub(Tag::LEN as c_ulonglong) {
        let mac = c.wrapping_add(any_length(len));
        // SAFETY: libsodium's contract is that of the other function, with the mac behind the ciphertext.
        done = unsafe {
            crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
                m, nsec, c, len, mac, ad, adlen, npub, k,
            )
        };
        mlen = if done == 0 { len } else { 0 };
    }
    // SAFETY: libsodium's contract: a place, or NULL.
    unsafe { put(mlen_p, mlen) };
    done
}
