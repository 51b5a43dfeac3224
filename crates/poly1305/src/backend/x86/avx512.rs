//! AVX-512 IFMA: multiply-accumulate of 52-bit limbs, eight blocks at once.
//!
//! A run of n blocks adds h r^n + sum of m_k r^(n - k), k = 0 .. n, to nothing: with all powers of r in a
//! table no block waits for another, and nothing is carried before the end of the run.
//!
//! A block is cut where the instruction cuts, m = m0 + 2^52 m1 + 2^104 m2, and multiplied by three
//! entries of the table: R_i = 2^(52 i) r^k mod p, itself in limbs R_i0, R_i1, R_i2 of 52, 52 and 27
//! bits. Low halves of m_i R_ij go to column j and high halves to column j + 1; nothing is shifted, and
//! the reduction mod p happened when the table was made. IFMA ignores the bits of its factors from 52
//! up, so the cuts need no masks: 7 operations besides 18 multiplications for 128 bytes.

use super::Avx512;
pub use crate::backend::portable::State;
use core::arch::{asm, x86_64::*};
use zeroize::Zeroize;

/// Blocks in a vector of each table entry.
const LANES: usize = 8;

/// Absorbs whole blocks.
pub(crate) fn blocks(_: Avx512, state: &mut State, blocks: &[[u8; 16]]) {
    // SAFETY: the token proves all features that `absorb` enables.
    unsafe { absorb(state, blocks) }
}

/// Absorbs whole blocks, with as many powers as their number pays for.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma,bmi2")]
pub fn absorb(state: &mut State, blocks: &[[u8; 16]]) {
    // Measured on Zen 5: a scalar block takes 14 cycles; a table of 16, 32 or 64 powers with its first
    // run about 350, 450 or 700; each further run 45, besides 9 for a vector.
    match blocks.len() {
        ..26 => absorb_scalar(state, blocks),
        26..64 => absorb_vectors::<2>(state, blocks),
        64..384 => absorb_vectors::<4>(state, blocks),
        _ => absorb_vectors::<8>(state, blocks),
    }
}

/// Not inlined, so that short messages do not pay for the frame of the table.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,bmi2")]
fn absorb_vectors<const E: usize>(state: &mut State, blocks: &[[u8; 16]]) {
    let mut powers = Powers::<E>::empty();
    powers.fill(state);
    powers.absorb(state, blocks);
}

/// Absorbs whole blocks one after the other.
#[inline]
#[target_feature(enable = "bmi2")]
pub fn absorb_scalar(state: &mut State, blocks: &[[u8; 16]]) {
    absorb_parts(state, &[blocks]);
}

/// Absorbs the blocks of all parts one after the other, h staying in registers.
#[inline]
#[target_feature(enable = "bmi2")]
pub fn absorb_parts(state: &mut State, parts: &[&[[u8; 16]]]) {
    let r = Clamped::new(state);
    let mut h = state.h;
    let mut begun = false;
    for &part in parts {
        for block in part {
            h = if begun {
                r.multiply_add(h, block)
            } else {
                add_block(h, block)
            };
            begun = true;
        }
    }
    if begun {
        state.h = r.multiply(h);
    }
}

/// A part of a block, at most 15 bytes, and zeros.
///
/// # Panics
/// If it is a whole block or more.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw")]
pub fn padded(part: &[u8]) -> [u8; 16] {
    assert!(part.len() < 16);
    let mask = (1 << part.len()) - 1;
    let mut block = [0; 16];
    // SAFETY: the mask admits the bytes of `part`; bytes that it leaves out are not accessed. The store
    // goes to an array of 16 bytes.
    unsafe {
        let bytes = _mm_maskz_loadu_epi8(mask, part.as_ptr().cast());
        _mm_storeu_si128(block.as_mut_ptr().cast(), bytes);
    }
    block
}

fn block_words(block: &[u8; 16]) -> [u64; 2] {
    let m = u128::from_le_bytes(*block);
    [m as u64, (m >> 64) as u64]
}

/// h + block + 2^128.
fn add_block([h0, h1, h2]: [u64; 3], block: &[u8; 16]) -> [u64; 3] {
    let [m0, m1] = block_words(block);
    let (h0, carry) = h0.overflowing_add(m0);
    let t = wide_sum(h1, m1, carry);
    [h0, t as u64, h2 + 1 + (t >> 64) as u64]
}

fn wide_sum(a: u64, b: u64, carry: bool) -> u128 {
    u128::from(a) + u128::from(b) + u128::from(carry)
}

fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// r as a factor: r0, r1 < 2^60, s1 = 5/4 r1.
#[derive(Clone, Copy)]
struct Clamped {
    r0: u64,
    r1: u64,
    s1: u64,
}

impl Clamped {
    fn new(state: &State) -> Self {
        let [r0, r1] = state.r;
        Clamped {
            r0,
            r1,
            s1: r1 + (r1 >> 2),
        }
    }

    /// h r + block + 2^128. The block is added to the product before that is reduced, off the critical
    /// path. h2 <= 6 in, <= 4 out.
    ///
    /// In assembly, as the compiler joins the two halves of the fold into one sum late and rebuilds its
    /// carry by a comparison: 14.2 cycles a block on Zen 5 instead of 16.2.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn multiply_add(self, [mut h0, mut h1, mut h2]: [u64; 3], block: &[u8; 16]) -> [u64; 3] {
        let [m0, m1] = block_words(block);
        // d0 = h0 r0 + h1 s1 + m0 < 2^126; d1 = h0 r1 + h1 r0 + h2 s1 + m1 + 2^64 + (d0 >> 64);
        // h2 s1 + (d0 >> 64) < 6 * 5/4 * 2^60 + 2^62 fits a word.
        // SAFETY: arithmetic on registers alone, all of them operands; rdx and the flags are clobbered.
        // BMI2 is enabled.
        unsafe {
            asm!(
                "mov rdx, {h0}",
                "mulx {a1}, {a0}, {r0}",
                "mulx {b1}, {b0}, {r1}",
                "mov rdx, {h1}",
                "mulx {h0}, {h1}, {s1}",
                "add {m0}, {a0}",
                "adc {a1}, 0",
                "add {b0}, {m1}",
                "adc {b1}, 1",
                "add {m0}, {h1}",
                "adc {a1}, {h0}",
                "mulx {a0}, {h1}, {r0}",
                "add {h1}, {b0}",
                "adc {b1}, {a0}",
                "mov {b0}, {h2}",
                "imul {b0}, {s1}",
                "imul {h2}, {r0}",
                "add {a1}, {b0}",
                "add {h1}, {a1}",
                "adc {h2}, {b1}",
                // Fold: d2 div 4 counts 4 + 1 times.
                "mov {a0}, {h2}",
                "mov {a1}, {h2}",
                "shr {a0}, 2",
                "and {a1}, -4",
                "and {h2}, 3",
                "add {a0}, {a1}",
                "add {m0}, {a0}",
                "adc {h1}, 0",
                "adc {h2}, 0",
                h0 = inout(reg) h0 => _, h1 = inout(reg) h1, h2 = inout(reg) h2,
                m0 = inout(reg) m0 => h0, m1 = in(reg) m1,
                r0 = in(reg) self.r0, r1 = in(reg) self.r1, s1 = in(reg) self.s1,
                a0 = out(reg) _, a1 = out(reg) _, b0 = out(reg) _, b1 = out(reg) _,
                out("rdx") _,
                options(pure, nomem, nostack),
            );
        }
        [h0, h1, h2]
    }

    /// h r.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn multiply(self, [h0, h1, h2]: [u64; 3]) -> [u64; 3] {
        let d0 = wide(h0, self.r0) + wide(h1, self.s1);
        let d1 = wide(h0, self.r1) + wide(h1, self.r0);
        let d1 = d1 + u128::from(h2 * self.s1 + (d0 >> 64) as u64);
        let d2 = h2 * self.r0 + (d1 >> 64) as u64;
        let (h0, carry) = (d0 as u64).overflowing_add((d2 & !3) + (d2 >> 2));
        let (h1, carry) = (d1 as u64).overflowing_add(carry.into());
        [h0, h1, (d2 & 3) + u64::from(carry)]
    }
}

/// 52-bit limbs of a number below 2^131 in eight lanes: the last of 27 bits.
type Limbs = [__m512i; 3];

/// Powers r^(8 E) .. r of a key, wiped on drop.
///
/// Entry e holds, in its three cuts, r^(8 e + 8 - k) for the blocks k of a vector, in the order in
/// which `cut` leaves them.
#[repr(align(64))]
pub struct Powers<const E: usize> {
    entries: [[Limbs; 3]; E],
}

