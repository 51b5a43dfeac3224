//! Keys, nonces and plaintexts of the tests, and the engines that they run on.
#![allow(dead_code)] // each test file takes what it needs

#[cfg(not(target_family = "wasm"))]
use ss55_aead::SodiumEngine;
use ss55_aead::{Engine, Key, PortableEngine, SimdEngine};

/// 00..1f.
pub const KEY: [u8; 32] = counted(0);
/// 40..57.
pub const NONCE: [u8; 24] = counted(0x40);

const fn counted<const N: usize>(first: u8) -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = first + i as u8;
        i += 1;
    }
    bytes
}

/// `KEY` for the code under test.
pub fn key() -> Key {
    Key::from_bytes(KEY)
}

/// Byte i is 7i + 3.
pub fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

/// Every engine of this machine. The codecs must not care which one they are given.
pub fn engines() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(PortableEngine),
        Box::new(SimdEngine::new()),
        #[cfg(not(target_family = "wasm"))]
        Box::new(SodiumEngine::new()),
    ]
}

/// `bytes` with one bit changed, bit 0 being the lowest of the first byte.
pub fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}
