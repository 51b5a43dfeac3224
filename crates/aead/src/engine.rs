//! What does the work: raw AEAD operations over a 32-byte key and a 96-bit nonce.

use crate::{AuthenticationError, Tag};
use inout::InOutBuf;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

mod portable;
mod prefix;
mod simd;
#[cfg(feature = "libsodium")]
pub(crate) mod sodium;

pub use portable::PortableEngine;
pub use prefix::secretstream_prefix;
pub use simd::SimdEngine;

/// Longest message of ChaCha20-Poly1305: the blocks 1 to 2^32 - 1 (RFC 8439, 2.8).
pub const MAX_MESSAGE_LEN: u64 = ((1 << 32) - 1) * 64;
/// Longest message of a secretstream chunk: the blocks 2 to 2^32 - 1.
pub const MAX_SECRETSTREAM_LEN: u64 = ((1 << 32) - 2) * 64;

/// Whether the keystream from block `counter` on has `len` bytes.
///
/// Of a message, from block 1 on, exactly if it is no longer than [`MAX_MESSAGE_LEN`]; of a secretstream
/// chunk, from block 2 on, if it is no longer than [`MAX_SECRETSTREAM_LEN`].
#[inline]
pub const fn keystream_fits(counter: u32, len: usize) -> bool {
    // In u64: `usize` has no 2^32 on every machine.
    (len as u64).div_ceil(64) <= (1 << 32) - counter as u64
}

/// Additional authenticated data: `prefix` then `ad`, hashed as one string.
///
/// Two parts, so that a wire format can put its own fields before the caller's data without a
/// buffer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aad<'a> {
    /// The first part: a format's own fields.
    pub prefix: &'a [u8],
    /// The second part: the caller's.
    pub ad: &'a [u8],
}

impl Aad<'_> {
    /// No additional data.
    pub const EMPTY: Aad<'static> = Aad {
        prefix: &[],
        ad: &[],
    };

    /// Bytes of both parts.
    #[inline]
    pub const fn len(&self) -> usize {
        self.prefix.len() + self.ad.len()
    }

    /// Whether both parts are empty.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a, B: AsRef<[u8]> + ?Sized> From<&'a B> for Aad<'a> {
    #[inline]
    fn from(ad: &'a B) -> Self {
        Aad {
            prefix: &[],
            ad: ad.as_ref(),
        }
    }
}

/// An implementation of ChaCha20, Poly1305 and what is made of them.
///
/// Four methods are required; every other one is made of them, and an engine that can do better
/// overrides [`seal`](Engine::seal), [`open`](Engine::open) and the two of secretstream. All engines
/// give the same bytes.
///
/// Nonces and keys are the caller's concern: an engine seals twice under one nonce if told to.
///
/// ```
/// use ss55_aead::{Aad, ChaCha20Poly1305, Engine, InOutBuf, PortableEngine, Tag};
///
/// /// Counts what passes through it.
/// struct Counting(std::cell::Cell<u64>);
///
/// impl Engine for Counting {
///     fn name(&self) -> &'static str {
///         "counting"
///     }
///     fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
///         PortableEngine.hchacha20(key, input)
///     }
///     fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>) {
///         self.0.set(self.0.get() + buf.len() as u64);
///         PortableEngine.xor(key, nonce, counter, buf);
///     }
///     fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
///         PortableEngine.mac(key, parts)
///     }
/// }
///
/// let aead = ChaCha20Poly1305::with_engine(Counting(0.into()), &[1; 32]);
/// let _tag = aead.seal_in_place_detached(&[2; 12], Aad::EMPTY, &mut [0; 100]);
/// assert_eq!(aead.engine().0.get(), 100 + 32); // the message and its one-time key
/// ```
pub trait Engine {
    /// A short name for people, such as `avx2` or `portable`.
    fn name(&self) -> &'static str;

