//! The binary as people use it: each test runs the real one, in a folder of its own.

#![forbid(unsafe_code)]
// Linux's /proc, /dev/full and limits on memory are in every other file of them; on another Unix none of
// them is run, rather than those that happen to pass.
#![cfg(target_os = "linux")]

mod backend;
mod cat;
mod damage;
mod descriptors;
mod failures;
mod formats;
mod hints;
mod inspect;
mod keys;
mod kills;
mod limits;
mod messages;
mod negative;
#[path = "../../../wire/tests/support/negative.rs"]
mod negative_vectors;
mod outputs;
mod passphrase;
mod pipes;
mod reencrypt;
mod several;
mod siv;
mod snapshots;
mod support;
mod surfaces;
mod terminal;
mod threads;
mod walg;
