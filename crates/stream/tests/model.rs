//! Writers and readers of any temper under any calls, against a model that knows the formats by the
//! lengths of their frames alone.
//!
//! No call is made again because it failed, unless chance makes it again. Given how far the inner
//! side has come, the model says what each call answers; and at the end, what bytes there are.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use proptest::{collection::vec, prelude::*, sample::select};
use ss55_stream::{Decryptor, Encryptor, Error, Formats, libsodium, wire::v2::Header};
use std::{
    cell::RefCell,
    io::{self, BufRead, ErrorKind, Read, Write},
    ops::Range,
};
use support::{
    frames,
    inputs::{NONCE, key, pat},
    streams::Format,
};

/// What one call of the inner side does.
#[derive(Clone, Copy, Debug)]
enum Step {
    Take(usize),
    Fail(ErrorKind),
    /// `Ok(0)`.
    Nothing,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1..60_usize).prop_map(Step::Take),
        8 => Just(Step::Take(usize::MAX)),
        3 => Just(Step::Fail(ErrorKind::Interrupted)),
        6 => Just(Step::Fail(ErrorKind::WouldBlock)),
    ]
}

/// Steps, and perhaps one among them that ends it all.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let fatal = select(vec![
        Step::Fail(ErrorKind::ConnectionReset),
        Step::Fail(ErrorKind::StorageFull),
        Step::Nothing,
    ]);
    let fatal = prop::option::of((fatal, 0..40_usize));
    (vec(step(), 1..40), fatal).prop_map(|(mut steps, fatal)| {
        // Again and again, so that the fatal one is reached only once.
        steps = steps.iter().copied().cycle().take(200).collect();
        if let Some((fatal, at)) = fatal {
            steps.insert(at, fatal);
        }
        steps
    })
}

/// The inner side: does its steps, then all that it is asked for.
#[derive(Debug, Default)]
struct Inner {
    steps: std::vec::IntoIter<Step>,
    /// What a reader gives, and what a writer was given.
    bytes: Vec<u8>,
    /// Bytes that a reader has given.
    given: usize,
    /// What went wrong last, for whoever clears it.
    error: Option<ErrorKind>,
    /// A reader has answered `Ok(0)`.
    has_ended: bool,
    calls: usize,
}

impl Inner {
    fn new(steps: Vec<Step>, bytes: Vec<u8>) -> RefCell<Self> {
        RefCell::new(Inner {
            steps: steps.into_iter(),
            bytes,
            ..Inner::default()
        })
    }

    fn step(&mut self) -> io::Result<usize> {
        self.calls += 1;
        let kind = match self.steps.next() {
            None => return Ok(usize::MAX),
            Some(Step::Take(n)) => return Ok(n),
            Some(Step::Nothing) => return Ok(0),
            Some(Step::Fail(kind)) => kind,
        };
        if kind != ErrorKind::Interrupted {
            self.error = Some(kind);
        }
        Err(kind.into())
    }
}

struct Handle<'a>(&'a RefCell<Inner>);

impl Write for Handle<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let inner = &mut *self.0.borrow_mut();
        let n = inner.step()?.min(data.len());
        if n == 0 {
            inner.error = Some(ErrorKind::WriteZero);
        }
        inner.bytes.extend_from_slice(&data[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().step().map(drop)
    }
}

impl Read for Handle<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let inner = &mut *self.0.borrow_mut();
        let n = inner.step()?.min(out.len());
        let n = n.min(inner.bytes.len() - inner.given);
        out[..n].copy_from_slice(&inner.bytes[inner.given..][..n]);
        inner.given += n;
        inner.has_ended |= n == 0;
        Ok(n)
    }
}

type Answer<T> = Result<T, ErrorKind>;

// The writers.

#[derive(Clone, Debug)]
enum WriterCall {
    Write(usize),
    Frame(usize),
    Flush,
    Close,
}

fn writer_call() -> impl Strategy<Value = WriterCall> {
    let len = || prop_oneof![8 => 0..60_usize, 1 => select(vec![65535, 65536, 65537, 140_000])];
    prop_oneof![
        8 => len().prop_map(WriterCall::Write),
        4 => len().prop_map(WriterCall::Frame),
        4 => Just(WriterCall::Flush),
        1 => Just(WriterCall::Close),
    ]
}

