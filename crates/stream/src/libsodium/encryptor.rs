use super::MAX_CHUNK;
use crate::{
    Engine, Key, SimdEngine,
    outbound::{Outbound, Seal, random_bytes},
};
use ss55_wire::{
    Error as Wire,
    secretstream::{DEFAULT_CHUNK, HEADER_LEN, MAC_LEN, OVERHEAD, layout::Sealer},
};
use std::io::{self, Write};

/// Writes a secretstream to an inner writer, in full chunks and a last one that is not.
///
/// [`flush`](Write::flush) only flushes the inner writer: what does not fill a chunk stays until
/// [`finish`](Self::finish) or [`close`](Self::close), without which the stream is truncated for its
/// reader. The header goes out with the first write, flush or finish.
#[must_use = "a stream that is not finished is truncated"]
pub struct Encryptor<W, E = SimdEngine> {
    out: Outbound<Layout<E>>,
    inner: W,
}

impl<W: Write> Encryptor<W> {
    /// A stream to `inner` under `key` in chunks of 8192 bytes, with a fresh random header. If the
    /// operating system has no random bytes, the first call says so.
    pub fn new(inner: W, key: &Key) -> Self {
        Encryptor::builder().build(inner, key)
    }
}

impl Encryptor<io::Sink> {
    /// Sets what [`new`](Encryptor::new) leaves at its default.
    pub fn builder() -> EncryptorBuilder {
        EncryptorBuilder::default()
    }
}

writer!(Encryptor, short_frames: false, Engine);

/// Makes an [`Encryptor`].
#[derive(Clone, Debug)]
pub struct EncryptorBuilder<E = SimdEngine> {
    engine: E,
    chunk_size: usize,
    header: Option<[u8; HEADER_LEN]>,
}

impl Default for EncryptorBuilder {
    fn default() -> Self {
        EncryptorBuilder {
            engine: SimdEngine::default(),
            chunk_size: DEFAULT_CHUNK,
            header: None,
        }
    }
}

impl<E: Engine> EncryptorBuilder<E> {
    /// Puts `bytes` of plaintext into each full chunk.
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
    pub fn engine<F: Engine>(self, engine: F) -> EncryptorBuilder<F> {
        EncryptorBuilder {
            engine,
            chunk_size: self.chunk_size,
            header: self.header,
        }
    }

    /// Starts the stream with this header instead of a random one: for test vectors. Two streams
    /// with one header under one key give their plaintexts away.
    #[must_use]
    pub fn header(mut self, header: [u8; HEADER_LEN]) -> Self {
        self.header = Some(header);
        self
    }

    /// A stream to `inner` under `key`.
    pub fn build<W: Write>(self, inner: W, key: &Key) -> Encryptor<W, E> {
        let (header, random) = match self.header {
            Some(header) => (header, Ok(())),
            None => random_bytes(),
        };
        let seal = Layout {
            sealer: Sealer::new(self.engine, key, &header, self.chunk_size),
            chunk_size: self.chunk_size,
        };
        let out = Outbound::new(seal, Box::default(), &header, random);
        Encryptor { out, inner }
    }
}

/// The layout, as its writer sees it. It has no ad.
struct Layout<E> {
    sealer: Sealer<E>,
    chunk_size: usize,
}

impl<E: Engine> Seal for Layout<E> {
    const HEAD: usize = 1;
    const TAIL: usize = MAC_LEN;
    /// A small chunk's buffer must hold the header too.
    const END: usize = HEADER_LEN;

    fn capacity(&self) -> usize {
        self.chunk_size
    }

    fn seal_in_place(&mut self, _: &[u8], frame: &mut [u8]) -> Result<(), Wire> {
        self.sealer.seal_in_place(frame)
    }

    fn seal_to(&mut self, _: &[u8], plaintext: &[u8], frame: &mut [u8]) -> Result<(), Wire> {
        self.sealer.seal_to(plaintext, frame)
    }

    fn finish(&mut self, _: &[u8], buf: &mut [u8], plain: usize) -> Result<usize, Wire> {
        let len = plain + OVERHEAD;
        self.sealer.finish_in_place(&mut buf[..len])?;
        Ok(len)
    }
}
