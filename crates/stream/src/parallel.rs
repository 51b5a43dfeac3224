//! SS55 streams on several threads: the bytes, the plaintext and the errors of one thread, sooner.
//!
//! ```
//! use ss55_stream::{Key, parallel::{Decryptor, Encryptor}};
//! use std::io::{Read, Write};
//!
//! let key = Key::from_bytes([7; 32]);
//! let mut encryptor = Encryptor::new(Vec::new(), &key);
//! encryptor.write_all(&vec![1; 1_000_000])?;
//! let sealed = encryptor.finish()?;
//!
//! let mut plaintext = Vec::new();
//! Decryptor::new(&sealed[..], &key).read_to_end(&mut plaintext)?;
//! assert_eq!(plaintext, vec![1; 1_000_000]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`FRAMES_PER_THREAD`] frames for each thread are sealed or opened at a time, by the calling thread and by
//! those of a pool of the stream's own, which is rayon's and ends with the stream; if the system has no threads
//! to give, by the calling one alone. Memory is that many frames to write and three times as many to read,
//! taken at construction.
//!
//! - A writer hands nothing to the inner one until so much has been written, or it is flushed.
//! - A reader asks the inner one for so much at once, and opens together what it was given: all of a file's,
//!   but of a pipe no more than a frame or two. While others open them it reads on, if a part of a further
//!   frame has come: for the rest of a frame it may wait, but not for one that nobody has begun to send.
//!   Plaintext comes out in its order, none behind a frame that failed.
//! - Work is shared out where it is more than a frame. Writes of a whole batch, and reads into room for one,
//!   go without a copy.
//!
//! The libsodium layout has no such types: each chunk there depends on the mac of the one before.

