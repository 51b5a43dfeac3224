//! SS55 v1 against streams that libsodium's AEAD made, whole and broken, and what its calls promise.

#[path = "support/frames.rs"]
mod frames;
#[path = "support/inputs.rs"]
mod inputs;
#[path = "support/read.rs"]
mod read;
#[path = "support/sodium.rs"]
mod sodium;

use frames::{v1_frame, v1_stream, v2_stream};
use inputs::{KEY, NONCE, engines, flipped, key, pat};
use read::ad;
use ss55_aead::{Key, SimdEngine};
use ss55_wire::{
    Error,
    v1::{
        FRAME_OVERHEAD, FrameHeader, LENGTH_LEN, MAX_FRAME_LEN, MAX_LENGTH, MAX_PLAINTEXT,
        MIN_LENGTH, Opener, Sealer,
    },
};

fn sealer() -> Sealer {
    Sealer::new(SimdEngine::new(), &key(), &NONCE)
}

fn opener() -> Opener {
    Opener::new(SimdEngine::new(), &key(), &NONCE)
}

/// Frame `seq` of the stream under test, with the ad "ad".
fn message(seq: u64, plaintext: &[u8]) -> Vec<u8> {
    v1_frame(&KEY, &NONCE, seq, plaintext, b"ad")
}

/// Reads header and `frames`, all of which have the ad "ad".
fn read(frames: &[&[u8]]) -> read::Outcome {
    read_stream(&[&NONCE, &frames.concat()[..]].concat())
}

fn read_stream(stream: &[u8]) -> read::Outcome {
    read::v1(&SimdEngine::new(), &key(), stream, ad(b"ad"))
}

#[test]
fn sealed_frames_are_those_of_the_specification() {
    for engine in &engines() {
        let mut sealer = Sealer::new(&**engine, &key(), &NONCE);
        let mut seq = 0;
        for len in (0..=130).chain([255, 1023, 1025, 8191, 65536, MAX_PLAINTEXT]) {
            for ad_len in [0, 1, 7, 8, 9, 300] {
                let (plaintext, ad) = (pat(len), pat(ad_len));
                let mut frame = vec![0xee; len + FRAME_OVERHEAD];
                sealer.seal_to(&ad, &plaintext, &mut frame).unwrap();
                let expected = v1_frame(&KEY, &NONCE, seq, &plaintext, &ad);
                assert!(frame == expected, "{len} {ad_len}");
                seq += 1;
            }
        }
    }
}

/// 65 535 and more frames, and a nonce that ends in ones: the number is XORed onto it, not added.
#[test]
fn many_frames_under_a_nonce_of_ones() {
    let nonce = [0xff; 24];
    let mut sealer = Sealer::new(SimdEngine::new(), &key(), &nonce);
    let mut opener = Opener::new(SimdEngine::new(), &key(), &nonce);
    let mut frame = [0; FRAME_OVERHEAD];
    for seq in 0..70_000 {
        sealer.seal_to(b"ad", b"", &mut frame).unwrap();
        if seq < 300 || (65_530..65_540).contains(&seq) {
            assert_eq!(frame[..], v1_frame(&KEY, &nonce, seq, b"", b"ad"));
        }
        let head = opener.frame_header(&frame).unwrap().unwrap();
        let payload = &frame[LENGTH_LEN..];
        opener.open_to(head, b"ad", payload, &mut []).unwrap();
    }
    assert_eq!((opener.frames(), opener.end()), (70_000, Ok(())));
}

#[test]
fn streams_of_any_size_open() {
    for len in [0, 1, 8191, 8192, 8193, 16384, 65535, 65536, 65537, 131072] {
        let plaintext = pat(len);
        let parts: Vec<_> = plaintext
            .chunks(65536)
            .map(|part| (part, &b"ad"[..]))
            .collect();
        let (opened, end) = read_stream(&v1_stream(&KEY, &NONCE, &parts));
        assert!(opened.concat() == plaintext);
        assert_eq!(end, Ok(()));
    }
}

