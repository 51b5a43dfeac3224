//! AVX-512: rotates, functions of three inputs in one instruction, and 32 registers.
//!
//! Four registers' worth of blocks, sixteen registers, go through each round together, gate by gate: more
//! would spill, fewer leave the processor waiting. 64 blocks in registers of 512 bits go twice as fast as
//! 32 in 256 bits where the execution units are that wide (Zen 5: 4.1 and 2.1 GB/s) and as fast where each
//! operation is split (Zen 4: 2.05 and 2.08).

use super::{Avx512, operators, transpose};
use crate::{
    Block,
    backend::{
        circuits::ternary,
        portable,
        rounds::{self, Work},
        word::{Sixteen, State, Ternary, Vector, Word},
    },
    schedule::RoundKeys,
};
use core::arch::x86_64::*;
use inout::InOutBuf;

/// A register of 256 bits, with AVX-512VL.
#[derive(Clone, Copy)]
pub struct Ymm(__m256i);

/// A register of 512 bits.
#[derive(Clone, Copy)]
pub struct Zmm(__m512i);

/// All that differs between the two in their names alone.
macro_rules! vector {
    (
        $vector:ident of $lanes:literal lanes, $row:literal blocks in a row:
        $xor:ident $and:ident $or:ident $and_not:ident $ternary:ident
        $rotate:ident $shift:ident $splat:ident
        $zero:ident $load:ident $store:ident $masked_load:ident $masked_store:ident
        $low32:ident $high32:ident $low64:ident $high64:ident
    ) => {
        operators!($vector: $xor, $and, $or);

        impl Word for $vector {
            #[inline(always)]
            fn and_not(self, mask: Self) -> Self {
                // SAFETY: a vector exists only where its token does.
                Self(unsafe { $and_not(mask.0, self.0) })
            }
            #[inline(always)]
            fn rotate<const L: i32, const R: i32>(self) -> Self {
                // SAFETY: a vector exists only where its token does.
                Self(unsafe { $rotate::<L>(self.0) })
            }
            #[inline(always)]
            fn shift<const L: i32>(self) -> Self {
                // SAFETY: a vector exists only where its token does.
                Self(unsafe { $shift(self.0, L) })
            }
            #[inline(always)]
            fn xor3(self, b: Self, c: Self) -> Self {
                self.ternary::<0x96>(b, c)
            }
        }

        impl Ternary for $vector {
            #[inline(always)]
            fn ternary<const TABLE: i32>(self, b: Self, c: Self) -> Self {
                // SAFETY: a vector exists only where its token does.
                Self(unsafe { $ternary::<TABLE>(self.0, b.0, c.0) })
            }
        }

        impl $vector {
            /// Blocks or tweaks, which are 16 bytes: as many as the register holds, zeros for those that
            /// are missing.
            #[inline(always)]
            fn load<T: Sixteen>(_: Avx512, items: &[T]) -> Self {
                const { assert!(size_of::<T>() == 16) };
                let from = items.as_ptr().cast();
                match items.len() {
                    // SAFETY: the token proves the features; the mask has two bits, of 8
                    // bytes each, for every item.
                    few @ 0..$row => Self(unsafe { $masked_load((1 << (2 * few)) - 1, from) }),
                    // SAFETY: as above; there is a register's worth of items.
                    _ => Self(unsafe { $load(from.cast()) }),
                }
            }

            /// Four registers. (Masked loads of nothing from nowhere would do for those that are
            /// missing, slowly: the processor looks for the fault first.)
            #[inline(always)]
            fn load_rows<T: Sixteen>(token: Avx512, items: &[T]) -> [Self; 4] {
                // SAFETY: the token proves the features.
                let mut rows = [Self(unsafe { $zero() }); 4];
                for (row, items) in rows.iter_mut().zip(items.chunks($row)) {
                    *row = Self::load(token, items);
                }
                rows
            }

            /// Writes as many as there are, at most as many as the register holds.
            #[inline(always)]
            fn store<T: Sixteen>(self, items: &mut [T]) {
                const { assert!(size_of::<T>() == 16) };
                let to = items.as_mut_ptr().cast();
                match items.len() {
                    // SAFETY: a vector exists only where its token does; the mask is as above.
                    few @ 0..$row => unsafe { $masked_store(to, (1 << (2 * few)) - 1, self.0) },
                    // SAFETY: as above; there is room for a register's worth of items.
                    _ => unsafe { $store(to.cast(), self.0) },
                }
            }
        }

        impl Vector for $vector {
            type Token = Avx512;
            const LANES: usize = $lanes;
            const TOGETHER: bool = true;

            #[inline(always)]
            fn splat(_: Avx512, word: u32) -> Self {
                // SAFETY: the token proves the features.
                Self(unsafe { $splat(word as i32) })
            }
            #[inline(always)]
            fn rows(token: Avx512, blocks: &[Block]) -> [Self; 4] {
                Self::load_rows(token, blocks)
            }
            #[inline(always)]
            fn tweak_rows(token: Avx512, tweaks: &[u128]) -> [Self; 4] {
                Self::load_rows(token, tweaks)
            }
            #[inline(always)]
            fn store(rows: [Self; 4], blocks: &mut [Block]) {
                for (row, blocks) in rows.into_iter().zip(blocks.chunks_mut($row)) {
                    row.store(blocks);
                }
            }
            #[inline(always)]
            fn transpose(rows: [Self; 4]) -> [Self; 4] {
                transpose!(rows, $low32, $high32, $low64, $high64)
            }
            #[inline(always)]
            fn substitute<const BOX: usize, const N: usize>(
                state: State<Self, N>,
            ) -> State<Self, N> {
                ternary::substitute::<BOX, _>(state)
            }
            #[inline(always)]
            fn substitute_inverse<const BOX: usize, const N: usize>(
                state: State<Self, N>,
            ) -> State<Self, N> {
                ternary::substitute_inverse::<BOX, _>(state)
            }
        }
    };
}

