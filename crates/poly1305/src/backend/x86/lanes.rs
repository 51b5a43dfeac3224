//! Two lanes with SSE2 and four with AVX2: `pmuludq` multiplies the low halves of all.
#![allow(clippy::inline_always)] // as in limbs26

use super::Avx2;
#[cfg(target_arch = "x86")]
use super::Sse2;
use crate::backend::limbs26::{Lanes, Limbs};
use core::arch::asm;
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::mem::transmute;

/// Blocks from which on two lanes beat portable code: 16 win 10 %, 32 win 50 %.
#[cfg(target_arch = "x86")]
const TWO_LANES: usize = 16;
/// Blocks from which on four lanes beat two: 48 take as long, 73 win 10 %, 4096 win 45 %.
#[cfg(target_arch = "x86")]
const FOUR_LANES: usize = 48;
/// Blocks from which on four lanes beat two scalar chains: 64 take as long, 128 win 21 %, 4096 win 38 %.
#[cfg(target_arch = "x86_64")]
const FOUR_LANES: usize = 80;

/// `$load` gives the low and the high words of one vector's blocks, in their order.
macro_rules! lanes {
    (
        $token:ident, $lanes:literal lanes of $vector:ident, from $worthwhile:ident blocks,
        load: $load:ident, narrow: $narrow:ident, set: $set:ident, multiply: $mul:ident, add: $add:ident, and: $and:ident,
        or: $or:ident, right: $shr:ident, left: $shl:ident
    ) => {
        impl Lanes<{ 2 * $lanes }> for $token {
            type Limb = $vector;
            type Sum = $vector;
            type Multiplier = [$vector; 9];

            const WORTHWHILE: usize = $worthwhile;

            #[inline(always)]
            fn multiplier(self, limbs: [u32; 9]) -> [$vector; 9] {
                // SAFETY: the token proves the instructions.
                limbs.map(|limb| unsafe { $set(i64::from(limb)) })
            }

            #[inline(always)]
            fn read_again(self, by: &[$vector; 9]) {
                // SAFETY: no instruction at all. The compiler takes the memory for written.
                unsafe { asm!("/* {0} */", in(reg) by, options(nostack, preserves_flags)) };
            }

            #[inline(always)]
            fn cut(self, blocks: &[[u8; 16]; 2 * $lanes]) -> [Limbs<$vector>; 2] {
                let (Some(a), Some(b)) = (blocks.first_chunk(), blocks.last_chunk()) else {
                    unreachable!("halves of an array");
                };
                [self.cut_half(a), self.cut_half(b)]
            }

            #[inline(always)]
            fn last_lane(self, limb: u32) -> $vector {
                let mut words = [0; 2 * $lanes];
                words[2 * $lanes - 2] = limb;
                // SAFETY: as many bytes, and all values of them are valid.
                unsafe { transmute::<[u32; 2 * $lanes], $vector>(words) }
            }

            #[inline(always)]
            fn lane(self, limb: $vector, lane: usize) -> u32 {
                // SAFETY: as many bytes, and all values of them are valid.
                let words = unsafe { transmute::<$vector, [u32; 2 * $lanes]>(limb) };
                words[2 * lane]
            }

            #[inline(always)]
            fn product<const K: usize>(self, limb: $vector, by: &[$vector; 9]) -> $vector {
                // SAFETY: the token proves the instructions.
                unsafe { $mul(limb, by[K]) }
            }

            #[inline(always)]
            fn add_product<const K: usize>(
                self,
                sum: $vector,
                limb: $vector,
                by: &[$vector; 9],
            ) -> $vector {
                // SAFETY: the token proves the instructions.
                unsafe { $add(sum, $mul(limb, by[K])) }
            }

            #[inline(always)]
            fn add(self, sum: $vector, limb: $vector) -> $vector {
                // SAFETY: the token proves the instructions.
                unsafe { $add(sum, limb) }
            }

            #[inline(always)]
            fn add_carry(self, sum: $vector, from: $vector) -> $vector {
                // SAFETY: the token proves the instructions.
                unsafe { $add(sum, $shr::<26>(from)) }
            }

            #[inline(always)]
            fn add_carry_5(self, sum: $vector, from: $vector) -> $vector {
                // SAFETY: the token proves the instructions.
                unsafe {
                    let carry = $shr::<26>(from);
                    $add($add(sum, carry), $shl::<2>(carry))
                }
            }

            #[inline(always)]
            fn low26(self, sum: $vector) -> $vector {
                // SAFETY: the token proves the instructions.
                unsafe { $and(sum, $set(0x3ffffff)) }
            }

            #[inline(always)]
            fn narrow(self, sum: $vector) -> $vector {
                // SAFETY: the token proves the instructions.
                unsafe { $narrow(sum) }
            }
        }

        impl $token {
            #[inline(always)]
            fn cut_half(self, blocks: &[[u8; 16]; $lanes]) -> Limbs<$vector> {
                // SAFETY: the token proves the instructions.
                unsafe {
                    let [low, high] = $load(blocks);
                    let middle = $or($shr::<52>(low), $shl::<12>(high));
                    let mask = $set(0x3ffffff);
                    [
                        $and(low, mask),
                        $and($shr::<26>(low), mask),
                        $and(middle, mask),
                        $and($shr::<14>(high), mask),
                        $or($shr::<40>(high), $set(1 << 24)),
                    ]
                }
            }
        }
    };
}