struct WriterModel {
    format: Format,
    unit: usize,
    gathered: Vec<u8>,
    /// Plaintext and ad of each frame.
    frames: Vec<(Vec<u8>, &'static [u8])>,
    /// Bytes of the stream so far, the header's too.
    sealed: usize,
    ended: bool,
    closed: bool,
    /// Of a call for frames that was not done: its length, and how much of it is sealed.
    unfinished: Option<(usize, usize)>,
    dead: Option<ErrorKind>,
}

impl WriterModel {
    fn seal(&mut self, plaintext: Vec<u8>, ad: &'static [u8]) {
        self.sealed += plaintext.len() + self.format.overhead();
        self.frames.push((plaintext, ad));
    }

    fn seal_gathered(&mut self) {
        if !self.gathered.is_empty() {
            let frame = std::mem::take(&mut self.gathered);
            self.seal(frame, b"plain");
        }
    }

    /// What the call answers, if the inner writer has `there` bytes after it and has failed in it with
    /// `error`. What must be written before it goes on is there, or the error says why not.
    fn answer(
        &mut self,
        call: &WriterCall,
        data: &[u8],
        there: usize,
        error: Option<ErrorKind>,
    ) -> Answer<usize> {
        if let Some(kind) = self.dead {
            return Err(kind);
        }
        self.dead = error.filter(|kind| *kind != ErrorKind::WouldBlock);
        let stopped = |model: &Self| there < model.sealed;
        let why = || Err(error.expect("stopped without an error"));
        let fatal = self.dead;
        match call {
            WriterCall::Write(_) => {
                if self.ended || self.unfinished.is_some() {
                    return Err(ErrorKind::InvalidInput);
                }
                if stopped(self) {
                    return why();
                }
                let take = data.len().min(self.unit - self.gathered.len());
                self.gathered.extend_from_slice(&data[..take]);
                if self.gathered.len() == self.unit {
                    self.seal_gathered();
                }
                // That the writer is not ready is for the next call to hear.
                fatal.map_or(Ok(take), Err)
            }
            WriterCall::Frame(_) => {
                let (len, mut done) = self.unfinished.unwrap_or((data.len(), 0));
                if self.ended || len != data.len() {
                    return Err(ErrorKind::InvalidInput);
                }
                if data.is_empty() {
                    return Ok(0);
                }
                if stopped(self) {
                    return why();
                }
                self.seal_gathered();
                while done < len {
                    if stopped(self) {
                        return why();
                    }
                    let take = self.unit.min(len - done);
                    self.seal(data[done..done + take].to_vec(), b"framed");
                    done += take;
                    self.unfinished = (done < len).then_some((len, done));
                }
                fatal.map_or(Ok(0), Err)
            }
            WriterCall::Flush => {
                if stopped(self) {
                    return why();
                }
                if self.format == Format::V2 && !self.ended {
                    self.seal_gathered();
                }
                error.map_or(Ok(0), Err)
            }
            WriterCall::Close => {
                if self.unfinished.is_some() {
                    return Err(ErrorKind::InvalidInput);
                }
                if !self.ended {
                    if stopped(self) {
                        return why();
                    }
                    self.ended = true;
                    if self.format == Format::V2 {
                        self.seal_gathered();
                        self.sealed += 21;
                    } else {
                        let last = std::mem::take(&mut self.gathered);
                        self.seal(last, b"");
                    }
                }
                self.closed |= error.is_none();
                error.map_or(Ok(0), Err)
            }
        }
    }

