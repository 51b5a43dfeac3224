//! Random access: the plaintext's own bytes at every offset, or an error.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use proptest::{collection::vec, prelude::*};
use ss55_stream::{Decryptor, Error, Length, PortableEngine, SeekableDecryptor};
use ss55_wire::Error as Wire;
use std::{
    cell::Cell,
    io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom},
};
use support::{
    frames::{self, Message},
    inputs::{NONCE, key, pat},
    streams::{Format, wire},
};

const FRAME: usize = 65536;

fn open(stream: &[u8]) -> Result<SeekableDecryptor<Cursor<&[u8]>>, Error> {
    SeekableDecryptor::new(Cursor::new(stream), &key())
}

/// `len` bytes from `at` on, or fewer where the end is.
fn read_at(reader: &mut (impl Read + Seek), at: u64, len: u64) -> io::Result<Vec<u8>> {
    let mut read = Vec::new();
    reader.seek(SeekFrom::Start(at))?;
    reader.take(len).read_to_end(&mut read)?;
    Ok(read)
}

#[test]
fn every_size_of_uniform_streams() {
    for size in [
        0,
        1,
        17,
        FRAME - 1,
        FRAME,
        FRAME + 1,
        2 * FRAME,
        3 * FRAME + 5,
    ] {
        let plaintext = pat(size);
        let stream = Format::V2.stream(&plaintext, FRAME);
        let mut reader = open(&stream).unwrap();
        assert!(reader.is_uniform());
        assert_eq!(reader.is_empty(), size == 0);
        // One frame or none is all that there is, and was opened.
        let expected = match size {
            0..=FRAME => Length::Authenticated(size as u64),
            _ => Length::Provisional(size as u64),
        };
        assert_eq!(reader.len(), expected);
        assert_eq!(reader.len().bytes(), size as u64);
        for at in [
            0,
            1,
            size / 2,
            size.saturating_sub(1),
            size,
            size + 1,
            FRAME - 1,
            FRAME,
        ] {
            for len in [0, 1, 4096, size] {
                let expected = &plaintext[at.min(size)..(at + len).min(size)];
                let read = read_at(&mut reader, at as u64, len as u64).unwrap();
                assert!(read == expected, "{len} at {at} of {size}");
            }
        }
        // Read through, it is known.
        assert!(read_at(&mut reader, 0, u64::MAX).unwrap() == plaintext);
        assert_eq!(reader.len(), Length::Authenticated(size as u64));
        assert_eq!(reader.read(&mut [0]).unwrap(), 0);
    }
}

#[test]
fn seeking_is_that_of_a_file() {
    let plaintext = pat(2 * FRAME);
    let stream = Format::V2.stream(&plaintext, FRAME);
    let mut reader = open(&stream).unwrap();
    let mut model = Cursor::new(&plaintext);
    for to in [
        SeekFrom::End(-5),
        SeekFrom::Current(-10),
        SeekFrom::Start(FRAME as u64 - 2),
        SeekFrom::Current(100_000),
        SeekFrom::End(0),
        SeekFrom::Start(u64::MAX),
        SeekFrom::Current(-1),
        SeekFrom::Start(0),
    ] {
        assert_eq!(reader.seek(to).unwrap(), model.seek(to).unwrap());
        let (mut ours, mut theirs) = ([0; 4], [0; 4]);
        let read = reader.by_ref().take(4).read(&mut ours[..1]).unwrap();
        assert_eq!(read, model.read(&mut theirs[..1]).unwrap());
        assert_eq!(ours, theirs);
    }
    for to in [SeekFrom::Current(-1_000_000), SeekFrom::End(i64::MIN)] {
        assert_eq!(reader.seek(to).unwrap_err().kind(), ErrorKind::InvalidInput);
        assert_eq!(reader.stream_position().unwrap(), 1);
    }
}

