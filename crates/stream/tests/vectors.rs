//! The streams against testdata/, and against libsodium and the specification over libsodium's AEAD,
//! in both directions.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use serde::{Deserialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use ss55_stream::{Decryptor, Encryptor, Format as Found, Key, libsodium};
use ss55_wire::{v1, v2};
use std::{fs, io::Read, io::Write, path::Path};
use support::{
    frames,
    inputs::{KEY, NONCE, SIZES, pat},
    io::{Source, by},
    sodium::Secretstream,
    streams::{Format, read_all},
};

#[derive(Deserialize)]
struct File<V> {
    vectors: Vec<V>,
}

#[derive(Deserialize)]
struct Stream {
    name: String,
    key: String,
    nonce: String,
    frames: Vec<Frame>,
    length: usize,
    sha256: String,
    wire: Option<String>,
}

#[derive(Deserialize)]
struct Frame {
    len: usize,
    ad: String,
    plaintext: String,
}

#[derive(Deserialize)]
struct Layout {
    key: String,
    header: String,
    plaintext_len: usize,
    length: usize,
    sha256: String,
}

fn vectors<V: DeserializeOwned>(file: &str) -> Vec<V> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let file: File<V> = serde_json::from_str(&text).unwrap();
    assert!(!file.vectors.is_empty());
    file.vectors
}

fn array<const N: usize>(text: &str) -> [u8; N] {
    hex::decode(text).unwrap().try_into().unwrap()
}

impl Stream {
    fn key(&self) -> Key {
        Key::from_bytes(array(&self.key))
    }

    fn messages(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let messages = self.frames.iter().map(|frame| {
            let plaintext = match frame.plaintext.as_str() {
                "pat" => pat(frame.len),
                text => hex::decode(text).unwrap(),
            };
            assert_eq!(plaintext.len(), frame.len);
            (plaintext, hex::decode(&frame.ad).unwrap())
        });
        messages.collect()
    }

    fn check(&self, stream: &[u8]) {
        if let Some(wire) = &self.wire {
            assert_eq!(hex::encode(stream), *wire, "{}", self.name);
        }
        check(stream, self.length, &self.sha256);
    }

    /// Reads frame by frame, then as one, with the one ad where there is one.
    fn read(&self, stream: &[u8], format: Found) {
        let messages = self.messages();
        let mut decryptor = Decryptor::new(stream, &self.key());
        let mut frame = b"old".to_vec();
        for (plaintext, ad) in &messages {
            assert!(decryptor.read_frame(&mut frame, ad).unwrap());
            assert_eq!(frame, *plaintext, "{}", self.name);
        }
        assert!(!decryptor.read_frame(&mut frame, b"any").unwrap());
        assert!(frame.is_empty());
        assert_eq!(decryptor.format(), Some(format));
        assert_eq!(decryptor.end_is_authenticated(), format == Found::V2);
        assert_eq!(decryptor.frame_offset(), stream.len() as u64);

        if let Some(ad) = self.only_ad() {
            let builder = Decryptor::builder().ad(ad);
            let (plaintext, end) = read_all(&mut builder.build(stream, &self.key()));
            end.unwrap();
            let expected: Vec<u8> = messages.into_iter().flat_map(|(p, _)| p).collect();
            assert_eq!(plaintext, expected, "{}", self.name);
        }
    }

    /// The ad of all messages, if it is one.
    fn only_ad(&self) -> Option<Vec<u8>> {
        let mut ads = self.messages().into_iter().map(|(_, ad)| ad);
        let first = ads.next().unwrap_or_default();
        ads.all(|ad| ad == first).then_some(first)
    }
}

fn check(stream: &[u8], length: usize, sha256: &str) {
    assert_eq!(stream.len(), length);
    assert_eq!(hex::encode(Sha256::digest(stream)), sha256);
}

