//! Inner readers and writers that fail, are interrupted, or are not ready.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use ss55_stream::{Decryptor, Encryptor, Error};
use ss55_wire::{Error as Wire, v2::Header};
use std::io::{self, BufRead, ErrorKind, Read, Write};
use support::{
    frames::{self, Message},
    inputs::{NONCE, key, pat},
    io::{Source, Step, TOLD, Target, by, failing_at, failing_once_at, freely, insist, stuttering},
    streams::{Format, assert_stuck, read_all, wire},
};

const KINDS: [ErrorKind; 5] = [
    ErrorKind::ConnectionReset,
    ErrorKind::PermissionDenied,
    ErrorKind::TimedOut,
    ErrorKind::UnexpectedEof,
    ErrorKind::Other,
];
/// Around the headers, and around the first edge of a chunk of the libsodium layout.
const OFFSETS: [usize; 12] = [0, 1, 10, 23, 24, 25, 36, 37, 8232, 8233, 8240, 16441];

fn encryptor<W: Write>(inner: W) -> Encryptor<W> {
    let builder = Encryptor::builder().header(Header::new(NONCE));
    builder.build(inner, &key())
}

/// The inner error comes out as it is; afterwards its kind stays, and nobody asks the source again.
#[test]
fn inner_errors_of_readers() {
    for format in Format::ALL {
        let plaintext = pat(2 * format.unit() + 100);
        let stream = format.stream(&plaintext, format.unit());
        for (offset, kind) in OFFSETS.into_iter().zip(KINDS.into_iter().cycle()) {
            let mut source = Source::new(&stream, failing_at(offset, kind));
            let mut reader = format.reader(&mut source, format.unit());
            let (read, end) = read_all(&mut *reader);
            let error = end.unwrap_err();
            assert_eq!((error.kind(), error.to_string()), (kind, TOLD.to_owned()));
            assert_eq!(wire(&error), None);
            let whole = offset.saturating_sub(24) / (format.unit() + format.overhead());
            assert!(
                read == plaintext[..whole * format.unit()],
                "{format:?} {offset}"
            );
            assert_stuck(&mut *reader, kind);
            drop(reader);
            let calls = source.calls;
            assert_eq!(source.given, offset);

            // The same once more, to see how often it was asked up to the error.
            let mut source = Source::new(&stream, failing_at(offset, kind));
            read_all(&mut *format.reader(&mut source, format.unit()))
                .1
                .unwrap_err();
            assert_eq!(source.calls, calls);
        }
    }
}

#[test]
fn inner_errors_of_read_frame() {
    let stream = frames::v2_stream(&[(b"one", b""), (b"two", b"")]);
    for offset in 0..stream.len() {
        let mut source = Source::new(&stream, failing_at(offset, ErrorKind::BrokenPipe));
        let mut decryptor = Decryptor::new(&mut source, &key());
        let mut frame = Vec::new();
        let error = loop {
            match decryptor.read_frame(&mut frame, b"") {
                Ok(more) => assert!(more),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, Error::Io(e) if e.kind() == ErrorKind::BrokenPipe));
        assert!(frame.is_empty());
        // Nobody asks the source again.
        let calls = decryptor.inner().calls;
        let error = decryptor.read_frame(&mut frame, b"").unwrap_err();
        assert!(matches!(error, Error::Io(e) if e.kind() == ErrorKind::BrokenPipe));
        assert_eq!(decryptor.inner().calls, calls);
    }
}

/// Every second call, whatever the other ones give. The caller never sees it, not even to ask again.
#[test]
fn interrupted_readers_are_asked_again() {
    for format in Format::ALL {
        let plaintext = pat(format.unit() + 100);
        let stream = format.stream(&plaintext, format.unit());
        for step in [1, 8191, 1 << 20] {
            let source = Source::new(&stream, stuttering(ErrorKind::Interrupted, step));
            let mut reader = format.reader(source, format.unit());
            let mut read = Vec::new();
            let mut out = vec![0; 10_000];
            while let n @ 1.. = reader.read(&mut out).unwrap() {
                read.extend_from_slice(&out[..n]);
            }
            assert!(read == plaintext, "{format:?} by {step}");
        }
    }
}

