//! AVX-512: sixteen lanes of 32 bits, a rotate instruction, byte masks for what is left at the end.
//!
//! Two layouts. *Columns*: one register per state word, its lane l from block l; the rounds need no
//! shuffle, and sixteen blocks cost one 16 x 16 transpose at the end. *Rows*: one register per state
//! row of four blocks; every round turns three rows, and four blocks take no longer than one.
//!
//! An operation has a latency of two cycles on Zen 5 and one on others, so the four quarter rounds of
//! a single group of columns fill half of its four vector pipes. Two groups, the 32 registers exactly,
//! take 1.25 times as long as one there. Long inputs therefore go by 32 blocks.

use super::Avx512;
use crate::hazmat::{BLOCK, State};
use core::arch::x86_64::*;
use inout::InOutBuf;
use zeroize::Zeroize;

/// Blocks in a group of columns.
const COLUMNS: usize = 16;
/// Blocks in a group of rows.
const ROWS: usize = 4;

/// a += b; d = (d ^ a) <<< N, for words that do not meet. Macros, as the compiler keeps the words in
/// registers only where every index is a literal.
macro_rules! step {
    ($v:ident, $n:literal, [$(($a:literal, $b:literal, $d:literal)),*]) => {
        $($v[$a] = _mm512_add_epi32($v[$a], $v[$b]);)*
        $($v[$d] = _mm512_xor_si512($v[$d], $v[$a]);)*
        $($v[$d] = _mm512_rol_epi32::<$n>($v[$d]);)*
    };
}

/// Column round and diagonal round, the groups in step.
macro_rules! double_round {
    ($($v:ident)*) => {
        $(step!($v, 16, [(0, 4, 12), (1, 5, 13), (2, 6, 14), (3, 7, 15)]);)*
        $(step!($v, 12, [(8, 12, 4), (9, 13, 5), (10, 14, 6), (11, 15, 7)]);)*
        $(step!($v, 8, [(0, 4, 12), (1, 5, 13), (2, 6, 14), (3, 7, 15)]);)*
        $(step!($v, 7, [(8, 12, 4), (9, 13, 5), (10, 14, 6), (11, 15, 7)]);)*
        $(step!($v, 16, [(0, 5, 15), (1, 6, 12), (2, 7, 13), (3, 4, 14)]);)*
        $(step!($v, 12, [(10, 15, 5), (11, 12, 6), (8, 13, 7), (9, 14, 4)]);)*
        $(step!($v, 8, [(0, 5, 15), (1, 6, 12), (2, 7, 13), (3, 4, 14)]);)*
        $(step!($v, 7, [(10, 15, 5), (11, 12, 6), (8, 13, 7), (9, 14, 4)]);)*
    };
}

