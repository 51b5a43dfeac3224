//! Two 64-bit limbs and a small third, products in u128.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// Key and running sum.
#[derive(Clone)]
pub struct State {
    /// Clamped: r0 < 2^60, r1 < 2^60 and r1 = 0 mod 4.
    pub(crate) r: [u64; 2],
    s: [u64; 2],
    /// h = h0 + 2^64 h1 + 2^128 h2, between calls h2 <= 4: below 5 * 2^128, not fully reduced.
    pub(crate) h: [u64; 3],
}

impl State {
    /// h = 0 under the key r | s; r is clamped.
    #[inline]
    pub fn new(key: &[u8; 32]) -> Self {
        let [r0, r1, s0, s1] = le_words(key);
        State {
            r: [r0 & 0x0ffffffc0fffffff, r1 & 0x0ffffffc0ffffffc],
            s: [s0, s1],
            h: [0; 3],
        }
    }

    /// Absorbs blocks, each with the bit `HIGH` at 2^128.
    pub fn absorb<const HIGH: u64>(&mut self, blocks: &[[u8; 16]]) {
        let [r0, r1] = self.r;
        // 2^128 r1 = 2^130 (r1 / 4) = 5 (r1 / 4) mod p, exact as 4 divides r1. s1 < 2^60 + 2^58.
        let s1 = r1 + (r1 >> 2);
        let [mut h0, mut h1, mut h2] = self.h;
        for block in blocks {
            let [m0, m1] = le_words(block);
            let carry;
            (h0, carry) = h0.overflowing_add(m0);
            let t = u128::from(h1) + u128::from(m1) + u128::from(carry);
            h1 = t as u64;
            h2 += (t >> 64) as u64 + HIGH; // <= 6

            // Each product < 2^64 (2^60 + 2^58); a sum of two or three stays below 2^126.
            let d0 = wide(h0, r0) + wide(h1, s1);
            let d1 = wide(h0, r1) + wide(h1, r0) + wide(h2, s1) + (d0 >> 64);
            let d2 = h2 * r0 + (d1 >> 64) as u64; // < 6 * 2^60 + 2^62 + ..: no overflow

            // Fold the bits from 2^130 up: 2^130 = 5 mod p, so c = d2 div 4 counts 4 c + c.
            let fold = (d2 & !3) + (d2 >> 2);
            let t = u128::from(d0 as u64) + u128::from(fold);
            h0 = t as u64;
            let t = u128::from(d1 as u64) + (t >> 64);
            h1 = t as u64;
            h2 = (d2 & 3) + (t >> 64) as u64; // <= 4
        }
        self.h = [h0, h1, h2];
    }

    /// (h mod p) + s mod 2^128, little-endian.
    pub fn tag(&self) -> [u8; 16] {
        let [h0, h1, h2] = self.h;
        let h = u128::from(h0) | u128::from(h1) << 64;
        // h < 2 p, so h mod p is h or h - p; and h >= p exactly where h + 5 reaches 2^130.
        let (sum, carry) = h.overflowing_add(5);
        let reaches = (h2 + u64::from(carry)) >> 2;
        let mask = u128::from(reaches).wrapping_neg();
        let reduced = (sum & mask) | (h & !mask);
        let s = u128::from(self.s[0]) | u128::from(self.s[1]) << 64;
        reduced.wrapping_add(s).to_le_bytes()
    }
}

/// For limbs of another size.
#[cfg(any(
    all(
        test,
        any(
            target_pointer_width = "64",
            target_arch = "x86_64",
            target_arch = "aarch64"
        )
    ),
    target_arch = "x86_64",
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
impl State {
    pub(crate) fn r(&self) -> u128 {
        u128::from(self.r[0]) | u128::from(self.r[1]) << 64
    }

    /// h below 2^128, and the rest.
    pub(crate) fn sum(&self) -> (u128, u32) {
        let [h0, h1, h2] = self.h;
        (u128::from(h0) | u128::from(h1) << 64, h2 as u32)
    }

    /// `high` <= 4.
    pub(crate) fn set_sum(&mut self, (low, high): (u128, u32)) {
        self.h = [low as u64, (low >> 64) as u64, u64::from(high)];
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.r.zeroize();
        self.s.zeroize();
        self.h.zeroize();
    }
}

impl ZeroizeOnDrop for State {}

#[inline]
fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

#[inline]
fn le_words<const BYTES: usize, const WORDS: usize>(bytes: &[u8; BYTES]) -> [u64; WORDS] {
    const { assert!(BYTES == 8 * WORDS) };
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}
