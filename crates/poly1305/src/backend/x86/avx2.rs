//! Two scalar chains. Four lanes of 26-bit limbs were slower at every length on Zen 5 (7.5 against 7.9 GB/s
//! at 64 KiB): the scalar multiplier does 64 x 64 bits a cycle.

use super::Avx2;
use crate::backend::{
    portable,
    scalar::{Multiplier, Powers, Sum},
};

/// Blocks from which on two chains beat one, powers and join included: 16 lose 13 %, 32 win 18 %.
const TWO_CHAINS: usize = 24;

/// Absorbs whole blocks.
#[inline]
pub(crate) fn blocks(_: Avx2, state: &mut portable::State, blocks: &[[u8; 16]]) {
    // SAFETY: the token proves avx2 and bmi2.
    unsafe { blocks_inner(state, blocks) }
}

#[target_feature(enable = "avx2,bmi2")]
fn blocks_inner(state: &mut portable::State, mut blocks: &[[u8; 16]]) {
    let r = Multiplier::clamped(state.r);
    let mut sum = Sum { h: state.h };
    if blocks.len() >= TWO_CHAINS {
        let powers = Powers::new(&r);
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
    }
    for block in blocks {
        r.absorb(&mut sum, block);
    }
    state.h = sum.h;
}
