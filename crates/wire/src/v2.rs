//! SS55 v2: a header, message frames, one final frame.
//!
//! ```text
//! header   "SS55-v2\0" 8 | version 2 | flags 2 | nonce 24                        36 bytes
//! frame    length 4 = 1 + N + 16 | tag 1 | ciphertext N | mac 16           N + 21 bytes
//! ```
//!
//! Integers are big-endian. Frames are numbered from 0; number, tag and the caller's ad are
//! authenticated with the ciphertext, so a frame opens in its own place only. The final frame is
//! empty and carries no ad. Bytes 32..36 of the header are carried, but neither used nor
//! authenticated.
//!
//! One stream may be the work of several: [`Sealer::split_off`] and [`StreamPlan::split`] give out
//! frame numbers, each once; [`Opener::ahead`] opens frames in any order.

mod plan;

pub use plan::{Part, Parts, StreamPlan};

use crate::{
    Error,
    frames::{self, Frames, or_zeros, pair, split_mac},
};
use core::array;
use ss55_aead::{Aad, Engine, InOutBuf, Key, SimdEngine};

/// The first eight bytes of a stream, and of every frame's AAD.
pub const MAGIC: [u8; 8] = *b"SS55-v2\0";
/// The only version.
pub const VERSION: u16 = 2;
/// The only flags.
pub const FLAGS: u16 = 0;
/// Bytes of the header.
pub const HEADER_LEN: usize = MAGIC.len() + 2 + 2 + NONCE_LEN;
/// Bytes of the header's nonce.
pub const NONCE_LEN: usize = 24;
/// Bytes of the length field.
pub const LENGTH_LEN: usize = 4;
/// Bytes of the frame tag.
pub const TAG_LEN: usize = 1;
/// Bytes in front of the ciphertext: length and frame tag.
pub const FRAME_HEADER_LEN: usize = LENGTH_LEN + TAG_LEN;
/// Bytes of the mac, behind the ciphertext.
pub const MAC_LEN: usize = frames::MAC_LEN;
/// Most plaintext bytes of a frame.
pub const MAX_PLAINTEXT: usize = 65536;
/// Bytes that a frame has more than its plaintext.
pub const FRAME_OVERHEAD: usize = FRAME_HEADER_LEN + MAC_LEN;
/// Bytes of the largest frame.
pub const MAX_FRAME_LEN: usize = MAX_PLAINTEXT + FRAME_OVERHEAD;
/// Bytes of the final frame, which is always empty.
pub const FINAL_FRAME_LEN: usize = FRAME_OVERHEAD;
/// Smallest value of the length field: the tag and the mac.
pub const MIN_LENGTH: u32 = (TAG_LEN + MAC_LEN) as u32;
/// Largest value of the length field.
pub const MAX_LENGTH: u32 = MIN_LENGTH + MAX_PLAINTEXT as u32;
/// The tag byte of a message frame.
pub const TAG_MESSAGE: u8 = 0x00;
/// The tag byte of the final frame.
pub const TAG_FINAL: u8 = 0x03;
/// Bytes of the AAD in front of the caller's ad: magic, sequence number, tag, length of the ad.
pub const AAD_PREFIX_LEN: usize = MAGIC.len() + 8 + TAG_LEN + 4;

/// Bytes of a stream whose frames are all full but the last message frame, without a flush between.
///
/// `None` where the sum leaves 64 bits.
pub const fn sealed_len(plaintext: u64) -> Option<u64> {
    let frames = plaintext.div_ceil(MAX_PLAINTEXT as u64);
    // frames < 2^48, so the product is below 2^53.
    plaintext.checked_add(frames * FRAME_OVERHEAD as u64 + (HEADER_LEN + FINAL_FRAME_LEN) as u64)
}

/// The header of a stream: what makes its frames differ from those of other streams under the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    nonce: [u8; NONCE_LEN],
}

impl Header {
    /// A header with this nonce: 24 random bytes, never used for another stream under the same key.
    pub const fn new(nonce: [u8; NONCE_LEN]) -> Self {
        Header { nonce }
    }