/// All 24 bytes of the nonce count, unlike in v2.
#[test]
fn every_flipped_bit_fails_as_it_should() {
    let frames = [message(0, b"first"), message(1, b""), message(2, b"third")];
    let stream = [&NONCE, &frames.concat()[..]].concat();
    let whole = [&b"first"[..], b"", b"third"];
    assert_eq!(read_stream(&stream).1, Ok(()));
    for bit in 0..8 * stream.len() {
        let broken = flipped(&stream, bit);
        let (mut start, mut number) = (24, 0);
        while bit / 8 >= start + frames[number].len() {
            start += frames[number].len();
            number += 1;
        }
        let frame = &broken[start..];
        let length = u32::from_be_bytes(*frame.first_chunk().unwrap());
        let error = if bit / 8 < start + 4 && bit / 8 >= 24 {
            match length {
                16..=65616 if frame.len() < 4 + length as usize => Error::Truncated,
                16..=65616 => Error::Authentication,
                length => Error::BadLength(length),
            }
        } else {
            Error::Authentication
        };
        let (released, end) = read_stream(&broken);
        assert_eq!(end, Err(error), "bit {bit}");
        assert_eq!(released, whole[..number], "bit {bit}");
    }
}

/// On the edge of a frame v1 cannot tell: that is the format. Anywhere else the frame is not all
/// there, and the codec asks for more.
#[test]
fn a_cut_inside_a_frame_asks_for_more() {
    let frames = [message(0, b"first"), message(1, b""), message(2, &pat(40))];
    let stream = [&NONCE, &frames.concat()[..]].concat();
    let edges = [24, 24 + 25, 24 + 25 + 20, stream.len()];
    for cut in 24..=stream.len() {
        let (released, end) = read_stream(&stream[..cut]);
        assert_eq!(
            released.len(),
            edges[1..].iter().filter(|edge| **edge <= cut).count()
        );
        let expected = if edges.contains(&cut) {
            Ok(())
        } else {
            Err(Error::Truncated)
        };
        assert_eq!(end, expected, "{cut}");
    }
    for len in 0..LENGTH_LEN {
        assert_eq!(opener().frame_header(&frames[0][..len]), Ok(None));
    }
}

#[test]
fn frames_open_in_their_own_place_only() {
    let (a, b, c) = (message(0, b"one"), message(1, b"two"), message(2, b"six"));
    let foreign = [
        v1_frame(&[1; 32], &NONCE, 1, b"two", b"ad"),
        v1_frame(&KEY, &[0x41; 24], 1, b"two", b"ad"),
        v1_frame(&KEY, &NONCE, 1, b"two", b""),
        v1_frame(&KEY, &NONCE, 1, b"two", b"ad\0"),
        v1_frame(&KEY, &NONCE, 1 + (1 << 32), b"two", b"ad"),
        // A frame of v2 under the same key and nonce.
        frames::v2_frame(&KEY, &NONCE, 1, 0x00, b"two", b"ad"),
    ];
    for (frames, opened) in [
        (vec![&b, &a, &c], 0),
        (vec![&a, &c, &b], 1),
        (vec![&a, &a, &b], 1),
        (vec![&a, &b, &b], 2),
        (vec![&b, &c], 0),
        (vec![&a, &c], 1),
    ]
    .into_iter()
    .chain(foreign.iter().map(|frame| (vec![&a, frame, &c], 1)))
    {
        let frames: Vec<_> = frames.iter().map(|frame| &frame[..]).collect();
        let (released, end) = read(&frames);
        assert_eq!(end, Err(Error::Authentication));
        assert_eq!(released, [b"one", b"two", b"six"][..opened]);
    }
}

