//! The writing side without its writer: plaintext in, sealed bytes out.
//!
//! One buffer serves twice. While `pending` is empty it gathers plaintext, behind room for each frame's
//! header; then the frames are sealed where they lie and their bytes are pending, until the writer has
//! taken them all. So nothing that was accepted can be lost by a writer that is not ready.
//!
//! How many frames that are at a time, a batch, is the format's choice: one, if one thread seals them.

use crate::{Error, buffer::Buffer, error::Sticky};
use ss55_wire::Error as Wire;
use std::{
    io::{self, Write},
    ops::Range,
};

/// A format, as its writer sees it.
pub(crate) trait Seal {
    /// Bytes of a frame in front of its plaintext.
    const HEAD: usize;
    /// Bytes of a frame behind its plaintext: the mac.
    const TAIL: usize;
    /// Bytes that [`finish`](Seal::finish) may put behind a full frame.
    const END: usize;

    /// Plaintext bytes of a full frame.
    fn capacity(&self) -> usize;
    /// Most frames that are sealed at a time.
    fn batch(&self) -> usize {
        1
    }
    /// Bytes of a full frame.
    fn frame_len(&self) -> usize {
        Self::HEAD + self.capacity() + Self::TAIL
    }
    /// Seals a message: `HEAD` bytes of room, plaintext, room for the mac.
    fn seal_in_place(&mut self, ad: &[u8], frame: &mut [u8]) -> Result<(), Wire>;
    /// Seals a message from one buffer to another.
    fn seal_to(&mut self, ad: &[u8], plaintext: &[u8], frame: &mut [u8]) -> Result<(), Wire>;
    /// [`seal_in_place`](Seal::seal_in_place) for frames that are full, but perhaps the last.
    fn seal_all_in_place(&mut self, ad: &[u8], frames: &mut [u8]) -> Result<(), Wire> {
        frames
            .chunks_mut(self.frame_len())
            .try_for_each(|frame| self.seal_in_place(ad, frame))
    }
    /// [`seal_to`](Seal::seal_to) for frames that are full, but perhaps the last.
    fn seal_all_to(&mut self, ad: &[u8], plaintext: &[u8], frames: &mut [u8]) -> Result<(), Wire> {
        let messages = plaintext.chunks(self.capacity());
        messages
            .zip(frames.chunks_mut(self.frame_len()))
            .try_for_each(|(message, frame)| self.seal_to(ad, message, frame))
    }
    /// Seals the last `plain` bytes of plaintext, which lie behind `HEAD` bytes of room, and what ends
    /// the stream. Returns how many bytes, from the start of `buf`, that makes.
    fn finish(&mut self, ad: &[u8], buf: &mut [u8], plain: usize) -> Result<usize, Wire>;
}

/// Random bytes for a header. Zeros go with an error, and never onto the wire.
pub(crate) fn random_bytes<const N: usize>() -> ([u8; N], Result<(), getrandom::Error>) {
    let mut bytes = [0; N];
    let result = getrandom::fill(&mut bytes);
    (bytes, result)
}

/// How far a stream has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// The end is sealed, but perhaps not written yet.
    Sealed,
    /// The end is written and flushed.
    Closed,
}

/// How far a call of `frames` has come, whose caller has not been told that it is done.
#[derive(Clone, Copy, Debug)]
struct Unfinished {
    /// Bytes that it was given.
    len: usize,
    /// Bytes of them that are sealed.
    sealed: usize,
}

/// The state of one stream on its way out.
pub(crate) struct Outbound<S> {
    seal: S,
    ad: Box<[u8]>,
    /// Plaintext that gathers, or the sealed bytes that it became.
    buf: Buffer,
    /// Gathered plaintext, in bytes: frame by frame, each behind its `HEAD`.
    plain: usize,
    /// Sealed bytes that the writer has not taken.
    pending: Range<usize>,
    /// A call of `frames` that the writer stopped half way.
    unfinished: Option<Unfinished>,
    phase: Phase,
    failed: Option<Sticky>,
}

