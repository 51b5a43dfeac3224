//! Random access to the plaintext of a v2 stream.

use crate::{Engine, Error, Key, SimdEngine, buffer::Buffer, error::Sticky};
use ss55_wire::{
    Error as Wire,
    v2::{
        FINAL_FRAME_LEN, FRAME_HEADER_LEN, FRAME_OVERHEAD, FrameHeader, FrameTag, HEADER_LEN,
        Header, MAX_FRAME_LEN, MAX_PLAINTEXT, Opener,
    },
};
use std::{
    fmt,
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
};

/// Frames from one mark to the next in a stream whose frames differ: so many heads are read to find one
/// frame, and 16 bytes are kept for so many.
const STRIDE: u64 = 64;

/// Reads any place of a v2 stream's plaintext, one frame of the input for each place.
///
/// Opening it authenticates the final frame, which fixes how many frames there are, and the last message
/// frame; where the frames differ, the first one too. From then on every frame is authenticated in its place, by its number, before a byte of it
/// comes out.
///
/// Where all frames are full but the last, as plain writers make them, a frame is found by its number;
/// the length field that is there must say so. Streams that were flushed, or written by `write_frame`,
/// have their length fields read once, when they are opened.
///
/// # What is not known before all is read
/// The lengths of the frames between are taken from the input until those frames are opened. Somebody who
/// may change the input can move what comes behind a frame by changing that one's length; the frame then
/// does not open. So bytes at an offset are authentic, and are at *that* offset if all frames before are
/// what they say: [`len`](Self::len) tells whether that has been seen. Whoever needs to know beforehand
/// reads the stream from its start to its end once.
///
/// ```
/// use ss55_stream::{Encryptor, Key, SeekableDecryptor};
/// use std::io::{Cursor, Read, Seek, SeekFrom, Write};
///
/// let key = Key::from_bytes([7; 32]);
/// let mut encryptor = Encryptor::new(Vec::new(), &key);
/// encryptor.write_all(&vec![1; 1_000_000])?;
/// encryptor.write_all(b"the end")?;
/// let sealed = Cursor::new(encryptor.finish()?);
///
/// let mut decryptor = SeekableDecryptor::new(sealed, &key)?;
/// decryptor.seek(SeekFrom::End(-3))?;
/// let mut end = String::new();
/// decryptor.read_to_string(&mut end)?;
/// assert_eq!(end, "end");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct SeekableDecryptor<R, E = SimdEngine> {
    inner: R,
    ad: Box<[u8]>,
    /// At the first frame, where it stays.
    opener: Opener<E>,
    frames: Frames,
    /// Message frames.
    count: u64,
    /// Bytes of plaintext.
    len: u64,
    /// Offset in the plaintext.
    position: u64,
    /// Frames from the start on that have been opened, one after the other.
    seen: u64,
    /// The frame that comes from the input.
    sealed: Box<[u8]>,
    /// The frame that was opened last.
    opened: Buffer,
    current: Option<Frame>,
    /// Offset of the frame that was tried last.
    at: u64,
    failed: Option<Sticky>,
}

/// Bytes of the plaintext, and what is known of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Each frame has been opened, one after the other: it is what the writer wrote. A stream with empty
    /// frames, which no writer here makes, never comes to this.
    Authenticated(u64),
    /// It is this, or one of the frames does not open.
    Provisional(u64),
}

impl Length {
    /// The number itself.
    pub fn bytes(self) -> u64 {
        match self {
            Length::Authenticated(bytes) | Length::Provisional(bytes) => bytes,
        }
    }
}

/// Where frames lie.
enum Frames {
    /// All are full, but perhaps the last.
    Full,
    /// Every [`STRIDE`]th: where it begins in the input and in the plaintext.
    Marks(Vec<(u64, u64)>),
}

/// A message frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    number: u64,
    /// Offset in the input.
    at: u64,
    /// Offset in the plaintext.
    start: u64,
    /// Bytes of plaintext.
    len: usize,
}

impl Frame {
    fn plaintext(self) -> Range<u64> {
        self.start..self.start + self.len as u64
    }
}

impl<R: Read + Seek> SeekableDecryptor<R> {
    /// The v2 stream that `inner` is, under `key`, from offset 0 to its end.
    ///
    /// # Errors
    /// As [`DecryptorBuilder::build_seekable`](crate::DecryptorBuilder::build_seekable).
    pub fn new(inner: R, key: &Key) -> Result<Self, Error> {
        SeekableDecryptor::open(SimdEngine::new(), inner, key, Box::default())
    }
}

