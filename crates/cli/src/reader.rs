//! An encrypted input, decrypted.

use crate::{
    ahead::{Fill, pump},
    args::ReadFormat,
    detect::{Format, Replay, by_magic, detect},
    engine,
    error::{End, Error, Known, Problem, Role},
    input::{Input, Name},
};
use ss55_aead::Key;
use ss55_stream::{Decryptor, Formats, libsodium, parallel, parallel::FRAMES_PER_THREAD};
use ss55_wire::{secretstream, v1, v2};
use std::io::{self, BufRead};
use zeroize::Zeroizing;

pub struct Reader {
    name: Name,
    format: Format,
    /// Whether the stream begins with v2's magic, whatever `format` says.
    has_magic: bool,
    decryptor: AnyDecryptor,
    /// An error behind plaintext that was given out: it comes next.
    failed: Option<Error>,
    /// Whether the input is a file, for which nobody waits.
    is_file: bool,
    /// Plaintext bytes of a buffer: of a file, two batches for several threads.
    buffer: usize,
}

enum AnyDecryptor {
    Ss55(Decryptor<Replay>),
    Parallel(parallel::Decryptor<Replay>),
    Libsodium(libsodium::Decryptor<Replay>),
}

/// By full buffers from a file, and by what is there from others, whose next bytes may be long in coming:
/// nothing is the end.
impl Fill for Reader {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize, Error> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut filled = 0;
        while filled == 0 || self.is_file && filled < buf.len() {
            match self.read(&mut buf[filled..]) {
                Ok(0) => break,
                Ok(len) => filled += len,
                Err(error) if filled == 0 => return Err(error),
                // What came before it is authentic.
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(filled)
    }

    fn is_end(filled: usize, _: &[u8]) -> bool {
        filled == 0
    }
}

impl Reader {
    /// Finds out the format of `input`. Only a format that was asked for, or a magic, or an authentic
    /// frame gets past this.
    pub fn open(
        input: Input,
        key: &Key,
        wanted: ReadFormat,
        ad: Vec<u8>,
        chunk_size: usize,
        threads: usize,
    ) -> Result<Self, Error> {
        let name = input.name().clone();
        let is_file = input.identity().is_some();
        let mut replay = Replay::new(input);
        let format = detect(&mut replay, wanted, key, &ad, chunk_size)?;
        let has_magic = matches!(by_magic(replay.peek(v2::MAGIC.len())?), Some(Ok(_)));
        let engine = engine::chosen()?;
        let ss55 = |replay, formats| {
            let builder = Decryptor::builder().engine(engine).ad(ad).formats(formats);
            match threads {
                1 => AnyDecryptor::Ss55(builder.build(replay, key)),
                _ => AnyDecryptor::Parallel(builder.build_parallel(replay, key, threads)),
            }
        };
        let decryptor = match format {
            Format::V2 => ss55(replay, Formats::V2),
            Format::V1 => ss55(replay, Formats::V1),
            Format::Libsodium => {
                let builder = libsodium::Decryptor::builder()
                    .engine(engine)
                    .chunk_size(chunk_size);
                AnyDecryptor::Libsodium(builder.build(replay, key))
            }
        };
        Ok(Reader {
            name,
            format,
            has_magic,
            decryptor,
            failed: None,
            is_file,
            buffer: v2::MAX_PLAINTEXT * FRAMES_PER_THREAD * (2 * threads).min(16),
        })
    }

    /// The next authentic plaintext, which is the next until it is consumed; nothing is the end.
    pub fn plaintext(&mut self) -> Result<&[u8], Error> {
        if let Err(error) = self.decryptor().fill_buf() {
            return Err(self.explain(error));
        }
        let again = self.decryptor().fill_buf();
        Ok(again.expect("what was there a moment ago"))
    }

    fn read(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        if self.format == Format::Libsodium {
            // A chunk is small, and several are opened at a time.
            let plaintext = self.plaintext()?;
            let len = plaintext.len().min(out.len());
            out[..len].copy_from_slice(&plaintext[..len]);
            self.consume(len);
            return Ok(len);
        }
        let read = self.decryptor().read(out);
        read.map_err(|error| self.explain(error))
    }

    pub fn consume(&mut self, bytes: usize) {
        self.decryptor().consume(bytes);
    }

    fn decryptor(&mut self) -> &mut dyn BufRead {
        match &mut self.decryptor {
            AnyDecryptor::Ss55(decryptor) => decryptor,
            AnyDecryptor::Parallel(decryptor) => decryptor,
            AnyDecryptor::Libsodium(decryptor) => decryptor,
        }
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// What must be said of a stream that was read to its end.
    pub fn warning(&self) -> Option<String> {
        (self.format == Format::V1).then(|| {
            format!(
                "ss55: warning: {}: SS55 v1 has no final frame: that nothing is missing at its end \
                 cannot be authenticated",
                self.name
            )
        })
    }

    fn explain(&self, error: io::Error) -> Error {
        let wire = match error.get_ref().and_then(|inner| inner.downcast_ref()) {
            Some(ss55_stream::Error::Wire(wire)) => *wire,
            _ => return Error::io(Role::Input, &self.name, error),
        };
        let at = match &self.decryptor {
            AnyDecryptor::Ss55(decryptor) => decryptor.frame_offset(),
            AnyDecryptor::Parallel(decryptor) => decryptor.frame_offset(),
            AnyDecryptor::Libsodium(decryptor) => decryptor.frame_offset(),
        };
        let first = match self.format {
            Format::V2 => v2::HEADER_LEN,
            Format::V1 => v1::HEADER_LEN,
            Format::Libsodium => secretstream::HEADER_LEN,
        };
        let known = if self.has_magic && self.format != Format::V2 {
            Known::LikeV2
        } else if at > first as u64 {
            Known::Frames(self.format)
        } else {
            Known::NoFrame(Some(self.format))
        };
        let problem = match (Problem::from_wire(wire, at, first as u64), self.format) {
            (Problem::TrailingData { .. }, Format::Libsodium) => {
                Problem::TrailingData { end: End::From(at) }
            }
            (problem, _) => problem,
        };
        Error::stream(&self.name, problem, known)
    }
}

/// Plaintext that is worth another thread: less is opened sooner than handed over.
const HAND_OVER: usize = 16 << 10;

/// Hands all plaintext of `reader`, which is opened meanwhile if there is more than a frame of it, to `write`.
/// Gives the reader back.
pub fn copy(
    mut reader: Reader,
    mut write: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<Reader, Error> {
    let mut is_first = true;
    loop {
        let plaintext = reader.plaintext()?;
        let len = plaintext.len();
        if len == 0 {
            return Ok(reader);
        }
        if len >= HAND_OVER && !is_first {
            break;
        }
        write(plaintext)?;
        reader.consume(len);
        is_first = false;
    }
    let buf = Zeroizing::new(vec![0; reader.buffer]);
    pump(reader, buf, write)
}
