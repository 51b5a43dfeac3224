//! NEON: four blocks at a time, or eight for cores that issue four vector operations a cycle.
//!
//! Four blocks take sixteen of the 32 registers and issue two operations a cycle at best, as each half
//! round is bound by the latency of its quarter rounds. Eight take all registers, and some of their
//! words spill.

use super::{Neon, Neon8};
use crate::{
    backend::lanes::{self, Lanes, sealed::Sealed},
    hazmat::{BLOCK, State},
};
use core::arch::aarch64::*;
use inout::InOutBuf;

/// XORs the keystream from `state`'s counter on onto `buf`; a block used in part stays in `last`. Four
/// blocks at a time.
#[inline]
pub(crate) fn xor<const ROUNDS: usize>(
    token: Neon,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    // SAFETY: the token proves neon.
    unsafe { xor_groups::<ROUNDS, 1>(token, state, buf, last) }
}

/// [`xor`], eight blocks at a time.
#[inline]
pub(crate) fn xor8<const ROUNDS: usize>(
    token: Neon8,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    // SAFETY: the token proves neon.
    unsafe { xor_groups::<ROUNDS, 2>(token.neon(), state, buf, last) }
}

#[target_feature(enable = "neon")]
fn xor_groups<const ROUNDS: usize, const GROUPS: usize>(
    token: Neon,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    lanes::xor::<_, ROUNDS, GROUPS>(Table::new(token), state, buf, last);
}

/// The token, and the table of the rotation by 8. That by 16 turns halves around; the others are a shift,
/// and a shift that inserts.
#[derive(Clone, Copy)]
pub struct Table {
    by_8: uint8x16_t,
}

impl Table {
    /// By right of the token.
    #[inline(always)]
    pub fn new(_: Neon) -> Self {
        const BY_8: [u8; 16] = [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14];
        Table {
            // SAFETY: the token proves neon; a reference to 16 bytes, which need no alignment.
            by_8: unsafe { vld1q_u8(BY_8.as_ptr()) },
        }
    }
}

impl Sealed for Table {}

impl Lanes for Table {
    type Vector = uint32x4_t;

    #[inline(always)]
    fn splat(self, word: u32) -> uint32x4_t {
        // SAFETY: only a token of neon makes the table.
        unsafe { vdupq_n_u32(word) }
    }

    #[inline(always)]
    fn words(self, words: [u32; 4]) -> uint32x4_t {
        // SAFETY: as above; a reference to four words.
        unsafe { vld1q_u32(words.as_ptr()) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8; 16]) -> uint32x4_t {
        // SAFETY: as above; a reference to 16 bytes, which need no alignment.
        unsafe { vreinterpretq_u32_u8(vld1q_u8(bytes.as_ptr())) }
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8; 16], x: uint32x4_t) {
        // SAFETY: as above; an exclusive reference to 16 bytes, which need no alignment.
        unsafe { vst1q_u8(bytes.as_mut_ptr(), vreinterpretq_u8_u32(x)) }
    }

    #[inline(always)]
    fn add(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        // SAFETY: only a token of neon makes the table.
        unsafe { vaddq_u32(x, y) }
    }

    #[inline(always)]
    fn xor(self, x: uint32x4_t, y: uint32x4_t) -> uint32x4_t {
        // SAFETY: as above.
        unsafe { veorq_u32(x, y) }
    }

    #[inline(always)]
    fn rotate_16(self, x: uint32x4_t) -> uint32x4_t {
        // SAFETY: as above.
        unsafe { vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x))) }
    }

    #[inline(always)]
    fn rotate_12(self, x: uint32x4_t) -> uint32x4_t {
        // SAFETY: as above.
        unsafe { insert::<20>(vshlq_n_u32::<12>(x), x) }
    }

    #[inline(always)]
    fn rotate_8(self, x: uint32x4_t) -> uint32x4_t {
        // SAFETY: as above.
        unsafe { vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(x), self.by_8)) }
    }

    #[inline(always)]
    fn rotate_7(self, x: uint32x4_t) -> uint32x4_t {
        // SAFETY: as above.
        unsafe { insert::<25>(vshlq_n_u32::<7>(x), x) }
    }

    #[inline(always)]
    fn transpose(self, [a, b, c, d]: [uint32x4_t; 4]) -> [uint32x4_t; 4] {
        // SAFETY: as above.
        unsafe {
            let wide = |x| vreinterpretq_u64_u32(x);
            let ab = [wide(vzip1q_u32(a, b)), wide(vzip2q_u32(a, b))];
            let cd = [wide(vzip1q_u32(c, d)), wide(vzip2q_u32(c, d))];
            [
                vreinterpretq_u32_u64(vzip1q_u64(ab[0], cd[0])),
                vreinterpretq_u32_u64(vzip2q_u64(ab[0], cd[0])),
                vreinterpretq_u32_u64(vzip1q_u64(ab[1], cd[1])),
                vreinterpretq_u32_u64(vzip2q_u64(ab[1], cd[1])),
            ]
        }
    }
}

/// `vsriq_n_u32`, which LLVM would turn into a shift that accumulates: that has a latency of four cycles
/// instead of two, twice in every quarter round (Arm Cortex-A76 Software Optimization Guide).
#[target_feature(enable = "neon")]
#[inline]
fn insert<const RIGHT: u32>(mut left: uint32x4_t, x: uint32x4_t) -> uint32x4_t {
    // SAFETY: an instruction of neon; registers alone.
    unsafe {
        core::arch::asm!(
            "sri {left:v}.4s, {x:v}.4s, {right}",
            left = inout(vreg) left,
            x = in(vreg) x,
            right = const RIGHT,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    left
}