/// At every offset of a stream, the one behind its last byte included, and on each way of reading.
#[test]
fn readers_that_would_block_once() {
    for format in Format::by_frame() {
        let plaintext = pat(25);
        let stream = format.stream(&plaintext, 10);
        for offset in 0..=stream.len() {
            for ask in [1, 4, 10, 40] {
                let plan = failing_once_at(offset, ErrorKind::WouldBlock);
                let mut reader = format.reader(Source::new(&stream, plan), 10);
                let mut read = Vec::new();
                let mut out = vec![0; ask];
                let mut blocked = 0;
                loop {
                    let (n, times) = insist(|| reader.read(&mut out));
                    blocked += times;
                    match n.unwrap() {
                        0 => break,
                        n => read.extend_from_slice(&out[..n]),
                    }
                }
                assert_eq!(read, plaintext, "{format:?} at {offset} in {ask}");
                assert_eq!(blocked, 1, "{format:?} at {offset} in {ask}");
            }
            let plan = failing_once_at(offset, ErrorKind::WouldBlock);
            let mut reader = format.reader(Source::new(&stream, plan), 10);
            let mut read = Vec::new();
            loop {
                let (piece, _) = insist(|| reader.fill_buf().map(<[u8]>::to_vec));
                let piece = piece.unwrap();
                if piece.is_empty() {
                    break;
                }
                reader.consume(piece.len());
                read.extend(piece);
            }
            assert_eq!(read, plaintext, "{format:?} at {offset}");
        }
    }
}

#[test]
fn read_frame_would_block_once() {
    let messages: [Message<'_>; 3] = [(b"first", b"x"), (b"", b"y"), (b"third", b"")];
    for stream in [frames::v2_stream(&messages), frames::v1_stream(&messages)] {
        for offset in 0..=stream.len() {
            let plan = failing_once_at(offset, ErrorKind::WouldBlock);
            let mut decryptor = Decryptor::new(Source::new(&stream, plan), &key());
            let mut frame = Vec::new();
            let mut blocked = 0;
            for (plaintext, ad) in messages {
                let (more, times) = insist(|| decryptor.read_frame(&mut frame, ad));
                assert!(more.unwrap());
                assert_eq!(frame, plaintext);
                blocked += times;
            }
            let (more, times) = insist(|| decryptor.read_frame(&mut frame, b""));
            assert!(!more.unwrap());
            assert_eq!(blocked + times, 1, "at {offset}");
        }
    }
}

#[test]
fn readers_that_would_block_before_every_byte() {
    for format in Format::by_frame() {
        let plaintext = pat(format.unit() + 100);
        let stream = format.stream(&plaintext, format.unit());
        let source = Source::new(&stream, stuttering(ErrorKind::WouldBlock, 1));
        let mut reader = format.reader(source, format.unit());
        let mut read = Vec::new();
        // read_to_end keeps what it has read before an error.
        let (end, blocked) = insist(|| reader.read_to_end(&mut read));
        end.unwrap();
        assert!(read == plaintext, "{format:?}");
        // Once for each byte, and once for the end.
        assert_eq!(blocked, stream.len() + 1);
    }
}

/// Everything on a writer that may be called, each of it failing with the kind and without a byte.
#[track_caller]
fn assert_writer_stuck(writer: &mut dyn support::streams::Writer, kind: ErrorKind) {
    for _ in 0..2 {
        assert_eq!(writer.write(b"more").unwrap_err().kind(), kind);
        assert_eq!(writer.write(b"").unwrap_err().kind(), kind);
        assert_eq!(writer.write(&[0; 10_000]).unwrap_err().kind(), kind);
        assert_eq!(writer.flush().unwrap_err().kind(), kind);
        let error: io::Error = writer.close().unwrap_err().into();
        assert_eq!(error.kind(), kind);
    }
}

#[test]
fn inner_errors_of_writers() {
    for format in Format::WRITTEN {
        let plaintext = pat(2 * format.unit() + 100);
        let stream = format.stream(&plaintext, format.unit());
        let end = stream.len();
        let near_the_end = [end - 200, end - 22, end - 1];
        let offsets = OFFSETS.into_iter().chain(near_the_end);
        for (offset, kind) in offsets.zip(KINDS.into_iter().cycle()) {
            let mut target = Target::new(failing_at(offset, kind));
            let mut writer = format.writer(&mut target, format.unit());
            let error = writer
                .write_all(&plaintext)
                .and_then(|()| Ok(writer.close()?))
                .unwrap_err();
            assert_eq!((error.kind(), error.to_string()), (kind, TOLD.to_owned()));
            assert_writer_stuck(&mut *writer, kind);
            drop(writer);
            assert!(target.bytes == stream[..offset], "{format:?} at {offset}");
            assert_eq!(target.flushes, 0);
        }
    }
}

#[test]
fn inner_errors_of_write_frame_and_finish() {
    let stream = frames::v2_stream(&[(b"one", b""), (b"two", b"")]);
    for offset in 0..stream.len() {
        let mut target = Target::new(failing_at(offset, ErrorKind::BrokenPipe));
        let mut encryptor = encryptor(&mut target);
        let error = encryptor
            .write_frame(b"one", b"")
            .and_then(|()| encryptor.write_frame(b"two", b""))
            .and_then(|()| encryptor.close())
            .unwrap_err();
        assert!(matches!(error, Error::Io(e) if e.kind() == ErrorKind::BrokenPipe));
        let error = encryptor.write_frame(b"three", b"").unwrap_err();
        assert!(matches!(error, Error::Io(e) if e.kind() == ErrorKind::BrokenPipe));
        let error = encryptor.finish().err().unwrap();
        assert!(matches!(error, Error::Io(e) if e.kind() == ErrorKind::BrokenPipe));
        assert_eq!(target.bytes, stream[..offset]);
    }
}

/// It fails once, in the middle of the end, and would take the rest the next time: nothing is written
/// any more, so that there is no second end.
#[test]
fn close_after_a_failed_close() {
    for format in Format::WRITTEN {
        let stream = format.stream(b"data", 10);
        for offset in 0..stream.len() {
            let mut target = Target::new(failing_once_at(offset, ErrorKind::StorageFull));
            let mut writer = format.writer(&mut target, 10);
            let error = writer
                .write_all(b"data")
                .and_then(|()| Ok(writer.close()?))
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::StorageFull);
            assert_writer_stuck(&mut *writer, ErrorKind::StorageFull);
            drop(writer);
            assert_eq!(target.bytes, stream[..offset]);
        }
    }
}

