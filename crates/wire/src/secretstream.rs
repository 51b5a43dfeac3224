//! libsodium's `crypto_secretstream_xchacha20poly1305`, bit for bit: any chunk length, ad, all tags,
//! rekeying.
//!
//! ```text
//! header   24 bytes, random
//! chunk    tag 1, encrypted | ciphertext N | mac 16                        N + 17 bytes
//! ```
//!
//! A chunk carries no length: whoever stores chunks gives them one, or a fixed size as [`layout`]
//! does. Each chunk's nonce depends on the mac of the one before, so chunks open in order only.
//! Source: libsodium's documentation, "Encrypted streams and file encryption", and its behaviour.

use crate::{
    Error,
    frames::{self, pair},
};
use ss55_aead::{Engine, InOutBuf, Key, MAX_SECRETSTREAM_LEN, SimdEngine, secretstream_prefix};
use zeroize::Zeroizing;

pub mod layout;

/// Bytes of the header.
pub const HEADER_LEN: usize = 24;
/// Bytes of a chunk's nonce: the counter, little-endian, and 8 that depend on the header and on all macs
/// before it.
pub const NONCE_LEN: usize = 12;
/// Bytes of the mac, behind the ciphertext.
pub const MAC_LEN: usize = frames::MAC_LEN;
/// Bytes that a chunk has more than its message: the tag and the mac.
pub const OVERHEAD: usize = 1 + MAC_LEN;
/// Bytes of plaintext in a full chunk of WAL-G's layout.
pub const DEFAULT_CHUNK: usize = 8192;
/// The byte of [`Tag::MESSAGE`].
pub const TAG_MESSAGE: u8 = 0;
/// The byte of [`Tag::PUSH`].
pub const TAG_PUSH: u8 = 1;
/// The byte of [`Tag::REKEY`].
pub const TAG_REKEY: u8 = 2;
/// The byte of [`Tag::FINAL`].
pub const TAG_FINAL: u8 = 3;

/// What a chunk means; authenticated and encrypted with it. Any byte is possible, four have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(pub u8);

impl Tag {
    /// Nothing in particular.
    pub const MESSAGE: Tag = Tag(TAG_MESSAGE);
    /// The end of a set of messages.
    pub const PUSH: Tag = Tag(TAG_PUSH);
    /// The next chunk comes under a new key.
    pub const REKEY: Tag = Tag(TAG_REKEY);
    /// The end of the stream.
    pub const FINAL: Tag = Tag(TAG_FINAL);

    /// Whether the key changes after this chunk: the bit 2, which FINAL has too.
    const fn rekeys(self) -> bool {
        self.0 & TAG_REKEY != 0
    }
}

/// What goes before and behind a message that was sealed in place.
#[must_use = "without its tag and mac the message is lost"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SealedChunk {
    /// Goes before the ciphertext: the encrypted tag.
    pub tag: u8,
    /// Goes behind it.
    pub mac: [u8; MAC_LEN],
}

/// The side that seals. The key is wiped on drop.
pub struct PushState<E = SimdEngine>(State<E>);

impl<E: Engine> PushState<E> {
    /// The state at the first chunk of the stream with this header, which is 24 random bytes, never
    /// used for another stream under the same key.
    pub fn new(engine: E, key: &Key, header: &[u8; HEADER_LEN]) -> Self {
        PushState(State::new(engine, key, header))
    }

    /// Encrypts `buf` in place as the next chunk.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] above [`MAX_SECRETSTREAM_LEN`] bytes; `buf` is then as before.
    pub fn push_in_place(
        &mut self,
        tag: Tag,
        ad: &[u8],
        buf: &mut [u8],
    ) -> Result<SealedChunk, Error> {
        self.0.push(tag, ad, buf.into())
    }

    /// Writes the next chunk, whole, to `chunk`, which has [`OVERHEAD`] bytes more than `message`.
    ///
    /// # Errors
    /// [`Error::BufferSize`], [`Error::MessageTooLong`]; `chunk` is then as before.
    pub fn push_to(
        &mut self,
        tag: Tag,
        ad: &[u8],
        message: &[u8],
        chunk: &mut [u8],
    ) -> Result<(), Error> {
        let (first, rest) = chunk.split_first_mut().ok_or(Error::BufferSize)?;
        let (ciphertext, mac) = rest.split_last_chunk_mut().ok_or(Error::BufferSize)?;
        let sealed = self.0.push(tag, ad, pair(message, ciphertext)?)?;
        *first = sealed.tag;
        *mac = sealed.mac;
        Ok(())
    }

    /// The state at the chunk that comes next after those whose [`parts`](Self::parts) these are.
    pub fn from_parts(engine: E, key: &Key, nonce: &[u8; NONCE_LEN]) -> Self {
        PushState(State::from_parts(engine, key, nonce))
    }

    /// What there is to keep of a state: the key, secret, and the nonce of the next chunk. Two chunks under
    /// the same parts give both away.
    pub fn parts(&self) -> (&Key, [u8; NONCE_LEN]) {
        (&self.0.key, self.0.nonce())
    }

