//! ss55 for C: encrypted streams over callbacks and over buffers, and the AEADs. `include/ss55.h` is made of
//! this crate; its README says how to link it.
//!
//! Nothing unwinds into C. A panic inside one of our own functions becomes `SS55_ERROR_INTERNAL`, and the
//! handle says so from then on; in callbacks it aborts the process.
//!
//! `unsafe` is what a C interface is made of: each block names what the C caller has promised. The promises
//! that all functions ask for are those of [`memory`].

mod aead;
mod buffer;
mod callback;
mod error;
mod handle;
mod memory;
mod stream;
mod version;