/// The magic is no nonce of a v1 stream that opens, nor is the nonce any magic.
#[test]
fn a_v2_stream_is_no_v1_stream() {
    let v2 = v2_stream(&KEY, &NONCE, &[(b"text", b"ad")]);
    // What v1 takes for a length are bytes 12..16 of the nonce.
    let length = u32::from_be_bytes(*NONCE[12..].first_chunk().unwrap());
    assert_eq!(read_stream(&v2), (vec![], Err(Error::BadLength(length))));
    // A v2 header shaped so that the v1 reader gets as far as the mac.
    let mut shaped = v2;
    shaped[24..28].copy_from_slice(&[0, 0, 0, 20]);
    assert_eq!(read_stream(&shaped), (vec![], Err(Error::Authentication)));
}

#[test]
fn hostile_lengths() {
    for length in [0xffffffff, 0x7fffffff, 0x80000000, 0, 1, 15, 65617, 1 << 24] {
        for behind in [0, 16, 64] {
            let input = [&u32::to_be_bytes(length)[..], &vec![0; behind]].concat();
            assert_eq!(FrameHeader::parse(&input), Err(Error::BadLength(length)));
            assert_eq!(read(&[&input]).1, Err(Error::BadLength(length)));
        }
    }
    for (length, plaintext_len) in [(16, 0), (17, 1), (65552, 65536), (65616, 65600)] {
        let input = u32::to_be_bytes(length);
        let head = FrameHeader::parse(&input).unwrap().unwrap();
        assert_eq!(head.plaintext_len(), plaintext_len);
        assert_eq!(head.payload_len(), length as usize);
        // Whole, but of zeros.
        let zeros = [&input[..], &vec![0; length as usize]].concat();
        assert_eq!(read(&[&zeros]).1, Err(Error::Authentication));
    }
    assert_eq!((MIN_LENGTH, MAX_LENGTH, MAX_FRAME_LEN), (16, 65616, 65620));
}

#[test]
fn the_largest_frame_opens() {
    let (opened, end) = read(&[&message(0, &pat(65600)), &message(1, b"more")]);
    assert!(opened == [pat(65600), b"more".to_vec()]);
    assert_eq!(end, Ok(()));
    let (opened, end) = read(&[&message(0, &pat(65601))]);
    assert_eq!((opened.len(), end), (0, Err(Error::BadLength(65617))));

    let mut sealer = sealer();
    let mut frame = vec![0xee; 65601 + FRAME_OVERHEAD];
    let end = sealer.seal_to(b"ad", &pat(65601), &mut frame);
    assert_eq!(end, Err(Error::MessageTooLong));
    assert!(frame.iter().all(|byte| *byte == 0xee));
    sealer.seal_to(b"ad", &pat(65600), &mut frame[1..]).unwrap();
    assert!(frame[1..] == message(0, &pat(65600)));
}

/// An error, and how to get it.
type Failure<'a> = (Error, &'a dyn Fn(&mut Opener));

#[test]
fn the_first_error_is_the_answer_ever_after() {
    let good = message(0, b"text");
    let payload = &good[LENGTH_LEN..];
    let head = FrameHeader::parse(&good).unwrap().unwrap();
    let failures: [Failure<'_>; 3] = [
        (Error::BadLength(15), &|opener| {
            opener.frame_header(&[0, 0, 0, 15]).unwrap_err();
        }),
        (Error::Authentication, &|opener| {
            opener.open_to(head, b"", payload, &mut [0; 4]).unwrap_err();
        }),
        (Error::Authentication, &|opener| {
            let mut payload = payload.to_vec();
            opener.open_in_place(head, b"", &mut payload).unwrap_err();
        }),
    ];
    for (error, fail) in failures {
        let mut opener = opener();
        fail(&mut opener);
        for _ in 0..2 {
            assert_eq!(opener.frame_header(&good), Err(error));
            assert_eq!(opener.frame_header(&[]), Err(error));
            let mut buf = payload.to_vec();
            assert_eq!(opener.open_in_place(head, b"ad", &mut buf), Err(error));
            assert_eq!(opener.open_in_place(head, b"ad", &mut [0; 3]), Err(error));
            let mut plaintext = [0xee; 4];
            let end = opener.open_to(head, b"ad", payload, &mut plaintext);
            assert_eq!((end, plaintext), (Err(error), [0; 4]));
            assert_eq!(opener.open_to(head, b"ad", &[], &mut []), Err(error));
            assert_eq!((opener.end(), opener.frames()), (Err(error), 0));
        }
    }
}

