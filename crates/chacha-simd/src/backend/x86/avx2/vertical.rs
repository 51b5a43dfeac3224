//! Vertical: register i holds state word i of eight blocks, one per 32-bit lane.
//!
//! Eight blocks fill all sixteen registers, and their rounds are bound by latency: fourteen
//! instructions one after the other in a quarter round. Two groups of eight blocks, advanced by half
//! a double round in turn, fill the gaps. Their states live in memory, and each pair of quarter
//! rounds loads and stores its eight words: 47 instead of 59 cycles per double round of eight blocks
//! (Zen 5). Three or four groups would reach 43 but need twice the input to be worth starting.

use super::super::arch::{
    __m256i, _mm256_add_epi32, _mm256_cmpeq_epi32, _mm256_max_epu32, _mm256_permute2x128_si256,
    _mm256_set1_epi32, _mm256_setr_epi32, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};
use super::bytes::{ROTATE_8, ROTATE_16, both_halves, load, store, xor32};
use crate::hazmat::{BLOCK, State};
use inout::InOutBuf;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks in a group.
const LANES: usize = 8;

/// The states of `GROUPS` groups of eight blocks. Wiped on drop.
pub struct Vertical<const GROUPS: usize> {
    words: [Words; GROUPS],
    input: [Words; GROUPS],
}

/// The sixteen vectors of a group, as bytes, which are wiped in bulk.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Words([[u8; 32]; 16]);

/// Two quarter rounds from words in memory to words in memory: `($a, $b, $c, $d)` are their indices.
///
/// One block of assembly: LLVM would keep as many words in registers as it can, and spill and
/// reload others on the critical path. It reads eight of the sixteen words at
/// `from`, writes the same eight of `words`, and uses ten registers.
macro_rules! quarter_rounds {
    ($from:expr, $words:ident, $m16:ident, $m8:ident,
        ($a0:literal, $b0:literal, $c0:literal, $d0:literal),
        ($a1:literal, $b1:literal, $c1:literal, $d1:literal)) => {
        // SAFETY: avx2 is enabled; `from` points to sixteen aligned vectors that live as long as
        // `words`, an exclusive reference to as many; all offsets are below 16 * 32.
        unsafe {
            core::arch::asm!(
                "vmovdqa {b0}, ymmword ptr [{from} + {ob0}]",
                "vmovdqa {b1}, ymmword ptr [{from} + {ob1}]",
                "vpaddd {a0}, {b0}, ymmword ptr [{from} + {oa0}]",
                "vpaddd {a1}, {b1}, ymmword ptr [{from} + {oa1}]",
                "vpxor {d0}, {a0}, ymmword ptr [{from} + {od0}]",
                "vpxor {d1}, {a1}, ymmword ptr [{from} + {od1}]",
                "vpshufb {d0}, {d0}, {m16}",
                "vpshufb {d1}, {d1}, {m16}",
                "vpaddd {c0}, {d0}, ymmword ptr [{from} + {oc0}]",
                "vpaddd {c1}, {d1}, ymmword ptr [{from} + {oc1}]",
                "vpxor {b0}, {b0}, {c0}",
                "vpxor {b1}, {b1}, {c1}",
                "vpslld {t0}, {b0}, 12",
                "vpslld {t1}, {b1}, 12",
                "vpsrld {b0}, {b0}, 20",
                "vpsrld {b1}, {b1}, 20",
                "vpor {b0}, {b0}, {t0}",
                "vpor {b1}, {b1}, {t1}",
                "vpaddd {a0}, {a0}, {b0}",
                "vpaddd {a1}, {a1}, {b1}",
                "vpxor {d0}, {d0}, {a0}",
                "vmovdqa ymmword ptr [{p} + {oa0}], {a0}",
                "vpxor {d1}, {d1}, {a1}",
                "vmovdqa ymmword ptr [{p} + {oa1}], {a1}",
                "vpshufb {d0}, {d0}, {m8}",
                "vpshufb {d1}, {d1}, {m8}",
                "vpaddd {c0}, {c0}, {d0}",
                "vmovdqa ymmword ptr [{p} + {od0}], {d0}",
                "vpaddd {c1}, {c1}, {d1}",
                "vmovdqa ymmword ptr [{p} + {od1}], {d1}",
                "vpxor {b0}, {b0}, {c0}",
                "vmovdqa ymmword ptr [{p} + {oc0}], {c0}",
                "vpxor {b1}, {b1}, {c1}",
                "vmovdqa ymmword ptr [{p} + {oc1}], {c1}",
                "vpslld {t0}, {b0}, 7",
                "vpslld {t1}, {b1}, 7",
                "vpsrld {b0}, {b0}, 25",
                "vpsrld {b1}, {b1}, 25",
                "vpor {b0}, {b0}, {t0}",
                "vpor {b1}, {b1}, {t1}",
                "vmovdqa ymmword ptr [{p} + {ob0}], {b0}",
                "vmovdqa ymmword ptr [{p} + {ob1}], {b1}",
                from = in(reg) $from, p = in(reg) &raw mut *$words,
                m16 = in(ymm_reg) $m16, m8 = in(ymm_reg) $m8,
                oa0 = const 32 * $a0, ob0 = const 32 * $b0,
                oc0 = const 32 * $c0, od0 = const 32 * $d0,
                oa1 = const 32 * $a1, ob1 = const 32 * $b1,
                oc1 = const 32 * $c1, od1 = const 32 * $d1,
                a0 = out(ymm_reg) _, b0 = out(ymm_reg) _, c0 = out(ymm_reg) _, d0 = out(ymm_reg) _,
                a1 = out(ymm_reg) _, b1 = out(ymm_reg) _, c1 = out(ymm_reg) _, d1 = out(ymm_reg) _,
                t0 = out(ymm_reg) _, t1 = out(ymm_reg) _,
                options(nostack, preserves_flags),
            );
        }
    };
}

