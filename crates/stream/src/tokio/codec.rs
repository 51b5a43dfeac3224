//! Frames for `tokio_util`'s `Framed`, each one message with its edges kept.

use crate::{
    DecryptorBuilder, EncryptorBuilder, Engine, Error, Key, SimdEngine,
    decryptor::Ss55,
    encryptor::V2,
    error::Sticky,
    inbound::{Open, Status},
    outbound::Seal,
};
use bytes::{Buf, BytesMut};
use ss55_wire::v2::{FINAL_FRAME_LEN, FRAME_OVERHEAD, HEADER_LEN};
use std::fmt;
use tokio_util::codec::{Decoder, Encoder};

/// What a [`FrameEncoder`] is sent last: the final frame.
#[derive(Clone, Copy, Debug)]
pub struct End;

/// Writes messages, of up to 65,536 bytes each, as the frames of an SS55 v2 stream. Empty ones write
/// nothing. The last thing to send is [`End`].
///
/// ```
/// use futures_util::{SinkExt, StreamExt};
/// use ss55_stream::{Key, tokio::{End, FrameDecoder, FrameEncoder}};
/// use tokio_util::codec::{FramedRead, FramedWrite};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let key = Key::from_bytes([7; 32]);
/// let mut messages = FramedWrite::new(Vec::new(), FrameEncoder::new(&key));
/// messages.send(&b"attack"[..]).await?;
/// messages.send(&b"at dawn"[..]).await?;
/// messages.send(End).await?;
///
/// let mut messages = FramedRead::new(&messages.get_ref()[..], FrameDecoder::new(&key));
/// assert_eq!(messages.next().await.unwrap()?, b"attack"[..]);
/// assert_eq!(messages.next().await.unwrap()?, b"at dawn"[..]);
/// assert!(messages.next().await.is_none()); // the authentic end
/// # Ok::<(), ss55_stream::Error>(())
/// # }).unwrap();
/// ```
pub struct FrameEncoder<E = SimdEngine> {
    seal: V2<E>,
    ad: Box<[u8]>,
    /// Until it is written.
    header: Option<[u8; HEADER_LEN]>,
    failed: Option<Sticky>,
}

/// Reads the messages of an SS55 stream, v2 or v1, each authenticated before. The stream of them ends
/// with v2 only after the final frame; an input that ends before it is an error.
///
/// The buffers of the messages are the caller's, and are not wiped.
pub struct FrameDecoder<E = SimdEngine> {
    open: Ss55<E>,
    ad: Box<[u8]>,
    failed: Option<Sticky>,
}

impl FrameEncoder {
    /// A stream under `key` with a fresh random header. What else can be chosen is chosen by
    /// [`EncryptorBuilder::build_codec`].
    pub fn new(key: &Key) -> Self {
        EncryptorBuilder::default().build_codec(key)
    }
}

impl FrameDecoder {
    /// A stream under `key`. What else can be chosen is chosen by [`DecryptorBuilder::build_codec`].
    pub fn new(key: &Key) -> Self {
        DecryptorBuilder::default().build_codec(key)
    }
}

impl<E: Engine> EncryptorBuilder<E> {
    /// The frames of a stream under `key`.
    pub fn build_codec(self, key: &Key) -> FrameEncoder<E> {
        let (seal, ad, header, random) = self.parts(key);
        FrameEncoder {
            seal,
            ad,
            header: Some(header),
            failed: random.err().map(Sticky::Random),
        }
    }
}

impl<E: Engine> DecryptorBuilder<E> {
    /// The frames of a stream under `key`.
    pub fn build_codec(self, key: &Key) -> FrameDecoder<E> {
        let (open, ad) = self.parts(key);
        FrameDecoder {
            open,
            ad,
            failed: None,
        }
    }
}

impl<E: Engine> FrameEncoder<E> {
    /// Puts the header, unless it is written, and what `seal` makes of `len` bytes behind `dst`.
    fn append(
        &mut self,
        dst: &mut BytesMut,
        len: usize,
        seal: impl FnOnce(&mut V2<E>, &[u8], &mut [u8]) -> Result<(), ss55_wire::Error>,
    ) -> Result<(), Error> {
        if let Some(failed) = self.failed {
            return Err(failed.into());
        }
        let start = dst.len();
        dst.extend_from_slice(self.header.as_ref().map_or(&[], |header| &header[..]));
        let at = dst.len();
        dst.resize(at + len, 0);
        match seal(&mut self.seal, &self.ad, &mut dst[at..]) {
            Ok(()) => {
                self.header = None;
                Ok(())
            }
            Err(error) => {
                dst.truncate(start);
                Err(error.into())
            }
        }
    }
}

impl<E: Engine, T: AsRef<[u8]>> Encoder<T> for FrameEncoder<E> {
    type Error = Error;

    fn encode(&mut self, message: T, dst: &mut BytesMut) -> Result<(), Error> {
        let message = message.as_ref();
        if message.is_empty() {
            return Ok(());
        }
        self.append(dst, message.len() + FRAME_OVERHEAD, |v2, ad, frame| {
            v2.seal_to(ad, message, frame)
        })
    }
}

impl<E: Engine> Encoder<End> for FrameEncoder<E> {
    type Error = Error;

    fn encode(&mut self, End: End, dst: &mut BytesMut) -> Result<(), Error> {
        self.append(dst, FINAL_FRAME_LEN, |v2, ad, frame| {
            v2.finish(ad, frame, 0).map(|_| ())
        })
    }
}

impl<E: Engine> FrameDecoder<E> {
    fn next(&mut self, src: &mut BytesMut, eof: bool) -> Result<Option<BytesMut>, Error> {
        if let Some(failed) = self.failed {
            return Err(failed.into());
        }
        let mut step = || {
            loop {
                match self.open.status(src, eof)? {
                    Status::More { need, .. } => {
                        src.reserve(need.saturating_sub(src.len()));
                        return Ok(None);
                    }
                    Status::Header(len) => src.advance(len),
                    Status::End => return Ok(None),
                    Status::Frame(frame) => {
                        let mut plaintext = BytesMut::zeroed(frame.plaintext);
                        let sealed = &src[..frame.len];
                        self.open.open_to(&self.ad, sealed, &mut plaintext)?;
                        src.advance(frame.len);
                        if !self.open.is_finished() {
                            return Ok(Some(plaintext));
                        }
                    }
                }
            }
        };
        step().map_err(|error| {
            self.failed = Some(Sticky::Wire(error));
            error.into()
        })
    }
}

impl<E: Engine> Decoder for FrameDecoder<E> {
    type Item = BytesMut;
    type Error = Error;

    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<BytesMut>, Error> {
        self.next(src, false)
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<BytesMut>, Error> {
        self.next(src, true)
    }
}

impl<E> fmt::Debug for FrameEncoder<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameEncoder").finish_non_exhaustive()
    }
}

impl<E> fmt::Debug for FrameDecoder<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameDecoder").finish_non_exhaustive()
    }
}
