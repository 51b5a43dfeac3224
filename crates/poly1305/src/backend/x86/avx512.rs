//! AVX-512 IFMA.

use super::Avx512;
use crate::backend::portable;

/// Absorbs whole blocks.
pub(crate) fn blocks(_: Avx512, state: &mut portable::State, blocks: &[[u8; 16]]) {
    state.absorb::<1>(blocks);
}
