//! Sans-IO codecs of three formats of encrypted streams: bytes in, bytes out; no clock, no random
//! source, no I/O, no allocation.
//!
//! | module | format | its end |
//! |---|---|---|
//! | [`v2`] | SS55 v2: frames of up to 64 KiB, each with a length | authenticated |
//! | [`v1`] | SS55 v1, for reading old archives | cannot be authenticated |
//! | [`secretstream`] | libsodium's `crypto_secretstream_xchacha20poly1305`, and the layout of fixed chunks that WAL-G gives it | authenticated |
//!
//! A frame is sealed or opened where it lies, or from one buffer to another. Bytes that are not there
//! yet are not an error: [`v2::Opener::frame_header`] answers `None`. Whoever reads to the end of the
//! input asks [`v2::Opener::end`] whether the stream ended there too.
//!
//! ```
//! use ss55_aead::{Key, SimdEngine};
//! use ss55_wire::v2::{FRAME_HEADER_LEN, Header, Opener, Sealer};
//!
//! let key = Key::from_bytes([7; 32]);
//! let header = Header::new([9; 24]); // random, never twice under one key
//! let mut sealer = Sealer::new(SimdEngine::new(), &key, &header);
//! let mut frame = [0; 5 + 6 + 16];
//! sealer.seal_to(b"", b"secret", &mut frame)?;
//! let end = sealer.finish()?;
//!
//! let mut opener = Opener::new(SimdEngine::new(), &key, &header);
//! let head = opener.frame_header(&frame)?.expect("a whole frame is here");
//! let plaintext = opener.open_in_place(head, b"", &mut frame[FRAME_HEADER_LEN..])?;
//! assert_eq!(plaintext, b"secret");
//! let head = opener.frame_header(&end)?.expect("a whole frame is here");
//! opener.open_in_place(head, b"", &mut end.clone()[FRAME_HEADER_LEN..])?;
//! opener.end()?;
//! # Ok::<(), ss55_wire::Error>(())
//! ```
//!
//! `examples/socket.rs` is the same over a socket that neither side blocks on. There are no features: the
//! engine is a parameter, and those of `ss55-aead` are chosen there.

#![no_std]
#![forbid(unsafe_code)]

mod error;
mod frames;
pub mod secretstream;
pub mod v1;
pub mod v2;

pub use error::Error;

/// The example of the README, to be tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
