//! The clock: all contestants in turns, in short slices.

use crate::Contestant;
use std::time::{Duration, Instant};

/// How long one contestant runs before the next has its turn: long enough to warm up, short enough
/// that a change of the clock frequency, or another program, meets all of them.
const SLICE: Duration = Duration::from_millis(2);

/// One contestant's throughput over all rounds, in GB/s (10^9 bytes of message a second).
#[derive(Clone, Copy, Debug)]
pub struct Throughput {
    /// The best slice.
    pub best: f64,
    /// The median of the slices.
    pub median: f64,
}

/// Lets the contestants run in turns until `time` is over, at least three rounds, and gives the number
/// of rounds and each one's throughput.
pub fn race(contestants: &mut [Contestant], time: Duration) -> (usize, Vec<Throughput>) {
    let mut slices = vec![Vec::new(); contestants.len()];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 3 || start.elapsed() < time {
        for turn in 0..contestants.len() {
            // Back and forth: nobody always runs after the same neighbour.
            let n = if rounds % 2 == 0 {
                turn
            } else {
                contestants.len() - 1 - turn
            };
            slices[n].push(slice(&mut contestants[n]));
        }
        rounds += 1;
    }
    (rounds, slices.into_iter().map(summary).collect())
}

/// GB/s over one slice.
fn slice(contestant: &mut Contestant) -> f64 {
    let (mut time, mut bytes) = (Duration::ZERO, 0);
    while time < SLICE {
        time += contestant.time();
        bytes += contestant.bytes();
    }
    bytes as f64 / time.as_nanos() as f64
}

fn summary(mut slices: Vec<f64>) -> Throughput {
    slices.sort_by(f64::total_cmp);
    Throughput {
        best: slices[slices.len() - 1],
        median: slices[slices.len() / 2],
    }
}
