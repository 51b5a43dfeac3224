//! Streams that are not whole, or not the writer's: nothing but authentic frames in their places comes
//! out, and the error says what is wrong.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use ss55_stream::{Decryptor, Error, Formats, libsodium};
use ss55_wire::Error as Wire;
use std::io::{ErrorKind, Read};
use support::{
    frames::{self, Message},
    inputs::{KEY, NONCE, key, pat},
    io::{Source, by, freely},
    sodium::Secretstream,
    streams::{Format, Reader, assert_stuck, read_all, wire},
};

/// Another stream under the same key.
const OTHER: [u8; 24] = [0x99; 24];

fn kind_of(error: Wire) -> ErrorKind {
    match error {
        Wire::Truncated => ErrorKind::UnexpectedEof,
        _ => ErrorKind::InvalidData,
    }
}

/// Reads what fails: that it fails with `expected`, whose kind is right and which stays, and what came
/// out before.
#[track_caller]
fn fails(reader: &mut dyn Reader, expected: Wire) -> Vec<u8> {
    let (plaintext, end) = read_all(reader);
    let error = end.expect_err("a clean end");
    assert_eq!(wire(&error), Some(expected));
    assert_eq!(error.kind(), kind_of(expected));
    assert_stuck(reader, error.kind());
    plaintext
}

/// Bytes of the whole pieces among the first `cut` bytes, and how many pieces that are.
fn whole(pieces: &[Vec<u8>], cut: usize) -> (usize, usize) {
    let mut len = 0;
    for (n, piece) in pieces.iter().enumerate() {
        if len + piece.len() > cut {
            return (len, n);
        }
        len += piece.len();
    }
    (len, pieces.len())
}

/// Reads the first `cut` bytes of a stream.
fn cut(format: Format, pieces: &[Vec<u8>], plaintext: &[u8], unit: usize, cut: usize) {
    let stream = pieces.concat();
    let (edge, frames) = whole(pieces, cut);
    let expected = &plaintext[..plaintext.len().min(frames.saturating_sub(1) * unit)];
    let mut reader = format.reader(Source::new(&stream[..cut], freely()), unit);
    if format == Format::V1 && frames > 0 && cut == edge {
        let (read, end) = read_all(&mut *reader);
        end.unwrap();
        assert!(read == expected, "{format:?} at {cut}");
    } else {
        let read = fails(&mut *reader, Wire::Truncated);
        assert!(read == expected, "{format:?} at {cut}");
    }
    assert!(!reader.end_is_authenticated());
    assert_eq!(reader.frame_offset(), edge as u64, "{format:?} at {cut}");
}

#[test]
fn cut_at_every_byte() {
    for format in Format::ALL {
        for len in [0, 5, 10, 25] {
            let plaintext = pat(len);
            let pieces = format.pieces(&plaintext, 10);
            for at in 0..pieces.concat().len() {
                cut(format, &pieces, &plaintext, 10, at);
            }
        }
    }
}

/// The header's cut too, before anything tells v1 from v2.
#[test]
fn cut_at_every_byte_where_any_format_is_accepted() {
    let v2 = frames::v2_stream(&[(b"data", b"")]);
    for at in 0..v2.len() {
        let mut decryptor = Decryptor::new(&v2[..at], &key());
        fails(&mut decryptor, Wire::Truncated);
    }
    let v1 = frames::v1_stream(&[(b"data", b"")]);
    for at in (0..24).chain(25..v1.len()) {
        let mut decryptor = Decryptor::new(&v1[..at], &key());
        fails(&mut decryptor, Wire::Truncated);
    }
}

