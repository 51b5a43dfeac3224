//! ChaCha20-BLAKE2s-SIV beside the construction put together from other crates, in turns in one process.
//!
//! ```text
//! cargo run --release -p ss55-benches --features siv --bin siv [OPERATION]...
//! ```
//!
//! Prints a table: nanoseconds for a message, the best of many slices, and how many times as long the
//! others take. The operations are init, first (init and
//! seal), seal, open, bad-tag and bad-ciphertext.

// Nanoseconds and ratios: 53 bits are plenty.
#![allow(clippy::cast_precision_loss)]

use ss55_siv::{Iv, Siv256};
use std::{
    env,
    hint::black_box,
    process::ExitCode,
    time::{Duration, Instant},
};

mod straight;

use straight::{Sodium, Straight};

const KEY: [u8; 32] = *b"The key of every measurement now";
const NONCE: [u8; 12] = [0x24; 12];
const AD: [u8; 32] = [0xad; 32];
const SIZES: [usize; 10] = [
    0,
    16,
    64,
    256,
    1 << 10,
    1 << 12,
    1 << 14,
    1 << 16,
    1 << 18,
    1 << 20,
];
/// Messages of a batch lie in the first-level cache, if more than one does.
const BATCH: usize = 16 * 1024;
/// One contestant's turn, and all turns of a race.
const SLICE: Duration = Duration::from_millis(1);
const RACE: Duration = Duration::from_millis(250);

/// An implementation with its keys derived.
trait Aead {
    fn new() -> Self;
    fn seal(&self, message: &mut [u8]) -> [u8; 32];
    fn open(&self, message: &mut [u8], iv: &[u8; 32]) -> bool;
}

impl Aead for Siv256 {
    fn new() -> Self {
        Siv256::new(black_box(&KEY))
    }
    fn seal(&self, message: &mut [u8]) -> [u8; 32] {
        self.seal_in_place_detached(&NONCE, &AD, message)
            .expect("short")
            .into()
    }
    fn open(&self, message: &mut [u8], iv: &[u8; 32]) -> bool {
        self.open_in_place_detached(&NONCE, &AD, message, &Iv::from(*iv))
            .is_ok()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Init,
    First,
    Seal,
    Open,
    BadTag,
    BadCiphertext,
}

use Operation::{BadCiphertext, BadTag, First, Init, Open, Seal};

const OPERATIONS: [(&str, Operation); 6] = [
    ("init", Init),
    ("first", First),
    ("seal", Seal),
    ("open", Open),
    ("bad-tag", BadTag),
    ("bad-ciphertext", BadCiphertext),
];

/// A batch of messages, and what is done to it.
struct Work<A> {
    aead: A,
    operation: Operation,
    source: Vec<u8>,
    iv: [u8; 32],
    messages: Vec<Vec<u8>>,
}

/// Something to time: lays out a batch, works on it, and gives the time of the work and the messages.
trait Run {
    fn run(&mut self) -> (Duration, usize);
    /// What the work leaves.
    fn output(&self) -> &[u8];
}

impl<A: Aead> Work<A> {
    fn boxed(operation: Operation, size: usize) -> Box<dyn Run>
    where
        A: 'static,
    {
        let aead = A::new();
        let mut source: Vec<u8> = (0..size).map(|i| (i * 7 + 3) as u8).collect();
        let mut iv = [0; 32];
        if matches!(operation, Open | BadTag | BadCiphertext) {
            iv = aead.seal(&mut source);
        }
        match operation {
            BadTag => iv[31] ^= 1,
            BadCiphertext => source[size / 2] ^= 1,
            _ => {}
        }
        let messages = vec![source.clone(); (BATCH / size.max(64)).max(4)];
        Box::new(Work {
            aead,
            operation,
            source,
            iv,
            messages,
        })
    }
}

impl<A: Aead> Run for Work<A> {
    fn run(&mut self) -> (Duration, usize) {
        for message in &mut self.messages {
            message.copy_from_slice(&self.source);
        }
        let start = Instant::now();
        match self.operation {
            Init => self.messages.iter().for_each(|_| drop(black_box(A::new()))),
            First => {
                for message in &mut self.messages {
                    black_box(A::new().seal(black_box(message)));
                }
            }
            Seal => {
                for message in &mut self.messages {
                    black_box(self.aead.seal(black_box(message)));
                }
            }
            Open | BadTag | BadCiphertext => {
                for message in &mut self.messages {
                    let opened = self.aead.open(black_box(message), &self.iv);
                    assert_eq!(opened, self.operation == Open);
                }
            }
        }
        (start.elapsed(), self.messages.len())
    }

    fn output(&self) -> &[u8] {
        self.messages.last().expect("there are four at least")
    }
}

fn main() -> ExitCode {
    let mut wanted = Vec::new();
    for name in env::args().skip(1) {
        let Some(operation) = OPERATIONS.into_iter().find(|(known, _)| *known == name) else {
            eprintln!("usage: siv [init|first|seal|open|bad-tag|bad-ciphertext]...");
            return ExitCode::from(2);
        };
        wanted.push(operation);
    }
    if wanted.is_empty() {
        wanted = OPERATIONS.to_vec();
    }
    straight::choose_kernels();
    println!("| operation | bytes | ss55, ns | GB/s | blake2 + chacha20 | blake2 + libsodium |");
    println!("|---|---|---|---|---|---|");
    for (name, operation) in wanted {
        for size in SIZES {
            // Init has no message, and an empty ciphertext no bit to flip.
            if operation == Init && size > 0 || operation == BadCiphertext && size == 0 {
                continue;
            }
            let [ours, straight, sodium] = race(&mut [
                Work::<Siv256>::boxed(operation, size),
                Work::<Straight>::boxed(operation, size),
                Work::<Sodium>::boxed(operation, size),
            ]);
            let speed = size as f64 / ours;
            let (by_straight, by_sodium) = (straight / ours, sodium / ours);
            println!(
                "| {name} | {size} | {ours:.0} | {speed:.2} | {by_straight:.2} x | {by_sodium:.2} x |"
            );
        }
    }
    ExitCode::SUCCESS
}

/// Nanoseconds for a message: each one's best slice.
fn race<const N: usize>(contestants: &mut [Box<dyn Run>; N]) -> [f64; N] {
    let start = Instant::now();
    let mut best = [f64::INFINITY; N];
    while start.elapsed() < RACE {
        for (contestant, best) in contestants.iter_mut().zip(&mut best) {
            let (mut time, mut messages) = (Duration::ZERO, 0);
            while time < SLICE {
                let (more, count) = contestant.run();
                time += more;
                messages += count;
            }
            *best = best.min(time.as_nanos() as f64 / messages as f64);
        }
    }
    let expected = contestants[0].output();
    for contestant in &*contestants {
        assert!(contestant.output() == expected, "other bytes");
    }
    best
}
