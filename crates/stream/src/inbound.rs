//! The reading side without its reader: sealed bytes in, plaintext out.
//!
//! One buffer holds a window of the input: at least the frame that is being read. A frame is opened
//! straight into the caller's slice where that is large enough, else into a second buffer, from which
//! its plaintext is taken piece by piece.
//!
//! A format may have several frames opened at a time, a batch: those that one read brought. So nobody waits
//! for more while a whole frame is there, and what goes wrong behind it is seen after it was handed out.
//! While others open them, this thread reads on, into a second window, if a part of a further frame has come:
//! then the rest of that is on its way, and no writer is waiting for an answer.

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
    /// Whether a batch is opened on several threads, of which this one may read on. Other batches serve
    /// [`fill_buf`](Inbound::fill_buf) alone: a frame that fits it is opened straight into a reader's slice.
    const SHARED: bool = false;

    /// Bytes of the largest window that [`Status::More`] wants.
    fn window(&self) -> usize;
    /// Most plaintext bytes of a batch.
    fn capacity(&self) -> usize;
    /// Most frames that are opened at a time.
    fn batch(&self) -> usize {
        1
    }
    /// Looks at the input from the current frame on, of which nothing follows if `eof`.
    fn status(&mut self, input: &[u8], eof: bool) -> Result<Status, Wire>;
    /// Whether what has been opened is the whole stream, by its own word.
    fn is_finished(&self) -> bool;
    /// The frame that lies whole at the start of `input`, if it may be opened together with others.
    /// Looking changes nothing: what is wrong with it is said when its turn comes.
    fn look(&self, input: &[u8]) -> Option<Frame> {
        let _ = input;
        None
    }
    /// Whether `input` is a part of a frame, of which more has to come.
    fn is_begun(&self, input: &[u8]) -> bool {
        let _ = input;
        false
    }
    /// Opens a frame into a slice of its plaintext's length.
    fn open_to(&mut self, ad: &[u8], frame: &[u8], plaintext: &mut [u8]) -> Result<(), Wire>;
    /// Opens `frames`, of which `input` is made, one behind the other into a slice of their plaintexts'
    /// length. Answers how many there are before the first that fails. Behind their plaintexts there is
    /// none then. Where others do it, `meanwhile` is called.
    fn open_all(
        &mut self,
        ad: &[u8],
        frames: &[Frame],
        mut input: &[u8],
        mut plaintext: &mut [u8],
        meanwhile: impl FnOnce(),
    ) -> (usize, Result<(), Wire>) {
        let _ = meanwhile;
        for (index, frame) in frames.iter().enumerate() {
            let (sealed, out);
            (sealed, input) = input.split_at(frame.len);
            (out, plaintext) = plaintext.split_at_mut(frame.plaintext);
            if let Err(error) = self.open_to(ad, sealed, out) {
                plaintext.fill(0);
                return (index, Err(error));
            }
        }
        (frames.len(), Ok(()))
    }
}

/// The state of one stream on its way in.
pub(crate) struct Inbound<O> {
    open: O,
    ad: Box<[u8]>,
    /// A window of the input, of which `input` is there, from the current frame on.
    buf: Box<[u8]>,
    input: Range<usize>,
    /// The window that is filled while the other is opened; none if nobody reads ahead.
    ahead: Box<[u8]>,
    /// What the inner reader said then, if that was no bytes.
    ahead_failed: Option<io::Error>,
    /// The frames at the start of the input that are opened next.
    batch: Vec<Frame>,
    /// Opened frames, of which nobody has taken `plain` yet.
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
            ahead: vec![0; if O::SHARED { open.window() } else { 0 }].into(),
            ahead_failed: None,
            batch: Vec::with_capacity(open.batch()),
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
            let Some(first) = self.next_frame(inner)? else {
                return Ok(0);
            };
            let most = if O::SHARED { self.open.batch() } else { 1 };
            let plaintext = self.find_batch(first, most);
            if plaintext > 0 && plaintext <= out.len() {
                return self.open(inner, None, Some(&mut out[..plaintext]));
            }
            self.open(inner, None, None)?;
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
            let Some(first) = self.next_frame(inner)? else {
                return Ok(&[]);
            };
            self.find_batch(first, self.open.batch());
            self.open(inner, None, None)?;
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
            self.batch.clear();
            self.batch.push(frame);
            self.open(inner, Some(ad), Some(&mut out[..]))
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

