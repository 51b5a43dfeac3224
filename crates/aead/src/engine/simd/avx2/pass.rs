//! Passes of the cipher, with the MAC between their double rounds.
#![allow(clippy::inline_always)] // a call would put the chains' sums into memory

use super::mac::{Mac, MacBlock, Run};
use inout::InOutBuf;
use ss55_chacha_simd::hazmat::{
    State,
    x86::{
        avx2::{Rows, Vertical},
        scalar::ScalarBlock,
    },
};
use ss55_poly1305::hazmat::scalar::{Multiplier, Sum};
use zeroize::Zeroize;

pub(super) use ss55_chacha_simd::hazmat::BLOCK;

/// Keystream blocks of the largest single pass: the one-time key's and sixteen others.
pub(super) const PASS: usize = 17;
/// Bytes of a step: half of them from each of two places.
pub(super) const STEP: usize = 2 * 8 * BLOCK;

/// The blocks of a run on their way into the MAC.
struct Hashing<'a> {
    r: Multiplier,
    a: Sum,
    b: Sum,
    rest_a: &'a [MacBlock],
    rest_b: &'a [MacBlock],
    /// Blocks of each chain between two pieces of the cipher's work.
    share: usize,
}

impl<'a> Hashing<'a> {
    /// To be spread over `shares` calls.
    #[inline]
    fn new(mac: &Mac, run: &Run<'a>, shares: usize) -> Self {
        Hashing {
            r: mac.multiplier(),
            a: mac.a,
            b: mac.b,
            rest_a: run.a,
            rest_b: run.b,
            share: run.a.len().div_ceil(shares),
        }
    }

    #[inline(always)]
    fn share(&mut self) {
        let (now_a, rest) = self.rest_a.split_at(self.share.min(self.rest_a.len()));
        self.rest_a = rest;
        if self.rest_b.is_empty() {
            for block in now_a {
                self.r.absorb(&mut self.a, block);
            }
        } else {
            let (now_b, rest) = self.rest_b.split_at(now_a.len());
            self.rest_b = rest;
            for (x, y) in now_a.iter().zip(now_b) {
                self.r.absorb(&mut self.a, x);
                self.r.absorb(&mut self.b, y);
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn end(self, mac: &mut Mac, run: &Run<'_>) {
        debug_assert!(self.rest_a.is_empty() && self.rest_b.is_empty());
        (mac.a, mac.b) = (self.a, self.b);
        mac.end(run);
    }
}

/// Double rounds of a vertical pass with a run hashed between their halves.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn vertical_rounds<const GROUPS: usize>(
    pass: &mut Vertical<GROUPS>,
    count: usize,
    mac: &mut Mac,
    run: Run<'_>,
) {
    let mut hashing = Hashing::new(mac, &run, 2 * GROUPS * count);
    for _ in 0..count {
        for group in 0..GROUPS {
            pass.column_round(group);
            hashing.share();
        }
        for group in 0..GROUPS {
            pass.diagonal_round(group);
            hashing.share();
        }
    }
    hashing.end(mac, &run);
}

/// Double rounds of a pass in rows with a run hashed between them.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn row_rounds<const PAIRS: usize>(
    pass: &mut Rows<PAIRS>,
    count: usize,
    mac: &mut Mac,
    run: Run<'_>,
) {
    let mut hashing = Hashing::new(mac, &run, count);
    for _ in 0..count {
        pass.double_round();
        hashing.share();
    }
    hashing.end(mac, &run);
}

/// `$count` double rounds over two runs, one after the other.
macro_rules! hashing_rounds {
    ($rounds:ident, $pass:expr, $count:literal, $mac:ident, $runs:ident) => {{
        let [first, second] = $runs;
        if second.a.is_empty() {
            $rounds($pass, $count, $mac, first);
        } else if first.a.is_empty() {
            $rounds($pass, $count, $mac, second);
        } else {
            $rounds($pass, $count / 2, $mac, first);
            $rounds($pass, $count - $count / 2, $mac, second);
        }
    }};
}

/// A step of the main loop.
pub(super) struct Step {
    pass: Vertical<2>,
    /// Words 12 and 13 of block 0; word 13 belongs to the nonce.
    block_0: u64,
}

impl Step {
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    pub(super) fn new(state: &State) -> Self {
        Step {
            pass: Vertical::new(state),
            block_0: state.counter64(),
        }
    }