/// `slli` takes its count as another type in each width.
macro_rules! shift {
    ($name:ident, $register:ty, $shift:ident) => {
        #[inline(always)]
        unsafe fn $name(x: $register, count: i32) -> $register {
            // SAFETY: the caller has the features.
            unsafe { $shift(x, _mm_cvtsi32_si128(count)) }
        }
    };
}

shift!(shift_256, __m256i, _mm256_sll_epi32);
shift!(shift_512, __m512i, _mm512_sll_epi32);

vector!(
    Ymm of 8 lanes, 2 blocks in a row:
    _mm256_xor_si256 _mm256_and_si256 _mm256_or_si256 _mm256_andnot_si256 _mm256_ternarylogic_epi32
    _mm256_rol_epi32 shift_256 _mm256_set1_epi32
    _mm256_setzero_si256 _mm256_loadu_si256 _mm256_storeu_si256
    _mm256_maskz_loadu_epi64 _mm256_mask_storeu_epi64
    _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64
);

vector!(
    Zmm of 16 lanes, 4 blocks in a row:
    _mm512_xor_si512 _mm512_and_si512 _mm512_or_si512 _mm512_andnot_si512 _mm512_ternarylogic_epi32
    _mm512_rol_epi32 shift_512 _mm512_set1_epi32
    _mm512_setzero_si512 _mm512_loadu_si512 _mm512_storeu_si512
    _mm512_maskz_loadu_epi64 _mm512_mask_storeu_epi64
    _mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64
);

