//! AVX2: eight lanes, no rotates.
//!
//! Two registers' worth of blocks are sixteen of the registers that there are; one after the other
//! through each round, so that little of them is spilled. What is left waits for nobody: the processor
//! starts the one's next round under the other's.

use super::{Avx2, operators, transpose};
use crate::{
    Block,
    backend::{
        circuits::boolean,
        portable,
        rounds::{self, Work},
        word::{Sixteen, State, Vector, Word},
    },
    schedule::RoundKeys,
};
use core::arch::x86_64::*;
use inout::InOutBuf;

/// A register of AVX2.
#[derive(Clone, Copy)]
pub struct Ymm(__m256i);

operators!(Ymm: _mm256_xor_si256, _mm256_and_si256, _mm256_or_si256);

impl Word for Ymm {
    #[inline(always)]
    fn and_not(self, mask: Self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { _mm256_andnot_si256(mask.0, self.0) })
    }
    #[inline(always)]
    fn rotate<const L: i32, const R: i32>(self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe {
            _mm256_or_si256(
                _mm256_slli_epi32::<L>(self.0),
                _mm256_srli_epi32::<R>(self.0),
            )
        })
    }
    #[inline(always)]
    fn shift<const L: i32>(self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { _mm256_slli_epi32::<L>(self.0) })
    }
}

impl Vector for Ymm {
    type Token = Avx2;
    const LANES: usize = 8;
    const TOGETHER: bool = false;

    #[inline(always)]
    fn splat(_: Avx2, word: u32) -> Self {
        // SAFETY: the token proves avx2.
        Self(unsafe { _mm256_set1_epi32(word as i32) })
    }
    #[inline(always)]
    fn rows(token: Avx2, blocks: &[Block]) -> [Self; 4] {
        load(token, blocks)
    }
    #[inline(always)]
    fn tweak_rows(token: Avx2, tweaks: &[u128]) -> [Self; 4] {
        load(token, tweaks)
    }
    #[inline(always)]
    fn store(rows: [Self; 4], blocks: &mut [Block]) {
        for (row, blocks) in rows.into_iter().zip(blocks.chunks_mut(2)) {
            match blocks {
                // SAFETY: a vector exists only where its token does; a block is 16 bytes.
                [one] => unsafe {
                    _mm_storeu_si128(one.as_mut_ptr().cast(), _mm256_castsi256_si128(row.0));
                },
                // SAFETY: a vector exists only where its token does; two blocks are 32 bytes.
                two => unsafe { _mm256_storeu_si256(two.as_mut_ptr().cast(), row.0) },
            }
        }
    }
    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        transpose!(
            rows,
            _mm256_unpacklo_epi32,
            _mm256_unpackhi_epi32,
            _mm256_unpacklo_epi64,
            _mm256_unpackhi_epi64
        )
    }
    #[inline(always)]
    fn substitute<const BOX: usize, const N: usize>(state: State<Self, N>) -> State<Self, N> {
        boolean::substitute::<BOX, _>(state)
    }
    #[inline(always)]
    fn substitute_inverse<const BOX: usize, const N: usize>(
        state: State<Self, N>,
    ) -> State<Self, N> {
        boolean::substitute_inverse::<BOX, _>(state)
    }
}

/// Blocks or tweaks, which are 16 bytes, as rows of two.
#[inline(always)]
fn load<T: Sixteen>(_: Avx2, items: &[T]) -> [Ymm; 4] {
    const { assert!(size_of::<T>() == 16) };
    // SAFETY: the token proves avx2.
    let mut rows = [Ymm(unsafe { _mm256_setzero_si256() }); 4];
    for (row, items) in rows.iter_mut().zip(items.chunks(2)) {
        row.0 = match items {
            // SAFETY: the token proves avx2; an item is 16 bytes.
            [one] => unsafe {
                _mm256_zextsi128_si256(_mm_loadu_si128(core::ptr::from_ref(one).cast()))
            },
            // SAFETY: the token proves avx2; two items are 32 bytes.
            two => unsafe { _mm256_loadu_si256(two.as_ptr().cast()) },
        };
    }
    rows
}

/// Any number of blocks.
#[inline]
pub fn run<const ENCRYPT: bool>(
    token: Avx2,
    keys: &RoundKeys,
    tweaks: Option<&[u128]>,
    blocks: InOutBuf<'_, '_, Block>,
) {
    // SAFETY: the token proves avx2.
    unsafe { run_inner::<ENCRYPT>(token, keys, tweaks, blocks) }
}

#[target_feature(enable = "avx2")]
fn run_inner<const ENCRYPT: bool>(
    token: Avx2,
    keys: &RoundKeys,
    tweaks: Option<&[u128]>,
    blocks: InOutBuf<'_, '_, Block>,
) {
    let mut work = Work::new(tweaks, blocks);
    while work.len() > Ymm::LANES {
        let (tweaks, blocks) = work.take(2 * Ymm::LANES);
        rounds::pass::<Ymm, 2, ENCRYPT>(token, keys, tweaks, blocks);
    }
    if work.len() > 2 {
        let (tweaks, blocks) = work.take(Ymm::LANES);
        rounds::pass::<Ymm, 1, ENCRYPT>(token, keys, tweaks, blocks);
    }
    // One or two take less time one by one: 115 or 230 ns for 290 (Zen 5).
    let (tweaks, blocks) = work.take(2);
    portable::run::<ENCRYPT>(keys, tweaks, blocks);
}
