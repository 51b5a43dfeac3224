//! One thread and several: the same bytes, plaintexts and errors, and memory that has a bound.

#[path = "../support"]
mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use ss55_stream::{
    Decryptor, Encryptor, Formats, PortableEngine,
    parallel::{self, FRAMES_PER_THREAD},
};
use ss55_wire::v2::Header;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use support::{
    frames,
    inputs::{NONCE, key, pat},
    io::{Source, Step, TOLD, Target, failing_at, failing_once_at, freely, insist, stuttering},
};

const FRAME: usize = 65536;
const SEALED: usize = FRAME + 21;
/// A batch of two threads.
const BATCH: usize = 2 * FRAMES_PER_THREAD * FRAME;

fn serial(plaintext: &[u8]) -> Vec<u8> {
    let builder = Encryptor::builder().header(Header::new(NONCE)).ad(*b"ad");
    let mut encryptor = builder.build(Vec::new(), &key());
    encryptor.write_all(plaintext).unwrap();
    encryptor.finish().unwrap()
}

fn encryptor<W: Write>(inner: W, threads: usize) -> parallel::Encryptor<W> {
    let builder = Encryptor::builder().header(Header::new(NONCE)).ad(*b"ad");
    builder.build_parallel(inner, &key(), threads)
}

fn decryptor<R: Read>(inner: R, threads: usize) -> parallel::Decryptor<R> {
    let builder = Decryptor::builder().ad(*b"ad");
    builder.build_parallel(inner, &key(), threads)
}

/// Around a frame and around a batch, written at once, in pieces that end nowhere in particular, and in
/// frames; on fewer threads than there are, as many, and more.
#[test]
fn bytes_are_those_of_one_thread() {
    let sizes = [
        0,
        1,
        FRAME - 1,
        FRAME,
        FRAME + 1,
        3 * FRAME + 5,
        BATCH - 1,
        BATCH,
        BATCH + 1,
        2 * BATCH + FRAME + 7,
    ];
    for size in sizes {
        let plaintext = pat(size);
        let expected = serial(&plaintext);
        for threads in [1, 2, 5] {
            for piece in [1000, FRAME, FRAME + 1, BATCH, 1 << 30] {
                if piece == 1000 && size > 4 * FRAME {
                    continue; // the same as of the others, slowly
                }
                let mut stream = encryptor(Vec::new(), threads);
                for piece in plaintext.chunks(piece) {
                    stream.write_all(piece).unwrap();
                }
                let sealed = stream.finish().unwrap();
                assert!(sealed == expected, "{size} by {piece} on {threads}");
            }
            for room in [1000, FRAME, BATCH + 1] {
                let mut reader = decryptor(&expected[..], threads);
                let (mut read, mut out) = (Vec::new(), vec![0; room]);
                while let n @ 1.. = reader.read(&mut out).unwrap() {
                    read.extend_from_slice(&out[..n]);
                    assert!(!reader.end_is_authenticated() || read.len() == size);
                }
                assert!(read == plaintext, "{size} in {room} on {threads}");
                assert!(reader.end_is_authenticated());
                assert_eq!(reader.frame_offset(), expected.len() as u64);
            }
        }
    }
}

#[test]
fn flushes_and_frames_of_their_own() {
    let data = pat(BATCH + 3 * FRAME + 9);
    let builder = || Encryptor::builder().header(Header::new(NONCE)).ad(*b"ad");
    let mut one = builder().build(Vec::new(), &key());
    let mut many = builder().build_parallel(Vec::new(), &key(), 2);
    for at in [0, 1, FRAME, BATCH] {
        one.write_all(&data[at..at + 3 * FRAME + 5]).unwrap();
        many.write_all(&data[at..at + 3 * FRAME + 5]).unwrap();
        one.flush().unwrap();
        many.flush().unwrap();
        assert!(one.inner() == many.inner(), "flushed at {at}");
        one.write_all(&data[..77]).unwrap();
        many.write_all(&data[..77]).unwrap();
        one.write_frame(&data[at..], b"other").unwrap();
        many.write_frame(&data[at..], b"other").unwrap();
        assert!(one.inner() == many.inner(), "frames at {at}");
    }
    assert!(one.finish().unwrap() == many.finish().unwrap());
}

