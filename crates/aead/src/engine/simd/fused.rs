//! ChaCha20-Poly1305 in passes: the cipher in vectors, and between its double rounds the MAC in scalar
//! registers, where it costs next to nothing.
//!
//! A message that fits one pass, with the one-time key's block, is one pass. A longer one is cut
//!
//! ```text
//! head (what fits the first pass) | A (q halves of a step) | B (as many) | tail (less than a step)
//! ```
//!
//! and goes through a pass for the head, q steps that each take half of their blocks from the front of A
//! and half from the front of B, and a pass for the tail. Two chains of the MAC run over A and B at once;
//! with k blocks in B, (chain A) r^k + (chain B) joins them. Sealing hashes what the step before has
//! written, opening what the step is about to overwrite.
#![allow(clippy::inline_always)] // the features of the kernel are enabled in its entry alone

use super::{
    Head, OPEN, SEAL,
    mac::{Mac, MacBlock, Part, Power, Run},
};
use crate::{Tag, engine::lengths};
use inout::InOutBuf;
use ss55_chacha_simd::hazmat::State;
use zeroize::Zeroize;

pub(super) use ss55_chacha_simd::hazmat::BLOCK;

/// Passes of a cipher, with the MAC between their double rounds. Holding a value proves the features.
///
/// Blocks of keystream are counted from the one-time key's, which is number 0.
pub(super) trait Passes<const PASS: usize>: Copy {
    /// Blocks of a step: half of them from each of two places.
    const STEP: usize;

    /// A pass over a step's blocks, the state in all lanes.
    type Step;

    /// Fills in at least `count` blocks from number 0 on, of 1 to `PASS`.
    fn fill_first(self, keystream: &mut Keystream<PASS>, state: &State, count: usize);

