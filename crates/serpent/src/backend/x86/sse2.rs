//! SSE2: four lanes, no rotates.

use super::{Sse2, operators, transpose};
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
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use inout::InOutBuf;

/// A register of SSE2.
#[derive(Clone, Copy)]
pub struct Xmm(__m128i);

operators!(Xmm: _mm_xor_si128, _mm_and_si128, _mm_or_si128);

impl Word for Xmm {
    #[inline(always)]
    fn and_not(self, mask: Self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { _mm_andnot_si128(mask.0, self.0) })
    }
    #[inline(always)]
    fn rotate<const L: i32, const R: i32>(self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { _mm_or_si128(_mm_slli_epi32::<L>(self.0), _mm_srli_epi32::<R>(self.0)) })
    }
    #[inline(always)]
    fn shift<const L: i32>(self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { _mm_slli_epi32::<L>(self.0) })
    }
}

impl Vector for Xmm {
    type Token = Sse2;
    const LANES: usize = 4;
    const TOGETHER: bool = false;

    #[inline(always)]
    fn splat(_: Sse2, word: u32) -> Self {
        // SAFETY: the token proves sse2.
        Self(unsafe { _mm_set1_epi32(word as i32) })
    }
    #[inline(always)]
    fn rows(token: Sse2, blocks: &[Block]) -> [Self; 4] {
        load(token, blocks)
    }
    #[inline(always)]
    fn tweak_rows(token: Sse2, tweaks: &[u128]) -> [Self; 4] {
        load(token, tweaks)
    }
    #[inline(always)]
    fn store(rows: [Self; 4], blocks: &mut [Block]) {
        for (row, block) in rows.into_iter().zip(blocks) {
            // SAFETY: a vector exists only where its token does; a block is 16 bytes.
            unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), row.0) };
        }
    }
    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        transpose!(
            rows,
            _mm_unpacklo_epi32,
            _mm_unpackhi_epi32,
            _mm_unpacklo_epi64,
            _mm_unpackhi_epi64
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

/// Blocks or tweaks, which are 16 bytes, as rows.
#[inline(always)]
fn load<T: Sixteen>(_: Sse2, items: &[T]) -> [Xmm; 4] {
    const { assert!(size_of::<T>() == 16) };
    // SAFETY: the token proves sse2.
    let mut rows = [Xmm(unsafe { _mm_setzero_si128() }); 4];
    for (row, item) in rows.iter_mut().zip(items) {
        // SAFETY: the token proves sse2; an item is 16 bytes.
        row.0 = unsafe { _mm_loadu_si128(core::ptr::from_ref(item).cast()) };
    }
    rows
}

/// Any number of blocks.
#[inline]
pub fn run<const ENCRYPT: bool>(
    token: Sse2,
    keys: &RoundKeys,
    tweaks: Option<&[u128]>,
    blocks: InOutBuf<'_, '_, Block>,
) {
    // SAFETY: the token proves sse2.
    unsafe { run_inner::<ENCRYPT>(token, keys, tweaks, blocks) }
}

#[target_feature(enable = "sse2")]
fn run_inner<const ENCRYPT: bool>(
    token: Sse2,
    keys: &RoundKeys,
    tweaks: Option<&[u128]>,
    blocks: InOutBuf<'_, '_, Block>,
) {
    let mut work = Work::new(tweaks, blocks);
    while work.len() > 2 {
        let (tweaks, blocks) = work.take(Xmm::LANES);
        rounds::pass::<Xmm, 1, ENCRYPT>(token, keys, tweaks, blocks);
    }
    // One or two take less time one by one: 115 or 230 ns for 290 (Zen 5).
    let (tweaks, blocks) = work.take(2);
    portable::run::<ENCRYPT>(keys, tweaks, blocks);
}
