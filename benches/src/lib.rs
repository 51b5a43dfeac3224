//! What is measured, and how: the same work by every backend of this project and, with the feature
//! `peers`, by other implementations.
//!
//! `cargo bench -p ss55-benches` runs it under Criterion, one contestant after the other; the program
//! `compare` (`cargo xtask bench`) runs all contestants of an operation in turns and writes the tables
//! of `docs/benchmarks.md`.
//!
//! | module | what it holds |
//! |---|---|
//! | [`operation`] | what is measured, at which lengths |
//! | [`work`] | a batch of messages for each operation, over what an implementation must offer |
//! | [`ours`], `peers`, [`serpent_peers`] | the implementations |
//! | [`race`] | the clock |
//! | [`report`] | the result, and the files made of it |

// Throughputs and coordinates: 53 bits are plenty.
#![allow(clippy::cast_precision_loss)]

pub mod contestant;
pub mod operation;
pub mod ours;
#[cfg(feature = "peers")]
pub mod peers;
pub mod race;
pub mod report;
pub mod serpent_peers;
pub mod work;

pub use contestant::{Contestant, contestants};
pub use operation::Operation;

/// The version of a crate in the lock file of this build.
#[cfg(any(feature = "peers", feature = "serpent"))]
fn locked(name: &str) -> String {
    let lock = include_str!("../../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = lock.split_once(&entry).expect("it is a dependency");
    rest.split('"').next().expect("split has a first").into()
}