#[test]
fn cut_around_the_edges_of_full_frames() {
    for format in Format::ALL {
        for tail in [0, 1, 100] {
            let plaintext = pat(2 * format.unit() + tail);
            let pieces = format.pieces(&plaintext, format.unit());
            let stream = pieces.concat();
            let mut edge = 0;
            for piece in &pieces {
                let around = [1, 2, 3, 4, 5, 6, 15, 16, 17, 18, 19, 20, 21, 22];
                for at in around.map(|n| edge + n) {
                    if at < stream.len() {
                        cut(format, &pieces, &plaintext, format.unit(), at);
                    }
                }
                edge += piece.len();
                for at in [edge - 17, edge - 16, edge - 1, edge] {
                    if at < stream.len() {
                        cut(format, &pieces, &plaintext, format.unit(), at);
                    }
                }
            }
        }
    }
}

/// Each bit of a stream: what comes out are the frames before it.
#[test]
fn every_bit_counts() {
    for format in Format::ALL {
        let plaintext = pat(25);
        let pieces = format.pieces(&plaintext, 10);
        let stream = pieces.concat();
        for bit in 0..8 * stream.len() {
            let mut damaged = stream.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let mut reader = format.reader(&damaged[..], 10);
            let (read, end) = read_all(&mut *reader);
            if format == Format::V2 && (32..36).contains(&(bit / 8)) {
                // Carried, but neither used nor authenticated.
                end.unwrap();
                assert_eq!(read, plaintext);
                continue;
            }
            let error = end.expect_err("a clean end");
            assert!(wire(&error).is_some());
            assert_stuck(&mut *reader, error.kind());

            // A wrong header is noticed with the first frame, but for the header's own checks.
            let (edge, frames) = whole(&pieces, bit / 8);
            let expected = &plaintext[..plaintext.len().min(frames.saturating_sub(1) * 10)];
            assert_eq!(read, expected, "{format:?} bit {bit}");
            let offset = match (frames, format) {
                (0, Format::V2) if bit < 8 * 12 => 0,
                (0, _) => pieces[0].len(),
                _ => edge,
            };
            assert_eq!(reader.frame_offset(), offset as u64, "{format:?} bit {bit}");

            // Behind length and tag, or in the nonce, there is one thing it can be.
            let in_frame = bit / 8 - edge;
            let short_chunk = format == Format::Libsodium && frames == 3;
            if frames > 0 && in_frame >= 5 && !short_chunk {
                assert_eq!(wire(&error), Some(Wire::Authentication));
            }
        }
    }
}

/// Both ways of reading, with slices that the frame fits and does not fit.
#[test]
fn bad_frame_3_of_5() {
    for format in Format::by_frame() {
        for unit in [10, format.unit()] {
            let plaintext = pat(4 * unit + unit / 2);
            let pieces = format.pieces(&plaintext, unit);
            let offset = pieces[..3].concat().len();
            let end = offset + pieces[3].len();
            // The first and the last byte of the ciphertext, and the last one of the mac.
            for at in [offset + format.overhead() - 16, end - 17, end - 1] {
                let mut stream = pieces.concat();
                stream[at] ^= 0x10;
                let size = 3 * unit / 2;
                for ask in [1, unit - 1, unit, size] {
                    let mut reader = format.reader(&stream[..], unit);
                    let mut read = Vec::new();
                    let mut out = vec![0xee; size];
                    let error = loop {
                        out.fill(0xee);
                        match reader.read(&mut out[..ask]) {
                            Ok(n) => {
                                assert_ne!(n, 0);
                                read.extend_from_slice(&out[..n]);
                            }
                            Err(error) => break error,
                        }
                    };
                    assert_eq!(wire(&error), Some(Wire::Authentication));
                    assert!(read == plaintext[..2 * unit], "{format:?} {unit} {ask}");
                    // Zeros where the frame was opened into the slice, else not a byte.
                    let touched = if ask >= unit { unit } else { 0 };
                    assert!(out[..touched].iter().all(|byte| *byte == 0));
                    assert!(out[touched..].iter().all(|byte| *byte == 0xee));
                    assert_eq!(reader.frame_offset(), offset as u64);
                    assert!(!reader.end_is_authenticated());
                    assert_stuck(&mut *reader, ErrorKind::InvalidData);
                }

                let mut reader = format.reader(&stream[..], unit);
                // One by one, or both at once.
                let mut rest = &plaintext[..2 * unit];
                while !rest.is_empty() {
                    let len = {
                        let given = reader.fill_buf().unwrap();
                        assert!(!given.is_empty() && rest.starts_with(given));
                        given.len()
                    };
                    reader.consume(len);
                    rest = &rest[len..];
                }
                let error = reader.fill_buf().unwrap_err();
                assert_eq!(wire(&error), Some(Wire::Authentication));
                assert_stuck(&mut *reader, ErrorKind::InvalidData);
            }
        }
    }
}