impl<const GROUPS: usize> Vertical<GROUPS> {
    /// The state in all lanes, without its counter.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn new(state: &State) -> Self {
        let mut input = Words([[0; 32]; 16]);
        for (bytes, word) in input.0.iter_mut().zip(state.words()) {
            store(bytes, _mm256_set1_epi32(word.cast_signed()));
        }
        Vertical {
            words: [Words([[0; 32]; 16]); GROUPS],
            input: [input; GROUPS],
        }
    }

    /// Begins a pass: group g is the eight blocks from number `first[g]` on. Does the first double
    /// round, whose first half reads the input instead of a copy of it.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn first_double_round(&mut self, first: [u64; GROUPS]) {
        let lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        for (input, first) in self.input.iter_mut().zip(first) {
            let base = _mm256_set1_epi32((first as u32).cast_signed());
            let low = _mm256_add_epi32(base, lane);
            // Where low wrapped it is below base and carries; elsewhere -1 cancels the 1.
            let whole = _mm256_cmpeq_epi32(_mm256_max_epu32(low, base), low);
            let high = _mm256_set1_epi32(((first >> 32) as u32).wrapping_add(1).cast_signed());
            store(&mut input.0[12], low);
            store(&mut input.0[13], _mm256_add_epi32(high, whole));
        }
        for (words, input) in self.words.iter_mut().zip(&self.input) {
            columns(input, words);
        }
        for group in 0..GROUPS {
            self.diagonal_round(group);
        }
    }

    /// A column round and a diagonal round of all groups.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn double_round(&mut self) {
        for group in 0..GROUPS {
            self.column_round(group);
        }
        for group in 0..GROUPS {
            self.diagonal_round(group);
        }
    }

    /// Half of a double round, of one group. A fused kernel places its own work between the halves.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn column_round(&mut self, group: usize) {
        let words = &mut self.words[group];
        columns(&raw const *words, words);
    }

    /// The other half.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn diagonal_round(&mut self, group: usize) {
        let (m16, m8) = (both_halves(ROTATE_16), both_halves(ROTATE_8));
        let words = &mut self.words[group];
        let from = &raw const *words;
        quarter_rounds!(from, words, m16, m8, (0, 5, 10, 15), (1, 6, 11, 12));
        quarter_rounds!(from, words, m16, m8, (2, 7, 8, 13), (3, 4, 9, 14));
    }

    /// Adds the input and writes a group's eight blocks in order.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn keystream(&self, group: usize, keystream: &mut [[u8; BLOCK]; LANES]) {
        for half in 0..2 {
            let pieces = self.half_blocks(group, half);
            for (block, piece) in keystream.iter_mut().zip(pieces) {
                store(&mut block.as_chunks_mut().0[half], piece);
            }
        }
    }

    /// Adds the input and XORs a group's eight blocks onto `buf`.
    ///
    /// # Panics
    /// If `buf` is not 512 bytes long.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn xor(&self, group: usize, mut buf: InOutBuf<'_, '_, u8>) {
        assert!(buf.len() == BLOCK * LANES);
        for half in 0..2 {
            let pieces = self.half_blocks(group, half);
            for (block, piece) in pieces.into_iter().enumerate() {
                xor32(&mut buf, BLOCK * block + 32 * half, piece);
            }
        }
    }

    /// Words 8 * half .. 8 * half + 8 of each block of a group, as the bytes of the keystream.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn half_blocks(&self, group: usize, half: usize) -> [__m256i; LANES] {
        let (words, _) = self.words[group].0.as_chunks::<4>();
        let (input, _) = self.input[group].0.as_chunks::<4>();
        // An 8 x 8 transpose: pairs, quadruples, halves. The lower 128 bits hold blocks 0 to 3.
        let low = quadruples(&words[2 * half], &input[2 * half]);
        let high = quadruples(&words[2 * half + 1], &input[2 * half + 1]);
        [
            _mm256_permute2x128_si256::<0x20>(low[0], high[0]),
            _mm256_permute2x128_si256::<0x20>(low[1], high[1]),
            _mm256_permute2x128_si256::<0x20>(low[2], high[2]),
            _mm256_permute2x128_si256::<0x20>(low[3], high[3]),
            _mm256_permute2x128_si256::<0x31>(low[0], high[0]),
            _mm256_permute2x128_si256::<0x31>(low[1], high[1]),
            _mm256_permute2x128_si256::<0x31>(low[2], high[2]),
            _mm256_permute2x128_si256::<0x31>(low[3], high[3]),
        ]
    }
}