#[cfg(target_arch = "x86")]
lanes! {
    Sse2, 2 lanes of __m128i, from TWO_LANES blocks,
    load: load2, narrow: narrow2, set: _mm_set1_epi64x, multiply: _mm_mul_epu32, add: _mm_add_epi64, and: _mm_and_si128,
    or: _mm_or_si128, right: _mm_srli_epi64, left: _mm_slli_epi64
}

lanes! {
    Avx2, 4 lanes of __m256i, from FOUR_LANES blocks,
    load: load4, narrow: narrow4, set: _mm256_set1_epi64x, multiply: _mm256_mul_epu32, add: _mm256_add_epi64,
    and: _mm256_and_si256, or: _mm256_or_si256, right: _mm256_srli_epi64, left: _mm256_slli_epi64
}

#[cfg(target_arch = "x86")]
#[inline]
#[target_feature(enable = "sse2")]
fn load2(blocks: &[[u8; 16]; 2]) -> [__m128i; 2] {
    let [a, b] = blocks.each_ref().map(|block| {
        // SAFETY: a reference to an array of 16 bytes.
        unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
    });
    [_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn load4(blocks: &[[u8; 16]; 4]) -> [__m256i; 2] {
    let [a, b, c, d] = blocks.each_ref().map(|block| {
        // SAFETY: a reference to an array of 16 bytes.
        unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
    });
    let (ac, bd) = (_mm256_set_m128i(c, a), _mm256_set_m128i(d, b));
    [_mm256_unpacklo_epi64(ac, bd), _mm256_unpackhi_epi64(ac, bd)]
}

/// The multiplication does not read the high halves. If the compiler sees that they are zero, it takes it for
/// one of 64 bits, forgets the zeros at the head of the loop, and multiplies the halves of h too.
#[cfg(target_arch = "x86")]
#[inline]
#[target_feature(enable = "sse2")]
fn narrow2(mut sum: __m128i) -> __m128i {
    // SAFETY: no instruction at all.
    unsafe {
        asm!("/* {0} */", inout(xmm_reg) sum, options(pure, nomem, nostack, preserves_flags));
    }
    sum
}

/// As `narrow2`.
#[inline]
#[target_feature(enable = "avx2")]
fn narrow4(mut sum: __m256i) -> __m256i {
    // SAFETY: no instruction at all.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) sum, options(pure, nomem, nostack, preserves_flags));
    }
    sum
}
