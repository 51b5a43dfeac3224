//! Five limbs of 26 bits in 64-bit lanes, for vectors that multiply 32 bits by 32.
//!
//! Each lane of n sums every n-th block and multiplies by r^n, two vectors a step:
//! h <- h r^(2n) + a r^n + b, carried once. After the last step lane i lacks r^(n - i); the lanes are
//! joined as blocks are, h <- (h + lane) r.
//!
//! What came before has no power to spare, so the first block is added to it and both go into the last
//! lane, which lacks r alone: a run is a block and some steps, 1 + 2 n k blocks.
//!
//! Written once, for [`Lanes`]; an instruction set brings its vectors. Everything is inlined into one
//! function with the features enabled: a method of a trait cannot enable them.
#![allow(clippy::inline_always)] // no features, no intrinsics in registers: a call would undo both

use super::portable::State;
use zeroize::Zeroize;

/// A number in limbs of 26 bits.
pub(super) type Limbs<T> = [T; 5];

/// Vectors of `STEP` / 2 lanes. The implementor is the token that proves their instructions.
pub(super) trait Lanes<const STEP: usize>: Copy {
    /// A limb in each lane, 32 bits.
    type Limb: Copy;
    /// A sum in each lane, 64 bits.
    type Sum: Copy;
    /// One number for all lanes, in nine limbs: r0 .. r4, 5 r1 .. 5 r4.
    type Multiplier: Zeroize;

    /// Blocks from which on a run is worth its powers.
    const WORTHWHILE: usize;

    fn multiplier(self, limbs: [u32; 9]) -> Self::Multiplier;

    /// Where registers are too few for a multiplier, has it read from its one place in memory, which is
    /// wiped. Spilled, it would be in others too.
    #[inline(always)]
    fn read_again(self, _: &Self::Multiplier) {}

    /// Limbs of the first `STEP` / 2 blocks and of the others, each with the bit 2^128.
    fn cut(self, blocks: &[[u8; 16]; STEP]) -> [Limbs<Self::Limb>; 2];

    /// A limb in the last lane, zeros in the others.
    fn last_lane(self, limb: u32) -> Self::Limb;

    fn lane(self, limb: Self::Limb, lane: usize) -> u32;

    /// limb * multiplier\[K\].
    fn product<const K: usize>(self, limb: Self::Limb, by: &Self::Multiplier) -> Self::Sum;

    /// sum + limb * multiplier\[K\].
    fn add_product<const K: usize>(
        self,
        sum: Self::Sum,
        limb: Self::Limb,
        by: &Self::Multiplier,
    ) -> Self::Sum;

    /// sum + limb.
    fn add(self, sum: Self::Sum, limb: Self::Limb) -> Self::Sum;

    /// sum + (from >> 26).
    fn add_carry(self, sum: Self::Sum, from: Self::Sum) -> Self::Sum;

    /// sum + 5 (from >> 26).
    fn add_carry_5(self, sum: Self::Sum, from: Self::Sum) -> Self::Sum;

    /// The low 26 bits.
    fn low26(self, sum: Self::Sum) -> Self::Sum;

    /// A sum below 2^32.
    fn narrow(self, sum: Self::Sum) -> Self::Limb;
}

/// Absorbs whole blocks: fewer than are worthwhile, and what is left of the steps, by portable code.
#[cfg(any(
    test,
    target_arch = "x86",
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
#[inline(always)]
pub(super) fn blocks<const STEP: usize, V: Lanes<STEP>>(
    v: V,
    state: &mut State,
    blocks: &[[u8; 16]],
) {
    let rest = absorb_run(v, state, blocks);
    state.absorb::<1>(rest);
}

/// Absorbs blocks, if there are enough of them, and gives those that are left.
#[inline(always)]
pub(super) fn absorb_run<'a, const STEP: usize, V: Lanes<STEP>>(
    v: V,
    state: &mut State,
    blocks: &'a [[u8; 16]],
) -> &'a [[u8; 16]] {
    if let Some((first, rest)) = blocks.split_first()
        && blocks.len() >= V::WORTHWHILE
    {
        let (steps, rest) = rest.as_chunks::<STEP>();
        absorb_steps(v, state, first, steps);
        return rest;
    }
    blocks
}

