//! Other implementations, each used as its documentation advises for speed: contexts made once, in
//! place where the interface allows it, no allocation per message.

use crate::{Contestant, Operation, locked, work::Work};

mod aws_lc;
mod dryoc;
mod graviola;
mod libsodium;
mod openssl;
mod orion;
mod ring;
mod rustcrypto;

/// What a peer answers: the functions that it calls, and the work; `None` if it lacks the operation.
type Entry = Option<(&'static str, Box<dyn Work>)>;
/// One peer: its name, its version, its entries.
type Peer = (&'static str, fn() -> String, fn(Operation, usize) -> Entry);

const PEERS: [Peer; 8] = [
    ("OpenSSL", openssl::version, openssl::entry),
    ("ring", || locked("ring"), ring::entry),
    ("aws-lc-rs", || locked("aws-lc-rs"), aws_lc::entry),
    ("libsodium", libsodium::version, libsodium::entry),
    ("dryoc", || locked("dryoc"), dryoc::entry),
    ("RustCrypto", rustcrypto::version, rustcrypto::entry),
    ("graviola", || locked("graviola"), graviola::entry),
    ("orion", || locked("orion"), orion::entry),
];

/// The peers that do `operation`.
pub fn contestants(operation: Operation, size: usize) -> Vec<Contestant> {
    let entered = PEERS.iter().filter_map(|(name, _, entry)| {
        let (call, work) = entry(operation, size)?;
        Some(Contestant::new(*name, call, operation, size, work))
    });
    entered.collect()
}

/// The name and version of every peer.
pub fn versions() -> Vec<(&'static str, String)> {
    PEERS.map(|(name, version, _)| (name, version())).to_vec()
}
