//! The binary as people use it: each test runs the real one, in a folder of its own.

#![forbid(unsafe_code)]

mod backend;
mod damage;
mod descriptors;
mod failures;
mod formats;
mod hints;
mod inspect;
mod keys;
mod kills;
mod limits;
mod negative;
#[path = "../../../wire/tests/support/negative.rs"]
mod negative_vectors;
mod outputs;
mod pipes;
mod support;
mod terminal;
