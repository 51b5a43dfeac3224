//! What is true of the types: engines, threads, what `Debug` shows, what errors become.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use ss55_aead::{InOutBuf, SodiumEngine, Tag};
use ss55_stream::{
    Decryptor, DecryptorBuilder, Encryptor, EncryptorBuilder, Engine, Error, Formats,
    PortableEngine, SimdEngine, libsodium,
};
use ss55_wire::{Error as Wire, v2::Header};
use std::{
    error::Error as _,
    fmt::Debug,
    io::{self, BufRead, ErrorKind, Read, Write},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};
use support::{
    frames,
    inputs::{KEY, NONCE, key, pat},
    streams::Format,
};

/// An engine from elsewhere: the four required methods and nothing else.
#[derive(Default)]
struct Foreign {
    bytes: AtomicU64,
}

impl Engine for Foreign {
    fn name(&self) -> &'static str {
        "foreign"
    }
    fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
        PortableEngine.hchacha20(key, input)
    }
    fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>) {
        self.bytes.fetch_add(buf.len() as u64, Relaxed);
        PortableEngine.xor(key, nonce, counter, buf);
    }
    fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
        PortableEngine.mac(key, parts)
    }
}

/// Every stream on `engine`: the oracle's bytes, and the plaintext from them.
fn every_stream(engine: impl Engine + Copy) {
    let plaintext = pat(70_000);

    let v2 = Format::V2.stream(&plaintext, 65536);
    let builder = Encryptor::builder().header(Header::new(NONCE));
    let mut encryptor = builder.engine(engine).build(Vec::new(), &key());
    encryptor.write_all(&plaintext).unwrap();
    assert!(encryptor.finish().unwrap() == v2);

    let layout = Format::Libsodium.stream(&plaintext, 8192);
    let builder = libsodium::Encryptor::builder().header(NONCE);
    let mut encryptor = builder.engine(engine).build(Vec::new(), &key());
    encryptor.write_all(&plaintext).unwrap();
    assert!(encryptor.finish().unwrap() == layout);

    let mut read = Vec::new();
    for stream in [v2, Format::V1.stream(&plaintext, 65536)] {
        let builder = Decryptor::builder().engine(engine);
        let mut decryptor = builder.build(&stream[..], &key());
        read.clear();
        decryptor.read_to_end(&mut read).unwrap();
        assert!(read == plaintext);
    }
    let builder = libsodium::Decryptor::builder().engine(engine);
    let mut decryptor = builder.build(&layout[..], &key());
    read.clear();
    decryptor.read_to_end(&mut read).unwrap();
    assert!(read == plaintext);
}

#[test]
fn engines_are_the_callers_choice() {
    every_stream(PortableEngine);
    every_stream(SimdEngine::new());
    every_stream(SodiumEngine::new());
    let foreign = Foreign::default();
    every_stream(&foreign);
    // Five streams of 70,000 bytes, and it did all of the work.
    assert!(foreign.bytes.load(Relaxed) >= 5 * 70_000);
    let dynamic: &dyn Engine = &foreign;
    every_stream(dynamic);
}

/// A builder keeps all of its settings when it is given an engine.
#[test]
fn settings_survive_a_change_of_engine() {
    let stream = frames::v2_stream(&[(b"data", b"bound")]);
    let builder = Encryptor::builder()
        .header(Header::new(NONCE))
        .ad(*b"bound");
    let mut encryptor = builder.engine(PortableEngine).build(Vec::new(), &key());
    encryptor.write_all(b"data").unwrap();
    assert_eq!(encryptor.finish().unwrap(), stream);

    let builder = Decryptor::builder().formats(Formats::V1).ad(*b"bound");
    let mut decryptor = builder.engine(PortableEngine).build(&stream[..], &key());
    decryptor.read(&mut [0; 1]).unwrap_err();
    let builder = Decryptor::builder().ad(*b"bound").formats(Formats::V2);
    let mut decryptor = builder.engine(PortableEngine).build(&stream[..], &key());
    assert_eq!(decryptor.fill_buf().unwrap(), b"data");

    let stream = Format::Libsodium.stream(b"data", 3);
    let builder = libsodium::Encryptor::builder().header(NONCE).chunk_size(3);
    let mut encryptor = builder.engine(PortableEngine).build(Vec::new(), &key());
    encryptor.write_all(b"data").unwrap();
    assert_eq!(encryptor.finish().unwrap(), stream);
    let builder = libsodium::Decryptor::builder().chunk_size(3);
    let mut decryptor = builder.engine(PortableEngine).build(&stream[..], &key());
    assert_eq!(decryptor.fill_buf().unwrap(), b"dat");
}

