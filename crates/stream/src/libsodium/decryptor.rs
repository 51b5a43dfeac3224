use super::MAX_CHUNK;
use crate::{
    Engine, Key, SimdEngine,
    inbound::{Frame, Inbound, Open, Status},
};
use ss55_wire::{
    Error as Wire,
    secretstream::{DEFAULT_CHUNK, HEADER_LEN, OVERHEAD, layout::Opener},
};
use std::io::{self, Read};

/// Reads a secretstream of chunks of one size from an inner reader.
///
/// Plaintext comes out chunk by chunk, each authenticated before; `read` answers `Ok(0)` only after
/// the FINAL chunk, and only if the input ends there.
///
/// A chunk that fits the slice given to `read` is decrypted into it, and wiped from it if it fails.
pub struct Decryptor<R, E = SimdEngine> {
    input: Inbound<Layout<E>>,
    inner: R,
}

impl<R: Read> Decryptor<R> {
    /// A stream from `inner` under `key` in chunks of 8192 bytes, on the fastest engine of this
    /// machine.
    pub fn new(inner: R, key: &Key) -> Self {
        Decryptor::builder().build(inner, key)
    }
}

impl Decryptor<io::Empty> {
    /// Sets what [`new`](Decryptor::new) leaves at its default.
    pub fn builder() -> DecryptorBuilder {
        DecryptorBuilder::default()
    }
}

reader!(Decryptor, Engine);

/// Makes a [`Decryptor`].
#[derive(Clone, Debug)]
pub struct DecryptorBuilder<E = SimdEngine> {
    engine: E,
    chunk_size: usize,
}

impl Default for DecryptorBuilder {
    fn default() -> Self {
        DecryptorBuilder {
            engine: SimdEngine::default(),
            chunk_size: DEFAULT_CHUNK,
        }
    }
}

impl<E: Engine> DecryptorBuilder<E> {
    /// Expects `bytes` of plaintext in each full chunk.
    ///
    /// # Panics
    /// If `bytes` is 0 or above 2^30.
    #[must_use]
    pub fn chunk_size(mut self, bytes: usize) -> Self {
        assert!(
            (1..=MAX_CHUNK).contains(&bytes),
            "a chunk holds at least one byte, at most 2^30"
        );
        self.chunk_size = bytes;
        self
    }

    /// Does the work with `engine`.
    #[must_use]
    pub fn engine<F: Engine>(self, engine: F) -> DecryptorBuilder<F> {
        DecryptorBuilder {
            engine,
            chunk_size: self.chunk_size,
        }
    }

    /// A stream from `inner` under `key`.
    pub fn build<R: Read>(self, inner: R, key: &Key) -> Decryptor<R, E> {
        let open = Layout::Start {
            engine: Some(self.engine),
            key: key.clone(),
            chunk_size: self.chunk_size,
        };
        Decryptor {
            input: Inbound::new(open, Box::default()),
            inner,
        }
    }
}

/// The layout, as its reader sees it. It has no ad.
enum Layout<E> {
    /// The header has not been read. The engine moves on with the state.
    Start {
        engine: Option<E>,
        key: Key,
        chunk_size: usize,
    },
    Chunks(Opener<E>),
}

/// Plaintext of the chunks that are read and opened at a time, where several make no more.
const READ: usize = 65536;

impl<E: Engine> Layout<E> {
    fn chunk_size(&self) -> usize {
        match self {
            Layout::Start { chunk_size, .. } => *chunk_size,
            Layout::Chunks(opener) => opener.full_len() - OVERHEAD,
        }
    }
}

impl<E: Engine> Open for Layout<E> {
    fn window(&self) -> usize {
        (self.batch() * (self.chunk_size() + OVERHEAD)).max(HEADER_LEN)
    }

    fn capacity(&self) -> usize {
        self.batch() * self.chunk_size()
    }

    fn batch(&self) -> usize {
        (READ / self.chunk_size()).max(1)
    }

    fn status(&mut self, input: &[u8], eof: bool) -> Result<Status, Wire> {
        match self {
            Layout::Start {
                engine,
                key,
                chunk_size,
            } => match input.first_chunk() {
                None if eof => Err(Wire::Truncated),
                None => Ok(Status::More {
                    need: HEADER_LEN,
                    want: HEADER_LEN,
                }),
                Some(header) => {
                    let engine = engine.take().expect("taken once");
                    *self = Layout::Chunks(Opener::new(engine, key, header, *chunk_size));
                    Ok(Status::Header(HEADER_LEN))
                }
            },
            Layout::Chunks(opener) => {
                let full = opener.full_len();
                // A chunk that is not full is the last: only the input's end tells. Behind a full
                // FINAL one, a byte is one too many, and opening it says so.
                let need = if opener.is_finished() { 1 } else { full };
                match input.len() {
                    0 if eof => opener.end().map(|()| Status::End),
                    len if len >= need || eof => {
                        let len = len.min(full);
                        Ok(Status::Frame(Frame {
                            len,
                            plaintext: len.saturating_sub(OVERHEAD),
                        }))
                    }
                    _ => Ok(Status::More {
                        need,
                        want: self.window(),
                    }),
                }
            }
        }
    }

    fn look(&self, input: &[u8]) -> Option<Frame> {
        match self {
            // What is not full has no end that can be seen.
            Layout::Chunks(opener) if input.len() >= opener.full_len() => Some(Frame {
                len: opener.full_len(),
                plaintext: opener.full_len() - OVERHEAD,
            }),
            _ => None,
        }
    }

    fn is_finished(&self) -> bool {
        matches!(self, Layout::Chunks(opener) if opener.is_finished())
    }

    fn open_to(&mut self, _: &[u8], chunk: &[u8], plaintext: &mut [u8]) -> Result<(), Wire> {
        match self {
            Layout::Start { .. } => Err(Wire::BufferSize),
            Layout::Chunks(opener) => opener.open_to(chunk, plaintext),
        }
    }
}
