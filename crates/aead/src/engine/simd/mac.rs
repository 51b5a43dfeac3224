//! The MAC of a message: one chain, or two that run beside a pass of the cipher.
//!
//! No feature is asked for: what is inlined into a kernel is compiled with the kernel's, and with BMI2 a
//! product does not wait for fixed registers.
#![allow(clippy::inline_always)] // a call would put the chains' sums into memory

use crate::{Aad, Tag};
use ss55_poly1305::hazmat::scalar::{Multiplier, Powers, Sum};
use zeroize::Zeroize;

/// A block of Poly1305.
pub(super) type MacBlock = [u8; 16];

/// Blocks from which on two chains beat one, with the powers and the join that they need. Fewer than
/// `ss55_poly1305` asks for: the powers serve all runs of a message, and most runs are hidden under a pass.
const TWO_CHAINS: usize = 24;

/// A running MAC. Wiped on drop.
pub(super) struct Mac {
    r: Multiplier,
    s: [u8; 16],
    /// The chain that has absorbed everything so far.
    a: Sum,
    /// The second chain of a [`Run`]; zero between runs.
    b: Sum,
    /// Made when the first long run needs them.
    powers: Option<Powers>,
}

/// Whole blocks that wait to be hashed: one chain over `a`, one over `b`, which is as long or empty.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    a: &'a [MacBlock],
    b: &'a [MacBlock],
    /// r^n, with n blocks in the second chain: joins the chains at the end of the run.
    join: Option<Sum>,
    /// The odd block of a run that was halved.
    rest: &'a [MacBlock],
}

impl Run<'_> {
    /// Blocks of which half is the highest power that [`Powers`] gives.
    const LONGEST: usize = 2 * Powers::HIGHEST;

    pub(super) const NOTHING: Run<'static> = Run {
        a: &[],
        b: &[],
        join: None,
        rest: &[],
    };
}

impl<'a> Run<'a> {
    /// Consecutive blocks, no more than [`Run::LONGEST`].
    #[inline]
    pub(super) fn of(mac: &mut Mac, blocks: &'a [MacBlock]) -> Self {
        if blocks.len() < TWO_CHAINS {
            return Run {
                a: blocks,
                ..Run::NOTHING
            };
        }
        let half = blocks.len() / 2;
        let (a, rest) = blocks.split_at(half);
        let (b, rest) = rest.split_at(half);
        Run {
            a,
            b,
            join: Some(mac.powers().get(half)),
            rest,
        }
    }

    /// As many blocks for each chain; they stay apart.
    #[inline]
    pub(super) fn pair(a: &'a [MacBlock], b: &'a [MacBlock]) -> Self {
        Run {
            a,
            b,
            ..Run::NOTHING
        }
    }

    /// Whether there are no blocks for the chains.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.a.is_empty()
    }

    /// Ends with a join.
    #[inline]
    pub(super) fn join_with(&mut self, power: Sum) {
        self.join = Some(power);
    }
}

/// The bytes after the last whole block of a message.
pub(super) struct Part {
    bytes: MacBlock,
    len: usize,
}

impl Part {
    #[inline]
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut part = Part {
            bytes: [0; 16],
            len: bytes.len(),
        };
        part.bytes[..bytes.len()].copy_from_slice(bytes);
        part
    }
}

impl Mac {
    /// `key` begins with the one-time key.
    #[inline]
    pub(super) fn new(key: &[u8; 64]) -> Self {
        let (halves, _) = key.as_chunks::<16>();
        Mac {
            r: Multiplier::new(&halves[0]),
            s: halves[1],
            a: Sum::default(),
            b: Sum::default(),
            powers: None,
        }
    }

    #[inline]
    fn powers(&mut self) -> &Powers {
        if self.powers.is_none() {
            self.powers = Some(Powers::new(&self.r));
        }
        self.powers.as_ref().expect("just made")
    }

    #[inline(always)]
    pub(super) fn absorb(&mut self, blocks: &[MacBlock]) {
        for block in blocks {
            self.r.absorb(&mut self.a, block);
        }
    }

    /// A run at once, where there is no pass to hide it under.
    #[inline(always)]
    pub(super) fn absorb_run(&mut self, run: Run<'_>) {
        let (r, mut a, mut b) = (self.r, self.a, self.b);
        if run.b.is_empty() {
            for block in run.a {
                r.absorb(&mut a, block);
            }
        } else {
            for (x, y) in run.a.iter().zip(run.b) {
                r.absorb(&mut a, x);
                r.absorb(&mut b, y);
            }
        }
        (self.a, self.b) = (a, b);
        self.end(&run);
    }

    /// What follows when a run's blocks are absorbed.
    #[inline(always)]
    fn end(&mut self, run: &Run<'_>) {
        if let Some(power) = &run.join {
            self.a = self.a.mul(power).add(&self.b);
            self.b = Sum::default();
        }
        self.absorb(run.rest);
    }

    /// Whole blocks; the rest is returned.
    #[inline(always)]
    pub(super) fn absorb_bytes(&mut self, bytes: &[u8]) -> Part {
        let (blocks, rest) = bytes.as_chunks();
        for blocks in blocks.chunks(Run::LONGEST) {
            let run = Run::of(self, blocks);
            self.absorb_run(run);
        }
        Part::of(rest)
    }

