//! Chunks of one size against libsodium's pushes, and what a reader says of streams that are cut,
//! continued or damaged.

#[path = "support/inputs.rs"]
mod inputs;
#[path = "support/read.rs"]
mod read;
#[path = "support/sodium.rs"]
mod sodium;

use inputs::{KEY, NONCE, engines, flipped, key, pat};
use sodium::Secretstream;
use ss55_aead::{Key, SimdEngine};
use ss55_wire::{
    Error,
    secretstream::{
        DEFAULT_CHUNK, OVERHEAD,
        layout::{Opener, Sealer, sealed_len},
    },
};

const SIZES: [usize; 5] = [1, 16, 100, 8192, 65536];

/// The layout as it is specified, pushed by libsodium; and libsodium's state behind it.
fn pushed(plaintext: &[u8], chunk_size: usize) -> (Vec<u8>, Secretstream) {
    let mut push = Secretstream::new(&KEY, &NONCE);
    let mut stream = NONCE.to_vec();
    let full = plaintext.chunks_exact(chunk_size);
    let last = full.remainder();
    for chunk in full {
        stream.extend(push.push(0, b"", chunk));
    }
    stream.extend(push.push(3, b"", last));
    (stream, push)
}

fn stream(len: usize, chunk_size: usize) -> Vec<u8> {
    pushed(&pat(len), chunk_size).0
}

fn sealer(chunk_size: usize) -> Sealer {
    Sealer::new(SimdEngine::new(), &key(), &NONCE, chunk_size)
}

fn opener(chunk_size: usize) -> Opener {
    Opener::new(SimdEngine::new(), &key(), &NONCE, chunk_size)
}

fn read(stream: &[u8], chunk_size: usize) -> read::Outcome {
    read::layout(&SimdEngine::new(), &key(), stream, chunk_size)
}

/// Reads a whole stream and says how it ended.
fn end(stream: &[u8], chunk_size: usize) -> Result<(), Error> {
    read(stream, chunk_size).1
}

#[test]
fn streams_are_those_of_libsodium() {
    for chunk_size in SIZES {
        for len in [0, 1, 2, 15, 16, 17]
            .into_iter()
            .chain(chunk_size - 1..=chunk_size + 1)
            .chain(2 * chunk_size - 1..=2 * chunk_size + 1)
            .chain([4 * chunk_size])
        {
            let plaintext = pat(len);
            let expected = stream(len, chunk_size);
            for engine in &engines() {
                let mut sealer = Sealer::new(&**engine, &key(), &NONCE, chunk_size);
                let mut stream = NONCE.to_vec();
                let full = plaintext.chunks_exact(chunk_size);
                let mut last = [&[0], full.remainder(), &[0; 16]].concat();
                for (i, plaintext) in full.enumerate() {
                    let mut chunk = [&[0], plaintext, &[0; 16]].concat();
                    if i % 2 == 0 {
                        sealer.seal_in_place(&mut chunk).unwrap();
                    } else {
                        sealer.seal_to(plaintext, &mut chunk).unwrap();
                    }
                    stream.extend(chunk);
                }
                sealer.finish_in_place(&mut last).unwrap();
                stream.extend(last);
                assert!(stream == expected, "{chunk_size} {len}");

                let (opened, end) = read::layout(&**engine, &key(), &expected, chunk_size);
                assert!(opened.concat() == plaintext);
                assert_eq!(end, Ok(()));
            }
            let expected_len = Some(expected.len() as u64);
            assert_eq!(sealed_len(len as u64, chunk_size), expected_len);
        }
    }
    assert_eq!(DEFAULT_CHUNK, 8192);
}

