//! Chains of Poly1305 in 64-bit scalar registers: two limbs of 64 bits and a small third.
//!
//! A chain is bound by the latency of its multiplication, about 16 cycles a block. Two chains over
//! two contiguous runs of n blocks take the time of one; (h r^n) + h' joins them. Both multiply by r
//! itself, which is clamped, and so by half the products that a power of it would need.
//!
//! Inlined into vector kernels, chains run beside the vector units.
#![allow(clippy::inline_always)] // a call would put a chain's sum into memory, once per block

#[cfg(target_arch = "x86_64")]
use super::portable;
use zeroize::DefaultIsZeroes;
#[cfg(target_arch = "x86_64")]
use zeroize::Zeroize;

/// r, clamped (RFC 8439, 2.5).
#[derive(Clone, Copy, Default)]
pub struct Multiplier {
    /// r0, r1 < 2^60, and 4 divides r1.
    r0: u64,
    r1: u64,
    /// 2^128 r1 = 2^130 (r1 / 4) = 5 (r1 / 4) mod 2^130 - 5. Exact, and below 2^60 + 2^58.
    s1: u64,
}

/// A residue mod 2^130 - 5, partly reduced: h0 + 2^64 h1 + 2^128 h2 with h2 <= 4.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    pub(super) h: [u64; 3],
}

impl DefaultIsZeroes for Multiplier {}
impl DefaultIsZeroes for Sum {}
impl DefaultIsZeroes for Powers {}

impl Multiplier {
    /// Clamps the first half of a one-time key.
    #[inline(always)]
    pub fn new(r: &[u8; 16]) -> Self {
        let [r0, r1] = words(r);
        Self::clamped([r0 & 0x0ffffffc0fffffff, r1 & 0x0ffffffc0ffffffc])
    }

    /// r that is clamped already.
    #[inline(always)]
    pub(super) fn clamped([r0, r1]: [u64; 2]) -> Self {
        Multiplier {
            r0,
            r1,
            s1: r1 + (r1 >> 2),
        }
    }

    /// h <- (h + block + 2^128) r.
    #[inline(always)]
    pub fn absorb(&self, sum: &mut Sum, block: &[u8; 16]) {
        self.step(sum, u128::from_le_bytes(*block), 1);
    }

    /// The last block of a message when it is a partial one, of 1 to 15 bytes.
    ///
    /// # Panics
    /// If `part` is empty or longer than 15 bytes.
    #[inline]
    pub fn absorb_last(&self, sum: &mut Sum, part: &[u8]) {
        assert!(!part.is_empty(), "no block has no bytes");
        self.step(sum, load_part(part) | 1 << (8 * part.len()), 0);
    }

    /// A block of 1 to 15 bytes, filled with zeros: the padding of the AEAD.
    ///
    /// # Panics
    /// If `part` is longer than 15 bytes.
    #[inline]
    pub fn absorb_padded(&self, sum: &mut Sum, part: &[u8]) {
        self.step(sum, load_part(part), 1);
    }

    #[inline(always)]
    fn step(&self, sum: &mut Sum, block: u128, high: u64) {
        let [h0, h1, h2] = sum.h;
        // Sums of two words are written as one in u128: of two u64 additions LLVM loses the carry
        // flag and recomputes it.
        let (h, carry) = join(h0, h1).overflowing_add(block);
        let (h0, h1) = (h as u64, (h >> 64) as u64);
        let h2 = h2 + u64::from(carry) + high; // <= 6

        // Each product < 2^64 (2^60 + 2^58); sums of two or three stay below 2^126.
        let d0 = wide(h0, self.r0) + wide(h1, self.s1);
        let d1 = wide(h0, self.r1) + wide(h1, self.r0) + u128::from(h2 * self.s1) + (d0 >> 64);
        let d2 = h2 * self.r0 + (d1 >> 64) as u64; // < 6 * 2^60 + 2^62: no overflow
        *sum = Sum::fold(d0 as u64, d1 as u64, d2);
    }

    /// r as a residue.
    #[inline(always)]
    pub fn sum(&self) -> Sum {
        Sum {
            h: [self.r0, self.r1, 0],
        }
    }
}