/// XORs the keystream from `state`'s counter on onto `buf`; a block used in part stays in `last`.
pub(crate) fn xor<const ROUNDS: usize>(
    _: Avx512,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    // SAFETY: the token proves all features that `xor_all` enables.
    unsafe { xor_all::<ROUNDS>(state, buf, last) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn xor_all<const ROUNDS: usize>(
    state: &State,
    mut buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    let mut counter = state.counter64();
    // What is left at the end may be up to four blocks more.
    while buf.len() > WIDE + ROWS * BLOCK || buf.len() == WIDE {
        let (head, rest) = buf.split_at(WIDE);
        xor_wide::<ROUNDS>(state, counter, head);
        counter = counter.wrapping_add((WIDE / BLOCK) as u64);
        buf = rest;
    }
    match buf.len().div_ceil(BLOCK) {
        0 => {}
        1..=4 => xor_rest::<ROUNDS, 4>(state, counter, buf, last),
        5..=8 => xor_rest::<ROUNDS, 8>(state, counter, buf, last),
        9..=16 => xor_rest::<ROUNDS, 16>(state, counter, buf, last),
        17..=20 => xor_rest::<ROUNDS, 20>(state, counter, buf, last),
        21..=32 => xor_rest::<ROUNDS, 32>(state, counter, buf, last),
        _ => xor_rest::<ROUNDS, 36>(state, counter, buf, last),
    }
}

/// At most `N` blocks, computed in one pass.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn xor_rest<const ROUNDS: usize, const N: usize>(
    state: &State,
    counter: u64,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    let keystream = Keystream::<N>::new::<ROUNDS>(state, counter);
    let len = buf.len();
    keystream.xor(0, buf);
    if !len.is_multiple_of(BLOCK) {
        *last = *keystream.block(len / BLOCK);
    }
}

/// Bytes that [`xor_wide`] takes.
pub const WIDE: usize = 2 * COLUMNS * BLOCK;

/// XORs 32 blocks of keystream onto `buf`. Not inlined: next to a caller's loop the compiler would keep
/// the input words in registers, of which the rounds need all.
///
/// # Panics
/// If `buf` is not [`WIDE`] bytes long.
#[inline(never)]
#[target_feature(enable = "avx512f")]
pub fn xor_wide<const ROUNDS: usize>(state: &State, counter: u64, mut buf: InOutBuf<'_, '_, u8>) {
    assert_eq!(buf.len(), WIDE);
    columns_twice::<ROUNDS>(state, counter, |i, keystream| {
        xor_block(&mut buf, i, keystream);
    });
}

/// `N` blocks of keystream from one pass: 4, 8, 16, 20, 32 or 36. Wiped on drop.
pub struct Keystream<const N: usize> {
    blocks: [__m512i; N],
}

impl<const N: usize> Keystream<N> {
    /// The blocks from `counter` on.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn new<const ROUNDS: usize>(state: &State, counter: u64) -> Self {
        const { assert!(N == 4 || N == 8 || N == 16 || N == 20 || N == 32 || N == 36) };
        let mut keystream = Keystream {
            blocks: [_mm512_setzero_si512(); N],
        };
        let sink = |i: usize, block| keystream.blocks[i] = block;
        match N {
            4 => rows::<ROUNDS, 1>(state, counter, sink),
            8 => rows::<ROUNDS, 2>(state, counter, sink),
            16 => columns::<ROUNDS>(state, counter, sink),
            20 => columns_and_rows::<ROUNDS>(state, counter, sink),
            32 => columns_twice::<ROUNDS>(state, counter, sink),
            _ => columns_twice_and_rows::<ROUNDS>(state, counter, sink),
        }
        keystream
    }

    /// The bytes of block `i`.
    #[inline]
    pub fn block(&self, i: usize) -> &[u8; BLOCK] {
        let block: *const __m512i = &raw const self.blocks[i];
        // SAFETY: 64 bytes without padding, borrowed as long as `self`; bytes need no alignment.
        unsafe { &*block.cast() }
    }

    /// XORs the blocks from number `skip` on onto `buf`.
    ///
    /// # Panics
    /// If `buf` is longer than they are.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn xor(&self, skip: usize, mut buf: InOutBuf<'_, '_, u8>) {
        let blocks = &self.blocks[skip..];
        let whole = buf.len() / BLOCK;
        for (i, block) in blocks[..whole].iter().enumerate() {
            xor_block(&mut buf, i, *block);
        }
        if !buf.len().is_multiple_of(BLOCK) {
            xor_part(buf.split_at(whole * BLOCK).1, blocks[whole]);
        }
    }
}

impl<const N: usize> Drop for Keystream<N> {
    #[inline]
    fn drop(&mut self) {
        self.blocks.zeroize();
    }
}

/// 16 blocks of keystream, given to `sink` with their numbers.
#[inline]
#[target_feature(enable = "avx512f")]
fn columns<const ROUNDS: usize>(state: &State, counter: u64, sink: impl FnMut(usize, __m512i)) {
    let input = Columns::new(state, counter);
    let mut v = input.words();
    for _ in 0..ROUNDS / 2 {
        double_round!(v);
    }
    input.finish(v, sink);
}

/// 32 blocks of keystream, given to `sink` with their numbers.
#[inline]
#[target_feature(enable = "avx512f")]
fn columns_twice<const ROUNDS: usize>(
    state: &State,
    counter: u64,
    mut sink: impl FnMut(usize, __m512i),
) {
    let first = Columns::new(state, counter);
    let second = Columns::new(state, counter.wrapping_add(COLUMNS as u64));
    let (mut v, mut w) = (first.words(), second.words());
    for _ in 0..ROUNDS / 2 {
        double_round!(v w);
    }
    first.finish(v, &mut sink);
    second.finish(w, |i, block| sink(COLUMNS + i, block));
}

/// 16 blocks of keystream in columns and 4 more in rows beside them, in little more time.
#[inline]
#[target_feature(enable = "avx512f")]
fn columns_and_rows<const ROUNDS: usize>(
    state: &State,
    counter: u64,
    mut sink: impl FnMut(usize, __m512i),
) {
    let first = Columns::new(state, counter);
    let second = Rows::<1>::new(state, counter.wrapping_add(COLUMNS as u64));
    let (mut v, mut w) = (first.words(), second);
    for _ in 0..ROUNDS / 2 {
        double_round!(v);
        w.double_round();
    }
    first.finish(v, &mut sink);
    w.finish(&second, |i, block| sink(COLUMNS + i, block));
}