/// Absorbs a block and some steps.
#[inline(always)]
fn absorb_steps<const STEP: usize, V: Lanes<STEP>>(
    v: V,
    state: &mut State,
    first: &[u8; 16],
    steps: &[[[u8; 16]; STEP]],
) {
    let mut r = limbs(state.r(), 0);
    let mut power = r;
    let mut lanes = 1;
    while 2 * lanes < STEP {
        power = multiply(&power, &power);
        lanes *= 2;
    }
    let mut near = v.multiplier(nine(&power));
    power = multiply(&power, &power);
    let mut far = v.multiplier(nine(&power));

    // h < 5 * 2^128 and a block with its bit < 2^129: limbs below 2^27.
    let (low, high) = state.sum();
    let begun = add(&limbs(low, high), &limbs(u128::from_le_bytes(*first), 1));
    let mut h = begun.map(|limb| v.last_lane(limb));
    for step in steps {
        v.read_again(&far);
        v.read_again(&near);
        let [a, b] = v.cut(step);
        // h: limbs below 2^27 the first time, then 2^26 + 2^7. a, b: below 2^26. r: below 2^26 + 2^7, five
        // times that below 2^29. A column of one multiplication has a product with r and four with 5 r at
        // most: (2 + 1) 21 * 2^52 (1 + 2^-18) + 2^26 < 2^58 for both.
        let mut sum = products(v, h, &far);
        sum = add_products(v, sum, a, &near);
        for (sum, b) in sum.iter_mut().zip(b) {
            *sum = v.add(*sum, b);
        }
        h = carry(v, sum);
    }

    let mut r9 = nine(&r);
    let mut sum = [0; 5];
    for lane in 0..lanes {
        // Limbs below 2^27 + 2^8.
        sum = add(&sum, &h.map(|limb| v.lane(limb, lane)));
        sum = carry(One, products(One, sum, &r9));
    }
    state.set_sum(join(&sum));
    near.zeroize();
    far.zeroize();
    r.zeroize();
    power.zeroize();
    r9.zeroize();
}

/// a b, in columns that are not carried: column j has a_i b_(j - i) and, as 2^130 = 5, a_i 5 b_(5 + j - i).
#[inline(always)]
fn products<const STEP: usize, V: Lanes<STEP>>(
    v: V,
    [a0, a1, a2, a3, a4]: Limbs<V::Limb>,
    b: &V::Multiplier,
) -> Limbs<V::Sum> {
    let sum = [
        v.product::<0>(a0, b),
        v.product::<1>(a0, b),
        v.product::<2>(a0, b),
        v.product::<3>(a0, b),
        v.product::<4>(a0, b),
    ];
    let sum = row::<STEP, V, 8, 0, 1, 2, 3>(v, sum, a1, b);
    let sum = row::<STEP, V, 7, 8, 0, 1, 2>(v, sum, a2, b);
    let sum = row::<STEP, V, 6, 7, 8, 0, 1>(v, sum, a3, b);
    row::<STEP, V, 5, 6, 7, 8, 0>(v, sum, a4, b)
}

/// sum + a b.
#[inline(always)]
fn add_products<const STEP: usize, V: Lanes<STEP>>(
    v: V,
    sum: Limbs<V::Sum>,
    [a0, a1, a2, a3, a4]: Limbs<V::Limb>,
    b: &V::Multiplier,
) -> Limbs<V::Sum> {
    let sum = row::<STEP, V, 0, 1, 2, 3, 4>(v, sum, a0, b);
    let sum = row::<STEP, V, 8, 0, 1, 2, 3>(v, sum, a1, b);
    let sum = row::<STEP, V, 7, 8, 0, 1, 2>(v, sum, a2, b);
    let sum = row::<STEP, V, 6, 7, 8, 0, 1>(v, sum, a3, b);
    row::<STEP, V, 5, 6, 7, 8, 0>(v, sum, a4, b)
}

/// The products of one limb, with those of the nine that are meant for columns 0 to 4.
#[inline(always)]
fn row<
    const STEP: usize,
    V: Lanes<STEP>,
    const K0: usize,
    const K1: usize,
    const K2: usize,
    const K3: usize,
    const K4: usize,
>(
    v: V,
    [d0, d1, d2, d3, d4]: Limbs<V::Sum>,
    a: V::Limb,
    b: &V::Multiplier,
) -> Limbs<V::Sum> {
    [
        v.add_product::<K0>(d0, a, b),
        v.add_product::<K1>(d1, a, b),
        v.add_product::<K2>(d2, a, b),
        v.add_product::<K3>(d3, a, b),
        v.add_product::<K4>(d4, a, b),
    ]
}

/// Carries from limbs 0 and 3 on, side by side. Of sums below 2^58, limbs 1 and 4 stay below
/// 2^26 + 2^7 and the others below 2^26.
#[inline(always)]
fn carry<const STEP: usize, V: Lanes<STEP>>(
    v: V,
    [d0, d1, d2, d3, d4]: Limbs<V::Sum>,
) -> Limbs<V::Limb> {
    let (d1, d4) = (v.add_carry(d1, d0), v.add_carry(d4, d3));
    let (d0, d3) = (v.low26(d0), v.low26(d3));
    // Column 4 has no product with 5 r: (2 + 1) 5 * 2^52 and a carry, below 2^56. So d0 < 2^33.
    let (d2, d0) = (v.add_carry(d2, d1), v.add_carry_5(d0, d4));
    let (d1, d4) = (v.low26(d1), v.low26(d4));
    // And d2 < 2^58 + 2^33, so d3 < 2^26 + 2^32 + 2^8: both carries are below 2^7.
    let (d3, d1) = (v.add_carry(d3, d2), v.add_carry(d1, d0));
    let (d2, d0) = (v.low26(d2), v.low26(d0));
    let d4 = v.add_carry(d4, d3);
    let d3 = v.low26(d3);
    [
        v.narrow(d0),
        v.narrow(d1),
        v.narrow(d2),
        v.narrow(d3),
        v.narrow(d4),
    ]
}

