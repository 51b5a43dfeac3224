//! Key files under a passphrase.
//!
//! ```text
//! magic "SS55-key" 8 | version 2 = 1 | reserved 2 = 0 | memory 4 in KiB | passes 4 | lanes 4
//! | salt 16 | nonce 24 | commitment 32                                             96 bytes, the AAD
//! | the key's ciphertext 32 | mac 16                                              144 bytes in all
//! ```
//!
//! Integers are big-endian. Argon2id (RFC 9106, version 0x13) of the passphrase under the salt gives 64
//! bytes: the key of the XChaCha20-Poly1305 that seals the file's key, and the commitment. That is compared
//! before anything is opened: a mac of Poly1305 alone can be made to fit several passphrases.

use crate::error::Error;
use argon2::{Algorithm, Argon2, Params, Version};
use ss55_aead::{Aad, Key, Tag, XChaCha20Poly1305};
use std::{env, io};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

pub const MAGIC: &[u8; 8] = b"SS55-key";
/// Of every such file.
pub const LEN: usize = HEADER_LEN + Key::LEN + Tag::LEN;
const HEADER_LEN: usize = 96;
const SALT: std::ops::Range<usize> = 24..40;
const NONCE: std::ops::Range<usize> = 40..64;
const COMMITMENT: std::ops::Range<usize> = 64..96;
/// Holds a passphrase where nobody is there to be asked.
const VARIABLE: &str = "SS55_PASSPHRASE";

/// What deriving costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    kibibytes: u32,
    passes: u32,
    lanes: u32,
}

impl Cost {
    /// The second choice of RFC 9106, 4, for machines that have not two gibibytes to spare.
    const DEFAULT: Cost = Cost {
        kibibytes: 64 << 10,
        passes: 3,
        lanes: 4,
    };

    /// What a file may ask of whoever opens it: it is not authenticated before it is paid.
    fn is_bearable(self) -> bool {
        self.kibibytes <= 1 << 20 && self.passes <= 16 && self.lanes <= 16
    }
}

/// Why such a file gives no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locked {
    pub why: &'static str,
    pub hint: &'static str,
}

const fn locked(why: &'static str, hint: &'static str) -> Locked {
    Locked { why, hint }
}

const WRONG_LENGTH: Locked = locked("a protected key file of the wrong length", ANOTHER_COPY);
const UNKNOWN_VERSION: Locked = locked(
    "a protected key file of a version that is not known here",
    "a later ss55 may know it",
);
const GREEDY: Locked = locked(
    "a protected key file that asks for more than 1 GiB, 16 passes or 16 lanes",
    ANOTHER_COPY,
);
const UNKNOWN_PARAMETERS: Locked = locked(
    "a protected key file with parameters that Argon2 does not have",
    ANOTHER_COPY,
);
const NO_MEMORY: Locked = locked(
    "a protected key file that needs more memory than there is",
    "raise the limit on memory (ulimit -v), or open it on another machine",
);
const WRONG_PASSPHRASE: Locked = locked(
    "a wrong passphrase, or damage",
    "it wants the passphrase that `ss55 keygen --passphrase` was given",
);
const DAMAGED: Locked = locked("a protected key file that is damaged", ANOTHER_COPY);
const ANOTHER_COPY: &str = "damaged, or not such a file; use another copy of it";

/// Whether a key file is one of these.
pub fn is_protected(file: &[u8]) -> bool {
    file.starts_with(MAGIC)
}

/// The file for `key`.
pub fn protect(key: &Key, passphrase: &str) -> Result<[u8; LEN], &'static str> {
    let mut file = [0; LEN];
    file[..8].copy_from_slice(MAGIC);
    file[8..12].copy_from_slice(&[0, 1, 0, 0]);
    let Cost {
        kibibytes,
        passes,
        lanes,
    } = Cost::DEFAULT;
    for (at, value) in [(12, kibibytes), (16, passes), (20, lanes)] {
        file[at..at + 4].copy_from_slice(&value.to_be_bytes());
    }
    // Salt and nonce: 40 random bytes.
    let random = [(); 2].map(|()| Key::generate());
    for (part, key) in file[SALT.start..NONCE.end].chunks_mut(32).zip(random) {
        let key = key.map_err(|_| "the system has no random bytes")?;
        part.copy_from_slice(&key.as_bytes()[..part.len()]);
    }
    let derived = derive(passphrase, &file, Cost::DEFAULT).map_err(|locked| locked.why)?;
    let (seal, commitment) = derived.split_at(Key::LEN);
    file[COMMITMENT].copy_from_slice(commitment);
    let (header, rest) = file.split_at_mut(HEADER_LEN);
    let (body, mac) = rest.split_at_mut(Key::LEN);
    body.copy_from_slice(key.as_bytes());
    let tag = cipher(seal).seal_in_place_detached(nonce(header), Aad::from(&*header), body);
    mac.copy_from_slice(tag.as_bytes());
    Ok(file)
}

/// The key in `file`, or what is found instead of one.
pub fn unprotect(
    file: &[u8],
    passphrase: impl FnOnce() -> Result<Zeroizing<String>, Error>,
) -> Result<Result<Key, Locked>, Error> {
    let cost = match cost(file) {
        Ok(cost) => cost,
        Err(found) => return Ok(Err(found)),
    };
    let passphrase = passphrase()?;
    Ok(derive(&passphrase, file, cost).and_then(|derived| open(file, &derived[..])))
}

