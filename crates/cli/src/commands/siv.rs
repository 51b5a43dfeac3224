//! Single messages, sealed in one piece with ChaCha20-BLAKE2s-SIV: what its two commands share.
//!
//! ```text
//! nonce (12) | ciphertext (as long as the plaintext) | IV (32)
//! ```
//!
//! There is no ad and no magic. Nothing is written before all of it is authenticated, so all of it is in
//! memory.

use crate::{
    engine,
    error::Error,
    input::{Input, Name},
};
use ss55_aead::{Engine, Key};
use ss55_siv::{Backend, Siv256, check_message_len};
use std::io;
use zeroize::Zeroizing;

pub mod decrypt;
pub mod encrypt;

/// What a sealed file's name ends with.
const SUFFIX: &[u8] = b".siv";
const NONCE: usize = 12;
const OVERHEAD: usize = NONCE + Siv256::IV_LEN;
/// What is asked for first, where the input does not say how long it is.
const FIRST_GUESS: u64 = 1 << 20;

fn cipher(key: &Key) -> Result<Siv256, Error> {
    let backend = Backend::by_name(engine::chosen()?.name()).unwrap_or_else(Backend::detect);
    Ok(Siv256::with_backend(backend, key.as_bytes()))
}

/// All of the input, with room before and behind it. No copy of it is left in freed memory. `hint` is for
/// where there is too little of it.
fn read_all(
    input: &mut Input,
    before: usize,
    behind: usize,
    hint: &'static str,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let expected = input.len().unwrap_or(FIRST_GUESS);
    let expected = usize::try_from(expected).unwrap_or(usize::MAX);
    // One byte more, so that the end is seen without another allocation.
    let mut bytes = zeros(
        expected.saturating_add(before + behind + 1),
        input.name(),
        hint,
    )?;
    let mut end = before;
    loop {
        let limit = bytes.len() - behind;
        end += input.fill(&mut bytes[end..limit])?;
        if end < limit {
            break;
        }
        let mut more = zeros(bytes.len().saturating_mul(2), input.name(), hint)?;
        more[..end].copy_from_slice(&bytes[..end]);
        bytes = more; // which wipes the smaller one
    }
    bytes.truncate(end + behind);
    Ok(bytes)
}

fn zeros(len: usize, name: &Name, hint: &'static str) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut bytes = Vec::new();
    if check_message_len(len as u64).is_err() || bytes.try_reserve_exact(len).is_err() {
        return Err(Error::Io {
            name: name.clone(),
            source: io::Error::new(
                io::ErrorKind::OutOfMemory,
                "no memory for it, and a single message has to be there as a whole",
            ),
            hint,
        });
    }
    bytes.resize(len, 0);
    Ok(Zeroizing::new(bytes))
}