#[test]
fn a_writer_that_takes_nothing() {
    for format in Format::WRITTEN {
        let stream = format.stream(b"data", 10);
        for offset in 0..stream.len() {
            let mut target = Target::new(move |len| Step::Take(offset - len));
            let mut writer = format.writer(&mut target, 10);
            let error = writer
                .write_all(b"data")
                .and_then(|()| Ok(writer.close()?))
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::WriteZero);
            assert_writer_stuck(&mut *writer, ErrorKind::WriteZero);
            drop(writer);
            assert_eq!(target.bytes, stream[..offset]);
        }
    }
}

#[test]
fn writers_that_take_little_or_are_interrupted() {
    for format in Format::WRITTEN {
        let plaintext = pat(format.unit() + 100);
        let stream = format.stream(&plaintext, format.unit());
        let targets = [
            Target::new(by(&[1])),
            Target::new(by(&[1, 2, 3, 4, 5])),
            Target::new(by(&[8191])),
            Target::new(stuttering(ErrorKind::Interrupted, 1)),
            Target::new(stuttering(ErrorKind::Interrupted, 1 << 20)),
        ];
        for mut target in targets {
            target.flush_errors = vec![ErrorKind::Interrupted; 3];
            let mut writer = format.writer(&mut target, format.unit());
            write_all_insisting(&mut *writer, &plaintext);
            writer.close().unwrap();
            drop(writer);
            assert!(target.bytes == stream);
            assert_eq!(target.flushes, 4);
        }
    }
}

#[test]
fn failing_flushes() {
    for format in Format::WRITTEN {
        let mut target = Target::new(freely());
        target.flush_errors = vec![ErrorKind::StorageFull];
        let mut writer = format.writer(&mut target, 10);
        let error = writer.flush().unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string()),
            (ErrorKind::StorageFull, TOLD.to_owned())
        );
        assert_writer_stuck(&mut *writer, ErrorKind::StorageFull);
        drop(writer);
        assert_eq!(target.flushes, 1);

        // Only that of the end fails: all bytes are there, and still it is no success.
        let mut target = Target::new(freely());
        target.flush_errors = vec![ErrorKind::StorageFull];
        let mut writer = format.writer(&mut target, 10);
        writer.write_all(b"data").unwrap();
        let error: io::Error = writer.close().unwrap_err().into();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        assert_writer_stuck(&mut *writer, ErrorKind::StorageFull);
        drop(writer);
        assert_eq!(target.bytes, format.stream(b"data", 10));

        // A flush that is not ready may be made again.
        let mut target = Target::new(freely());
        target.flush_errors = vec![ErrorKind::WouldBlock; 4];
        let mut writer = format.writer(&mut target, 10);
        writer.write_all(b"data").unwrap();
        for _ in 0..2 {
            assert_eq!(writer.flush().unwrap_err().kind(), ErrorKind::WouldBlock);
        }
        let (closed, blocked) = insist(|| writer.close());
        closed.unwrap();
        assert_eq!(blocked, 2);
        writer.close().unwrap();
        drop(writer);
        assert_eq!(target.bytes, format.stream(b"data", 10));
        assert_eq!(target.flushes, 5);
    }
}

