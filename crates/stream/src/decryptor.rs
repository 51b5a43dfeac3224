//! The reader of SS55 v2 and v1.

#[cfg(feature = "parallel")]
use crate::parallel::{self, Shared};
use crate::{
    Engine, Error, Key, SeekableDecryptor, SimdEngine,
    inbound::{Frame, Inbound, Open, Status},
};
use ss55_wire::{Error as Wire, v1, v2};
use std::io::{self, Read};

/// Which format a stream turned out to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// SS55 v1, whose end cannot be authenticated.
    V1,
    /// SS55 v2.
    V2,
}

/// Which formats a reader accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Formats {
    /// v2 by its magic, all else as v1. Any 24 bytes without the magic are then an empty v1 stream,
    /// and any v1 archive under the same key passes for the file: prefer [`V2`](Formats::V2) wherever
    /// no v1 archives exist.
    #[default]
    Any,
    /// v2 alone.
    V2,
    /// v1 alone.
    V1,
}

/// Reads an SS55 stream from an inner reader.
///
/// The first eight bytes tell v2 from v1. Plaintext comes out frame by frame, each authenticated
/// before; what was read is an authentic prefix until `read` has answered `Ok(0)`, and with v1 it is
/// no more than that even then: see [`end_is_authenticated`](Self::end_is_authenticated).
///
/// A frame that fits the slice given to `read` is decrypted into it, and wiped from it if it fails.
pub struct Decryptor<R, E = SimdEngine> {
    input: Inbound<Ss55<E>>,
    inner: R,
}

impl<R: Read> Decryptor<R> {
    /// A stream from `inner` under `key`, v2 or v1, on the fastest engine of this machine.
    pub fn new(inner: R, key: &Key) -> Self {
        Decryptor::builder().build(inner, key)
    }
}

impl Decryptor<io::Empty> {
    /// Sets what [`new`](Decryptor::new) leaves at its default.
    pub fn builder() -> DecryptorBuilder {
        DecryptorBuilder::default()
    }
}

impl<R: Read, E: Engine> Decryptor<R, E> {
    /// Reads the next frame's plaintext into `frame`, whose old content is dropped, and checks that
    /// `ad` is what the writer gave. `false` is the authenticated end (v1: the end of the input).
    ///
    /// What plain reads have left of a frame comes first. A frame may be empty.
    ///
    /// # Errors
    /// [`Wire::Authentication`] for a wrong key, a wrong `ad` or damage; [`Wire::Truncated`],
    /// [`Wire::TrailingData`] and others for a stream that is not whole; or an error of the inner
    /// reader. `frame` is then empty.
    pub fn read_frame(&mut self, frame: &mut Vec<u8>, ad: &[u8]) -> Result<bool, Error> {
        self.input.read_frame(&mut self.inner, frame, ad)
    }

    /// The stream's format, once its first bytes have been read.
    pub fn format(&self) -> Option<Format> {
        self.input.format().name()
    }
}

reader!(Decryptor, Engine);

/// Makes a [`Decryptor`].
#[derive(Clone, Debug, Default)]
pub struct DecryptorBuilder<E = SimdEngine> {
    ad: Vec<u8>,
    engine: E,
    formats: Formats,
}

impl<E: Engine> DecryptorBuilder<E> {
    /// Expects `ad` with every message frame of plain reads: what the writer was given.
    #[must_use]
    pub fn ad(mut self, ad: impl Into<Vec<u8>>) -> Self {
        self.ad = ad.into();
        self
    }

    /// Does the work with `engine`.
    #[must_use]
    pub fn engine<F: Engine>(self, engine: F) -> DecryptorBuilder<F> {
        DecryptorBuilder {
            ad: self.ad,
            engine,
            formats: self.formats,
        }
    }

    /// Accepts these formats alone.
    #[must_use]
    pub fn formats(mut self, formats: Formats) -> Self {
        self.formats = formats;
        self
    }

    /// A stream from `inner` under `key`.
    pub fn build<R: Read>(self, inner: R, key: &Key) -> Decryptor<R, E> {
        let input = self.start(key, |open| open);
        Decryptor { input, inner }
    }

    /// A stream from `inner` under `key`, opened on up to so many threads at a time
    /// ([`MAX_THREADS`](crate::parallel::MAX_THREADS) at most).
    ///
    /// # Panics
    /// If `threads` is 0.
    #[cfg(feature = "parallel")]
    pub fn build_parallel<R: Read>(
        self,
        inner: R,
        key: &Key,
        threads: usize,
    ) -> parallel::Decryptor<R, E>
    where
        E: Clone + Send + Sync,
    {
        let input = self.start(key, |open| Shared::new(open, threads));
        parallel::Decryptor { input, inner }
    }