/// Every frame of two batches and a half, damaged in turn, and the same by what one thread says of it.
#[test]
fn damage_is_found_where_one_thread_finds_it() {
    let frames = 5 * FRAMES_PER_THREAD;
    let stream = serial(&pat(frames * FRAME - 100));
    let mut damaged = stream.clone();
    for frame in (0..frames).step_by(7).chain([frames - 1, frames]) {
        // The length, the tag, the ciphertext, the mac of the frame.
        for within in [0, 3, 4, 5, 20] {
            let at = 36 + frame * SEALED + within - if frame == frames { 100 } else { 0 };
            damaged[at] ^= 0x10;
            let mut one = Decryptor::builder().ad(*b"ad").build(&damaged[..], &key());
            let mut many = decryptor(&damaged[..], 2);
            let (mut from_one, mut from_many) = (Vec::new(), Vec::new());
            let error = one.read_to_end(&mut from_one).unwrap_err();
            let other = many.read_to_end(&mut from_many).unwrap_err();
            assert_eq!(format!("{error:?}"), format!("{other:?}"));
            assert!(from_one == from_many, "{frame} {within}");
            assert_eq!(one.frame_offset(), many.frame_offset());
            let again = many.read(&mut [0; 9]).unwrap_err();
            assert_eq!(error.to_string(), again.to_string());
            damaged[at] ^= 0x10;
        }
    }
}

/// Behind the frame that failed, the caller's slice has nothing of those that were opened with it.
#[test]
fn nothing_of_a_later_frame_is_left_in_the_slice() {
    let plaintext = vec![0x77; 8 * FRAME];
    let mut stream = serial(&plaintext);
    stream[36 + 3 * SEALED + 1000] ^= 1;
    let mut out = vec![0xee; 8 * FRAME];
    let mut reader = decryptor(&stream[..], 2);
    assert_eq!(reader.read(&mut out).unwrap(), 3 * FRAME);
    assert!(out[..3 * FRAME] == plaintext[..3 * FRAME]);
    assert!(out[3 * FRAME..].iter().all(|byte| *byte == 0));
    reader.read(&mut out).unwrap_err();
    assert_eq!(reader.frame_offset(), 36 + 3 * SEALED as u64);
    // Nor in the reader's own.
    let mut reader = decryptor(&stream[..], 2);
    assert!(reader.fill_buf().unwrap() == &plaintext[..3 * FRAME]);
    reader.consume(3 * FRAME);
    reader.fill_buf().unwrap_err();
}

/// Short frames, empty ones among them, more than a batch has.
#[test]
fn short_frames() {
    let messages: Vec<Vec<u8>> = (0..3000).map(|i| pat(i % 40)).collect();
    let messages: Vec<frames::Message<'_>> =
        messages.iter().map(|m| (&m[..], &b"ad"[..])).collect();
    let plaintext: Vec<u8> = messages.iter().flat_map(|m| m.0).copied().collect();
    for stream in [frames::v2_stream(&messages), frames::v1_stream(&messages)] {
        let mut read = Vec::new();
        decryptor(&stream[..], 2).read_to_end(&mut read).unwrap();
        assert!(read == plaintext);
    }
}

/// What the source says while a batch is read waits for the frames that were there before.
#[test]
fn errors_of_the_source_wait_for_their_turn() {
    let plaintext = pat(5 * FRAME);
    let stream = serial(&plaintext);
    for offset in [0, 8, 36, 40, 36 + SEALED, 36 + 3 * SEALED + 10] {
        let whole = offset.saturating_sub(36) / SEALED * FRAME;
        let mut source = Source::new(&stream, failing_at(offset, ErrorKind::ConnectionReset));
        let mut reader = decryptor(&mut source, 2);
        let mut read = Vec::new();
        let error = reader.read_to_end(&mut read).unwrap_err();
        assert_eq!(error.to_string(), TOLD);
        assert!(read == plaintext[..whole], "{offset}");
        assert_eq!(
            reader.read(&mut [0]).unwrap_err().kind(),
            ErrorKind::ConnectionReset
        );
        drop(reader);
        assert_eq!(source.given, offset);

        // One that is not ready, once: nothing is lost, and what was there comes out first, all of it that
        // one read gave.
        let source = Source::new(&stream, failing_once_at(offset, ErrorKind::WouldBlock));
        let mut reader = decryptor(source, 2);
        let (mut read, mut out) = (Vec::new(), vec![0; BATCH]);
        if whole > 0 {
            assert_eq!(reader.read(&mut out).unwrap(), whole);
            read.extend_from_slice(&out[..whole]);
        }
        loop {
            match insist(|| reader.read(&mut out)).0.unwrap() {
                0 => break,
                n => read.extend_from_slice(&out[..n]),
            }
        }
        assert!(read == plaintext);
    }
}

