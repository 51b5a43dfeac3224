//! Four independent hashes side by side, one in each lane of a vector of 128 bits.
//!
//! One hash is one chain of dependent operations, twelve in a row for each half of a round, and nothing
//! makes it wider. Several messages are several chains. There is no intrinsic here: the compiler makes
//! vector instructions of arrays of four words, and every x86-64 and aarch64 has those.

use super::{BLOCK, Chain, IV, Word, last_row, rounds};
use zeroize::Zeroize;

/// Hashes at a time.
pub(crate) const LANES: usize = 4;

/// A word of each hash.
type Words = [u32; LANES];

impl Word for Words {
    #[inline]
    fn plus(self, other: Self) -> Self {
        map(self, other, u32::wrapping_add)
    }
    #[inline]
    fn xor(self, other: Self) -> Self {
        map(self, other, |a, b| a ^ b)
    }
    #[inline]
    fn rotate_right<const BITS: u32>(self) -> Self {
        self.map(|word| word.rotate_right(BITS))
    }
}

#[allow(clippy::inline_always)] // a call would take the words out of their registers
#[inline(always)]
fn map(a: Words, b: Words, f: impl Fn(u32, u32) -> u32) -> Words {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

/// A block for each lane, how many bytes of it are used, and whether it is the last.
pub(crate) struct Blocks<'a> {
    pub blocks: [&'a [u8; BLOCK]; LANES],
    pub used: [usize; LANES],
    pub last: [bool; LANES],
}

/// Four chains. Wiped on drop.
pub(crate) struct Chains {
    h: [Words; 8],
    bytes: [u64; LANES],
}

impl Chains {
    pub(crate) fn new(chains: [&Chain; LANES]) -> Self {
        let mut h = [[0; LANES]; 8];
        for (i, words) in h.iter_mut().enumerate() {
            *words = chains.map(|chain| chain.h[i]);
        }
        let bytes = chains.map(|chain| chain.bytes);
        Chains { h, bytes }
    }

    /// One of the four.
    pub(crate) fn lane(&self, lane: usize) -> Chain {
        let h = self.h.map(|words| words[lane]);
        let bytes = self.bytes[lane];
        Chain { h, bytes }
    }

    /// Takes in a block for each lane. What was the last of a lane leaves its digest there.
    #[inline(never)]
    pub(crate) fn absorb(&mut self, next: &Blocks<'_>) {
        let mut last_rows = [[0; LANES]; 4];
        for lane in 0..LANES {
            self.bytes[lane] += next.used[lane] as u64;
            for (words, word) in last_rows
                .iter_mut()
                .zip(last_row(self.bytes[lane], next.last[lane]))
            {
                words[lane] = word;
            }
        }
        let ([upper, lower], []) = self.h.as_chunks() else {
            unreachable!("8 are two times 4")
        };
        let iv = [IV[0], IV[1], IV[2], IV[3]].map(|word| [word; LANES]);
        let mut v = [*upper, *lower, iv, last_rows];
        let blocks = next.blocks.map(|block| block.as_chunks().0);
        let mut message = [[0; LANES]; 16];
        for (i, words) in message.iter_mut().enumerate() {
            *words = blocks.map(|words| u32::from_le_bytes(words[i]));
        }
        rounds(&mut v, |i| message[usize::from(i)]);
        for (i, words) in self.h.iter_mut().enumerate() {
            *words = words.xor(v[i / 4][i % 4]).xor(v[2 + i / 4][i % 4]);
        }
    }
}

impl Drop for Chains {
    fn drop(&mut self) {
        self.h.zeroize();
    }
}
