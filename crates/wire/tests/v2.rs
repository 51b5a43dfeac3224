//! SS55 v2 against streams that libsodium's AEAD made, whole and broken in every way.

#[path = "support/frames.rs"]
mod frames;
#[path = "support/inputs.rs"]
mod inputs;
#[path = "support/read.rs"]
mod read;
#[path = "support/sodium.rs"]
mod sodium;

use frames::{v1_frame, v2_frame, v2_header, v2_stream};
use inputs::{KEY, NONCE, engines, flipped, key, pat};
use read::ad;
use ss55_aead::{Key, SimdEngine};
use ss55_wire::{
    Error,
    v2::{
        FINAL_FRAME_LEN, FRAME_HEADER_LEN, FRAME_OVERHEAD, FrameHeader, FrameTag, HEADER_LEN,
        Header, MAX_FRAME_LEN, MAX_LENGTH, MAX_PLAINTEXT, MIN_LENGTH, Opener, Sealer, sealed_len,
    },
};

fn header() -> Header {
    Header::new(NONCE)
}

fn sealer() -> Sealer {
    Sealer::new(SimdEngine::new(), &key(), &header())
}

fn opener() -> Opener {
    Opener::new(SimdEngine::new(), &key(), &header())
}

/// Frame `seq` of the stream under test, with the ad "ad".
fn message(seq: u64, plaintext: &[u8]) -> Vec<u8> {
    v2_frame(&KEY, &NONCE, seq, 0x00, plaintext, b"ad")
}

fn last(seq: u64) -> Vec<u8> {
    v2_frame(&KEY, &NONCE, seq, 0x03, b"", b"")
}

/// Reads header and `frames`, all of whose messages have the ad "ad".
fn read(frames: &[&[u8]]) -> read::Outcome {
    read_stream(&[&v2_header(&NONCE), &frames.concat()[..]].concat())
}

fn read_stream(stream: &[u8]) -> read::Outcome {
    read::v2(&SimdEngine::new(), &key(), stream, ad(b"ad"))
}

fn head(opener: &mut Opener, frame: &[u8]) -> FrameHeader {
    opener.frame_header(frame).unwrap().unwrap()
}

#[test]
fn sealed_frames_are_those_of_the_specification() {
    for engine in &engines() {
        let mut sealer = Sealer::new(&**engine, &key(), &header());
        let mut sealer_to = Sealer::new(&**engine, &key(), &header());
        let mut seq = 0;
        for len in (0..=130).chain([255, 1023, 1025, 8191, MAX_PLAINTEXT]) {
            for ad_len in [0, 1, 11, 12, 300] {
                let (plaintext, ad) = (pat(len), pat(ad_len));
                let expected = v2_frame(&KEY, &NONCE, seq, 0x00, &plaintext, &ad);
                let mut frame = vec![0xee; len + FRAME_OVERHEAD];
                sealer_to.seal_to(&ad, &plaintext, &mut frame).unwrap();
                assert!(frame == expected, "{len} {ad_len}");

                let mut buf = plaintext;
                let sealed = sealer.seal_in_place(&ad, &mut buf).unwrap();
                assert!([&sealed.header, &buf[..], &sealed.mac].concat() == expected);
                seq += 1;
                assert_eq!(sealer.frames(), seq);
            }
        }
        assert_eq!(sealer.finish().unwrap()[..], last(seq));
    }
}

/// The frame number is 64 bits wide in the nonce and in the AAD; its low byte alone would do for the
/// tests with few frames. Empty message frames are legal, and cost the reader nothing but time.
#[test]
fn a_million_empty_frames() {
    let (mut sealer, mut opener) = (sealer(), opener());
    let mut frame = [0; FRAME_OVERHEAD];
    for seq in 0..1_000_000 {
        sealer.seal_to(b"ad", b"", &mut frame).unwrap();
        if seq % 65521 == 0 || [255, 256, 65535, 65536, 999_999].contains(&seq) {
            assert_eq!(frame[..], message(seq, b""), "{seq}");
        }
        let head = head(&mut opener, &frame);
        assert_eq!((head.tag(), head.plaintext_len()), (FrameTag::Message, 0));
        let plaintext = opener.open_in_place(head, b"ad", &mut frame[FRAME_HEADER_LEN..]);
        assert_eq!(plaintext.unwrap(), b"");
    }
    assert_eq!(opener.end(), Err(Error::Truncated));
    assert_eq!((sealer.frames(), opener.frames()), (1_000_000, 1_000_000));
}

