//! The writer of SS55 v2.

#[cfg(feature = "parallel")]
use crate::parallel::{self, Shared};
use crate::{
    Engine, Error, Key, SimdEngine,
    outbound::{Outbound, Seal, random_bytes},
};
use ss55_wire::{
    Error as Wire,
    v2::{self, Header, Sealer},
};
use std::io::{self, Write};

/// Writes an SS55 v2 stream to an inner writer.
///
/// Plain writes fill frames of 65,536 bytes; [`flush`](Write::flush) makes a shorter one of what is
/// there. The header goes out with the first write, flush or finish. A write of at least a frame,
/// when nothing is gathered, is sealed straight from the caller's slice.
///
/// Call [`finish`](Self::finish) or [`close`](Self::close): a stream that is only dropped is
/// truncated for its reader. See the [crate](crate) for what holds in case of errors.
#[must_use = "a stream that is not finished is truncated"]
pub struct Encryptor<W, E = SimdEngine> {
    out: Outbound<V2<E>>,
    inner: W,
}

impl<W: Write> Encryptor<W> {
    /// A stream to `inner` under `key`, on the fastest engine of this machine, with a fresh random
    /// header. If the operating system has no random bytes, the first call says so.
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

impl<W: Write, E: Engine> Encryptor<W, E> {
    /// Writes `data` as frames of their own, one per 65,536 bytes, authenticated with `ad`, which
    /// does not travel: [`Decryptor::read_frame`](crate::Decryptor::read_frame) must give the same.
    /// What plain writes have gathered goes before, as a frame. Empty `data` writes nothing.
    ///
    /// After `WouldBlock`, call again with the same arguments: what is sealed is not sealed twice.
    /// Until that is done, all but a flush is refused.
    ///
    /// # Errors
    /// [`Wire::AdTooLong`], [`Wire::Finished`] after the end, [`Wire::SequenceOverflow`] after
    /// 2^64 - 1 frames, [`Error::Unfinished`] for data of another length after `WouldBlock` (other
    /// data of the same length cannot be told), or an error of the inner writer.
    pub fn write_frame(&mut self, data: &[u8], ad: &[u8]) -> Result<(), Error> {
        self.out.frames(&mut self.inner, data, ad)
    }
}

writer!(Encryptor, short_frames: true, Engine);

/// Makes an [`Encryptor`].
#[derive(Clone, Debug, Default)]
pub struct EncryptorBuilder<E = SimdEngine> {
    ad: Vec<u8>,
    engine: E,
    header: Option<Header>,
}

impl<E: Engine> EncryptorBuilder<E> {
    /// Authenticates `ad` with every message frame of plain writes. It does not travel: the reader
    /// must be given the same.
    #[must_use]
    pub fn ad(mut self, ad: impl Into<Vec<u8>>) -> Self {
        self.ad = ad.into();
        self
    }

    /// Does the work with `engine`.
    #[must_use]
    pub fn engine<F: Engine>(self, engine: F) -> EncryptorBuilder<F> {
        EncryptorBuilder {
            ad: self.ad,
            engine,
            header: self.header,
        }
    }

    /// Starts the stream with this header instead of a random one: for test vectors. Two streams
    /// with one header under one key give their plaintexts away.
    #[must_use]
    pub fn header(mut self, header: Header) -> Self {
        self.header = Some(header);
        self
    }

    /// A stream to `inner` under `key`.
    pub fn build<W: Write>(self, inner: W, key: &Key) -> Encryptor<W, E> {
        let out = self.start(key, |seal| seal);
        Encryptor { out, inner }
    }

    /// A stream to `inner` under `key`, sealed on up to so many threads at a time
    /// ([`MAX_THREADS`](crate::parallel::MAX_THREADS) at most).
    ///
    /// # Panics
    /// If `threads` is 0.
    #[cfg(feature = "parallel")]
    pub fn build_parallel<W: Write>(
        self,
        inner: W,
        key: &Key,
        threads: usize,
    ) -> parallel::Encryptor<W, E>
    where
        E: Clone + Send + Sync,
    {
        let out = self.start(key, |seal| Shared::new(seal, threads));
        parallel::Encryptor { out, inner }
    }

    /// A stream to an asynchronous `inner` under `key`.
    #[cfg(feature = "tokio")]
    pub fn build_tokio<W>(self, inner: W, key: &Key) -> crate::tokio::Encryptor<W, E> {
        let out = self.start(key, |seal| seal);
        crate::tokio::Encryptor { out, inner }
    }

    fn start<S: Seal>(self, key: &Key, seal: impl FnOnce(V2<E>) -> S) -> Outbound<S> {
        let (v2, ad, header, random) = self.parts(key);
        Outbound::new(seal(v2), ad, &header, random)
    }

    /// The format, the ad, the header, and whether the operating system had random bytes for it.
    pub(crate) fn parts(self, key: &Key) -> Parts<E> {
        let (header, random) = self.header.map_or_else(
            || {
                let (nonce, random) = random_bytes();
                (Header::new(nonce), random)
            },
            |header| (header, Ok(())),
        );
        let seal = V2(Sealer::new(self.engine, key, &header));
        (seal, self.ad.into(), header.to_bytes(), random)
    }
}

/// What a stream is made of.
type Parts<E> = (
    V2<E>,
    Box<[u8]>,
    [u8; v2::HEADER_LEN],
    Result<(), getrandom::Error>,
);

/// SS55 v2, as its writer sees it.
pub(crate) struct V2<E>(pub(crate) Sealer<E>);

impl<E: Engine> Seal for V2<E> {
    const HEAD: usize = v2::FRAME_HEADER_LEN;
    const TAIL: usize = v2::MAC_LEN;
    const END: usize = v2::FINAL_FRAME_LEN;

    fn capacity(&self) -> usize {
        v2::MAX_PLAINTEXT
    }

    fn seal_in_place(&mut self, ad: &[u8], frame: &mut [u8]) -> Result<(), Wire> {
        let (header, rest) = frame.split_first_chunk_mut().ok_or(Wire::BufferSize)?;
        let (plaintext, mac) = rest.split_last_chunk_mut().ok_or(Wire::BufferSize)?;
        let sealed = self.0.seal_in_place(ad, plaintext)?;
        *header = sealed.header;
        *mac = sealed.mac;
        Ok(())
    }

    fn seal_to(&mut self, ad: &[u8], plaintext: &[u8], frame: &mut [u8]) -> Result<(), Wire> {
        self.0.seal_to(ad, plaintext, frame)
    }

    fn finish(&mut self, ad: &[u8], buf: &mut [u8], plain: usize) -> Result<usize, Wire> {
        let mut len = 0;
        if plain > 0 {
            len = plain + v2::FRAME_OVERHEAD;
            self.seal_in_place(ad, &mut buf[..len])?;
        }
        let end = self.0.finish()?;
        buf[len..len + end.len()].copy_from_slice(&end);
        Ok(len + end.len())
    }
}