    /// The v2 stream that `inner` is, from offset 0 to its end, for random access. Other formats are not
    /// accepted, whatever was chosen.
    ///
    /// # Errors
    /// [`Wire::Authentication`] for a wrong key, a wrong ad, or damage in the last two frames (in the
    /// first too, where the frames differ); [`Wire::TrailingData`] behind an authentic final frame;
    /// [`Wire::Truncated`], [`Wire::BadMagic`] and others for what is no whole v2 stream; or an error of
    /// the inner reader.
    pub fn build_seekable<R: Read + io::Seek>(
        self,
        inner: R,
        key: &Key,
    ) -> Result<SeekableDecryptor<R, E>, Error>
    where
        E: Clone,
    {
        SeekableDecryptor::open(self.engine, inner, key, self.ad.into())
    }

    /// A stream from an asynchronous `inner` under `key`.
    #[cfg(feature = "tokio")]
    pub fn build_tokio<R>(self, inner: R, key: &Key) -> crate::tokio::Decryptor<R, E> {
        let input = self.start(key, |open| open);
        crate::tokio::Decryptor { input, inner }
    }

    fn start<O: Open>(self, key: &Key, open: impl FnOnce(Ss55<E>) -> O) -> Inbound<O> {
        let (format, ad) = self.parts(key);
        Inbound::new(open(format), ad)
    }

    /// The format, not begun, and the ad.
    pub(crate) fn parts(self, key: &Key) -> (Ss55<E>, Box<[u8]>) {
        (Ss55::new(self.engine, key, self.formats), self.ad.into())
    }
}

/// The two formats, as their reader sees them.
pub(crate) enum Ss55<E> {
    /// The header has not been read. The engine moves on with the state.
    Start {
        engine: Option<E>,
        key: Key,
        formats: Formats,
    },
    V1(v1::Opener<E>),
    V2(v2::Opener<E>),
}

impl<E: Engine> Ss55<E> {
    pub(crate) fn new(engine: E, key: &Key, formats: Formats) -> Self {
        Ss55::Start {
            engine: Some(engine),
            key: key.clone(),
            formats,
        }
    }

    /// What it has turned out to be.
    pub(crate) fn name(&self) -> Option<Format> {
        match self {
            Ss55::Start { .. } => None,
            Ss55::V1(_) => Some(Format::V1),
            Ss55::V2(_) => Some(Format::V2),
        }
    }

    /// The same, `frames` frames further on.
    #[cfg(feature = "parallel")]
    pub(crate) fn ahead(&self, frames: usize) -> Result<Self, Wire>
    where
        E: Clone,
    {
        match self {
            Ss55::Start { .. } => Err(Wire::BufferSize),
            Ss55::V1(opener) => Ok(Ss55::V1(opener.ahead(frames as u64)?)),
            Ss55::V2(opener) => Ok(Ss55::V2(opener.ahead(frames as u64)?)),
        }
    }

    fn start(&mut self, input: &[u8], eof: bool) -> Result<Status, Wire> {
        let Ss55::Start {
            engine,
            key,
            formats,
        } = self
        else {
            unreachable!("called at the start");
        };
        // As far as the bytes go: what does not begin like a v2 stream is not a cut one.
        let magic = v2::MAGIC.iter().zip(input).all(|(m, byte)| m == byte);
        let is_v2 = match formats {
            Formats::Any if input.len() < v2::MAGIC.len() => {
                return more(v2::MAGIC.len(), v2::HEADER_LEN, eof);
            }
            Formats::Any => magic,
            Formats::V2 => true,
            Formats::V1 => false,
        };
        if is_v2 {
            if !magic {
                return Err(Wire::BadMagic);
            }
            let Some(header) = input.first_chunk() else {
                return more(v2::HEADER_LEN, v2::HEADER_LEN, eof);
            };
            let header = v2::Header::parse(header)?;
            let engine = engine.take().expect("taken once");
            *self = Ss55::V2(v2::Opener::new(engine, key, &header));
            Ok(Status::Header(v2::HEADER_LEN))
        } else {
            let Some(header) = input.first_chunk() else {
                return more(v1::HEADER_LEN, v1::HEADER_LEN, eof);
            };
            let engine = engine.take().expect("taken once");
            *self = Ss55::V1(v1::Opener::new(engine, key, header));
            Ok(Status::Header(v1::HEADER_LEN))
        }
    }
}