    /// Changes the key now, without a word on the wire: the other side must do the same here.
    pub fn rekey(&mut self) {
        self.0.rekey();
    }

    /// Sets the chunk counter, to reach its end in a test.
    #[doc(hidden)]
    pub fn set_counter(&mut self, counter: u32) {
        self.0.counter = counter;
    }
}

/// The side that opens. The key is wiped on drop.
///
/// As in libsodium, a chunk that fails changes nothing: the right one opens afterwards.
#[derive(Clone)]
pub struct PullState<E = SimdEngine>(State<E>);

impl<E: Engine> PullState<E> {
    /// The state at the first chunk of the stream with this header.
    pub fn new(engine: E, key: &Key, header: &[u8; HEADER_LEN]) -> Self {
        PullState(State::new(engine, key, header))
    }

    /// Decrypts `chunk` in place and returns its tag and its message.
    ///
    /// # Errors
    /// [`Error::Authentication`]: `chunk` then holds no plaintext. [`Error::Truncated`] below
    /// [`OVERHEAD`] bytes.
    pub fn pull_in_place<'a>(
        &mut self,
        ad: &[u8],
        chunk: &'a mut [u8],
    ) -> Result<(Tag, &'a mut [u8]), Error> {
        let (tag, rest) = chunk.split_first_mut().ok_or(Error::Truncated)?;
        let (ciphertext, mac) = rest.split_last_chunk_mut().ok_or(Error::Truncated)?;
        let tag = self.0.pull(ad, *tag, ciphertext.into(), mac)?;
        Ok((tag, ciphertext))
    }

    /// Decrypts `chunk` to `message`, which has [`OVERHEAD`] bytes less, and returns its tag.
    ///
    /// # Errors
    /// As [`pull_in_place`](Self::pull_in_place), or [`Error::BufferSize`]; after
    /// [`Error::Authentication`] `message` is all zeros.
    pub fn pull_to(&mut self, ad: &[u8], chunk: &[u8], message: &mut [u8]) -> Result<Tag, Error> {
        let (tag, rest) = chunk.split_first().ok_or(Error::Truncated)?;
        let (ciphertext, mac) = rest.split_last_chunk().ok_or(Error::Truncated)?;
        self.0.pull(ad, *tag, pair(ciphertext, message)?, mac)
    }

    /// Checks `chunk` and decrypts nothing yet: for a message that goes where it overlaps the chunk, or
    /// into memory that nothing unauthenticated may touch.
    ///
    /// Two passes over the chunk, where the other ways have one on the engines that can do both at once.
    ///
    /// # Errors
    /// [`Error::Authentication`], or [`Error::Truncated`] below [`OVERHEAD`] bytes.
    pub fn verify(&mut self, ad: &[u8], chunk: &[u8]) -> Result<Verified<'_, E>, Error> {
        let (tag, rest) = chunk.split_first().ok_or(Error::Truncated)?;
        let (ciphertext, mac) = rest.split_last_chunk().ok_or(Error::Truncated)?;
        let state = &mut self.0;
        let tag = state.engine.secretstream_verify(
            state.key.as_bytes(),
            &state.nonce(),
            ad,
            *tag,
            ciphertext,
            &(*mac).into(),
        )?;
        Ok(Verified {
            state,
            tag: Tag(tag),
            mac: *mac,
            len: ciphertext.len(),
        })
    }

    /// The state at the chunk that comes next after those whose [`parts`](Self::parts) these are.
    pub fn from_parts(engine: E, key: &Key, nonce: &[u8; NONCE_LEN]) -> Self {
        PullState(State::from_parts(engine, key, nonce))
    }

    /// What there is to keep of a state: the key, secret, and the nonce of the next chunk.
    pub fn parts(&self) -> (&Key, [u8; NONCE_LEN]) {
        (&self.0.key, self.0.nonce())
    }

    /// Changes the key now, as the other side did.
    pub fn rekey(&mut self) {
        self.0.rekey();
    }

    /// Sets the chunk counter, to reach its end in a test.
    #[doc(hidden)]
    pub fn set_counter(&mut self, counter: u32) {
        self.0.counter = counter;
    }
}

/// An authentic chunk that is not decrypted yet, and the state that waits for it.
#[must_use = "the state has not moved on"]
pub struct Verified<'a, E> {
    state: &'a mut State<E>,
    tag: Tag,
    mac: [u8; MAC_LEN],
    /// Bytes of its ciphertext.
    len: usize,
}

impl<E: Engine> Verified<'_, E> {
    /// Decrypts the chunk's ciphertext, which is what lies between its tag and its mac, and moves the state
    /// on. Returns the chunk's tag.
    ///
    /// # Errors
    /// [`Error::BufferSize`] for another length than the chunk had; nothing has changed then.
    pub fn decrypt(self, ciphertext: InOutBuf<'_, '_, u8>) -> Result<Tag, Error> {
        if ciphertext.len() != self.len {
            return Err(Error::BufferSize);
        }
        let state = self.state;
        state
            .engine
            .xor(state.key.as_bytes(), &state.nonce(), 2, ciphertext);
        state.advance(self.tag, &self.mac);
        Ok(self.tag)
    }
}