/// Any number of blocks.
#[inline]
pub fn run<const ENCRYPT: bool>(
    token: Avx512,
    keys: &RoundKeys,
    tweaks: Option<&[u128]>,
    blocks: InOutBuf<'_, '_, Block>,
) {
    // SAFETY: the token proves the features.
    unsafe { run_inner::<ENCRYPT>(token, keys, tweaks, blocks) }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn run_inner<const ENCRYPT: bool>(
    token: Avx512,
    keys: &RoundKeys,
    tweaks: Option<&[u128]>,
    blocks: InOutBuf<'_, '_, Block>,
) {
    let mut work = Work::new(tweaks, blocks);
    while token.wide && work.len() > 4 * Ymm::LANES {
        let (tweaks, blocks) = work.take(4 * Zmm::LANES);
        rounds::pass::<Zmm, 4, ENCRYPT>(token, keys, tweaks, blocks);
    }
    while work.len() > 2 * Ymm::LANES {
        let (tweaks, blocks) = work.take(4 * Ymm::LANES);
        rounds::pass::<Ymm, 4, ENCRYPT>(token, keys, tweaks, blocks);
    }
    if work.len() > 1 {
        let (tweaks, blocks) = work.take(2 * Ymm::LANES);
        rounds::pass::<Ymm, 2, ENCRYPT>(token, keys, tweaks, blocks);
    }
    // A block alone waits for each of its operations, and scalar ones take less time: 115 ns for 185 (Zen 5).
    let (tweaks, blocks) = work.take(1);
    portable::run::<ENCRYPT>(keys, tweaks, blocks);
}

/// Consecutive tweaks of XTS, of which `first` is the first.
#[inline]
pub fn tweaks(_: Avx512, first: u128, tweaks: &mut [u128]) {
    // SAFETY: the token proves the features.
    unsafe { tweaks_inner(first, tweaks) }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn tweaks_inner(first: u128, mut tweaks: &mut [u128]) {
    // Lane n times x^n: a shift by 64 bits leaves nothing.
    let first = _mm_set_epi64x((first >> 64) as i64, first as i64);
    let first = _mm512_broadcast_i32x4(first);
    let a = Zmm::folded(
        _mm512_sllv_epi64(first, _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3)),
        _mm512_srlv_epi64(first, _mm512_setr_epi64(64, 64, 63, 63, 62, 62, 61, 61)),
    );
    // Eight registers, in three steps, and then all eight at once.
    let b = a.times::<4>();
    let (c, d) = (a.times::<8>(), b.times::<8>());
    let (e, f) = (a.times::<16>(), b.times::<16>());
    let (g, h) = (c.times::<16>(), d.times::<16>());
    let mut eight = [a, b, c, d, e, f, g, h];
    loop {
        for four in eight {
            let here;
            (here, tweaks) = tweaks.split_at_mut(4.min(tweaks.len()));
            four.store(here);
        }
        if tweaks.is_empty() {
            break;
        }
        for four in &mut eight {
            *four = four.times::<32>();
        }
    }
}

impl Zmm {
    /// Four tweaks times x^K, K at most 57: what is carried out of 128 bits and folded in again, times
    /// x^7 + x^2 + x + 1, must fit 64.
    #[inline(always)]
    fn times<const K: i32>(self) -> Self {
        const { assert!(0 < K && K <= 57) };
        // SAFETY: a vector exists only where its token does.
        unsafe {
            Self::folded(
                _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(K)),
                _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(64 - K)),
            )
        }
    }

    /// Four products from their halves, shifted each alone, and what was shifted out of each half: of a low
    /// one it goes to the high one, of a high one it comes in again below, times x^7 + x^2 + x + 1.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn folded(halves: __m512i, carries: __m512i) -> Self {
        let up = _mm512_bslli_epi128::<8>(carries);
        let out = _mm512_bsrli_epi128::<8>(carries);
        let folded = _mm512_ternarylogic_epi64::<0x96>(
            _mm512_slli_epi64::<1>(out),
            _mm512_slli_epi64::<2>(out),
            _mm512_slli_epi64::<7>(out),
        );
        let halves = _mm512_ternarylogic_epi64::<0x96>(halves, up, out);
        Zmm(_mm512_xor_si512(halves, folded))
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    /// The path of machines that leave 512 bits alone, which the machine of the test may not be.
    #[test]
    fn without_registers_of_512_bits() {
        if Avx512::detect().is_none() {
            std::println!("skipped: avx512");
            return;
        }
        let narrow = Avx512 { wide: false };
        let keys: RoundKeys = core::array::from_fn(|i| [(i as u32).wrapping_mul(0x9e37_79b9); 4]);
        let mut input = [Block::default(); 100];
        for (i, block) in input.iter_mut().enumerate() {
            block.fill(i as u8);
        }
        for count in 0..=input.len() {
            let (mut ours, mut expected) = (input, input);
            run::<true>(narrow, &keys, None, (&mut ours[..count]).into());
            portable::run::<true>(&keys, None, (&mut expected[..count]).into());
            assert_eq!(ours, expected, "{count}");
            run::<false>(narrow, &keys, None, (&mut ours[..count]).into());
            portable::run::<false>(&keys, None, (&mut expected[..count]).into());
            assert_eq!(ours, expected, "{count} back");
        }
    }
}