/// More frames than lie between two marks, all of different lengths, empty ones too.
#[test]
fn streams_whose_frames_differ() {
    let plaintext = pat(20_000);
    let mut rest = &plaintext[..];
    let mut messages: Vec<Message<'_>> = Vec::new();
    for i in 0.. {
        let (message, behind) = rest.split_at(rest.len().min(i * 7 % 400));
        messages.push((message, b""));
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    assert!(messages.len() > 70);
    let stream = frames::v2_stream(&messages);
    let mut reader = open(&stream).unwrap();
    assert!(!reader.is_uniform());
    assert_eq!(reader.len(), Length::Provisional(20_000));
    for at in (0..20_010).step_by(13) {
        let read = read_at(&mut reader, at, 300).unwrap();
        let at = at.min(20_000) as usize;
        assert!(read == plaintext[at..(at + 300).min(20_000)], "{at}");
    }
    // Without the empty ones its length is known once all is read, in order.
    messages.retain(|message| !message.0.is_empty());
    let stream = frames::v2_stream(&messages);
    let mut reader = open(&stream).unwrap();
    read_at(&mut reader, 0, 20_000).unwrap();
    assert_eq!(reader.len(), Length::Authenticated(20_000));
    let mut reader = open(&stream).unwrap();
    read_at(&mut reader, 5000, 20_000).unwrap();
    assert_eq!(reader.len(), Length::Provisional(20_000));
    // Nothing but empty frames.
    let stream = frames::v2_stream(&[(b"", b""), (b"", b"")]);
    let mut reader = open(&stream).unwrap();
    assert_eq!(reader.len().bytes(), 0);
    assert_eq!(reader.read(&mut [0]).unwrap(), 0);
    // The size of a uniform stream, but other frames: the last one is not where it would be.
    let plaintext = pat(2 * FRAME + 10);
    let pieces = [
        &plaintext[..FRAME - 1],
        &plaintext[FRAME - 1..2 * FRAME - 1],
    ];
    let last = &plaintext[2 * FRAME - 1..];
    let stream = frames::v2_stream(&[(pieces[0], b""), (pieces[1], b""), (last, b"")]);
    let mut reader = open(&stream).unwrap();
    assert!(!reader.is_uniform());
    assert!(read_at(&mut reader, FRAME as u64 - 5, 10).unwrap() == plaintext[FRAME - 5..FRAME + 5]);
}

/// Nothing is opened that has no authentic end.
#[test]
fn cut_at_every_byte_and_continued() {
    for messages in [&[][..], &[(&b"one"[..], &b""[..]), (b"three", b"")]] {
        let stream = frames::v2_stream(messages);
        for cut in 0..stream.len() {
            let error = open(&stream[..cut]).unwrap_err();
            assert!(
                matches!(error, Error::Wire(Wire::Truncated)),
                "{cut}: {error:?}"
            );
        }
        for more in [&[0][..], &[0; 21], &stream] {
            let longer = [&stream[..], more].concat();
            let error = open(&longer).unwrap_err();
            assert!(
                matches!(error, Error::Wire(Wire::TrailingData)),
                "{error:?}"
            );
        }
    }
    let full = Format::V2.stream(&pat(3 * FRAME), FRAME);
    for frames in 0..=3 {
        let cut = 36 + frames * (FRAME + 21);
        let error = open(&full[..cut]).unwrap_err();
        assert!(matches!(error, Error::Wire(Wire::Truncated)));
        // The end of a longer stream behind fewer frames.
        let moved = [&full[..cut], &full[full.len() - 21..]].concat();
        if frames < 3 {
            let error = open(&moved).unwrap_err();
            assert!(matches!(error, Error::Wire(Wire::Authentication)));
        }
    }
}

/// Data behind the end are told of behind an authentic end alone.
#[test]
fn what_follows_a_forged_end_is_no_trailing_data() {
    let other = ss55_stream::Key::from_bytes([1; 32]);
    let message = frames::v2_frame(&NONCE, 0, 0, (b"one", b""));
    let end = |number| frames::v2_frame(&NONCE, number, 3, (b"", b""));
    let build = |parts: &[&[u8]]| [&[&frames::v2_header(&NONCE)[..]], parts].concat().concat();
    let whole = build(&[&message, &end(1), b"x"]);
    assert!(matches!(open(&whole), Err(Error::Wire(Wire::TrailingData))));
    let wrong_key = SeekableDecryptor::new(Cursor::new(&whole), &other);
    assert!(matches!(wrong_key, Err(Error::Wire(Wire::Authentication))));
    let mut zeros = vec![0, 0, 0, 17, 3];
    zeros.resize(21, 0);
    for forged in [
        build(&[&zeros, b"x"]),
        build(&[&message, &zeros, b"x"]),
        // The final frame of a longer stream, before its last message frame.
        build(&[
            &message,
            &end(2),
            &frames::v2_frame(&NONCE, 1, 0, (b"two", b"")),
        ]),
    ] {
        let error = open(&forged).unwrap_err();
        assert!(
            matches!(error, Error::Wire(Wire::Authentication)),
            "{error:?}"
        );
    }
}

/// Whatever bit is wrong: an error, or the plaintext's own bytes. Never others.
#[test]
fn every_bit_counts() {
    let plaintext = pat(30);
    let stream = Format::V2.stream(&plaintext, 10);
    for bit in 0..stream.len() * 8 {
        let mut damaged = stream.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let Ok(mut reader) = open(&damaged) else {
            continue;
        };
        // The nonce's last four bytes are nobody's.
        let harmless = (32..36).contains(&(bit / 8));
        let mut failed = false;
        for at in [25, 15, 5] {
            match read_at(&mut reader, at, 3) {
                Ok(read) => assert_eq!(read, plaintext[at as usize..at as usize + 3], "{bit}"),
                Err(error) => {
                    failed = true;
                    assert_eq!(error.kind(), ErrorKind::InvalidData);
                    let again = reader.read(&mut [0]).unwrap_err();
                    assert_eq!(again.kind(), ErrorKind::InvalidData);
                }
            }
            if failed {
                break;
            }
        }
        assert_ne!(failed, harmless, "bit {bit}");
    }
}

/// In a uniform stream a damaged frame is found when it is read, and those around it are read.
#[test]
fn damage_and_frames_out_of_place() {
    let plaintext = pat(4 * FRAME + 9);
    let pieces = Format::V2.pieces(&plaintext, FRAME);
    let stream = pieces.concat();
    let at = |frame: usize| 36 + frame * (FRAME + 21);
    // The length, the tag, the ciphertext, the mac of frame 1; or frame 2 in its place.
    for within in [1, 2, 3, 4, 5, 70, FRAME + 20] {
        let mut damaged = stream.clone();
        damaged[at(1) + within] ^= 1;
        let mut reader = open(&damaged).unwrap();
        for good in [0, 2, 3, 4] {
            let offset = good * FRAME;
            let read = read_at(&mut reader, offset as u64, 9).unwrap();
            assert!(read == plaintext[offset..offset + 9]);
        }
        let mut out = [0xee; 20];
        reader.seek(SeekFrom::Start(FRAME as u64 + 7)).unwrap();
        let error = reader.read(&mut out).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert_eq!(out, [0xee; 20]);
    }
    let mut swapped = pieces.clone();
    swapped.swap(2, 3);
    let swapped = swapped.concat();
    let mut reader = open(&swapped).unwrap();
    let error = read_at(&mut reader, FRAME as u64, 1).unwrap_err();
    assert_eq!(wire(&error), Some(Wire::Authentication));
    let mut foreign = stream.clone();
    let other = frames::v2_frame(&[0x99; 24], 1, 0, (&plaintext[FRAME..2 * FRAME], b""));
    foreign[at(1)..at(2)].copy_from_slice(&other);
    let mut reader = open(&foreign).unwrap();
    let error = read_at(&mut reader, FRAME as u64, 1).unwrap_err();
    assert_eq!(wire(&error), Some(Wire::Authentication));

    // A frame that was short, made to look full: what comes behind it moves, and is authentic; the
    // length is no more than a claim, and the frame itself does not open.
    let mut padded = vec![frames::v2_header(&NONCE)];
    let mut frame = frames::v2_frame(&NONCE, 0, 0, (&plaintext[..10], b""));
    frame.resize(FRAME + 21, 0);
    frame[..4].copy_from_slice(&(FRAME as u32 + 17).to_be_bytes());
    padded.push(frame);
    padded.push(frames::v2_frame(&NONCE, 1, 0, (b"rest", b"")));
    padded.push(frames::v2_frame(&NONCE, 2, 3, (b"", b"")));
    let padded = padded.concat();
    let mut reader = open(&padded).unwrap();
    assert_eq!(reader.len(), Length::Provisional(FRAME as u64 + 4));
    assert_eq!(read_at(&mut reader, FRAME as u64, 9).unwrap(), b"rest");
    assert_eq!(reader.len(), Length::Provisional(FRAME as u64 + 4));
    read_at(&mut reader, 0, 1).unwrap_err();
}

#[test]
fn what_is_no_v2_stream() {
    let v1 = frames::v1_stream(&[(b"old", b"")]);
    assert!(matches!(open(&v1), Err(Error::Wire(Wire::BadMagic))));
    assert!(matches!(open(b"SS5"), Err(Error::Wire(Wire::Truncated))));
    assert!(matches!(open(b"SSX"), Err(Error::Wire(Wire::BadMagic))));
    let stream = frames::v2_stream(&[(b"data", b"bound")]);
    assert!(matches!(
        open(&stream),
        Err(Error::Wire(Wire::Authentication))
    ));
    let builder = Decryptor::builder().ad(*b"bound").engine(PortableEngine);
    let mut reader = builder
        .build_seekable(Cursor::new(&stream), &key())
        .unwrap();
    assert_eq!(read_at(&mut reader, 1, 9).unwrap(), b"ata");
    assert!(format!("{reader:?}").len() < 500);
    let other = ss55_stream::Key::from_bytes([1; 32]);
    let error = SeekableDecryptor::new(Cursor::new(&stream), &other).unwrap_err();
    assert!(matches!(error, Error::Wire(Wire::Authentication)));
}

/// Gives a few bytes at a time, counts, and fails when told to.
#[derive(Debug)]
struct Slow<'a> {
    inner: Cursor<&'a [u8]>,
    given: &'a Cell<usize>,
    fail: &'a Cell<Option<ErrorKind>>,
    most: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let Some(kind) = self.fail.take() {
            return Err(kind.into());
        }
        let most = out.len().min(self.most);
        let n = self.inner.read(&mut out[..most])?;
        self.given.set(self.given.get() + n);
        Ok(n)
    }
}