#[test]
fn wrong_sizes_change_nothing() {
    let (frame, plaintext) = (message(0, b"text"), b"text");
    let (mut sealer, mut opener) = (sealer(), opener());
    for len in (0..60).filter(|len| *len != frame.len()) {
        let mut out = vec![0xee; len];
        let end = sealer.seal_to(b"ad", plaintext, &mut out);
        assert_eq!(end, Err(Error::BufferSize));
        assert!(out.iter().all(|byte| *byte == 0xee));
    }
    let head = opener.frame_header(&frame).unwrap().unwrap();
    let payload = &frame[LENGTH_LEN..];
    for len in (0..60).filter(|len| *len != payload.len()) {
        let mut wrong: Vec<_> = payload.iter().copied().cycle().take(len).collect();
        let before = wrong.clone();
        let end = opener.open_in_place(head, b"ad", &mut wrong).map(|_| ());
        assert_eq!(end, Err(Error::BufferSize));
        let mut out = [0xee; 4];
        let end = opener.open_to(head, b"ad", &wrong, &mut out);
        assert_eq!(end, Err(Error::BufferSize));
        assert_eq!((wrong, out), (before, [0xee; 4]));
    }
    for len in (0..60).filter(|len| *len != 4) {
        let mut out = vec![0xee; len];
        let end = opener.open_to(head, b"ad", payload, &mut out);
        assert_eq!(end, Err(Error::BufferSize));
        assert!(out.iter().all(|byte| *byte == 0xee));
    }
    let mut sealed = vec![0; frame.len()];
    sealer.seal_to(b"ad", plaintext, &mut sealed).unwrap();
    assert_eq!(sealed, frame);
    let mut opened = [0; 4];
    opener.open_to(head, b"ad", payload, &mut opened).unwrap();
    assert_eq!(&opened, plaintext);
}

/// The plaintext's bytes are never 0, so that zeros are not plaintext.
#[test]
fn failed_opens_leave_no_plaintext() {
    for len in [0, 1, 15, 16, 17, 64, 65, 1024, 8192, 65600] {
        let plaintext: Vec<_> = pat(len).iter().map(|byte| byte | 1).collect();
        let good = message(0, &plaintext);
        let head = FrameHeader::parse(&good).unwrap().unwrap();
        for engine in &engines() {
            let opener = Opener::new(&**engine, &key(), &NONCE);
            for at in [0, len / 2, len, len + 15] {
                let payload = flipped(&good[LENGTH_LEN..], 8 * at);
                let mut out = vec![0xee; len + 256];
                let end = opener
                    .clone()
                    .open_to(head, b"ad", &payload, &mut out[..len]);
                assert_eq!(end, Err(Error::Authentication));
                assert!(out[..len].iter().all(|byte| *byte == 0));
                assert!(out[len..].iter().all(|byte| *byte == 0xee));
                let mut buf = payload.clone();
                let end = opener
                    .clone()
                    .open_in_place(head, b"ad", &mut buf)
                    .map(|_| ());
                assert_eq!(end, Err(Error::Authentication));
                assert!(buf[..len].iter().all(|byte| *byte == 0));
                assert_eq!(buf[len..], payload[len..]);
            }
        }
    }
}

#[test]
fn a_wrong_key_fails_on_the_first_frame() {
    let stream = v1_stream(&KEY, &NONCE, &[(b"text", b"ad")]);
    for bit in 0..256 {
        let key = Key::try_from(&flipped(&KEY, bit)[..]).unwrap();
        let (released, end) = read::v1(&SimdEngine::new(), &key, &stream, ad(b"ad"));
        assert_eq!((released.len(), end), (0, Err(Error::Authentication)));
    }
}
