//! A batch of messages for each operation, over what an implementation must offer.
//!
//! A batch holds several short messages or one long one, each with a nonce of its own, and is laid out
//! anew, off the clock, before every run: opening in place destroys its input. All contestants work on
//! the same bytes at the same alignment.

use crate::operation::PAGE;
use std::{hint::black_box, iter, ops};

mod stream;

pub use stream::{Bare, FAR, NEAR, ReadStream, WriteStream, sealed_stream};

/// The key of everything. Contexts that an implementation can keep are made from it once.
pub const KEY: [u8; 32] = *b"The key of every measurement now";
/// The keys of every data unit.
pub const UNIT_KEYS: [u8; 64] =
    *b"The key of the data in every unit, and another one of the tweaks";
/// The additional data of every AEAD message: as long as a TLS 1.2 record's.
pub const AAD: [u8; 13] = *b"thirteen byte";
/// The header of every secretstream.
pub const HEADER: [u8; 24] = *b"a header that never is, ";
/// Messages shorter than this come several to a batch: what lies in the first-level cache of any
/// processor, and long enough that reading the clock costs less than 1 %.
const BATCH: usize = 32 * 1024;
/// Everything starts on a cache line.
const LINE: usize = 64;

/// Something to time.
pub trait Work {
    /// Bytes of message in one run.
    fn bytes(&self) -> usize;
    /// Lays the batch out anew; not timed.
    fn prepare(&mut self);
    /// Does the work.
    fn run(&mut self);
    /// What one run has made, tags included.
    fn output(&self) -> Vec<u8>;
}

/// An AEAD under [`KEY`], in place, with nonces of `N` bytes.
pub trait Aead<const N: usize> {
    /// Encrypts `message` and gives its tag.
    fn seal(&mut self, nonce: &[u8; N], aad: &[u8], message: &mut [u8]) -> [u8; 16];
    /// Decrypts `message` if `tag` is right, and says whether it is.
    fn open(&mut self, nonce: &[u8; N], aad: &[u8], message: &mut [u8], tag: &[u8; 16]) -> bool;
}

/// ChaCha20 of RFC 8439 under [`KEY`], from block 0.
pub trait Cipher {
    /// XORs the keystream onto `message`.
    fn xor(&mut self, nonce: &[u8; 12], message: &mut [u8]);
}

/// Poly1305.
pub trait Mac {
    /// The tag of `message`.
    fn mac(&mut self, key: &[u8; 32], message: &[u8]) -> [u8; 16];
}

/// Serpent under [`KEY`].
pub trait Blocks {
    /// Encrypts blocks, each alone.
    fn encrypt(&mut self, blocks: &mut [[u8; 16]]);
    /// Decrypts blocks.
    fn decrypt(&mut self, blocks: &mut [[u8; 16]]);
}

/// Serpent in XTS mode under [`UNIT_KEYS`].
pub trait Units {
    /// Encrypts units of `unit_len` bytes, of which `first` is the number of the first.
    fn encrypt(&mut self, first: u64, unit_len: usize, data: &mut [u8]);
}

/// A secretstream under [`KEY`] and [`HEADER`].
pub trait Secretstream {
    /// Goes back to the first chunk.
    fn restart(&mut self);
    /// Seals the next chunk, 17 bytes longer than `message`.
    fn push(&mut self, message: &[u8], chunk: &mut [u8]);
    /// Opens the next chunk and says whether it is authentic.
    fn pull(&mut self, chunk: &[u8], message: &mut [u8]) -> bool;
}

/// [`Aead::seal`] of a batch.
pub fn seal<const N: usize>(size: usize, aead: impl Aead<N> + 'static) -> Box<dyn Work> {
    Box::new(Seal {
        nonces: nonces(size),
        batch: Batch::new(size),
        tags: Vec::new(),
        aead,
    })
}

/// [`Aead::open`] of a batch, which `aead` has sealed.
pub fn open<const N: usize>(size: usize, aead: impl Aead<N> + 'static) -> Box<dyn Work> {
    let mut seal = Seal {
        nonces: nonces(size),
        batch: Batch::new(size),
        tags: Vec::new(),
        aead,
    };
    seal.prepare();
    seal.run();
    seal.batch.source.copy_from_slice(&seal.batch.work);
    Box::new(Open(seal))
}

/// [`Cipher::xor`] on a batch.
pub fn xor(size: usize, cipher: impl Cipher + 'static) -> Box<dyn Work> {
    Box::new(Xor {
        nonces: nonces(size),
        batch: Batch::new(size),
        cipher,
    })
}

/// [`Mac::mac`] of a batch.
pub fn mac(size: usize, mac: impl Mac + 'static) -> Box<dyn Work> {
    Box::new(Macs {
        keys: nonces(size),
        batch: Batch::new(size),
        tags: Vec::new(),
        mac,
    })
}