/// While frames are opened the next are read: if some of them has come, and not otherwise. What the source
/// says to that waits for its turn.
#[test]
fn reads_ahead_of_what_is_opened() {
    let plaintext = pat(6 * FRAME);
    let stream = serial(&plaintext);
    let edge = 36 + 4 * SEALED;
    for begun in [0, 1, 4, 5, 1000, SEALED - 1] {
        // Four frames and something of the fifth at once, after the header.
        let sizes = [36, edge - 36 + begun, 10, usize::MAX];
        let mut source = Source::new(&stream, in_turn(&sizes));
        let mut reader = decryptor(&mut source, 2);
        let mut out = vec![0; BATCH];
        assert_eq!(reader.read(&mut out).unwrap(), 4 * FRAME);
        assert!(out[..4 * FRAME] == plaintext[..4 * FRAME]);
        let ahead = reader.inner().given - edge - begun;
        assert_eq!(
            ahead,
            if begun == 0 {
                0
            } else {
                10.min(SEALED + 21 - begun)
            }
        );
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).unwrap();
        assert!(rest == plaintext[4 * FRAME..], "{begun}");
        assert!(reader.end_is_authenticated());
    }
    // A whole final frame is no part of one: who has sent it may send nothing more, and not hang up.
    let whole = Source::new(&stream, |given| {
        assert!(
            given < stream.len(),
            "asked for more before all was given out"
        );
        Step::Take(if given == 0 { 36 } else { usize::MAX })
    });
    let mut reader = decryptor(whole, 2);
    assert_eq!(reader.read(&mut vec![0; BATCH]).unwrap(), 6 * FRAME);

    for kind in [
        ErrorKind::Interrupted,
        ErrorKind::WouldBlock,
        ErrorKind::ConnectionReset,
    ] {
        let at = edge + 100;
        let mut refused = false;
        let mut source = Source::new(&stream, |given| {
            if given == 0 {
                Step::Take(36)
            } else if given < at {
                Step::Take(at - given)
            } else if !refused || kind == ErrorKind::ConnectionReset {
                refused = true;
                Step::Fail(kind)
            } else {
                Step::Take(usize::MAX)
            }
        });
        let mut reader = decryptor(&mut source, 2);
        let mut out = vec![0; BATCH];
        assert_eq!(reader.read(&mut out).unwrap(), 4 * FRAME);
        assert!(out[..4 * FRAME] == plaintext[..4 * FRAME]);
        // It was asked, and nothing of the frame that is begun is lost.
        assert_eq!(reader.inner().calls, 3);
        let next = reader.read(&mut out);
        if kind == ErrorKind::ConnectionReset {
            assert_eq!(next.unwrap_err().to_string(), TOLD);
            // The same answer: it was not asked for another.
            assert_eq!(reader.inner().calls, 3);
        } else {
            assert_eq!(next.unwrap(), 2 * FRAME);
            assert!(out[..2 * FRAME] == plaintext[4 * FRAME..]);
        }
    }

    let mut reader = decryptor(Liar(&stream, 0), 2);
    let mut out = vec![0; BATCH];
    assert_eq!(reader.read(&mut out).unwrap(), 4 * FRAME);
    let error = reader.read(&mut out).unwrap_err();
    assert!(matches!(
        error.get_ref().and_then(|inner| inner.downcast_ref()),
        Some(ss55_stream::Error::InnerContract)
    ));
}

/// A source that says, from its third call on, that it gave more than there was room for.
struct Liar<'a>(&'a [u8], usize);
impl Read for Liar<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        match self.1 {
            1 => self.0.read(&mut out[..36]),
            2 => {
                let n = (4 * SEALED + 7).min(out.len());
                self.0.read(&mut out[..n])
            }
            _ => Ok(out.len() + 1),
        }
    }
}

/// So many bytes with each call; no more after the last.
fn in_turn(sizes: &[usize]) -> impl FnMut(usize) -> Step + Send + '_ {
    let mut sizes = sizes.iter();
    let mut last = usize::MAX;
    move |_| {
        last = sizes.next().copied().unwrap_or(last);
        Step::Take(last)
    }
}