/// What the header asks for, checked before it is believed.
fn cost(file: &[u8]) -> Result<Cost, Locked> {
    if file.len() != LEN {
        return Err(WRONG_LENGTH);
    }
    if file[8..12] != [0, 1, 0, 0] {
        return Err(UNKNOWN_VERSION);
    }
    let field = |at: usize| u32::from_be_bytes(*file[at..].first_chunk().expect("96 bytes"));
    let cost = Cost {
        kibibytes: field(12),
        passes: field(16),
        lanes: field(20),
    };
    if cost.is_bearable() {
        Ok(cost)
    } else {
        Err(GREEDY)
    }
}

fn open(file: &[u8], derived: &[u8]) -> Result<Key, Locked> {
    let (seal, commitment) = derived.split_at(Key::LEN);
    let (header, rest) = file.split_at(HEADER_LEN);
    let (body, mac) = rest.split_at(Key::LEN);
    if !bool::from(commitment.ct_eq(&header[COMMITMENT])) {
        return Err(WRONG_PASSPHRASE);
    }
    let mut key = Zeroizing::new([0; Key::LEN]);
    key.copy_from_slice(body);
    let tag = Tag::from(*mac.first_chunk().expect("16 bytes"));
    cipher(seal)
        .open_in_place_detached(nonce(header), Aad::from(header), &mut key[..], &tag)
        .map_err(|_| DAMAGED)?;
    Ok(Key::from_bytes(*key))
}

fn derive(passphrase: &str, file: &[u8], cost: Cost) -> Result<Zeroizing<[u8; 64]>, Locked> {
    let params = Params::new(cost.kibibytes, cost.passes, cost.lanes, Some(64))
        .map_err(|_| UNKNOWN_PARAMETERS)?;
    let mut derived = Zeroizing::new([0; 64]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.as_bytes(), &file[SALT], &mut derived[..])
        .map_err(|_| NO_MEMORY)?;
    Ok(derived)
}

fn cipher(key: &[u8]) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(key.first_chunk().expect("32 bytes"))
}

fn nonce(header: &[u8]) -> &[u8; 24] {
    header[NONCE].first_chunk().expect("24 bytes")
}

/// The passphrase: from the environment, or from whoever sits at the terminal, twice if it is `new`.
pub fn ask(new: bool) -> Result<Zeroizing<String>, Error> {
    if let Some(passphrase) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        return passphrase.into_string().map(Zeroizing::new).map_err(|_| {
            Error::usage(
                format!("{VARIABLE} is no UTF-8 text"),
                "a passphrase is text",
            )
        });
    }
    let prompt = |text: &str| {
        rpassword::prompt_password(text)
            .map(Zeroizing::new)
            .map_err(|error: io::Error| {
                if error.kind() == io::ErrorKind::UnexpectedEof {
                    return no_passphrase(new);
                }
                Error::usage(
                    format!("no terminal to ask for the passphrase: {error}"),
                    format!("set {VARIABLE}; other processes of this user can see it there"),
                )
            })
    };
    let passphrase = prompt("Passphrase: ")?;
    if passphrase.is_empty() {
        return Err(no_passphrase(new));
    }
    if new && prompt("Once more: ")? != passphrase {
        return Err(Error::usage(
            "the two passphrases differ",
            "run it again; nothing was written",
        ));
    }
    Ok(passphrase)
}

/// It was asked for, and nothing came.
fn no_passphrase(new: bool) -> Error {
    if new {
        Error::usage(
            "an empty passphrase protects nothing",
            "give one, or leave --passphrase out",
        )
    } else {
        Error::usage("no passphrase was given", WRONG_PASSPHRASE.hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Little enough for a test of every bit.
    const CHEAP: Cost = Cost {
        kibibytes: 8,
        passes: 1,
        lanes: 1,
    };

    #[test]
    fn what_was_protected_comes_back() {
        let key = Key::from_bytes([0xa7; 32]);
        let file = protect(&key, "correct horse").unwrap();
        assert!(is_protected(&file));
        assert!(!file.windows(8).any(|bytes| bytes == [0xa7; 8]));
        let open = |file: &[u8], passphrase: &str| {
            unprotect(file, || Ok(passphrase.to_owned().into())).unwrap()
        };
        assert_eq!(
            open(&file, "correct horse").unwrap().as_bytes(),
            key.as_bytes()
        );
        assert!(open(&file, "wrong horse").is_err());
        assert_ne!(protect(&key, "correct horse").unwrap(), file);
    }

    /// Whatever is changed, with what the passphrase gives for the file as it was.
    #[test]
    fn every_bit_counts() {
        let file = protect(&Key::from_bytes([1; 32]), "p").unwrap();
        let derived = derive("p", &file, Cost::DEFAULT).unwrap();
        assert!(open(&file, &derived[..]).is_ok());
        for bit in 0..LEN * 8 {
            let mut damaged = file;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&damaged, &derived[..]).is_err(), "bit {bit}");
        }
    }

    /// Nobody is asked, and nothing derived, for a file that wants too much.
    #[test]
    fn costs_are_capped_before_they_are_paid() {
        let file = protect(&Key::from_bytes([1; 32]), "p").unwrap();
        let unasked = || -> Result<Zeroizing<String>, Error> { panic!("asked") };
        for (at, value) in [(12, (1 << 20) + 1), (16, 17), (20, 17), (12, u32::MAX)] {
            let mut greedy = file;
            greedy[at..at + 4].copy_from_slice(&u32::to_be_bytes(value));
            assert!(unprotect(&greedy, unasked).unwrap().is_err());
        }
        for len in [8, 95, 96, 143] {
            assert!(unprotect(&file[..len], unasked).unwrap().is_err());
        }
        let mut other = file;
        other[9] = 2;
        assert!(unprotect(&other, unasked).unwrap().is_err());
        // And none is taken that Argon2 does not know.
        assert!(derive("p", &file, Cost { passes: 0, ..CHEAP }).is_err());
        assert!(derive("p", &file, CHEAP).is_ok());
    }
}
