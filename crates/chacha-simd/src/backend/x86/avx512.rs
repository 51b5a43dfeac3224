//! AVX-512.

use super::Avx512;
use crate::{
    backend::portable,
    hazmat::{BLOCK, State},
};
use inout::InOutBuf;

/// XORs the keystream from `state`'s counter on onto `buf`; a block used in part stays in `last`.
pub(crate) fn xor<const ROUNDS: usize>(
    _: Avx512,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    portable::xor::<ROUNDS>(state, buf, last);
}