    /// Reads a header.
    ///
    /// # Errors
    /// [`Error::BadMagic`], [`Error::UnsupportedVersion`], [`Error::UnsupportedFlags`].
    pub fn parse(bytes: &[u8; HEADER_LEN]) -> Result<Self, Error> {
        if bytes[..MAGIC.len()] != MAGIC {
            return Err(Error::BadMagic);
        }
        let version = u16::from_be_bytes([bytes[8], bytes[9]]);
        let flags = u16::from_be_bytes([bytes[10], bytes[11]]);
        match (version, flags) {
            (VERSION, FLAGS) => Ok(Header {
                nonce: array::from_fn(|i| bytes[HEADER_LEN - NONCE_LEN + i]),
            }),
            (VERSION, flags) => Err(Error::UnsupportedFlags(flags)),
            (version, _) => Err(Error::UnsupportedVersion(version)),
        }
    }

    /// The header as it is sent.
    pub fn to_bytes(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_be_bytes());
        bytes[10..12].copy_from_slice(&FLAGS.to_be_bytes());
        bytes[12..].copy_from_slice(&self.nonce);
        bytes
    }

    /// The 24 bytes that are this stream's own.
    pub const fn nonce(&self) -> &[u8; NONCE_LEN] {
        &self.nonce
    }
}

/// What a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameTag {
    /// Carries plaintext.
    Message,
    /// Ends the stream.
    Final,
}

impl FrameTag {
    /// The byte on the wire.
    pub const fn to_byte(self) -> u8 {
        match self {
            FrameTag::Message => TAG_MESSAGE,
            FrameTag::Final => TAG_FINAL,
        }
    }
}

/// The checked first five bytes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    length: u32,
    tag: FrameTag,
}

impl FrameHeader {
    /// Reads the start of a frame, if five bytes of it are in `input`. The length is checked as soon
    /// as its own four are there.
    ///
    /// Needs no key: whatever it says is not authenticated yet.
    ///
    /// # Errors
    /// [`Error::BadLength`], [`Error::UnknownTag`].
    pub fn parse(input: &[u8]) -> Result<Option<Self>, Error> {
        let Some(length) = frames::length(input, MIN_LENGTH, MAX_LENGTH)? else {
            return Ok(None);
        };
        let Some(tag) = input.get(LENGTH_LEN) else {
            return Ok(None);
        };
        let tag = match *tag {
            TAG_MESSAGE => FrameTag::Message,
            TAG_FINAL if length == MIN_LENGTH => FrameTag::Final,
            TAG_FINAL => return Err(Error::BadLength(length)),
            tag => return Err(Error::UnknownTag(tag)),
        };
        Ok(Some(FrameHeader { length, tag }))
    }

    /// The tag in clear.
    pub const fn tag(self) -> FrameTag {
        self.tag
    }

    /// Bytes that follow in this frame: ciphertext and mac, 16 ..= 65552.
    pub const fn payload_len(self) -> usize {
        self.length as usize - TAG_LEN
    }

    /// Bytes of plaintext, 0 ..= 65536.
    pub const fn plaintext_len(self) -> usize {
        self.payload_len() - MAC_LEN
    }
}

/// What goes before and behind a ciphertext that was sealed in place.
#[must_use = "without its header and mac the frame is lost"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SealedFrame {
    /// Goes before the ciphertext: length and tag.
    pub header: [u8; FRAME_HEADER_LEN],
    /// Goes behind it.
    pub mac: [u8; MAC_LEN],
}

/// Seals the frames of one stream, in order.
pub struct Sealer<E = SimdEngine> {
    frames: Frames<E>,
    nonce_prefix: [u8; 4],
}

impl<E: Engine> Sealer<E> {
    /// A sealer at frame 0 of the stream with this header.
    pub fn new(engine: E, key: &Key, header: &Header) -> Self {
        Sealer {
            frames: Frames::new(engine, key, &header.nonce),
            nonce_prefix: nonce_prefix(header),
        }
    }