    /// The stream so far, by the oracle.
    fn stream(&self) -> Vec<u8> {
        let mut pieces = if self.format == Format::V2 {
            let messages = self
                .frames
                .iter()
                .map(|(plaintext, ad)| (&plaintext[..], *ad));
            frames::v2_pieces(&messages.collect::<Vec<_>>())
        } else {
            // What is still gathered is not a part of it, but fills no chunk: the last one is cut off.
            let frames = self.frames.iter().map(|(plaintext, _)| &plaintext[..]);
            frames::layout_pieces(&frames.collect::<Vec<_>>().concat(), self.unit)
        };
        if !self.ended {
            pieces.pop();
        }
        pieces.concat()
    }
}

/// A writer of v2 or of the libsodium layout.
trait Writer: Write {
    fn frame(&mut self, data: &[u8]) -> Result<(), Error>;
    fn close(&mut self) -> Result<(), Error>;
}

impl<W: Write> Writer for Encryptor<W> {
    fn frame(&mut self, data: &[u8]) -> Result<(), Error> {
        self.write_frame(data, b"framed")
    }
    fn close(&mut self) -> Result<(), Error> {
        self.close()
    }
}

impl<W: Write> Writer for libsodium::Encryptor<W> {
    fn frame(&mut self, _: &[u8]) -> Result<(), Error> {
        unreachable!("the layout has no frames of the caller's")
    }
    fn close(&mut self) -> Result<(), Error> {
        self.close()
    }
}

fn kind(error: impl Into<io::Error>) -> ErrorKind {
    error.into().kind()
}

// The readers.

#[derive(Clone, Debug)]
enum ReaderCall {
    Read(usize),
    /// `fill_buf`, and how much of that is consumed.
    Fill(usize),
    Frame,
    ToEnd,
}

fn reader_call() -> impl Strategy<Value = ReaderCall> {
    let len = || prop_oneof![0..20_usize, Just(100)];
    prop_oneof![
        6 => len().prop_map(ReaderCall::Read),
        4 => len().prop_map(ReaderCall::Fill),
        4 => Just(ReaderCall::Frame),
        1 => Just(ReaderCall::ToEnd),
    ]
}

struct ReaderModel {
    format: Format,
    plaintext: Vec<u8>,
    /// Of each frame, where it ends in the stream, and its plaintext.
    frames: Vec<(usize, Range<usize>)>,
    /// Length of the whole stream.
    len: usize,
    /// The next frame.
    next: usize,
    /// What is left of the frame before it.
    left: Range<usize>,
    dead: Option<ErrorKind>,
    /// It said `Ok(0)` when it had given so many bytes.
    ended: Option<usize>,
}

impl ReaderModel {
    /// What is left of the frame that is being read, or else the next one, if it is there. The last
    /// chunk of the libsodium layout is there when the input's end is.
    fn open(&mut self, given: usize) -> Option<Range<usize>> {
        if self.left.is_empty() {
            let (end, frame) = self.frames.get(self.next)?;
            let by_end = self.format == Format::Libsodium && self.next + 1 == self.frames.len();
            if *end > given || by_end && self.ended.is_none() {
                return None;
            }
            self.left = frame.clone();
            self.next += 1;
        }
        Some(self.left.clone())
    }

    /// As [`open`](Self::open), but frames of nothing are passed over.
    fn open_some(&mut self, given: usize) -> Option<Range<usize>> {
        loop {
            match self.open(given) {
                Some(frame) if frame.is_empty() => {}
                frame => return frame,
            }
        }
    }

    /// The frame that has just been opened, and the full chunks behind it that are there too.
    fn open_more(&mut self, given: usize) -> Range<usize> {
        let last = self.frames.len() - 1;
        while self.format == Format::Libsodium
            && self.next < last
            && self.frames[self.next].0 <= given
        {
            self.left.end = self.frames[self.next].1.end;
            self.next += 1;
        }
        self.left.clone()
    }

    /// What is answered where no frame is there.
    fn no_frame(&mut self, error: Option<ErrorKind>) -> Answer<()> {
        let answer = match (error, self.ended) {
            (Some(kind), _) => Err(kind),
            (None, Some(at)) => {
                let edges = self.frames.iter().map(|(end, _)| *end).chain([24]);
                let on_edge = self.format == Format::V1 && edges.clone().any(|end| end == at);
                if at == self.len || on_edge {
                    Ok(())
                } else {
                    Err(ErrorKind::UnexpectedEof)
                }
            }
            (None, None) => panic!("neither a frame nor an end nor an error"),
        };
        self.dead = answer.err().filter(|kind| *kind != ErrorKind::WouldBlock);
        answer
    }