#[test]
fn writers_that_block_or_fail() {
    let plaintext = pat(BATCH + 100);
    let stream = serial(&plaintext);
    let mut target = Target::new(stuttering(ErrorKind::WouldBlock, 100_000));
    let mut writer = encryptor(&mut target, 2);
    let mut rest = &plaintext[..];
    while !rest.is_empty() {
        let n = insist(|| writer.write(rest)).0.unwrap();
        rest = &rest[n..];
    }
    insist(|| writer.close()).0.unwrap();
    drop(writer);
    assert!(target.bytes == stream);

    for offset in [0, 36, 40, 36 + SEALED, 36 + 6 * SEALED + 1] {
        let mut target = Target::new(failing_at(offset, ErrorKind::StorageFull));
        let mut writer = encryptor(&mut target, 2);
        let error = writer
            .write_all(&plaintext)
            .and_then(|()| Ok(writer.close()?))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
        assert_eq!(
            writer.write(b"more").unwrap_err().kind(),
            ErrorKind::StorageFull
        );
        drop(writer);
        assert!(target.bytes == stream[..offset]);
    }
    let mut dropped = encryptor(Target::new(freely()), 2);
    dropped.write_all(&plaintext[..BATCH]).unwrap();
    assert!(dropped.inner().bytes == stream[..36 + BATCH / FRAME * SEALED]);
}

#[test]
fn engines_and_formats_are_the_callers_choice() {
    let plaintext = pat(5 * FRAME + 5);
    let stream = serial(&plaintext);
    let builder = Encryptor::builder().header(Header::new(NONCE)).ad(*b"ad");
    let builder = builder.engine(PortableEngine);
    let mut portable = builder.build_parallel(Vec::new(), &key(), 3);
    portable.write_all(&plaintext).unwrap();
    assert!(portable.finish().unwrap() == stream);

    let builder = Decryptor::builder().formats(Formats::V1);
    let mut reader = builder.build_parallel(&stream[..], &key(), 2);
    assert!(reader.read(&mut [0]).is_err());
    let mut reader = decryptor(&stream[..], 2);
    assert_eq!(reader.format(), None);
    reader.fill_buf().unwrap();
    assert_eq!(reader.format(), Some(ss55_stream::Format::V2));
}

/// A source of zeros without end, which a test cuts.
struct Zeros;

impl Read for Zeros {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        out.fill(0);
        Ok(out.len())
    }
}

/// Through both at once, with no more of it in memory than their buffers.
#[test]
fn a_stream_through_both() {
    struct Pipe(std::sync::mpsc::SyncSender<Vec<u8>>);
    impl Write for Pipe {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            let sent = self.0.send(data.to_vec());
            sent.map_err(|_| ErrorKind::BrokenPipe)?;
            Ok(data.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    struct Other(std::sync::mpsc::Receiver<Vec<u8>>, Vec<u8>);
    impl Read for Other {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.1.is_empty() {
                self.1 = self.0.recv().unwrap_or_default();
            }
            let n = self.1.len().min(out.len());
            out[..n].copy_from_slice(&self.1[..n]);
            self.1.drain(..n);
            Ok(n)
        }
    }
    const LEN: u64 = 24 << 20;
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    let writer = std::thread::spawn(move || {
        let mut stream = encryptor(Pipe(sender), 2);
        io::copy(&mut Zeros.take(LEN), &mut stream).unwrap();
        stream.finish().unwrap();
    });
    let mut reader = decryptor(Other(receiver, Vec::new()), 2);
    assert_eq!(io::copy(&mut reader, &mut io::sink()).unwrap(), LEN);
    assert!(reader.end_is_authenticated());
    writer.join().unwrap();
}

#[test]
#[should_panic(expected = "a stream needs a thread")]
fn no_threads() {
    let _ = encryptor(io::sink(), 0);
}

/// More than there is memory for, and a number that four times is none.
#[test]
fn threads_have_a_bound() {
    let mut stream = encryptor(Vec::new(), usize::MAX);
    stream.write_all(b"text").unwrap();
    assert!(stream.finish().unwrap() == serial(b"text"));
}

/// On one of rayon's own threads, all of which may be waiting for a stream.
#[test]
fn streams_in_a_pool_of_one() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let plaintext = pat(6 * FRAME);
    pool.unwrap().scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|_| {
                let mut stream = encryptor(Vec::new(), 4);
                stream.write_all(&plaintext).unwrap();
                assert!(stream.finish().unwrap() == serial(&plaintext));
            });
        }
    });
}
