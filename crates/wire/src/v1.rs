//! SS55 v1: a nonce, then frames. For reading old archives.
//!
//! ```text
//! header   nonce 24
//! frame    length 4 = N + 16 | ciphertext N | mac 16                       N + 20 bytes
//! ```
//!
//! Integers are big-endian. There is no magic, no tag and no final frame: a stream that was cut
//! between two frames cannot be told from a whole one, and any 24 bytes are an empty stream. New
//! streams are written in [`v2`](crate::v2).

use crate::{
    Error,
    frames::{self, Frames, or_zeros, pair, split_mac},
};
use ss55_aead::{Aad, Engine, InOutBuf, Key, SimdEngine};

/// Bytes of the header, which is a nonce.
pub const HEADER_LEN: usize = 24;
/// Bytes in front of the ciphertext.
pub const LENGTH_LEN: usize = 4;
/// Bytes of the mac, behind the ciphertext.
pub const MAC_LEN: usize = frames::MAC_LEN;
/// Smallest value of the length field: the mac.
pub const MIN_LENGTH: u32 = MAC_LEN as u32;
/// Largest value of the length field.
pub const MAX_LENGTH: u32 = 65616;
/// Most plaintext bytes of a frame.
pub const MAX_PLAINTEXT: usize = MAX_LENGTH as usize - MAC_LEN;
/// Bytes that a frame has more than its plaintext.
pub const FRAME_OVERHEAD: usize = LENGTH_LEN + MAC_LEN;
/// Bytes of the largest frame.
pub const MAX_FRAME_LEN: usize = MAX_PLAINTEXT + FRAME_OVERHEAD;

/// The checked length field of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    length: u32,
}

impl FrameHeader {
    /// Reads the start of a frame, if four bytes of it are in `input`.
    ///
    /// Needs no key: whatever it says is not authenticated yet.
    ///
    /// # Errors
    /// [`Error::BadLength`].
    pub fn parse(input: &[u8]) -> Result<Option<Self>, Error> {
        let length = frames::length(input, MIN_LENGTH, MAX_LENGTH)?;
        Ok(length.map(|length| FrameHeader { length }))
    }

    /// Bytes that follow in this frame: ciphertext and mac, 16 ..= 65616.
    pub const fn payload_len(self) -> usize {
        self.length as usize
    }

    /// Bytes of plaintext, 0 ..= 65600.
    pub const fn plaintext_len(self) -> usize {
        self.payload_len() - MAC_LEN
    }
}

/// Opens the frames of one stream, in order. Its first error is its answer ever after, but for
/// [`Error::BufferSize`], which the caller may mend.
#[derive(Clone)]
pub struct Opener<E = SimdEngine> {
    frames: Frames<E>,
    nonce_base: u64,
}

impl<E: Engine> Opener<E> {
    /// An opener at frame 0 of the stream with this header.
    pub fn new(engine: E, key: &Key, header: &[u8; HEADER_LEN]) -> Self {
        Opener {
            frames: Frames::new(engine, key, header),
            nonce_base: nonce_base(header),
        }
    }

    /// An opener that stands `frames` frames further on. It knows nothing of those between: whoever
    /// opens out of order answers for all that it hands out, and for what it leaves out.
    ///
    /// # Errors
    /// The error that stopped this opener; [`Error::SequenceOverflow`].
    pub fn ahead(&self, frames: u64) -> Result<Self, Error>
    where
        E: Clone,
    {
        Ok(Opener {
            frames: self.frames.ahead(frames)?,
            nonce_base: self.nonce_base,
        })
    }

    /// Reads the start of the next frame: `None` asks for more bytes.
    ///
    /// # Errors
    /// [`Error::BadLength`].
    pub fn frame_header(&mut self, input: &[u8]) -> Result<Option<FrameHeader>, Error> {
        self.frames.check()?;
        FrameHeader::parse(input).map_err(|error| self.frames.stop(error))
    }

    /// Decrypts `payload`, the bytes behind the length, in place and returns its plaintext.
    ///
    /// # Errors
    /// [`Error::Authentication`]: `payload` then holds no plaintext. [`Error::BufferSize`] if
    /// `payload` has not the length that the header says. [`Error::SequenceOverflow`].
    pub fn open_in_place<'a>(
        &mut self,
        header: FrameHeader,
        ad: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a mut [u8], Error> {
        self.frames.check()?;
        check_payload(header, payload)?;
        let (ciphertext, mac) = payload.split_last_chunk_mut().ok_or(Error::BufferSize)?;
        self.open(ad, ciphertext.into(), mac)?;
        Ok(ciphertext)
    }

    /// Decrypts `payload` to `plaintext`, which has the length that the header says.
    ///
    /// # Errors
    /// As [`open_in_place`](Self::open_in_place); after any but [`Error::BufferSize`] `plaintext` is
    /// all zeros.
    pub fn open_to(
        &mut self,
        header: FrameHeader,
        ad: &[u8],
        payload: &[u8],
        plaintext: &mut [u8],
    ) -> Result<(), Error> {
        let opened = self.frames.check().and_then(|()| {
            check_payload(header, payload)?;
            let (ciphertext, mac) = split_mac(payload)?;
            self.open(ad, pair(ciphertext, plaintext)?, mac)
        });
        or_zeros(opened, plaintext)
    }