    /// What the call answers, if the inner reader has given `given` bytes after it and has failed in
    /// it with `error`.
    fn answer(
        &mut self,
        call: &ReaderCall,
        given: usize,
        error: Option<ErrorKind>,
    ) -> (Vec<u8>, Answer<bool>) {
        if matches!(call, ReaderCall::Read(0)) {
            return (Vec::new(), Ok(true));
        }
        if let Some(kind) = self.dead {
            return (Vec::new(), Err(kind));
        }
        let mut out = Vec::new();
        let opens = self.left.is_empty();
        let end = match call {
            ReaderCall::Read(max) | ReaderCall::Fill(max) => match self.open_some(given) {
                Some(mut frame) => {
                    if matches!(call, ReaderCall::Fill(_)) && opens {
                        frame = self.open_more(given);
                    }
                    let take = frame.len().min(*max);
                    out.extend_from_slice(&self.plaintext[frame.start..][..take]);
                    self.left.start += take;
                    Ok(true)
                }
                None => self.no_frame(error).map(|()| false),
            },
            ReaderCall::Frame => match self.open(given) {
                Some(frame) => {
                    self.left.start = frame.end;
                    out.extend_from_slice(&self.plaintext[frame]);
                    Ok(true)
                }
                None => self.no_frame(error).map(|()| false),
            },
            ReaderCall::ToEnd => {
                while let Some(frame) = self.open_some(given) {
                    self.left.start = frame.end;
                    out.extend_from_slice(&self.plaintext[frame]);
                }
                self.no_frame(error).map(|()| false)
            }
        };
        (out, end)
    }
}

/// A reader of any format.
trait Reader: BufRead {
    fn frame(&mut self, out: &mut Vec<u8>) -> Result<bool, Error>;
}

impl<R: Read> Reader for Decryptor<R> {
    fn frame(&mut self, out: &mut Vec<u8>) -> Result<bool, Error> {
        self.read_frame(out, b"")
    }
}

impl<R: Read> Reader for libsodium::Decryptor<R> {
    fn frame(&mut self, _: &mut Vec<u8>) -> Result<bool, Error> {
        unreachable!("the layout has no frames of the caller's")
    }
}

fn read(reader: &mut dyn Reader, call: &ReaderCall) -> (Vec<u8>, Answer<bool>) {
    let mut out = Vec::new();
    let end = match call {
        ReaderCall::Read(max) => {
            out.resize(*max, 0xee);
            let read = reader.read(&mut out);
            out.truncate(*read.as_ref().unwrap_or(&0));
            read.map(|n| n > 0 || *max == 0).map_err(kind)
        }
        ReaderCall::Fill(max) => match reader.fill_buf() {
            Ok(ready) => {
                let is_end = ready.is_empty();
                out.extend_from_slice(&ready[..ready.len().min(*max)]);
                reader.consume(out.len());
                Ok(!is_end)
            }
            Err(error) => Err(kind(error)),
        },
        ReaderCall::Frame => reader.frame(&mut out).map_err(kind),
        ReaderCall::ToEnd => reader.read_to_end(&mut out).map(|_| false).map_err(kind),
    };
    (out, end)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn writers(
        format in select(Format::WRITTEN.to_vec()),
        calls in vec(writer_call(), 1..30),
        steps in steps(),
        chunk_size in 1..40_usize,
        finish in any::<bool>(),
    ) {
        let inner = Inner::new(steps, Vec::new());
        let (unit, header, mut writer): (_, _, Box<dyn Writer>) = if format == Format::V2 {
            let builder = Encryptor::builder().header(Header::new(NONCE)).ad(*b"plain");
            (65536, 36, Box::new(builder.build(Handle(&inner), &key())))
        } else {
            let builder = libsodium::Encryptor::builder().header(NONCE).chunk_size(chunk_size);
            (chunk_size, 24, Box::new(builder.build(Handle(&inner), &key())))
        };
        let mut model = WriterModel {
            format,
            unit,
            gathered: Vec::new(),
            frames: Vec::new(),
            sealed: header,
            ended: false,
            closed: false,
            unfinished: None,
            dead: None,
        };
        let all = pat(140_000);
        let last = finish.then_some(WriterCall::Close);
        for (n, call) in calls.iter().chain(&last).enumerate() {
            let data = match call {
                // From another place each time, so that nothing passes for another's.
                WriterCall::Write(len) | WriterCall::Frame(len) => &all[n.min(140_000 - len)..][..*len],
                _ => &[],
            };
            if matches!(call, WriterCall::Frame(_)) && format != Format::V2 {
                continue;
            }
            inner.borrow_mut().error = None;
            let (calls_before, refused) = (inner.borrow().calls, model.dead.is_some() || model.closed);
            let answer = match call {
                WriterCall::Write(_) => writer.write(data).map_err(kind),
                WriterCall::Frame(_) => writer.frame(data).map(|()| 0).map_err(kind),
                WriterCall::Flush => writer.flush().map(|()| 0).map_err(kind),
                WriterCall::Close => writer.close().map(|()| 0).map_err(kind),
            };
            let (there, error) = (inner.borrow().bytes.len(), inner.borrow().error);
            let expected = model.answer(call, data, there, error);
            prop_assert_eq!(answer, expected, "call {}: {:?}", n, call);
            prop_assert!(there <= model.sealed);
            let all_is_there = matches!(call, WriterCall::Flush | WriterCall::Close) && answer.is_ok();
            prop_assert!(!all_is_there || there == model.sealed);
            let asked = inner.borrow().calls != calls_before;
            prop_assert!(!refused || !asked || matches!(call, WriterCall::Flush));
        }
        let there = inner.borrow().bytes.len();
        drop(writer);
        let stream = model.stream();
        prop_assert_eq!(inner.borrow().bytes.len(), there);
        prop_assert!(inner.borrow().bytes == stream[..there]);
        prop_assert_eq!(stream.len(), model.sealed);
    }

    #[test]
    fn readers(
        format in select(Format::ALL.to_vec()),
        lens in vec(0..50_usize, 0..6),
        chunk_size in 1..40_usize,
        calls in vec(reader_call(), 1..40),
        steps in steps(),
    ) {
        let plaintext = pat(lens.iter().sum());
        let mut at = 0;
        let mut ranges: Vec<_> = lens.iter().map(|len| { at += len; at - len..at }).collect();
        let pieces = if format == Format::Libsodium {
            ranges = (0..=plaintext.len() / chunk_size)
                .map(|n| n * chunk_size..plaintext.len().min((n + 1) * chunk_size))
                .collect();
            frames::layout_pieces(&plaintext, chunk_size)
        } else {
            let frames = ranges.iter().map(|range| (&plaintext[range.clone()], &b""[..]));
            let messages: Vec<_> = frames.collect();
            if format == Format::V2 {
                frames::v2_pieces(&messages)
            } else {
                frames::v1_pieces(&messages)
            }
        };
        let ends = (2..=pieces.len()).map(|n| pieces[..n].concat().len());
        let stream = pieces.concat();
        let mut model = ReaderModel {
            format,
            len: stream.len(),
            frames: ends.zip(ranges).collect(),
            plaintext,
            next: 0,
            left: 0..0,
            dead: None,
            ended: None,
        };
        let inner = Inner::new(steps, stream);
        let mut reader: Box<dyn Reader> = if format == Format::Libsodium {
            let builder = libsodium::Decryptor::builder().chunk_size(chunk_size);
            Box::new(builder.build(Handle(&inner), &key()))
        } else {
            let formats = if format == Format::V1 { Formats::V1 } else { Formats::V2 };
            let builder = Decryptor::builder().formats(formats);
            Box::new(builder.build(Handle(&inner), &key()))
        };
        for (n, call) in calls.iter().enumerate() {
            if matches!(call, ReaderCall::Frame) && format == Format::Libsodium {
                continue;
            }
            let over = model.dead.is_some() || model.ended.is_some();
            let calls_before = inner.borrow().calls;
            inner.borrow_mut().error = None;
            let answer = read(&mut *reader, call);
            let asked = inner.borrow().calls != calls_before;
            prop_assert!(!over || !asked, "it is over, and asked again");
            let (given, error) = (inner.borrow().given, inner.borrow().error);
            if inner.borrow().has_ended && model.ended.is_none() {
                model.ended = Some(given);
            }
            let expected = model.answer(call, given, error);
            prop_assert_eq!(answer, expected, "call {}: {:?}", n, call);
        }
    }
}
