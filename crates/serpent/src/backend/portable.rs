//! One block at a time in plain words: the reference for the vectors, and what runs where there are none.

use super::{
    circuits::boolean,
    rounds,
    word::{State, Vector, Word},
};
use crate::{Block, schedule::RoundKeys};
use inout::InOutBuf;

impl Word for u32 {
    #[inline(always)]
    fn and_not(self, mask: u32) -> u32 {
        self & !mask
    }
    #[inline(always)]
    fn rotate<const L: i32, const R: i32>(self) -> u32 {
        self.rotate_left(L as u32)
    }
    #[inline(always)]
    fn shift<const L: i32>(self) -> u32 {
        self << L
    }
}

impl Vector for u32 {
    type Token = ();
    const LANES: usize = 1;
    const TOGETHER: bool = true;

    #[inline(always)]
    fn splat((): (), word: u32) -> u32 {
        word
    }
    #[inline(always)]
    fn rows((): (), blocks: &[Block]) -> [u32; 4] {
        let (words, _) = blocks[0].as_chunks();
        core::array::from_fn(|i| u32::from_le_bytes(words[i]))
    }
    #[inline(always)]
    fn tweak_rows((): (), tweaks: &[u128]) -> [u32; 4] {
        core::array::from_fn(|i| (tweaks[0] >> (32 * i)) as u32)
    }
    #[inline(always)]
    fn store(rows: [u32; 4], blocks: &mut [Block]) {
        let (words, _) = blocks[0].as_chunks_mut();
        for (bytes, word) in words.iter_mut().zip(rows) {
            *bytes = word.to_le_bytes();
        }
    }
    #[inline(always)]
    fn transpose(rows: [u32; 4]) -> [u32; 4] {
        rows
    }
    #[inline(always)]
    fn substitute<const BOX: usize, const N: usize>(state: State<u32, N>) -> State<u32, N> {
        boolean::substitute::<BOX, _>(state)
    }
    #[inline(always)]
    fn substitute_inverse<const BOX: usize, const N: usize>(state: State<u32, N>) -> State<u32, N> {
        boolean::substitute_inverse::<BOX, _>(state)
    }
}

/// Any number of blocks.
pub fn run<const ENCRYPT: bool>(
    keys: &RoundKeys,
    tweaks: Option<&[u128]>,
    blocks: InOutBuf<'_, '_, Block>,
) {
    for (i, block) in blocks.into_iter().enumerate() {
        let tweak = tweaks.map(|tweaks| &tweaks[i..=i]);
        let (block, _) = block.into_buf().into_chunks();
        rounds::pass::<u32, 1, ENCRYPT>((), keys, tweak, block);
    }
}

/// Consecutive tweaks of XTS, of which `first` is the first.
pub fn tweaks(first: u128, tweaks: &mut [u128]) {
    let mut next = first;
    for i in 0..tweaks.len() {
        // Eight chains wait for each other less than one.
        tweaks[i] = if i < 8 { next } else { times_x8(tweaks[i - 8]) };
        next = if i < 7 { double(next) } else { next };
    }
}

/// `t` times x in GF(2^128): bit i is the coefficient of x^i, and x^128 = x^7 + x^2 + x + 1.
pub fn double(t: u128) -> u128 {
    // All ones if the coefficient of x^127 is one. A mask, not a branch: tweaks are secret.
    let carry = 0_u128.wrapping_sub(t >> 127);
    t << 1 ^ carry & 0x87
}

/// `t` times x^8.
fn times_x8(t: u128) -> u128 {
    let carry = t >> 120;
    t << 8 ^ carry ^ carry << 1 ^ carry << 2 ^ carry << 7
}
