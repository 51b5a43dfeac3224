//! Passes of the cipher, with the MAC between their double rounds.

use super::super::{
    fused::Keystream,
    mac::{Hashing, Mac, Run},
};
use inout::InOutBuf;
use ss55_chacha_simd::hazmat::{
    State,
    x86::{
        avx2::{Rows, Vertical},
        scalar::ScalarBlock,
    },
};

/// Keystream blocks of the largest single pass: the one-time key's and sixteen others.
pub(super) const PASS: usize = 17;
/// Blocks of a step: half of them from each of two places.
pub(super) const STEP: usize = 2 * 8;

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
        if second.is_empty() {
            $rounds($pass, $count, $mac, first);
        } else if first.is_empty() {
            $rounds($pass, $count, $mac, second);
        } else {
            $rounds($pass, $count / 2, $mac, first);
            $rounds($pass, $count - $count / 2, $mac, second);
        }
    }};
}

/// A step of the main loop.
pub(in super::super) struct Step {
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

/// [`Passes::fill_first`](super::Passes::fill_first). Where the vectors would need another pass
/// for it, block 0 is computed beside them in scalar registers.
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn fill_first(keystream: &mut Keystream<PASS>, state: &State, count: usize) {
    assert!((1..=PASS).contains(&count));
    let block_0 = state.counter64();
    let blocks = &mut keystream.blocks;
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
    keystream.used = match count {
        1..=6 => count.next_multiple_of(2),
        7..=9 => 9,
        _ => PASS,
    };
}

/// [`Passes::fill`](super::Passes::fill).
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn fill(
    keystream: &mut Keystream<PASS>,
    state: &State,
    block: u64,
    count: usize,
    mac: &mut Mac,
    runs: [Run<'_>; 2],
) {
    assert!(count < PASS);
    let block = state.counter64().wrapping_add(block);
    let blocks = &mut keystream.blocks;
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
    keystream.used = match count {
        0..=6 => count.next_multiple_of(2),
        7..=8 => 8,
        _ => 16,
    };
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