/// A column round from the words at `from`: of another group, or the same.
#[inline]
#[target_feature(enable = "avx2")]
fn columns(from: *const Words, words: &mut Words) {
    let (m16, m8) = (both_halves(ROTATE_16), both_halves(ROTATE_8));
    quarter_rounds!(from, words, m16, m8, (0, 4, 8, 12), (1, 5, 9, 13));
    quarter_rounds!(from, words, m16, m8, (2, 6, 10, 14), (3, 7, 11, 15));
}

/// The sums of four words each. Result j: those of block j in the lower half, of block j + 4 in the
/// upper.
#[inline]
#[target_feature(enable = "avx2")]
fn quadruples(words: &[[u8; 32]; 4], input: &[[u8; 32]; 4]) -> [__m256i; 4] {
    let a = _mm256_add_epi32(load(&words[0]), load(&input[0]));
    let b = _mm256_add_epi32(load(&words[1]), load(&input[1]));
    let c = _mm256_add_epi32(load(&words[2]), load(&input[2]));
    let d = _mm256_add_epi32(load(&words[3]), load(&input[3]));
    let ab = [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
    let cd = [_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d)];
    [
        _mm256_unpacklo_epi64(ab[0], cd[0]),
        _mm256_unpackhi_epi64(ab[0], cd[0]),
        _mm256_unpacklo_epi64(ab[1], cd[1]),
        _mm256_unpackhi_epi64(ab[1], cd[1]),
    ]
}

impl<const GROUPS: usize> Drop for Vertical<GROUPS> {
    #[inline]
    fn drop(&mut self) {
        for words in self.words.iter_mut().chain(&mut self.input) {
            words.0.as_flattened_mut().zeroize();
        }
    }
}

impl<const GROUPS: usize> ZeroizeOnDrop for Vertical<GROUPS> {}