impl<S: Seal> Outbound<S> {
    /// A stream whose first pending bytes are its header; without `random` bytes for that, a stream
    /// that has failed.
    pub(crate) fn new(
        seal: S,
        ad: Box<[u8]>,
        header: &[u8],
        random: Result<(), getrandom::Error>,
    ) -> Self {
        let mut buf = Buffer::new(seal.batch() * seal.frame_len() + S::END);
        buf[..header.len()].copy_from_slice(header);
        Outbound {
            seal,
            ad,
            buf,
            plain: 0,
            pending: 0..header.len(),
            unfinished: None,
            phase: Phase::Open,
            failed: random.err().map(Sticky::Random),
        }
    }

    /// Every later call fails with `error`.
    fn fail(&mut self, error: Error) -> Error {
        if self.failed.is_none() {
            self.failed = error.sticky();
        }
        error
    }

    /// [`Write::write`]: accepts up to a batch.
    pub(crate) fn write(&mut self, inner: &mut impl Write, data: &[u8]) -> Result<usize, Error> {
        self.check_open()?;
        self.check_finished()?;
        self.drain(inner)?;
        let taken = self.accept(data)?;
        self.drain_if_ready(inner)?;
        Ok(taken)
    }

    /// Seals what is gathered as a frame of its own, then `data` in frames with `ad`.
    pub(crate) fn frames(
        &mut self,
        inner: &mut impl Write,
        data: &[u8],
        ad: &[u8],
    ) -> Result<(), Error> {
        self.check_open()?;
        // After WouldBlock the call is made again with the same data: go on where it stopped.
        let mut sealed = match self.unfinished {
            None => 0,
            Some(call) if call.len == data.len() => call.sealed,
            Some(_) => return Err(Error::Unfinished),
        };
        if data.is_empty() {
            return Ok(());
        }
        self.drain(inner)?;
        self.seal_gathered()?;
        while sealed < data.len() {
            self.drain(inner)?;
            let rest = &data[sealed..];
            let take = rest.len().min(self.batch());
            self.seal_from(&rest[..take], Some(ad))?;
            sealed += take;
            self.unfinished = (take < rest.len()).then_some(Unfinished {
                len: data.len(),
                sealed,
            });
        }
        self.drain_if_ready(inner)
    }

    /// Hands everything on; seals what is gathered as a shorter frame where `short_frames` says so.
    pub(crate) fn flush(
        &mut self,
        inner: &mut impl Write,
        short_frames: bool,
    ) -> Result<(), Error> {
        self.check()?;
        self.drain(inner)?;
        if short_frames && self.phase == Phase::Open {
            self.seal_gathered()?;
            self.drain(inner)?;
        }
        self.flush_inner(inner)
    }

