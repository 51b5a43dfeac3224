//! The vectors of `testdata/`, both ways, on every engine.

#[path = "support/inputs.rs"]
mod inputs;
#[path = "support/read.rs"]
mod read;

use inputs::{engines, pat};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use ss55_aead::Key;
use ss55_wire::{
    secretstream::{HEADER_LEN, OVERHEAD, PullState, PushState, Tag, layout},
    v1, v2,
};

#[derive(Deserialize)]
struct File<V> {
    source: String,
    vectors: Vec<V>,
}

/// A stream of v1 or v2.
#[derive(Deserialize)]
struct Stream {
    name: String,
    key: String,
    nonce: String,
    frames: Vec<Frame>,
    length: usize,
    sha256: String,
    /// The whole stream, where it is short.
    wire: Option<String>,
}

#[derive(Deserialize)]
struct Frame {
    len: usize,
    ad: String,
    /// Hexadecimal, or `pat`.
    plaintext: String,
}

#[derive(Deserialize)]
struct Secretstream {
    name: String,
    key: String,
    header: String,
    pushes: Vec<Push>,
}

#[derive(Deserialize)]
struct Push {
    message: String,
    tag: u8,
    ad: String,
    chunk: String,
}

#[derive(Deserialize)]
struct Layout {
    key: String,
    header: String,
    plaintext_len: usize,
    length: usize,
    sha256: String,
}

/// Reads a file, which must have as many vectors as it had when these tests were written: a test over
/// no vectors passes.
fn vectors<V: for<'de> Deserialize<'de>>(json: &str, count: usize) -> Vec<V> {
    let file: File<V> = serde_json::from_str(json).unwrap();
    assert!(file.vectors.len() >= count, "{}", file.source);
    file.vectors
}

fn bytes<const N: usize>(hex: &str) -> [u8; N] {
    hex::decode(hex).unwrap().try_into().unwrap()
}

fn key(hex: &str) -> Key {
    Key::from_bytes(bytes(hex))
}

impl Frame {
    fn plaintext(&self) -> Vec<u8> {
        let plaintext = match &*self.plaintext {
            "pat" => pat(self.len),
            hex => hex::decode(hex).unwrap(),
        };
        assert_eq!(plaintext.len(), self.len);
        plaintext
    }

    fn ad(&self) -> Vec<u8> {
        hex::decode(&self.ad).unwrap()
    }
}

impl Stream {
    fn assert_is(&self, stream: &[u8]) {
        assert_eq!(stream.len(), self.length, "{}", self.name);
        assert_eq!(
            hex::encode(Sha256::digest(stream)),
            self.sha256,
            "{}",
            self.name
        );
        if let Some(wire) = &self.wire {
            assert_eq!(&hex::encode(stream), wire, "{}", self.name);
        }
    }

    fn assert_reads(&self, outcome: &read::Outcome) {
        let plaintexts: Vec<_> = self.frames.iter().map(Frame::plaintext).collect();
        assert!(outcome.0 == plaintexts, "{}", self.name);
        assert_eq!(outcome.1, Ok(()), "{}", self.name);
    }
}

#[test]
fn v2_streams() {
    for vector in vectors::<Stream>(include_str!("../../../testdata/v2.json"), 6) {
        let key = key(&vector.key);
        let header = v2::Header::new(bytes(&vector.nonce));
        for engine in &engines() {
            let mut sealer = v2::Sealer::new(&**engine, &key, &header);
            let mut in_place = v2::Sealer::new(&**engine, &key, &header);
            let mut stream = header.to_bytes().to_vec();
            for frame in &vector.frames {
                let (plaintext, ad) = (frame.plaintext(), frame.ad());
                let mut sealed = vec![0; plaintext.len() + v2::FRAME_OVERHEAD];
                sealer.seal_to(&ad, &plaintext, &mut sealed).unwrap();

                let mut ciphertext = plaintext;
                let parts = in_place.seal_in_place(&ad, &mut ciphertext).unwrap();
                assert!(sealed == [&parts.header[..], &ciphertext, &parts.mac].concat());
                stream.extend(sealed);
            }
            stream.extend(sealer.finish().unwrap());
            vector.assert_is(&stream);

            // The final frame is asked for with an ad that it never had.
            let ads = |i| vector.frames.get(i).map_or(vec![0xad; 3], Frame::ad);
            let outcome = read::v2(&**engine, &key, &stream, ads);
            vector.assert_reads(&outcome);
        }
    }
}