impl<const E: usize> Powers<E> {
    /// An empty table. To be filled where it lies: moving it would take as long as filling it.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn empty() -> Self {
        Powers {
            entries: [[[_mm512_setzero_si512(); 3]; 3]; E],
        }
    }

    /// Fills the table with the powers of `state`'s r.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma,bmi2")]
    pub fn fill(&mut self, state: &State) {
        const { assert!(E.is_power_of_two() && E <= 8) };
        self.entries[0] = cuts(first_powers(state));
        let mut known = 1;
        while known < E {
            // Lane 0 of the last one is r^(8 known).
            let step = self.entries[known - 1].map(|cut| cut.map(|limb| broadcast_first(limb)));
            for e in 0..known {
                let product = Sum::zero().add(self.entries[e][0], &step);
                self.entries[known + e] = cuts(carry(&product));
            }
            known *= 2;
        }
    }

    /// Absorbs whole blocks, runs of up to 8 E with the vectors.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma,bmi2")]
    pub fn absorb(&self, state: &mut State, blocks: &[[u8; 16]]) {
        let (vectors, rest) = blocks.as_chunks::<LANES>();
        for run in vectors.chunks(E) {
            let entries = &self.entries[..run.len()];
            let (pairs, odd) = run.as_chunks::<2>();
            let (odd_entry, entry_pairs) = entries.as_rchunks::<2>();
            // Two sums, so that the multiplications need not wait for each other.
            let (mut sum, mut second) = (Sum::zero(), Sum::zero());
            for ([x, y], [low, high]) in pairs.iter().zip(entry_pairs.iter().rev()) {
                sum = sum.add(cut(x), high);
                second = second.add(cut(y), low);
            }
            if let ([blocks], [entry]) = (odd, odd_entry) {
                sum = sum.add(cut(blocks), entry);
            }
            let shifted = multiply(state.h, self.power(run.len() - 1));
            state.h = add(shifted, sum.plus(second).total());
        }
        absorb_scalar(state, rest);
    }

    /// r^(8 e + 8).
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn power(&self, e: usize) -> [u64; 3] {
        let [a, b, c] = self.entries[e][0].map(|limb| first_lane(limb));
        [a | b << 52, b >> 12 | c << 40, c >> 24]
    }
}

impl<const E: usize> Drop for Powers<E> {
    #[inline]
    fn drop(&mut self) {
        self.entries.zeroize();
    }
}

/// r^8, r^4, r^7, r^3, r^6, r^2, r^5, r.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
fn first_powers(state: &State) -> Limbs {
    let [r0, r1] = state.r;
    let p1 = Narrow::from([r0, r1, 0]);
    let p2 = p1.multiply(p1);
    let (p3, p4) = (p2.multiply(p1), p2.multiply(p2));
    let (p5, p6) = (p4.multiply(p1), p4.multiply(p2));
    let (p7, p8) = (p4.multiply(p3), p4.multiply(p4));
    let limb = |i: usize| {
        let lane = |power: Narrow| power.0[i] as i64;
        let (a, b, c, d) = (lane(p8), lane(p4), lane(p7), lane(p3));
        let (e, f, g, h) = (lane(p6), lane(p2), lane(p5), lane(p1));
        _mm512_setr_epi64(a, b, c, d, e, f, g, h)
    };
    // Carry limb 1, then move the limit of the limbs from 44 and 88 bits to 52 and 104.
    let (n0, n1, n2) = (limb(0), limb(1), limb(2));
    let n2 = _mm512_add_epi64(n2, _mm512_srli_epi64::<44>(n1));
    let n1 = _mm512_and_si512(n1, _mm512_set1_epi64(M44 as i64));
    [
        _mm512_or_si512(n0, low52(_mm512_slli_epi64::<44>(n1))),
        _mm512_or_si512(
            _mm512_srli_epi64::<8>(n1),
            low52(_mm512_slli_epi64::<36>(n2)),
        ),
        _mm512_srli_epi64::<16>(n2),
    ]
}

const M44: u64 = (1 << 44) - 1;

/// A number below 2^131 in limbs of 44, 44 and 43 bits, for products without carries between columns:
/// limb 1 may be up to 2^44 + 2^10.
#[derive(Clone, Copy)]
struct Narrow([u64; 3]);

