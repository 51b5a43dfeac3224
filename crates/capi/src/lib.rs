//! ss55 for C: encrypted streams over callbacks and over buffers, and the AEADs. `include/ss55.h` is made of
//! this crate; its README says how to link it.
//!
//! Under the feature `sodium-compat` the library also has libsodium's names of secretstream and of
//! XChaCha20-Poly1305, to stand in for that library.
//!
//! Nothing unwinds into C. A panic inside one of our own functions becomes `SS55_ERROR_INTERNAL`, and the
//! handle says so from then on; in libsodium's names, which have no error for it, and in callbacks it aborts the
//! process.
//!
//! `unsafe` is what a C interface is made of: each block names what the C caller has promised. The promises
//! that all functions ask for are those of [`memory`].

mod aead;
mod buffer;
mod callback;
mod error;
mod handle;
mod memory;
#[cfg(feature = "sodium-compat")]
mod sodium;
mod stream;
mod version;
