//! Segments by STREAM, of the crate aead-stream, over this crate's XChaCha20-Poly1305: what a program that
//! used RustCrypto's does, and the bytes it wrote.
//!
//! ```text
//! cargo run --example segments --features alloc
//! ```
//!
//! For new formats there are `ss55-wire` and `ss55-stream`: their frames need no buffer for a whole segment
//! and say themselves where they end.

use aead_stream::{DecryptorBE32, EncryptorBE32};
use ss55_aead::{XChaCha20Poly1305, aead};

fn main() -> Result<(), aead::Error> {
    let key = [7; 32].into();
    let nonce = [9; 19].into(); // 24 bytes less a counter of 4 and the mark of the last segment
    let (first, last) = (&b"attack "[..], &b"at dawn"[..]);

    let mut encryptor = EncryptorBE32::<XChaCha20Poly1305>::new(&key, &nonce);
    let segments = [
        encryptor.encrypt_next(first)?,
        encryptor.encrypt_last(last)?,
    ];

    let mut theirs = DecryptorBE32::<chacha20poly1305::XChaCha20Poly1305>::new(&key, &nonce);
    let mut text = theirs.decrypt_next(&segments[0][..])?;
    text.extend(theirs.decrypt_last(&segments[1][..])?);
    println!("RustCrypto reads: {}", String::from_utf8_lossy(&text));

    // Without its last segment the message is not whole, and that shows.
    let cut = DecryptorBE32::<XChaCha20Poly1305>::new(&key, &nonce);
    assert!(cut.decrypt_last(&segments[0][..]).is_err());
    println!("a cut message is refused");
    Ok(())
}
