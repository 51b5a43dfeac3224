//! A source that is read on a thread of its own, while this one has other work.

use crate::error::Error;
use std::{
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread::{self, JoinHandle},
};
use zeroize::Zeroizing;

/// What is read into.
pub type Buffer = Zeroizing<Vec<u8>>;
/// Buffers that go round: one is filled, one waits, one is used.
pub const BUFFERS: usize = 3;
/// Largest buffer of which there are several.
const MOST: usize = 32 << 20;

/// What can be read ahead.
pub trait Fill: Send + 'static {
    /// Reads into `buf`, which is not empty, and says how much.
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize, Error>;
    /// Whether so much of a buffer tells of the end.
    fn is_end(filled: usize, buf: &[u8]) -> bool;
}

/// Hands all of `source` to `write`, by the buffer, of which `buf` is the first. What comes next is read
/// meanwhile, if there is a thread to be had and the buffers are not too large. Gives the source back.
pub fn pump<S: Fill>(
    source: S,
    mut buf: Buffer,
    mut write: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<S, Error> {
    let started = if buf.len() <= MOST {
        Ahead::start(source, buf.len())
    } else {
        Err(source)
    };
    match started {
        Ok(ahead) => loop {
            let len;
            (buf, len) = ahead.swap(buf)?;
            write(&buf[..len])?;
            if S::is_end(len, &buf) {
                return Ok(ahead.into_source());
            }
        },
        Err(mut source) => loop {
            let len = source.fill(&mut buf)?;
            write(&buf[..len])?;
            if S::is_end(len, &buf) {
                return Ok(source);
            }
        },
    }
}

/// A source on its thread. Nobody waits for that if this is dropped: it may be reading from a terminal.
struct Ahead<S> {
    filled: Receiver<Result<(Buffer, usize), Error>>,
    empty: SyncSender<Buffer>,
    thread: JoinHandle<S>,
}

impl<S: Fill> Ahead<S> {
    /// Starts to fill buffers of `len` bytes. The source comes back if there is no thread to be had.
    fn start(source: S, len: usize) -> Result<Self, S> {
        // The thread is given the source when it is there: what a closure owns is lost if it is not.
        let (hand_over, source_comes) = sync_channel::<S>(1);
        let (to_filled, filled) = sync_channel(BUFFERS);
        let (empty, to_fill) = sync_channel::<Buffer>(BUFFERS);
        let read = move || {
            let mut source = source_comes.recv().expect("sent to a thread that is there");
            for mut buf in to_fill {
                let filled = source.fill(&mut buf);
                let goes_on = filled.as_ref().is_ok_and(|len| !S::is_end(*len, &buf));
                if to_filled.send(filled.map(|len| (buf, len))).is_err() || !goes_on {
                    break;
                }
            }
            source
        };
        let Ok(thread) = thread::Builder::new().name("read".into()).spawn(read) else {
            return Err(source);
        };
        hand_over.send(source).expect("the thread waits for it");
        for _ in 1..BUFFERS {
            let _ = empty.send(Zeroizing::new(vec![0; len]));
        }
        Ok(Ahead {
            filled,
            empty,
            thread,
        })
    }

    /// Gives a buffer for one that is filled, as far as its number says.
    fn swap(&self, used: Buffer) -> Result<(Buffer, usize), Error> {
        // It has stopped if it has met the end or an error: then that is what comes next.
        let _ = self.empty.send(used);
        self.filled
            .recv()
            .expect("it ends with the end or an error")
    }

    /// The source, of which the end was met.
    fn into_source(self) -> S {
        drop(self.empty);
        self.thread.join().expect("it does not panic")
    }
}