impl Sum {
    /// d0 + 2^64 d1 + 2^128 d2, for any words with d2 < 2^63.
    #[inline(always)]
    pub(super) fn fold(d0: u64, d1: u64, d2: u64) -> Self {
        // Bits from 2^130 up count five times: c = d2 div 4 comes back as 4 c + c.
        let (h, carry) = join(d0, d1).overflowing_add(u128::from((d2 & !3) + (d2 >> 2)));
        Sum {
            h: [h as u64, (h >> 64) as u64, (d2 & 3) + u64::from(carry)],
        }
    }

    /// The product of two residues.
    #[inline(always)]
    #[must_use]
    pub fn mul(&self, other: &Sum) -> Sum {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.h, other.h);
        // Words of the product; a2 b2 <= 16, so the top one is small.
        let p0 = wide(a0, b0);
        let (x, y) = (wide(a0, b1), wide(a1, b0));
        let p1 = (p0 >> 64) + u128::from(x as u64) + u128::from(y as u64);
        let p2 = wide(a1, b1) + (x >> 64) + (y >> 64) + (p1 >> 64); // < 2^128: < (2^128)^2 / 2^128
        let q2 = wide(a0, b2) + wide(a2, b0) + u128::from(p2 as u64);
        let q3 = wide(a1, b2) + wide(a2, b1) + (p2 >> 64) + (q2 >> 64);
        let q4 = a2 * b2 + (q3 >> 64) as u64; // <= 16 + 8
        let (q2, q3) = (q2 as u64, q3 as u64);
        // Below 2^130, plus 4 c + c where c is the rest divided by 2^130.
        let s0 = u128::from(p0 as u64) + u128::from(q2 & !3) + u128::from(q2 >> 2 | q3 << 62);
        let s1 =
            u128::from(p1 as u64) + u128::from(q3) + u128::from(q3 >> 2 | q4 << 62) + (s0 >> 64);
        let s2 = (q2 & 3) + q4 + (q4 >> 2) + (s1 >> 64) as u64;
        Sum::fold(s0 as u64, s1 as u64, s2)
    }

    /// The sum of two residues.
    #[inline(always)]
    #[must_use]
    pub fn add(&self, other: &Sum) -> Sum {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.h, other.h);
        let (h, carry) = join(a0, a1).overflowing_add(join(b0, b1));
        Sum::fold(h as u64, (h >> 64) as u64, a2 + b2 + u64::from(carry))
    }

    /// (h mod 2^130 - 5) + s mod 2^128, little-endian; `s` is the second half of the one-time key.
    #[inline(always)]
    #[must_use]
    pub fn tag(&self, s: &[u8; 16]) -> [u8; 16] {
        let h = join(self.h[0], self.h[1]);
        // h < 2 p; and h >= p exactly where h + 5 reaches 2^130.
        let (sum, carry) = h.overflowing_add(5);
        let mask = u128::from((self.h[2] + u64::from(carry)) >> 2).wrapping_neg();
        let reduced = (sum & mask) | (h & !mask);
        reduced.wrapping_add(u128::from_le_bytes(*s)).to_le_bytes()
    }
}

/// r^1, r^2, r^4, .. r^32.
#[derive(Clone, Copy, Default)]
pub struct Powers([Sum; 6]);

impl Powers {
    /// The highest power that [`get`](Self::get) gives.
    pub const HIGHEST: usize = 63;

    /// Five squarings.
    #[inline(always)]
    pub fn new(r: &Multiplier) -> Self {
        let mut powers = [r.sum(); 6];
        for i in 1..powers.len() {
            powers[i] = powers[i - 1].mul(&powers[i - 1]);
        }
        Powers(powers)
    }

    /// r^n for 1 <= n <= [`HIGHEST`](Self::HIGHEST).
    #[inline(always)]
    pub fn get(&self, n: usize) -> Sum {
        debug_assert!((1..=Self::HIGHEST).contains(&n));
        let mut power = self.0[n.trailing_zeros() as usize];
        let mut rest = n & (n - 1);
        while rest != 0 {
            power = power.mul(&self.0[rest.trailing_zeros() as usize]);
            rest &= rest - 1;
        }
        power
    }
}

/// Blocks from which on two chains beat one, powers and join included: 24 lose 1 % with BMI2 and 7 % without,
/// 32 win 18 and 13 %.
#[cfg(target_arch = "x86_64")]
const TWO_CHAINS: usize = 32;