    /// Encrypts `buf` in place as the next message frame.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] above [`MAX_PLAINTEXT`] bytes, [`Error::AdTooLong`],
    /// [`Error::Finished`], [`Error::SequenceOverflow`]; `buf` is then as before.
    pub fn seal_in_place(&mut self, ad: &[u8], buf: &mut [u8]) -> Result<SealedFrame, Error> {
        self.seal(FrameTag::Message, ad, buf.into())
    }

    /// Writes the next message frame, whole, to `frame`, which has [`FRAME_OVERHEAD`] bytes more than
    /// `plaintext`.
    ///
    /// # Errors
    /// As [`seal_in_place`](Self::seal_in_place), or [`Error::BufferSize`]; `frame` is then as before.
    pub fn seal_to(&mut self, ad: &[u8], plaintext: &[u8], frame: &mut [u8]) -> Result<(), Error> {
        self.frames.check()?;
        let (header, rest) = frame.split_first_chunk_mut().ok_or(Error::BufferSize)?;
        let (ciphertext, mac) = rest.split_last_chunk_mut().ok_or(Error::BufferSize)?;
        let sealed = self.seal(FrameTag::Message, ad, pair(plaintext, ciphertext)?)?;
        *header = sealed.header;
        *mac = sealed.mac;
        Ok(())
    }

    /// Takes the next `frames` frames out of this stream, for another sealer, which seals them and no
    /// others; this one goes on behind them. No number is given out twice, so the two may work at the
    /// same time.
    ///
    /// # Errors
    /// [`Error::Finished`]; or [`Error::SequenceOverflow`] or [`Error::OutsidePart`] if this sealer has
    /// not so many left: nothing is taken then.
    pub fn split_off(&mut self, frames: u64) -> Result<Self, Error>
    where
        E: Clone,
    {
        Ok(Sealer {
            frames: self.frames.split_off(frames)?,
            nonce_prefix: self.nonce_prefix,
        })
    }

    /// The final frame. No call succeeds after it.
    ///
    /// # Errors
    /// [`Error::Finished`], [`Error::SequenceOverflow`]; [`Error::OutsidePart`] if this sealer was
    /// split off.
    pub fn finish(&mut self) -> Result<[u8; FINAL_FRAME_LEN], Error> {
        if self.frames.is_part() {
            return Err(Error::OutsidePart);
        }
        let sealed = self.seal(FrameTag::Final, &[], (&mut [][..]).into())?;
        self.frames.stop(Error::Finished);
        let mut frame = [0; FINAL_FRAME_LEN];
        frame[..FRAME_HEADER_LEN].copy_from_slice(&sealed.header);
        frame[FRAME_HEADER_LEN..].copy_from_slice(&sealed.mac);
        Ok(frame)
    }

    /// The number of the next frame: those sealed so far, and those that were split off.
    pub fn frames(&self) -> u64 {
        self.frames.count()
    }

    fn seal(
        &mut self,
        tag: FrameTag,
        ad: &[u8],
        buf: InOutBuf<'_, '_, u8>,
    ) -> Result<SealedFrame, Error> {
        let seq = self.frames.next()?;
        if buf.len() > MAX_PLAINTEXT {
            return Err(Error::MessageTooLong);
        }
        let prefix = aad_prefix(seq, tag, ad)?;
        let mut header = [0; FRAME_HEADER_LEN];
        let length = MIN_LENGTH + buf.len() as u32;
        header[..LENGTH_LEN].copy_from_slice(&length.to_be_bytes());
        header[LENGTH_LEN] = tag.to_byte();
        let nonce = nonce(self.nonce_prefix, seq);
        let mac = self.frames.seal(
            &nonce,
            Aad {
                prefix: &prefix,
                ad,
            },
            buf,
        );
        Ok(SealedFrame {
            header,
            mac: mac.into(),
        })
    }
}

/// Opens the frames of one stream, in order. Its first error is its answer ever after, but for
/// [`Error::BufferSize`] and [`Error::AdTooLong`], which the caller may mend.
#[derive(Clone)]
pub struct Opener<E = SimdEngine> {
    frames: Frames<E>,
    nonce_prefix: [u8; 4],
    /// The final frame has been opened.
    finished: bool,
}