    /// `HChaCha20` (draft-irtf-cfrg-xchacha-03, 2.2).
    fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32];

    /// XORs the ChaCha20 keystream of RFC 8439 onto `buf`, from block `counter` on.
    ///
    /// # Panics
    /// If `buf` needs a block past number 2^32 - 1.
    fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>);

    /// Poly1305 (RFC 8439, 2.5) of the parts, one after the other.
    fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag;

    /// ChaCha20-Poly1305 (RFC 8439, 2.8): encrypts `buf` and returns the tag.
    ///
    /// # Panics
    /// If the message is longer than [`MAX_MESSAGE_LEN`].
    fn seal(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        mut buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        assert!(keystream_fits(1, buf.len()), "message too long");
        let mac_key = mac_key(self, key, nonce);
        self.xor(key, nonce, 1, buf.reborrow());
        aead_tag(self, &mac_key, aad, buf.get_out())
    }

    /// Checks `tag` and decrypts `buf`, in constant time.
    ///
    /// # Errors
    /// [`AuthenticationError`]; the output is then all zeros. (An engine may have decrypted into it
    /// before it knew.) A message longer than [`MAX_MESSAGE_LEN`] is never authentic.
    fn open(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        mut buf: InOutBuf<'_, '_, u8>,
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        if self.verify(key, nonce, aad, buf.get_in(), tag).is_err() {
            return refuse(buf.get_out());
        }
        self.xor(key, nonce, 1, buf);
        Ok(())
    }

    /// The first half of an `open`: checks `tag` without decrypting `ciphertext`, in constant time. The
    /// second is an [`xor`](Engine::xor) from block 1 on.
    ///
    /// # Errors
    /// [`AuthenticationError`]. A message longer than [`MAX_MESSAGE_LEN`] is never authentic.
    fn verify(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        ciphertext: &[u8],
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        if !keystream_fits(1, ciphertext.len()) {
            return Err(AuthenticationError);
        }
        let mac_key = mac_key(self, key, nonce);
        if bool::from(aead_tag(self, &mac_key, aad, ciphertext).ct_eq(tag)) {
            Ok(())
        } else {
            Err(AuthenticationError)
        }
    }

    /// One `push` of libsodium's secretstream, but for its state: encrypts `frame_tag` and `buf` and
    /// returns the mac.
    ///
    /// It is the AEAD over `frame_tag | 0^63 | message`, of whose first block only one byte is sent,
    /// with libsodium's padding: after the ciphertext come (message length mod 16) zero bytes, not
    /// as many as fill a block.
    ///
    /// # Panics
    /// If the message is longer than [`MAX_SECRETSTREAM_LEN`].
    fn secretstream_seal(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        mut buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        assert!(keystream_fits(2, buf.len()), "message too long");
        let mac_key = mac_key(self, key, nonce);
        let mut block = Zeroizing::new([0; 64]);
        block[0] = *frame_tag;
        self.xor(key, nonce, 1, (&mut block[..]).into());
        *frame_tag = block[0];
        self.xor(key, nonce, 2, buf.reborrow());
        secretstream_tag(self, &mac_key, ad, &block, buf.get_out())
    }

    /// One `pull`: checks `mac` and decrypts `frame_tag` and `buf`.
    ///
    /// # Errors
    /// [`AuthenticationError`]; the output is then all zeros and `frame_tag` is as before.
    fn secretstream_open(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        mut buf: InOutBuf<'_, '_, u8>,
        mac: &Tag,
    ) -> Result<(), AuthenticationError> {
        match self.secretstream_verify(key, nonce, ad, *frame_tag, buf.get_in(), mac) {
            Ok(tag) => *frame_tag = tag,
            Err(AuthenticationError) => return refuse(buf.get_out()),
        }
        self.xor(key, nonce, 2, buf);
        Ok(())
    }

    /// The first half of a `pull`: checks `mac` without decrypting `ciphertext`, and returns the
    /// frame tag in clear.
    ///
    /// # Errors
    /// [`AuthenticationError`]. A message longer than [`MAX_SECRETSTREAM_LEN`] is never authentic.
    fn secretstream_verify(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: u8,
        ciphertext: &[u8],
        mac: &Tag,
    ) -> Result<u8, AuthenticationError> {
        if !keystream_fits(2, ciphertext.len()) {
            return Err(AuthenticationError);
        }
        let mac_key = mac_key(self, key, nonce);
        let mut block = Zeroizing::new([0; 64]);
        self.xor(key, nonce, 1, (&mut block[..]).into());
        let clear = frame_tag ^ block[0];
        // The MAC covers the block as it was sent: encrypted tag byte, then 63 bytes of keystream.
        block[0] = frame_tag;
        let expected = secretstream_tag(self, &mac_key, ad, &block, ciphertext);
        if bool::from(expected.ct_eq(mac)) {
            Ok(clear)
        } else {
            Err(AuthenticationError)
        }
    }

    /// [`seal`](Engine::seal) in place.
    #[inline]
    fn seal_in_place(&self, key: &[u8; 32], nonce: &[u8; 12], aad: Aad<'_>, buf: &mut [u8]) -> Tag {
        self.seal(key, nonce, aad, buf.into())
    }

    /// [`seal`](Engine::seal) to another buffer.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[inline]
    fn seal_to(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        plaintext: &[u8],
        ciphertext: &mut [u8],
    ) -> Tag {
        self.seal(key, nonce, aad, pair(plaintext, ciphertext))
    }

    /// [`open`](Engine::open) in place.
    ///
    /// # Errors
    /// [`AuthenticationError`]; `buf` is then all zeros.
    #[inline]
    fn open_in_place(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        buf: &mut [u8],
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        self.open(key, nonce, aad, buf.into(), tag)
    }

    /// [`open`](Engine::open) to another buffer.
    ///
    /// # Errors
    /// [`AuthenticationError`]; `plaintext` is then all zeros.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[inline]
    fn open_to(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        ciphertext: &[u8],
        plaintext: &mut [u8],
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        self.open(key, nonce, aad, pair(ciphertext, plaintext), tag)
    }
}