#[test]
fn bad_frame_3_of_5_by_frames() {
    let plaintext = pat(50);
    let messages: Vec<Message<'_>> = plaintext.chunks(10).map(|c| (c, &b"ad"[..])).collect();
    for pieces in [frames::v2_pieces(&messages), frames::v1_pieces(&messages)] {
        let offset = pieces[..3].concat().len();
        let mut stream = pieces.concat();
        stream[offset + 10] ^= 1;
        let mut decryptor = Decryptor::new(&stream[..], &key());
        let mut frame = Vec::new();
        for (expected, ad) in &messages[..2] {
            assert!(decryptor.read_frame(&mut frame, ad).unwrap());
            assert_eq!(frame, *expected);
        }
        for _ in 0..2 {
            let error = decryptor.read_frame(&mut frame, b"ad").unwrap_err();
            assert!(matches!(error, Error::Wire(Wire::Authentication)));
            assert!(frame.is_empty());
            assert_eq!(decryptor.frame_offset(), offset as u64);
        }
        assert_stuck(&mut decryptor, ErrorKind::InvalidData);
    }
}

/// Under a wrong key the first frame fails, whole streams and cut ones alike.
#[test]
fn another_key() {
    for format in Format::ALL {
        let stream = format.stream(&pat(25), 10);
        for bit in [0, 100, 255] {
            let mut wrong = KEY;
            wrong[bit / 8] ^= 1 << (bit % 8);
            let (plaintext, end) = if format == Format::Libsodium {
                let builder = libsodium::Decryptor::builder().chunk_size(10);
                read_all(&mut builder.build(&stream[..], &wrong.into()))
            } else {
                read_all(&mut Decryptor::new(&stream[..], &wrong.into()))
            };
            let error = end.unwrap_err();
            assert_eq!(plaintext, b"");
            assert_eq!(wire(&error), Some(Wire::Authentication), "{format:?}");
        }
    }
}

/// What is behind a whole stream, from sources that give it with the end or byte by byte.
#[test]
fn trailing_data() {
    let plaintext = pat(25);
    let full = pat(20);
    // Streams, what of them comes out before the error, and where that is.
    let v2 = Format::V2.pieces(&plaintext, 10);
    let further = frames::v2_frame(&NONCE, 4, 0x00, (b"more", b""));
    let mut push = Secretstream::new(&KEY, &NONCE);
    let mut layout = NONCE.to_vec();
    for (tag, chunk) in [(0, &plaintext[..10]), (0, &plaintext[10..20])] {
        layout.extend(push.push(tag, chunk));
    }
    let offset = layout.len();
    layout.extend(push.push(3, &plaintext[20..]));
    let further_chunk = push.push(0, b"more");

    let mut push = Secretstream::new(&KEY, &NONCE);
    let mut full_final = NONCE.to_vec();
    for (tag, chunk) in [(0, &full[..10]), (3, &full[10..])] {
        full_final.extend(push.push(tag, chunk));
    }
    let further_behind_full = push.push(3, b"more");

    let streams = [
        (Format::V2, v2.concat(), &plaintext[..], None, further),
        // The end of a short chunk is known by the input's end alone.
        (
            Format::Libsodium,
            layout,
            &plaintext[..20],
            Some(offset),
            further_chunk,
        ),
        (
            Format::Libsodium,
            full_final,
            &full[..],
            None,
            further_behind_full,
        ),
    ];
    for (format, stream, expected, offset, further) in streams {
        let trails = [
            vec![0],
            vec![0; 16],
            vec![0; 17],
            vec![0xff; 26],
            vec![0; 27],
            vec![0; 28],
            vec![0xff; 200],
            stream.clone(),
            further,
        ];
        for trail in trails {
            let longer = [&stream[..], &trail].concat();
            for source in [&[1][..], &[7], &[1 << 20]] {
                let mut reader = format.reader(Source::new(&longer, by(source)), 10);
                let read = fails(&mut *reader, Wire::TrailingData);
                assert_eq!(read, expected, "{format:?} {} {source:?}", trail.len());
                let offset = offset.unwrap_or(stream.len());
                assert_eq!(reader.frame_offset(), offset as u64);
            }
        }
    }
}