#[test]
fn v2() {
    for vector in vectors::<Stream>("v2.json") {
        let builder = Encryptor::builder().header(v2::Header::new(array(&vector.nonce)));

        let mut encryptor = builder.clone().build(Vec::new(), &vector.key());
        for (plaintext, ad) in vector.messages() {
            encryptor.write_frame(&plaintext, &ad).unwrap();
        }
        let stream = encryptor.finish().unwrap();
        vector.check(&stream);
        vector.read(&stream, Found::V2);

        // The vectors with one ad break no frame, so plain writes give the same.
        if let Some(ad) = vector.only_ad() {
            let mut encryptor = builder.ad(ad).build(Vec::new(), &vector.key());
            for (plaintext, _) in vector.messages() {
                encryptor.write_all(&plaintext).unwrap();
            }
            vector.check(&encryptor.finish().unwrap());
        }
    }
}

#[test]
fn v1() {
    for vector in vectors::<Stream>("v1.json") {
        let nonce = array(&vector.nonce);
        let mut sealer = v1::Sealer::new(ss55_stream::SimdEngine::new(), &vector.key(), &nonce);
        let mut stream = nonce.to_vec();
        for (plaintext, ad) in vector.messages() {
            let start = stream.len();
            stream.resize(start + plaintext.len() + v1::FRAME_OVERHEAD, 0);
            sealer
                .seal_to(&ad, &plaintext, &mut stream[start..])
                .unwrap();
        }
        vector.check(&stream);
        vector.read(&stream, Found::V1);
    }
}

#[test]
fn walg_layout() {
    for vector in vectors::<Layout>("walg_layout.json") {
        let key = Key::from_bytes(array(&vector.key));
        let plaintext = pat(vector.plaintext_len);
        let builder = libsodium::Encryptor::builder().header(array(&vector.header));
        let mut encryptor = builder.build(Vec::new(), &key);
        encryptor.write_all(&plaintext).unwrap();
        let stream = encryptor.finish().unwrap();
        check(&stream, vector.length, &vector.sha256);

        let mut decryptor = libsodium::Decryptor::new(&stream[..], &key);
        let (read, end) = read_all(&mut decryptor);
        end.unwrap();
        assert_eq!(read, plaintext);
        assert!(decryptor.end_is_authenticated());
    }
}

/// Written in these pieces, the bytes are the oracle's.
#[test]
fn writers_give_the_oracles_bytes() {
    let pieces = [1021, 8191, 8192, 8193, 65535, 65536, 65537, 200_000];
    for format in Format::WRITTEN {
        for size in SIZES {
            let plaintext = pat(size);
            let expected = format.stream(&plaintext, format.unit());
            for piece in pieces {
                let mut stream = Vec::new();
                let mut writer = format.writer(&mut stream, format.unit());
                for piece in plaintext.chunks(piece) {
                    writer.write_all(piece).unwrap();
                }
                writer.close().unwrap();
                drop(writer);
                assert!(stream == expected, "{format:?} {size} by {piece}");
            }
        }
    }
}

/// Whatever the pieces that the source gives and the caller asks for.
#[test]
fn readers_give_the_plaintext_of_the_oracles_stream() {
    let sources: [&[usize]; 6] = [
        &[1],
        &[1, 2, 3, 4, 5],
        &[8191],
        &[8210],
        &[65557],
        &[1 << 20],
    ];
    for format in Format::ALL {
        for size in SIZES {
            let plaintext = pat(size);
            let stream = format.stream(&plaintext, format.unit());
            for source in sources {
                let mut reader = format.reader(Source::new(&stream, by(source)), format.unit());
                let (read, end) = read_all(&mut *reader);
                end.unwrap();
                assert!(read == plaintext, "{format:?} {size} from {source:?}");
                assert_eq!(reader.end_is_authenticated(), format != Format::V1);
                assert_eq!(reader.frame_offset(), stream.len() as u64);
            }
            for ask in [1021, 8191, 8192, 8193, 65535, 65536, 65537] {
                let mut reader = format.reader(&stream[..], format.unit());
                let mut read = Vec::new();
                let mut out = vec![0; ask];
                loop {
                    match reader.read(&mut out).unwrap() {
                        0 => break,
                        n => read.extend_from_slice(&out[..n]),
                    }
                }
                assert!(read == plaintext, "{format:?} {size} in {ask}");
            }
        }
    }
}

