//! Keys, nonces and plaintexts of the tests.
#![allow(dead_code)] // each test file takes what it needs

use ss55_stream::Key;

/// 00..1f.
pub const KEY: [u8; 32] = counted(0);
/// 40..57.
pub const NONCE: [u8; 24] = counted(0x40);
/// Plaintext sizes around the chunk of the libsodium layout and the frame of v2: the last unit is
/// empty, nearly full, full, and one byte.
pub const SIZES: [usize; 15] = [
    0, 1, 15, 16, 17, 8191, 8192, 8193, 16384, 16385, 65535, 65536, 65537, 131072, 131073,
];

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