impl Narrow {
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn multiply(self, Narrow(b): Self) -> Self {
        let Narrow(a) = self;
        // 2^132 = 4 * 5 mod p. Columns stay below 3 * 2^(45 + 49).
        let (s1, s2) = (20 * b[1], 20 * b[2]);
        let d0 = wide(a[0], b[0]) + wide(a[1], s2) + wide(a[2], s1);
        let d1 = wide(a[0], b[1]) + wide(a[1], b[0]) + wide(a[2], s2) + (d0 >> 44);
        let d2 = wide(a[0], b[2]) + wide(a[1], b[1]) + wide(a[2], b[0]) + (d1 >> 44);
        // d2 >> 42 is at 2^130. Below 2^54.
        let l0 = (d0 as u64 & M44) + 5 * (d2 >> 42) as u64;
        Narrow([
            l0 & M44,
            (d1 as u64 & M44) + (l0 >> 44),
            d2 as u64 & ((1 << 42) - 1),
        ])
    }
}

impl From<[u64; 3]> for Narrow {
    #[inline]
    fn from([x0, x1, x2]: [u64; 3]) -> Self {
        Narrow([x0 & M44, (x0 >> 44 | x1 << 20) & M44, x1 >> 24 | x2 << 40])
    }
}

/// a b mod p, with a2, b2 <= 7; the result's is <= 4.
#[inline]
#[target_feature(enable = "bmi2")]
fn multiply(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
    let Narrow([l0, l1, l2]) = Narrow::from(a).multiply(b.into());
    let low = u128::from(l0) + (u128::from(l1) << 44);
    let high = (low >> 64) + (u128::from(l2) << 24);
    [low as u64, high as u64, (high >> 64) as u64]
}

/// a + b mod p, with a2, b2 <= 7; the result's is <= 4.
#[inline]
fn add(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
    let low = wide_sum(a[0], b[0], false);
    let middle = wide_sum(a[1], b[1], false) + (low >> 64);
    fold(
        low as u64,
        middle as u64,
        u128::from(a[2] + b[2]) + (middle >> 64),
    )
}

/// x0 + 2^64 x1 + 2^128 t mod p, for t < 2^120. The result's last limb is <= 4.
#[inline]
fn fold(x0: u64, x1: u64, t: u128) -> [u64; 3] {
    let five = (t >> 2) * 5;
    let low = wide_sum(x0, five as u64, false);
    let high = u128::from(x1) + (five >> 64) + (low >> 64);
    [
        low as u64,
        high as u64,
        (t as u64 & 3) + (high >> 64) as u64,
    ]
}

/// Eight sums of products in columns of 2^52: low halves to column j, high halves to column j + 1.
/// Kept apart, as an accumulator that takes both would be waited for twice as long.
#[derive(Clone, Copy)]
struct Sum {
    low: [__m512i; 3],
    high: [__m512i; 3],
}

impl Sum {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn zero() -> Self {
        let zero = _mm512_setzero_si512();
        Sum {
            low: [zero; 3],
            high: [zero; 3],
        }
    }

    /// Adds the products of the limbs with the cuts of their factors: 3 addends below 2^52 to each.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn add(mut self, limbs: Limbs, factors: &[Limbs; 3]) -> Self {
        for (limb, factor) in limbs.iter().zip(factors) {
            for (j, factor) in factor.iter().enumerate() {
                self.low[j] = _mm512_madd52lo_epu64(self.low[j], *limb, *factor);
                self.high[j] = _mm512_madd52hi_epu64(self.high[j], *limb, *factor);
            }
        }
        self
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn plus(mut self, other: Self) -> Self {
        for j in 0..3 {
            self.low[j] = _mm512_add_epi64(self.low[j], other.low[j]);
            self.high[j] = _mm512_add_epi64(self.high[j], other.high[j]);
        }
        self
    }

    /// The four columns, at 2^0, 2^52, 2^104 and 2^156. After 8 additions: below 2 * 8 * 3 * 2^52.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn columns(&self) -> [__m512i; 4] {
        [
            self.low[0],
            _mm512_add_epi64(self.low[1], self.high[0]),
            _mm512_add_epi64(self.low[2], self.high[1]),
            self.high[2],
        ]
    }

    /// The sum of all lanes mod p.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn total(&self) -> [u64; 3] {
        let [c0, c1, c2, c3] = self.columns();
        // Below 8 * 48 * 2^52 < 2^61.
        let [d0, d1, d2, d3] = lane_sums([c0, c1, c2, c3]).map(u128::from);
        let low = d0 + (d1 << 52);
        let middle = (low >> 64) + (d2 << 40);
        fold(low as u64, middle as u64, (middle >> 64) + (d3 << 28))
    }
}

