//! Four 32-bit limbs and a small fifth, products in u64.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// Key and running sum.
#[derive(Clone)]
pub struct State {
    /// Clamped: each word < 2^28, r1, r2, r3 = 0 mod 4.
    r: [u32; 4],
    s: [u32; 4],
    /// h = sum of 2^(32 i) h[i], between calls h[4] <= 4.
    h: [u32; 5],
}

impl State {
    #[inline]
    pub fn new(key: &[u8; 32]) -> Self {
        let [r0, r1, r2, r3, s0, s1, s2, s3] = le_words(key);
        State {
            r: [
                r0 & 0x0fffffff,
                r1 & 0x0ffffffc,
                r2 & 0x0ffffffc,
                r3 & 0x0ffffffc,
            ],
            s: [s0, s1, s2, s3],
            h: [0; 5],
        }
    }

    /// Absorbs blocks, each with the bit `HIGH` at 2^128.
    pub fn absorb<const HIGH: u64>(&mut self, blocks: &[[u8; 16]]) {
        let [r0, r1, r2, r3] = self.r.map(u64::from);
        // 2^128 r_i = 5 (r_i / 4) mod p, exact as 4 divides r_i. Below 2^28 + 2^26.
        let [s1, s2, s3] = [r1, r2, r3].map(|r| r + (r >> 2));
        let mut h = self.h;
        for block in blocks {
            let m: [u32; 4] = le_words(block);
            let mut a = [0; 5];
            let mut carry = 0;
            for ((a, h), m) in a.iter_mut().zip(h).zip(m) {
                let t = u64::from(h) + u64::from(m) + carry;
                *a = t & 0xffffffff;
                carry = t >> 32;
            }
            let [a0, a1, a2, a3, _] = a;
            let a4 = u64::from(h[4]) + carry + HIGH; // <= 6

            // Each product < 2^32 (2^28 + 2^26) < 2^61: four of them, a4's and a carry fit 64 bits.
            let d0 = a0 * r0 + a1 * s3 + a2 * s2 + a3 * s1;
            let d1 = a0 * r1 + a1 * r0 + a2 * s3 + a3 * s2 + a4 * s1 + (d0 >> 32);
            let d2 = a0 * r2 + a1 * r1 + a2 * r0 + a3 * s3 + a4 * s2 + (d1 >> 32);
            let d3 = a0 * r3 + a1 * r2 + a2 * r1 + a3 * r0 + a4 * s3 + (d2 >> 32);
            let d4 = a4 * r0 + (d3 >> 32); // < 6 * 2^28 + 2^32

            // Fold the bits from 2^130 up: 2^130 = 5 mod p, so c = d4 div 4 counts 4 c + c.
            let mut carry = (d4 & !3) + (d4 >> 2);
            for (h, d) in h.iter_mut().zip([d0, d1, d2, d3]) {
                let t = (d & 0xffffffff) + carry;
                *h = t as u32;
                carry = t >> 32;
            }
            h[4] = ((d4 & 3) + carry) as u32; // <= 4
        }
        self.h = h;
    }

    /// (h mod p) + s mod 2^128, little-endian.
    pub fn tag(&self) -> [u8; 16] {
        // h < 2 p, so h mod p is h or h - p; and h >= p exactly where h + 5 reaches 2^130.
        let mut sum = [0; 4];
        let mut carry = 5;
        for (sum, h) in sum.iter_mut().zip(self.h) {
            let t = u64::from(h) + carry;
            *sum = t as u32;
            carry = t >> 32;
        }
        let mask = ((self.h[4] + carry as u32) >> 2).wrapping_neg();
        let mut tag = [0; 16];
        let mut carry = 0;
        for (i, bytes) in tag.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let reduced = (sum[i] & mask) | (self.h[i] & !mask);
            let t = u64::from(reduced) + u64::from(self.s[i]) + carry;
            *bytes = (t as u32).to_le_bytes();
            carry = t >> 32;
        }
        sum.zeroize();
        tag
    }
}

/// For limbs of another size.
#[cfg(any(
    all(
        test,
        not(any(
            target_pointer_width = "64",
            target_arch = "x86_64",
            target_arch = "aarch64"
        ))
    ),
    target_arch = "x86"
))]
impl State {
    pub(crate) fn r(&self) -> u128 {
        join(self.r)
    }

    /// h below 2^128, and the rest.
    pub(crate) fn sum(&self) -> (u128, u32) {
        let [h0, h1, h2, h3, h4] = self.h;
        (join([h0, h1, h2, h3]), h4)
    }

    /// `high` <= 4.
    pub(crate) fn set_sum(&mut self, (low, high): (u128, u32)) {
        let word = |i| (low >> (32 * i)) as u32;
        self.h = [word(0), word(1), word(2), word(3), high];
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

#[cfg(any(
    all(
        test,
        not(any(
            target_pointer_width = "64",
            target_arch = "x86_64",
            target_arch = "aarch64"
        ))
    ),
    target_arch = "x86"
))]
fn join(words: [u32; 4]) -> u128 {
    words
        .iter()
        .rev()
        .fold(0, |sum, word| sum << 32 | u128::from(*word))
}

#[inline]
fn le_words<const BYTES: usize, const WORDS: usize>(bytes: &[u8; BYTES]) -> [u32; WORDS] {
    const { assert!(BYTES == 4 * WORDS) };
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}
