//! Between registers and bytes.

use super::super::arch::{
    __m128i, __m256i, _mm_loadu_si128, _mm_setr_epi32, _mm256_broadcastsi128_si256,
    _mm256_loadu_si256, _mm256_storeu_si256, _mm256_xor_si256,
};
use crate::backend::short::xor_short;
use inout::InOutBuf;

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: a reference to 32 bytes; the instruction needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store(bytes: &mut [u8; 32], x: __m256i) {
    // SAFETY: an exclusive reference to 32 bytes; the instruction needs no alignment.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), x) }
}

/// Four words as one row.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn row(words: &[u32; 4]) -> __m128i {
    let [a, b, c, d] = words.map(u32::cast_signed);
    _mm_setr_epi32(a, b, c, d)
}

/// XORs `keystream` onto 32 bytes of `buf` from `at` on.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn xor32(buf: &mut InOutBuf<'_, '_, u8>, at: usize, keystream: __m256i) {
    let input = buf.get_in()[at..].first_chunk().expect("32 bytes at `at`");
    let x = _mm256_xor_si256(load(input), keystream);
    let output = buf.get_out()[at..].first_chunk_mut();
    store(output.expect("32 bytes at `at`"), x);
}

/// XORs the start of `keystream` onto all of `buf`, without a loop over bytes.
///
/// # Panics
/// If `keystream` is shorter than `buf`.
#[inline]
#[target_feature(enable = "avx2")]
pub fn xor_bytes(mut buf: InOutBuf<'_, '_, u8>, keystream: &[u8]) {
    let len = buf.len();
    let keystream = &keystream[..len];
    let (pieces, _) = keystream.as_chunks::<32>();
    for (i, piece) in pieces.iter().enumerate() {
        xor32(&mut buf, 32 * i, load(piece));
    }
    let at = 32 * pieces.len();
    let (_, buf) = buf.split_at(at);
    xor_short(buf, &keystream[at..]);
}

/// A mask for `_mm256_shuffle_epi8`, the same in both halves.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn both_halves(half: [u8; 16]) -> __m256i {
    // SAFETY: a reference to 16 bytes; the instruction needs no alignment.
    let half = unsafe { _mm_loadu_si128(half.as_ptr().cast()) };
    _mm256_broadcastsi128_si256(half)
}

/// Rotates each 32-bit lane left by 16.
pub(super) const ROTATE_16: [u8; 16] = [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13];
/// Rotates each 32-bit lane left by 8.
pub(super) const ROTATE_8: [u8; 16] = [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14];
