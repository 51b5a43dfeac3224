//! Who else does Serpent: apart from the other peers, because it takes seconds to build them. The feature
//! `serpent` is RustCrypto's crate, `botan` Botan as the system has it (Debian's libbotan-2-dev).

use crate::{Contestant, Operation};

#[cfg(feature = "botan")]
mod botan;
#[cfg(feature = "serpent")]
mod rustcrypto;

/// RustCrypto's contestant.
pub const RUSTCRYPTO: &str = "RustCrypto serpent";
/// Botan's contestant.
pub const BOTAN: &str = "Botan";

/// The peers that do `operation`.
#[allow(unused_mut, unused_variables, clippy::let_and_return)] // without them
pub fn contestants(operation: Operation, size: usize) -> Vec<Contestant> {
    let mut all = Vec::new();
    #[cfg(feature = "serpent")]
    all.extend(rustcrypto::contestant(operation, size));
    #[cfg(feature = "botan")]
    all.extend(botan::contestant(operation, size));
    all
}

/// The name and version of every peer.
#[allow(unused_mut, clippy::let_and_return)] // without them
pub fn versions() -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    #[cfg(feature = "serpent")]
    all.push((RUSTCRYPTO, crate::locked("serpent")));
    #[cfg(feature = "botan")]
    all.push((BOTAN, botan::version()));
    all
}
