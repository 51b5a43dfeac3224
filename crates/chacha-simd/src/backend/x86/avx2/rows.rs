//! Rows: register r of a pair holds row r of two blocks, one in each 128-bit half.

use super::super::arch::{
    __m256i, _mm256_add_epi32, _mm256_broadcastsi128_si256, _mm256_or_si256,
    _mm256_permute2x128_si256, _mm256_set_epi64x, _mm256_shuffle_epi32, _mm256_slli_epi32,
    _mm256_srli_epi32, _mm256_xor_si256,
};
use super::bytes::{ROTATE_8, ROTATE_16, both_halves, row, store};
use crate::hazmat::{BLOCK, State};

/// The states of `PAIRS` pairs of consecutive blocks. Three pairs fit the registers, with twelve rows
/// of them; from four on LLVM keeps some rows in memory, which is still worth it up to six.
pub struct Rows<const PAIRS: usize> {
    pairs: [[__m256i; 4]; PAIRS],
    /// Rows 0 to 2, the same in all blocks.
    input: [__m256i; 3],
    /// Row 3: the counters differ.
    last: [__m256i; PAIRS],
}

impl<const PAIRS: usize> Rows<PAIRS> {
    /// The input of the blocks `block`, `block + 1`, ...
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn new(state: &State, block: u64) -> Self {
        let (rows, _) = state.words().as_chunks::<4>();
        let input =
            [&rows[0], &rows[1], &rows[2]].map(|words| _mm256_broadcastsi128_si256(row(words)));
        let nonce = i64::from(rows[3][2]) | i64::from(rows[3][3]) << 32;
        let last = core::array::from_fn(|pair| {
            // 64-bit counters, added up before they become lanes: the carry is right.
            let even = block.wrapping_add(2 * pair as u64);
            let odd = even.wrapping_add(1);
            _mm256_set_epi64x(nonce, odd.cast_signed(), nonce, even.cast_signed())
        });
        Rows {
            pairs: last.map(|last| [input[0], input[1], input[2], last]),
            input,
            last,
        }
    }

    /// A column round and a diagonal round.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn double_round(&mut self) {
        let (m16, m8) = (both_halves(ROTATE_16), both_halves(ROTATE_8));
        for rows in &mut self.pairs {
            round(rows, m16, m8);
        }
        for [a, _, c, d] in &mut self.pairs {
            // b is the row that is ready last: the others turn around it, off the critical path.
            *a = _mm256_shuffle_epi32::<0b10_01_00_11>(*a);
            *d = _mm256_shuffle_epi32::<0b01_00_11_10>(*d);
            *c = _mm256_shuffle_epi32::<0b00_11_10_01>(*c);
        }
        for rows in &mut self.pairs {
            round(rows, m16, m8);
        }
        for [a, _, c, d] in &mut self.pairs {
            *a = _mm256_shuffle_epi32::<0b00_11_10_01>(*a);
            *d = _mm256_shuffle_epi32::<0b01_00_11_10>(*d);
            *c = _mm256_shuffle_epi32::<0b10_01_00_11>(*c);
        }
    }

    /// Adds the input and writes the blocks in order.
    ///
    /// # Panics
    /// If `keystream` has fewer than `2 * PAIRS` blocks.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn keystream(&self, keystream: &mut [[u8; BLOCK]]) {
        for pair in 0..PAIRS {
            let [a, b, c, d] = self.pairs[pair];
            let a = _mm256_add_epi32(a, self.input[0]);
            let b = _mm256_add_epi32(b, self.input[1]);
            let c = _mm256_add_epi32(c, self.input[2]);
            let d = _mm256_add_epi32(d, self.last[pair]);
            let even = [
                _mm256_permute2x128_si256::<0x20>(a, b),
                _mm256_permute2x128_si256::<0x20>(c, d),
            ];
            let odd = [
                _mm256_permute2x128_si256::<0x31>(a, b),
                _mm256_permute2x128_si256::<0x31>(c, d),
            ];
            for (block, halves) in [(2 * pair, even), (2 * pair + 1, odd)] {
                let (bytes, _) = keystream[block].as_chunks_mut::<32>();
                store(&mut bytes[0], halves[0]);
                store(&mut bytes[1], halves[1]);
            }
        }
    }
}

/// Four quarter rounds side by side.
#[inline]
#[target_feature(enable = "avx2")]
fn round([a, b, c, d]: &mut [__m256i; 4], m16: __m256i, m8: __m256i) {
    *a = _mm256_add_epi32(*a, *b);
    *d = shuffle(_mm256_xor_si256(*d, *a), m16);
    *c = _mm256_add_epi32(*c, *d);
    *b = rotate::<12, 20>(_mm256_xor_si256(*b, *c));
    *a = _mm256_add_epi32(*a, *b);
    *d = shuffle(_mm256_xor_si256(*d, *a), m8);
    *c = _mm256_add_epi32(*c, *d);
    *b = rotate::<7, 25>(_mm256_xor_si256(*b, *c));
}

#[inline]
#[target_feature(enable = "avx2")]
fn rotate<const LEFT: i32, const RIGHT: i32>(x: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi32::<LEFT>(x), _mm256_srli_epi32::<RIGHT>(x))
}

/// `_mm256_shuffle_epi8` that stays one instruction: knowing the mask, LLVM makes two 16-bit
/// shuffles of the rotation by 16, one after the other on the critical path of every round.
#[inline]
#[target_feature(enable = "avx2")]
fn shuffle(x: __m256i, mask: __m256i) -> __m256i {
    let out;
    // SAFETY: avx2 is enabled; registers alone.
    unsafe {
        core::arch::asm!(
            "vpshufb {out}, {x}, {mask}",
            out = lateout(ymm_reg) out,
            x = in(ymm_reg) x,
            mask = in(ymm_reg) mask,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    out
}