/// libsodium's own pull takes the chunks, the last of them as FINAL.
#[test]
fn libsodium_opens_what_is_written() {
    for size in SIZES {
        let plaintext = pat(size);
        let mut encryptor = libsodium::Encryptor::new(Vec::new(), &KEY.into());
        encryptor.write_all(&plaintext).unwrap();
        let stream = encryptor.finish().unwrap();
        assert_eq!(stream.len(), 24 + size / 8192 * 8209 + size % 8192 + 17);

        let (header, chunks) = stream.split_first_chunk().unwrap();
        let mut pull = Secretstream::new(&KEY, header);
        let mut read = Vec::new();
        let mut chunks = chunks.chunks(8192 + 17).peekable();
        while let Some(chunk) = chunks.next() {
            let (tag, message) = pull.pull(chunk).expect("libsodium takes the chunk");
            assert_eq!(tag, if chunks.peek().is_some() { 0 } else { 3 });
            read.extend(message);
        }
        assert!(read == plaintext, "{size}");
    }
}

/// A multiple of the chunk may end with a full FINAL chunk; other tags on full chunks keep their
/// meaning.
#[test]
fn libsodiums_other_shapes_are_read() {
    let chunk = pat(8192);
    let streams = [
        frames::layout_of(&[(3, &chunk)]),
        frames::layout_of(&[(0, &chunk), (3, &chunk)]),
        frames::layout_of(&[(1, &chunk), (2, &chunk), (0, &chunk), (3, b"end")]),
    ];
    let plaintexts = [
        chunk.clone(),
        chunk.repeat(2),
        [chunk.repeat(3), b"end".to_vec()].concat(),
    ];
    for (stream, plaintext) in streams.iter().zip(plaintexts) {
        for source in [&[1][..], &[8209], &[8210], &[1 << 20]] {
            let mut reader = Format::Libsodium.reader(Source::new(stream, by(source)), 8192);
            let (read, end) = read_all(&mut *reader);
            end.unwrap();
            assert!(read == plaintext);
            assert!(reader.end_is_authenticated());
        }
    }
}

/// The chunk size is the caller's, down to one byte, where the header is larger than a chunk.
#[test]
fn chunks_of_every_small_size() {
    for chunk_size in (1..=48).chain([1000, 8191, 8193, 100_000]) {
        for size in [0, 1, 23, 24, 25, 47, 48, 49, 1000] {
            let plaintext = pat(size);
            let expected = Format::Libsodium.stream(&plaintext, chunk_size);
            let mut stream = Vec::new();
            let mut writer = Format::Libsodium.writer(&mut stream, chunk_size);
            writer.write_all(&plaintext).unwrap();
            writer.close().unwrap();
            drop(writer);
            assert_eq!(stream, expected, "{size} in chunks of {chunk_size}");

            let mut reader = Format::Libsodium.reader(&stream[..], chunk_size);
            let (read, end) = read_all(&mut *reader);
            end.unwrap();
            assert_eq!(read, plaintext, "{size} in chunks of {chunk_size}");
        }
    }
}

/// Fresh headers: well formed, and never twice the same.
#[test]
fn headers_are_random() {
    let v2 = || Encryptor::new(Vec::new(), &KEY.into()).finish().unwrap();
    let (a, b) = (v2(), v2());
    assert_eq!(a[..12], frames::v2_header(&NONCE)[..12]);
    for at in (12..36).step_by(4) {
        assert_ne!(a[at..at + 4], b[at..at + 4], "bytes {at}..");
    }
    let layout = || {
        libsodium::Encryptor::new(Vec::new(), &KEY.into())
            .finish()
            .unwrap()
    };
    let (a, b) = (layout(), layout());
    for at in (0..24).step_by(4) {
        assert_ne!(a[at..at + 4], b[at..at + 4], "bytes {at}..");
    }
    let mut read = Vec::new();
    libsodium::Decryptor::new(&a[..], &KEY.into())
        .read_to_end(&mut read)
        .unwrap();
}
