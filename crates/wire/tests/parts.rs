//! One stream, the work of several: the bytes of one sealer, and no number given out twice.

#[path = "support/frames.rs"]
mod frames;
#[path = "support/inputs.rs"]
mod inputs;
#[path = "support/sodium.rs"]
mod sodium;

use inputs::{KEY, NONCE, key, pat};
use ss55_aead::{PortableEngine, SimdEngine};
use ss55_wire::{
    Error, v1,
    v2::{FRAME_HEADER_LEN, FRAME_OVERHEAD, FrameHeader, Header, Opener, Sealer, StreamPlan},
};
use std::{num::NonZeroU64, ops::Range};

type Message<'a> = (&'a [u8], &'a [u8]);

const FRAME: usize = 65536;

fn header() -> Header {
    Header::new(NONCE)
}

fn parts(frames: u64) -> NonZeroU64 {
    NonZeroU64::new(frames).unwrap()
}

fn range(range: &Range<u64>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// The stream of full frames that the oracle makes.
fn oracle(plaintext: &[u8]) -> Vec<u8> {
    let messages: Vec<Message<'_>> = plaintext.chunks(FRAME).map(|c| (c, &b"ad"[..])).collect();
    frames::v2_stream(&KEY, &NONCE, &messages)
}

#[test]
fn parts_are_the_stream() {
    for size in [
        0,
        1,
        FRAME - 1,
        FRAME,
        FRAME + 1,
        4 * FRAME,
        4 * FRAME + 1,
        5 * FRAME - 1,
    ] {
        let plaintext = pat(size);
        let expected = oracle(&plaintext);
        for frames in [1, 2, 3, 4, 5, 100, u64::MAX] {
            let plan = StreamPlan::new(header(), size as u64).unwrap();
            assert_eq!(plan.sealed_len(), expected.len() as u64);
            let all: Vec<_> = plan
                .split(SimdEngine::new(), &key(), parts(frames))
                .collect();
            // One behind the other, from the first byte to the last; the last alone has the end.
            let (mut plain_end, mut sealed_end) = (0, 0);
            for (index, part) in all.iter().enumerate() {
                assert_eq!(part.plaintext().start, plain_end);
                assert_eq!(part.sealed().start, sealed_end);
                (plain_end, sealed_end) = (part.plaintext().end, part.sealed().end);
                assert_eq!(part.is_last(), index + 1 == all.len());
                let most = frames.saturating_mul(FRAME as u64);
                assert!(part.plaintext().end - part.plaintext().start <= most);
            }
            assert_eq!(
                (plain_end, sealed_end),
                (size as u64, expected.len() as u64)
            );
            let full = (size as u64).div_ceil(FRAME as u64).div_ceil(frames);
            assert_eq!(all.len() as u64, full.max(1));
            // In any order, here backwards.
            let mut stream = vec![0; expected.len()];
            for part in all.into_iter().rev() {
                let (from, to) = (range(&part.plaintext()), range(&part.sealed()));
                part.seal(b"ad", &plaintext[from], &mut stream[to]).unwrap();
            }
            assert!(stream == expected, "{size} in parts of {frames}");
        }
    }
}

#[test]
fn a_part_takes_its_own_sizes_alone() {
    for (less_plain, less_sealed) in [(1, 0), (0, 1), (FRAME, 0)] {
        let plan = StreamPlan::new(header(), 3 * FRAME as u64).unwrap();
        let part = plan
            .split(SimdEngine::new(), &key(), parts(2))
            .next()
            .unwrap();
        let plaintext = pat(range(&part.plaintext()).len() - less_plain);
        let mut sealed = vec![0xee; range(&part.sealed()).len() - less_sealed];
        let refused = part.seal(b"", &plaintext, &mut sealed);
        assert_eq!(refused, Err(Error::BufferSize));
        assert!(sealed.iter().all(|byte| *byte == 0xee));
    }
}

#[test]
fn plans_end_where_sizes_do() {
    assert_eq!(
        StreamPlan::new(header(), u64::MAX).map(|_| ()),
        Err(Error::MessageTooLong)
    );
    // 2^64 - 1 bytes in all: the parts of the largest stream, without sealing it.
    let (mut low, mut high) = (0, u64::MAX);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        match StreamPlan::new(header(), middle) {
            Ok(_) => low = middle,
            Err(_) => high = middle - 1,
        }
    }
    let plan = StreamPlan::new(header(), low).unwrap();
    let sealed = plan.sealed_len();
    assert!(sealed > u64::MAX - 30);
    let last = plan
        .split(PortableEngine, &key(), parts(1 << 46))
        .last()
        .unwrap();
    assert_eq!((last.plaintext().end, last.sealed().end), (low, sealed));
}

