//! SSSE3: SSE2 with a shuffle of bytes, which rotates by 16 and by 8 in one instruction.

use super::{GROUPS, Sse2, Ssse3, arch::*};
use crate::{
    backend::lanes::{self, Lanes, sealed::Sealed},
    hazmat::{BLOCK, State},
};
use inout::InOutBuf;

/// XORs the keystream from `state`'s counter on onto `buf`; a block used in part stays in `last`.
#[inline]
pub(crate) fn xor<const ROUNDS: usize>(
    token: Ssse3,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    // SAFETY: the token proves ssse3.
    unsafe { xor_inner::<ROUNDS>(token, state, buf, last) }
}

#[target_feature(enable = "ssse3")]
fn xor_inner<const ROUNDS: usize>(
    token: Ssse3,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    lanes::xor::<_, ROUNDS, GROUPS>(Shuffles::new(token), state, buf, last);
}

/// The token, and the masks of the two rotations.
#[derive(Clone, Copy)]
pub struct Shuffles {
    sse2: Sse2,
    by_16: __m128i,
    by_8: __m128i,
}

impl Shuffles {
    /// By right of the token.
    #[inline(always)]
    pub fn new(token: Ssse3) -> Self {
        let sse2 = token.sse2();
        let by_16 = sse2.load(&[2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13]);
        let by_8 = sse2.load(&[3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14]);
        // SAFETY: the token proves ssse3.
        let (by_16, by_8) = unsafe { (opaque(by_16), opaque(by_8)) };
        Shuffles { sse2, by_16, by_8 }
    }
}

/// Hides what a mask is. Knowing it, LLVM makes two 16-bit shuffles of the rotation by 16, one after
/// the other on the critical path of every round.
///
/// With the feature, although it is inlined into what has it: without, a build for a machine that need not
/// have SSE has no such register to name.
#[target_feature(enable = "ssse3")]
#[inline]
fn opaque(mut mask: __m128i) -> __m128i {
    // SAFETY: a comment; it changes nothing.
    unsafe {
        core::arch::asm!("/* {0} */", inout(xmm_reg) mask, options(pure, nomem, nostack, preserves_flags));
    }
    mask
}

impl Sealed for Shuffles {}

impl Lanes for Shuffles {
    type Vector = __m128i;

    #[inline(always)]
    fn splat(self, word: u32) -> __m128i {
        self.sse2.splat(word)
    }
    #[inline(always)]
    fn words(self, words: [u32; 4]) -> __m128i {
        self.sse2.words(words)
    }
    #[inline(always)]
    fn load(self, bytes: &[u8; 16]) -> __m128i {
        self.sse2.load(bytes)
    }
    #[inline(always)]
    fn store(self, bytes: &mut [u8; 16], x: __m128i) {
        self.sse2.store(bytes, x);
    }
    #[inline(always)]
    fn add(self, x: __m128i, y: __m128i) -> __m128i {
        self.sse2.add(x, y)
    }
    #[inline(always)]
    fn xor(self, x: __m128i, y: __m128i) -> __m128i {
        self.sse2.xor(x, y)
    }
    #[inline(always)]
    fn rotate_16(self, x: __m128i) -> __m128i {
        // SAFETY: only a token of ssse3 makes the masks.
        unsafe { _mm_shuffle_epi8(x, self.by_16) }
    }
    #[inline(always)]
    fn rotate_12(self, x: __m128i) -> __m128i {
        self.sse2.rotate_12(x)
    }
    #[inline(always)]
    fn rotate_8(self, x: __m128i) -> __m128i {
        // SAFETY: as above.
        unsafe { _mm_shuffle_epi8(x, self.by_8) }
    }
    #[inline(always)]
    fn rotate_7(self, x: __m128i) -> __m128i {
        self.sse2.rotate_7(x)
    }
    #[inline(always)]
    fn transpose(self, rows: [__m128i; 4]) -> [__m128i; 4] {
        self.sse2.transpose(rows)
    }
}
