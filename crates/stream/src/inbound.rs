//! The reading side without its reader: sealed bytes in, plaintext out.
//!
//! One buffer holds a window of the input: at least the frame that is being read. A frame is opened
//! straight into the caller's slice where that is large enough, else into a second buffer, from which
//! its plaintext is taken piece by piece.

use crate::{Error, buffer::Buffer, error::Sticky};
use ss55_wire::Error as Wire;
use std::{
    io::{self, Read},
    ops::Range,
};

/// Where a frame and its plaintext end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Bytes of the whole frame.
    pub(crate) len: usize,
    /// Bytes of its plaintext.
    pub(crate) plaintext: usize,
}

/// What a format makes of the bytes that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// More bytes are wanted: `need` in all before anything can go on, and up to `want` if they come
    /// with the same read.
    More { need: usize, want: usize },
    /// So many bytes of header are done with.
    Header(usize),
    /// A whole frame lies at the start.
    Frame(Frame),
    /// The stream has ended as it should, and the input too.
    End,
}

/// A format, as its reader sees it.
pub(crate) trait Open {
    /// Bytes of the largest window that [`Status::More`] wants.
    fn window(&self) -> usize;
    /// Most plaintext bytes of a frame.
    fn capacity(&self) -> usize;
    /// Looks at the input from the current frame on, of which nothing follows if `eof`.
    fn status(&mut self, input: &[u8], eof: bool) -> Result<Status, Wire>;
    /// Whether what has been opened is the whole stream, by its own word.
    fn is_finished(&self) -> bool;
    /// Opens a frame into a slice of its plaintext's length.
    fn open_to(&mut self, ad: &[u8], frame: &[u8], plaintext: &mut [u8]) -> Result<(), Wire>;
}

/// The state of one stream on its way in.
pub(crate) struct Inbound<O> {
    open: O,
    ad: Box<[u8]>,
    /// A window of the input, of which `input` is there, from the current frame on.
    buf: Box<[u8]>,
    input: Range<usize>,
    /// An opened frame, of which nobody has taken `plain` yet.
    opened: Buffer,
    plain: Range<usize>,
    /// Offset of `input.start` in the whole input.
    offset: u64,
    eof: bool,
    failed: Option<Sticky>,
}

impl<O: Open> Inbound<O> {
    pub(crate) fn new(open: O, ad: Box<[u8]>) -> Self {
        Inbound {
            ad,
            buf: vec![0; open.window()].into(),
            input: 0..0,
            opened: Buffer::reserved(open.capacity()),
            open,
            plain: 0..0,
            offset: 0,
            eof: false,
            failed: None,
        }
    }

    pub(crate) fn format(&self) -> &O {
        &self.open
    }

    /// Offset in the input of the frame that comes next, or of the one that failed.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// [`Read::read`].
    pub(crate) fn read(&mut self, inner: &mut impl Read, out: &mut [u8]) -> Result<usize, Error> {
        if out.is_empty() {
            return Ok(0);
        }
        while self.plain.is_empty() {
            let Some(frame) = self.next_frame(inner)? else {
                return Ok(0);
            };
            if frame.plaintext > 0 && frame.plaintext <= out.len() {
                self.open(frame, None, Some(&mut out[..frame.plaintext]))?;
                return Ok(frame.plaintext);
            }
            self.open(frame, None, None)?;
        }
        let take = self.plain.len().min(out.len());
        let at = self.plain.start;
        out[..take].copy_from_slice(&self.opened[at..at + take]);
        self.plain.start += take;
        Ok(take)
    }

    /// [`io::BufRead::fill_buf`].
    pub(crate) fn fill_buf(&mut self, inner: &mut impl Read) -> Result<&[u8], Error> {
        while self.plain.is_empty() {
            let Some(frame) = self.next_frame(inner)? else {
                return Ok(&[]);
            };
            self.open(frame, None, None)?;
        }
        Ok(&self.opened[self.plain.clone()])
    }

    /// [`io::BufRead::consume`].
    pub(crate) fn consume(&mut self, n: usize) {
        self.plain.start += n.min(self.plain.len());
    }

    /// Puts the next frame's plaintext into `out`, opened with `ad`; `false` is the end.
    pub(crate) fn read_frame(
        &mut self,
        inner: &mut impl Read,
        out: &mut Vec<u8>,
        ad: &[u8],
    ) -> Result<bool, Error> {
        out.clear();
        if !self.plain.is_empty() {
            out.extend_from_slice(&self.opened[self.plain.clone()]);
            self.plain.start = self.plain.end;
            return Ok(true);
        }
        while let Some(frame) = self.next_frame(inner)? {
            out.resize(frame.plaintext, 0);
            self.open(frame, Some(ad), Some(&mut out[..]))
                .inspect_err(|_| out.clear())?;
            if !self.open.is_finished() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads until a whole frame is there. `None` is the end.
    fn next_frame(&mut self, inner: &mut impl Read) -> Result<Option<Frame>, Error> {
        self.check()?;
        loop {
            let input = &self.buf[self.input.clone()];
            match self.open.status(input, self.eof) {
                Ok(Status::Frame(frame)) => return Ok(Some(frame)),
                Ok(Status::End) => return Ok(None),
                Ok(Status::Header(len)) => self.advance(len),
                Ok(Status::More { need, want }) => self.fill(inner, need, want)?,
                Err(error) => return Err(self.fail(error.into())),
            }
        }
    }

    /// Reads until `need` bytes of input are there, or the input ends.
    fn fill(&mut self, inner: &mut impl Read, need: usize, want: usize) -> Result<(), Error> {
        if self.input.start + want > self.buf.len() {
            self.buf.copy_within(self.input.clone(), 0);
            self.input = 0..self.input.len();
        }
        while self.input.len() < need && !self.eof {
            let end = self.input.start + want;
            match inner.read(&mut self.buf[self.input.end..end]) {
                Ok(0) => self.eof = true,
                Ok(n) if n > end - self.input.end => {
                    return Err(self.fail(Error::InnerContract));
                }
                Ok(n) => self.input.end += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fail(error.into())),
            }
        }
        Ok(())
    }

    /// Opens the frame at the start of the input, into `out` or else into `opened`.
    fn open(
        &mut self,
        frame: Frame,
        ad: Option<&[u8]>,
        out: Option<&mut [u8]>,
    ) -> Result<(), Error> {
        let at = self.input.start;
        let bytes = &self.buf[at..at + frame.len];
        let ad = ad.unwrap_or(&self.ad);
        let opened = if let Some(out) = out {
            self.open.open_to(ad, bytes, out)
        } else {
            let opened = self.opened.room(frame.plaintext);
            self.open
                .open_to(ad, bytes, opened)
                .map(|()| self.plain = 0..frame.plaintext)
        };
        opened.map_err(|error| self.fail(error.into()))?;
        self.advance(frame.len);
        Ok(())
    }

    fn advance(&mut self, len: usize) {
        self.input.start += len;
        self.offset += len as u64;
    }

    fn check(&self) -> Result<(), Error> {
        self.failed.map_or(Ok(()), |failed| Err(failed.into()))
    }

    fn fail(&mut self, error: Error) -> Error {
        if self.failed.is_none() {
            self.failed = error.sticky();
        }
        error
    }
}
