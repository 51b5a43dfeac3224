//! The tests of streams over `Read` and `Write` once more, over the types of `ss55_stream::parallel`; and
//! what is theirs alone.
#![allow(clippy::duplicate_mod)] // each file brings what it needs, to be a test of its own as well

#![allow(clippy::duplicate_mod)] // each file brings its own support, to be tested alone too

#[path = "damage.rs"]
mod damage;
#[path = "faults.rs"]
mod faults;
#[path = "parallel/own.rs"]
mod own;
#[path = "reader.rs"]
mod reader;
#[path = "vectors.rs"]
mod vectors;
#[path = "writer.rs"]
mod writer;