#[test]
fn numbers_are_given_out_once() {
    let mut sealer = Sealer::new(SimdEngine::new(), &key(), &header());
    let mut first = sealer.split_off(2).unwrap();
    let mut none = sealer.split_off(0).unwrap();
    let mut second = first.split_off(1).unwrap();
    let mut frame = [0; FRAME_OVERHEAD + 1];
    let expected = |seq| frames::v2_frame(&KEY, &NONCE, seq, 0, b"x", b"");
    // Each seals its own frames, whoever is first.
    sealer.seal_to(b"", b"x", &mut frame).unwrap();
    assert_eq!(frame[..], expected(2));
    first.seal_to(b"", b"x", &mut frame).unwrap();
    assert_eq!(frame[..], expected(1));
    second.seal_to(b"", b"x", &mut frame).unwrap();
    assert_eq!(frame[..], expected(0));
    let before = frame;
    for part in [&mut first, &mut second, &mut none] {
        for _ in 0..2 {
            assert_eq!(part.seal_to(b"", b"y", &mut frame), Err(Error::OutsidePart));
            assert_eq!(part.finish().map(|_| ()), Err(Error::OutsidePart));
            assert!(part.split_off(1).is_err());
        }
    }
    assert_eq!(frame, before);
    // More than there are: nothing is taken.
    assert_eq!(
        sealer.split_off(u64::MAX - 2).map(|_| ()),
        Err(Error::SequenceOverflow)
    );
    let mut part = sealer.split_off(3).unwrap();
    assert_eq!(part.split_off(4).map(|_| ()), Err(Error::OutsidePart));
    part.seal_to(b"", b"x", &mut frame).unwrap();
    assert_eq!(frame[..], expected(3));
    let end = sealer.finish().unwrap();
    assert_eq!(end[..], frames::v2_frame(&KEY, &NONCE, 6, 3, b"", b""));
    assert_eq!(sealer.split_off(1).map(|_| ()), Err(Error::Finished));
    assert_eq!(sealer.frames(), 7);
}

/// A part that has frames left cannot end the stream either.
#[test]
fn parts_do_not_finish() {
    let mut sealer = Sealer::new(SimdEngine::new(), &key(), &header());
    let mut part = sealer.split_off(5).unwrap();
    assert_eq!(part.finish().map(|_| ()), Err(Error::OutsidePart));
    let mut frame = [0; FRAME_OVERHEAD + 1];
    part.seal_to(b"", b"x", &mut frame).unwrap();
    assert_eq!(frame[..], frames::v2_frame(&KEY, &NONCE, 0, 0, b"x", b""));
}

#[test]
fn openers_go_ahead() {
    let pieces: Vec<Vec<u8>> = (0..4)
        .map(|seq| match seq {
            3 => frames::v2_frame(&KEY, &NONCE, 3, 3, b"", b""),
            _ => frames::v2_frame(&KEY, &NONCE, seq, 0, b"a", b""),
        })
        .collect();
    let first = Opener::new(SimdEngine::new(), &key(), &header());
    for (seq, frame) in pieces.iter().enumerate() {
        let head = FrameHeader::parse(frame).unwrap().unwrap();
        for ahead in 0..5 {
            let mut opener = first.ahead(ahead).unwrap();
            let mut plaintext = vec![0xee; head.plaintext_len()];
            let opened = opener.open_to(head, b"", &frame[FRAME_HEADER_LEN..], &mut plaintext);
            assert_eq!(opened.is_ok(), ahead == seq as u64, "{seq} {ahead}");
            assert_eq!(opener.is_finished(), opened.is_ok() && seq == 3);
            if opened.is_err() {
                assert!(plaintext.iter().all(|byte| *byte == 0));
                assert!(opener.ahead(1).is_err());
            }
        }
    }
    assert!(first.ahead(u64::MAX).is_ok());
    let one = first.ahead(1).unwrap();
    assert!(matches!(one.ahead(u64::MAX), Err(Error::SequenceOverflow)));

    let pieces: Vec<Vec<u8>> = (0..3)
        .map(|seq| frames::v1_frame(&KEY, &NONCE, seq, b"a", b""))
        .collect();
    let first = v1::Opener::new(SimdEngine::new(), &key(), &NONCE);
    for (seq, frame) in pieces.iter().enumerate() {
        let head = v1::FrameHeader::parse(frame).unwrap().unwrap();
        for ahead in 0..4 {
            let mut opener = first.ahead(ahead).unwrap();
            let opened = opener.open_to(head, b"", &frame[v1::LENGTH_LEN..], &mut [0]);
            assert_eq!(opened.is_ok(), ahead == seq as u64);
        }
    }
}
