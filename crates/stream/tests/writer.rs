//! What the writers put where, and when.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use ss55_stream::{Encryptor, Error, libsodium};
use ss55_wire::{Error as Wire, v2::Header};
use std::io::{ErrorKind, Write};
use support::{
    frames,
    inputs::{NONCE, key, pat},
    io::{Target, freely},
    streams::{Format, read_all, wire},
};

/// An SS55 v2 writer with the header of the oracle's streams.
fn encryptor<W: Write>(inner: W) -> Encryptor<W> {
    let builder = Encryptor::builder().header(Header::new(NONCE));
    builder.build(inner, &key())
}

#[test]
fn header_is_written_at_the_first_write_flush_or_finish() {
    for format in Format::WRITTEN {
        let pieces = format.pieces(b"", format.unit());
        let (header, end) = (&pieces[0], &pieces[1]);

        let mut target = Target::new(freely());
        drop(format.writer(&mut target, format.unit()));
        assert_eq!((target.calls, target.flushes), (0, 0));

        let mut target = Target::new(freely());
        assert_eq!(
            format
                .writer(&mut target, format.unit())
                .write(b"x")
                .unwrap(),
            1
        );
        assert_eq!((&target.bytes, target.flushes), (header, 0));

        let mut target = Target::new(freely());
        assert_eq!(
            format
                .writer(&mut target, format.unit())
                .write(b"")
                .unwrap(),
            0
        );
        assert_eq!((&target.bytes, target.flushes), (header, 0));

        let mut target = Target::new(freely());
        format.writer(&mut target, format.unit()).flush().unwrap();
        assert_eq!((&target.bytes, target.flushes), (header, 1));

        let mut target = Target::new(freely());
        format.writer(&mut target, format.unit()).close().unwrap();
        assert_eq!(target.bytes, [&header[..], end].concat());
        assert_eq!(target.flushes, 1);
    }
}

#[test]
fn header_is_written_at_the_first_frame() {
    let mut target = Target::new(freely());
    encryptor(&mut target).write_frame(b"x", b"").unwrap();
    let pieces = frames::v2_pieces(&[(b"x", b"")]);
    assert_eq!(target.bytes, pieces[..2].concat());
}

#[test]
fn nothing_but_empty_writes_makes_an_empty_stream() {
    for format in Format::WRITTEN {
        let mut stream = Vec::new();
        let mut writer = format.writer(&mut stream, format.unit());
        for _ in 0..3 {
            assert_eq!(writer.write(b"").unwrap(), 0);
        }
        writer.close().unwrap();
        drop(writer);
        assert_eq!(stream, format.stream(b"", format.unit()));
    }
}

/// A full frame goes out with the write that fills it; what is less waits.
#[test]
fn writes_fill_frames() {
    for format in Format::written_by_frame() {
        let unit = format.unit();
        let plaintext = pat(3 * unit);
        let pieces = format.pieces(&plaintext, unit);
        let lens: Vec<usize> = (1..=4).map(|n| pieces[..n].concat().len()).collect();

        let mut target = Target::new(freely());
        {
            let mut writer = format.writer(&mut target, unit);
            // Nothing is gathered: a frame straight from the slice, and no more than one.
            assert_eq!(writer.write(&plaintext).unwrap(), unit);
            assert_eq!(writer.write(&plaintext[unit..][..10]).unwrap(), 10);
            // Something is gathered: what fills the frame.
            assert_eq!(writer.write(&plaintext[unit + 10..]).unwrap(), unit - 10);
        }
        assert_eq!(target.bytes.len(), lens[2]);

        let mut target = Target::new(freely());
        {
            let mut writer = format.writer(&mut target, unit);
            writer.write_all(&plaintext[..unit - 1]).unwrap();
        }
        assert_eq!(target.bytes.len(), lens[0], "a byte is missing");
        let mut target = Target::new(freely());
        {
            let mut writer = format.writer(&mut target, unit);
            writer.write_all(&plaintext[..unit - 1]).unwrap();
            writer.write_all(&plaintext[unit - 1..unit]).unwrap();
        }
        assert_eq!(target.bytes, pieces[..2].concat());
    }
}

#[test]
fn flush_ends_a_frame_of_v2() {
    let mut target = Target::new(freely());
    let mut encryptor = encryptor(&mut target);
    encryptor.write_all(b"first").unwrap();
    encryptor.flush().unwrap();
    assert_eq!(encryptor.inner().flushes, 1);
    let pieces = frames::v2_pieces(&[(b"first", b""), (b"second", b"")]);
    assert_eq!(encryptor.inner().bytes, pieces[..2].concat());

    // Nothing is gathered: no empty frame, but the inner writer is flushed.
    encryptor.flush().unwrap();
    assert_eq!(encryptor.inner().flushes, 2);
    assert_eq!(encryptor.inner().bytes, pieces[..2].concat());

    encryptor.write_all(b"second").unwrap();
    encryptor.close().unwrap();
    assert_eq!(target.bytes, pieces.concat());
}