impl Seek for Slow<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

#[test]
fn inner_readers() {
    let plaintext = pat(40 * FRAME);
    let stream = Format::V2.stream(&plaintext, FRAME);
    let (given, fail) = (Cell::new(0), Cell::new(None));
    let slow = |most| Slow {
        inner: Cursor::new(&stream),
        given: &given,
        fail: &fail,
        most,
    };
    let mut reader = SeekableDecryptor::new(slow(1 << 20), &key()).unwrap();
    // The header, the final frame and the last one.
    assert_eq!(given.replace(0), 36 + 21 + FRAME + 21);
    // 4 KiB of a frame are that frame once, however often it is asked.
    for _ in 0..3 {
        read_at(&mut reader, 7 * FRAME as u64 + 100, 4096).unwrap();
    }
    assert_eq!(given.replace(0), FRAME + 21);

    let mut reader = SeekableDecryptor::new(slow(1), &key()).unwrap();
    assert!(read_at(&mut reader, 10, 10).unwrap() == plaintext[10..20]);
    // Interrupted is nothing; WouldBlock is mended by asking again; another error stays.
    fail.set(Some(ErrorKind::Interrupted));
    assert!(read_at(&mut reader, FRAME as u64, 10).unwrap() == plaintext[FRAME..FRAME + 10]);
    fail.set(Some(ErrorKind::WouldBlock));
    reader.seek(SeekFrom::Start(5)).unwrap();
    let mut out = [0; 3];
    assert_eq!(
        reader.read(&mut out).unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
    reader.read_exact(&mut out).unwrap();
    assert!(out == plaintext[5..8]);
    fail.set(Some(ErrorKind::TimedOut));
    reader.seek(SeekFrom::Start(FRAME as u64)).unwrap();
    for _ in 0..2 {
        assert_eq!(
            reader.read(&mut out).unwrap_err().kind(),
            ErrorKind::TimedOut
        );
    }
    fail.set(Some(ErrorKind::TimedOut));
    let error = SeekableDecryptor::new(slow(1), &key()).unwrap_err();
    assert!(matches!(error, Error::Io(error) if error.kind() == ErrorKind::TimedOut));
}

/// A wrong key or ad is told of at the first frame, not behind all the length fields.
#[test]
fn a_wrong_key_reads_little() {
    let other = ss55_stream::Key::from_bytes([1; 32]);
    let (given, fail) = (Cell::new(0), Cell::new(None));
    let uniform = Format::V2.stream(&pat(20 * FRAME), FRAME);
    let mixed = Format::V2.stream(&pat(20 * 50_000), 50_000);
    let longer = [&mixed[..], b"more"].concat();
    let cut = &uniform[..uniform.len() - 1];
    for stream in [&uniform, &mixed, &longer[..], cut] {
        let slow = || Slow {
            inner: Cursor::new(stream),
            given: &given,
            fail: &fail,
            most: 1 << 20,
        };
        let wrong_ad = Decryptor::builder().ad(*b"bound");
        for opened in [
            SeekableDecryptor::new(slow(), &other).map(drop),
            wrong_ad.build_seekable(slow(), &key()).map(drop),
        ] {
            assert!(matches!(opened, Err(Error::Wire(Wire::Authentication))));
        }
        // Twice the header, the last two frames, the first head and the first frame.
        let most = 2 * (36 + 21 + 5 + 2 * (FRAME + 21));
        let read = given.replace(0);
        assert!(read <= most, "{read}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any frames, any offsets: as a cursor over the plaintext.
    #[test]
    fn as_a_cursor(
        lens in vec(0..200_usize, 0..150),
        reads in vec((0..20_000_u64, 0..500_u64), 1..20),
    ) {
        let plaintext = pat(lens.iter().sum());
        let mut rest = &plaintext[..];
        let messages: Vec<Message<'_>> = lens
            .iter()
            .map(|len| {
                let (message, behind) = rest.split_at(*len);
                rest = behind;
                (message, &b""[..])
            })
            .collect();
        let stream = frames::v2_stream(&messages);
        let mut reader = open(&stream).unwrap();
        let mut model = Cursor::new(&plaintext);
        for (at, len) in reads {
            let read = read_at(&mut reader, at, len).unwrap();
            prop_assert_eq!(read, read_at(&mut model, at, len).unwrap());
        }
    }
}