/// 32 blocks of keystream in columns and 4 more in rows. Some of them live in memory, and still it takes
/// much less than a pass for the rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn columns_twice_and_rows<const ROUNDS: usize>(
    state: &State,
    counter: u64,
    mut sink: impl FnMut(usize, __m512i),
) {
    let first = Columns::new(state, counter);
    let second = Columns::new(state, counter.wrapping_add(COLUMNS as u64));
    let third = Rows::<1>::new(state, counter.wrapping_add(2 * COLUMNS as u64));
    let (mut v, mut w, mut rows) = (first.words(), second.words(), third);
    for _ in 0..ROUNDS / 2 {
        double_round!(v w);
        rows.double_round();
    }
    first.finish(v, &mut sink);
    second.finish(w, |i, block| sink(COLUMNS + i, block));
    rows.finish(&third, |i, block| sink(2 * COLUMNS + i, block));
}

/// 4 G blocks of keystream, given to `sink` with their numbers. Bound by the latency of its one chain of
/// operations up to G = 2.
#[inline]
#[target_feature(enable = "avx512f")]
fn rows<const ROUNDS: usize, const G: usize>(
    state: &State,
    counter: u64,
    sink: impl FnMut(usize, __m512i),
) {
    let input = Rows::<G>::new(state, counter);
    let mut rows = input;
    for _ in 0..ROUNDS / 2 {
        rows.double_round();
    }
    rows.finish(&input, sink);
}

/// What a group of columns starts from, and adds at the end.
struct Columns<'a> {
    words: &'a [u32; 16],
    /// Words 12 and 13 of sixteen blocks: the 64-bit sums of counter and lane, cut in halves.
    counters: [__m512i; 2],
}

