//! What the rounds are written over: a word of many blocks.
//!
//! Serpent works on four 32-bit words, always on whole words and always alike. A vector of n lanes
//! holds the same word of n blocks, and a [`Group`] the same word of N such vectors: the rounds are
//! written once, over [`Word`], as if for one block.

use crate::Block;
use core::ops::{BitAnd, BitOr, BitXor};

/// 32-bit words, all treated alike.
pub trait Word:
    Copy + BitXor<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self>
{
    /// `self & !mask`: one instruction everywhere.
    fn and_not(self, mask: Self) -> Self;
    /// Rotates left by `L` bits, which is right by `R`: `L + R == 32`, for those that have shifts alone.
    fn rotate<const L: i32, const R: i32>(self) -> Self;
    /// Shifts left by `L` bits.
    fn shift<const L: i32>(self) -> Self;

    /// `self ^ b ^ c`
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }
}

/// Words with an instruction for any function of three bits.
pub trait Ternary: Word {
    /// The function whose value for the bits `self`, `b`, `c` is bit `4 self + 2 b + c` of `TABLE`.
    fn ternary<const TABLE: i32>(self, b: Self, c: Self) -> Self;
}

/// A register: one word of each of `LANES` blocks.
pub trait Vector: Word {
    /// Proves that the machine has the instructions. A value of the type comes from `splat` or `rows`
    /// alone, or from another value: holding one is the same proof.
    type Token: Copy;
    /// Words in a register.
    const LANES: usize;
    /// Whether several registers go through a round together, gate by gate, or each alone. Together
    /// there is always an instruction that waits for nobody; alone fewer registers are needed at once.
    const TOGETHER: bool;

    /// `word` in every lane.
    fn splat(token: Self::Token, word: u32) -> Self;
    /// Up to `LANES` blocks in the order of their bytes; zeros in the place of those that are missing.
    fn rows(token: Self::Token, blocks: &[Block]) -> [Self; 4];
    /// The same of tweaks, of which one is a block as a little-endian integer.
    fn tweak_rows(token: Self::Token, tweaks: &[u128]) -> [Self; 4];
    /// Writes rows back: as many as there are blocks.
    fn store(rows: [Self; 4], blocks: &mut [Block]);
    /// Rows to words and back; which lane holds which block is the vector's own affair.
    fn transpose(rows: [Self; 4]) -> [Self; 4];

    /// S-box `BOX`, with some outputs complemented ([`COMPLEMENTED`](super::circuits::COMPLEMENTED)).
    fn substitute<const BOX: usize, const N: usize>(state: State<Self, N>) -> State<Self, N>;
    /// The inverse of S-box `BOX`, likewise.
    fn substitute_inverse<const BOX: usize, const N: usize>(
        state: State<Self, N>,
    ) -> State<Self, N>;
}

/// The same word of N vectors.
#[derive(Clone, Copy)]
pub struct Group<V, const N: usize>(pub [V; N]);

/// What is loaded and stored as 16 bytes, whatever these are.
///
/// # Safety
/// 16 bytes, none of them padding, of which every value is one of the type.
#[allow(unsafe_code)]
pub unsafe trait Sixteen: Copy {}

// SAFETY: a `repr(transparent)` array of 16 bytes.
#[allow(unsafe_code)]
unsafe impl Sixteen for Block {}
// SAFETY: an integer.
#[allow(unsafe_code)]
unsafe impl Sixteen for u128 {}

/// Four words: N vectors' worth of blocks.
pub type State<V, const N: usize> = [Group<V, N>; 4];

// Plain loops, here and in the kernels: the library's array functions (`map`, `from_fn`) are compiled
// without the vector instructions if they are not inlined, and then pass every vector through memory.
macro_rules! each {
    ($self:ident, $method:ident $(::<$($parameter:ident),+>)? ($($other:ident),*)) => {{
        let mut out = $self;
        for n in 0..N {
            out.0[n] = $self.0[n].$method$(::<$($parameter),+>)?($($other.0[n]),*);
        }
        out
    }};
}

impl<V: Word, const N: usize> BitXor for Group<V, N> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        each!(self, bitxor(other))
    }
}

impl<V: Word, const N: usize> BitAnd for Group<V, N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        each!(self, bitand(other))
    }
}

impl<V: Word, const N: usize> BitOr for Group<V, N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        each!(self, bitor(other))
    }
}

impl<V: Word, const N: usize> Word for Group<V, N> {
    #[inline(always)]
    fn and_not(self, mask: Self) -> Self {
        each!(self, and_not(mask))
    }
    #[inline(always)]
    fn rotate<const L: i32, const R: i32>(self) -> Self {
        each!(self, rotate::<L, R>())
    }
    #[inline(always)]
    fn shift<const L: i32>(self) -> Self {
        each!(self, shift::<L>())
    }
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        each!(self, xor3(b, c))
    }
}

impl<V: Ternary, const N: usize> Ternary for Group<V, N> {
    #[inline(always)]
    fn ternary<const TABLE: i32>(self, b: Self, c: Self) -> Self {
        each!(self, ternary::<TABLE>(b, c))
    }
}
