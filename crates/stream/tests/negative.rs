//! The streams of testdata/negative through the readers, on each of their ways, from sources and in
//! slices of several sizes: which error, and how much plaintext before it.

#[path = "../../wire/tests/support/negative.rs"]
mod negative;
mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use negative::Vector;
use ss55_stream::{Decryptor, DecryptorBuilder, Formats, Key, libsodium};
use std::io::{self, ErrorKind};
use support::{
    io::{Source, by},
    streams::{Reader, assert_stuck, wire},
};

const SOURCES: [&[usize]; 4] = [&[1], &[1, 2, 3, 4, 5], &[21, 4], &[1 << 20]];
const ASKS: [usize; 5] = [1, 7, 16, 64, 100_000];

fn builder(vector: &Vector, accept: &str) -> DecryptorBuilder {
    let formats = match accept {
        "v1" => Formats::V1,
        "v2" => Formats::V2,
        _ => Formats::Any,
    };
    Decryptor::builder().formats(formats).ad(vector.ad())
}

fn reader<'a>(vector: &Vector, accept: &str, source: Source<'a>) -> Box<dyn Reader + 'a> {
    let key = Key::from_bytes(vector.key());
    if accept == "libsodium" {
        let builder = libsodium::Decryptor::builder().chunk_size(vector.chunk_size);
        return Box::new(builder.build(source, &key));
    }
    Box::new(builder(vector, accept).build(source, &key))
}

/// What came out is what the oracle says, and so is the end; an error stays.
fn check(vector: &Vector, reader: &mut dyn Reader, read: &[u8], end: io::Result<()>, how: &str) {
    vector.assert_released(read, how);
    let expected = vector.end();
    match end {
        Ok(()) => assert_eq!(Ok(()), expected, "{}, {how}", vector.name),
        Err(error) => {
            let found = wire(&error).expect("an error of the stream");
            assert_eq!(Err(found), expected, "{}, {how}", vector.name);
            let kind = match found {
                ss55_wire::Error::Truncated => ErrorKind::UnexpectedEof,
                _ => ErrorKind::InvalidData,
            };
            assert_eq!(error.kind(), kind, "{}, {how}", vector.name);
            assert_stuck(reader, kind);
        }
    }
}

/// With `read` into slices of one size. Behind what it says it has read the slice is as before, or,
/// where a frame was opened that failed, zeros.
fn by_reads(vector: &Vector, accept: &str, stream: &[u8], source: &[usize], ask: usize) {
    let how = format!("{accept}, {ask} bytes at a time, from {source:?}");
    let mut reader = reader(vector, accept, Source::new(stream, by(source)));
    let (mut read, mut out) = (Vec::new(), vec![0xee; ask]);
    let end = loop {
        match reader.read(&mut out) {
            Ok(0) => break Ok(()),
            Ok(n) => {
                read.extend_from_slice(&out[..n]);
                out[..n].fill(0xee);
            }
            Err(error) => break Err(error),
        }
    };
    let touched = out.iter().rposition(|byte| *byte != 0xee);
    let touched = touched.map_or(0, |last| last + 1);
    assert!(
        out[..touched].iter().all(|byte| *byte == 0),
        "{}, {how}",
        vector.name
    );
    check(vector, &mut *reader, &read, end, &how);
}

fn by_fill_buf(vector: &Vector, accept: &str, stream: &[u8], source: &[usize]) {
    let mut reader = reader(vector, accept, Source::new(stream, by(source)));
    let mut read = Vec::new();
    let end = loop {
        match reader.fill_buf() {
            Ok([]) => break Ok(()),
            Ok(plaintext) => {
                // Not all at once.
                let take = plaintext.len().div_ceil(2);
                read.extend_from_slice(&plaintext[..take]);
                reader.consume(take);
            }
            Err(error) => break Err(error),
        }
    };
    check(vector, &mut *reader, &read, end, "fill_buf");
}

fn by_frames(vector: &Vector, accept: &str, stream: &[u8], source: &[usize]) {
    let key = Key::from_bytes(vector.key());
    let source = Source::new(stream, by(source));
    // It is the call that has the ad here.
    let mut decryptor = builder(vector, accept).ad(*b"unused").build(source, &key);
    let (mut read, mut frame) = (Vec::new(), Vec::new());
    let end = loop {
        match decryptor.read_frame(&mut frame, &vector.ad()) {
            Ok(true) => read.extend_from_slice(&frame),
            Ok(false) => break Ok(()),
            Err(error) => break Err(io::Error::from(error)),
        }
    };
    assert!(frame.is_empty(), "{}", vector.name);
    check(vector, &mut decryptor, &read, end, "read_frame");
}

fn every_way(vectors: &[Vector]) {
    for vector in vectors {
        let stream = vector.stream();
        for accept in &vector.accept {
            for source in SOURCES {
                for ask in ASKS {
                    by_reads(vector, accept, &stream, source, ask);
                }
                by_fill_buf(vector, accept, &stream, source);
                if accept != "libsodium" {
                    by_frames(vector, accept, &stream, source);
                }
            }
        }
    }
}

#[test]
fn v2() {
    every_way(&negative::v2());
}

#[test]
fn v1() {
    every_way(&negative::v1());
}

#[test]
fn secretstream() {
    every_way(&negative::secretstream());
}

/// And never with v1, which has no end of its own.
#[test]
fn ends_are_authenticated_where_the_format_can() {
    let mut ends = [0; 3];
    for (n, vectors) in [negative::v2(), negative::secretstream(), negative::v1()]
        .iter()
        .enumerate()
    {
        for vector in vectors.iter().filter(|vector| vector.end() == Ok(())) {
            let stream = vector.stream();
            let mut reader = reader(
                vector,
                &vector.accept[0],
                Source::new(&stream, by(&[1 << 20])),
            );
            reader.read_to_end(&mut Vec::new()).unwrap();
            assert_eq!(reader.end_is_authenticated(), n != 2, "{}", vector.name);
            ends[n] += 1;
        }
    }
    assert!(ends.iter().all(|n| *n >= 7), "{ends:?}");
}
