//! An input that is read on a thread of its own, while this one has other work.

use crate::{error::Error, input::Input};
use std::{
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread::{self, JoinHandle},
};
use zeroize::Zeroizing;

/// What is read into.
pub type Buffer = Zeroizing<Vec<u8>>;
/// Buffers that go round: one is filled, one waits, one is used.
pub const BUFFERS: usize = 3;

/// The input on its thread. Nobody waits for that if this is dropped: it may be reading from a terminal.
pub struct Ahead {
    filled: Receiver<Result<(Buffer, usize), Error>>,
    empty: SyncSender<Buffer>,
    thread: JoinHandle<Input>,
}

impl Ahead {
    /// Starts to fill buffers of `len` bytes. The input comes back if there is no thread to be had.
    #[allow(clippy::result_large_err)] // once, and it is no error
    pub fn start(input: Input, len: usize) -> Result<Self, Input> {
        // The thread is given the input when it is there: what a closure owns is lost if it is not.
        let (hand_over, input_comes) = sync_channel::<Input>(1);
        let (to_filled, filled) = sync_channel(BUFFERS);
        let (empty, to_fill) = sync_channel::<Buffer>(BUFFERS);
        let read = move || {
            let mut input = input_comes.recv().expect("sent to a thread that is there");
            for mut buf in to_fill {
                let read = input.fill(&mut buf);
                let goes_on = read.as_ref().is_ok_and(|len| *len == buf.len());
                if to_filled.send(read.map(|len| (buf, len))).is_err() || !goes_on {
                    break;
                }
            }
            input
        };
        let Ok(thread) = thread::Builder::new().name("read".into()).spawn(read) else {
            return Err(input);
        };
        hand_over.send(input).expect("the thread waits for it");
        for _ in 1..BUFFERS {
            let _ = empty.send(Zeroizing::new(vec![0; len]));
        }
        Ok(Ahead {
            filled,
            empty,
            thread,
        })
    }

    /// Gives a buffer for one that is filled, as far as its number says: less than all is the end.
    pub fn swap(&self, used: Buffer) -> Result<(Buffer, usize), Error> {
        // It has stopped if it has met the end or an error: then that is what comes next.
        let _ = self.empty.send(used);
        self.filled
            .recv()
            .expect("it ends with the end or an error")
    }

    /// The input, of which the end was met.
    pub fn into_input(self) -> Input {
        drop(self.empty);
        self.thread.join().expect("it does not panic")
    }
}
