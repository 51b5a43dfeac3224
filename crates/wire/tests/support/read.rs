//! Whole streams through the codecs: what a reader does that has all of the input.
#![allow(dead_code)] // each test file takes what it needs

use ss55_aead::{Engine, Key};
use ss55_wire::{Error, secretstream::layout, v1, v2};

/// The plaintexts that a reader released, and how it ended.
pub type Outcome = (Vec<Vec<u8>>, Result<(), Error>);

/// Reads a v2 stream whose message frame i was sealed with `ads(i)`.
pub fn v2(
    engine: &dyn Engine,
    key: &Key,
    stream: &[u8],
    ads: impl Fn(usize) -> Vec<u8>,
) -> Outcome {
    let mut released = Vec::new();
    let end = v2_frames(engine, key, stream, ads, &mut released);
    (released, end)
}

fn v2_frames(
    engine: &dyn Engine,
    key: &Key,
    stream: &[u8],
    ads: impl Fn(usize) -> Vec<u8>,
    released: &mut Vec<Vec<u8>>,
) -> Result<(), Error> {
    let (header, mut rest) = stream.split_first_chunk().ok_or(Error::Truncated)?;
    let mut opener = v2::Opener::new(engine, key, &v2::Header::parse(header)?);
    loop {
        let Some(frame) = opener.frame_header(rest)? else {
            return opener.end();
        };
        let payload = &rest[v2::FRAME_HEADER_LEN..];
        let Some((payload, next)) = payload.split_at_checked(frame.payload_len()) else {
            return opener.end();
        };
        rest = next;

        // Both ways of opening, one of them by a copy of the opener.
        let ad = ads(released.len());
        let mut copy = payload.to_vec();
        let in_place = opener
            .clone()
            .open_in_place(frame, &ad, &mut copy)
            .map(|p| p.to_vec());
        let mut plaintext = vec![0xee; frame.plaintext_len()];
        let opened = opener.open_to(frame, &ad, payload, &mut plaintext);
        assert_eq!(in_place, opened.map(|()| plaintext.clone()));
        opened?;
        match frame.tag() {
            v2::FrameTag::Message => released.push(plaintext),
            v2::FrameTag::Final => assert!(opener.is_finished()),
        }
    }
}

/// Reads a v1 stream whose frame i was sealed with `ads(i)`. A frame that is not all there is the
/// caller's to notice: v1 has no end that the codec could miss.
pub fn v1(
    engine: &dyn Engine,
    key: &Key,
    stream: &[u8],
    ads: impl Fn(usize) -> Vec<u8>,
) -> Outcome {
    let mut released = Vec::new();
    let end = v1_frames(engine, key, stream, ads, &mut released);
    (released, end)
}

fn v1_frames(
    engine: &dyn Engine,
    key: &Key,
    stream: &[u8],
    ads: impl Fn(usize) -> Vec<u8>,
    released: &mut Vec<Vec<u8>>,
) -> Result<(), Error> {
    let (header, mut rest) = stream.split_first_chunk().ok_or(Error::Truncated)?;
    let mut opener = v1::Opener::new(engine, key, header);
    while !rest.is_empty() {
        let frame = opener.frame_header(rest)?.ok_or(Error::Truncated)?;
        let payload = &rest[v1::LENGTH_LEN..];
        let (payload, next) = payload
            .split_at_checked(frame.payload_len())
            .ok_or(Error::Truncated)?;
        rest = next;

        let ad = ads(released.len());
        let mut copy = payload.to_vec();
        let in_place = opener
            .clone()
            .open_in_place(frame, &ad, &mut copy)
            .map(|p| p.to_vec());
        let mut plaintext = vec![0xee; frame.plaintext_len()];
        let opened = opener.open_to(frame, &ad, payload, &mut plaintext);
        assert_eq!(in_place, opened.map(|()| plaintext.clone()));
        opened?;
        released.push(plaintext);
    }
    opener.end()
}

/// Reads a stream of fixed chunks, of which the last is all that is left.
pub fn layout(engine: &dyn Engine, key: &Key, stream: &[u8], chunk_size: usize) -> Outcome {
    let mut released = Vec::new();
    let Some((header, rest)) = stream.split_first_chunk() else {
        return (released, Err(Error::Truncated));
    };
    let mut opener = layout::Opener::new(engine, key, header, chunk_size);
    for chunk in rest.chunks(opener.full_len()) {
        let mut plaintext = vec![0xee; chunk.len().saturating_sub(17)];
        if let Err(error) = opener.open_to(chunk, &mut plaintext) {
            assert!(plaintext.iter().all(|byte| *byte == 0), "plaintext left");
            return (released, Err(error));
        }
        released.push(plaintext);
    }
    let end = opener.end();
    (released, end)
}

/// The same ad for every frame.
pub fn ad(bytes: &[u8]) -> impl Fn(usize) -> Vec<u8> {
    move |_| bytes.to_vec()
}
