//! The three formats behind one face, so that a test can be about all of them.
#![allow(dead_code)] // each test file takes what it needs

use super::{
    frames,
    inputs::{NONCE, key},
};
use ss55_stream::{Decryptor, Encryptor, Engine, Error, Formats, libsodium};
use ss55_wire::{Error as Wire, v2};
use std::io::{self, BufRead, Read, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    V2,
    V1,
    Libsodium,
}

/// What the readers have in common.
pub trait Reader: BufRead {
    fn end_is_authenticated(&self) -> bool;
    fn frame_offset(&self) -> u64;
}

impl<R: Read, E: Engine> Reader for Decryptor<R, E> {
    fn end_is_authenticated(&self) -> bool {
        self.end_is_authenticated()
    }
    fn frame_offset(&self) -> u64 {
        self.frame_offset()
    }
}

impl<R: Read, E: Engine> Reader for libsodium::Decryptor<R, E> {
    fn end_is_authenticated(&self) -> bool {
        self.end_is_authenticated()
    }
    fn frame_offset(&self) -> u64 {
        self.frame_offset()
    }
}

/// What the writers have in common.
pub trait Writer: Write {
    fn close(&mut self) -> Result<(), Error>;
}

impl<W: Write, E: Engine> Writer for Encryptor<W, E> {
    fn close(&mut self) -> Result<(), Error> {
        self.close()
    }
}

impl<W: Write, E: Engine> Writer for libsodium::Encryptor<W, E> {
    fn close(&mut self) -> Result<(), Error> {
        self.close()
    }
}

impl Format {
    pub const ALL: [Format; 3] = [Format::V2, Format::V1, Format::Libsodium];
    pub const WRITTEN: [Format; 2] = [Format::V2, Format::Libsodium];

    /// Plaintext bytes of a full frame, as the writers make them.
    pub fn unit(self) -> usize {
        match self {
            Format::V2 | Format::V1 => 65536,
            Format::Libsodium => 8192,
        }
    }

    /// Bytes of a frame in front of and behind its plaintext.
    pub fn overhead(self) -> usize {
        match self {
            Format::V2 => 21,
            Format::V1 => 20,
            Format::Libsodium => 17,
        }
    }

    /// The stream of `plaintext` in frames of `unit` bytes, by the oracle: header, frames, and the
    /// final one where there is one.
    pub fn pieces(self, plaintext: &[u8], unit: usize) -> Vec<Vec<u8>> {
        let messages: Vec<frames::Message<'_>> =
            plaintext.chunks(unit).map(|c| (c, &b""[..])).collect();
        match self {
            Format::V2 => frames::v2_pieces(&messages),
            Format::V1 => frames::v1_pieces(&messages),
            Format::Libsodium => frames::layout_pieces(plaintext, unit),
        }
    }

    pub fn stream(self, plaintext: &[u8], unit: usize) -> Vec<u8> {
        self.pieces(plaintext, unit).concat()
    }

    /// The code under test, as a reader that accepts this format.
    pub fn reader<'a>(self, inner: impl Read + 'a, unit: usize) -> Box<dyn Reader + 'a> {
        let formats = match self {
            Format::V2 => Formats::V2,
            Format::V1 => Formats::V1,
            Format::Libsodium => {
                let builder = libsodium::Decryptor::builder().chunk_size(unit);
                return Box::new(builder.build(inner, &key()));
            }
        };
        Box::new(Decryptor::builder().formats(formats).build(inner, &key()))
    }

    /// The code under test, as a writer with a fixed header. Only the chunks of the libsodium layout
    /// have a size to choose.
    pub fn writer<'a>(self, inner: impl Write + 'a, unit: usize) -> Box<dyn Writer + 'a> {
        match self {
            Format::V2 => {
                let builder = Encryptor::builder().header(v2::Header::new(NONCE));
                Box::new(builder.build(inner, &key()))
            }
            Format::V1 => unreachable!("v1 is only read"),
            Format::Libsodium => {
                let builder = libsodium::Encryptor::builder().header(NONCE);
                Box::new(builder.chunk_size(unit).build(inner, &key()))
            }
        }
    }
}

/// What the stream says is wrong with it.
pub fn wire(error: &io::Error) -> Option<Wire> {
    match error.get_ref()?.downcast_ref()? {
        Error::Wire(error) => Some(*error),
        _ => None,
    }
}

/// Reads to the end: what came out, and how it ended.
pub fn read_all(reader: &mut dyn Reader) -> (Vec<u8>, io::Result<()>) {
    let mut plaintext = Vec::new();
    let end = reader.read_to_end(&mut plaintext).map(|_| ());
    (plaintext, end)
}

/// That a reader stays on its error, on each of its ways.
#[track_caller]
pub fn assert_stuck(reader: &mut dyn Reader, kind: io::ErrorKind) {
    let offset = reader.frame_offset();
    for _ in 0..2 {
        let mut out = [0xee; 40];
        assert_eq!(reader.read(&mut out).unwrap_err().kind(), kind);
        assert_eq!(out, [0xee; 40]);
        assert_eq!(reader.fill_buf().unwrap_err().kind(), kind);
        assert_eq!(
            reader.read_to_end(&mut Vec::new()).unwrap_err().kind(),
            kind
        );
    }
    assert_eq!(reader.frame_offset(), offset);
}
