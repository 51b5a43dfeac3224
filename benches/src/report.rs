//! The result of a comparison, and the files made of it.

use crate::{
    Contestant, Operation, contestants, ours,
    race::{self, Throughput},
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

mod chart;
mod machine;
mod markdown;
mod targets;

pub use machine::Machine;

/// Everything that `docs/benchmarks.json` holds.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// Where it was measured.
    pub machine: Machine,
    /// The other implementations and their versions.
    pub peers: Vec<(String, String)>,
    /// One entry for each operation and message length.
    pub races: Vec<Race>,
}

/// All contestants of one operation at one message length, measured in turns.
#[derive(Debug, Serialize, Deserialize)]
pub struct Race {
    /// What they did.
    pub operation: Operation,
    /// Bytes in a message.
    pub size: usize,
    /// The day, as in 2026-01-31, UTC.
    pub date: String,
    /// How often each had its turn.
    pub rounds: usize,
    /// One entry for each contestant.
    pub results: Vec<Outcome>,
}

/// One contestant's throughput.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The implementation.
    pub name: String,
    /// Which of its functions were called.
    pub call: String,
    /// The best slice, in 10^9 bytes of message a second.
    pub best: f64,
    /// The median slice, likewise.
    pub median: f64,
}

impl Report {
    /// Nothing measured yet.
    pub fn new() -> Self {
        #[allow(unused_mut)] // without peers
        let mut peers = crate::serpent_peers::versions();
        #[cfg(feature = "peers")]
        peers.splice(0..0, crate::peers::versions());
        Report {
            machine: Machine::this(),
            peers: peers.into_iter().map(|(n, v)| (n.into(), v)).collect(),
            races: Vec::new(),
        }
    }

    /// Enters a race, in the place of an earlier one of the same operation and length.
    pub fn enter(&mut self, race: Race) {
        self.races
            .retain(|old| (old.operation, old.size) != (race.operation, race.size));
        self.races.push(race);
        let place = |operation| Operation::ALL.iter().position(|op| *op == operation);
        self.races
            .sort_by_key(|race| (place(race.operation), race.size));
    }

    /// The race of an operation at a message length.
    pub fn race(&self, operation: Operation, size: usize) -> Option<&Race> {
        self.races
            .iter()
            .find(|race| (race.operation, race.size) == (operation, size))
    }

    /// `docs/benchmarks.md`.
    pub fn to_markdown(&self) -> String {
        markdown::page(self)
    }

    /// `docs/benchmarks.svg`.
    pub fn to_svg(&self) -> String {
        chart::svg(self)
    }

    /// Names of the contestants of an operation, in the order of the tables.
    fn names(&self, operation: Operation) -> Vec<&str> {
        let mut names = Vec::new();
        for race in self.races.iter().filter(|race| race.operation == operation) {
            for outcome in &race.results {
                if !names.contains(&outcome.name.as_str()) {
                    names.push(&outcome.name);
                }
            }
        }
        names
    }
}

impl Default for Report {
    fn default() -> Self {
        Report::new()
    }
}

impl Race {
    /// Measures `operation` at one message length, for `time`.
    ///
    /// # Errors
    /// If a contestant gives other bytes than the portable backend.
    pub fn run(operation: Operation, size: usize, time: Duration) -> Result<Self, String> {
        let mut contestants = contestants(operation, size);
        for contestant in &mut contestants {
            contestant.check()?;
        }
        let (rounds, throughputs) = race::race(&mut contestants, time);
        let outcome = |(contestant, throughput): (Contestant, Throughput)| Outcome {
            name: contestant.name,
            call: contestant.call.into(),
            best: throughput.best,
            median: throughput.median,
        };
        Ok(Race {
            operation,
            size,
            date: machine::today(),
            rounds,
            results: contestants
                .into_iter()
                .zip(throughputs)
                .map(outcome)
                .collect(),
        })
    }

    /// The throughput of the contestant of this name.
    pub fn outcome(&self, name: &str) -> Option<&Outcome> {
        self.results.iter().find(|outcome| outcome.name == name)
    }

    /// The name of the fastest contestant that is not this project's.
    pub fn fastest_peer(&self) -> Option<&str> {
        let peers = self
            .results
            .iter()
            .filter(|outcome| !is_ours(&outcome.name));
        let fastest = peers.max_by(|a, b| a.best.total_cmp(&b.best))?;
        Some(&fastest.name)
    }

    /// How much faster the chosen engine is than `peer`, best slice against best slice.
    pub fn lead(&self, peer: &str) -> Option<f64> {
        Some(self.outcome(ours::CHOSEN)?.best / self.outcome(peer)?.best)
    }
}

/// Whether a contestant is this project's.
fn is_ours(name: &str) -> bool {
    name.starts_with(ours::CHOSEN)
}

/// A message length for people.
fn length(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}