#[test]
fn sealed_len_to_the_end_of_64_bits() {
    for chunk_size in SIZES
        .into_iter()
        .chain([3, 8191, 1 << (usize::BITS / 2), usize::MAX - 17])
    {
        let expected = |n: u64| {
            let (n, chunk) = (u128::from(n), chunk_size as u128);
            u64::try_from(24 + n / chunk * (chunk + 17) + n % chunk + 17).ok()
        };
        // The largest plaintext whose stream still counts in 64 bits, by bisection.
        let (mut fits, mut too_long) = (0, u64::MAX);
        while too_long - fits > 1 {
            let middle = fits + (too_long - fits) / 2;
            *if expected(middle).is_some() {
                &mut fits
            } else {
                &mut too_long
            } = middle;
        }
        for n in [
            0,
            1,
            8191,
            8192,
            1 << 31,
            1 << 32,
            (1 << 32) + 17,
            274_877_906_880,
        ]
        .into_iter()
        .chain(fits - 100..=fits + 30)
        .chain([
            1 << 63,
            u64::MAX - 42,
            u64::MAX - 41,
            u64::MAX - 40,
            u64::MAX,
        ]) {
            assert_eq!(sealed_len(n, chunk_size), expected(n), "{n} {chunk_size}");
        }
    }
    assert_eq!(sealed_len(0, 0), None);
    assert_eq!(sealed_len(u64::MAX, 0), None);
}

/// WAL-G's reader refuses it, its writer never makes it; libsodium's users may.
#[test]
fn a_full_final_chunk_is_accepted() {
    for chunk_size in SIZES {
        for full in 0..3 {
            let mut push = Secretstream::new(&KEY, &NONCE);
            let mut stream = NONCE.to_vec();
            for _ in 0..full {
                stream.extend(push.push(0, b"", &pat(chunk_size)));
            }
            stream.extend(push.push(3, b"", &pat(chunk_size)));
            let (opened, end) = read(&stream, chunk_size);
            assert!(opened == vec![pat(chunk_size); full + 1]);
            assert_eq!(end, Ok(()));

            for behind in [vec![0], vec![0; 17], push.push(0, b"", b"")] {
                let stream = [&stream[..], &behind].concat();
                assert_eq!(self::end(&stream, chunk_size), Err(Error::TrailingData));
            }
            for cut in 1..=stream.len().min(50) {
                let stream = &stream[..stream.len() - cut];
                assert_eq!(self::end(stream, chunk_size), Err(Error::Truncated));
            }
        }
    }
}

/// Tags that mean something to libsodium and nothing to this layout.
#[test]
fn other_tags_on_full_chunks_are_followed() {
    for tag in [1, 2, 4, 6, 7, 0x80, 0xff] {
        let mut push = Secretstream::new(&KEY, &NONCE);
        let stream = [
            &NONCE[..],
            &push.push(tag, b"", &pat(100)),
            &push.push(0, b"", &pat(100)),
            &push.push(3, b"", &pat(99)),
        ]
        .concat();
        let (opened, end) = read(&stream, 100);
        assert_eq!((opened.concat().len(), end), (299, Ok(())), "{tag}");
        // It is no end, either: neither at the end nor before it.
        assert_eq!(self::end(&stream[..24 + 117], 100), Err(Error::Truncated));
    }
}

#[test]
fn a_short_chunk_that_is_not_final_is_truncation() {
    for chunk_size in [16, 100, 8192] {
        for tag in [0, 1, 2, 7] {
            for len in [0, 1, chunk_size - 1] {
                let mut push = Secretstream::new(&KEY, &NONCE);
                let full = push.push(0, b"", &pat(chunk_size));
                let short = push.push(tag, b"", &pat(len));
                let stream = [&NONCE[..], &full, &short].concat();
                let (opened, end) = read(&stream, chunk_size);
                assert_eq!(
                    (opened.len(), end),
                    (1, Err(Error::Truncated)),
                    "{tag} {len}"
                );
            }
        }
    }
}