/// [`Blocks::encrypt`] of a batch.
pub fn encrypt(size: usize, mut cipher: impl Blocks + 'static) -> Box<dyn Work> {
    each(size, move |_, message| {
        cipher.encrypt(message.as_chunks_mut().0);
    })
}

/// [`Blocks::decrypt`] of a batch.
pub fn decrypt(size: usize, mut cipher: impl Blocks + 'static) -> Box<dyn Work> {
    each(size, move |_, message| {
        cipher.decrypt(message.as_chunks_mut().0);
    })
}

/// [`Units::encrypt`] of a batch: each message a run of units of at most [`PAGE`] bytes.
pub fn units(size: usize, mut xts: impl Units + 'static) -> Box<dyn Work> {
    each(size, move |n, message| {
        xts.encrypt(n << 32, size.min(PAGE), message);
    })
}

fn each(size: usize, run: impl FnMut(u64, &mut [u8]) + 'static) -> Box<dyn Work> {
    Box::new(Each {
        batch: Batch::new(size),
        run,
    })
}

/// [`Secretstream::push`] of a batch.
pub fn push(size: usize, stream: impl Secretstream + 'static) -> Box<dyn Work> {
    Box::new(Push(Chunks::new(size, stream)))
}

/// [`Secretstream::pull`] of a batch, which `stream` has pushed.
pub fn pull(size: usize, stream: impl Secretstream + 'static) -> Box<dyn Work> {
    let mut push = Push(Chunks::new(size, stream));
    push.prepare();
    push.run();
    Box::new(Pull(push.0))
}

/// Messages in a batch.
fn count(size: usize) -> usize {
    (BATCH / size).max(1)
}

/// `N` bytes for each message of a batch. The first ones differ, so that nothing derived from the first
/// 16 bytes of an extended nonce can be kept from one message to the next.
fn nonces<const N: usize>(size: usize) -> Vec<[u8; N]> {
    let nonce = |n: usize| {
        let mut nonce = [0x24; N];
        nonce[..8].copy_from_slice(&(n as u64).to_le_bytes());
        nonce
    };
    (0..count(size)).map(nonce).collect()
}

/// The plaintext of a batch at one offset.
fn plaintext(offset: usize) -> u8 {
    (offset.wrapping_mul(0x9e37_79b9) >> 13) as u8
}

/// Bytes that start on a cache line.
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    fn new(len: usize) -> Self {
        let bytes = vec![0; len + LINE];
        let start = bytes.as_ptr().align_offset(LINE);
        Aligned { bytes, start, len }
    }
}

impl ops::Deref for Aligned {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..][..self.len]
    }
}

impl ops::DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.len]
    }
}

/// Messages one after the other, each on a cache line, and a copy that is not touched.
struct Batch {
    size: usize,
    stride: usize,
    source: Aligned,
    work: Aligned,
}

impl Batch {
    fn new(size: usize) -> Self {
        let stride = size.next_multiple_of(LINE);
        let mut source = Aligned::new(stride * count(size));
        for (offset, byte) in source.iter_mut().enumerate() {
            *byte = plaintext(offset);
        }
        let work = Aligned::new(source.len());
        Batch {
            size,
            stride,
            source,
            work,
        }
    }

    fn bytes(&self) -> usize {
        self.size * count(self.size)
    }

    fn prepare(&mut self) {
        self.work.copy_from_slice(&self.source);
    }

    fn messages(&self) -> impl Iterator<Item = &[u8]> {
        let size = self.size;
        self.work
            .chunks_exact(self.stride)
            .map(move |slot| &slot[..size])
    }

    fn messages_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        let size = self.size;
        self.work
            .chunks_exact_mut(self.stride)
            .map(move |slot| &mut slot[..size])
    }
}

/// The messages, then the tags.
fn joined(batch: &Batch, tags: &[[u8; 16]]) -> Vec<u8> {
    let mut all: Vec<u8> = batch.messages().flatten().copied().collect();
    all.extend(tags.as_flattened());
    all
}

struct Seal<A, const N: usize> {
    nonces: Vec<[u8; N]>,
    batch: Batch,
    tags: Vec<[u8; 16]>,
    aead: A,
}

impl<A: Aead<N>, const N: usize> Work for Seal<A, N> {
    fn bytes(&self) -> usize {
        self.batch.bytes()
    }
    fn prepare(&mut self) {
        self.batch.prepare();
        self.tags.resize(self.nonces.len(), [0; 16]);
    }
    fn run(&mut self) {
        let messages = self.batch.messages_mut();
        for ((message, nonce), tag) in messages.zip(&self.nonces).zip(&mut self.tags) {
            *tag = self.aead.seal(black_box(nonce), &AAD, black_box(message));
        }
        black_box(&mut self.tags);
    }
    fn output(&self) -> Vec<u8> {
        joined(&self.batch, &self.tags)
    }
}