/// Mid-frame, and exactly where a frame has just gone out by itself.
#[test]
fn flush_around_a_full_frame_of_v2() {
    let plaintext = pat(65537);
    for at in [1, 65535, 65536, 65537] {
        let mut encryptor = encryptor(Vec::new());
        encryptor.write_all(&plaintext[..at]).unwrap();
        encryptor.flush().unwrap();
        encryptor.write_all(&plaintext[at..]).unwrap();
        let stream = encryptor.finish().unwrap();

        let (first, rest) = plaintext.split_at(at.min(65536));
        let messages = [(first, &b""[..]), (rest, b"")];
        assert!(stream == frames::v2_stream(&messages), "{at}");
    }
}

#[test]
fn flush_leaves_the_chunks_of_libsodium_alone() {
    let plaintext = pat(8192 + 100);
    let pieces = Format::Libsodium.pieces(&plaintext, 8192);
    let mut target = Target::new(freely());
    let mut writer = Format::Libsodium.writer(&mut target, 8192);
    for piece in plaintext.chunks(1000) {
        writer.write_all(piece).unwrap();
        writer.flush().unwrap();
    }
    drop(writer);
    assert_eq!(target.bytes, pieces[..2].concat());
    assert_eq!(target.flushes, 9);

    let mut target = Target::new(freely());
    let mut writer = Format::Libsodium.writer(&mut target, 8192);
    writer.write_all(&plaintext[..10]).unwrap();
    writer.flush().unwrap();
    writer.write_all(&plaintext[10..]).unwrap();
    writer.close().unwrap();
    drop(writer);
    assert_eq!(target.bytes, pieces.concat());
}

#[test]
fn write_frame_seals_what_is_gathered_first() {
    let mut encryptor = Encryptor::builder()
        .header(Header::new(NONCE))
        .ad(*b"plain")
        .build(Vec::new(), &key());
    encryptor.write_all(b"gathered").unwrap();
    encryptor.write_frame(b"framed", b"its own").unwrap();
    encryptor.write_frame(b"again", b"").unwrap();
    encryptor.write_all(b"last").unwrap();
    let stream = encryptor.finish().unwrap();
    let messages: [frames::Message<'_>; 4] = [
        (b"gathered", b"plain"),
        (b"framed", b"its own"),
        (b"again", b""),
        (b"last", b"plain"),
    ];
    assert_eq!(stream, frames::v2_stream(&messages));
}

/// At a multiple of the frame there is no empty frame behind.
#[test]
fn write_frame_makes_one_frame_per_65536_bytes() {
    for len in [1, 65535, 65536, 65537, 131072, 131073, 200_000] {
        let plaintext = pat(len);
        let mut encryptor = encryptor(Vec::new());
        encryptor.write_frame(&plaintext, b"ad").unwrap();
        let stream = encryptor.finish().unwrap();
        let messages: Vec<frames::Message<'_>> =
            plaintext.chunks(65536).map(|c| (c, &b"ad"[..])).collect();
        assert!(stream == frames::v2_stream(&messages), "{len}");
    }
}

/// It neither makes a frame nor ends the one that is gathered.
#[test]
fn write_frame_of_nothing_writes_no_frame() {
    let mut encryptor = encryptor(Vec::new());
    encryptor.write_frame(b"", b"ad").unwrap();
    encryptor.write_all(b"one ").unwrap();
    encryptor.write_frame(b"", b"ad").unwrap();
    encryptor.write_all(b"frame").unwrap();
    let stream = encryptor.finish().unwrap();
    assert_eq!(stream, frames::v2_stream(&[(b"one frame", b"")]));
}

/// All message frames of plain writes have the builder's ad, however they came about; the final
/// frame has none.
#[test]
fn the_builders_ad() {
    let plaintext = pat(65536 + 10);
    let mut encryptor = Encryptor::builder()
        .header(Header::new(NONCE))
        .ad(*b"bound")
        .build(Vec::new(), &key());
    encryptor.write_all(&plaintext[..65536]).unwrap(); // from the slice
    encryptor.write_all(&plaintext[..10]).unwrap();
    encryptor.write_all(&plaintext[10..65536]).unwrap(); // gathered
    encryptor.write_all(b"flushed").unwrap();
    encryptor.flush().unwrap();
    encryptor.write_all(b"finished").unwrap();
    let stream = encryptor.finish().unwrap();
    let full = &plaintext[..65536];
    let messages: [frames::Message<'_>; 4] = [
        (full, b"bound"),
        (full, b"bound"),
        (b"flushed", b"bound"),
        (b"finished", b"bound"),
    ];
    assert!(stream == frames::v2_stream(&messages));
}