    /// Fills in at least `count` blocks from number `block` on, fewer than `STEP`, and hashes two runs on
    /// the way.
    fn fill(
        self,
        keystream: &mut Keystream<PASS>,
        state: &State,
        block: u64,
        count: usize,
        mac: &mut Mac,
        runs: [Run<'_>; 2],
    );

    fn step(self, state: &State) -> Self::Step;

    /// All twenty rounds of half a step's blocks from each number in `blocks` on, and hashes two runs.
    fn rounds(self, step: &mut Self::Step, blocks: [u64; 2], mac: &mut Mac, runs: [Run<'_>; 2]);

    /// XORs a step's keystream onto both places.
    fn xor_step(self, step: &Self::Step, a: InOutBuf<'_, '_, u8>, b: InOutBuf<'_, '_, u8>);

    /// XORs the start of `keystream` onto all of `buf`.
    fn xor_bytes(self, buf: InOutBuf<'_, '_, u8>, keystream: &[u8]);
}

/// The keystream of one pass. Wiped on drop.
pub(super) struct Keystream<const PASS: usize> {
    pub(super) blocks: [[u8; BLOCK]; PASS],
    /// Blocks that were filled in.
    pub(super) used: usize,
}

impl<const PASS: usize> Keystream<PASS> {
    #[inline(always)]
    fn new() -> Self {
        Keystream {
            blocks: [[0; BLOCK]; PASS],
            used: 0,
        }
    }
}

impl<const PASS: usize> Drop for Keystream<PASS> {
    #[inline]
    fn drop(&mut self) {
        self.blocks[..self.used].as_flattened_mut().zeroize();
    }
}

/// [`Fused::crypt`](super::Fused::crypt), to be inlined into a function that enables the features.
#[inline(always)]
pub(super) fn crypt<P: Passes<PASS>, const PASS: usize, const DIRECTION: bool>(
    passes: P,
    key: &[u8; 32],
    nonce: &[u8; 12],
    head: &mut Head<'_>,
    mut buf: InOutBuf<'_, '_, u8>,
) -> Tag {
    let len = buf.len();
    let state = State::ietf(key, nonce, 0);
    // Keystream blocks before the message: the one-time key, and the block of the frame tag.
    let before = match head {
        Head::Aead(_) => 1,
        Head::Secretstream(..) => 2,
    };
    let blocks = before + len.div_ceil(BLOCK);
    let mut keystream = Keystream::<PASS>::new();
    passes.fill_first(&mut keystream, &state, blocks.min(PASS));

    let mut mac = Mac::new(&keystream.blocks[0]);
    mac.absorb_aad(match head {
        Head::Aead(aad) => *aad,
        Head::Secretstream(ad, _) => (*ad).into(),
    });
    if let Head::Secretstream(_, frame_tag) = head {
        let block = &mut keystream.blocks[1];
        let crypted = block[0] ^ **frame_tag;
        // The MAC covers the block as it is sent: the encrypted tag byte, 63 of keystream.
        block[0] = if DIRECTION == SEAL {
            crypted
        } else {
            **frame_tag
        };
        **frame_tag = crypted;
        mac.absorb(block.as_chunks().0);
    }

    let part = if blocks > PASS {
        long::<P, PASS, DIRECTION>(passes, &state, &keystream, before, &mut mac, buf)
    } else {
        let keystream = &keystream.blocks.as_flattened()[BLOCK * before..];
        if DIRECTION == OPEN {
            let part = mac.absorb_bytes(buf.get_in());
            passes.xor_bytes(buf, keystream);
            part
        } else {
            passes.xor_bytes(buf.reborrow(), keystream);
            mac.absorb_bytes(buf.get_out())
        }
    };
    match head {
        Head::Aead(aad) => mac.finish_aead(&part, &lengths(aad.len(), len as u64)),
        Head::Secretstream(ad, _) => {
            mac.finish_secretstream(&part, &lengths(ad.len(), (BLOCK + len) as u64))
        }
    }
}

/// A message longer than the first pass, whose keystream is there. Returns the last part of a block.
#[inline(always)]
fn long<P: Passes<PASS>, const PASS: usize, const DIRECTION: bool>(
    passes: P,
    state: &State,
    keystream: &Keystream<PASS>,
    before: usize,
    mac: &mut Mac,
    buf: InOutBuf<'_, '_, u8>,
) -> Part {
    let (mut head, rest) = buf.split_at(BLOCK * (PASS - before));
    let head_keystream = &keystream.blocks.as_flattened()[BLOCK * before..];
    let half = P::STEP / 2; // blocks that a step takes from one place
    let steps = rest.len() / (2 * half * BLOCK);
    let (body, mut tail) = rest.split_at(2 * half * BLOCK * steps);
    let mut power = Power::new(mac, half * BLOCK / 16, steps);

    // Sealing hashes the head under the next pass; opening decrypts it after that.
    if DIRECTION == SEAL {
        passes.xor_bytes(head.reborrow(), head_keystream);
    }
    // What the pass of the tail is to hash.
    let mut pending = Run::of(
        mac,
        mac_blocks(if DIRECTION == OPEN {
            head.get_in()
        } else {
            head.get_out()
        }),
    );

    if steps > 0 {
        let mut step = passes.step(state);
        let mut counters = [PASS, PASS + half * steps].map(|block| block as u64);
        let (mut a, mut b) = body.split_at(half * BLOCK * steps);
        for _ in 0..steps {
            let (mut now_a, rest_a) = a.split_at(half * BLOCK);
            let (mut now_b, rest_b) = b.split_at(half * BLOCK);
            (a, b) = (rest_a, rest_b);
            if DIRECTION == OPEN {
                let now = Run::pair(mac_blocks(now_a.get_in()), mac_blocks(now_b.get_in()));
                passes.rounds(&mut step, counters, mac, [pending, now]);
                passes.xor_step(&step, now_a, now_b);
                pending = Run::NOTHING;
            } else {
                passes.rounds(&mut step, counters, mac, [pending, Run::NOTHING]);
                passes.xor_step(&step, now_a.reborrow(), now_b.reborrow());
                pending = Run::pair(mac_blocks(now_a.into_out()), mac_blocks(now_b.into_out()));
            }
            counters = counters.map(|block| block.wrapping_add(half as u64));
            power.advance();
        }
        pending.join_with(power.finish());
        if DIRECTION == OPEN {
            mac.absorb_run(pending);
            pending = Run::NOTHING;
        }
    }

    let mut tail_keystream = Keystream::<PASS>::new();
    let block = (PASS + 2 * half * steps) as u64;
    let part;
    if DIRECTION == OPEN {
        let (whole, rest) = tail.get_in().as_chunks();
        part = Part::of(rest);
        let now = Run::of(mac, whole);
        let blocks = tail.len().div_ceil(BLOCK);
        passes.fill(
            &mut tail_keystream,
            state,
            block,
            blocks,
            mac,
            [pending, now],
        );
        passes.xor_bytes(head, head_keystream);
        passes.xor_bytes(tail, tail_keystream.blocks.as_flattened());
    } else {
        let blocks = tail.len().div_ceil(BLOCK);
        passes.fill(
            &mut tail_keystream,
            state,
            block,
            blocks,
            mac,
            [pending, Run::NOTHING],
        );
        passes.xor_bytes(tail.reborrow(), tail_keystream.blocks.as_flattened());
        part = mac.absorb_bytes(tail.get_out());
    }
    part
}

fn mac_blocks(bytes: &[u8]) -> &[MacBlock] {
    let (blocks, rest) = bytes.as_chunks();
    debug_assert!(rest.is_empty());
    blocks
}