impl<R: Read + Seek, E: Engine + Clone> SeekableDecryptor<R, E> {
    pub(crate) fn open(engine: E, mut inner: R, key: &Key, ad: Box<[u8]>) -> Result<Self, Error> {
        let size = inner.seek(SeekFrom::End(0))?;
        let mut header = [0; HEADER_LEN];
        let len = read_at(&mut inner, 0, &mut header)?;
        // What does not begin like a v2 stream is not a cut one.
        if !ss55_wire::v2::MAGIC
            .iter()
            .zip(&header[..len])
            .all(|(magic, byte)| magic == byte)
        {
            return Err(Wire::BadMagic.into());
        }
        if len < HEADER_LEN {
            return Err(Wire::Truncated.into());
        }
        let header = Header::parse(&header)?;
        let mut stream = SeekableDecryptor {
            inner,
            ad,
            opener: Opener::new(engine, key, &header),
            frames: Frames::Full,
            count: 0,
            len: 0,
            position: 0,
            seen: 0,
            sealed: vec![0; MAX_FRAME_LEN].into(),
            opened: Buffer::reserved(MAX_PLAINTEXT),
            current: None,
            at: 0,
            failed: None,
        };
        if !stream.open_full(size)? {
            // Under a wrong key or ad there are not all the length fields to be read before it is told.
            stream.open_first()?;
            stream.open_marked(size)?;
        }
        Ok(stream)
    }

    /// Bytes of the plaintext.
    pub fn len(&self) -> Length {
        if self.seen == self.count {
            Length::Authenticated(self.len)
        } else {
            Length::Provisional(self.len)
        }
    }

    /// Whether there is no plaintext.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Offset in the input of the frame that was opened last, or of the one that failed.
    pub fn frame_offset(&self) -> u64 {
        self.at
    }

    /// Whether a frame is found by its number, as all are full but the last: otherwise by the length
    /// fields.
    pub fn is_uniform(&self) -> bool {
        matches!(self.frames, Frames::Full)
    }

    /// The inner reader.
    pub fn inner(&self) -> &R {
        &self.inner
    }

    /// Gives the inner reader back, standing anywhere.
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Takes all frames for full ones but the last, and opens the last two. `false` if they are not.
    fn open_full(&mut self, size: u64) -> Result<bool, Error> {
        let Some(frames) = size.checked_sub((HEADER_LEN + FINAL_FRAME_LEN) as u64) else {
            return Ok(false);
        };
        let (full, rest) = (frames / MAX_FRAME_LEN as u64, frames % MAX_FRAME_LEN as u64);
        // A last frame with nothing in it is no plain writer's.
        if rest != 0 && rest <= FRAME_OVERHEAD as u64 {
            return Ok(false);
        }
        self.count = full + u64::from(rest > 0);
        self.len = frames - self.count * FRAME_OVERHEAD as u64;
        let last = Frame {
            number: self.count,
            at: HEADER_LEN as u64 + frames,
            start: self.len,
            len: 0,
        };
        Ok(self.open_end(last)? && {
            let last = self.count.checked_sub(1).map(|number| self.full(number));
            match last {
                None => true,
                Some(last) => self.try_open(last)?.is_ok(),
            }
        })
    }

    /// Follows the length fields, and opens the last two frames.
    fn open_marked(&mut self, size: u64) -> Result<(), Error> {
        let mut marks = Vec::new();
        let mut frame = Frame {
            number: 0,
            at: HEADER_LEN as u64,
            start: 0,
            len: 0,
        };
        let mut last = None;
        let end = loop {
            let head = self.head(frame.at)?.ok_or(Wire::Truncated)?;
            frame.len = head.plaintext_len();
            let next = frame.at + (FRAME_HEADER_LEN + head.payload_len()) as u64;
            if next > size {
                return Err(Wire::Truncated.into());
            }
            if head.tag() == FrameTag::Final {
                if !self.open_end(frame)? {
                    return Err(Wire::Authentication.into());
                }
                if next < size {
                    return Err(Wire::TrailingData.into());
                }
                break frame;
            }
            if frame.number.is_multiple_of(STRIDE) {
                marks.push((frame.at, frame.start));
            }
            last = Some(frame);
            frame = Frame {
                number: frame.number + 1,
                at: next,
                start: frame.plaintext().end,
                len: 0,
            };
        };
        self.frames = Frames::Marks(marks);
        (self.count, self.len) = (end.number, end.start);
        if let Some(last) = last {
            self.try_open(last)??;
        }
        Ok(())
    }

    /// Opens the first message frame, if there is one.
    fn open_first(&mut self) -> Result<(), Error> {
        let at = HEADER_LEN as u64;
        let head = self.head(at)?.ok_or(Wire::Truncated)?;
        if head.tag() == FrameTag::Message {
            self.try_open(Frame {
                number: 0,
                at,
                start: 0,
                len: head.plaintext_len(),
            })??;
        }
        Ok(())
    }

    /// Whether the final frame lies there.
    fn open_end(&mut self, end: Frame) -> Result<bool, Error> {
        let mut sealed = [0; FINAL_FRAME_LEN];
        if read_at(&mut self.inner, end.at, &mut sealed)? < sealed.len() {
            return Ok(false);
        }
        let Ok(Some(head)) = FrameHeader::parse(&sealed) else {
            return Ok(false);
        };
        let payload = &sealed[FRAME_HEADER_LEN..];
        Ok(head.tag() == FrameTag::Final
            && self
                .opener
                .ahead(end.number)?
                .open_to(head, b"", payload, &mut [])
                .is_ok())
    }