/// The end was there, but it was not the input's: `read_frame` says so too.
#[test]
fn trailing_data_by_frames() {
    let stream = [frames::v2_stream(&[(b"data", b"")]), vec![0]].concat();
    let mut decryptor = Decryptor::new(&stream[..], &key());
    let mut frame = Vec::new();
    assert!(decryptor.read_frame(&mut frame, b"").unwrap());
    for _ in 0..2 {
        let error = decryptor.read_frame(&mut frame, b"").unwrap_err();
        assert!(matches!(error, Error::Wire(Wire::TrailingData)));
        assert!(frame.is_empty());
    }
    assert!(decryptor.end_is_authenticated());
}

/// Frames of one size that are all authentic somewhere, just not here.
#[test]
fn frames_out_of_place() {
    for format in Format::ALL {
        let plaintext = pat(44);
        let pieces = format.pieces(&plaintext, 10);
        let mut swapped = pieces.clone();
        swapped.swap(2, 3);
        let mut doubled = pieces.clone();
        doubled.insert(2, pieces[2].clone());
        let mut dropped = pieces.clone();
        dropped.remove(2);
        let mut foreign = pieces.clone();
        foreign[2] = match format {
            Format::V2 => frames::v2_frame(&OTHER, 1, 0, (&plaintext[10..20], b"")),
            Format::V1 => frames::v1_frame(&OTHER, 1, (&plaintext[10..20], b"")),
            Format::Libsodium => {
                let mut push = Secretstream::new(&KEY, &OTHER);
                push.push(0, &plaintext[..10]);
                push.push(0, &plaintext[10..20])
            }
        };
        for (what, pieces, good) in [
            ("swapped", swapped, 1),
            ("doubled", doubled, 2),
            ("dropped", dropped, 1),
            ("foreign", foreign, 1),
        ] {
            let stream = pieces.concat();
            let mut reader = format.reader(&stream[..], 10);
            let read = fails(&mut *reader, Wire::Authentication);
            assert_eq!(read, &plaintext[..10 * good], "{format:?} {what}");
            let offset = pieces[..=good].concat().len();
            assert_eq!(reader.frame_offset(), offset as u64);
        }

        // Another stream's header; and a v2 stream whose end comes early.
        let mut other_header = pieces.clone();
        let header = other_header[0].len();
        other_header[0][header - 24..].copy_from_slice(&OTHER);
        let stream = other_header.concat();
        let read = fails(&mut *format.reader(&stream[..], 10), Wire::Authentication);
        assert_eq!(read, b"");
    }
    let pieces = Format::V2.pieces(&pat(20), 10);
    let early = [&pieces[0][..], &pieces[1], &pieces[3]].concat();
    let read = fails(
        &mut *Format::V2.reader(&early[..], 10),
        Wire::Authentication,
    );
    assert_eq!(read, pat(10));
}