/// Every cut, by a reader that goes on from the chunk before: `read` would start over each time.
fn assert_every_cut_is_truncation(len: usize, chunk_size: usize, step: usize) {
    let stream = stream(len, chunk_size);
    let mut opener = opener(chunk_size);
    for (i, chunk) in stream[24..].chunks(chunk_size + OVERHEAD).enumerate() {
        let edge = chunk.len() - 40.min(chunk.len());
        for cut in (0..chunk.len()).filter(|cut| *cut < 40 || *cut > edge || cut % step == 0) {
            let mut at_cut = opener.clone();
            if cut > 0 {
                let mut plaintext = vec![0xee; cut.saturating_sub(OVERHEAD)];
                let end = at_cut.open_to(&chunk[..cut], &mut plaintext);
                assert_eq!(
                    end,
                    Err(Error::Truncated),
                    "chunk {i} of {chunk_size}, cut {cut}"
                );
                assert!(plaintext.iter().all(|byte| *byte == 0));
            }
            assert_eq!(
                at_cut.end(),
                Err(Error::Truncated),
                "chunk {i} of {chunk_size}, cut {cut}"
            );
        }
        let mut plaintext = vec![0; chunk.len() - OVERHEAD];
        opener.open_to(chunk, &mut plaintext).unwrap();
    }
    assert_eq!(opener.end(), Ok(()));
}

#[test]
fn a_cut_anywhere_is_truncation() {
    for (len, chunk_size) in [(0, 1), (7, 1), (0, 16), (15, 16), (16, 16), (50, 16)] {
        assert_every_cut_is_truncation(len, chunk_size, 1);
        let stream = stream(len, chunk_size);
        for cut in 0..stream.len() {
            assert_eq!(end(&stream[..cut], chunk_size), Err(Error::Truncated));
        }
    }
    for (len, chunk_size) in [
        (99, 100),
        (100, 100),
        (399, 100),
        (300, 8192),
        (2 * 8192, 8192),
        (2 * 8192 + 300, 8192),
    ] {
        assert_every_cut_is_truncation(len, chunk_size, 1);
    }
    // Where a cut costs megabytes of MAC, all edges and a few others.
    assert_every_cut_is_truncation(8191, 8192, 1021);
    assert_every_cut_is_truncation(65536 + 65535, 65536, 16381);
}

#[test]
fn anything_after_the_end_is_trailing_data() {
    for chunk_size in SIZES {
        for len in [
            0,
            1,
            15,
            chunk_size - 1,
            chunk_size,
            2 * chunk_size + chunk_size / 3,
        ] {
            let (stream, mut push) = pushed(&pat(len), chunk_size);
            let (whole, end) = read(&stream, chunk_size);
            assert_eq!(end, Ok(()));
            let further = [push.push(0, b"", &pat(chunk_size)), push.push(3, b"", b"")].concat();
            for trailing in [
                vec![0],
                vec![0xff; 17],
                pat(8209),
                self::stream(10, chunk_size),
                self::stream(chunk_size / 2 + 8, chunk_size),
                further,
            ] {
                let (released, end) = read(&[&stream[..], &trailing].concat(), chunk_size);
                let what = format!("{chunk_size}, {len} + {}", trailing.len());
                assert_eq!(end, Err(Error::TrailingData), "{what}");
                // The last chunk is not told from what follows, so it is not released.
                assert!(
                    whole.starts_with(&released) && released.len() <= whole.len(),
                    "{what}"
                );
            }
        }
    }
}

/// A full FINAL chunk ends where the next one would begin: what libsodium pushes behind it would open.
#[test]
fn authentic_chunks_after_a_full_final_one_are_trailing_data() {
    for chunk_size in SIZES {
        let mut push = Secretstream::new(&KEY, &NONCE);
        let whole = [&NONCE[..], &push.push(3, b"", &pat(chunk_size))].concat();
        assert_eq!(read(&whole, chunk_size).1, Ok(()));
        let further = push.push(0, b"", &pat(chunk_size));
        let end = push.push(3, b"", b"");
        for trailing in [further.clone(), [further, end].concat()] {
            let (released, end) = read(&[&whole[..], &trailing].concat(), chunk_size);
            assert_eq!(end, Err(Error::TrailingData), "{chunk_size}");
            assert_eq!(released, [pat(chunk_size)], "{chunk_size}");
        }
    }
}