    /// All twenty rounds of the eight blocks from each number in `blocks` on.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    pub(super) fn rounds(&mut self, blocks: [u64; 2], mac: &mut Mac, runs: [Run<'_>; 2]) {
        let pass = &mut self.pass;
        pass.first_double_round(blocks.map(|block| self.block_0.wrapping_add(block)));
        hashing_rounds!(vertical_rounds, pass, 9, mac, runs);
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    pub(super) fn xor(&self, a: InOutBuf<'_, '_, u8>, b: InOutBuf<'_, '_, u8>) {
        self.pass.xor(0, a);
        self.pass.xor(1, b);
    }
}

/// The keystream of one pass. Wiped on drop.
pub(super) struct Keystream {
    blocks: [[u8; BLOCK]; PASS],
    used: usize,
}

/// A pass over the blocks from number `$block` on, written to `$out`; `$rounds` does the double
/// rounds that are left once it has begun: ten in rows, nine vertically.
macro_rules! rows {
    ($pairs:literal, $state:ident, $block:expr, $out:expr, |$pass:ident| $rounds:expr) => {{
        let mut $pass = Rows::<$pairs>::new($state, $block);
        $rounds;
        $pass.keystream($out);
    }};
}
macro_rules! vertical {
    ($groups:literal, $state:ident, $block:expr, $out:expr, |$pass:ident| $rounds:expr) => {{
        let mut $pass = Vertical::<$groups>::new($state);
        let block: u64 = $block;
        $pass.first_double_round(core::array::from_fn(|group| {
            block.wrapping_add(8 * group as u64)
        }));
        $rounds;
        for (group, keystream) in $out.as_chunks_mut::<8>().0[..$groups]
            .iter_mut()
            .enumerate()
        {
            $pass.keystream(group, keystream);
        }
    }};
}

impl Keystream {
    #[inline]
    pub(super) fn new() -> Self {
        Keystream {
            blocks: [[0; BLOCK]; PASS],
            used: 0,
        }
    }

    #[inline]
    pub(super) fn blocks(&self) -> &[[u8; BLOCK]; PASS] {
        &self.blocks
    }

    #[inline]
    pub(super) fn blocks_mut(&mut self) -> &mut [[u8; BLOCK]; PASS] {
        &mut self.blocks
    }

    /// Fills in at least `count` blocks from number 0 on. Where the vectors would need another pass
    /// for it, block 0 is computed beside them in scalar registers.
    #[target_feature(enable = "avx2,bmi2")]
    pub(super) fn fill_first(&mut self, state: &State, count: usize) {
        assert!((1..=PASS).contains(&count));
        let block_0 = state.counter64();
        let blocks = &mut self.blocks;
        match count {
            1..=2 => rows!(1, state, block_0, blocks, |pass| plain_rounds(&mut pass)),
            3..=4 => rows!(2, state, block_0, blocks, |pass| plain_rounds(&mut pass)),
            5..=6 => rows!(3, state, block_0, blocks, |pass| plain_rounds(&mut pass)),
            _ => {
                let key;
                let (first, others) = blocks.split_first_mut().expect("PASS > 0");
                let block_1 = block_0.wrapping_add(1);
                if count <= 9 {
                    vertical!(1, state, block_1, others, |pass| key =
                        rounds_beside(&mut pass, state));
                } else {
                    vertical!(2, state, block_1, others, |pass| key =
                        rounds_beside(&mut pass, state));
                }
                key.keystream(state, first);
            }
        }
        self.used = match count {
            1..=6 => count.next_multiple_of(2),
            7..=9 => 9,
            _ => PASS,
        };
    }

    /// Fills in at least `count` blocks from number `block` on, and hashes two runs on the way.
    #[target_feature(enable = "avx2,bmi2")]
    pub(super) fn fill(
        &mut self,
        state: &State,
        block: u64,
        count: usize,
        mac: &mut Mac,
        runs: [Run<'_>; 2],
    ) {
        assert!(count < PASS);
        let block = state.counter64().wrapping_add(block);
        let blocks = &mut self.blocks;
        match count {
            0 => {
                for run in runs {
                    mac.absorb_run(run);
                }
            }
            1..=2 => rows!(1, state, block, blocks, |pass| hashing_rounds!(
                row_rounds, &mut pass, 10, mac, runs
            )),
            3..=4 => rows!(2, state, block, blocks, |pass| hashing_rounds!(
                row_rounds, &mut pass, 10, mac, runs
            )),
            5..=6 => rows!(3, state, block, blocks, |pass| hashing_rounds!(
                row_rounds, &mut pass, 10, mac, runs
            )),
            7..=8 => vertical!(1, state, block, blocks, |pass| hashing_rounds!(
                vertical_rounds,
                &mut pass,
                9,
                mac,
                runs
            )),
            _ => vertical!(2, state, block, blocks, |pass| hashing_rounds!(
                vertical_rounds,
                &mut pass,
                9,
                mac,
                runs
            )),
        }
        self.used = match count {
            0..=6 => count.next_multiple_of(2),
            7..=8 => 8,
            _ => 16,
        };
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn plain_rounds<const PAIRS: usize>(pass: &mut Rows<PAIRS>) {
    for _ in 0..10 {
        pass.double_round();
    }
}

/// Nine double rounds of `pass`, and all ten of the block that `state` counts to.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn rounds_beside<const GROUPS: usize>(pass: &mut Vertical<GROUPS>, state: &State) -> ScalarBlock {
    let mut key = ScalarBlock::new(state);
    key.column_round();
    key.diagonal_round();
    for _ in 0..9 {
        for group in 0..GROUPS {
            pass.column_round(group);
        }
        key.column_round();
        for group in 0..GROUPS {
            pass.diagonal_round(group);
        }
        key.diagonal_round();
    }
    key
}

impl Drop for Keystream {
    #[inline]
    fn drop(&mut self) {
        self.blocks[..self.used].as_flattened_mut().zeroize();
    }
}