#[test]
fn frame_tags_of_v2() {
    let header = frames::v2_header(&NONCE);
    let read = |frames: &[Vec<u8>], expected| {
        let stream = [&header[..], &frames.concat()].concat();
        fails(&mut *Format::V2.reader(&stream[..], 10), expected)
    };
    let message = frames::v2_frame(&NONCE, 0, 0x00, (b"", b""));
    let end = frames::v2_frame(&NONCE, 0, 0x03, (b"", b""));
    let tagged = |frame: &[u8], tag| {
        let mut frame = frame.to_vec();
        frame[4] = tag;
        frame
    };
    read(&[tagged(&message, 0x03)], Wire::Authentication);
    read(&[tagged(&end, 0x00)], Wire::Authentication);
    // Authentic, but not v2: other tags, and a final frame with plaintext.
    for tag in [0x01, 0x02, 0x04, 0xff] {
        let frame = frames::v2_frame(&NONCE, 0, tag, (b"", b""));
        assert_eq!(read(&[frame], Wire::UnknownTag(tag)), b"");
    }
    let frame = frames::v2_frame(&NONCE, 0, 0x03, (b"x", b""));
    assert_eq!(read(&[frame], Wire::BadLength(18)), b"");
    // A final frame has no ad, whatever the reader expects of messages.
    let frame = frames::v2_frame(&NONCE, 0, 0x03, (b"", b"ad"));
    let stream = [&header[..], &frame].concat();
    let builder = Decryptor::builder().ad(*b"ad");
    fails(
        &mut builder.build(&stream[..], &key()),
        Wire::Authentication,
    );
    let mut decryptor = Decryptor::new(&stream[..], &key());
    let error = decryptor.read_frame(&mut Vec::new(), b"ad").unwrap_err();
    assert!(matches!(error, Error::Wire(Wire::Authentication)));
}

#[test]
fn v1_and_v2_are_not_each_other() {
    let v1 = frames::v1_stream(&[(b"data", b"")]);
    let v2 = frames::v2_stream(&[(b"data", b"")]);
    // The length is then the tag's neighbour: 00 00 00 14, and a byte of ciphertext as the tag.
    let as_v2 = [&frames::v2_header(&NONCE)[..], &v1[24..]].concat();
    let tag = v1[28];
    assert!(tag != 0x00 && tag != 0x03);
    let mut decryptor = Decryptor::new(&as_v2[..], &key());
    assert_eq!(fails(&mut decryptor, Wire::UnknownTag(tag)), b"");
    // The tag is then a byte of ciphertext.
    let as_v1 = &v2[12..];
    let mut decryptor = Decryptor::new(as_v1, &key());
    assert_eq!(fails(&mut decryptor, Wire::Authentication), b"");
}

#[test]
fn headers_of_v2() {
    let stream = frames::v2_stream(&[(b"data", b"")]);
    let read = |at: usize, byte, formats, expected| {
        let mut stream = stream.clone();
        stream[at] = byte;
        let builder = Decryptor::builder().formats(formats);
        let mut decryptor = builder.build(&stream[..], &key());
        assert_eq!(fails(&mut decryptor, expected), b"");
        assert_eq!(decryptor.frame_offset(), 0);
    };
    for formats in [Formats::Any, Formats::V2] {
        read(9, 1, formats, Wire::UnsupportedVersion(1));
        read(9, 3, formats, Wire::UnsupportedVersion(3));
        read(8, 1, formats, Wire::UnsupportedVersion(0x0102));
        read(11, 1, formats, Wire::UnsupportedFlags(1));
        read(10, 0x80, formats, Wire::UnsupportedFlags(0x8000));
    }
    for at in 0..8 {
        read(at, 0x55, Formats::V2, Wire::BadMagic);
    }
}