    /// Makes `first`, which lies at the start of the input, and what follows it there the next batch, of at
    /// `most` so many. Returns the bytes of their plaintext.
    fn find_batch(&mut self, first: Frame, most: usize) -> usize {
        let (mut at, mut plaintext) = (self.input.start, 0);
        let mut next = Some(first);
        self.batch.clear();
        while let Some(frame) = next {
            self.batch.push(frame);
            at += frame.len;
            plaintext += frame.plaintext;
            next = if self.batch.len() < most
                && self.open.look(&self.buf[self.input.clone()]).is_some()
            {
                self.open.look(&self.buf[at..self.input.end])
            } else {
                None
            };
        }
        plaintext
    }

    /// Reads until `need` bytes of input are there, or the input ends.
    fn fill(&mut self, inner: &mut impl Read, need: usize, want: usize) -> Result<(), Error> {
        if self.input.start + want > self.buf.len() {
            self.buf.copy_within(self.input.clone(), 0);
            self.input = 0..self.input.len();
        }
        while self.input.len() < need && !self.eof {
            let end = self.input.start + want;
            let read = match self.ahead_failed.take() {
                Some(error) => Err(error),
                None => inner.read(&mut self.buf[self.input.end..end]),
            };
            match read {
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

    /// Opens the batch, into `out` or else into `opened`. Returns the bytes of plaintext; if there are
    /// any, an error behind them waits for the next call.
    fn open(
        &mut self,
        inner: &mut impl Read,
        ad: Option<&[u8]>,
        out: Option<&mut [u8]>,
    ) -> Result<usize, Error> {
        let sum = |frames: &[Frame]| {
            frames.iter().fold((0, 0), |(len, plaintext), frame| {
                (len + frame.len, plaintext + frame.plaintext)
            })
        };
        let (len, plaintext) = sum(&self.batch);
        let (input, begun) = self.buf[self.input.clone()].split_at(len);
        let may_read = O::SHARED && !self.eof && self.open.is_begun(begun);
        let (room, mut read) = (&mut self.ahead, None);
        let meanwhile = || {
            if may_read {
                room[..begun.len()].copy_from_slice(begun);
                read = Some(inner.read(&mut room[begun.len()..]));
            }
        };
        let ad = ad.unwrap_or(&self.ad);
        let to_opened = out.is_none();
        let out = out.unwrap_or_else(|| self.opened.room(plaintext));
        let (done, opened) = self.open.open_all(ad, &self.batch, input, out, meanwhile);
        let begun = begun.len();
        let (len, plaintext) = sum(&self.batch[..done]);
        self.advance(len);
        if to_opened {
            self.plain = 0..plaintext;
        }
        match opened.map_err(|error| self.fail(error.into())) {
            Err(error) if plaintext == 0 => return Err(error),
            Err(_) => {}
            Ok(()) => self.take_ahead(begun, read),
        }
        Ok(plaintext)
    }

    /// The next window is the one that was read ahead, behind the `begun` bytes that it starts with.
    fn take_ahead(&mut self, begun: usize, read: Option<io::Result<usize>>) {
        let n = match read {
            None => return,
            Some(Ok(0)) => {
                self.eof = true;
                0
            }
            Some(Ok(n)) => n,
            // What passes is tried again when more is needed.
            Some(Err(error)) if is_passing(error.kind()) => return,
            Some(Err(error)) => {
                self.ahead_failed = Some(error);
                return;
            }
        };
        if n > self.ahead.len() - begun {
            self.fail(Error::InnerContract);
            return;
        }
        std::mem::swap(&mut self.buf, &mut self.ahead);
        self.input = 0..begun + n;
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

/// Whether an inner reader that said so may be asked again.
fn is_passing(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}