/// Not before the end, and not after it either.
#[test]
fn debug_shows_neither_key_nor_plaintext() {
    fn shown(value: &impl Debug) {
        let text = format!("{value:?} {value:#?}").replace(char::is_whitespace, "");
        let secrets = [&KEY[..4], b"plain"];
        for secret in secrets {
            let list = format!("{secret:?}").replace(char::is_whitespace, "");
            let list = list.trim_matches(['[', ']']);
            assert!(!text.contains(list), "{text}");
            assert!(!text.contains(&hex::encode(secret)), "{text}");
        }
        assert!(!text.contains("plain"), "{text}");
    }
    shown(&key());
    let v2 = frames::v2_stream(&[(b"plaintext", b"")]);
    let layout = Format::Libsodium.stream(b"plaintext", 8192);

    shown(&Encryptor::builder());
    let mut encryptor = Encryptor::new(Vec::new(), &key());
    encryptor.write_all(b"plaintext").unwrap();
    shown(&encryptor);
    encryptor.close().unwrap();
    shown(&encryptor);
    let mut encryptor = libsodium::Encryptor::new(Vec::new(), &key());
    encryptor.write_all(b"plaintext").unwrap();
    shown(&encryptor);

    shown(&Decryptor::builder());
    let mut decryptor = Decryptor::new(&v2[..], &key());
    shown(&decryptor);
    assert_eq!(decryptor.fill_buf().unwrap(), b"plaintext");
    shown(&decryptor);
    let mut decryptor = libsodium::Decryptor::new(&layout[..], &key());
    shown(&decryptor);
    assert_eq!(decryptor.fill_buf().unwrap(), b"plaintext");
    shown(&decryptor);
}

#[test]
fn types_may_cross_threads() {
    fn send_and_sync<T: Send + Sync + Unpin + 'static>() {}
    send_and_sync::<Encryptor<Vec<u8>>>();
    send_and_sync::<Encryptor<Vec<u8>, PortableEngine>>();
    send_and_sync::<Encryptor<Vec<u8>, SodiumEngine>>();
    send_and_sync::<EncryptorBuilder>();
    send_and_sync::<Decryptor<io::Empty>>();
    send_and_sync::<DecryptorBuilder>();
    send_and_sync::<libsodium::Encryptor<Vec<u8>>>();
    send_and_sync::<libsodium::EncryptorBuilder>();
    send_and_sync::<libsodium::Decryptor<io::Empty>>();
    send_and_sync::<libsodium::DecryptorBuilder>();
    send_and_sync::<Error>();
}

/// Truncated: `UnexpectedEof`. Not authentic, or malformed: `InvalidData`. The caller's fault:
/// `InvalidInput`.
#[test]
fn errors_become_io_errors() {
    let table = [
        (Wire::Truncated, ErrorKind::UnexpectedEof),
        (Wire::Authentication, ErrorKind::InvalidData),
        (Wire::TrailingData, ErrorKind::InvalidData),
        (Wire::BadMagic, ErrorKind::InvalidData),
        (Wire::UnsupportedVersion(3), ErrorKind::InvalidData),
        (Wire::UnsupportedFlags(1), ErrorKind::InvalidData),
        (Wire::BadLength(0), ErrorKind::InvalidData),
        (Wire::UnknownTag(1), ErrorKind::InvalidData),
        (Wire::SequenceOverflow, ErrorKind::InvalidInput),
        (Wire::AdTooLong, ErrorKind::InvalidInput),
        (Wire::MessageTooLong, ErrorKind::InvalidInput),
        (Wire::BufferSize, ErrorKind::InvalidInput),
        (Wire::Finished, ErrorKind::InvalidInput),
    ];
    for (wire, kind) in table {
        let error = Error::from(wire);
        assert_eq!(error.to_string(), wire.to_string());
        let error = io::Error::from(error);
        assert_eq!(error.kind(), kind, "{wire:?}");
        assert_eq!(error.to_string(), wire.to_string());
        let inner: &Error = error.get_ref().unwrap().downcast_ref().unwrap();
        assert!(matches!(inner, Error::Wire(inner) if *inner == wire));
    }
    let error = io::Error::from(Error::Unfinished);
    assert_eq!(error.kind(), ErrorKind::InvalidInput);

    // An inner error is not wrapped: neither its kind nor what it holds is lost.
    let error = Error::from(io::Error::new(ErrorKind::AddrInUse, Wire::Truncated));
    assert_eq!(error.to_string(), "the stream is truncated");
    let error = io::Error::from(error);
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    assert!(error.get_ref().unwrap().is::<Wire>());
    let error = io::Error::from(Error::from(io::Error::from_raw_os_error(28)));
    assert_eq!(error.raw_os_error(), Some(28));
    assert!(error.source().is_none());
}