/// Absorbs whole blocks, in two chains where there are enough of them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn blocks(state: &mut portable::State, mut blocks: &[[u8; 16]]) {
    let mut r = Multiplier::clamped(state.r);
    let mut sum = Sum { h: state.h };
    if blocks.len() >= TWO_CHAINS {
        let mut powers = Powers::new(&r);
        while blocks.len() >= TWO_CHAINS {
            let half = (blocks.len() / 2).min(Powers::HIGHEST);
            let (run, rest) = blocks.split_at(2 * half);
            let (first, second) = run.split_at(half);
            let mut other = Sum::default();
            for (a, b) in first.iter().zip(second) {
                r.absorb(&mut sum, a);
                r.absorb(&mut other, b);
            }
            sum = sum.mul(&powers.get(half)).add(&other);
            blocks = rest;
        }
        powers.zeroize();
    }
    for block in blocks {
        r.absorb(&mut sum, block);
    }
    state.h = sum.h;
    r.zeroize();
}

/// 1 to 15 bytes as a little-endian number, by words that overlap instead of byte by byte.
#[inline]
fn load_part(part: &[u8]) -> u128 {
    let len = part.len();
    assert!(len < 16);
    if let (Some(first), Some(last)) = (part.first_chunk::<8>(), part.last_chunk::<8>()) {
        let last = u128::from(u64::from_le_bytes(*last)) << (8 * (len - 8));
        u128::from(u64::from_le_bytes(*first)) | last
    } else if let (Some(first), Some(last)) = (part.first_chunk::<4>(), part.last_chunk::<4>()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (len - 4));
        u128::from(u64::from(u32::from_le_bytes(*first)) | last)
    } else if len > 0 {
        // First, middle and last byte are all there is.
        let byte = |i: usize| u32::from(part[i]) << (8 * i);
        u128::from(byte(0) | byte(len / 2) | byte(len - 1))
    } else {
        0
    }
}

#[inline(always)]
fn words(bytes: &[u8; 16]) -> [u64; 2] {
    let n = u128::from_le_bytes(*bytes);
    [n as u64, (n >> 64) as u64]
}

#[inline(always)]
fn join(low: u64, high: u64) -> u128 {
    u128::from(low) | u128::from(high) << 64
}

#[inline(always)]
fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::portable;

    /// Keys and blocks of all ones drive every limb to its bound.
    #[test]
    fn chains_powers_and_parts_agree_with_portable() {
        let mut message = [0xff; 64 * 16 + 15];
        for round in 0..3 {
            let mut key = [0xff; 32];
            if round == 1 {
                key = core::array::from_fn(|i| (73 * i + 11) as u8);
                message = core::array::from_fn(|i| (7 * i + 3) as u8);
            } else if round == 2 {
                key = [0; 32];
                key[0] = 2;
                message.fill(0xff);
            }
            let r = Multiplier::new(key.first_chunk().expect("32 >= 16"));
            let s = key.last_chunk().expect("32 >= 16");
            let powers = Powers::new(&r);
            for len in 0..=message.len() {
                let (blocks, part) = message[..len].as_chunks();
                let mut expected = portable::State::new(&key);
                expected.absorb::<1>(blocks);
                let half = blocks.len() / 2;
                let (mut a, mut b) = (Sum::default(), Sum::default());
                for (x, y) in blocks[..half].iter().zip(&blocks[half..]) {
                    r.absorb(&mut a, x);
                    r.absorb(&mut b, y);
                }
                if half > 0 {
                    a = a.mul(&powers.get(half)).add(&b);
                }
                for block in &blocks[2 * half..] {
                    r.absorb(&mut a, block);
                }
                if !part.is_empty() {
                    let mut block = [0; 16];
                    block[..part.len()].copy_from_slice(part);
                    let mut padded = (a, expected.clone());
                    r.absorb_padded(&mut padded.0, part);
                    padded.1.absorb::<1>(&[block]);
                    assert_eq!(padded.0.tag(s), padded.1.tag(), "{round}: {len}, padded");
                    block[part.len()] = 1;
                    r.absorb_last(&mut a, part);
                    expected.absorb::<0>(&[block]);
                }
                assert_eq!(a.tag(s), expected.tag(), "{round}: {len}");
            }
        }
    }
}