#[test]
fn streams_of_any_size_round_trip() {
    for len in [
        0, 1, 8191, 8192, 8193, 16384, 16385, 65535, 65536, 65537, 131072,
    ] {
        let plaintext = pat(len);
        let mut sealer = sealer();
        let mut stream = header().to_bytes().to_vec();
        for part in plaintext.chunks(MAX_PLAINTEXT) {
            let mut frame = vec![0; part.len() + FRAME_OVERHEAD];
            sealer.seal_to(b"ad", part, &mut frame).unwrap();
            stream.extend(frame);
        }
        stream.extend(sealer.finish().unwrap());
        assert_eq!(sealed_len(len as u64), Some(stream.len() as u64));

        let parts: Vec<_> = plaintext
            .chunks(MAX_PLAINTEXT)
            .map(|p| (p, &b"ad"[..]))
            .collect();
        assert!(stream == v2_stream(&KEY, &NONCE, &parts), "{len}");
        let (opened, end) = read_stream(&stream);
        assert!(opened.concat() == plaintext);
        assert_eq!(end, Ok(()));
    }
}

#[test]
fn sealed_len_to_the_end_of_64_bits() {
    let expected = |n: u64| {
        let n = u128::from(n);
        u64::try_from(36 + n + n.div_ceil(65536) * 21 + 21).ok()
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
        65535,
        65536,
        65537,
        131072,
        1 << 31,
        1 << 32,
        (1 << 32) + 17,
        274877906880,
    ]
    .into_iter()
    .chain(fits - 65537..=fits + 65537)
    .chain([u64::MAX - 1, u64::MAX])
    {
        assert_eq!(sealed_len(n), expected(n), "{n}");
    }
    assert!(sealed_len(fits).is_some() && sealed_len(too_long).is_none());
}

#[test]
fn headers() {
    let good: [u8; HEADER_LEN] = v2_header(&NONCE).try_into().unwrap();
    assert_eq!(header().to_bytes(), good);
    assert_eq!(Header::parse(&good), Ok(header()));
    assert_eq!(header().nonce(), &NONCE);

    let with = |at: usize, bytes: &[u8]| {
        let mut header = good;
        header[at..][..bytes.len()].copy_from_slice(bytes);
        Header::parse(&header).map(|_| ())
    };
    assert_eq!(with(0, b"SS55-v1\0"), Err(Error::BadMagic));
    assert_eq!(with(7, b" "), Err(Error::BadMagic));
    assert_eq!(with(0, &NONCE[..8]), Err(Error::BadMagic));
    for version in [0, 1, 3, 0x0200, 0xffff_u16] {
        let expected = Err(Error::UnsupportedVersion(version));
        assert_eq!(with(8, &version.to_be_bytes()), expected);
        // The version tells what the flags mean.
        assert_eq!(with(8, &[version.to_be_bytes(), [0, 1]].concat()), expected);
    }
    for flags in [1, 0x0100, 0x8000, 0xffff_u16] {
        assert_eq!(
            with(10, &flags.to_be_bytes()),
            Err(Error::UnsupportedFlags(flags))
        );
    }
}

