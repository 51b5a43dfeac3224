//! Two lanes of 26-bit limbs on 32-bit machines, two scalar chains on x86-64.
//!
//! The scalar multiplier of x86-64 does 64 x 64 bits in the time of one `pmuludq`: even without BMI2 the
//! chains take 174 and 9434 ns for 1 and 64 KiB on Zen 5, the lanes 230 and 12783.

use super::Sse2;
#[cfg(target_arch = "x86")]
use crate::backend::limbs26;
use crate::backend::portable;
#[cfg(target_arch = "x86_64")]
use crate::backend::scalar;

/// Absorbs whole blocks.
#[inline]
pub(crate) fn blocks(token: Sse2, state: &mut portable::State, blocks: &[[u8; 16]]) {
    // SAFETY: the token proves sse2.
    unsafe { blocks_inner(token, state, blocks) }
}

#[cfg(target_arch = "x86")]
#[target_feature(enable = "sse2")]
pub(super) fn blocks_inner(token: Sse2, state: &mut portable::State, blocks: &[[u8; 16]]) {
    limbs26::blocks(token, state, blocks);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn blocks_inner(_: Sse2, state: &mut portable::State, blocks: &[[u8; 16]]) {
    scalar::blocks(state, blocks);
}