    /// To be asked where the input ends on the edge of a frame, which is all the end that v1 has.
    ///
    /// # Errors
    /// The error that stopped the opener, if one did.
    pub fn end(&self) -> Result<(), Error> {
        self.frames.check()
    }

    /// Frames opened so far.
    pub fn frames(&self) -> u64 {
        self.frames.count()
    }

    fn open(
        &mut self,
        ad: &[u8],
        buf: InOutBuf<'_, '_, u8>,
        mac: &[u8; MAC_LEN],
    ) -> Result<(), Error> {
        let seq = self.frames.next()?;
        let nonce = nonce(self.nonce_base, seq);
        let prefix = &seq.to_be_bytes();
        self.frames.open(&nonce, Aad { prefix, ad }, buf, mac)
    }
}

/// Makes v1 streams, for tests of the reading side.
#[doc(hidden)]
pub struct Sealer<E = SimdEngine> {
    frames: Frames<E>,
    nonce_base: u64,
}

impl<E: Engine> Sealer<E> {
    /// A sealer at frame 0 of the stream with this header.
    pub fn new(engine: E, key: &Key, header: &[u8; HEADER_LEN]) -> Self {
        Sealer {
            frames: Frames::new(engine, key, header),
            nonce_base: nonce_base(header),
        }
    }

    /// Writes the next frame to `frame`, which has [`FRAME_OVERHEAD`] bytes more than `plaintext`.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], [`Error::BufferSize`], [`Error::SequenceOverflow`].
    pub fn seal_to(&mut self, ad: &[u8], plaintext: &[u8], frame: &mut [u8]) -> Result<(), Error> {
        let seq = self.frames.next()?;
        if plaintext.len() > MAX_PLAINTEXT {
            return Err(Error::MessageTooLong);
        }
        let (length, rest) = frame.split_first_chunk_mut().ok_or(Error::BufferSize)?;
        let (ciphertext, mac) = rest.split_last_chunk_mut().ok_or(Error::BufferSize)?;
        let buf = pair(plaintext, ciphertext)?;
        *length = (MIN_LENGTH + plaintext.len() as u32).to_be_bytes();
        let nonce = nonce(self.nonce_base, seq);
        let prefix = &seq.to_be_bytes();
        *mac = self.frames.seal(&nonce, Aad { prefix, ad }, buf).into();
        Ok(())
    }
}

fn check_payload(header: FrameHeader, payload: &[u8]) -> Result<(), Error> {
    if payload.len() == header.payload_len() {
        Ok(())
    } else {
        Err(Error::BufferSize)
    }
}

fn nonce_base(header: &[u8; HEADER_LEN]) -> u64 {
    u64::from_be_bytes(*header.last_chunk().expect("24 >= 8"))
}

/// `00000000 | be64(nonce[16..24]) XOR seq`.
fn nonce(base: u64, seq: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&(base ^ seq).to_be_bytes());
    nonce
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::array;
    use ss55_aead::PortableEngine;

    fn key() -> Key {
        Key::from_bytes([3; 32])
    }

    /// All eight bytes of the number count, in the nonce and in the AAD. The frame that
    /// `v1_stream` of testdata/oracle/ss55_oracle.py has for number 0x0123456789abcdef, "far" and "ad".
    #[test]
    fn a_frame_far_into_a_stream() {
        let mut frame = [0; FRAME_OVERHEAD + 3];
        let hex = "000000135aa1ab41f849eca29af1d32b78831139bd5f04";
        hex::decode_to_slice(hex, &mut frame).unwrap();
        let header = array::from_fn(|i| 0x40 + i as u8);

        let mut sealer = Sealer::new(PortableEngine, &key(), &header);
        sealer.frames.set_seq(0x0123_4567_89ab_cdef);
        let mut sealed = [0; FRAME_OVERHEAD + 3];
        sealer.seal_to(b"ad", b"far", &mut sealed).unwrap();
        assert_eq!(sealed, frame);

        let mut opener = Opener::new(PortableEngine, &key(), &header);
        opener.frames.set_seq(0x0123_4567_89ab_cdef);
        let head = opener.frame_header(&frame).unwrap().unwrap();
        let payload = &mut frame[LENGTH_LEN..];
        assert_eq!(opener.open_in_place(head, b"ad", payload).unwrap(), b"far");
    }

    #[test]
    fn the_last_sequence_number_is_never_used() {
        let header = [5; HEADER_LEN];
        let mut sealer = Sealer::new(PortableEngine, &key(), &header);
        sealer.frames.set_seq(u64::MAX - 1);
        let mut frame = [0; FRAME_OVERHEAD + 1];
        sealer.seal_to(b"", b"a", &mut frame).unwrap();
        let overflow = Err(Error::SequenceOverflow);
        let before = frame;
        assert_eq!(sealer.seal_to(b"", b"b", &mut frame), overflow);
        assert_eq!(frame, before);

        let mut opener = Opener::new(PortableEngine, &key(), &header);
        opener.frames.set_seq(u64::MAX - 1);
        let head = opener.frame_header(&frame).unwrap().unwrap();
        let mut plaintext = [0];
        let payload = &frame[LENGTH_LEN..];
        opener.open_to(head, b"", payload, &mut plaintext).unwrap();
        assert_eq!(plaintext, *b"a");
        for _ in 0..2 {
            assert_eq!(opener.open_to(head, b"", payload, &mut plaintext), overflow);
            assert_eq!((opener.end(), plaintext), (overflow, [0]));
        }
    }
}