/// At every offset of a stream, written in every way there is.
#[test]
fn writers_that_would_block_once() {
    let messages: [Message<'_>; 4] = [
        (b"flushed", b""),
        (b"gathered", b""),
        (b"framed", b"ad"),
        (b"last", b""),
    ];
    let stream = frames::v2_stream(&messages);
    for offset in 0..stream.len() {
        let mut target = Target::new(failing_once_at(offset, ErrorKind::WouldBlock));
        let mut encryptor = encryptor(&mut target);
        write_all_insisting(&mut encryptor, b"flushed");
        insist(|| encryptor.flush()).0.unwrap();
        write_all_insisting(&mut encryptor, b"gathered");
        insist(|| encryptor.write_frame(b"framed", b"ad"))
            .0
            .unwrap();
        write_all_insisting(&mut encryptor, b"last");
        insist(|| encryptor.close()).0.unwrap();
        assert_eq!(target.bytes, stream, "at {offset}");
        assert_eq!(target.flushes, 2);
    }

    let plaintext = pat(25);
    let stream = Format::Libsodium.stream(&plaintext, 10);
    for offset in 0..stream.len() {
        let mut target = Target::new(failing_once_at(offset, ErrorKind::WouldBlock));
        let mut writer = Format::Libsodium.writer(&mut target, 10);
        for piece in plaintext.chunks(4) {
            write_all_insisting(&mut *writer, piece);
            insist(|| writer.flush()).0.unwrap();
        }
        insist(|| writer.close()).0.unwrap();
        drop(writer);
        assert_eq!(target.bytes, stream, "at {offset}");
    }
}

#[test]
fn writers_that_would_block_before_every_byte() {
    for format in Format::WRITTEN {
        let plaintext = pat(format.unit() + 100);
        let mut target = Target::new(stuttering(ErrorKind::WouldBlock, 1));
        let mut writer = format.writer(&mut target, format.unit());
        write_all_insisting(&mut *writer, &plaintext);
        insist(|| writer.close()).0.unwrap();
        drop(writer);
        assert!(target.bytes == format.stream(&plaintext, format.unit()));
        assert_eq!(target.calls, 2 * target.bytes.len());
    }
}

/// A frame is accepted as a whole or not at all, and what is accepted is not asked for again.
#[test]
fn what_is_accepted_is_accepted() {
    for format in Format::written_by_frame() {
        let plaintext = pat(format.unit());
        let header = format.pieces(b"", 10)[0].len();
        let stream = format.stream(&plaintext, format.unit());
        let mut target = Target::new(failing_once_at(header + 100, ErrorKind::WouldBlock));
        let mut writer = format.writer(&mut target, format.unit());
        // The writer takes a part of the frame and then no more: that is for the next call to see.
        assert_eq!(writer.write(&plaintext).unwrap(), plaintext.len());
        writer.close().unwrap();
        drop(writer);
        assert!(target.bytes == stream);

        // The header does not go out: nothing is accepted.
        let mut target = Target::new(failing_once_at(3, ErrorKind::WouldBlock));
        let mut writer = format.writer(&mut target, format.unit());
        let error = writer.write(&plaintext).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        assert_eq!(writer.write(&plaintext).unwrap(), plaintext.len());
        writer.close().unwrap();
        drop(writer);
        assert!(target.bytes == stream);
    }
}

