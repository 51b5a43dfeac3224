//! The same operations by libsodium's own one-shot functions, and byte patterns.

use libsodium_sys as sodium;
use std::ptr::null;

pub const KEY: [u8; 32] = *b"\xa5\x5aa key for tests and no secret.";
pub const NONCE: [u8; 12] = *b"\xff\xff\xff\xffnonce 12";
pub const NONCE24: [u8; 24] = *b"\xff\xff\xff\xffa nonce of 24 bytes.";

/// `len` bytes of the shared vectors' pattern.
pub fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

/// Ciphertext and tag; 12 or 24 bytes of nonce say which AEAD.
pub fn seal(key: &[u8; 32], nonce: &[u8], aad: &[u8], message: &[u8]) -> (Vec<u8>, [u8; 16]) {
    init();
    let encrypt = match nonce.len() {
        12 => sodium::crypto_aead_chacha20poly1305_ietf_encrypt,
        24 => sodium::crypto_aead_xchacha20poly1305_ietf_encrypt,
        other => panic!("no AEAD has {other} bytes of nonce"),
    };
    let mut out = vec![0; message.len() + 16];
    let mut written = 0;
    // SAFETY: out has room for the message and a tag; message and aad are valid for their lengths;
    // nonce and key have the sizes of the function chosen.
    let status = unsafe {
        encrypt(
            out.as_mut_ptr(),
            &raw mut written,
            message.as_ptr(),
            message.len() as u64,
            aad.as_ptr(),
            aad.len() as u64,
            null(),
            nonce.as_ptr(),
            key.as_ptr(),
        )
    };
    assert_eq!((status, written), (0, out.len() as u64));
    split_tag(out)
}

/// One push of a secretstream in the state (key, nonce): frame tag as sent, ciphertext, mac.
pub fn push(
    key: &[u8; 32],
    nonce: &[u8; 12],
    ad: &[u8],
    frame_tag: u8,
    message: &[u8],
) -> (u8, Vec<u8>, [u8; 16]) {
    init();
    let mut state = sodium::crypto_secretstream_xchacha20poly1305_state {
        k: *key,
        nonce: *nonce,
        _pad: [0; 8],
    };
    let mut out = vec![0; message.len() + 17];
    let mut written = 0;
    // SAFETY: the state is initialized; out has room for message, frame tag and mac; message and ad
    // are valid for their lengths.
    let status = unsafe {
        sodium::crypto_secretstream_xchacha20poly1305_push(
            &raw mut state,
            out.as_mut_ptr(),
            &raw mut written,
            message.as_ptr(),
            message.len() as u64,
            ad.as_ptr(),
            ad.len() as u64,
            frame_tag,
        )
    };
    assert_eq!((status, written), (0, out.len() as u64));
    let (rest, mac) = split_tag(out);
    (rest[0], rest[1..].to_vec(), mac)
}

/// ChaCha20 of RFC 8439 from block `counter` on.
pub fn xor(key: &[u8; 32], nonce: &[u8; 12], counter: u32, data: &[u8]) -> Vec<u8> {
    init();
    let mut out = vec![0; data.len()];
    // SAFETY: out and data have the same length; nonce and key have 12 and 32 bytes.
    let status = unsafe {
        sodium::crypto_stream_chacha20_ietf_xor_ic(
            out.as_mut_ptr(),
            data.as_ptr(),
            data.len() as u64,
            nonce.as_ptr(),
            counter,
            key.as_ptr(),
        )
    };
    assert_eq!(status, 0);
    out
}

pub fn mac(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    init();
    let mut tag = [0; 16];
    // SAFETY: tag and key have 16 and 32 bytes; message is valid for its length.
    let status = unsafe {
        sodium::crypto_onetimeauth_poly1305(
            tag.as_mut_ptr(),
            message.as_ptr(),
            message.len() as u64,
            key.as_ptr(),
        )
    };
    assert_eq!(status, 0);
    tag
}

pub fn hchacha20(key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
    init();
    let mut out = [0; 32];
    // SAFETY: out, input and key have 32, 16 and 32 bytes; a null constant is the usual one.
    let status = unsafe {
        sodium::crypto_core_hchacha20(out.as_mut_ptr(), input.as_ptr(), key.as_ptr(), null())
    };
    assert_eq!(status, 0);
    out
}

/// The four notations of base64: both alphabets, with and without padding.
pub fn base64(bytes: &[u8; 32]) -> [String; 4] {
    let variants = [
        sodium::sodium_base64_VARIANT_ORIGINAL,
        sodium::sodium_base64_VARIANT_ORIGINAL_NO_PADDING,
        sodium::sodium_base64_VARIANT_URLSAFE,
        sodium::sodium_base64_VARIANT_URLSAFE_NO_PADDING,
    ];
    variants.map(|variant| {
        let mut text = [0_u8; 45];
        // SAFETY: text has room for 44 characters and a NUL; bytes are 32.
        let end = unsafe {
            sodium::sodium_bin2base64(
                text.as_mut_ptr().cast(),
                text.len(),
                bytes.as_ptr(),
                bytes.len(),
                variant.cast_signed(),
            )
        };
        assert!(!end.is_null());
        let text = text.split(|byte| *byte == 0).next().expect("a first part");
        String::from_utf8(text.to_vec()).expect("base64 is ASCII")
    })
}

fn split_tag(mut sealed: Vec<u8>) -> (Vec<u8>, [u8; 16]) {
    let tag = *sealed.last_chunk().expect("a tag at the end");
    sealed.truncate(sealed.len() - 16);
    (sealed, tag)
}

/// libsodium picks its implementations at its first initialization: before that is done, a call may
/// begin with one and end with another.
fn init() {
    // SAFETY: sodium_init may be called any number of times, from any thread.
    assert!(unsafe { sodium::sodium_init() } >= 0);
}