struct Open<A, const N: usize>(Seal<A, N>);

impl<A: Aead<N>, const N: usize> Work for Open<A, N> {
    fn bytes(&self) -> usize {
        self.0.batch.bytes()
    }
    fn prepare(&mut self) {
        self.0.batch.prepare();
    }
    fn run(&mut self) {
        let messages = self.0.batch.messages_mut();
        for ((message, nonce), tag) in messages.zip(&self.0.nonces).zip(&self.0.tags) {
            let message = black_box(message);
            assert!(self.0.aead.open(black_box(nonce), &AAD, message, tag));
        }
    }
    fn output(&self) -> Vec<u8> {
        joined(&self.0.batch, &self.0.tags)
    }
}

struct Xor<C> {
    nonces: Vec<[u8; 12]>,
    batch: Batch,
    cipher: C,
}

impl<C: Cipher> Work for Xor<C> {
    fn bytes(&self) -> usize {
        self.batch.bytes()
    }
    fn prepare(&mut self) {
        self.batch.prepare();
    }
    fn run(&mut self) {
        for (message, nonce) in self.batch.messages_mut().zip(&self.nonces) {
            self.cipher.xor(black_box(nonce), black_box(message));
        }
    }
    fn output(&self) -> Vec<u8> {
        joined(&self.batch, &[])
    }
}

/// A change of each message in place, which is given its number.
struct Each<F> {
    batch: Batch,
    run: F,
}

impl<F: FnMut(u64, &mut [u8])> Work for Each<F> {
    fn bytes(&self) -> usize {
        self.batch.bytes()
    }
    fn prepare(&mut self) {
        self.batch.prepare();
    }
    fn run(&mut self) {
        for (n, message) in (0..).zip(self.batch.messages_mut()) {
            (self.run)(black_box(n), black_box(message));
        }
    }
    fn output(&self) -> Vec<u8> {
        joined(&self.batch, &[])
    }
}

struct Macs<M> {
    /// One key, one message.
    keys: Vec<[u8; 32]>,
    batch: Batch,
    tags: Vec<[u8; 16]>,
    mac: M,
}

impl<M: Mac> Work for Macs<M> {
    fn bytes(&self) -> usize {
        self.batch.bytes()
    }
    fn prepare(&mut self) {
        self.batch.prepare();
        self.tags.resize(self.keys.len(), [0; 16]);
    }
    fn run(&mut self) {
        for ((message, key), tag) in self.batch.messages().zip(&self.keys).zip(&mut self.tags) {
            *tag = self.mac.mac(black_box(key), black_box(message));
        }
        black_box(&mut self.tags);
    }
    fn output(&self) -> Vec<u8> {
        self.tags.as_flattened().to_vec()
    }
}

/// The chunks of one stream and their messages.
struct Chunks<S> {
    messages: Batch,
    sealed: Aligned,
    stride: usize,
    stream: S,
}

impl<S: Secretstream> Chunks<S> {
    fn new(size: usize, stream: S) -> Self {
        let stride = (size + 17).next_multiple_of(LINE);
        Chunks {
            messages: Batch::new(size),
            sealed: Aligned::new(stride * count(size)),
            stride,
            stream,
        }
    }
}

struct Push<S>(Chunks<S>);

impl<S: Secretstream> Work for Push<S> {
    fn bytes(&self) -> usize {
        self.0.messages.bytes()
    }
    fn prepare(&mut self) {
        self.0.messages.prepare();
        self.0.stream.restart();
    }
    fn run(&mut self) {
        let slots = self.0.sealed.chunks_exact_mut(self.0.stride);
        for (message, slot) in self.0.messages.messages().zip(slots) {
            let chunk = &mut slot[..message.len() + 17];
            self.0.stream.push(black_box(message), black_box(chunk));
        }
    }
    fn output(&self) -> Vec<u8> {
        let len = self.0.messages.size + 17;
        let slots = self.0.sealed.chunks_exact(self.0.stride);
        slots.flat_map(|slot| &slot[..len]).copied().collect()
    }
}

struct Pull<S>(Chunks<S>);

impl<S: Secretstream> Work for Pull<S> {
    fn bytes(&self) -> usize {
        self.0.messages.bytes()
    }
    fn prepare(&mut self) {
        self.0.messages.work.fill(0);
        self.0.stream.restart();
    }
    fn run(&mut self) {
        let slots = self.0.sealed.chunks_exact(self.0.stride);
        for (message, slot) in iter::zip(self.0.messages.messages_mut(), slots) {
            let chunk = black_box(&slot[..message.len() + 17]);
            assert!(self.0.stream.pull(chunk, black_box(message)));
        }
    }
    fn output(&self) -> Vec<u8> {
        joined(&self.0.messages, &[])
    }
}
