//! What the calls of v2 promise: errors that stay, sizes that change nothing, buffers without
//! plaintext.

#[path = "support/frames.rs"]
mod frames;
#[path = "support/inputs.rs"]
mod inputs;
#[path = "support/sodium.rs"]
mod sodium;

use frames::v2_frame;
use inputs::{KEY, NONCE, engines, flipped, key, pat};
use ss55_aead::SimdEngine;
use ss55_wire::{
    Error,
    v2::{
        FRAME_HEADER_LEN, FRAME_OVERHEAD, FrameHeader, FrameTag, Header, MAX_FRAME_LEN,
        MAX_PLAINTEXT, Opener, Sealer,
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

fn head(opener: &mut Opener, frame: &[u8]) -> FrameHeader {
    opener.frame_header(frame).unwrap().unwrap()
}

#[test]
fn none_asks_for_more_bytes() {
    let frame = message(0, b"text");
    let mut opener = opener();
    for len in 0..FRAME_HEADER_LEN {
        assert_eq!(opener.frame_header(&frame[..len]), Ok(None));
    }
    for len in FRAME_HEADER_LEN..=frame.len() {
        let head = head(&mut opener, &frame[..len]);
        assert_eq!(
            (head.tag(), head.payload_len(), head.plaintext_len()),
            (FrameTag::Message, 20, 4)
        );
    }
    // Four bytes of nonsense need no fifth.
    assert_eq!(
        opener.frame_header(&[0xff; 4]),
        Err(Error::BadLength(u32::MAX))
    );
}

#[test]
fn no_frame_opens_after_the_final_one() {
    let further = message(1, b"further");
    for in_place in [true, false] {
        let mut opener = opener();
        let head = FrameHeader::parse(&last(0)).unwrap().unwrap();
        opener
            .open_to(head, b"any", &last(0)[FRAME_HEADER_LEN..], &mut [])
            .unwrap();
        assert_eq!((opener.is_finished(), opener.end()), (true, Ok(())));
        assert_eq!(opener.frame_header(&[]), Ok(None));

        let head = FrameHeader::parse(&further).unwrap().unwrap();
        let mut payload = further[FRAME_HEADER_LEN..].to_vec();
        let end = if in_place {
            opener.open_in_place(head, b"ad", &mut payload).map(|_| ())
        } else {
            opener.open_to(head, b"ad", &payload, &mut [0xee; 7])
        };
        assert_eq!(end, Err(Error::TrailingData));
        assert_eq!(payload, further[FRAME_HEADER_LEN..]);
        assert_eq!(opener.end(), Err(Error::TrailingData));
        assert_eq!(opener.frames(), 1);
    }
}

/// An error, and how to get it.
type Failure<'a> = (Error, &'a dyn Fn(&mut Opener));

/// Every way to fail, then every call.
#[test]
fn the_first_error_is_the_answer_ever_after() {
    let good = message(0, b"text");
    let with = |at: usize, byte: u8| {
        let mut frame = good.clone();
        frame[at] = byte;
        frame
    };
    let failures: [Failure<'_>; 6] = [
        (Error::Truncated, &|opener| {
            opener.end().unwrap_err();
        }),
        (Error::BadLength(0xff000015), &|opener| {
            opener.frame_header(&with(0, 0xff)).unwrap_err();
        }),
        (Error::UnknownTag(0x01), &|opener| {
            opener.frame_header(&with(4, 0x01)).unwrap_err();
        }),
        (Error::Authentication, &|opener| {
            let head = head(opener, &good);
            opener
                .open_to(head, b"", &good[FRAME_HEADER_LEN..], &mut [0; 4])
                .unwrap_err();
        }),
        (Error::Authentication, &|opener| {
            let head = head(opener, &good);
            opener
                .open_in_place(head, b"", &mut good[FRAME_HEADER_LEN..].to_vec())
                .unwrap_err();
        }),
        (Error::TrailingData, &|opener| {
            let frame = last(0);
            let head = head(opener, &frame);
            opener
                .open_to(head, b"", &frame[FRAME_HEADER_LEN..], &mut [])
                .unwrap();
            opener.frame_header(&[0]).unwrap_err();
        }),
    ];
    for (error, fail) in failures {
        let mut opener = opener();
        let frames_before = u64::from(error == Error::TrailingData);
        fail(&mut opener);
        let head = FrameHeader::parse(&good).unwrap().unwrap();
        let payload = &good[FRAME_HEADER_LEN..];
        for _ in 0..2 {
            assert_eq!(opener.frame_header(&good), Err(error));
            assert_eq!(opener.frame_header(&[]), Err(error));
            assert_eq!(opener.frame_header(&[0xff; 5]), Err(error));
            assert_eq!(
                opener.open_in_place(head, b"ad", &mut payload.to_vec()),
                Err(error)
            );
            assert_eq!(opener.open_in_place(head, b"ad", &mut [0; 3]), Err(error));
            let mut plaintext = [0xee; 4];
            assert_eq!(
                opener.open_to(head, b"ad", payload, &mut plaintext),
                Err(error)
            );
            assert_eq!(plaintext, [0; 4], "after any error but that of sizes");
            assert_eq!(
                opener.open_to(head, b"ad", payload, &mut [0; 3]),
                Err(error)
            );
            assert_eq!(opener.open_to(head, b"ad", &[], &mut plaintext), Err(error));
            assert_eq!(opener.end(), Err(error));
            assert_eq!(opener.frames(), frames_before);
        }
    }
}

#[test]
fn wrong_sizes_change_nothing() {
    let (frame, plaintext) = (message(0, b"text"), b"text");
    let (mut sealer, mut opener) = (sealer(), opener());
    for len in (0..60).filter(|len| *len != frame.len()) {
        let mut out = vec![0xee; len];
        assert_eq!(
            sealer.seal_to(b"ad", plaintext, &mut out),
            Err(Error::BufferSize)
        );
        assert!(out.iter().all(|byte| *byte == 0xee));
    }
    let head = head(&mut opener, &frame);
    let payload = &frame[FRAME_HEADER_LEN..];
    for len in (0..60).filter(|len| *len != payload.len()) {
        let mut wrong: Vec<_> = payload.iter().copied().cycle().take(len).collect();
        let before = wrong.clone();
        assert_eq!(
            opener.open_in_place(head, b"ad", &mut wrong),
            Err(Error::BufferSize)
        );
        let mut out = [0xee; 4];
        assert_eq!(
            opener.open_to(head, b"ad", &wrong, &mut out),
            Err(Error::BufferSize)
        );
        assert_eq!((wrong, out), (before, [0xee; 4]));
    }
    for len in (0..60).filter(|len| *len != 4) {
        let mut out = vec![0xee; len];
        assert_eq!(
            opener.open_to(head, b"ad", payload, &mut out),
            Err(Error::BufferSize)
        );
        assert!(out.iter().all(|byte| *byte == 0xee));
    }
    assert_eq!((sealer.frames(), opener.frames()), (0, 0));

    let mut sealed = vec![0; frame.len()];
    sealer.seal_to(b"ad", plaintext, &mut sealed).unwrap();
    assert_eq!(sealed, frame);
    let mut opened = [0; 4];
    opener.open_to(head, b"ad", payload, &mut opened).unwrap();
    assert_eq!(&opened, plaintext);
}

#[test]
fn a_message_of_one_byte_too_many_changes_nothing() {
    let mut sealer = sealer();
    for len in [MAX_PLAINTEXT + 1, MAX_PLAINTEXT + 16, 2 * MAX_PLAINTEXT] {
        let plaintext = pat(len);
        let mut buf = plaintext.clone();
        assert_eq!(
            sealer.seal_in_place(b"ad", &mut buf),
            Err(Error::MessageTooLong)
        );
        assert!(buf == plaintext);
        let mut frame = vec![0xee; len + FRAME_OVERHEAD];
        let end = sealer.seal_to(b"ad", &plaintext, &mut frame);
        assert_eq!(end, Err(Error::MessageTooLong));
        assert!(frame.iter().all(|byte| *byte == 0xee));
    }
    let mut frame = vec![0; MAX_FRAME_LEN];
    sealer
        .seal_to(b"ad", &pat(MAX_PLAINTEXT), &mut frame)
        .unwrap();
    assert!(frame == message(0, &pat(MAX_PLAINTEXT)));
}

#[test]
fn a_finished_sealer_seals_no_more() {
    let mut sealer = sealer();
    assert_eq!(sealer.finish().unwrap()[..], last(0));
    for _ in 0..2 {
        let mut buf = *b"text";
        let mut frame = [0xee; 4 + FRAME_OVERHEAD];
        assert_eq!(sealer.seal_in_place(b"", &mut buf), Err(Error::Finished));
        assert_eq!(sealer.seal_to(b"", &buf, &mut frame), Err(Error::Finished));
        assert_eq!(
            sealer.seal_to(b"", &buf, &mut frame[1..]),
            Err(Error::Finished)
        );
        assert_eq!(
            sealer.seal_in_place(b"", &mut pat(65537)),
            Err(Error::Finished)
        );
        assert_eq!(sealer.finish(), Err(Error::Finished));
        assert_eq!((buf, frame), (*b"text", [0xee; 4 + FRAME_OVERHEAD]));
        assert_eq!(sealer.frames(), 1);
    }
}

/// The plaintext's bytes are never 0, so that zeros are not plaintext.
#[test]
fn failed_opens_leave_no_plaintext() {
    const CANARY: usize = 256;
    for len in [0, 1, 15, 16, 17, 64, 65, 1024, 8192, 65536] {
        let plaintext: Vec<_> = pat(len).iter().map(|byte| byte | 1).collect();
        let good = message(0, &plaintext);
        let payload = &good[FRAME_HEADER_LEN..];
        let ciphertext_end = len.max(1) - 1; // the mac's first byte if there is no ciphertext
        for engine in &engines() {
            let opener = Opener::new(&**engine, &key(), &header());
            let head = FrameHeader::parse(&good).unwrap().unwrap();
            for at in [0, len / 2, ciphertext_end, len, len + 15] {
                for (payload, ad) in [
                    (flipped(payload, 8 * at + 7), &b"ad"[..]),
                    (payload.to_vec(), b"aD"),
                ] {
                    let mut out = vec![0xee; len + CANARY];
                    let end = opener.clone().open_to(head, ad, &payload, &mut out[..len]);
                    assert_eq!(end, Err(Error::Authentication));
                    assert!(out[..len].iter().all(|byte| *byte == 0), "{len}");
                    assert!(out[len..].iter().all(|byte| *byte == 0xee), "{len}");

                    let mut buf = [&payload[..], &[0xee; CANARY]].concat();
                    let end = opener.clone().open_in_place(head, ad, &mut buf[..len + 16]);
                    assert_eq!(end, Err(Error::Authentication));
                    assert!(buf[..len].iter().all(|byte| *byte == 0), "{len}");
                    assert_eq!(buf[len..len + 16], payload[len..]);
                    assert!(buf[len + 16..].iter().all(|byte| *byte == 0xee), "{len}");
                }
            }
            let mut out = vec![0; len];
            opener
                .clone()
                .open_to(head, b"ad", payload, &mut out)
                .unwrap();
            assert!(out == plaintext);
        }
    }
}

#[test]
fn the_final_frame_has_an_empty_ad_whatever_ad_is_passed() {
    let frame = last(0);
    for ad in [&b""[..], b"ad", &pat(1000)] {
        let (mut to, mut in_place) = (opener(), opener());
        let head = head(&mut to, &frame);
        assert_eq!((head.tag(), head.plaintext_len()), (FrameTag::Final, 0));
        to.open_to(head, ad, &frame[FRAME_HEADER_LEN..], &mut [])
            .unwrap();
        let mut payload = frame[FRAME_HEADER_LEN..].to_vec();
        in_place.open_in_place(head, ad, &mut payload).unwrap();
        assert_eq!((to.end(), in_place.end()), (Ok(()), Ok(())));
    }
}
