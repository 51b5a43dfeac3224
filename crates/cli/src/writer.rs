//! An output, encrypted.

use crate::{engine, error::Error, output::Output};
use ss55_aead::Key;
use ss55_stream::{Encryptor, libsodium, parallel};
use std::io::{self, BufWriter, IntoInnerError, Write};

pub enum Writer {
    V2(Encryptor<Output>),
    Parallel(parallel::Encryptor<Output>),
    /// Chunks are small: several go with one call of the system's.
    Libsodium(libsodium::Encryptor<BufWriter<Output>>),
}

/// Bytes of such a call.
const WRITE: usize = 1 << 18;

impl Writer {
    pub fn v2(output: Output, key: &Key, ad: Vec<u8>, threads: usize) -> Result<Self, Error> {
        let builder = Encryptor::builder().engine(engine::chosen()?).ad(ad);
        Ok(match threads {
            1 => Writer::V2(builder.build(output, key)),
            _ => Writer::Parallel(builder.build_parallel(output, key, threads)),
        })
    }

    pub fn libsodium(output: Output, key: &Key, chunk_size: usize) -> Result<Self, Error> {
        let builder = libsodium::Encryptor::builder().engine(engine::chosen()?);
        let builder = builder.chunk_size(chunk_size);
        let output = BufWriter::with_capacity(WRITE, output);
        Ok(Writer::Libsodium(builder.build(output, key)))
    }

    pub fn write_all(&mut self, plaintext: &[u8]) -> io::Result<()> {
        match self {
            Writer::V2(encryptor) => encryptor.write_all(plaintext),
            Writer::Parallel(encryptor) => encryptor.write_all(plaintext),
            Writer::Libsodium(encryptor) => encryptor.write_all(plaintext),
        }
    }

    /// Hands on what was written, if need be in a shorter frame.
    pub fn flush(&mut self) -> io::Result<()> {
        match self {
            Writer::V2(encryptor) => encryptor.flush(),
            Writer::Parallel(encryptor) => encryptor.flush(),
            Writer::Libsodium(encryptor) => encryptor.flush(),
        }
    }

    /// Ends the stream.
    pub fn finish(self) -> io::Result<Output> {
        Ok(match self {
            Writer::V2(encryptor) => encryptor.finish()?,
            Writer::Parallel(encryptor) => encryptor.finish()?,
            Writer::Libsodium(encryptor) => encryptor
                .finish()?
                .into_inner()
                .map_err(IntoInnerError::into_error)?,
        })
    }
}