/// A full chunk that fails is not taken for a cut one, nor is one under a wrong key.
#[test]
fn a_wrong_key_or_a_damaged_full_chunk_does_not_authenticate() {
    for chunk_size in [16, 100, 8192] {
        let (stream, _) = pushed(&pat(2 * chunk_size), chunk_size);
        for bit in 0..256 {
            let key = Key::try_from(&flipped(&KEY, bit)[..]).unwrap();
            let (released, end) = read::layout(&SimdEngine::new(), &key, &stream, chunk_size);
            assert_eq!((released.len(), end), (0, Err(Error::Authentication)));
        }
        for bit in (8 * 24..8 * (24 + chunk_size + OVERHEAD)).step_by(1 + chunk_size / 100) {
            let end = end(&flipped(&stream, bit), chunk_size);
            assert_eq!(end, Err(Error::Authentication), "{bit}");
        }
    }
}

/// Of a short chunk that fails nobody can say whether it was cut or damaged; it fails either way.
#[test]
fn a_damaged_last_chunk_fails() {
    let stream = stream(100 + 50, 100);
    for bit in 8 * (24 + 117)..8 * stream.len() {
        let (released, end) = read(&flipped(&stream, bit), 100);
        assert_eq!(released.len(), 1);
        // With a flipped tag it reads like no chunk of this layout.
        let tag = bit / 8 == 24 + 117;
        let expected = if tag {
            Error::Authentication
        } else {
            Error::Truncated
        };
        assert_eq!(end, Err(expected), "{bit}");
    }
}

#[test]
fn chunks_open_in_their_own_place_only() {
    let stream = stream(350, 100);
    let (header, chunks) = stream.split_at(24);
    let chunks: Vec<_> = chunks.chunks(117).collect();
    for (order, opened) in [
        (vec![1, 0, 2, 3], 0),
        (vec![0, 0, 1, 2, 3], 1),
        (vec![0, 2, 3], 1),
        (vec![1, 2, 3], 0),
        (vec![0, 1, 1, 2, 3], 2),
    ] {
        let chunks = order
            .iter()
            .map(|i| chunks[*i])
            .collect::<Vec<_>>()
            .concat();
        let (released, end) = read(&[header, &chunks].concat(), 100);
        assert_eq!(
            (released.len(), end),
            (opened, Err(Error::Authentication)),
            "{order:?}"
        );
    }
    // Read with another chunk size.
    for chunk_size in [1, 50, 99, 101, 200] {
        assert_eq!(end(&stream, chunk_size), Err(Error::Authentication));
    }
}

#[test]
fn an_empty_input_is_truncated() {
    for len in 0..24 {
        assert_eq!(end(&NONCE[..len], 100), Err(Error::Truncated));
    }
    let mut opener = opener(100);
    assert_eq!(opener.open_to(&[], &mut []), Err(Error::Truncated));
    for len in 1..OVERHEAD {
        let mut opener = self::opener(100);
        assert_eq!(
            opener.open_to(&[0; 17][..len], &mut []),
            Err(Error::Truncated)
        );
    }
}

/// An error, and how to get it.
type Failure<'a> = (Error, &'a dyn Fn(&mut Opener));

#[test]
fn the_first_error_is_the_answer_ever_after() {
    let (whole, mut push) = pushed(&pat(150), 100);
    let (full, last) = whole[24..].split_at(117);
    let further = push.push(0, b"", &pat(100));
    let failures: [Failure<'_>; 4] = [
        (Error::Truncated, &|opener| {
            opener.end().unwrap_err();
        }),
        (Error::Truncated, &|opener| {
            opener.open_to(&full[..50], &mut [0; 33]).unwrap_err();
        }),
        (Error::Authentication, &|opener| {
            opener
                .open_to(&flipped(full, 77), &mut [0; 100])
                .unwrap_err();
        }),
        (Error::TrailingData, &|opener| {
            opener.open_to(full, &mut [0; 100]).unwrap();
            opener.open_to(last, &mut [0; 50]).unwrap();
            assert!(opener.is_finished());
            let mut plaintext = [0xee; 100];
            opener.open_to(&further, &mut plaintext).unwrap_err();
            assert_eq!(plaintext, [0; 100]);
        }),
    ];
    for (error, fail) in failures {
        let mut opener = opener(100);
        fail(&mut opener);
        for _ in 0..2 {
            let mut plaintext = [0xee; 100];
            assert_eq!(opener.open_to(full, &mut plaintext), Err(error));
            assert_eq!(plaintext, [0; 100]);
            assert_eq!(opener.open_to(last, &mut [0; 50]), Err(error));
            assert_eq!(opener.open_to(&[], &mut []), Err(error));
            assert_eq!(opener.open_to(full, &mut [0; 99]), Err(error));
            assert_eq!(opener.open_to(&[0; 200], &mut [0; 183]), Err(error));
            assert_eq!(opener.end(), Err(error));
        }
    }
}