#[test]
fn v1_streams() {
    for vector in vectors::<Stream>(include_str!("../../../testdata/v1.json"), 6) {
        let key = key(&vector.key);
        let header = bytes(&vector.nonce);
        for engine in &engines() {
            let mut sealer = v1::Sealer::new(&**engine, &key, &header);
            let mut stream = header.to_vec();
            for frame in &vector.frames {
                let mut sealed = vec![0; frame.len + v1::FRAME_OVERHEAD];
                sealer
                    .seal_to(&frame.ad(), &frame.plaintext(), &mut sealed)
                    .unwrap();
                stream.extend(sealed);
            }
            vector.assert_is(&stream);

            let outcome = read::v1(&**engine, &key, &stream, |i| vector.frames[i].ad());
            vector.assert_reads(&outcome);
        }
    }
}

#[test]
fn secretstream_pushes() {
    let mut wraps = 0;
    for vector in vectors::<Secretstream>(include_str!("../../../testdata/secretstream.json"), 3) {
        let (key, header) = (key(&vector.key), bytes(&vector.header));
        for engine in &engines() {
            let mut push = PushState::new(&**engine, &key, &header);
            let mut pull = PullState::new(&**engine, &key, &header);
            if vector.name.contains("counter forced to ffffffff") {
                push.set_counter(u32::MAX);
                pull.set_counter(u32::MAX);
                wraps += 1;
            }
            for step in &vector.pushes {
                let (message, ad) = (
                    hex::decode(&step.message).unwrap(),
                    hex::decode(&step.ad).unwrap(),
                );
                let mut chunk = vec![0; message.len() + OVERHEAD];
                push.push_to(Tag(step.tag), &ad, &message, &mut chunk)
                    .unwrap();
                assert_eq!(hex::encode(&chunk), step.chunk, "{}", vector.name);

                let mut opened = vec![0; message.len()];
                let tag = pull.pull_to(&ad, &chunk, &mut opened).unwrap();
                assert_eq!((tag, opened), (Tag(step.tag), message), "{}", vector.name);
            }
        }
    }
    assert_eq!(wraps, engines().len());
}

#[test]
fn walg_layout() {
    for vector in vectors::<Layout>(include_str!("../../../testdata/walg_layout.json"), 8) {
        let key = key(&vector.key);
        let header: [u8; HEADER_LEN] = bytes(&vector.header);
        let plaintext = pat(vector.plaintext_len);
        for engine in &engines() {
            let mut sealer = layout::Sealer::new(&**engine, &key, &header, 8192);
            let mut sealer_to = layout::Sealer::new(&**engine, &key, &header, 8192);
            let mut stream = header.to_vec();
            let (full, rest) = plaintext.as_chunks::<8192>();
            for chunk in full {
                let mut sealed = [0; 8192 + OVERHEAD];
                sealed[1..=8192].copy_from_slice(chunk);
                let mut copy = [0; 8192 + OVERHEAD];
                sealer_to.seal_to(chunk, &mut copy).unwrap();
                sealer.seal_in_place(&mut sealed).unwrap();
                assert!(sealed == copy);
                stream.extend(sealed);
            }
            let mut last = [&[0], rest, &[0; 16]].concat();
            sealer.finish_in_place(&mut last).unwrap();
            stream.extend(last);
            assert_eq!(stream.len(), vector.length);
            assert_eq!(hex::encode(Sha256::digest(&stream)), vector.sha256);

            let (opened, end) = read::layout(&**engine, &key, &stream, 8192);
            assert!(opened.concat() == plaintext);
            assert_eq!(end, Ok(()));
        }
    }
}