/// What both sides keep.
#[derive(Clone)]
struct State<E> {
    engine: E,
    key: Key,
    /// Counts the chunks under this key from 1; its wrap to 0 changes the key.
    counter: u32,
    /// The other 8 bytes of the nonce: from the header, then XORed with each mac.
    inonce: [u8; 8],
}

impl<E: Engine> State<E> {
    fn new(engine: E, key: &Key, header: &[u8; HEADER_LEN]) -> Self {
        let (input, inonce) = header.split_first_chunk().expect("24 >= 16");
        State {
            key: Key::from_bytes(*Zeroizing::new(engine.hchacha20(key.as_bytes(), input))),
            engine,
            counter: 1,
            inonce: inonce.try_into().expect("24 - 16 = 8"),
        }
    }

    fn from_parts(engine: E, key: &Key, nonce: &[u8; NONCE_LEN]) -> Self {
        let (counter, inonce) = nonce.split_first_chunk().expect("12 >= 4");
        State {
            engine,
            key: key.clone(),
            counter: u32::from_le_bytes(*counter),
            inonce: inonce.try_into().expect("12 - 4 = 8"),
        }
    }

    fn nonce(&self) -> [u8; NONCE_LEN] {
        let mut nonce = [0; NONCE_LEN];
        nonce[..4].copy_from_slice(&self.counter.to_le_bytes());
        nonce[4..].copy_from_slice(&self.inonce);
        nonce
    }

    fn push(
        &mut self,
        tag: Tag,
        ad: &[u8],
        buf: InOutBuf<'_, '_, u8>,
    ) -> Result<SealedChunk, Error> {
        check_len(buf.len() as u64)?;
        let mut tag_byte = tag.0;
        let mac = self
            .engine
            .secretstream_seal(self.key.as_bytes(), &self.nonce(), ad, &mut tag_byte, buf)
            .into();
        self.advance(tag, &mac);
        Ok(SealedChunk { tag: tag_byte, mac })
    }

    fn pull(
        &mut self,
        ad: &[u8],
        tag_byte: u8,
        buf: InOutBuf<'_, '_, u8>,
        mac: &[u8; MAC_LEN],
    ) -> Result<Tag, Error> {
        let mut tag = tag_byte;
        self.engine.secretstream_open(
            self.key.as_bytes(),
            &self.nonce(),
            ad,
            &mut tag,
            buf,
            &(*mac).into(),
        )?;
        self.advance(Tag(tag), mac);
        Ok(Tag(tag))
    }

    /// What the tag byte reads as, authentic or not. To explain a failure, never to decide anything.
    fn peek(&self, tag_byte: u8) -> Tag {
        let mut byte = [tag_byte];
        let buf = (&mut byte[..]).into();
        self.engine.xor(self.key.as_bytes(), &self.nonce(), 1, buf);
        Tag(byte[0])
    }

    /// Bytes of the authentic chunk that `bytes` begins with, if any. Changes nothing.
    fn prefix(&self, ad: &[u8], bytes: &[u8]) -> Option<usize> {
        secretstream_prefix(&self.engine, self.key.as_bytes(), &self.nonce(), ad, bytes)
    }

    /// For a stream that has ended: the key is wiped where it is.
    fn forget_key(&mut self) {
        self.key = Key::from_bytes([0; Key::LEN]);
    }

    fn advance(&mut self, tag: Tag, mac: &[u8; MAC_LEN]) {
        for (inonce, mac) in self.inonce.iter_mut().zip(mac) {
            *inonce ^= mac;
        }
        self.counter = self.counter.wrapping_add(1);
        if tag.rekeys() || self.counter == 0 {
            self.rekey();
        }
    }

    /// Key and inonce are encrypted under themselves.
    fn rekey(&mut self) {
        let mut both = Zeroizing::new([0; Key::LEN + 8]);
        both[..Key::LEN].copy_from_slice(self.key.as_bytes());
        both[Key::LEN..].copy_from_slice(&self.inonce);
        let buf = (&mut both[..]).into();
        self.engine.xor(self.key.as_bytes(), &self.nonce(), 0, buf);
        let (key, inonce) = both.split_first_chunk().expect("40 >= 32");
        self.key = Key::from_bytes(*key);
        self.inonce = inonce.try_into().expect("40 - 32 = 8");
        self.counter = 1;
    }
}

fn check_len(message: u64) -> Result<(), Error> {
    if message <= MAX_SECRETSTREAM_LEN {
        Ok(())
    } else {
        Err(Error::MessageTooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_holds_the_blocks_2_to_the_last() {
        for fits in [0, 1 << 31, 1 << 32, (1 << 32) + 17, 274_877_906_816] {
            assert_eq!(check_len(fits), Ok(()));
        }
        for too_long in [274_877_906_817, 274_877_906_880, 1 << 39, u64::MAX] {
            assert_eq!(check_len(too_long), Err(Error::MessageTooLong));
        }
    }
}
