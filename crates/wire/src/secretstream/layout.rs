//! Chunks of one fixed size, as WAL-G stores them: the layout for streams in files.
//!
//! ```text
//! header 24 | full chunk: 8192 + 17, MESSAGE | ... | last chunk: 0 ..= 8191 + 17, FINAL
//! ```
//!
//! Nothing says how long a chunk is: all but the last are full, and the last ends the input. A stream
//! of a multiple of 8192 bytes ends with an empty FINAL chunk of 17 bytes. Readers here also take a
//! full FINAL chunk, which WAL-G's reader refuses and its writer never makes. Tags PUSH and REKEY on
//! full chunks are taken for what they mean to libsodium. The chunk size is a parameter.

use super::{HEADER_LEN, OVERHEAD, PullState, PushState, Tag};
use crate::{Error, frames::or_zeros};
use ss55_aead::{Engine, Key, SimdEngine};

/// Bytes of a stream of `plaintext` bytes in chunks of `chunk_size`, or `None` where that leaves 64
/// bits or the chunk size is 0.
pub const fn sealed_len(plaintext: u64, chunk_size: usize) -> Option<u64> {
    let Some(full) = plaintext.checked_div(chunk_size as u64) else {
        return None;
    };
    let Some(overhead) = full.checked_mul(OVERHEAD as u64) else {
        return None;
    };
    match plaintext.checked_add(overhead) {
        Some(len) => len.checked_add((HEADER_LEN + OVERHEAD) as u64),
        None => None,
    }
}

/// Both sides add [`OVERHEAD`] to the chunk size; with this it does not wrap.
fn checked(chunk_size: usize) -> usize {
    assert!(chunk_size > 0, "a chunk holds at least one byte");
    assert!(
        chunk_size <= usize::MAX - OVERHEAD,
        "a chunk and its overhead fit memory"
    );
    chunk_size
}

/// Seals the chunks of one stream, in order.
pub struct Sealer<E = SimdEngine> {
    state: PushState<E>,
    chunk_size: usize,
    finished: bool,
}

impl<E: Engine> Sealer<E> {
    /// A sealer at the first chunk.
    ///
    /// # Panics
    /// If `chunk_size` is 0, or [`OVERHEAD`] more leaves `usize`.
    pub fn new(engine: E, key: &Key, header: &[u8; HEADER_LEN], chunk_size: usize) -> Self {
        Sealer {
            state: PushState::new(engine, key, header),
            chunk_size: checked(chunk_size),
            finished: false,
        }
    }

    /// Writes a full chunk to `chunk`, which has [`OVERHEAD`] bytes more than `plaintext`.
    ///
    /// # Errors
    /// [`Error::BufferSize`] if `plaintext` is not one chunk or `chunk` does not fit it,
    /// [`Error::Finished`].
    pub fn seal_to(&mut self, plaintext: &[u8], chunk: &mut [u8]) -> Result<(), Error> {
        self.check()?;
        if plaintext.len() != self.chunk_size {
            return Err(Error::BufferSize);
        }
        self.state.push_to(Tag::MESSAGE, &[], plaintext, chunk)
    }

    /// Encrypts `chunk`, 1 byte of room, a full chunk of plaintext and 16 bytes of room, in place.
    ///
    /// # Errors
    /// As [`seal_to`](Self::seal_to).
    pub fn seal_in_place(&mut self, chunk: &mut [u8]) -> Result<(), Error> {
        self.check()?;
        if chunk.len() != self.chunk_size + OVERHEAD {
            return Err(Error::BufferSize);
        }
        self.push_in_place(Tag::MESSAGE, chunk)
    }

    /// Encrypts the last chunk, which is not full, in place: 1 byte of room, the plaintext that is
    /// left, 16 bytes of room.
    ///
    /// # Errors
    /// [`Error::BufferSize`], [`Error::Finished`].
    pub fn finish_in_place(&mut self, chunk: &mut [u8]) -> Result<(), Error> {
        self.check()?;
        if chunk.len() >= self.chunk_size + OVERHEAD {
            return Err(Error::BufferSize);
        }
        self.push_in_place(Tag::FINAL, chunk)?;
        self.state.0.forget_key();
        self.finished = true;
        Ok(())
    }

    fn push_in_place(&mut self, tag: Tag, chunk: &mut [u8]) -> Result<(), Error> {
        let (first, rest) = chunk.split_first_mut().ok_or(Error::BufferSize)?;
        let (message, mac) = rest.split_last_chunk_mut().ok_or(Error::BufferSize)?;
        let sealed = self.state.push_in_place(tag, &[], message)?;
        *first = sealed.tag;
        *mac = sealed.mac;
        Ok(())
    }

