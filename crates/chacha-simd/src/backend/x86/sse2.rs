//! SSE2: no shuffle of bytes, so that every rotation is made of shifts but the one by 16.

use super::{GROUPS, Sse2, arch::*};
use crate::{
    backend::lanes::{self, Lanes, sealed::Sealed},
    hazmat::{BLOCK, State},
};
use inout::InOutBuf;

/// XORs the keystream from `state`'s counter on onto `buf`; a block used in part stays in `last`.
#[inline]
pub(crate) fn xor<const ROUNDS: usize>(
    token: Sse2,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    // SAFETY: the token proves sse2.
    unsafe { xor_inner::<ROUNDS>(token, state, buf, last) }
}

#[target_feature(enable = "sse2")]
fn xor_inner<const ROUNDS: usize>(
    token: Sse2,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    lanes::xor::<_, ROUNDS, GROUPS>(token, state, buf, last);
}

impl Sealed for Sse2 {}

impl Lanes for Sse2 {
    type Vector = __m128i;

    #[inline(always)]
    fn splat(self, word: u32) -> __m128i {
        // SAFETY: the token proves sse2.
        unsafe { _mm_set1_epi32(word.cast_signed()) }
    }

    #[inline(always)]
    fn words(self, words: [u32; 4]) -> __m128i {
        let [a, b, c, d] = words.map(u32::cast_signed);
        // SAFETY: the token proves sse2.
        unsafe { _mm_setr_epi32(a, b, c, d) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8; 16]) -> __m128i {
        // SAFETY: the token proves sse2; a reference to 16 bytes, which need no alignment.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8; 16], x: __m128i) {
        // SAFETY: the token proves sse2; an exclusive reference to 16 bytes, which need no alignment.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), x) }
    }

    #[inline(always)]
    fn add(self, x: __m128i, y: __m128i) -> __m128i {
        // SAFETY: the token proves sse2.
        unsafe { _mm_add_epi32(x, y) }
    }

    #[inline(always)]
    fn xor(self, x: __m128i, y: __m128i) -> __m128i {
        // SAFETY: the token proves sse2.
        unsafe { _mm_xor_si128(x, y) }
    }

    #[inline(always)]
    fn rotate_16(self, x: __m128i) -> __m128i {
        // SAFETY: the token proves sse2.
        unsafe {
            let x = _mm_shufflelo_epi16::<0b10_11_00_01>(x);
            _mm_shufflehi_epi16::<0b10_11_00_01>(x)
        }
    }

    #[inline(always)]
    fn rotate_12(self, x: __m128i) -> __m128i {
        rotate::<12, 20>(self, x)
    }

    #[inline(always)]
    fn rotate_8(self, x: __m128i) -> __m128i {
        rotate::<8, 24>(self, x)
    }

    #[inline(always)]
    fn rotate_7(self, x: __m128i) -> __m128i {
        rotate::<7, 25>(self, x)
    }

    #[inline(always)]
    fn transpose(self, [a, b, c, d]: [__m128i; 4]) -> [__m128i; 4] {
        // SAFETY: the token proves sse2.
        unsafe {
            let ab = [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)];
            let cd = [_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d)];
            [
                _mm_unpacklo_epi64(ab[0], cd[0]),
                _mm_unpackhi_epi64(ab[0], cd[0]),
                _mm_unpacklo_epi64(ab[1], cd[1]),
                _mm_unpackhi_epi64(ab[1], cd[1]),
            ]
        }
    }
}

#[inline(always)]
fn rotate<const LEFT: i32, const RIGHT: i32>(_: Sse2, x: __m128i) -> __m128i {
    // SAFETY: the token proves sse2.
    unsafe { _mm_or_si128(_mm_slli_epi32::<LEFT>(x), _mm_srli_epi32::<RIGHT>(x)) }
}