#[test]
fn dropped_streams_are_truncated() {
    for format in Format::WRITTEN {
        for len in [0, 10, format.unit(), format.unit() + 10] {
            let mut stream = Vec::new();
            let mut writer = format.writer(&mut stream, format.unit());
            writer.write_all(&pat(len)).unwrap();
            writer.flush().unwrap();
            drop(writer);
            let (_, end) = read_all(&mut *format.reader(&stream[..], format.unit()));
            let error = end.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{format:?} {len}");
            assert_eq!(wire(&error), Some(Wire::Truncated));
        }
    }
}

#[test]
fn close_twice_writes_one_end() {
    for format in Format::WRITTEN {
        for len in [0, 10, format.unit()] {
            let plaintext = pat(len);
            let mut target = Target::new(freely());
            let mut writer = format.writer(&mut target, format.unit());
            writer.write_all(&plaintext).unwrap();
            for _ in 0..3 {
                writer.close().unwrap();
            }
            drop(writer);
            assert_eq!(target.bytes, format.stream(&plaintext, format.unit()));
            assert_eq!(target.flushes, 1, "closed is closed");
        }
    }
}

#[test]
fn close_then_finish_writes_one_end() {
    let mut encryptor = encryptor(Vec::new());
    encryptor.write_all(b"data").unwrap();
    encryptor.close().unwrap();
    let stream = encryptor.finish().unwrap();
    assert_eq!(stream, frames::v2_stream(&[(b"data", b"")]));

    let builder = libsodium::Encryptor::builder().header(NONCE);
    let mut encryptor = builder.build(Vec::new(), &key());
    encryptor.write_all(b"data").unwrap();
    encryptor.close().unwrap();
    let stream = encryptor.finish().unwrap();
    assert_eq!(stream, Format::Libsodium.stream(b"data", 8192));
}

/// Going on after the end is refused, and does no harm.
#[test]
fn nothing_is_written_after_the_end() {
    for format in Format::WRITTEN {
        let mut target = Target::new(freely());
        let mut writer = format.writer(&mut target, format.unit());
        writer.write_all(b"data").unwrap();
        writer.close().unwrap();
        for data in [&b"more"[..], b"", &pat(100_000)] {
            let error = writer.write(data).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert_eq!(wire(&error), Some(Wire::Finished));
        }
        writer.flush().unwrap();
        writer.close().unwrap();
        drop(writer);
        assert_eq!(target.bytes, format.stream(b"data", format.unit()));
        assert_eq!(target.flushes, 2);
    }

    let mut encryptor = encryptor(Vec::new());
    encryptor.close().unwrap();
    for data in [&b"more"[..], b""] {
        let error = encryptor.write_frame(data, b"").unwrap_err();
        assert!(matches!(error, Error::Wire(Wire::Finished)), "{error:?}");
    }
    assert_eq!(encryptor.inner(), &frames::v2_stream(&[]));
}

#[test]
fn inner_writer_is_at_hand() {
    let mut encryptor = encryptor(Vec::new());
    encryptor.inner_mut().extend_from_slice(b"preamble");
    encryptor.close().unwrap();
    assert_eq!(encryptor.inner()[..8], *b"preamble");
    let builder = libsodium::Encryptor::builder().header(NONCE);
    let mut encryptor = builder.build(Vec::new(), &key());
    encryptor.inner_mut().extend_from_slice(b"preamble");
    encryptor.close().unwrap();
    assert_eq!(encryptor.inner()[..8], *b"preamble");
}

#[test]
#[should_panic(expected = "at least one byte")]
fn no_chunks_of_nothing_are_written() {
    let _ = libsodium::Encryptor::builder().chunk_size(0);
}

/// 2^32 bytes that are only promised: nobody looks at them, because their number is checked first.
#[test]
#[cfg(target_pointer_width = "64")]
fn an_ad_of_four_gibibytes_is_refused() {
    let ad = vec![0; 1 << 32];
    let mut encryptor = encryptor(Vec::new());
    encryptor.write_all(b"gathered").unwrap();
    let error = encryptor.write_frame(b"x", &ad).unwrap_err();
    assert!(matches!(error, Error::Wire(Wire::AdTooLong)), "{error:?}");
    let error = encryptor.close().unwrap_err();
    assert!(matches!(error, Error::Wire(Wire::AdTooLong)), "{error:?}");

    let stream = frames::v2_stream(&[(b"x", b"")]);
    let mut decryptor = ss55_stream::Decryptor::new(&stream[..], &key());
    let mut frame = b"old".to_vec();
    for ad in [&ad[..], b""] {
        let error = decryptor.read_frame(&mut frame, ad).unwrap_err();
        assert!(matches!(error, Error::Wire(Wire::AdTooLong)), "{error:?}");
        assert!(frame.is_empty());
    }
}