impl<E: Engine> Opener<E> {
    /// An opener at frame 0 of the stream with this header.
    pub fn new(engine: E, key: &Key, header: &Header) -> Self {
        Opener {
            frames: Frames::new(engine, key, &header.nonce),
            nonce_prefix: nonce_prefix(header),
            finished: false,
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
            ..self.clone()
        })
    }

    /// Reads the start of the next frame: `None` asks for more bytes. An empty `input` is no error,
    /// even after the final frame.
    ///
    /// # Errors
    /// Those of [`FrameHeader::parse`], and [`Error::TrailingData`] for any byte after the final
    /// frame.
    pub fn frame_header(&mut self, input: &[u8]) -> Result<Option<FrameHeader>, Error> {
        self.frames.check()?;
        if self.finished && !input.is_empty() {
            return Err(self.frames.stop(Error::TrailingData));
        }
        FrameHeader::parse(input).map_err(|error| self.frames.stop(error))
    }

    /// Decrypts `payload`, the bytes behind the frame's header, in place and returns its plaintext.
    /// A final frame is opened with an empty ad whatever `ad` is.
    ///
    /// # Errors
    /// [`Error::Authentication`]: `payload` then holds no plaintext. [`Error::BufferSize`] if
    /// `payload` has not the length that the header says. [`Error::AdTooLong`],
    /// [`Error::SequenceOverflow`], [`Error::TrailingData`].
    pub fn open_in_place<'a>(
        &mut self,
        header: FrameHeader,
        ad: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a mut [u8], Error> {
        self.frames.check()?;
        check_payload(header, payload)?;
        let (ciphertext, mac) = payload.split_last_chunk_mut().ok_or(Error::BufferSize)?;
        self.open(header.tag, ad, ciphertext.into(), mac)?;
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
            self.open(header.tag, ad, pair(ciphertext, plaintext)?, mac)
        });
        or_zeros(opened, plaintext)
    }

    /// To be asked where the input ends.
    ///
    /// # Errors
    /// [`Error::Truncated`] if no final frame has been opened; or the error that stopped the opener.
    pub fn end(&mut self) -> Result<(), Error> {
        self.frames.check()?;
        if self.finished {
            Ok(())
        } else {
            Err(self.frames.stop(Error::Truncated))
        }
    }

    /// Whether the final frame has been opened.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Frames opened so far.
    pub fn frames(&self) -> u64 {
        self.frames.count()
    }

    fn open(
        &mut self,
        tag: FrameTag,
        ad: &[u8],
        buf: InOutBuf<'_, '_, u8>,
        mac: &[u8; MAC_LEN],
    ) -> Result<(), Error> {
        if self.finished {
            return Err(self.frames.stop(Error::TrailingData));
        }
        let seq = self.frames.next()?;
        let ad = match tag {
            FrameTag::Message => ad,
            FrameTag::Final => &[],
        };
        let prefix = aad_prefix(seq, tag, ad)?;
        let nonce = nonce(self.nonce_prefix, seq);
        self.frames.open(
            &nonce,
            Aad {
                prefix: &prefix,
                ad,
            },
            buf,
            mac,
        )?;
        self.finished = tag == FrameTag::Final;
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

fn nonce_prefix(header: &Header) -> [u8; 4] {
    *header.nonce[16..].first_chunk().expect("8 >= 4")
}

/// `nonce[16..20] | seq`.
fn nonce(prefix: [u8; 4], seq: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[..4].copy_from_slice(&prefix);
    nonce[4..].copy_from_slice(&seq.to_be_bytes());
    nonce
}

/// `magic | seq | tag | len(ad)`; the ad follows.
fn aad_prefix(seq: u64, tag: FrameTag, ad: &[u8]) -> Result<[u8; AAD_PREFIX_LEN], Error> {
    let ad_len = ad_len(ad.len())?;
    let mut prefix = [0; AAD_PREFIX_LEN];
    prefix[..8].copy_from_slice(&MAGIC);
    prefix[8..16].copy_from_slice(&seq.to_be_bytes());
    prefix[16] = tag.to_byte();
    prefix[17..].copy_from_slice(&ad_len.to_be_bytes());
    Ok(prefix)
}

fn ad_len(len: usize) -> Result<u32, Error> {
    len.try_into().map_err(|_| Error::AdTooLong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ss55_aead::PortableEngine;

    fn key() -> Key {
        Key::from_bytes([3; 32])
    }

    #[test]
    fn the_last_sequence_number_is_never_used() {
        let header = Header::new([5; NONCE_LEN]);
        let mut sealer = Sealer::new(PortableEngine, &key(), &header);
        sealer.frames.set_seq(u64::MAX - 1);
        let mut frame = [0; FRAME_OVERHEAD + 1];
        sealer.seal_to(b"", b"a", &mut frame).unwrap();
        let before = frame;
        for _ in 0..2 {
            let overflow = Err(Error::SequenceOverflow);
            assert_eq!(sealer.seal_to(b"", b"a", &mut frame), overflow);
            assert_eq!(frame, before);
            assert_eq!(sealer.finish().map(|_| ()), overflow);
        }

        let mut opener = Opener::new(PortableEngine, &key(), &header);
        opener.frames.set_seq(u64::MAX - 1);
        let head = opener.frame_header(&frame).unwrap().unwrap();
        let mut plaintext = [0];
        let payload = &frame[FRAME_HEADER_LEN..];
        opener.open_to(head, b"", payload, &mut plaintext).unwrap();
        assert_eq!(plaintext, *b"a");
        for _ in 0..2 {
            let overflow = Err(Error::SequenceOverflow);
            assert_eq!(opener.open_to(head, b"", payload, &mut plaintext), overflow);
            assert_eq!(opener.end(), overflow);
        }
    }

    /// All eight bytes of the number count, in the nonce and in the AAD. Frames of
    /// testdata/oracle/ss55_oracle.py: `v2_frame(key, nonce, 0x0123456789abcdef, 0, b"far", b"ad")`
    /// and the final one behind it.
    #[test]
    fn frames_far_into_a_stream() {
        let mut frame = [0; FRAME_OVERHEAD + 3];
        let mut last = [0; FINAL_FRAME_LEN];
        let hex = "00000014000b75b8525a3fb6023c31cd57b64d26c7235f99";
        hex::decode_to_slice(hex, &mut frame).unwrap();
        let hex = "00000011035adcb089056e0a35ebca0d0ad71ee8a1";
        hex::decode_to_slice(hex, &mut last).unwrap();
        let header = Header::new(array::from_fn(|i| 0x40 + i as u8));

        let mut sealer = Sealer::new(PortableEngine, &key(), &header);
        sealer.frames.set_seq(0x0123_4567_89ab_cdef);
        let mut sealed = [0; FRAME_OVERHEAD + 3];
        sealer.seal_to(b"ad", b"far", &mut sealed).unwrap();
        assert_eq!(sealed, frame);
        assert_eq!(sealer.finish(), Ok(last));

        let mut opener = Opener::new(PortableEngine, &key(), &header);
        opener.frames.set_seq(0x0123_4567_89ab_cdef);
        let head = opener.frame_header(&frame).unwrap().unwrap();
        let payload = &mut frame[FRAME_HEADER_LEN..];
        assert_eq!(opener.open_in_place(head, b"ad", payload).unwrap(), b"far");
        let head = opener.frame_header(&last).unwrap().unwrap();
        let payload = &mut last[FRAME_HEADER_LEN..];
        assert_eq!(opener.open_in_place(head, b"", payload).unwrap(), b"");
        assert_eq!(opener.end(), Ok(()));
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn an_ad_of_four_gibibytes_is_refused() {
        assert_eq!(ad_len(0xffff_ffff), Ok(0xffff_ffff));
        assert_eq!(ad_len(0x1_0000_0000), Err(Error::AdTooLong));
        assert_eq!(ad_len(0x1_0000_0001), Err(Error::AdTooLong));
    }
}
