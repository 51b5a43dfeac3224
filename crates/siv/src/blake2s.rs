//! Keyed BLAKE2s (RFC 7693), as far as the construction needs it.
//!
//! A keyed hash begins with a block that holds the key alone. What the compression of that block leaves
//! depends on nothing else, so it is computed once per key and every message starts from there: a
//! [`Chain`] after one block. A short message then costs one compression instead of two.
//!
//! The compression is ten rounds of two halves over a 4 x 4 state, columns and then diagonals, as
//! `ChaCha`'s is. Its rotations go to the right, by 16, 12, 8 and 7, and each quarter takes in two of the
//! sixteen message words, in an order that changes from round to round.

use crate::bytes::Bytes;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// Bytes in a block.
pub(crate) const BLOCK: usize = 64;
/// Bytes in the longest digest, and in a key here.
pub(crate) const DIGEST: usize = 32;

/// RFC 7693, 2.6: those of SHA-256.
const IV: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// RFC 7693, 2.7: which message words a round takes.
const SIGMA: [[u8; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The state of the compression, row by row.
type Rows = [[u32; 4]; 4];

/// Four quarters side by side, step by step, so that four chains of dependent operations overlap. `TURN`
/// is 0 for the columns, 1 for the diagonals.
#[allow(clippy::inline_always)] // the schedule must be constant, else the words are looked up
#[inline(always)]
fn half<const TURN: usize>([a, b, c, d]: &mut Rows, schedule: [u8; 8], word: impl Fn(u8) -> u32) {
    let at = |i: usize, row: usize| (i + row * TURN) % 4;
    for i in 0..4 {
        // In this order: b is the last to be known.
        a[i] = a[i]
            .wrapping_add(word(schedule[2 * i]))
            .wrapping_add(b[at(i, 1)]);
    }
    for i in 0..4 {
        d[at(i, 3)] = (d[at(i, 3)] ^ a[i]).rotate_right(16);
    }
    for i in 0..4 {
        c[at(i, 2)] = c[at(i, 2)].wrapping_add(d[at(i, 3)]);
    }
    for i in 0..4 {
        b[at(i, 1)] = (b[at(i, 1)] ^ c[at(i, 2)]).rotate_right(12);
    }
    for i in 0..4 {
        a[i] = a[i]
            .wrapping_add(word(schedule[2 * i + 1]))
            .wrapping_add(b[at(i, 1)]);
    }
    for i in 0..4 {
        d[at(i, 3)] = (d[at(i, 3)] ^ a[i]).rotate_right(8);
    }
    for i in 0..4 {
        c[at(i, 2)] = c[at(i, 2)].wrapping_add(d[at(i, 3)]);
    }
    for i in 0..4 {
        b[at(i, 1)] = (b[at(i, 1)] ^ c[at(i, 2)]).rotate_right(7);
    }
}

#[allow(clippy::inline_always)] // as for `half`
#[inline(always)]
fn round(v: &mut Rows, schedule: &[u8; 16], word: impl Fn(u8) -> u32) {
    let ([columns, diagonals], []) = schedule.as_chunks() else {
        unreachable!("16 are two times 8")
    };
    half::<0>(v, *columns, &word);
    half::<1>(v, *diagonals, &word);
}

/// All rounds, each with its schedule as a constant.
#[cfg(not(feature = "small"))]
#[allow(clippy::inline_always)] // as for `half`
#[inline(always)]
fn rounds(v: &mut Rows, word: impl Fn(u8) -> u32) {
    round(v, const { &SIGMA[0] }, &word);
    round(v, const { &SIGMA[1] }, &word);
    round(v, const { &SIGMA[2] }, &word);
    round(v, const { &SIGMA[3] }, &word);
    round(v, const { &SIGMA[4] }, &word);
    round(v, const { &SIGMA[5] }, &word);
    round(v, const { &SIGMA[6] }, &word);
    round(v, const { &SIGMA[7] }, &word);
    round(v, const { &SIGMA[8] }, &word);
    round(v, const { &SIGMA[9] }, &word);
}

/// All rounds, in a tenth of the code.
#[cfg(feature = "small")]
fn rounds(v: &mut Rows, word: impl Fn(u8) -> u32) {
    for schedule in &SIGMA {
        round(v, schedule, &word);
    }
}

/// The chain value, and how many bytes are in it. Wiped on drop: after a key's block it is as good as
/// the key.
#[derive(Clone)]
pub(crate) struct Chain {
    h: [u32; 8],
    bytes: u64,
}

impl Chain {
    /// The chain after the block of `key`, for a digest of `digest` bytes.
    pub(crate) fn keyed(key: &[u8; DIGEST], digest: usize) -> Self {
        let mut chain = Chain::unkeyed(digest);
        let mut block = Zeroizing::new(Bytes::<BLOCK>::default());
        block.0[..DIGEST].copy_from_slice(key);
        chain.absorb(&block.0);
        chain
    }

    /// The chain before the block of a key: the parameters, RFC 7693, 2.5.
    fn unkeyed(digest: usize) -> Self {
        let mut h = IV;
        h[0] ^= 0x0101_0000 | (DIGEST as u32) << 8 | digest as u32;
        Chain { h, bytes: 0 }
    }

    /// Takes in a block that is not the last.
    #[inline]
    fn absorb(&mut self, block: &[u8; BLOCK]) {
        self.absorb_all(core::slice::from_ref(block));
    }

    #[inline]
    fn absorb_all(&mut self, blocks: &[[u8; BLOCK]]) {
        for block in blocks {
            self.bytes += BLOCK as u64;
            compress(&mut self.h, block, self.bytes, false);
        }
    }

    /// The digest of what is in the chain and the `used` bytes of `last`, which holds zeros after them.
    pub(crate) fn finish<const N: usize>(&mut self, last: &[u8; BLOCK], used: usize) -> [u8; N] {
        compress(&mut self.h, last, self.bytes + used as u64, true);
        let mut digest = [0; N];
        for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(&self.h) {
            *bytes = word.to_le_bytes();
        }
        digest
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        self.h[..].zeroize();
    }
}

impl ZeroizeOnDrop for Chain {}

/// Takes `block` into `h`; `bytes` are hashed then, this block included.
#[inline(never)]
fn compress(h: &mut [u32; 8], block: &[u8; BLOCK], bytes: u64, last: bool) {
    let ([upper, lower], []) = h.as_chunks() else {
        unreachable!("8 are two times 4")
    };
    let mut v = [
        *upper,
        *lower,
        [IV[0], IV[1], IV[2], IV[3]],
        last_row(bytes, last),
    ];
    let words = block.as_chunks().0;
    rounds(&mut v, |i| u32::from_le_bytes(words[usize::from(i)]));
    for (i, word) in h.iter_mut().enumerate() {
        *word ^= v[i / 4][i % 4] ^ v[2 + i / 4][i % 4];
    }
    // With a block that is known, the rounds run backwards from here to the chain. Where they are a loop, `v`
    // is in memory; where not, in registers and the compiler's own slots, which a wipe does not reach: it
    // would but bring `v` into memory.
    if cfg!(feature = "small") {
        v.as_flattened_mut().zeroize();
    }
}

#[inline]
fn last_row(bytes: u64, last: bool) -> [u32; 4] {
    [
        IV[4] ^ bytes as u32,
        IV[5] ^ (bytes >> 32) as u32,
        IV[6] ^ if last { u32::MAX } else { 0 },
        IV[7],
    ]
}

/// A hash in progress of strings that are joined without a seam. Wiped on drop.
pub(crate) struct Hasher {
    chain: Chain,
    block: Bytes<BLOCK>,
    /// Bytes in `block`, never all: a full block is absorbed at once. Whoever uses this knows that more
    /// will come.
    used: usize,
}

impl Hasher {
    pub(crate) fn new(chain: Chain) -> Self {
        Hasher {
            chain,
            block: Bytes::default(),
            used: 0,
        }
    }

    /// Takes in `data`, which is not the end: at least one byte must follow.
    pub(crate) fn update(&mut self, mut data: &[u8]) {
        if self.used != 0 {
            let take = data.len().min(BLOCK - self.used);
            let (head, rest) = data.split_at(take);
            self.block.0[self.used..][..take].copy_from_slice(head);
            self.used += take;
            if self.used < BLOCK {
                return;
            }
            self.chain.absorb(&self.block.0);
            data = rest;
        }
        let (blocks, rest) = data.as_chunks();
        self.chain.absorb_all(blocks);
        self.block.0[..rest.len()].copy_from_slice(rest);
        self.used = rest.len();
    }

    /// The digest, after the last bytes, of which there is at least one.
    pub(crate) fn finish<const N: usize>(mut self, last: &[u8; 12]) -> [u8; N] {
        // All of them but one, so that the block, if these fill it, is known to be the last or not.
        self.update(&last[..11]);
        self.block.0[self.used] = last[11];
        self.block.0[self.used + 1..].fill(0);
        self.chain.finish(&self.block.0, self.used + 1)
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        self.block.zeroize(); // `chain` wipes itself
    }
}
