//! Encrypted streams over [`Read`](std::io::Read) and [`Write`](std::io::Write).
//!
//! ```
//! use ss55_stream::{Decryptor, Encryptor, Key};
//! use std::io::{Read, Write};
//!
//! let key = Key::from_bytes([7; 32]);
//! let mut encryptor = Encryptor::new(Vec::new(), &key);
//! encryptor.write_all(b"attack at dawn")?;
//! let sealed = encryptor.finish()?; // without it the stream is truncated
//!
//! let mut plaintext = String::new();
//! Decryptor::new(&sealed[..], &key).read_to_string(&mut plaintext)?;
//! assert_eq!(plaintext, "attack at dawn");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | type | format |
//! |---|---|
//! | [`Encryptor`] | writes SS55 v2 |
//! | [`Decryptor`] | reads SS55 v2, and v1 where that is allowed |
//! | [`SeekableDecryptor`] | reads any place of an SS55 v2 stream |
//! | [`libsodium::Encryptor`], [`libsodium::Decryptor`] | libsodium's secretstream in chunks of 8192 bytes, as WAL-G stores it |
//! | `parallel::Encryptor`, `parallel::Decryptor` (feature `parallel`) | v2, and v1 to read, on several threads |
//! | `tokio::Encryptor`, `tokio::Decryptor`, and a codec (feature `tokio`) | v2, and v1 to read, over `AsyncRead` and `AsyncWrite` |
//!
//! What all of them promise:
//!
//! - Plaintext is handed out only after its frame was authenticated, in its place. What was read
//!   before an error or before the end is an authentic *prefix*: act on it only when the reader has
//!   answered `Ok(0)`.
//! - An error stays: every later call fails too. `Interrupted` is retried, and `WouldBlock` loses
//!   nothing: the same call, made again, goes on.
//! - Memory is one frame to write and two to read, taken at construction, whatever a length field
//!   claims; on several threads four to write and twelve to read for each of them. libsodium's chunks are
//!   written one by one and read by the 64 KiB, where they are no larger.
//! - A stream that was not finished is truncated for its reader. Dropping a writer does not finish
//!   it.
//!
//! | feature | default | what for |
//! |---|---|---|
//! | `parallel` | no | the types of `parallel`, on rayon's threads |
//! | `tokio` | no | the types of `tokio` |
//! | `libsodium` | no | `SodiumEngine`, to run the streams on libsodium (needs a C compiler) |

#![forbid(unsafe_code)]

#[macro_use]
mod shell;

mod buffer;
mod decryptor;
mod encryptor;
mod error;
mod inbound;
pub mod libsodium;
mod outbound;
#[cfg(feature = "parallel")]
pub mod parallel;
mod seek;
#[cfg(feature = "tokio")]
pub mod tokio;

pub use decryptor::{Decryptor, DecryptorBuilder, Format, Formats};
pub use encryptor::{Encryptor, EncryptorBuilder};
pub use error::Error;
pub use seek::{Length, SeekableDecryptor};
#[cfg(feature = "libsodium")]
pub use ss55_aead::SodiumEngine;
pub use ss55_aead::{Engine, Key, PortableEngine, SimdEngine};
pub use ss55_wire as wire;

/// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