/// The sum of the lanes of each.
#[inline]
#[target_feature(enable = "avx512f")]
fn lane_sums([a, b, c, d]: [__m512i; 4]) -> [u64; 4] {
    let ab = _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    let cd = _mm512_add_epi64(_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
    // 128-bit lanes: two of ab, two of cd.
    let quarters = _mm512_add_epi64(
        _mm512_shuffle_i64x2::<0x88>(ab, cd),
        _mm512_shuffle_i64x2::<0xdd>(ab, cd),
    );
    let halves = _mm512_add_epi64(quarters, _mm512_shuffle_i64x2::<0xb1>(quarters, quarters));
    let (ab, cd) = (
        _mm512_castsi512_si128(halves),
        _mm512_extracti32x4_epi32::<2>(halves),
    );
    [
        ab,
        _mm_unpackhi_epi64(ab, ab),
        cd,
        _mm_unpackhi_epi64(cd, cd),
    ]
    .map(|v| _mm_cvtsi128_si64(v) as u64)
}

/// Cuts eight blocks, each with the bit 2^128; lanes hold the blocks 0, 4, 1, 5, 2, 6, 3, 7.
#[inline]
#[target_feature(enable = "avx512f")]
fn cut(blocks: &[[u8; 16]; LANES]) -> Limbs {
    let [x, y] = load(blocks);
    let low = _mm512_unpacklo_epi64(x, y);
    let high = _mm512_unpackhi_epi64(x, y);
    [
        low,
        _mm512_or_si512(_mm512_srli_epi64::<52>(low), _mm512_slli_epi64::<12>(high)),
        // 2^128 = 2^24 * 2^104
        _mm512_or_si512(_mm512_srli_epi64::<40>(high), _mm512_set1_epi64(1 << 24)),
    ]
}

/// x, 2^52 x, 2^104 x mod p.
#[inline]
#[target_feature(enable = "avx512f")]
fn cuts(x: Limbs) -> [Limbs; 3] {
    let shifted = shift52(x);
    [x, shifted, shift52(shifted)]
}

/// 2^52 x mod p.
#[inline]
#[target_feature(enable = "avx512f")]
fn shift52([x0, x1, x2]: Limbs) -> Limbs {
    // From bit 78 of x, 2^130 of the product: 26 bits of limb 1, 27 of limb 2.
    let over = _mm512_or_si512(_mm512_srli_epi64::<26>(x1), _mm512_slli_epi64::<26>(x2));
    carry_limbs([times5(over), x0, low26(x1)])
}

/// A sum's lanes mod p.
#[inline]
#[target_feature(enable = "avx512f")]
fn carry(sum: &Sum) -> Limbs {
    let [c0, c1, c2, c3] = sum.columns();
    let c1 = _mm512_add_epi64(c1, _mm512_srli_epi64::<52>(c0));
    let c2 = _mm512_add_epi64(c2, _mm512_srli_epi64::<52>(c1));
    // From 2^130 up, below 2^58.
    let over = _mm512_add_epi64(_mm512_srli_epi64::<26>(c2), _mm512_slli_epi64::<26>(c3));
    carry_limbs([
        _mm512_add_epi64(low52(c0), times5(over)),
        low52(c1),
        low26(c2),
    ])
}

/// Leaves 52, 52 and 27 bits.
#[inline]
#[target_feature(enable = "avx512f")]
fn carry_limbs([x0, x1, x2]: Limbs) -> Limbs {
    let x1 = _mm512_add_epi64(x1, _mm512_srli_epi64::<52>(x0));
    let x2 = _mm512_add_epi64(x2, _mm512_srli_epi64::<52>(x1));
    [low52(x0), low52(x1), x2]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn low52(x: __m512i) -> __m512i {
    _mm512_and_si512(x, _mm512_set1_epi64((1 << 52) - 1))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn low26(x: __m512i) -> __m512i {
    _mm512_and_si512(x, _mm512_set1_epi64((1 << 26) - 1))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn times5(x: __m512i) -> __m512i {
    _mm512_add_epi64(x, _mm512_slli_epi64::<2>(x))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn broadcast_first(x: __m512i) -> __m512i {
    _mm512_broadcastq_epi64(_mm512_castsi512_si128(x))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn first_lane(x: __m512i) -> u64 {
    _mm_cvtsi128_si64(_mm512_castsi512_si128(x)) as u64
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(blocks: &[[u8; 16]; LANES]) -> [__m512i; 2] {
    let bytes = blocks.as_ptr();
    // SAFETY: a reference to an array of 128 bytes.
    unsafe {
        [
            _mm512_loadu_si512(bytes.cast()),
            _mm512_loadu_si512(bytes.add(4).cast()),
        ]
    }
}
