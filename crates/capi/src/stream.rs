//! The streams of both formats as one type each way.

use crate::error::ss55_error::{self, SS55_ERROR_ARGUMENT};
use ss55_aead::Key;
use ss55_stream::{
    Decryptor, Encryptor, Formats,
    libsodium::{self, MAX_CHUNK},
};
use ss55_wire::secretstream::DEFAULT_CHUNK;
use std::io::{BufRead, Read, Write};

/// A stream on its way out.
pub(crate) enum Writer<W> {
    V2(Encryptor<W>),
    Libsodium(libsodium::Encryptor<W>),
}

impl<W: Write> Writer<W> {
    pub(crate) fn v2(inner: W, key: &Key, ad: &[u8]) -> Self {
        Writer::V2(Encryptor::builder().ad(ad).build(inner, key))
    }

    pub(crate) fn libsodium(inner: W, key: &Key, chunk_size: usize) -> Result<Self, ss55_error> {
        let builder = libsodium::Encryptor::builder().chunk_size(chunk(chunk_size)?);
        Ok(Writer::Libsodium(builder.build(inner, key)))
    }

    pub(crate) fn write(&mut self, data: &[u8]) -> Result<usize, ss55_error> {
        let written = match self {
            Writer::V2(stream) => stream.write(data),
            Writer::Libsodium(stream) => stream.write(data),
        };
        Ok(written?)
    }

    pub(crate) fn flush(&mut self) -> Result<(), ss55_error> {
        let flushed = match self {
            Writer::V2(stream) => stream.flush(),
            Writer::Libsodium(stream) => stream.flush(),
        };
        Ok(flushed?)
    }

    pub(crate) fn close(&mut self) -> Result<(), ss55_error> {
        let closed = match self {
            Writer::V2(stream) => stream.close(),
            Writer::Libsodium(stream) => stream.close(),
        };
        Ok(closed?)
    }

    pub(crate) fn inner_mut(&mut self) -> &mut W {
        match self {
            Writer::V2(stream) => stream.inner_mut(),
            Writer::Libsodium(stream) => stream.inner_mut(),
        }
    }
}

/// A stream on its way in.
pub(crate) enum Reader<R> {
    V2(Decryptor<R>),
    Libsodium(libsodium::Decryptor<R>),
}

impl<R: Read> Reader<R> {
    pub(crate) fn v2(inner: R, key: &Key, ad: &[u8]) -> Self {
        let builder = Decryptor::builder().formats(Formats::V2).ad(ad);
        Reader::V2(builder.build(inner, key))
    }

    pub(crate) fn libsodium(inner: R, key: &Key, chunk_size: usize) -> Result<Self, ss55_error> {
        let builder = libsodium::Decryptor::builder().chunk_size(chunk(chunk_size)?);
        Ok(Reader::Libsodium(builder.build(inner, key)))
    }

    /// 0 for a slice that is not empty is the stream's authenticated end.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> Result<usize, ss55_error> {
        let read = match self {
            Reader::V2(stream) => stream.read(out),
            Reader::Libsodium(stream) => stream.read(out),
        };
        Ok(read?)
    }

    /// Whether nothing is left, as [`read`](Self::read) would say it, without taking anything.
    pub(crate) fn is_at_end(&mut self) -> Result<bool, ss55_error> {
        let rest = match self {
            Reader::V2(stream) => stream.fill_buf(),
            Reader::Libsodium(stream) => stream.fill_buf(),
        };
        Ok(rest?.is_empty())
    }

    pub(crate) fn inner_mut(&mut self) -> &mut R {
        match self {
            Reader::V2(stream) => stream.inner_mut(),
            Reader::Libsodium(stream) => stream.inner_mut(),
        }
    }
}

/// 0 stands for the usual size.
fn chunk(size: usize) -> Result<usize, ss55_error> {
    match size {
        0 => Ok(DEFAULT_CHUNK),
        1..=MAX_CHUNK => Ok(size),
        _ => Err(SS55_ERROR_ARGUMENT),
    }
}
