//! The key schedule, and what the kernels' keys have in them besides.

use crate::backend::circuits::{COMPLEMENTED, INVERSE_COMPLEMENTED, boolean};
use zeroize::Zeroize;

/// A key for each round and one behind the last, as a kernel adds them.
pub type RoundKeys = [[u32; 4]; 33];

/// The round keys of both directions.
///
/// They differ from the paper's in two ways. The outputs that a circuit leaves complemented are turned
/// by the key behind it. And all but the first and the last are written as the constants that have
/// their effect inside the linear map (see [`inside`]).
#[derive(Clone)]
pub struct Schedule {
    pub encrypt: RoundKeys,
    pub decrypt: RoundKeys,
}

impl Schedule {
    /// From a key of at most 32 bytes: a shorter one is followed by a one bit and zeros.
    pub fn new(key: &[u8]) -> Self {
        let mut padded = [0; 32];
        padded[..key.len()].copy_from_slice(key);
        if let Some(byte) = padded.get_mut(key.len()) {
            *byte = 1;
        }
        let mut keys = round_keys(&padded);
        padded.zeroize();

        let mut schedule = Schedule {
            encrypt: keys,
            decrypt: keys,
        };
        keys.zeroize();
        for round in 0..32 {
            let forward = complements(COMPLEMENTED[round % 8]);
            // The linear map lies between, behind all S-boxes but the last.
            let forward = if round < 31 { mix(forward) } else { forward };
            add(&mut schedule.encrypt[round + 1], forward);
            let inverse = complements(INVERSE_COMPLEMENTED[round % 8]);
            add(&mut schedule.decrypt[round], inverse);
        }
        for key in &mut schedule.encrypt[1..32] {
            *key = inside(*key);
        }
        for key in &mut schedule.decrypt[1..32] {
            *key = inside(*key);
        }
        schedule
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        self.encrypt.as_flattened_mut().zeroize();
        self.decrypt.as_flattened_mut().zeroize();
    }
}

/// The paper's keys K0 to K32.
fn round_keys(key: &[u8; 32]) -> RoundKeys {
    let mut prekeys = [0; 140];
    let (words, _) = key.as_chunks();
    for (prekey, word) in prekeys.iter_mut().zip(words) {
        *prekey = u32::from_le_bytes(*word);
    }
    for i in 0..132 {
        // The fraction of the golden ratio.
        let sum = prekeys[i] ^ prekeys[i + 3] ^ prekeys[i + 5] ^ prekeys[i + 7] ^ 0x9e37_79b9;
        prekeys[i + 8] = (sum ^ i as u32).rotate_left(11);
    }
    let (groups, _) = prekeys[8..].as_chunks();
    let keys = core::array::from_fn(|i| {
        let (mut key, number): ([u32; 4], _) = match i % 8 {
            0 => (boolean::substitute::<3, _>(groups[i]), 3),
            1 => (boolean::substitute::<2, _>(groups[i]), 2),
            2 => (boolean::substitute::<1, _>(groups[i]), 1),
            3 => (boolean::substitute::<0, _>(groups[i]), 0),
            4 => (boolean::substitute::<7, _>(groups[i]), 7),
            5 => (boolean::substitute::<6, _>(groups[i]), 6),
            6 => (boolean::substitute::<5, _>(groups[i]), 5),
            _ => (boolean::substitute::<4, _>(groups[i]), 4),
        };
        add(&mut key, complements(COMPLEMENTED[number]));
        key
    });
    prekeys.zeroize();
    keys
}

fn complements(outputs: u8) -> [u32; 4] {
    core::array::from_fn(|j| if outputs >> j & 1 == 1 { u32::MAX } else { 0 })
}

fn add(key: &mut [u32; 4], other: [u32; 4]) {
    for (word, other) in key.iter_mut().zip(other) {
        *word ^= other;
    }
}

/// The linear map.
fn mix([x0, x1, x2, x3]: [u32; 4]) -> [u32; 4] {
    let (x0, x2) = (x0.rotate_left(13), x2.rotate_left(3));
    let x1 = (x1 ^ x0 ^ x2).rotate_left(1);
    let x3 = (x3 ^ x2 ^ x0 << 3).rotate_left(7);
    let x0 = (x0 ^ x1 ^ x3).rotate_left(5);
    let x2 = (x2 ^ x3 ^ x1 << 7).rotate_left(22);
    [x0, x1, x2, x3]
}

/// The constants inside the linear map, or its inverse, for a key behind the one or before the other.
///
/// Forwards: words 3 and 1 take theirs before they are rotated, and carry them into words 0 and 2; what
/// arrives there too much is in the constants of these. Backwards it is the same sum.
fn inside([k0, k1, k2, k3]: [u32; 4]) -> [u32; 4] {
    [
        k0.rotate_right(5) ^ k1 ^ k3,
        k1.rotate_right(1),
        k2.rotate_right(22) ^ k3 ^ k1 << 7,
        k3.rotate_right(7),
    ]
}