/// What a bit does is told from its place in the stream alone.
#[test]
fn every_flipped_bit_fails_as_it_should() {
    let frames = [
        message(0, b"first"),
        message(1, b""),
        message(2, b"third"),
        last(3),
    ];
    let stream = [&v2_header(&NONCE), &frames.concat()[..]].concat();
    let good = read_stream(&stream);
    assert_eq!(good.0, [&b"first"[..], b"", b"third"]);
    assert_eq!(good.1, Ok(()));

    for bit in 0..8 * stream.len() {
        let broken = flipped(&stream, bit);
        let mut whole = 0; // frames before the bit
        let (error, start) = match bit / 8 {
            0..8 => (Error::BadMagic, 0),
            8..10 => (Error::UnsupportedVersion(u16_at(&broken, 8)), 0),
            10..12 => (Error::UnsupportedFlags(u16_at(&broken, 10)), 0),
            12..32 => (Error::Authentication, 0),
            32..36 => {
                assert_eq!(read_stream(&broken), good, "bit {bit}");
                continue;
            }
            byte => {
                let mut start = 36;
                while byte >= start + frames[whole].len() {
                    start += frames[whole].len();
                    whole += 1;
                }
                (frame_error(&broken[start..], byte - start), start)
            }
        };
        let (released, end) = read_stream(&broken);
        assert_eq!(end, Err(error), "bit {bit}, frame at {start}");
        assert_eq!(released, good.0[..whole], "bit {bit}, frame at {start}");
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// The error of a frame whose byte `at` is wrong.
fn frame_error(frame: &[u8], at: usize) -> Error {
    let length = u32::from_be_bytes(frame[..4].try_into().unwrap());
    match at {
        0..4 if !(17..=65553).contains(&length) => Error::BadLength(length),
        0..4 if frame[4] == 0x03 => Error::BadLength(length),
        0..4 if frame.len() < 4 + length as usize => Error::Truncated,
        4 => Error::UnknownTag(frame[4]),
        _ => Error::Authentication,
    }
}

#[test]
fn the_last_four_header_bytes_change_nothing() {
    let stream = v2_stream(&KEY, &NONCE, &[(b"text", b"ad")]);
    let good = read_stream(&stream);
    assert_eq!(good, (vec![b"text".to_vec()], Ok(())));
    for tail in [[0; 4], [0xff; 4], [0, 0, 0, 1], [0x80, 0, 0, 0]] {
        let mut changed = stream.clone();
        changed[32..36].copy_from_slice(&tail);
        assert_eq!(read_stream(&changed), good);
        // And the writer's frames do not depend on them.
        let header = Header::parse(changed.first_chunk().unwrap()).unwrap();
        let mut frame = [0; 4 + FRAME_OVERHEAD];
        let mut sealer = Sealer::new(SimdEngine::new(), &key(), &header);
        sealer.seal_to(b"ad", b"text", &mut frame).unwrap();
        assert_eq!(frame, stream[36..][..frame.len()]);
        assert_eq!(header.to_bytes()[..], changed[..36]);
    }
}

#[test]
fn a_cut_anywhere_is_truncation() {
    let frames = [
        message(0, b"first"),
        message(1, b""),
        message(2, &pat(40)),
        last(3),
    ];
    let stream = [&v2_header(&NONCE), &frames.concat()[..]].concat();
    let (whole, end) = read_stream(&stream);
    assert_eq!((whole.len(), end), (3, Ok(())));
    for cut in 0..stream.len() {
        let (released, end) = read_stream(&stream[..cut]);
        assert_eq!(end, Err(Error::Truncated), "{cut}");
        assert!(whole.starts_with(&released));
    }
}

#[test]
fn a_cut_at_the_edge_of_a_full_frame_is_truncation() {
    let frames = [message(0, &pat(65536)), message(1, &pat(65536)), last(2)];
    let stream = [&v2_header(&NONCE), &frames.concat()[..]].concat();
    let (first, second) = (36 + MAX_FRAME_LEN, 36 + 2 * MAX_FRAME_LEN);
    for (start, whole) in [(36, 0), (first, 1), (second, 2)] {
        // Around the edge, the length, the tag, and where the mac begins.
        for cut in [
            start - 17,
            start - 16,
            start - 15,
            start - 1,
            start,
            start + 1,
        ]
        .into_iter()
        .chain(start + 3..=start + 6)
        {
            let (released, end) = read_stream(&stream[..cut]);
            assert_eq!(end, Err(Error::Truncated), "{cut}");
            assert_eq!(
                released.len(),
                if cut < start { whole.max(1) - 1 } else { whole }
            );
        }
    }
}

#[test]
fn anything_after_the_end_is_trailing_data() {
    let second = v2_stream(&KEY, &NONCE, &[(b"text", b"ad")]);
    for trailing in [
        vec![0],
        vec![0xff],
        vec![0; 17],
        vec![0; 8209],
        second,
        message(1, b"further"),
        message(2, b"further"),
        last(1),
        last(2),
    ] {
        let stream = [message(0, b"text"), last(1), trailing];
        let (released, end) = read(&[&stream[0], &stream[1], &stream[2]]);
        assert_eq!(released, [b"text"]);
        assert_eq!(end, Err(Error::TrailingData), "{:02x?}", stream[2]);
    }
}

#[test]
fn frames_open_in_their_own_place_only() {
    let (a, b, c, end) = (
        message(0, b"one"),
        message(1, b"two"),
        message(2, b"six"),
        last(3),
    );
    assert_eq!(read(&[&a, &b, &c, &end]).1, Ok(()));
    let other_nonce = [0x41; 24];
    let foreign = [
        v2_frame(&[1; 32], &NONCE, 1, 0x00, b"two", b"ad"),
        v2_frame(&KEY, &other_nonce, 1, 0x00, b"two", b"ad"),
        v2_frame(&KEY, &NONCE, 1, 0x00, b"two", b"da"),
        v2_frame(&KEY, &NONCE, 1, 0x00, b"two", b""),
        v2_frame(&KEY, &NONCE, 1, 0x00, b"two", b"ad\0"),
        v2_frame(&KEY, &NONCE, 1 << 32, 0x00, b"two", b"ad"),
        v2_frame(&KEY, &NONCE, 1 + (1 << 32), 0x00, b"two", b"ad"),
    ];
    for (frames, opened) in [
        (vec![&b, &a, &c, &end], 0), // swapped
        (vec![&a, &c, &b, &end], 1),
        (vec![&a, &a, &b, &c, &end], 1), // doubled
        (vec![&a, &b, &b, &c, &end], 2),
        (vec![&b, &c, &end], 0), // dropped
        (vec![&a, &c, &end], 1),
        (vec![&a, &b, &end], 2),
        (vec![&end], 0),
    ]
    .into_iter()
    .chain(foreign.iter().map(|frame| (vec![&a, frame, &c, &end], 1)))
    {
        let frames: Vec<_> = frames.iter().map(|frame| &frame[..]).collect();
        let (released, end) = read(&frames);
        assert_eq!(end, Err(Error::Authentication));
        assert_eq!(released, [b"one", b"two", b"six"][..opened]);
    }
}

/// With this nonce the frame nonces of v1 and v2 are the same, and so are subkey and keystream.
#[test]
fn a_v1_frame_is_no_v2_frame() {
    let mut nonce = NONCE;
    nonce[16..].fill(0);
    let v1 = v1_frame(&KEY, &nonce, 0, b"text", b"");
    let v2 = v2_frame(&KEY, &nonce, 0, 0x00, b"text", b"");
    assert_eq!(v1[4..8], v2[5..9], "one keystream");
    let forged = [&v2[..9], &v1[8..]].concat();
    let stream = [v2_header(&nonce), forged].concat();
    let (released, end) = read::v2(&SimdEngine::new(), &key(), &stream, ad(b""));
    assert_eq!((released.len(), end), (0, Err(Error::Authentication)));
}

#[test]
fn a_v1_stream_is_no_v2_stream() {
    let v1 = frames::v1_stream(&KEY, &NONCE, &[(b"text", b"ad")]);
    assert_eq!(read_stream(&v1).1, Err(Error::BadMagic));
    let mut magic = v1;
    magic[..8].copy_from_slice(b"SS55-v2\0");
    let version = u16::from_be_bytes([NONCE[8], NONCE[9]]);
    assert_eq!(
        read_stream(&magic).1,
        Err(Error::UnsupportedVersion(version))
    );
}

#[test]
fn message_and_final_tags_are_not_interchangeable() {
    let retagged = |frame: &[u8], tag| {
        let mut frame = frame.to_vec();
        frame[4] = tag;
        frame
    };
    let (text, empty) = (
        message(0, b"text"),
        v2_frame(&KEY, &NONCE, 0, 0x00, b"", b""),
    );
    assert_eq!(read(&[&retagged(&text, 3)]).1, Err(Error::BadLength(21)));
    assert_eq!(read(&[&retagged(&empty, 3)]).1, Err(Error::Authentication));
    let stream = [v2_header(&NONCE), retagged(&last(0), 0)].concat();
    for message_ad in [&b""[..], b"ad"] {
        let (released, end) = read::v2(&SimdEngine::new(), &key(), &stream, ad(message_ad));
        assert_eq!((released.len(), end), (0, Err(Error::Authentication)));
    }
}

/// What an honest writer never makes, sealed under the right key.
#[test]
fn authentic_nonsense_is_refused() {
    for tag in (0..=255).filter(|tag| ![0x00, 0x03].contains(tag)) {
        let frame = v2_frame(&KEY, &NONCE, 0, tag, b"text", b"ad");
        assert_eq!(read(&[&frame]), (vec![], Err(Error::UnknownTag(tag))));
        let frame = v2_frame(&KEY, &NONCE, 0, tag, b"", b"");
        assert_eq!(read(&[&frame]), (vec![], Err(Error::UnknownTag(tag))));
    }
    let with_text = v2_frame(&KEY, &NONCE, 0, 0x03, b"t", b"");
    assert_eq!(read(&[&with_text]).1, Err(Error::BadLength(18)));
    let too_long = v2_frame(&KEY, &NONCE, 0, 0x00, &pat(65537), b"ad");
    assert_eq!(read(&[&too_long]).1, Err(Error::BadLength(65554)));
    // A final frame with an ad: refused even by a reader that gives this very ad.
    let with_ad = v2_frame(&KEY, &NONCE, 0, 0x03, b"", b"ad");
    assert_eq!(read(&[&with_ad]).1, Err(Error::Authentication));
}

#[test]
fn hostile_lengths() {
    for length in [0xffffffff, 0x7fffffff, 0x80000000, 0, 1, 16, 65554, 1 << 24] {
        for behind in [0, 16, 64] {
            let input = [&u32::to_be_bytes(length)[..], &vec![0; behind]].concat();
            assert_eq!(FrameHeader::parse(&input), Err(Error::BadLength(length)));
            assert_eq!(read(&[&input]).1, Err(Error::BadLength(length)));
        }
    }
    for (length, plaintext_len) in [(17, 0), (18, 1), (65552, 65535), (65553, 65536)] {
        let input = u32::to_be_bytes(length);
        assert_eq!(FrameHeader::parse(&input), Ok(None));
        let input = [&input[..], &[0]].concat();
        let head = FrameHeader::parse(&input).unwrap().unwrap();
        assert_eq!(head.plaintext_len(), plaintext_len);
        assert_eq!(head.payload_len(), plaintext_len + 16);
        let missing = [&input[..], &vec![0; plaintext_len + 15]].concat();
        assert_eq!(read(&[&missing]).1, Err(Error::Truncated));
    }
    for length in [0, 16, 17, 18, 65553, 65554] {
        let input = [&u32::to_be_bytes(length)[..], &[0x03]].concat();
        let ok = FrameHeader::parse(&input).map(|head| head.map(FrameHeader::tag));
        match length {
            17 => assert_eq!(ok, Ok(Some(FrameTag::Final))),
            _ => assert_eq!(ok, Err(Error::BadLength(length))),
        }
    }
    assert_eq!((MIN_LENGTH, MAX_LENGTH), (17, 65553));
    assert_eq!((MAX_FRAME_LEN, FINAL_FRAME_LEN), (65557, 21));
}

#[test]
fn a_wrong_key_fails_on_the_first_frame() {
    let stream = v2_stream(&KEY, &NONCE, &[(b"text", b"ad"), (b"more", b"ad")]);
    for bit in 0..256 {
        let key = Key::try_from(&flipped(&KEY, bit)[..]).unwrap();
        let (released, end) = read::v2(&SimdEngine::new(), &key, &stream, ad(b"ad"));
        assert_eq!((released.len(), end), (0, Err(Error::Authentication)));
    }
}