    /// `prefix` and `ad` as one string, filled up with zeros.
    #[inline]
    pub(super) fn absorb_aad(&mut self, aad: Aad<'_>) {
        let mut ad = aad.ad;
        if !aad.prefix.is_empty() {
            let (blocks, rest) = aad.prefix.as_chunks::<16>();
            self.absorb(blocks);
            if !rest.is_empty() {
                // The block that both share.
                let mut block = [0; 16];
                block[..rest.len()].copy_from_slice(rest);
                let take = ad.len().min(16 - rest.len());
                block[rest.len()..rest.len() + take].copy_from_slice(&ad[..take]);
                self.absorb(&[block]);
                ad = &ad[take..];
            }
        }
        let part = self.absorb_bytes(ad);
        self.absorb_padded(&part);
    }

    #[inline]
    fn absorb_padded(&mut self, part: &Part) {
        if part.len > 0 {
            self.r.absorb(&mut self.a, &part.bytes);
        }
    }

    /// RFC 8439: zeros up to a whole block, and the lengths.
    #[inline]
    pub(super) fn finish_aead(&mut self, part: &Part, lengths: &MacBlock) -> Tag {
        self.absorb_padded(part);
        self.absorb(&[*lengths]);
        self.a.tag(&self.s).into()
    }

    /// libsodium: as many zeros as the last part has bytes (it should be 16 less that), and the
    /// lengths, wherever in a block they come to stand.
    #[inline]
    pub(super) fn finish_secretstream(&mut self, part: &Part, lengths: &MacBlock) -> Tag {
        let mut end = [0; 15 + 15 + 16];
        end[..part.len].copy_from_slice(&part.bytes[..part.len]);
        end[2 * part.len..2 * part.len + 16].copy_from_slice(lengths);
        let (blocks, rest) = end[..2 * part.len + 16].as_chunks();
        self.absorb(blocks);
        if !rest.is_empty() {
            self.r.absorb_last(&mut self.a, rest);
        }
        self.a.tag(&self.s).into()
    }
}

/// The blocks of a run on their way into the MAC. Not wiped on drop: it lives in registers, and in such slots
/// of the stack as the compiler finds; a wipe would give it a place in memory, to be read and written there
/// between the rounds.
pub(super) struct Hashing<'a> {
    r: Multiplier,
    a: Sum,
    b: Sum,
    rest_a: &'a [MacBlock],
    rest_b: &'a [MacBlock],
    /// Blocks of each chain between two pieces of the cipher's work.
    share: usize,
}

impl<'a> Hashing<'a> {
    /// To be spread over `shares` calls.
    #[inline(always)]
    pub(super) fn new(mac: &Mac, run: &Run<'a>, shares: usize) -> Self {
        Hashing {
            r: mac.r,
            a: mac.a,
            b: mac.b,
            rest_a: run.a,
            rest_b: run.b,
            share: run.a.len().div_ceil(shares.max(1)),
        }
    }

    #[inline(always)]
    pub(super) fn share(&mut self) {
        let (now_a, rest) = self.rest_a.split_at(self.share.min(self.rest_a.len()));
        self.rest_a = rest;
        if self.rest_b.is_empty() {
            for block in now_a {
                self.r.absorb(&mut self.a, block);
            }
        } else {
            let (now_b, rest) = self.rest_b.split_at(now_a.len());
            self.rest_b = rest;
            for (x, y) in now_a.iter().zip(now_b) {
                self.r.absorb(&mut self.a, x);
                self.r.absorb(&mut self.b, y);
            }
        }
    }

    #[inline(always)]
    pub(super) fn end(self, mac: &mut Mac, run: &Run<'_>) {
        debug_assert!(self.rest_a.is_empty() && self.rest_b.is_empty());
        (mac.a, mac.b) = (self.a, self.b);
        mac.end(run);
    }
}

impl Drop for Mac {
    #[inline]
    fn drop(&mut self) {
        self.r.zeroize();
        self.s.zeroize();
        self.a.zeroize();
        self.b.zeroize();
        if let Some(powers) = &mut self.powers {
            powers.zeroize();
        }
    }
}

/// r^(k n), for the join of two chains after n steps of k blocks each: a square and a product per step,
/// hidden under its rounds.
pub(super) struct Power {
    base: Sum,
    value: Sum,
    n: usize,
    /// Bits of n that are still to come.
    bits: u32,
}

impl Power {
    /// n may be 0, if the power is then not asked for.
    #[inline]
    pub(super) fn new(mac: &mut Mac, k: usize, n: usize) -> Self {
        let base = mac.powers().get(k);
        Power {
            base,
            value: base,
            n,
            bits: n.max(1).ilog2(),
        }
    }

    #[inline(always)]
    pub(super) fn advance(&mut self) {
        if self.bits > 0 {
            self.bits -= 1;
            self.value = self.value.mul(&self.value);
            if self.n >> self.bits & 1 == 1 {
                self.value = self.value.mul(&self.base);
            }
        }
    }

    #[inline]
    pub(super) fn finish(&mut self) -> Sum {
        while self.bits > 0 {
            self.advance();
        }
        self.value
    }
}

impl Drop for Power {
    #[inline]
    fn drop(&mut self) {
        self.base.zeroize();
        self.value.zeroize();
    }
}