/// low + 2^128 high.
#[inline(always)]
fn limbs(low: u128, high: u32) -> Limbs<u32> {
    let limb = |i: u32| (low >> (26 * i)) as u32 & 0x3ffffff;
    [
        limb(0),
        limb(1),
        limb(2),
        limb(3),
        (low >> 104) as u32 | high << 24,
    ]
}

/// The number below 2^128, and the rest: at most 4, as the limbs are carried.
#[inline(always)]
fn join(limbs: &Limbs<u32>) -> (u128, u32) {
    let [l0, l1, l2, l3, l4] = limbs.map(u128::from);
    let (low, carry) = (l0 + (l1 << 26) + (l2 << 52) + (l3 << 78)).overflowing_add(l4 << 104);
    (low, (l4 >> 24) as u32 + u32::from(carry))
}

#[inline(always)]
fn add(a: &Limbs<u32>, b: &Limbs<u32>) -> Limbs<u32> {
    core::array::from_fn(|i| a[i] + b[i])
}

#[inline(always)]
fn multiply(a: &Limbs<u32>, b: &Limbs<u32>) -> Limbs<u32> {
    carry(One, products(One, *a, &nine(b)))
}

/// The limbs of a multiplier.
#[inline(always)]
fn nine(&[r0, r1, r2, r3, r4]: &Limbs<u32>) -> [u32; 9] {
    [r0, r1, r2, r3, r4, 5 * r1, 5 * r2, 5 * r3, 5 * r4]
}

/// One lane, in scalar registers.
#[derive(Clone, Copy)]
struct One;

impl Lanes<2> for One {
    type Limb = u32;
    type Sum = u64;
    type Multiplier = [u32; 9];

    const WORTHWHILE: usize = 1;

    #[inline(always)]
    fn multiplier(self, limbs: [u32; 9]) -> [u32; 9] {
        limbs
    }

    #[inline(always)]
    fn cut(self, blocks: &[[u8; 16]; 2]) -> [Limbs<u32>; 2] {
        blocks.map(|block| limbs(u128::from_le_bytes(block), 1))
    }

    #[inline(always)]
    fn last_lane(self, limb: u32) -> u32 {
        limb
    }

    #[inline(always)]
    fn lane(self, limb: u32, _: usize) -> u32 {
        limb
    }

    #[inline(always)]
    fn product<const K: usize>(self, limb: u32, by: &[u32; 9]) -> u64 {
        u64::from(limb) * u64::from(by[K])
    }

    #[inline(always)]
    fn add_product<const K: usize>(self, sum: u64, limb: u32, by: &[u32; 9]) -> u64 {
        sum + u64::from(limb) * u64::from(by[K])
    }

    #[inline(always)]
    fn add(self, sum: u64, limb: u32) -> u64 {
        sum + u64::from(limb)
    }

    #[inline(always)]
    fn add_carry(self, sum: u64, from: u64) -> u64 {
        sum + (from >> 26)
    }

    #[inline(always)]
    fn add_carry_5(self, sum: u64, from: u64) -> u64 {
        sum + 5 * (from >> 26)
    }

    #[inline(always)]
    fn low26(self, sum: u64) -> u64 {
        sum & 0x3ffffff
    }

    #[inline(always)]
    fn narrow(self, sum: u64) -> u32 {
        debug_assert!(sum < (1 << 26) + (1 << 7));
        sum as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With overflow checks on, every bound of every column is tried: keys and blocks of ones are the
    /// largest, small keys leave h near p.
    #[test]
    fn one_lane_agrees_with_portable() {
        let mut keys = [[0xff; 32], [0; 32], [0; 32], [0; 32]];
        keys[1][0] = 2;
        keys[2][0] = 1;
        keys[3] = core::array::from_fn(|i| (i * 73 + 11) as u8);
        for key in keys {
            for fill in [0xff, 0xfe, 0x00, 0x5a] {
                let message: [[u8; 16]; 60] = core::array::from_fn(|n| {
                    let mut block = [fill; 16];
                    block[n % 16] ^= (n / 4) as u8;
                    block
                });
                for start in [0, 1, 7] {
                    for end in start..message.len() {
                        let mut vector = State::new(&key);
                        let mut expected = State::new(&key);
                        expected.absorb::<1>(&message[..end]);
                        vector.absorb::<1>(&message[..start]);
                        blocks(One, &mut vector, &message[start..end]);
                        let case = (start, end);
                        assert_eq!(vector.tag(), expected.tag(), "{case:?} {fill:x} {key:x?}");
                    }
                }
            }
        }
    }
}
