//! Four lanes of 26-bit limbs, where they pay for their powers. Fewer blocks go the way that they do without
//! AVX2: on x86-64 in two scalar chains, here with BMI2; on 32-bit machines in two lanes.

use super::Avx2;
#[cfg(target_arch = "x86")]
use super::sse2;
#[cfg(target_arch = "x86_64")]
use crate::backend::scalar;
use crate::backend::{limbs26, portable};

/// Absorbs whole blocks.
#[inline]
pub(crate) fn blocks(token: Avx2, state: &mut portable::State, blocks: &[[u8; 16]]) {
    // SAFETY: the token proves avx2 and bmi2.
    unsafe { blocks_inner(token, state, blocks) }
}

#[target_feature(enable = "avx2,bmi2")]
fn blocks_inner(token: Avx2, state: &mut portable::State, blocks: &[[u8; 16]]) {
    let rest = limbs26::absorb_run(token, state, blocks);
    #[cfg(target_arch = "x86")]
    sse2::blocks_inner(token.into(), state, rest);
    #[cfg(target_arch = "x86_64")]
    scalar::blocks(state, rest);
}
