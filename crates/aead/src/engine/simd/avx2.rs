//! ChaCha20-Poly1305 on AVX2, in [passes](super::fused) of up to seventeen blocks: sixteen vertically, and
//! the one-time key's beside them in scalar registers.
#![allow(unsafe_code)]
#![allow(clippy::inline_always)] // the entries of the passes, of which the algorithm is generic

mod pass;

use super::{
    Head,
    fused::{self, Keystream, Passes},
    mac::{Mac, Run},
};
use crate::Tag;
use inout::InOutBuf;
use pass::{PASS, STEP, Step};
use ss55_chacha_simd::hazmat::{State, x86 as chacha, x86::avx2::xor_bytes};
use ss55_poly1305::hazmat::x86 as poly1305;

/// Proves what both kernels need: the features `avx2` and `bmi2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    _chacha: chacha::Avx2,
    _poly1305: poly1305::Avx2,
}

impl Token {
    /// The engine, on a machine that has the features.
    pub(super) fn detect() -> Option<Self> {
        Some(Token {
            _chacha: chacha::Avx2::detect()?,
            _poly1305: poly1305::Avx2::detect()?,
        })
    }
}

/// [`Fused::crypt`](super::Fused::crypt), by right of the tokens.
#[inline]
pub(super) fn crypt<const DIRECTION: bool>(
    token: Token,
    key: &[u8; 32],
    nonce: &[u8; 12],
    head: &mut Head<'_>,
    buf: InOutBuf<'_, '_, u8>,
) -> Tag {
    // SAFETY: the tokens prove avx2 and bmi2.
    unsafe { crypt_inner::<DIRECTION>(token, key, nonce, head, buf) }
}

#[target_feature(enable = "avx2,bmi2")]
fn crypt_inner<const DIRECTION: bool>(
    token: Token,
    key: &[u8; 32],
    nonce: &[u8; 12],
    head: &mut Head<'_>,
    buf: InOutBuf<'_, '_, u8>,
) -> Tag {
    fused::crypt::<Token, PASS, DIRECTION>(token, key, nonce, head, buf)
}

impl Passes<PASS> for Token {
    const STEP: usize = STEP;
    type Step = Step;

    #[inline(always)]
    fn fill_first(self, keystream: &mut Keystream<PASS>, state: &State, count: usize) {
        // SAFETY: the tokens prove avx2 and bmi2.
        unsafe { pass::fill_first(keystream, state, count) }
    }

    #[inline(always)]
    fn fill(
        self,
        keystream: &mut Keystream<PASS>,
        state: &State,
        block: u64,
        count: usize,
        mac: &mut Mac,
        runs: [Run<'_>; 2],
    ) {
        // SAFETY: as above.
        unsafe { pass::fill(keystream, state, block, count, mac, runs) }
    }

    #[inline(always)]
    fn step(self, state: &State) -> Step {
        // SAFETY: as above.
        unsafe { Step::new(state) }
    }

    #[inline(always)]
    fn rounds(self, step: &mut Step, blocks: [u64; 2], mac: &mut Mac, runs: [Run<'_>; 2]) {
        // SAFETY: as above.
        unsafe { step.rounds(blocks, mac, runs) }
    }

    #[inline(always)]
    fn xor_step(self, step: &Step, a: InOutBuf<'_, '_, u8>, b: InOutBuf<'_, '_, u8>) {
        // SAFETY: as above.
        unsafe { step.xor(a, b) }
    }

    #[inline(always)]
    fn xor_bytes(self, buf: InOutBuf<'_, '_, u8>, keystream: &[u8]) {
        // SAFETY: as above.
        unsafe { xor_bytes(buf, keystream) }
    }
}
