//! NEON: four lanes, no rotates, shifts that insert.

use super::Neon;
use crate::{
    Block,
    backend::{
        circuits::boolean,
        rounds::{self, Work},
        word::{Sixteen, State, Vector, Word},
    },
    schedule::RoundKeys,
};
use core::{
    arch::aarch64::*,
    ops::{BitAnd, BitOr, BitXor},
};
use inout::InOutBuf;

/// A register of NEON.
#[derive(Clone, Copy)]
pub struct Quad(uint32x4_t);

impl BitXor for Quad {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { veorq_u32(self.0, other.0) })
    }
}

impl BitAnd for Quad {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { vandq_u32(self.0, other.0) })
    }
}

impl BitOr for Quad {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { vorrq_u32(self.0, other.0) })
    }
}

impl Word for Quad {
    #[inline(always)]
    fn and_not(self, mask: Self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { vbicq_u32(self.0, mask.0) })
    }
    #[inline(always)]
    fn rotate<const L: i32, const R: i32>(self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { vsriq_n_u32::<R>(vshlq_n_u32::<L>(self.0), self.0) })
    }
    #[inline(always)]
    fn shift<const L: i32>(self) -> Self {
        // SAFETY: a vector exists only where its token does.
        Self(unsafe { vshlq_n_u32::<L>(self.0) })
    }
}

impl Vector for Quad {
    type Token = Neon;
    const LANES: usize = 4;
    const TOGETHER: bool = false;

    #[inline(always)]
    fn splat(_: Neon, word: u32) -> Self {
        // SAFETY: the token proves neon.
        Self(unsafe { vdupq_n_u32(word) })
    }
    #[inline(always)]
    fn rows(token: Neon, blocks: &[Block]) -> [Self; 4] {
        load(token, blocks)
    }
    #[inline(always)]
    fn tweak_rows(token: Neon, tweaks: &[u128]) -> [Self; 4] {
        load(token, tweaks)
    }
    #[inline(always)]
    fn store(rows: [Self; 4], blocks: &mut [Block]) {
        for (row, block) in rows.into_iter().zip(blocks) {
            // SAFETY: a vector exists only where its token does; a block is 16 bytes.
            unsafe { vst1q_u8(block.as_mut_ptr(), vreinterpretq_u8_u32(row.0)) };
        }
    }
    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        let [Self(a), Self(b), Self(c), Self(d)] = rows;
        // SAFETY: a vector exists only where its token does.
        unsafe {
            let (ac_low, ac_high) = (vzip1q_u32(a, c), vzip2q_u32(a, c));
            let (bd_low, bd_high) = (vzip1q_u32(b, d), vzip2q_u32(b, d));
            [
                Self(vzip1q_u32(ac_low, bd_low)),
                Self(vzip2q_u32(ac_low, bd_low)),
                Self(vzip1q_u32(ac_high, bd_high)),
                Self(vzip2q_u32(ac_high, bd_high)),
            ]
        }
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
fn load<T: Sixteen>(_: Neon, items: &[T]) -> [Quad; 4] {
    const { assert!(size_of::<T>() == 16) };
    // SAFETY: the token proves neon.
    let mut rows = [Quad(unsafe { vdupq_n_u32(0) }); 4];
    for (row, item) in rows.iter_mut().zip(items) {
        // SAFETY: the token proves neon; an item is 16 bytes.
        row.0 = unsafe { vreinterpretq_u32_u8(vld1q_u8(core::ptr::from_ref(item).cast())) };
    }
    rows
}

/// Any number of blocks.
#[inline]
pub fn run<const ENCRYPT: bool>(
    token: Neon,
    keys: &RoundKeys,
    tweaks: Option<&[u128]>,
    blocks: InOutBuf<'_, '_, Block>,
) {
    // SAFETY: the token proves neon.
    unsafe { run_inner::<ENCRYPT>(token, keys, tweaks, blocks) }
}

#[target_feature(enable = "neon")]
fn run_inner<const ENCRYPT: bool>(
    token: Neon,
    keys: &RoundKeys,
    tweaks: Option<&[u128]>,
    blocks: InOutBuf<'_, '_, Block>,
) {
    let mut work = Work::new(tweaks, blocks);
    while work.len() > 0 {
        let (tweaks, blocks) = work.take(Quad::LANES);
        rounds::pass::<Quad, 1, ENCRYPT>(token, keys, tweaks, blocks);
    }
}