    /// Ends the stream. Once it has succeeded it does nothing more.
    pub(crate) fn close(&mut self, inner: &mut impl Write) -> Result<(), Error> {
        self.check()?;
        self.check_finished()?;
        if self.phase == Phase::Open {
            self.drain(inner)?;
            let last = self.plain % self.seal.capacity();
            let full = self.sealed_len(self.plain - last);
            let len = self
                .seal
                .seal_all_in_place(&self.ad, &mut self.buf[..full])
                .and_then(|()| self.seal.finish(&self.ad, &mut self.buf[full..], last))
                .map_err(|error| self.fail_wire(error))?;
            let len = full + len;
            self.plain = 0;
            self.buf.mark_sealed();
            self.pending = 0..len;
            self.phase = Phase::Sealed;
        }
        if self.phase == Phase::Sealed {
            self.drain(inner)?;
            self.flush_inner(inner)?;
            self.phase = Phase::Closed;
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Error> {
        self.failed.map_or(Ok(()), |failed| Err(failed.into()))
    }

    fn check_open(&mut self) -> Result<(), Error> {
        self.check()?;
        match self.phase {
            Phase::Open => Ok(()),
            Phase::Sealed | Phase::Closed => Err(Wire::Finished.into()),
        }
    }

    /// A call of `frames` that stopped half way has to be done before anything else is accepted: half
    /// of its data would be lost without a word.
    fn check_finished(&self) -> Result<(), Error> {
        self.unfinished.map_or(Ok(()), |_| Err(Error::Unfinished))
    }

    /// Plaintext bytes of a batch.
    fn batch(&self) -> usize {
        self.seal.batch() * self.seal.capacity()
    }

    /// Bytes of the frames that so much plaintext makes.
    fn sealed_len(&self, plain: usize) -> usize {
        plain + plain.div_ceil(self.seal.capacity()) * (S::HEAD + S::TAIL)
    }

    /// Takes up to the rest of a batch; `pending` is empty.
    fn accept(&mut self, data: &[u8]) -> Result<usize, Error> {
        let batch = self.batch();
        if self.plain == 0 && data.len() >= batch {
            self.seal_from(&data[..batch], None)?;
            return Ok(batch);
        }
        let take = data.len().min(batch - self.plain);
        self.gather(&data[..take]);
        if self.plain == batch {
            self.seal_gathered()?;
        }
        Ok(take)
    }

    /// Puts `data` where the gathered plaintext ends.
    fn gather(&mut self, mut data: &[u8]) {
        let capacity = self.seal.capacity();
        while !data.is_empty() {
            let (frames, filled) = (self.plain / capacity, self.plain % capacity);
            let take = data.len().min(capacity - filled);
            let at = frames * self.seal.frame_len() + S::HEAD + filled;
            self.buf.mark_secret(at + take);
            self.buf[at..at + take].copy_from_slice(&data[..take]);
            self.plain += take;
            data = &data[take..];
        }
    }

    /// Makes frames of the gathered plaintext, if there is any; `pending` is empty.
    fn seal_gathered(&mut self) -> Result<(), Error> {
        if self.plain == 0 {
            return Ok(());
        }
        let len = self.sealed_len(self.plain);
        self.seal
            .seal_all_in_place(&self.ad, &mut self.buf[..len])
            .map_err(|error| self.fail_wire(error))?;
        self.plain = 0;
        self.buf.mark_sealed();
        self.pending = 0..len;
        Ok(())
    }

    /// Makes frames of the caller's plaintext without gathering it; `pending` is empty.
    fn seal_from(&mut self, plaintext: &[u8], ad: Option<&[u8]>) -> Result<(), Error> {
        let len = self.sealed_len(plaintext.len());
        self.seal
            .seal_all_to(ad.unwrap_or(&self.ad), plaintext, &mut self.buf[..len])
            .map_err(|error| self.fail_wire(error))?;
        self.pending = 0..len;
        Ok(())
    }

    /// Writes until nothing is pending.
    fn drain(&mut self, inner: &mut impl Write) -> Result<(), Error> {
        while !self.pending.is_empty() {
            match inner.write(&self.buf[self.pending.clone()]) {
                Ok(0) => return Err(self.fail(io::Error::from(io::ErrorKind::WriteZero).into())),
                Ok(n) if n > self.pending.len() => return Err(self.fail(Error::InnerContract)),
                Ok(n) => self.pending.start += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fail(error.into())),
            }
        }
        Ok(())
    }

    /// As [`drain`](Self::drain), but what the writer is not ready for waits for the next call: the
    /// data of this one are accepted already.
    fn drain_if_ready(&mut self, inner: &mut impl Write) -> Result<(), Error> {
        match self.drain(inner) {
            Err(error) if error.is_would_block() => Ok(()),
            result => result,
        }
    }

    fn flush_inner(&mut self, inner: &mut impl Write) -> Result<(), Error> {
        loop {
            match inner.flush() {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fail(error.into())),
            }
        }
    }

    fn fail_wire(&mut self, error: Wire) -> Error {
        self.fail(error.into())
    }
}
