//! The tag by libsodium, and the byte pattern of the shared vectors.

use libsodium_sys as sodium;
use ss55_poly1305::Tag;

/// The largest r there is, and a secret s.
pub const LARGEST_R: [u8; 32] = {
    let mut key = [0xff; 32];
    let r = 0x0ffffffc_0ffffffc_0ffffffc_0fffffff_u128.to_le_bytes();
    let mut i = 0;
    while i < 16 {
        key[i] = r[i];
        key[16 + i] = (17 * i + 5) as u8;
        i += 1;
    }
    key
};

/// `len` bytes of the pattern.
pub fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

pub fn tag(key: &[u8; 32], message: &[u8]) -> Tag {
    init();
    let mut out = [0; 16];
    let len = message.len() as u64;
    // SAFETY: out and key have 16 and 32 bytes; message is valid for len bytes.
    let status = unsafe {
        sodium::crypto_onetimeauth_poly1305(out.as_mut_ptr(), message.as_ptr(), len, key.as_ptr())
    };
    assert_eq!(status, 0);
    out.into()
}

/// libsodium picks its implementations at its first initialization: before that is done, a call may
/// begin with one and end with another.
fn init() {
    // SAFETY: sodium_init may be called any number of times, from any thread.
    assert!(unsafe { sodium::sodium_init() } >= 0);
}
