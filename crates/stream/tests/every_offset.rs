//! Every fault of the inner reader or writer at every offset of a stream: an error, an interruption,
//! not being ready, a count that is short, a count of nothing.

mod support {
    pub mod faulty;
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use ss55_stream::{
    Decryptor, Encryptor, Engine, Error, Formats, SimdEngine, libsodium,
    wire::{v1, v2},
};
use std::{
    cell::Cell,
    io::{self, ErrorKind, Read, Write},
};
use support::{
    faulty::{
        FAULTS,
        Fault::{self, Interrupted, Nothing, Reset, WouldBlock},
        Faults, FaultyReader, FaultyWriter, Toy,
    },
    frames::{self, Message},
    inputs::{NONCE, key, pat},
    streams::{Format, Reader, Writer, assert_stuck},
};

/// A whole stream, and where its frames end.
struct Case {
    format: Format,
    chunk_size: usize,
    stream: Vec<u8>,
    plaintext: Vec<u8>,
    /// Offsets in the stream and in the plaintext, of the header too.
    ends: Vec<(usize, usize)>,
}

impl Case {
    fn new(format: Format, chunk_size: usize, pieces: &[Vec<u8>], plaintexts: &[&[u8]]) -> Self {
        let (mut ends, mut end) = (Vec::new(), (0, 0));
        for (n, piece) in pieces.iter().enumerate() {
            end.0 += piece.len();
            // Neither the header nor v2's final frame has one.
            end.1 += n
                .checked_sub(1)
                .and_then(|n| plaintexts.get(n))
                .map_or(0, |p| p.len());
            ends.push(end);
        }
        Case {
            format,
            chunk_size,
            stream: pieces.concat(),
            plaintext: plaintexts.concat(),
            ends,
        }
    }

    /// Plaintext of the frames that are whole in the first `len` bytes.
    fn whole(&self, len: usize) -> usize {
        let mut whole = self.ends.iter().filter(|(end, _)| *end <= len);
        whole.next_back().map_or(0, |(_, plaintext)| *plaintext)
    }

    /// What has come out when the inner reader fails behind `len` bytes. The last chunk of the libsodium
    /// layout is known by the input's end alone.
    fn released_at(&self, len: usize) -> usize {
        match self.format {
            Format::Libsodium => self.whole(len.min(self.stream.len() - 1)),
            _ => self.whole(len),
        }
    }

    /// Whether the input may end here.
    fn may_end_at(&self, len: usize) -> bool {
        let on_edge = self.ends.iter().any(|(end, _)| *end == len);
        len == self.stream.len() || self.format == Format::V1 && on_edge
    }

    fn reader<'a, E: Engine + 'a>(
        &self,
        engine: E,
        inner: FaultyReader<'a>,
    ) -> Box<dyn Reader + 'a> {
        let formats = match self.format {
            Format::V2 => Formats::V2,
            Format::V1 => Formats::V1,
            Format::Libsodium => {
                let builder = libsodium::Decryptor::builder().chunk_size(self.chunk_size);
                return Box::new(builder.engine(engine).build(inner, &key()));
            }
        };
        let builder = Decryptor::builder().formats(formats).engine(engine);
        Box::new(builder.build(inner, &key()))
    }