/// What is too short for a header and does not begin like one is not a cut stream.
#[test]
fn short_inputs_that_are_no_v2_stream() {
    let stream = frames::v2_stream(&[]);
    let read = |input: &[u8], expected| {
        for source in [&[1][..], &[1 << 20]] {
            let source = Source::new(input, by(source));
            let builder = Decryptor::builder().formats(Formats::V2);
            fails(&mut builder.build(source, &key()), expected);
        }
    };
    read(b"", Wire::Truncated);
    for len in 1..36 {
        read(&stream[..len], Wire::Truncated);
        read(
            &b"a line of text that is not a stream\n"[..len],
            Wire::BadMagic,
        );
        let mut almost = stream[..len].to_vec();
        almost[(len - 1).min(7)] ^= 1;
        read(&almost, Wire::BadMagic);
    }
}

/// Whatever a length field claims, followed by little.
#[test]
fn length_fields() {
    let claims = [
        0xffff_ffff,
        0x7fff_ffff,
        0x8000_0000,
        0,
        1,
        15,
        16,
        17,
        65553,
        65554,
        65616,
        65617,
    ];
    for format in [Format::V2, Format::V1] {
        let legal = match format {
            Format::V2 => 17..=65553,
            _ => 16..=65616,
        };
        let header = &format.pieces(b"", 10)[0];
        for claim in claims {
            for behind in [0, 16, 17, 64] {
                let stream = [&header[..], &u32::to_be_bytes(claim), &vec![0; behind]].concat();
                let expected = match claim {
                    claim if !legal.contains(&claim) => Wire::BadLength(claim),
                    claim if claim as usize > behind => Wire::Truncated,
                    _ => Wire::Authentication,
                };
                let mut reader = format.reader(&stream[..], 10);
                assert_eq!(fails(&mut *reader, expected), b"");
                assert_eq!(reader.frame_offset(), header.len() as u64);
            }
        }
    }
}

/// The largest frames that each format may have, whole.
#[test]
fn largest_frames() {
    let plaintext = pat(65600);
    let v2 = frames::v2_stream(&[(&plaintext[..65536], b"")]);
    let v1 = frames::v1_stream(&[(&plaintext, b""), (&plaintext, b"")]);
    let (read, end) = read_all(&mut Decryptor::new(&v2[..], &key()));
    end.unwrap();
    assert!(read == plaintext[..65536]);
    let (read, end) = read_all(&mut Decryptor::new(&v1[..], &key()));
    end.unwrap();
    assert!(read == plaintext.repeat(2));

    // One byte more is authentic and refused all the same.
    let v2 = frames::v2_stream(&[(&plaintext[..65537], b"")]);
    fails(&mut Decryptor::new(&v2[..], &key()), Wire::BadLength(65554));
    let longer = pat(65601);
    let v1 = frames::v1_stream(&[(&longer, b"")]);
    fails(&mut Decryptor::new(&v1[..], &key()), Wire::BadLength(65617));
}

/// A stream that ends without FINAL where a chunk ends, or with a chunk that says otherwise.
#[test]
fn libsodium_streams_without_a_final_chunk() {
    let chunk = pat(10);
    for (chunks, expected) in [
        (&[][..], &b""[..]),
        (&[(0, &chunk[..])], &chunk),
        (&[(0, b"short")], b""),
        (&[(1, b"short")], b""),
        (&[(2, b"short")], b""),
        (&[(0, &chunk), (0, b"")], &chunk),
    ] {
        let stream = frames::layout_of(chunks);
        let mut reader = Format::Libsodium.reader(&stream[..], 10);
        assert_eq!(fails(&mut *reader, Wire::Truncated), expected);
        assert!(!reader.end_is_authenticated());

        // What the short chunk held is authentic, but not the end: not a byte of it is left.
        let mut reader = Format::Libsodium.reader(&stream[..], 10);
        let mut out = [0xee; 10];
        while reader.read(&mut out).is_ok() {
            out.fill(0xee);
        }
        assert!(out.iter().all(|byte| [0, 0xee].contains(byte)));
    }
}
