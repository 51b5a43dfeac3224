//! Two lanes: `umlal` multiplies 32 bits by 32 and adds to sums of 64.
//!
//! A vector of four 32-bit words holds a limb of both vectors of a step, the second one in the upper half,
//! where `umlal2` and `uaddw2` find it. r^n are scalars, as `umlal` takes one of its factors by its place in
//! a register: nine limbs of two powers in six registers. 23 instructions a block, where portable code has 31.
#![allow(clippy::inline_always)] // as in limbs26

use super::Neon;
use crate::backend::{
    limbs26::{self, Lanes, Limbs},
    portable::State,
};
use core::arch::aarch64::*;
use zeroize::{Zeroize, optimization_barrier};

/// Absorbs whole blocks.
#[inline]
pub(crate) fn blocks(token: Neon, state: &mut State, blocks: &[[u8; 16]]) {
    // SAFETY: the token proves neon.
    unsafe { blocks_inner(token, state, blocks) }
}

#[target_feature(enable = "neon")]
fn blocks_inner(token: Neon, state: &mut State, blocks: &[[u8; 16]]) {
    limbs26::blocks(token, state, blocks);
}

impl Lanes<4> for Neon {
    type Limb = uint32x2_t;
    type Sum = uint64x2_t;
    type Multiplier = [uint32x4_t; 3];

    const WORTHWHILE: usize = 16;

    #[inline(always)]
    fn multiplier(self, [r0, r1, r2, r3, r4, s1, s2, s3, s4]: [u32; 9]) -> [uint32x4_t; 3] {
        let mut words = [[r0, r1, r2, r3], [r4, s1, s2, s3], [s4, 0, 0, 0]];
        // Else the compiler sees nine scalars a power and spreads them over as many registers, more than are.
        optimization_barrier(&words);
        let [a, b, c] = words.each_ref();
        // SAFETY: references to arrays of 16 bytes; the token proves the instruction.
        let vectors = unsafe {
            [
                vld1q_u32(a.as_ptr()),
                vld1q_u32(b.as_ptr()),
                vld1q_u32(c.as_ptr()),
            ]
        };
        words.zeroize();
        vectors
    }

    #[inline(always)]
    fn cut(self, blocks: &[[u8; 16]; 4]) -> [Limbs<uint32x2_t>; 2] {
        // SAFETY: a reference to an array of 64 bytes; the token proves the instructions.
        unsafe {
            // Word i of all four blocks.
            let uint32x4x4_t(w0, w1, w2, w3) = vld4q_u32(blocks.as_ptr().cast());
            let mask = vdupq_n_u32(0x3ffffff);
            let limbs = [
                vandq_u32(w0, mask),
                vandq_u32(vsriq_n_u32::<26>(vshlq_n_u32::<6>(w1), w0), mask),
                vandq_u32(vsriq_n_u32::<20>(vshlq_n_u32::<12>(w2), w1), mask),
                vandq_u32(vsriq_n_u32::<14>(vshlq_n_u32::<18>(w3), w2), mask),
                vorrq_u32(vshrq_n_u32::<8>(w3), vdupq_n_u32(1 << 24)),
            ];
            [
                limbs.map(|limb| vget_low_u32(limb)),
                limbs.map(|limb| vget_high_u32(limb)),
            ]
        }
    }

    #[inline(always)]
    fn last_lane(self, limb: u32) -> uint32x2_t {
        // SAFETY: the token proves the instruction.
        unsafe { vset_lane_u32::<1>(limb, vdup_n_u32(0)) }
    }

    #[inline(always)]
    fn lane(self, limb: uint32x2_t, lane: usize) -> u32 {
        // SAFETY: the token proves the instructions.
        unsafe {
            match lane {
                0 => vget_lane_u32::<0>(limb),
                _ => vget_lane_u32::<1>(limb),
            }
        }
    }

    #[inline(always)]
    fn product<const K: usize>(self, limb: uint32x2_t, by: &[uint32x4_t; 3]) -> uint64x2_t {
        // SAFETY: the token proves the instructions.
        unsafe {
            match K % 4 {
                0 => vmull_laneq_u32::<0>(limb, by[K / 4]),
                1 => vmull_laneq_u32::<1>(limb, by[K / 4]),
                2 => vmull_laneq_u32::<2>(limb, by[K / 4]),
                _ => vmull_laneq_u32::<3>(limb, by[K / 4]),
            }
        }
    }

    #[inline(always)]
    fn add_product<const K: usize>(
        self,
        sum: uint64x2_t,
        limb: uint32x2_t,
        by: &[uint32x4_t; 3],
    ) -> uint64x2_t {
        // SAFETY: the token proves the instructions.
        unsafe {
            match K % 4 {
                0 => vmlal_laneq_u32::<0>(sum, limb, by[K / 4]),
                1 => vmlal_laneq_u32::<1>(sum, limb, by[K / 4]),
                2 => vmlal_laneq_u32::<2>(sum, limb, by[K / 4]),
                _ => vmlal_laneq_u32::<3>(sum, limb, by[K / 4]),
            }
        }
    }

    #[inline(always)]
    fn add(self, sum: uint64x2_t, limb: uint32x2_t) -> uint64x2_t {
        // SAFETY: the token proves the instruction.
        unsafe { vaddw_u32(sum, limb) }
    }

    #[inline(always)]
    fn add_carry(self, sum: uint64x2_t, from: uint64x2_t) -> uint64x2_t {
        // SAFETY: the token proves the instruction.
        unsafe { vsraq_n_u64::<26>(sum, from) }
    }

    #[inline(always)]
    fn add_carry_5(self, sum: uint64x2_t, from: uint64x2_t) -> uint64x2_t {
        // SAFETY: the token proves the instructions.
        unsafe {
            // Without its low bits, a shift by 24 is four times the carry.
            let whole = vbicq_u64(from, vdupq_n_u64(0x3ffffff));
            vsraq_n_u64::<24>(vsraq_n_u64::<26>(sum, from), whole)
        }
    }

    #[inline(always)]
    fn low26(self, sum: uint64x2_t) -> uint64x2_t {
        // SAFETY: the token proves the instructions.
        unsafe { vandq_u64(sum, vdupq_n_u64(0x3ffffff)) }
    }

    #[inline(always)]
    fn narrow(self, sum: uint64x2_t) -> uint32x2_t {
        // SAFETY: the token proves the instruction.
        unsafe { vmovn_u64(sum) }
    }
}
