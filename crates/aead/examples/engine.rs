//! An engine of one's own: the AEADs of this crate, worked by RustCrypto's ChaCha20 and Poly1305 instead
//! of its kernels. An accelerator, an audited library or a counter of bytes goes in the same way.
//!
//! ```text
//! cargo run --example engine
//! ```

use chacha20::{
    ChaCha20, R20,
    cipher::{KeyIvInit, StreamCipher, StreamCipherSeek},
    hchacha,
};
use poly1305::{Poly1305, universal_hash::KeyInit};
use ss55_aead::{Aad, AuthenticationError, Engine, InOutBuf, Tag, XChaCha20Poly1305};

struct RustCrypto;

/// The required methods: the provided ones make AEADs and secretstream of them.
impl Engine for RustCrypto {
    fn name(&self) -> &'static str {
        "rustcrypto"
    }

    fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
        hchacha::<R20>(&(*key).into(), &(*input).into()).0
    }

    fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>) {
        let mut cipher = ChaCha20::new(&(*key).into(), &(*nonce).into());
        cipher.seek(u64::from(counter) * 64);
        cipher.apply_keystream_inout(buf);
    }

    fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
        let mac = Poly1305::new(&(*key).into());
        Tag::from(mac.compute_unpadded(&parts.concat()).0)
    }
}

fn main() -> Result<(), AuthenticationError> {
    let (key, nonce) = ([7; 32], [9; 24]);
    let message = b"one construction, whoever computes it";
    let mut ciphertext = *message;

    let theirs = XChaCha20Poly1305::with_engine(RustCrypto, &key);
    let tag = theirs.seal_in_place_detached(&nonce, Aad::from(b"v1"), &mut ciphertext);

    let ours = XChaCha20Poly1305::new(&key);
    let mut plaintext = ciphertext;
    ours.open_in_place_detached(&nonce, Aad::from(b"v1"), &mut plaintext, &tag)?;
    assert_eq!(&plaintext, message);

    println!(
        "sealed by {}: {} bytes",
        theirs.engine().name(),
        message.len()
    );
    println!("opened: {}", String::from_utf8_lossy(&plaintext));
    Ok(())
}
