//! What the readers give out, and when.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use ss55_stream::{Decryptor, Error, Format as Found, Formats, PortableEngine, libsodium};
use ss55_wire::{Error as Wire, v2};
use std::{
    io::{self, BufRead, ErrorKind, Read},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
use support::{
    frames,
    inputs::{NONCE, key, pat},
    io::{Source, Step, by, freely},
    sodium,
    streams::{Format, read_all, wire},
};

fn decryptor(stream: &[u8]) -> Decryptor<&[u8]> {
    Decryptor::new(stream, &key())
}

#[test]
fn header_is_read_at_the_first_read() {
    for format in Format::ALL {
        let stream = format.stream(b"data", format.unit());
        let mut source = Source::new(&stream, freely());
        let mut reader = format.reader(&mut source, format.unit());
        assert_eq!(reader.read(&mut []).unwrap(), 0);
        assert_eq!(reader.frame_offset(), 0);
        drop(reader);
        assert_eq!(source.calls, 0);
    }
}

#[test]
fn format_is_known_after_the_first_read() {
    let streams = [
        (Found::V2, frames::v2_stream(&[(b"data", b"")])),
        (Found::V1, frames::v1_stream(&[(b"data", b"")])),
    ];
    for (found, stream) in streams {
        let mut decryptor = decryptor(&stream);
        assert_eq!(decryptor.format(), None);
        assert_eq!(decryptor.read(&mut [0; 1]).unwrap(), 1);
        assert_eq!(decryptor.format(), Some(found));
    }
    let mut decryptor = decryptor(b"SS55-v2\0\0\x03\0\0");
    decryptor.read(&mut [0; 1]).unwrap_err();
    assert_eq!(decryptor.format(), None);
}

/// Each format under each setting.
#[test]
fn formats_are_restricted() {
    let v2 = frames::v2_stream(&[(b"data", b"")]);
    let v1 = frames::v1_stream(&[(b"data", b"")]);
    let read = |stream: &[u8], formats| {
        let mut decryptor = Decryptor::builder().formats(formats).build(stream, &key());
        let (plaintext, end) = read_all(&mut decryptor);
        (plaintext, decryptor.format(), end.map_err(|e| wire(&e)))
    };
    for formats in [Formats::Any, Formats::V2, Formats::default()] {
        let found = Some(Found::V2);
        assert_eq!(read(&v2, formats), (b"data".to_vec(), found, Ok(())));
    }
    for formats in [Formats::Any, Formats::V1] {
        let found = Some(Found::V1);
        assert_eq!(read(&v1, formats), (b"data".to_vec(), found, Ok(())));
    }
    assert_eq!(
        read(&v1, Formats::V2),
        (vec![], None, Err(Some(Wire::BadMagic)))
    );
    // As v1, the magic is a part of the nonce, and its bytes 24..28 are a length.
    let length = u32::from_be_bytes([0x4c, 0x4d, 0x4e, 0x4f]);
    assert_eq!(
        read(&v2, Formats::V1),
        (vec![], Some(Found::V1), Err(Some(Wire::BadLength(length))))
    );
    // Nothing but a nonce is an empty v1 stream, and says that its end is not authenticated.
    assert_eq!(
        read(&NONCE, Formats::Any),
        (vec![], Some(Found::V1), Ok(()))
    );
}

#[test]
fn zero_size_reads_change_nothing() {
    for format in Format::ALL {
        let plaintext = pat(25);
        let stream = format.stream(&plaintext, 10);
        let mut reader = format.reader(&stream[..], 10);
        let mut read = Vec::new();
        let mut byte = [0];
        loop {
            assert_eq!(reader.read(&mut []).unwrap(), 0);
            if reader.read(&mut byte).unwrap() == 0 {
                break;
            }
            read.push(byte[0]);
        }
        assert_eq!(reader.read(&mut []).unwrap(), 0);
        assert_eq!(read, plaintext);
    }
}

/// After the end, `read` answers `Ok(0)` and no longer asks the inner reader, which might go on.
#[test]
fn the_end_stays() {
    for format in Format::ALL {
        let stream = format.stream(b"data", 10);
        let calls = AtomicUsize::new(0);
        let source = Source::new(&stream, |_| {
            calls.fetch_add(1, Relaxed);
            Step::Take(usize::MAX)
        });
        let mut reader = format.reader(source, 10);
        let (plaintext, end) = read_all(&mut *reader);
        end.unwrap();
        assert_eq!(plaintext, b"data");
        let before = calls.load(Relaxed);
        for _ in 0..3 {
            assert_eq!(reader.read(&mut [0; 10]).unwrap(), 0);
            assert_eq!(reader.fill_buf().unwrap(), b"");
        }
        assert_eq!(calls.load(Relaxed), before);
    }
}

/// A source that says `Ok(0)` once and then gives more has ended all the same.
#[test]
fn the_inputs_end_is_taken_at_its_word() {
    for format in Format::ALL {
        let stream = format.stream(b"data", 10);
        let longer = [&stream[..], b"more"].concat();
        let end = stream.len();
        let mut paused = false;
        let source = Source::new(&longer, move |at| {
            let pause = at == end && !paused;
            paused |= pause;
            Step::Take(if pause {
                0
            } else if at < end {
                end - at
            } else {
                4
            })
        });
        let mut reader = format.reader(source, 10);
        let (plaintext, end) = read_all(&mut *reader);
        end.unwrap();
        assert_eq!(plaintext, b"data");
        assert_eq!(reader.read(&mut [0; 10]).unwrap(), 0);
    }
}

#[test]
fn a_frame_at_a_time() {
    for format in Format::by_frame() {
        let plaintext = pat(25);
        let stream = format.stream(&plaintext, 10);
        // A large slice is given one frame; a small one gets the frame in pieces.
        let mut reader = format.reader(&stream[..], 10);
        let mut out = [0; 40];
        let mut lens = Vec::new();
        while let n @ 1.. = reader.read(&mut out).unwrap() {
            lens.push(n);
        }
        assert_eq!(lens, [10, 10, 5], "{format:?}");
        assert_eq!(out[25..], [0; 15]);

        let mut reader = format.reader(&stream[..], 10);
        let mut lens = Vec::new();
        while let n @ 1.. = reader.read(&mut out[..4]).unwrap() {
            lens.push(n);
        }
        assert_eq!(lens, [4, 4, 2, 4, 4, 2, 4, 1], "{format:?}");
    }
}

/// With the header in front, these frames end around the end of the memory that a reader has for its
/// input: with and without room for the start of the frame behind.
#[test]
fn frames_that_all_but_fill_the_memory() {
    for (format, units) in [(Format::V2, 65490..=65536), (Format::V1, 65560..=65600)] {
        for unit in units {
            let plaintext = pat(2 * unit + 1);
            let stream = format.stream(&plaintext, unit);
            let (read, end) = read_all(&mut *format.reader(&stream[..], unit));
            end.unwrap();
            assert!(read == plaintext, "{format:?} {unit}");
        }
    }
}

#[test]
fn read_frame_keeps_the_frames_and_their_ads() {
    let full = pat(65536);
    let messages: [frames::Message<'_>; 5] = [
        (b"alpha", b"x"),
        (b"", b"y"),
        (b"beta", b""),
        (&full, b"x"),
        (b"gamma", b"a longer one"),
    ];
    let streams = [frames::v2_stream(&messages), frames::v1_stream(&messages)];
    for stream in streams {
        let mut decryptor = decryptor(&stream);
        let mut frame = b"what was there before".to_vec();
        for (plaintext, ad) in messages {
            assert!(decryptor.read_frame(&mut frame, ad).unwrap());
            assert_eq!(frame, plaintext);
        }
        for _ in 0..2 {
            frame = b"old".to_vec();
            assert!(!decryptor.read_frame(&mut frame, b"whatever").unwrap());
            assert!(frame.is_empty());
        }
        assert_eq!(decryptor.read(&mut [0; 1]).unwrap(), 0);
    }
}

#[test]
fn another_ad_is_refused() {
    let messages: [frames::Message<'_>; 2] = [(b"one", b"right"), (b"two", b"right")];
    for stream in [frames::v2_stream(&messages), frames::v1_stream(&messages)] {
        for wrong in [&b""[..], b"righ", b"right\0", b"wrong"] {
            let mut decryptor = decryptor(&stream);
            let mut frame = Vec::new();
            assert!(decryptor.read_frame(&mut frame, b"right").unwrap());
            let offset = decryptor.frame_offset();
            for ad in [wrong, b"right"] {
                let error = decryptor.read_frame(&mut frame, ad).unwrap_err();
                assert!(matches!(error, Error::Wire(Wire::Authentication)));
                assert!(frame.is_empty());
                assert_eq!(decryptor.frame_offset(), offset);
            }

            let builder = Decryptor::builder().ad(wrong);
            let (plaintext, end) = read_all(&mut builder.build(&stream[..], &key()));
            assert_eq!(plaintext, b"");
            assert_eq!(wire(&end.unwrap_err()), Some(Wire::Authentication));
        }
        let builder = Decryptor::builder().ad(*b"right");
        let (plaintext, end) = read_all(&mut builder.build(&stream[..], &key()));
        end.unwrap();
        assert_eq!(plaintext, b"onetwo");
    }
}

/// What plain reads have left of a frame comes first, with whatever ad it had.
#[test]
fn read_frame_after_plain_reads() {
    let messages: [frames::Message<'_>; 3] = [
        (b"first", b"builder"),
        (b"second", b"own"),
        (b"third", b"builder"),
    ];
    for stream in [frames::v2_stream(&messages), frames::v1_stream(&messages)] {
        let builder = Decryptor::builder().ad(*b"builder");
        let mut decryptor = builder.build(&stream[..], &key());
        let mut out = [0; 2];
        decryptor.read_exact(&mut out).unwrap();
        assert_eq!(out, *b"fi");
        let mut frame = Vec::new();
        assert!(decryptor.read_frame(&mut frame, b"own").unwrap());
        assert_eq!(frame, b"rst");
        assert!(decryptor.read_frame(&mut frame, b"own").unwrap());
        assert_eq!(frame, b"second");
        assert_eq!(decryptor.fill_buf().unwrap(), b"third");
        decryptor.consume(5);
        assert!(!decryptor.read_frame(&mut frame, b"own").unwrap());
    }
}

/// `Ok(0)` is the end and nothing else.
#[test]
fn empty_message_frames_are_skipped() {
    let messages: [frames::Message<'_>; 5] =
        [(b"", b""), (b"a", b""), (b"", b""), (b"", b""), (b"b", b"")];
    for stream in [frames::v2_stream(&messages), frames::v1_stream(&messages)] {
        let (plaintext, end) = read_all(&mut decryptor(&stream));
        end.unwrap();
        assert_eq!(plaintext, b"ab");

        let mut decryptor = decryptor(&stream);
        for expected in [b"a", b"b"] {
            assert_eq!(decryptor.fill_buf().unwrap(), expected);
            decryptor.consume(1);
        }
        assert_eq!(decryptor.fill_buf().unwrap(), b"");
    }
}

/// In one call of `read`, without a stack frame each.
#[test]
fn a_million_empty_frames() {
    let header = v2::Header::new(NONCE);
    let mut sealer = v2::Sealer::new(PortableEngine, &key(), &header);
    let mut stream = header.to_bytes().to_vec();
    let mut frame = [0; v2::FRAME_OVERHEAD];
    for _ in 0..1_000_000 {
        sealer.seal_to(b"", b"", &mut frame).unwrap();
        stream.extend_from_slice(&frame);
    }
    stream.extend_from_slice(&sealer.finish().unwrap());
    let mut decryptor = decryptor(&stream);
    assert_eq!(decryptor.read(&mut [0; 1]).unwrap(), 0);
    assert!(decryptor.end_is_authenticated());
}

#[test]
fn buf_read() {
    for format in Format::by_frame() {
        let text = "one\ntwo\n\nfour, which is longer than a frame\nfive";
        let stream = format.stream(text.as_bytes(), 10);
        let reader = format.reader(Source::new(&stream, by(&[1, 2, 3])), 10);
        let lines: Vec<String> = reader.lines().map(Result::unwrap).collect();
        assert_eq!(lines, text.lines().collect::<Vec<_>>());

        // Frame by frame, as none comes with another.
        let mut reader = format.reader(Source::new(&stream, by(&[1])), 10);
        assert_eq!(reader.fill_buf().unwrap(), b"one\ntwo\n\nf");
        assert_eq!(reader.fill_buf().unwrap(), b"one\ntwo\n\nf");
        reader.consume(4);
        assert_eq!(reader.fill_buf().unwrap(), b"two\n\nf");
        let mut out = [0; 3];
        assert_eq!(reader.read(&mut out).unwrap(), 3);
        assert_eq!(reader.fill_buf().unwrap(), b"\n\nf");
        reader.consume(0);
        // More than is there consumes what is there.
        reader.consume(usize::MAX);
        assert_eq!(reader.fill_buf().unwrap(), b"our, which");
    }
}

/// Chunks are small: a call of the inner reader's brings several, and one of `fill_buf` gives them.
#[test]
fn chunks_by_the_dozen() {
    const CHUNK: usize = 8192;
    let plaintext = pat(20 * CHUNK + 5);
    let stream = Format::Libsodium.stream(&plaintext, CHUNK);
    let mut source = Source::new(&stream, freely());
    let mut reader = Format::Libsodium.reader(&mut source, CHUNK);
    let mut rest = &plaintext[..];
    for len in [8 * CHUNK, 8 * CHUNK, 4 * CHUNK, 5] {
        let given = reader.fill_buf().unwrap();
        assert!(given.len() == len && rest.starts_with(given), "{len}");
        reader.consume(len);
        rest = &rest[len..];
    }
    assert!(reader.fill_buf().unwrap().is_empty() && reader.end_is_authenticated());
    drop(reader);
    // The header, three windows, the end.
    assert_eq!(source.calls, 5);

    // What was whole before a damaged chunk comes first, and a chunk of the wrong tag is found too.
    for (at, whole) in [
        (24 + 3 * (CHUNK + 17) + 99, 3),
        (24 + 10 * (CHUNK + 17), 10),
    ] {
        let mut damaged = stream.clone();
        damaged[at] ^= 1;
        let mut reader = Format::Libsodium.reader(&damaged[..], CHUNK);
        let (read, error) = read_by_fill(&mut *reader);
        assert_eq!(wire(&error.unwrap_err()), Some(Wire::Authentication));
        assert!(read == plaintext[..whole * CHUNK]);
    }
    // A full FINAL chunk, and one behind it.
    let mut push = sodium::Secretstream::new(key().as_bytes(), &NONCE);
    let mut full = NONCE.to_vec();
    for tag in [0, 0, 3, 0] {
        full.extend(push.push(tag, &plaintext[..CHUNK]));
    }
    let (read, error) = read_by_fill(&mut *Format::Libsodium.reader(&full[..], CHUNK));
    assert_eq!(wire(&error.unwrap_err()), Some(Wire::TrailingData));
    assert_eq!(read.len(), 3 * CHUNK);
    full.truncate(24 + 3 * (CHUNK + 17));
    let (read, end) = read_by_fill(&mut *Format::Libsodium.reader(&full[..], CHUNK));
    end.unwrap();
    assert_eq!(read.len(), 3 * CHUNK);
}

/// All that `fill_buf` gives, and how it ended.
fn read_by_fill(reader: &mut dyn BufRead) -> (Vec<u8>, io::Result<()>) {
    let mut read = Vec::new();
    loop {
        match reader.fill_buf() {
            Ok([]) => return (read, Ok(())),
            Ok(given) => read.extend_from_slice(given),
            Err(error) => return (read, Err(error)),
        }
        reader.consume(usize::MAX);
    }
}

/// All plaintext may be out and the end still to come.
#[test]
fn end_is_authenticated_only_at_the_end() {
    for format in Format::ALL {
        let stream = format.stream(&pat(20), 10);
        let mut reader = format.reader(&stream[..], 10);
        assert!(!reader.end_is_authenticated());
        reader.read_exact(&mut [0; 20]).unwrap();
        assert!(!reader.end_is_authenticated(), "{format:?}");
        assert_eq!(reader.read(&mut [0; 1]).unwrap(), 0);
        assert_eq!(reader.end_is_authenticated(), format != Format::V1);
    }
}

#[test]
fn frame_offset_is_that_of_the_next_frame() {
    for format in Format::by_frame() {
        let plaintext = pat(30);
        let pieces = format.pieces(&plaintext, 10);
        let stream = pieces.concat();
        let mut reader = format.reader(&stream[..], 10);
        let mut offset = pieces[0].len();
        for piece in &pieces[1..4] {
            offset += piece.len();
            // A frame that is handed out in pieces is done with all the same.
            reader.read_exact(&mut [0; 1]).unwrap();
            assert_eq!(reader.frame_offset(), offset as u64);
            reader.read_exact(&mut [0; 9]).unwrap();
            assert_eq!(reader.frame_offset(), offset as u64);
        }
        assert_eq!(reader.read(&mut [0; 1]).unwrap(), 0);
        assert_eq!(reader.frame_offset(), stream.len() as u64);
    }
}

#[test]
fn inner_reader_is_at_hand() {
    let stream = frames::v2_stream(&[(b"data", b"")]);
    let mut decryptor = decryptor(&stream);
    assert_eq!(decryptor.inner().len(), stream.len());
    read_all(&mut decryptor).1.unwrap();
    assert_eq!(decryptor.inner().len(), 0);
    assert_eq!(decryptor.into_inner(), b"");

    let stream = Format::Libsodium.stream(b"data", 8192);
    let mut decryptor = libsodium::Decryptor::new(&stream[..], &key());
    assert_eq!(decryptor.inner().len(), stream.len());
    read_all(&mut decryptor).1.unwrap();
    assert_eq!(decryptor.into_inner(), b"");
}

#[test]
#[should_panic(expected = "at least one byte")]
fn no_chunks_of_nothing_are_read() {
    let _ = libsodium::Decryptor::builder().chunk_size(0);
}

/// Another chunk size is another format.
#[test]
fn chunk_size_must_be_the_writers() {
    let stream = Format::Libsodium.stream(&pat(30), 10);
    for chunk_size in [1, 9, 11, 8192] {
        let mut reader = Format::Libsodium.reader(&stream[..], chunk_size);
        let (plaintext, end) = read_all(&mut *reader);
        assert_eq!(plaintext, b"");
        let kind = end.unwrap_err().kind();
        assert!(matches!(
            kind,
            ErrorKind::InvalidData | ErrorKind::UnexpectedEof
        ));
    }
}