use crate::{
    Engine, Error, Format, Key, SimdEngine,
    decryptor::Ss55,
    encryptor::V2,
    inbound::{Frame, Inbound, Open, Status},
    outbound::{Outbound, Seal},
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use ss55_wire::Error as Wire;
use std::{
    hint::spin_loop,
    io::{Read, Write},
    sync::{
        Mutex, PoisonError,
        atomic::{
            AtomicUsize,
            Ordering::{Acquire, Relaxed, Release},
        },
    },
    thread,
};

/// Frames in memory for each thread: 256 KiB of plaintext. That is much work beside what it costs to share it
/// out, and little enough for the second-level cache of a core.
pub const FRAMES_PER_THREAD: usize = 4;
/// Most frames of a batch, for each of those that are full. Short ones are opened by the hundred.
const SHORT_FRAMES: usize = 64;

/// Writes an SS55 v2 stream to an inner writer: an [`Encryptor`](crate::Encryptor) on several threads.
#[must_use = "a stream that is not finished is truncated"]
pub struct Encryptor<W, E = SimdEngine> {
    pub(crate) out: Outbound<Shared<V2<E>>>,
    pub(crate) inner: W,
}

/// Reads an SS55 stream from an inner reader: a [`Decryptor`](crate::Decryptor) on several threads.
pub struct Decryptor<R, E = SimdEngine> {
    pub(crate) input: Inbound<Shared<Ss55<E>>>,
    pub(crate) inner: R,
}

/// Most threads of a stream, of which each has its memory.
pub const MAX_THREADS: usize = 256;

/// As many threads as this process may run at a time.
pub fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

impl<W: Write> Encryptor<W> {
    /// A stream to `inner` under `key`, on all threads of this machine. What else can be chosen is
    /// chosen by [`EncryptorBuilder::build_parallel`](crate::EncryptorBuilder::build_parallel).
    pub fn new(inner: W, key: &Key) -> Self {
        crate::Encryptor::builder().build_parallel(inner, key, available_threads())
    }
}

impl<R: Read> Decryptor<R> {
    /// A stream from `inner` under `key`, v2 or v1, on all threads of this machine. What else can be
    /// chosen is chosen by
    /// [`DecryptorBuilder::build_parallel`](crate::DecryptorBuilder::build_parallel).
    pub fn new(inner: R, key: &Key) -> Self {
        crate::Decryptor::builder().build_parallel(inner, key, available_threads())
    }
}

impl<W: Write, E: Engine + Clone + Send + Sync> Encryptor<W, E> {
    /// As [`Encryptor::write_frame`](crate::Encryptor::write_frame).
    ///
    /// # Errors
    /// As there.
    pub fn write_frame(&mut self, data: &[u8], ad: &[u8]) -> Result<(), Error> {
        self.out.frames(&mut self.inner, data, ad)
    }
}

impl<R: Read, E: Engine + Clone + Send + Sync> Decryptor<R, E> {
    /// The stream's format, once its first bytes have been read.
    pub fn format(&self) -> Option<Format> {
        self.input.format().format.name()
    }
}

writer!(Encryptor, short_frames: true, Engine + Clone + Send + Sync);
reader!(Decryptor, Engine + Clone + Send + Sync);

/// A format of which several frames are sealed or opened at a time.
pub(crate) struct Shared<F> {
    format: F,
    threads: usize,
    /// All threads but the caller's.
    pool: Option<ThreadPool>,
}

impl<F> Shared<F> {
    /// # Panics
    /// If `threads` is 0.
    pub(crate) fn new(format: F, threads: usize) -> Self {
        assert!(threads > 0, "a stream needs a thread");
        let threads = threads.min(MAX_THREADS);
        let others = (threads > 1).then(|| {
            ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .thread_name(|_| "frames".into())
                .build()
        });
        Shared {
            format,
            threads,
            pool: others.and_then(Result::ok),
        }
    }

    fn frames(&self) -> usize {
        self.threads * FRAMES_PER_THREAD
    }
}

/// How often a thread that has nothing left to do looks whether the others have, before it sleeps: for some
/// frames' time. They end within one, and to be woken takes longer.
const LOOKS: usize = 2000;
/// How often it looks then: rayon's own last steps are a few stores.
const LAST_LOOKS: usize = 20;

/// Does `work` to each of `items`, of which there are so many, until one fails: on this thread, which does
/// what there is to be done `meanwhile` first, and on those of the pool.
fn share<T: Send>(
    pool: Option<&ThreadPool>,
    len: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> Result<(), Wire> + Sync,
    meanwhile: impl FnOnce(),
) -> Result<(), Wire> {
    let items = Mutex::new(items);
    let failed = Mutex::new(Ok(()));
    // Of the others.
    let through = AtomicUsize::new(0);
    let run = || {
        // Nobody panics with a lock held, unless the engine does: then all of this is gone.
        while let Some(item) = {
            let mut items = items.lock().unwrap_or_else(PoisonError::into_inner);
            items.next()
        } {
            if let Err(error) = work(item) {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
                return;
            }
        }
    };
    match pool {
        Some(pool) if len > 1 => pool.in_place_scope(|scope| {
            let others = pool.current_num_threads().min(len - 1);
            (0..others).for_each(|_| {
                scope.spawn(|_| {
                    run();
                    through.fetch_add(1, Release);
                });
            });
            meanwhile();
            run();
            let all = (0..LOOKS).any(|_| {
                spin_loop();
                through.load(Acquire) == others
            });
            if all {
                (0..LAST_LOOKS).for_each(|_| spin_loop());
            }
        }),
        _ => run(),
    }
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl<E: Engine + Clone + Send + Sync> Seal for Shared<V2<E>> {
    const HEAD: usize = V2::<E>::HEAD;
    const TAIL: usize = V2::<E>::TAIL;
    const END: usize = V2::<E>::END;

    fn capacity(&self) -> usize {
        self.format.capacity()
    }

    fn batch(&self) -> usize {
        self.frames()
    }

    fn seal_in_place(&mut self, ad: &[u8], frame: &mut [u8]) -> Result<(), Wire> {
        self.format.seal_in_place(ad, frame)
    }

    fn seal_to(&mut self, ad: &[u8], plaintext: &[u8], frame: &mut [u8]) -> Result<(), Wire> {
        self.format.seal_to(ad, plaintext, frame)
    }

    fn seal_all_in_place(&mut self, ad: &[u8], frames: &mut [u8]) -> Result<(), Wire> {
        let frames = frames.chunks_mut(self.frame_len());
        let len = frames.len();
        let items = frames.map(|frame| (self.format.0.split_off(1), frame));
        share(
            self.pool.as_ref(),
            len,
            items,
            |(sealer, frame)| V2(sealer?).seal_in_place(ad, frame),
            || {},
        )
    }

    fn seal_all_to(&mut self, ad: &[u8], plaintext: &[u8], frames: &mut [u8]) -> Result<(), Wire> {
        let frames = frames.chunks_mut(self.frame_len());
        let len = frames.len();
        let items = plaintext
            .chunks(self.capacity())
            .zip(frames)
            .map(|(message, frame)| (self.format.0.split_off(1), message, frame));
        share(
            self.pool.as_ref(),
            len,
            items,
            |(sealer, message, frame)| sealer?.seal_to(ad, message, frame),
            || {},
        )
    }

    fn finish(&mut self, ad: &[u8], buf: &mut [u8], plain: usize) -> Result<usize, Wire> {
        self.format.finish(ad, buf, plain)
    }
}

/// Bytes of a window beyond its frames: so that a part of a further one comes with full frames, which tells that
/// it is on its way.
const BEGUN: usize = 64;

impl<E: Engine + Clone + Send + Sync> Open for Shared<Ss55<E>> {
    const SHARED: bool = true;

    fn window(&self) -> usize {
        self.frames() * self.format.window() + BEGUN
    }

    fn capacity(&self) -> usize {
        self.frames() * self.format.capacity() + BEGUN
    }

    fn batch(&self) -> usize {
        self.frames() * SHORT_FRAMES
    }

    fn status(&mut self, input: &[u8], eof: bool) -> Result<Status, Wire> {
        Ok(match self.format.status(input, eof)? {
            // All but the byte that must not be there behind the end.
            Status::More { need, want } if want > 1 => Status::More {
                need,
                want: self.window(),
            },
            status => status,
        })
    }

    fn is_finished(&self) -> bool {
        self.format.is_finished()
    }

    fn look(&self, input: &[u8]) -> Option<Frame> {
        self.format.look(input)
    }

    fn is_begun(&self, input: &[u8]) -> bool {
        self.format.is_begun(input)
    }

    fn open_to(&mut self, ad: &[u8], frame: &[u8], plaintext: &mut [u8]) -> Result<(), Wire> {
        self.format.open_to(ad, frame, plaintext)
    }

    fn open_all(
        &mut self,
        ad: &[u8],
        frames: &[Frame],
        input: &[u8],
        plaintext: &mut [u8],
        meanwhile: impl FnOnce(),
    ) -> (usize, Result<(), Wire>) {
        if frames.len() == 1 {
            let opened = self.open_to(ad, input, plaintext);
            return (opened.is_ok().into(), opened);
        }
        let failed = AtomicUsize::new(frames.len());
        let (format, full) = (&self.format, self.format.capacity());
        let (mut input_left, mut room) = (input, &mut *plaintext);
        let items = frames.iter().enumerate().map(|(index, frame)| {
            let sealed;
            (sealed, input_left) = input_left.split_at(frame.len);
            let (out, rest) = std::mem::take(&mut room).split_at_mut(frame.plaintext);
            room = rest;
            (index, sealed, out)
        });
        // A thread for each frame's worth of work.
        let worth = input.len().div_ceil(full);
        let work = |(index, sealed, out): (usize, &[u8], &mut [u8])| {
            let opened = format
                .ahead(index)
                .and_then(|mut opener| opener.open_to(ad, sealed, out));
            // Those before it go on: which is the first is not known yet.
            if opened.is_err() {
                failed.fetch_min(index, Relaxed);
            }
            opened
        };
        let _ = share(self.pool.as_ref(), worth, items, work, meanwhile);
        let mut done = failed.into_inner();
        let sum = |frames: &[Frame]| {
            frames.iter().fold((0, 0), |(len, plaintext), frame| {
                (len + frame.len, plaintext + frame.plaintext)
            })
        };
        let (at, opened) = sum(&frames[..done]);
        match self.format.ahead(done) {
            Ok(format) => self.format = format,
            Err(error) => {
                plaintext.fill(0);
                return (0, Err(error));
            }
        }
        let Some(frame) = frames.get(done) else {
            return (done, Ok(()));
        };
        // The stream's own opener has to fail too, and stay so.
        let (out, rest) = plaintext[opened..].split_at_mut(frame.plaintext);
        rest.fill(0);
        let result = self.open_to(ad, &input[at..at + frame.len], out);
        done += usize::from(result.is_ok());
        (done, result)
    }
}
