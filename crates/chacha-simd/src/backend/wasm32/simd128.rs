//! WebAssembly's vectors of 128 bits: eight blocks at a time.
//!
//! How many registers there are is known where the module runs. On x86-64, which has sixteen, Node takes a
//! fifth less time for eight blocks than for two times four, though half of their words are in memory.

use super::Simd128;
use crate::{
    backend::lanes::{self, Lanes, sealed::Sealed},
    hazmat::{BLOCK, State},
};
use core::arch::wasm32::*;
use inout::InOutBuf;

/// XORs the keystream from `state`'s counter on onto `buf`; a block used in part stays in `last`.
#[inline]
pub(crate) fn xor<const ROUNDS: usize>(
    token: Simd128,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    lanes::xor::<_, ROUNDS, 2>(token, state, buf, last);
}

impl Sealed for Simd128 {}

/// The rotations by 16 and 8 move bytes, the others are two shifts: there is no rotation.
impl Lanes for Simd128 {
    type Vector = v128;

    #[inline(always)]
    fn splat(self, word: u32) -> v128 {
        u32x4_splat(word)
    }

    #[inline(always)]
    fn words(self, [a, b, c, d]: [u32; 4]) -> v128 {
        u32x4(a, b, c, d)
    }

    #[inline(always)]
    fn load(self, bytes: &[u8; 16]) -> v128 {
        // SAFETY: a reference to 16 bytes, which need no alignment.
        unsafe { v128_load(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8; 16], x: v128) {
        // SAFETY: an exclusive reference to 16 bytes, which need no alignment.
        unsafe { v128_store(bytes.as_mut_ptr().cast(), x) }
    }

    #[inline(always)]
    fn add(self, x: v128, y: v128) -> v128 {
        u32x4_add(x, y)
    }

    #[inline(always)]
    fn xor(self, x: v128, y: v128) -> v128 {
        v128_xor(x, y)
    }

    #[inline(always)]
    fn rotate_16(self, x: v128) -> v128 {
        i8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(x, x)
    }

    #[inline(always)]
    fn rotate_12(self, x: v128) -> v128 {
        v128_or(u32x4_shl(x, 12), u32x4_shr(x, 20))
    }

    #[inline(always)]
    fn rotate_8(self, x: v128) -> v128 {
        i8x16_shuffle::<3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14>(x, x)
    }

    #[inline(always)]
    fn rotate_7(self, x: v128) -> v128 {
        v128_or(u32x4_shl(x, 7), u32x4_shr(x, 25))
    }

    #[inline(always)]
    fn transpose(self, [a, b, c, d]: [v128; 4]) -> [v128; 4] {
        let ab = [
            i32x4_shuffle::<0, 4, 1, 5>(a, b),
            i32x4_shuffle::<2, 6, 3, 7>(a, b),
        ];
        let cd = [
            i32x4_shuffle::<0, 4, 1, 5>(c, d),
            i32x4_shuffle::<2, 6, 3, 7>(c, d),
        ];
        [
            i64x2_shuffle::<0, 2>(ab[0], cd[0]),
            i64x2_shuffle::<1, 3>(ab[0], cd[0]),
            i64x2_shuffle::<0, 2>(ab[1], cd[1]),
            i64x2_shuffle::<1, 3>(ab[1], cd[1]),
        ]
    }
}