/// One buffer to read and one to write.
pub(crate) fn pair<'i, 'o>(input: &'i [u8], output: &'o mut [u8]) -> InOutBuf<'i, 'o, u8> {
    InOutBuf::new(input, output).expect("input and output differ in length")
}

/// The first half of keystream block 0.
fn mac_key<E: Engine + ?Sized>(
    engine: &E,
    key: &[u8; 32],
    nonce: &[u8; 12],
) -> Zeroizing<[u8; 32]> {
    let mut mac_key = Zeroizing::new([0; 32]);
    engine.xor(key, nonce, 0, (&mut mac_key[..]).into());
    mac_key
}

fn aead_tag<E: Engine + ?Sized>(
    engine: &E,
    mac_key: &[u8; 32],
    aad: Aad<'_>,
    ciphertext: &[u8],
) -> Tag {
    engine.mac(
        mac_key,
        &[
            aad.prefix,
            aad.ad,
            padding16(aad.len()),
            ciphertext,
            padding16(ciphertext.len()),
            &lengths(aad.len(), ciphertext.len() as u64),
        ],
    )
}

fn secretstream_tag<E: Engine + ?Sized>(
    engine: &E,
    mac_key: &[u8; 32],
    ad: &[u8],
    block: &[u8; 64],
    ciphertext: &[u8],
) -> Tag {
    engine.mac(
        mac_key,
        &[
            ad,
            padding16(ad.len()),
            block,
            ciphertext,
            &ZEROS[..ciphertext.len() % 16],
            &lengths(ad.len(), 64 + ciphertext.len() as u64),
        ],
    )
}

static ZEROS: [u8; 15] = [0; 15];

/// As many zeros as fill a 16-byte block.
fn padding16(len: usize) -> &'static [u8] {
    &ZEROS[..len.wrapping_neg() % 16]
}

/// The MAC input's last block: both lengths, little-endian.
fn lengths(aad: usize, ciphertext: u64) -> [u8; 16] {
    let mut block = [0; 16];
    block[..8].copy_from_slice(&(aad as u64).to_le_bytes());
    block[8..].copy_from_slice(&ciphertext.to_le_bytes());
    block
}

/// Fails, and leaves nothing in the caller's buffer.
fn refuse(output: &mut [u8]) -> Result<(), AuthenticationError> {
    output.zeroize();
    Err(AuthenticationError)
}

/// A shared engine is an engine.
impl<E: Engine + ?Sized> Engine for &E {
    fn name(&self) -> &'static str {
        (**self).name()
    }
    fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
        (**self).hchacha20(key, input)
    }
    fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>) {
        (**self).xor(key, nonce, counter, buf);
    }
    fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
        (**self).mac(key, parts)
    }
    fn seal(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        (**self).seal(key, nonce, aad, buf)
    }
    fn open(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        buf: InOutBuf<'_, '_, u8>,
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        (**self).open(key, nonce, aad, buf, tag)
    }
    fn verify(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        ciphertext: &[u8],
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        (**self).verify(key, nonce, aad, ciphertext, tag)
    }
    fn secretstream_seal(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        (**self).secretstream_seal(key, nonce, ad, frame_tag, buf)
    }
    fn secretstream_open(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        buf: InOutBuf<'_, '_, u8>,
        mac: &Tag,
    ) -> Result<(), AuthenticationError> {
        (**self).secretstream_open(key, nonce, ad, frame_tag, buf, mac)
    }
    fn secretstream_verify(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: u8,
        ciphertext: &[u8],
        mac: &Tag,
    ) -> Result<u8, AuthenticationError> {
        (**self).secretstream_verify(key, nonce, ad, frame_tag, ciphertext, mac)
    }
}
