//! ChaCha20-Poly1305 on vectors of 128 bits, in [passes](super::fused) of four or eight blocks.
//!
//! Only where scalar registers have 64 bits: the chains of the MAC need their product. On 32 bits the
//! trait's own methods compose the two kernels, of which Poly1305's is then a vector one too.
#![allow(unsafe_code)]
#![allow(clippy::inline_always)] // the features of the kernel are enabled in its entry alone

use super::{
    Head,
    fused::{self, Keystream, Passes},
    mac::{Hashing, Mac, Run},
};
use crate::Tag;
use inout::InOutBuf;
#[cfg(target_arch = "aarch64")]
use ss55_chacha_simd::hazmat::aarch64::{Neon, Neon8, neon::Table};
#[cfg(target_arch = "x86_64")]
use ss55_chacha_simd::hazmat::x86::{Sse2, Ssse3, ssse3::Shuffles};
use ss55_chacha_simd::hazmat::{
    BLOCK, State,
    lanes::{LANES, Lanes, Vertical, xor_bytes},
};

/// The engines: the token of each, its feature, what it makes of the token, its groups, and their blocks.
macro_rules! engines {
    ($($(#[$cfg:meta])? $crypt:ident, $token:ident, $feature:literal, |$value:ident| $lanes:expr, $groups:literal, $pass:literal;)*) => {
        $(
            /// [`Fused::crypt`](super::Fused::crypt), by right of the token.
            $(#[$cfg])?
            #[inline]
            pub(super) fn $crypt<const DIRECTION: bool>(
                token: $token,
                key: &[u8; 32],
                nonce: &[u8; 12],
                head: &mut Head<'_>,
                buf: InOutBuf<'_, '_, u8>,
            ) -> Tag {
                #[target_feature(enable = $feature)]
                fn inner<const DIRECTION: bool>(
                    $value: $token,
                    key: &[u8; 32],
                    nonce: &[u8; 12],
                    head: &mut Head<'_>,
                    buf: InOutBuf<'_, '_, u8>,
                ) -> Tag {
                    let passes = Groups::<_, $groups>($lanes);
                    fused::crypt::<_, $pass, DIRECTION>(passes, key, nonce, head, buf)
                }
                // SAFETY: the token proves the feature.
                unsafe { inner::<DIRECTION>(token, key, nonce, head, buf) }
            }
        )*
    };
}

engines! {
    #[cfg(target_arch = "x86_64")]
    ssse3, Ssse3, "ssse3", |token| Shuffles::new(token), 2, 8;
    #[cfg(target_arch = "x86_64")]
    sse2, Sse2, "sse2", |token| token, 2, 8;
    #[cfg(target_arch = "aarch64")]
    neon, Neon, "neon", |token| Table::new(token), 1, 4;
    #[cfg(target_arch = "aarch64")]
    neon8, Neon8, "neon", |token| Table::new(token.neon()), 2, 8;
}

const ONE: usize = 1;

/// Passes of `GROUPS` groups of four blocks.
#[derive(Clone, Copy)]
struct Groups<L, const GROUPS: usize>(L);

/// A pass, and words 12 and 13 of block 0; word 13 belongs to the nonce.
struct Step<L: Lanes, const GROUPS: usize> {
    pass: Vertical<L, GROUPS>,
    block_0: u64,
}

/// All ten double rounds, with a run hashed between them.
#[inline(always)]
fn hashing_rounds<L: Lanes, const GROUPS: usize>(
    pass: &mut Vertical<L, GROUPS>,
    mac: &mut Mac,
    runs: [Run<'_>; 2],
) {
    // The second run begins where the first has ended.
    let second_from = match runs.each_ref().map(Run::is_empty) {
        [_, true] => 10,
        [true, false] => 0,
        [false, false] => 5,
    };
    let [first, second] = runs;
    // Four blocks have 8 of each chain, eight 16: one for each double round, or half of one.
    let mut hashing = Hashing::new(mac, &first, GROUPS * second_from);
    for round in 0..10 {
        if round == second_from {
            hashing.end(mac, &first);
            hashing = Hashing::new(mac, &second, GROUPS * (10 - second_from));
        }
        for group in 0..GROUPS {
            pass.column_round(group);
        }
        if GROUPS > 1 {
            hashing.share();
        }
        for group in 0..GROUPS {
            pass.diagonal_round(group);
        }
        hashing.share();
    }
    hashing.end(mac, if second_from < 10 { &second } else { &first });
}

/// The pass of `$groups` groups from number `$block` on, written to `$out`; `$rounds` does the rounds.
macro_rules! pass {
    ($groups:ident, $lanes:expr, $state:ident, $block:expr, $out:expr, |$pass:ident| $rounds:expr) => {{
        let mut $pass = Vertical::<L, $groups>::new($lanes, $state);
        $pass.begin_at($block);
        $rounds;
        for (group, keystream) in $out.as_chunks_mut().0[..$groups].iter_mut().enumerate() {
            $pass.keystream(group, keystream);
        }
    }};
}

#[inline(always)]
fn plain_rounds<L: Lanes, const N: usize>(pass: &mut Vertical<L, N>) {
    for _ in 0..10 {
        pass.double_round();
    }
}

impl<L: Lanes, const GROUPS: usize, const PASS: usize> Passes<PASS> for Groups<L, GROUPS> {
    const STEP: usize = PASS;
    type Step = Step<L, GROUPS>;

    #[inline(always)]
    fn fill_first(self, keystream: &mut Keystream<PASS>, state: &State, count: usize) {
        const { assert!(PASS == LANES * GROUPS) };
        let block = state.counter64();
        if count <= LANES {
            pass!(ONE, self.0, state, block, keystream.blocks, |pass| {
                plain_rounds(&mut pass);
            });
            keystream.used = LANES;
        } else {
            pass!(GROUPS, self.0, state, block, keystream.blocks, |pass| {
                plain_rounds(&mut pass);
            });
            keystream.used = PASS;
        }
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
        let block = state.counter64().wrapping_add(block);
        if count == 0 {
            for run in runs {
                mac.absorb_run(run);
            }
        } else if count <= LANES {
            pass!(ONE, self.0, state, block, keystream.blocks, |pass| {
                hashing_rounds(&mut pass, mac, runs);
            });
            keystream.used = LANES;
        } else {
            pass!(GROUPS, self.0, state, block, keystream.blocks, |pass| {
                hashing_rounds(&mut pass, mac, runs);
            });
            keystream.used = PASS;
        }
    }

    #[inline(always)]
    fn step(self, state: &State) -> Step<L, GROUPS> {
        Step {
            pass: Vertical::new(self.0, state),
            block_0: state.counter64(),
        }
    }

    #[inline(always)]
    fn rounds(
        self,
        step: &mut Step<L, GROUPS>,
        blocks: [u64; 2],
        mac: &mut Mac,
        runs: [Run<'_>; 2],
    ) {
        let [a, b] = blocks.map(|block| step.block_0.wrapping_add(block));
        let half = PASS / 2;
        step.pass.begin(core::array::from_fn(|group| {
            core::array::from_fn(|lane| match LANES * group + lane {
                n if n < half => a.wrapping_add(n as u64),
                n => b.wrapping_add((n - half) as u64),
            })
        }));
        hashing_rounds(&mut step.pass, mac, runs);
    }

    #[inline(always)]
    fn xor_step(self, step: &Step<L, GROUPS>, a: InOutBuf<'_, '_, u8>, b: InOutBuf<'_, '_, u8>) {
        const { assert!(GROUPS == 1 || GROUPS == 2) };
        if GROUPS == 1 {
            step.pass.xor(0, [a, b]);
        } else {
            for (group, buf) in [a, b].into_iter().enumerate() {
                let (first, second) = buf.split_at(LANES * BLOCK / 2);
                step.pass.xor(group, [first, second]);
            }
        }
    }

    #[inline(always)]
    fn xor_bytes(self, buf: InOutBuf<'_, '_, u8>, keystream: &[u8]) {
        xor_bytes(self.0, buf, keystream);
    }
}
