//! libsodium's secretstream in chunks of one size: the layout in which WAL-G stores backups.
//!
//! ```
//! use ss55_stream::{Key, libsodium::{Decryptor, Encryptor}};
//! use std::io::{Read, Write};
//!
//! let key = Key::from_bytes([7; 32]);
//! let mut encryptor = Encryptor::new(Vec::new(), &key);
//! encryptor.write_all(&[1; 10_000])?;
//! let sealed = encryptor.finish()?;
//! assert_eq!(sealed.len(), 24 + (8192 + 17) + (10_000 - 8192 + 17));
//!
//! let mut plaintext = Vec::new();
//! Decryptor::new(&sealed[..], &key).read_to_end(&mut plaintext)?;
//! assert_eq!(plaintext, [1; 10_000]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Chunks carry no length and no ad, so writer and reader must agree on the chunk size, and a flush
//! cannot make a shorter chunk. The stream always ends with a FINAL chunk that is not full.

/// Bytes of plaintext in the largest chunk. Two of them are held in memory.
pub const MAX_CHUNK: usize = 1 << 30;

mod decryptor;
mod encryptor;

pub use decryptor::{Decryptor, DecryptorBuilder};
pub use encryptor::{Encryptor, EncryptorBuilder};