    fn check(&self) -> Result<(), Error> {
        if self.finished {
            Err(Error::Finished)
        } else {
            Ok(())
        }
    }
}

/// Opens the chunks of one stream, in order. Its first error is its answer ever after, but for
/// [`Error::BufferSize`], which the caller may mend.
#[derive(Clone)]
pub struct Opener<E = SimdEngine> {
    state: PullState<E>,
    chunk_size: usize,
    /// The FINAL chunk has been opened.
    finished: bool,
    /// Set once and for all by the first failure.
    failed: Option<Error>,
}

impl<E: Engine> Opener<E> {
    /// An opener at the first chunk.
    ///
    /// # Panics
    /// If `chunk_size` is 0, or [`OVERHEAD`] more leaves `usize`.
    pub fn new(engine: E, key: &Key, header: &[u8; HEADER_LEN], chunk_size: usize) -> Self {
        Opener {
            state: PullState::new(engine, key, header),
            chunk_size: checked(chunk_size),
            finished: false,
            failed: None,
        }
    }

    /// Bytes of a full chunk as it is stored.
    pub fn full_len(&self) -> usize {
        self.chunk_size + OVERHEAD
    }

    /// Decrypts `chunk` to `plaintext`, which has [`OVERHEAD`] bytes less. A chunk that is not full
    /// must be all that the input has left.
    ///
    /// # Errors
    /// [`Error::BufferSize`] if the buffers do not fit; that one may be mended. All others stay:
    /// [`Error::Authentication`]; [`Error::Truncated`] for a short chunk that is no FINAL one;
    /// [`Error::TrailingData`] for bytes behind a FINAL one. `plaintext` is then all zeros.
    ///
    /// A short chunk that does not authenticate may be cut, or damaged, or not under this key at all:
    /// where its tag byte reads like one of this layout, cut is what is reported.
    pub fn open_to(&mut self, chunk: &[u8], plaintext: &mut [u8]) -> Result<(), Error> {
        let opened = self.open(chunk, plaintext);
        or_zeros(opened, plaintext)
    }

    /// To be asked where the input ends.
    ///
    /// # Errors
    /// [`Error::Truncated`] if no FINAL chunk has been opened; or the error that stopped the opener.
    pub fn end(&mut self) -> Result<(), Error> {
        self.failed.map_or(Ok(()), Err)?;
        if self.finished {
            Ok(())
        } else {
            Err(self.stop(Error::Truncated))
        }
    }

    /// Whether the FINAL chunk has been opened.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    fn open(&mut self, chunk: &[u8], plaintext: &mut [u8]) -> Result<(), Error> {
        self.failed.map_or(Ok(()), Err)?;
        if chunk.len() > self.full_len() || chunk.len().saturating_sub(OVERHEAD) != plaintext.len()
        {
            return Err(Error::BufferSize);
        }
        if self.finished {
            return Err(self.stop(Error::TrailingData));
        }
        if chunk.len() < OVERHEAD {
            return Err(self.stop(Error::Truncated));
        }
        match self.state.pull_to(&[], chunk, plaintext) {
            Ok(Tag::FINAL) => self.finished = true,
            Ok(_) if chunk.len() == self.full_len() => {}
            // Authentic, but the input ends here and the stream does not.
            Ok(_) => return Err(self.stop(Error::Truncated)),
            Err(_) => return Err(self.fail(chunk)),
        }
        Ok(())
    }

    /// Finds out why a chunk does not authenticate. The tag byte is only a hint, and what it hints at
    /// only chooses among errors.
    fn fail(&mut self, chunk: &[u8]) -> Error {
        let error = match self.state.0.peek(chunk[0]) {
            Tag::FINAL if self.ends_within(chunk) => Error::TrailingData,
            Tag::FINAL | Tag::MESSAGE if chunk.len() < self.full_len() => Error::Truncated,
            _ => Error::Authentication,
        };
        self.stop(error)
    }

    /// Whether a FINAL chunk ends before `chunk` does.
    fn ends_within(&self, chunk: &[u8]) -> bool {
        // Some 50 ns a byte: a second at most, however large the chunks are.
        let searched = chunk.len().min(1 << 24);
        self.state.0.prefix(&[], &chunk[..searched]).is_some()
    }

    fn stop(&mut self, error: Error) -> Error {
        self.state.0.forget_key();
        self.failed = Some(error);
        error
    }
}