    /// Reads it all by slices like `out`, in spite of the faults.
    fn read<E: Engine>(&self, engine: E, faults: &Faults, out: &mut [u8]) {
        let given = Cell::new(0);
        let inner = FaultyReader {
            stream: &self.stream,
            faults,
            given: &given,
        };
        let mut reader = self.reader(engine, inner);
        let (mut read, mut blocked, ask) = (0, 0, out.len());
        let end = loop {
            match reader.read(out) {
                Ok(0) => break Ok(given.get()),
                Ok(n) => {
                    // Not before all of its frame has come.
                    assert!(read + n <= self.whole(given.get()), "{faults:?}");
                    assert!(out[..n] == self.plaintext[read..][..n], "{faults:?}");
                    read += n;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => blocked += 1,
                Err(error) => break Err(error.kind()),
            }
        };
        let end_at = |at| {
            let may_end = self.may_end_at(at);
            may_end.then_some(at).ok_or(ErrorKind::UnexpectedEof)
        };
        let fatal = faults
            .iter()
            .find(|(_, fault)| [Reset, Nothing].contains(fault));
        let (expected, released) = match fatal {
            None => (Ok(self.stream.len()), self.plaintext.len()),
            Some((at, Reset)) => (Err(ErrorKind::ConnectionReset), self.released_at(*at)),
            Some((at, _)) => (end_at(*at), self.whole(*at)),
        };
        let case = || format!("{:?} {faults:?} in {ask}", self.format);
        assert_eq!(end, expected, "{}", case());
        assert_eq!(read, released, "{}", case());
        let told = faults.iter().take_while(|fault| Some(*fault) != fatal);
        let told = told.filter(|(_, fault)| *fault == WouldBlock).count();
        assert_eq!(blocked, told, "{}", case());

        // It would go on, but nobody asks it any more.
        let before = given.get();
        match end {
            Err(kind) => assert_stuck(&mut *reader, kind),
            Ok(_) => assert_eq!(reader.read(out).unwrap(), 0),
        }
        assert_eq!(given.get(), before, "{}", case());
    }

    /// The same with `read_frame`, for streams whose frames all have the ad "ad".
    fn read_frames(&self, faults: &Faults) {
        let given = Cell::new(0);
        let inner = FaultyReader {
            stream: &self.stream,
            faults,
            given: &given,
        };
        let mut decryptor = Decryptor::new(inner, &key());
        let (mut read, mut frame) = (Vec::new(), Vec::new());
        let end = loop {
            match decryptor.read_frame(&mut frame, b"ad") {
                Ok(true) => {
                    read.extend_from_slice(&frame);
                    assert!(read.len() <= self.whole(given.get()), "{faults:?}");
                }
                Ok(false) => break Ok(()),
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => break Err(io::Error::from(error).kind()),
            }
            frame.push(0xee);
        };
        assert!(frame.is_empty());
        let (expected, released) = match faults {
            [(at, Reset)] => (Err(ErrorKind::ConnectionReset), self.whole(*at)),
            [(at, Nothing)] if !self.may_end_at(*at) => {
                (Err(ErrorKind::UnexpectedEof), self.whole(*at))
            }
            [(at, Nothing)] => (Ok(()), self.whole(*at)),
            _ => (Ok(()), self.plaintext.len()),
        };
        assert_eq!(end, expected, "{:?} {faults:?}", self.format);
        assert_eq!(
            read,
            self.plaintext[..released],
            "{:?} {faults:?}",
            self.format
        );
        for _ in 0..2 {
            let again = decryptor.read_frame(&mut frame, b"ad");
            assert_eq!(
                again.map_err(|error| io::Error::from(error).kind()),
                end.map(|()| false)
            );
        }
    }
}

/// What a caller does with a writer; the ranges are of the plaintext.
#[derive(Clone, Copy, Debug)]
enum Call {
    Write(usize, usize),
    Frame(usize, usize),
    Flush,
    Close,
}

trait Calls: Writer {
    fn frame(&mut self, data: &[u8]) -> Result<(), Error>;
}

impl<W: Write, E: Engine> Calls for Encryptor<W, E> {
    fn frame(&mut self, data: &[u8]) -> Result<(), Error> {
        self.write_frame(data, b"ad")
    }
}

impl<W: Write, E: Engine> Calls for libsodium::Encryptor<W, E> {
    fn frame(&mut self, _: &[u8]) -> Result<(), Error> {
        unreachable!("the layout has no frames of the caller's")
    }
}

/// Makes a call until it is done, however often it says `WouldBlock`; that is counted.
fn insist(
    writer: &mut dyn Calls,
    call: Call,
    plaintext: &[u8],
    blocked: &mut usize,
) -> io::Result<()> {
    let mut rest = match call {
        Call::Write(start, end) | Call::Frame(start, end) => &plaintext[start..end],
        Call::Flush | Call::Close => &[],
    };
    loop {
        let done = match call {
            Call::Write(..) => writer.write(rest),
            Call::Frame(..) => writer.frame(rest).map(|()| rest.len()).map_err(Into::into),
            Call::Flush => writer.flush().map(|()| 0),
            Call::Close => writer.close().map(|()| 0).map_err(Into::into),
        };
        match done {
            Ok(n) if n == rest.len() => return Ok(()),
            Ok(n) => rest = &rest[n..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => *blocked += 1,
            Err(error) => return Err(error),
        }
    }
}

/// A stream, and the calls that write it.
struct Writing {
    case: Case,
    calls: Vec<Call>,
}

impl Writing {
    fn writer<'a, E: Engine + 'a>(&self, engine: E, inner: impl Write + 'a) -> Box<dyn Calls + 'a> {
        if self.case.format == Format::Libsodium {
            let builder = libsodium::Encryptor::builder().header(NONCE);
            let builder = builder.chunk_size(self.case.chunk_size).engine(engine);
            return Box::new(builder.build(inner, &key()));
        }
        let builder = Encryptor::builder()
            .header(v2::Header::new(NONCE))
            .ad(*b"ad");
        Box::new(builder.engine(engine).build(inner, &key()))
    }

    /// Does all calls, in spite of the faults.
    fn write<E: Engine>(&self, engine: E, faults: &Faults, flush_faults: &Faults) {
        let stream = &self.case.stream;
        let mut inner = FaultyWriter::new(faults);
        inner.bytes.reserve(stream.len());
        inner.flush_faults = flush_faults;
        let mut writer = self.writer(engine, &mut inner);
        let mut blocked = 0;
        let end = self
            .calls
            .iter()
            .try_for_each(|call| insist(&mut *writer, *call, &self.case.plaintext, &mut blocked))
            .map_err(|error| error.kind());

        let case = || format!("{:?} {faults:?} {flush_faults:?}", self.case.format);
        let fatal = faults
            .iter()
            .find(|(_, fault)| [Reset, Nothing].contains(fault));
        let fatal_flush = flush_faults.iter().find(|(_, fault)| *fault == Reset);
        let expected = match (fatal, fatal_flush) {
            (Some((_, Nothing)), _) => Err(ErrorKind::WriteZero),
            (None, None) => Ok(()),
            _ => Err(ErrorKind::ConnectionReset),
        };
        assert_eq!(end, expected, "{}", case());
        assert!(blocked <= faults.len() + flush_faults.len(), "{}", case());
        // It would go on, but nothing more is written, neither now nor when all is dropped.
        if let Err(kind) = end {
            let mut all = vec![
                Call::Write(0, 1),
                Call::Write(0, 0),
                Call::Flush,
                Call::Close,
            ];
            if self.case.format == Format::V2 {
                all.push(Call::Frame(0, 1));
            }
            for call in all {
                let error = insist(&mut *writer, call, b"x", &mut blocked);
                assert_eq!(error.unwrap_err().kind(), kind, "{} {call:?}", case());
            }
        }
        drop(writer);
        if fatal_flush.is_some() {
            assert!(stream.starts_with(&inner.bytes), "{}", case());
        } else {
            let len = fatal.map_or(stream.len(), |(at, _)| *at);
            assert!(inner.bytes == stream[..len], "{}", case());
        }
        if end.is_ok() {
            let flushes = self.calls.iter().filter(|call| matches!(call, Call::Flush));
            assert_eq!(inner.flushes, flushes.count() + 1, "{}", case());
        }
    }
}

/// Frames of some bytes, of none, of more; the oracle's stream of them.
fn small(format: Format) -> Vec<Case> {
    let plaintext = pat(40);
    let messages: [Message<'_>; 4] = [(b"", b""), (b"first", b""), (b"", b""), (&plaintext, b"")];
    let plaintexts = messages.map(|(plaintext, _)| plaintext);
    let case = |pieces: &[Vec<u8>], plaintexts: &[&[u8]]| Case::new(format, 16, pieces, plaintexts);
    match format {
        Format::V2 => vec![
            case(&frames::v2_pieces(&[]), &[]),
            case(&frames::v2_pieces(&messages), &plaintexts),
        ],
        Format::V1 => vec![
            case(&frames::v1_pieces(&[]), &[]),
            case(&frames::v1_pieces(&messages), &plaintexts),
        ],
        // The last chunk is empty, the only one; empty; short.
        Format::Libsodium => [0, 32, 40]
            .map(|len| {
                let chunks: Vec<_> = plaintext[..len].chunks(16).collect();
                case(&frames::layout_pieces(&plaintext[..len], 16), &chunks)
            })
            .into(),
    }
}

/// What a writer is asked for: frames of some bytes each, and their ends in every way there is.
fn small_writings() -> Vec<Writing> {
    let plaintext = pat(40);
    let frames = [(0, 5), (5, 9), (9, 30), (30, 40)].map(|(start, end)| &plaintext[start..end]);
    let messages = frames.map(|frame| (frame, &b"ad"[..]));
    let v2 = vec![
        Call::Write(0, 5),
        Call::Flush,
        Call::Write(5, 9),
        Call::Frame(9, 30),
        Call::Write(30, 33),
        Call::Write(33, 33),
        Call::Write(33, 40),
        Call::Close,
    ];
    let chunks: Vec<_> = plaintext.chunks(16).collect();
    let libsodium = vec![
        Call::Write(0, 5),
        Call::Flush,
        Call::Write(5, 32),
        Call::Flush,
        Call::Write(32, 40),
        Call::Close,
    ];
    let layout = frames::layout_pieces(&plaintext, 16);
    vec![
        Writing {
            case: Case::new(Format::V2, 0, &frames::v2_pieces(&messages), &frames),
            calls: v2,
        },
        Writing {
            case: Case::new(Format::V2, 0, &frames::v2_pieces(&[]), &[]),
            calls: vec![Call::Close],
        },
        Writing {
            case: Case::new(Format::Libsodium, 16, &layout, &chunks),
            calls: libsodium,
        },
        Writing {
            case: Case::new(Format::Libsodium, 16, &frames::layout_pieces(&[], 16), &[]),
            calls: vec![Call::Flush, Call::Close],
        },
    ]
}

#[test]
fn readers() {
    let mut out = [0; 64];
    for case in Format::ALL.into_iter().flat_map(small) {
        for at in 0..=case.stream.len() {
            for fault in FAULTS {
                for ask in [1, 7, 16, 64] {
                    case.read(SimdEngine::new(), &[(at, fault)], &mut out[..ask]);
                }
            }
        }
    }
}

/// One that is got over, and another behind it or at the same place.
#[test]
fn readers_with_two_faults() {
    for case in Format::ALL.into_iter().flat_map(small) {
        for first in 0..=case.stream.len() {
            for second in first..=case.stream.len() {
                for fault in FAULTS {
                    let faults = [(first, WouldBlock), (second, fault)];
                    case.read(SimdEngine::new(), &faults, &mut [0; 16]);
                }
            }
        }
    }
}

#[test]
fn read_frame() {
    let plaintexts: [&[u8]; 4] = [b"", b"first", b"", &pat(40)];
    let messages = plaintexts.map(|plaintext| (plaintext, &b"ad"[..]));
    let pieces = [
        (Format::V2, frames::v2_pieces(&messages)),
        (Format::V1, frames::v1_pieces(&messages)),
    ];
    for (format, pieces) in pieces {
        let case = Case::new(format, 0, &pieces, &plaintexts);
        for at in 0..=case.stream.len() {
            for fault in FAULTS {
                case.read_frames(&[(at, fault)]);
            }
        }
    }
}

#[test]
fn writers() {
    for writing in small_writings() {
        for at in 0..writing.case.stream.len() {
            for fault in FAULTS {
                writing.write(SimdEngine::new(), &[(at, fault)], &[]);
            }
        }
    }
}

#[test]
fn writers_with_two_faults() {
    for writing in small_writings() {
        for first in 0..writing.case.stream.len() {
            for second in first..writing.case.stream.len() {
                for fault in FAULTS {
                    let faults = [(first, WouldBlock), (second, fault)];
                    writing.write(SimdEngine::new(), &faults, &[]);
                }
            }
        }
    }
}

/// At each flush, alone and behind a writer that was not ready just before.
#[test]
fn flushes() {
    for writing in small_writings() {
        let flushes = writing
            .calls
            .iter()
            .filter(|call| matches!(call, Call::Flush));
        for flush in 0..=flushes.count() {
            for fault in [Interrupted, WouldBlock, Reset] {
                writing.write(SimdEngine::new(), &[], &[(flush, fault)]);
                for at in 0..writing.case.stream.len() {
                    let faults = [(at, WouldBlock)];
                    writing.write(SimdEngine::new(), &faults, &[(flush, fault)]);
                }
            }
        }
    }
}

/// A full frame and one byte more: at each of some 65,000 offsets an interruption and then not being
/// ready, an error, or nothing.
const LARGE: [&[Fault]; 3] = [&[Interrupted, WouldBlock], &[Reset], &[Nothing]];

fn every_offset_of_a_large_stream(end: usize, mut try_it: impl FnMut(usize, &Faults)) {
    for at in 0..end {
        for faults in LARGE {
            let faults: Vec<_> = faults.iter().map(|fault| (at, *fault)).collect();
            try_it(at, &faults);
        }
    }
}

fn large(format: Format) -> Case {
    let header = v2::Header::new(NONCE);
    let (unit, mut pieces) = match format {
        Format::V2 => (v2::MAX_PLAINTEXT, vec![header.to_bytes().to_vec()]),
        Format::V1 => (v1::MAX_PLAINTEXT, vec![NONCE.to_vec()]),
        Format::Libsodium => unreachable!("the oracle makes these"),
    };
    let plaintext = pat(unit + 1);
    let plaintexts: Vec<_> = plaintext.chunks(unit).collect();
    let mut v2 = v2::Sealer::new(Toy, &key(), &header);
    let mut v1 = v1::Sealer::new(Toy, &key(), &NONCE);
    for plaintext in &plaintexts {
        let mut frame = vec![0; plaintext.len() + format.overhead()];
        match format {
            Format::V2 => v2.seal_to(b"", plaintext, &mut frame).unwrap(),
            _ => v1.seal_to(b"", plaintext, &mut frame).unwrap(),
        }
        pieces.push(frame);
    }
    if format == Format::V2 {
        pieces.push(v2.finish().unwrap().to_vec());
    }
    Case::new(format, 0, &pieces, &plaintexts)
}

#[test]
fn large_frames_of_v2_are_read() {
    let case = large(Format::V2);
    let mut out = vec![0; 70_000];
    every_offset_of_a_large_stream(case.stream.len() + 1, |at, faults| {
        // Straight into the caller's slice, and by the reader's own.
        case.read(Toy, faults, &mut out[..[70_000, 40_000][at % 2]]);
    });
}

#[test]
fn large_frames_of_v1_are_read() {
    let case = large(Format::V1);
    let mut out = vec![0; 70_000];
    every_offset_of_a_large_stream(case.stream.len() + 1, |at, faults| {
        case.read(Toy, faults, &mut out[..[70_000, 40_000][at % 2]]);
    });
}

#[test]
fn large_frames_of_v2_are_written() {
    let mut case = large(Format::V2);
    // With the ad of the writers here.
    let mut encryptor = Encryptor::builder()
        .header(v2::Header::new(NONCE))
        .ad(*b"ad")
        .engine(Toy)
        .build(Vec::new(), &key());
    encryptor.write_all(&case.plaintext).unwrap();
    case.stream = encryptor.finish().unwrap();
    let mut writing = Writing {
        case,
        calls: Vec::new(),
    };
    // From the caller's slice, and gathered.
    for first in [65536, 30_000] {
        writing.calls = vec![
            Call::Write(0, first),
            Call::Write(first, 65537),
            Call::Close,
        ];
        every_offset_of_a_large_stream(writing.case.stream.len(), |_, faults| {
            writing.write(Toy, faults, &[]);
        });
    }
}

/// Of the size that WAL-G has, under the cipher itself.
#[test]
fn large_chunks_of_the_libsodium_layout() {
    let plaintext = pat(8193);
    let chunks: Vec<_> = plaintext.chunks(8192).collect();
    let pieces = frames::layout_pieces(&plaintext, 8192);
    let case = Case::new(Format::Libsodium, 8192, &pieces, &chunks);
    let mut out = vec![0; 70_000];
    every_offset_of_a_large_stream(case.stream.len() + 1, |at, faults| {
        case.read(
            SimdEngine::new(),
            faults,
            &mut out[..[10_000, 4_000][at % 2]],
        );
    });
    let calls = vec![
        Call::Write(0, 8000),
        Call::Flush,
        Call::Write(8000, 8193),
        Call::Close,
    ];
    let writing = Writing { case, calls };
    every_offset_of_a_large_stream(writing.case.stream.len(), |_, faults| {
        writing.write(SimdEngine::new(), faults, &[]);
    });
}