impl<'a> Columns<'a> {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(state: &'a State, counter: u64) -> Self {
        let start = _mm512_set1_epi32(counter as i32);
        let high = _mm512_set1_epi32((counter >> 32) as i32);
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let low = _mm512_add_epi32(start, lanes);
        let carry = _mm512_cmplt_epu32_mask(low, start);
        let one = _mm512_set1_epi32(1);
        Columns {
            words: state.words(),
            counters: [low, _mm512_mask_add_epi32(high, carry, high, one)],
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn word(&self, i: usize) -> __m512i {
        match i {
            12 | 13 => self.counters[i - 12],
            _ => _mm512_set1_epi32(self.words[i] as i32),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn words(&self) -> [__m512i; 16] {
        core::array::from_fn(|i| self.word(i))
    }

    /// Adds the input words and turns columns into blocks.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn finish(&self, mut v: [__m512i; 16], sink: impl FnMut(usize, __m512i)) {
        for (i, v) in v.iter_mut().enumerate() {
            *v = _mm512_add_epi32(*v, self.word(i));
        }
        transpose(&v, sink);
    }
}

/// From one register per word to one per block, in the order 0, 4, 8, 12, 1, ..
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(v: &[__m512i; 16], mut sink: impl FnMut(usize, __m512i)) {
    // t[4 i + j]: its 128-bit lane l holds the words 4 i .. 4 i + 4 of block 4 l + j.
    let mut t = [_mm512_setzero_si512(); 16];
    for (v, t) in v.as_chunks::<4>().0.iter().zip(t.as_chunks_mut::<4>().0) {
        let low01 = _mm512_unpacklo_epi32(v[0], v[1]);
        let high01 = _mm512_unpackhi_epi32(v[0], v[1]);
        let low23 = _mm512_unpacklo_epi32(v[2], v[3]);
        let high23 = _mm512_unpackhi_epi32(v[2], v[3]);
        t[0] = _mm512_unpacklo_epi64(low01, low23);
        t[1] = _mm512_unpackhi_epi64(low01, low23);
        t[2] = _mm512_unpacklo_epi64(high01, high23);
        t[3] = _mm512_unpackhi_epi64(high01, high23);
    }
    for j in 0..4 {
        let blocks = transpose_lanes([t[j], t[4 + j], t[8 + j], t[12 + j]]);
        for (l, block) in blocks.into_iter().enumerate() {
            sink(4 * l + j, block);
        }
    }
}

/// 4 x 4 transpose of 128-bit lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose_lanes([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let low_ab = _mm512_shuffle_i32x4::<0x44>(a, b);
    let high_ab = _mm512_shuffle_i32x4::<0xee>(a, b);
    let low_cd = _mm512_shuffle_i32x4::<0x44>(c, d);
    let high_cd = _mm512_shuffle_i32x4::<0xee>(c, d);
    [
        _mm512_shuffle_i32x4::<0x88>(low_ab, low_cd),
        _mm512_shuffle_i32x4::<0xdd>(low_ab, low_cd),
        _mm512_shuffle_i32x4::<0x88>(high_ab, high_cd),
        _mm512_shuffle_i32x4::<0xdd>(high_ab, high_cd),
    ]
}

/// G groups of rows: of each row, four blocks in a register.
#[derive(Clone, Copy)]
struct Rows<const G: usize> {
    a: [__m512i; G],
    b: [__m512i; G],
    c: [__m512i; G],
    d: [__m512i; G],
}

impl<const G: usize> Rows<G> {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(state: &State, counter: u64) -> Self {
        let [a, b, c, d] = state.rows();
        let fixed = broadcast_row(d);
        let counters = _mm512_mask_set1_epi64(fixed, 0b0101_0101, counter as i64);
        let mut next = _mm512_add_epi64(counters, _mm512_setr_epi64(0, 0, 1, 0, 2, 0, 3, 0));
        let mut d = [next; G];
        for d in &mut d[1..] {
            next = _mm512_add_epi64(next, _mm512_setr_epi64(4, 0, 4, 0, 4, 0, 4, 0));
            *d = next;
        }
        Rows {
            a: [broadcast_row(a); G],
            b: [broadcast_row(b); G],
            c: [broadcast_row(c); G],
            d,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn double_round(&mut self) {
        self.round();
        // Row b is ready last: it stays, and the others turn.
        for g in 0..G {
            self.a[g] = _mm512_shuffle_epi32::<0x93>(self.a[g]);
            self.d[g] = _mm512_shuffle_epi32::<0x4e>(self.d[g]);
            self.c[g] = _mm512_shuffle_epi32::<0x39>(self.c[g]);
        }
        self.round();
        for g in 0..G {
            self.a[g] = _mm512_shuffle_epi32::<0x39>(self.a[g]);
            self.d[g] = _mm512_shuffle_epi32::<0x4e>(self.d[g]);
            self.c[g] = _mm512_shuffle_epi32::<0x93>(self.c[g]);
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn round(&mut self) {
        row_step::<16, G>(&mut self.a, &self.b, &mut self.d);
        row_step::<12, G>(&mut self.c, &self.d, &mut self.b);
        row_step::<8, G>(&mut self.a, &self.b, &mut self.d);
        row_step::<7, G>(&mut self.c, &self.d, &mut self.b);
    }

    /// Adds the input and turns rows into blocks.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn finish(&self, input: &Self, mut sink: impl FnMut(usize, __m512i)) {
        for g in 0..G {
            let blocks = transpose_lanes([
                _mm512_add_epi32(self.a[g], input.a[g]),
                _mm512_add_epi32(self.b[g], input.b[g]),
                _mm512_add_epi32(self.c[g], input.c[g]),
                _mm512_add_epi32(self.d[g], input.d[g]),
            ]);
            for (l, block) in blocks.into_iter().enumerate() {
                sink(ROWS * g + l, block);
            }
        }
    }
}

/// a += b; d = (d ^ a) <<< N.
#[inline]
#[target_feature(enable = "avx512f")]
fn row_step<const N: i32, const G: usize>(
    a: &mut [__m512i; G],
    b: &[__m512i; G],
    d: &mut [__m512i; G],
) {
    for g in 0..G {
        a[g] = _mm512_add_epi32(a[g], b[g]);
        d[g] = _mm512_rol_epi32::<N>(_mm512_xor_si512(d[g], a[g]));
    }
}

/// XORs block `i` of keystream onto its 64 bytes of `buf`.
///
/// # Panics
/// If `buf` ends before them.
#[inline]
#[target_feature(enable = "avx512f")]
fn xor_block(buf: &mut InOutBuf<'_, '_, u8>, i: usize, keystream: __m512i) {
    let offset = i * BLOCK;
    assert!(offset + BLOCK <= buf.len());
    let (input, output) = buf.reborrow().into_raw();
    // SAFETY: 64 bytes from `offset` on lie within both buffers, as asserted.
    unsafe {
        let data = _mm512_loadu_si512(input.add(offset).cast());
        _mm512_storeu_si512(output.add(offset).cast(), _mm512_xor_si512(data, keystream));
    }
}

/// XORs the start of a block onto a `buf` shorter than it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn xor_part(buf: InOutBuf<'_, '_, u8>, keystream: __m512i) {
    let len = buf.len();
    assert!(len < BLOCK);
    let mask = (1 << len) - 1;
    let (input, output) = buf.into_raw();
    // SAFETY: the mask admits the first `len` bytes, of which both buffers have as many; bytes that it
    // leaves out are not accessed.
    unsafe {
        let data = _mm512_maskz_loadu_epi8(mask, input.cast());
        let data = _mm512_xor_si512(data, keystream);
        _mm512_mask_storeu_epi8(output.cast(), mask, data);
    }
}

/// One row in four lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn broadcast_row(row: &[u32; 4]) -> __m512i {
    // SAFETY: a reference to an array of 16 bytes.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(row.as_ptr().cast()) })
}