/// Sealed once, the end is not sealed again, and the stream is over whether it is out or not.
#[test]
fn close_goes_on_after_would_block() {
    for format in Format::WRITTEN {
        let stream = format.stream(b"data", 10);
        let mut target = Target::new(failing_once_at(stream.len() - 1, ErrorKind::WouldBlock));
        let mut writer = format.writer(&mut target, 10);
        writer.write_all(b"data").unwrap();
        let error: io::Error = writer.close().unwrap_err().into();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        let error = writer.write(b"more").unwrap_err();
        assert_eq!(wire(&error), Some(Wire::Finished));
        writer.flush().unwrap();
        writer.close().unwrap();
        drop(writer);
        assert_eq!(target.bytes, stream);
    }
}

/// Several frames from one call: around each of their edges, and before every byte of them.
#[test]
fn write_frame_goes_on_after_would_block() {
    let plaintext = pat(2 * 65536 + 100);
    let mut messages: Vec<Message<'_>> = vec![(b"gathered", b"")];
    messages.extend(plaintext.chunks(65536).map(|c| (c, &b"ad"[..])));
    messages.push((b"last", b""));
    let pieces = frames::v2_pieces(&messages);
    let stream = pieces.concat();
    let edges = (0..=pieces.len()).map(|n| pieces[..n].concat().len());
    let offsets = edges.flat_map(|edge| [edge.saturating_sub(1), edge, edge + 1, edge + 300]);
    let targets = offsets
        .map(|offset| Target::new(failing_once_at(offset, ErrorKind::WouldBlock)))
        .chain([Target::new(stuttering(ErrorKind::WouldBlock, 1))]);
    for mut target in targets {
        let mut encryptor = encryptor(&mut target);
        write_all_insisting(&mut encryptor, b"gathered");
        insist(|| encryptor.write_frame(&plaintext, b"ad"))
            .0
            .unwrap();
        write_all_insisting(&mut encryptor, b"last");
        insist(|| encryptor.close()).0.unwrap();
        assert!(target.bytes == stream);
    }
}

/// Half of a call's data is sealed: only the same call, or a flush, goes on.
#[test]
fn half_a_write_frame_is_not_forgotten() {
    let plaintext = pat(3 * 65536);
    let messages: Vec<Message<'_>> = plaintext.chunks(65536).map(|c| (c, &b"ad"[..])).collect();
    let mut target = Target::new(failing_once_at(70_000, ErrorKind::WouldBlock));
    let mut encryptor = encryptor(&mut target);
    let error: io::Error = encryptor.write_frame(&plaintext, b"ad").unwrap_err().into();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    for _ in 0..2 {
        let error = encryptor.write(b"other").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        for data in [&b"other"[..], b"", &plaintext[1..]] {
            let error = encryptor.write_frame(data, b"ad").unwrap_err();
            assert!(matches!(error, Error::Unfinished), "{error:?}");
        }
        let error = encryptor.close().unwrap_err();
        assert!(matches!(error, Error::Unfinished), "{error:?}");
        encryptor.flush().unwrap();
    }
    encryptor.write_frame(&plaintext, b"ad").unwrap();
    encryptor.close().unwrap();
    assert!(target.bytes == frames::v2_stream(&messages));

    // A call of which nothing is sealed yet may be given up.
    let mut target = Target::new(failing_once_at(3, ErrorKind::WouldBlock));
    let mut encryptor = self::encryptor(&mut target);
    encryptor.write_frame(&plaintext, b"ad").unwrap_err();
    encryptor.write_frame(b"other", b"ad").unwrap();
    encryptor.close().unwrap();
    assert_eq!(target.bytes, frames::v2_stream(&[(b"other", b"ad")]));
}

/// `write_all`, but for `WouldBlock`.
fn write_all_insisting(writer: &mut dyn support::streams::Writer, mut data: &[u8]) {
    while !data.is_empty() {
        let (taken, _) = insist(|| writer.write(data));
        data = &data[taken.unwrap()..];
    }
}

/// An inner side that claims more bytes than it was given breaks its contract: an error, not a panic
/// and no lost data.
#[test]
fn inner_sides_that_lie() {
    struct Liar;
    impl Read for Liar {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            Ok(out.len() + 1)
        }
    }
    impl Write for Liar {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            Ok(data.len() + 1)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut decryptor = Decryptor::new(Liar, &key());
    let mut encryptor = encryptor(Liar);
    for _ in 0..2 {
        let error = decryptor.read(&mut [0; 9]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Other);
        let error = encryptor.write(b"data").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Other);
        assert!(encryptor.close().is_err());
    }
}