/// So many bytes must come, or the input is cut.
fn more(need: usize, want: usize, eof: bool) -> Result<Status, Wire> {
    if eof {
        Err(Wire::Truncated)
    } else {
        Ok(Status::More { need, want })
    }
}

impl<E: Engine> Open for Ss55<E> {
    fn window(&self) -> usize {
        let v2 = v2::MAX_FRAME_LEN + v2::FRAME_HEADER_LEN;
        let v1 = v1::MAX_FRAME_LEN + v1::LENGTH_LEN;
        v2.max(v1)
    }

    fn capacity(&self) -> usize {
        v2::MAX_PLAINTEXT.max(v1::MAX_PLAINTEXT)
    }

    fn status(&mut self, input: &[u8], eof: bool) -> Result<Status, Wire> {
        // With a frame comes the start of the next one, if it is there: one read a frame.
        let (next, len, plaintext) = match self {
            Ss55::Start { .. } => return self.start(input, eof),
            Ss55::V1(opener) => match opener.frame_header(input)? {
                None if input.is_empty() && eof => return opener.end().map(|()| Status::End),
                None => return more(v1::LENGTH_LEN, v1::LENGTH_LEN, eof),
                Some(head) => (
                    v1::LENGTH_LEN,
                    v1::LENGTH_LEN + head.payload_len(),
                    head.plaintext_len(),
                ),
            },
            Ss55::V2(opener) => match opener.frame_header(input)? {
                None if input.is_empty() && eof => return opener.end().map(|()| Status::End),
                // Behind the final frame one byte is one too many.
                None if opener.is_finished() => return more(1, 1, eof),
                None => return more(v2::FRAME_HEADER_LEN, v2::FRAME_HEADER_LEN, eof),
                Some(head) => (
                    v2::FRAME_HEADER_LEN,
                    v2::FRAME_HEADER_LEN + head.payload_len(),
                    head.plaintext_len(),
                ),
            },
        };
        if input.len() < len {
            return more(len, len + next, eof);
        }
        Ok(Status::Frame(Frame { len, plaintext }))
    }

    fn look(&self, input: &[u8]) -> Option<Frame> {
        let frame = match self {
            Ss55::Start { .. } => return None,
            Ss55::V1(_) => {
                let head = v1::FrameHeader::parse(input).ok()??;
                Frame {
                    len: v1::LENGTH_LEN + head.payload_len(),
                    plaintext: head.plaintext_len(),
                }
            }
            // Alone, the final frame is opened after all before it is handed out.
            Ss55::V2(_) => {
                let head = v2::FrameHeader::parse(input).ok()??;
                if head.tag() == v2::FrameTag::Final {
                    return None;
                }
                Frame {
                    len: v2::FRAME_HEADER_LEN + head.payload_len(),
                    plaintext: head.plaintext_len(),
                }
            }
        };
        (frame.len <= input.len()).then_some(frame)
    }

    fn is_begun(&self, input: &[u8]) -> bool {
        let len = match self {
            Ss55::Start { .. } => return false,
            Ss55::V1(_) => v1::FrameHeader::parse(input).map(|head| {
                head.map_or(v1::LENGTH_LEN, |head| v1::LENGTH_LEN + head.payload_len())
            }),
            Ss55::V2(_) => v2::FrameHeader::parse(input).map(|head| {
                let payload = head.map_or(0, v2::FrameHeader::payload_len);
                v2::FRAME_HEADER_LEN + payload
            }),
        };
        !input.is_empty() && len.is_ok_and(|len| input.len() < len)
    }

    fn is_finished(&self) -> bool {
        matches!(self, Ss55::V2(opener) if opener.is_finished())
    }

    fn open_to(&mut self, ad: &[u8], frame: &[u8], plaintext: &mut [u8]) -> Result<(), Wire> {
        match self {
            Ss55::Start { .. } => Err(Wire::BufferSize),
            Ss55::V1(opener) => {
                let head = opener.frame_header(frame)?.ok_or(Wire::BufferSize)?;
                opener.open_to(head, ad, &frame[v1::LENGTH_LEN..], plaintext)
            }
            Ss55::V2(opener) => {
                let head = opener.frame_header(frame)?.ok_or(Wire::BufferSize)?;
                opener.open_to(head, ad, &frame[v2::FRAME_HEADER_LEN..], plaintext)
            }
        }
    }
}