    /// Frame `number`, where all are full.
    fn full(&self, number: u64) -> Frame {
        let start = number * MAX_PLAINTEXT as u64;
        Frame {
            number,
            at: HEADER_LEN as u64 + number * MAX_FRAME_LEN as u64,
            start,
            len: (self.len - start).min(MAX_PLAINTEXT as u64) as usize,
        }
    }

    /// The frame in which the plaintext's byte `position` lies, which there is.
    fn find(&mut self, position: u64) -> Result<Frame, Error> {
        let marks = match &self.frames {
            Frames::Full => return Ok(self.full(position / MAX_PLAINTEXT as u64)),
            Frames::Marks(marks) => marks,
        };
        // Of marks at one place, which only empty frames lie between, the last.
        let mark = marks.partition_point(|(_, start)| *start <= position) - 1;
        let (mut at, mut start) = marks[mark];
        let mut number = mark as u64 * STRIDE;
        loop {
            let head = self.head(at)?.ok_or(Wire::Truncated)?;
            let frame = Frame {
                number,
                at,
                start,
                len: head.plaintext_len(),
            };
            if frame.plaintext().contains(&position) {
                return Ok(frame);
            }
            // The input is not what it was when the marks were made.
            if number + 1 >= self.count {
                return Err(Wire::Authentication.into());
            }
            number += 1;
            at += (FRAME_HEADER_LEN + head.payload_len()) as u64;
            start = frame.plaintext().end;
        }
    }

    /// The head of the frame that begins there; `None` if the input ends before.
    fn head(&mut self, at: u64) -> Result<Option<FrameHeader>, Error> {
        self.at = at;
        let mut head = [0; FRAME_HEADER_LEN];
        let len = read_at(&mut self.inner, at, &mut head)?;
        Ok(FrameHeader::parse(&head[..len])?)
    }

    /// Opens a message frame, unless it is the current one, and makes it that. The inner result is what
    /// the frame says.
    fn try_open(&mut self, frame: Frame) -> Result<Result<(), Wire>, Error> {
        if self.current == Some(frame) {
            return Ok(Ok(()));
        }
        self.current = None;
        self.at = frame.at;
        let sealed = &mut self.sealed[..frame.len + FRAME_OVERHEAD];
        if read_at(&mut self.inner, frame.at, sealed)? < sealed.len() {
            return Ok(Err(Wire::Truncated));
        }
        let head = match FrameHeader::parse(sealed) {
            Ok(Some(head))
                if head.tag() == FrameTag::Message && head.plaintext_len() == frame.len =>
            {
                head
            }
            // A length that is possible, but not here.
            Ok(_) => return Ok(Err(Wire::Authentication)),
            Err(error) => return Ok(Err(error)),
        };
        let payload = &sealed[FRAME_HEADER_LEN..];
        let plaintext = self.opened.room(frame.len);
        let mut opener = self.opener.ahead(frame.number)?;
        if let Err(error) = opener.open_to(head, &self.ad, payload, plaintext) {
            return Ok(Err(error));
        }
        self.current = Some(frame);
        if frame.number == self.seen {
            self.seen += 1;
        }
        Ok(Ok(()))
    }

    fn read_some(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        if out.is_empty() || self.position >= self.len {
            return Ok(0);
        }
        let frame = match self.current {
            Some(frame) if frame.plaintext().contains(&self.position) => frame,
            _ => self.find(self.position)?,
        };
        self.try_open(frame)??;
        let from = (self.position - frame.start) as usize;
        let take = out.len().min(frame.len - from);
        out[..take].copy_from_slice(&self.opened[from..from + take]);
        self.position += take as u64;
        Ok(take)
    }
}

impl<R: Read + Seek, E: Engine + Clone> Read for SeekableDecryptor<R, E> {
    /// Reads from the current offset on, to the end of its frame at most. An error that is not
    /// `WouldBlock` stays.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let Some(failed) = self.failed {
            return Err(Error::from(failed).into());
        }
        self.read_some(out).map_err(|error| {
            self.failed = error.sticky();
            error.into()
        })
    }
}

impl<R: Read + Seek, E: Engine + Clone> Seek for SeekableDecryptor<R, E> {
    /// Goes to an offset in the plaintext, perhaps behind its end. Nothing is read for that.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, offset) = match to {
            SeekFrom::Start(position) => (position, 0),
            SeekFrom::Current(offset) => (self.position, offset),
            SeekFrom::End(offset) => (self.len, offset),
        };
        self.position = base.checked_add_signed(offset).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "an offset before the start, or above 2^64",
            )
        })?;
        Ok(self.position)
    }
}

impl<R: fmt::Debug, E> fmt::Debug for SeekableDecryptor<R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeekableDecryptor")
            .field("inner", &self.inner)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

/// Fills `buf` from a place of `inner`, as far as that goes.
fn read_at(inner: &mut (impl Read + Seek), at: u64, buf: &mut [u8]) -> io::Result<usize> {
    inner.seek(SeekFrom::Start(at))?;
    let mut filled = 0;
    while filled < buf.len() {
        match inner.read(&mut buf[filled..]) {
            Ok(0) => break,
            Ok(n) if n > buf.len() - filled => {
                return Err(Error::InnerContract.into());
            }
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
