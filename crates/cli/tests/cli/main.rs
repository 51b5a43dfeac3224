//! The binary as people use it: each test runs the real one, in a folder of its own.

#![forbid(unsafe_code)]

mod backend;
mod cat;
mod damage;
mod descriptors;
mod failures;
mod formats;
mod hints;
mod inspect;
mod keys;
mod limits;
mod outputs;
mod passphrase;
mod pipes;
mod reencrypt;
mod several;
mod support;
mod terminal;
mod threads;
mod walg;
