//! Headers and frames of v2: whatever the bytes say, the codec says the same, and asks for no more than it
//! needs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_aead::PortableEngine;
use ss55_fuzz::streams::key;
use ss55_wire::{
    Error,
    v2::{FRAME_HEADER_LEN, FrameHeader, FrameTag, Header, MAGIC, MAX_PLAINTEXT, Opener},
};

fuzz_target!(|bytes: &[u8]| {
    let header = bytes
        .first_chunk()
        .map(|bytes| (bytes, Header::parse(bytes)));
    let (header, frames) = match header {
        Some((start, Ok(header))) => {
            assert_eq!(&header.to_bytes(), start);
            (header, &bytes[start.len()..])
        }
        Some((start, Err(error))) => {
            let expected = match (&start[..8] == MAGIC.as_slice(), &start[8..12]) {
                (false, _) => Error::BadMagic,
                (true, [0, 2, a, b]) => Error::UnsupportedFlags(u16::from_be_bytes([*a, *b])),
                (true, version) => {
                    Error::UnsupportedVersion(u16::from_be_bytes([version[0], version[1]]))
                }
            };
            assert_eq!(error, expected);
            (Header::new([0; 24]), bytes)
        }
        None => (Header::new([0; 24]), bytes),
    };

    // From frame to frame, as somebody without the key can.
    let mut rest = frames;
    while let Some(head) = check_head(rest) {
        rest = rest
            .get(FRAME_HEADER_LEN + head.payload_len()..)
            .unwrap_or_default();
    }
    check_opener(&header, frames);
});

/// Reads a head at every length of `input` and compares with the format's words.
fn check_head(input: &[u8]) -> Option<FrameHeader> {
    for len in 0..4.min(input.len()) {
        assert_eq!(FrameHeader::parse(&input[..len]), Ok(None));
    }
    let length = u32::from_be_bytes(*input.first_chunk()?);
    let n = length.wrapping_sub(17);
    let expected = match input.get(4) {
        _ if length < 17 || n > 65536 => Err(Error::BadLength(length)),
        None => Ok(None),
        Some(0) => Ok(Some((FrameTag::Message, n as usize))),
        Some(3) if n == 0 => Ok(Some((FrameTag::Final, 0))),
        Some(3) => Err(Error::BadLength(length)),
        Some(tag) => Err(Error::UnknownTag(*tag)),
    };
    let parsed = FrameHeader::parse(input);
    let seen = parsed.map(|head| head.map(|head| (head.tag(), head.plaintext_len())));
    assert_eq!(seen, expected);
    let head = parsed.ok()??;
    assert_eq!(FrameHeader::parse(&input[..5]), Ok(Some(head)));
    assert!(head.plaintext_len() <= MAX_PLAINTEXT);
    assert_eq!(head.payload_len(), head.plaintext_len() + 16);
    Some(head)
}

/// What nobody sealed does not open, and the first error stays.
fn check_opener(header: &Header, input: &[u8]) {
    let mut opener = Opener::new(PortableEngine, &key(), header);
    let head = match opener.frame_header(input) {
        Ok(Some(head)) => head,
        Ok(None) => {
            assert_eq!(opener.end(), Err(Error::Truncated));
            return;
        }
        Err(error) => {
            assert_eq!(opener.end(), Err(error));
            assert_eq!(opener.frame_header(&[]), Err(error));
            return;
        }
    };
    let payload = &input[FRAME_HEADER_LEN..];
    let payload = &payload[..payload.len().min(head.payload_len())];
    let mut plaintext = vec![0xa5; head.plaintext_len()];
    match opener.open_to(head, b"", payload, &mut plaintext) {
        // The vectors, which the corpus begins with, are authentic.
        Ok(()) => assert_eq!(opener.frames(), 1),
        Err(Error::BufferSize) => {
            assert!(payload.len() < head.payload_len());
            assert!(plaintext.iter().all(|byte| *byte == 0xa5));
        }
        Err(error) => {
            assert_eq!(error, Error::Authentication);
            assert!(plaintext.iter().all(|byte| *byte == 0));
            assert_eq!(opener.end(), Err(error));
        }
    }
}
