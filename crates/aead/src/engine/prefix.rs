//! Where a chunk of secretstream ends when more bytes follow it: one pass, all lengths.

use super::{Engine, ZEROS, lengths, mac_key, padding16};
use crate::Tag;
use ss55_poly1305::Poly1305;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Bytes of the shortest authentic chunk that `bytes` begins with, its tag byte and mac included.
///
/// For whoever has to explain a failure: a chunk has no length of its own, and one with bytes behind
/// it fails like a forged one. A byte costs about as much as four blocks of MAC.
///
/// ```
/// use ss55_aead::{Engine, PortableEngine, secretstream_prefix};
///
/// let (key, nonce) = ([1; 32], [2; 12]);
/// let (mut tag, mut text) = (3, *b"the last chunk");
/// let mac = PortableEngine.secretstream_seal(&key, &nonce, b"ad", &mut tag, (&mut text[..]).into());
/// let chunk = [&[tag], &text[..], mac.as_bytes()].concat();
/// let longer = [&chunk[..], b"more"].concat();
///
/// let prefix = |ad, bytes| secretstream_prefix(&PortableEngine, &key, &nonce, ad, bytes);
/// assert_eq!(prefix(b"ad", &longer), Some(chunk.len()));
/// assert_eq!(prefix(b"ad", &chunk), Some(chunk.len()));
/// assert_eq!(prefix(b"ad", &chunk[..chunk.len() - 1]), None);
/// assert_eq!(prefix(b"da", &longer), None);
/// ```
pub fn secretstream_prefix<E: Engine + ?Sized>(
    engine: &E,
    key: &[u8; 32],
    nonce: &[u8; 12],
    ad: &[u8],
    bytes: &[u8],
) -> Option<usize> {
    let (frame_tag, rest) = bytes.split_first()?;
    let mut block = Zeroizing::new([0; 64]);
    engine.xor(key, nonce, 1, (&mut block[..]).into());
    block[0] = *frame_tag;
    // The MAC of the message so far, as `secretstream_tag` has it; for each length a copy is ended.
    let mut mac = Poly1305::new(&mac_key(engine, key, nonce));
    mac.update(ad);
    mac.update(padding16(ad.len()));
    mac.update(&block[..]);
    for (len, sent) in rest.windows(Tag::LEN).enumerate() {
        let mut ended = mac.clone();
        ended.update(&ZEROS[..len % 16]);
        ended.update(&lengths(ad.len(), 64 + len as u64));
        if ended.finalize().as_bytes().ct_eq(sent).into() {
            return Some(1 + len + Tag::LEN);
        }
        mac.update(&rest[len..=len]);
    }
    None
}