#[test]
fn wrong_sizes_change_nothing() {
    let stream = stream(150, 100);
    let (full, last) = stream[24..].split_at(117);
    let mut opener = opener(100);
    for (chunk, len) in [
        (full, 99),
        (full, 101),
        (full, 0),
        (last, 51),
        (&full[..16], 1),
    ] {
        let mut plaintext = vec![0xee; len];
        assert_eq!(
            opener.open_to(chunk, &mut plaintext),
            Err(Error::BufferSize)
        );
        assert!(plaintext.iter().all(|byte| *byte == 0xee));
    }
    let too_long = [full, &[0]].concat();
    assert_eq!(
        opener.open_to(&too_long, &mut [0; 101]),
        Err(Error::BufferSize)
    );
    opener.open_to(full, &mut [0; 100]).unwrap();
    opener.open_to(last, &mut [0; 50]).unwrap();
    assert_eq!(opener.end(), Ok(()));

    let mut sealer = sealer(100);
    for (plaintext, chunk) in [
        (99, 116),
        (101, 118),
        (0, 17),
        (100, 116),
        (100, 118),
        (100, 0),
    ] {
        let mut out = vec![0xee; chunk];
        let end = sealer.seal_to(&pat(plaintext), &mut out);
        assert_eq!(end, Err(Error::BufferSize));
        assert!(out.iter().all(|byte| *byte == 0xee));
    }
    for len in (0..130).filter(|len| *len != 117) {
        let mut chunk = vec![0xee; len];
        assert_eq!(sealer.seal_in_place(&mut chunk), Err(Error::BufferSize));
        assert!(chunk.iter().all(|byte| *byte == 0xee));
    }
    for len in (0..17).chain(117..130) {
        let mut chunk = vec![0xee; len];
        assert_eq!(sealer.finish_in_place(&mut chunk), Err(Error::BufferSize));
        assert!(chunk.iter().all(|byte| *byte == 0xee));
    }
    let mut chunk = [0; 117];
    sealer.seal_to(&pat(100), &mut chunk).unwrap();
    assert_eq!(chunk[..], *full);
}

#[test]
fn a_finished_sealer_seals_no_more() {
    let mut sealer = sealer(100);
    let mut chunk = [0; 17];
    sealer.finish_in_place(&mut chunk).unwrap();
    for _ in 0..2 {
        for len in [100, 99] {
            let mut chunk = [0xee; 117];
            assert_eq!(sealer.seal_to(&pat(len), &mut chunk), Err(Error::Finished));
            assert_eq!(chunk, [0xee; 117]);
        }
        for len in [16, 17, 50, 117, 118] {
            let mut chunk = [0xee; 118];
            assert_eq!(
                sealer.seal_in_place(&mut chunk[..len]),
                Err(Error::Finished)
            );
            assert_eq!(
                sealer.finish_in_place(&mut chunk[..len]),
                Err(Error::Finished)
            );
            assert_eq!(chunk, [0xee; 118]);
        }
    }
}

#[test]
#[should_panic(expected = "a chunk holds at least one byte")]
fn a_sealer_of_empty_chunks_panics() {
    sealer(0);
}

#[test]
#[should_panic(expected = "a chunk holds at least one byte")]
fn an_opener_of_empty_chunks_panics() {
    opener(0);
}

#[test]
#[should_panic(expected = "a chunk and its overhead fit memory")]
fn a_sealer_of_chunks_past_usize_panics() {
    sealer(usize::MAX - 16);
}

#[test]
#[should_panic(expected = "a chunk and its overhead fit memory")]
fn an_opener_of_chunks_past_usize_panics() {
    opener(usize::MAX - 16);
}
