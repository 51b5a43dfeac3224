//! Four lanes of 32 bits: the kernel of every machine whose vectors have 128 bits.
//!
//! Vertical: vector i holds state word i of four blocks, one per lane, so that the rounds need no
//! shuffles. Where registers allow, groups of four blocks advance side by side and fill each other's
//! latencies. The algorithm stands here once; an instruction set gives it a vector type, four
//! rotations and a transpose.
//!
//! What is public here is for fused kernels: they place their own work between half rounds.
#![allow(clippy::inline_always)] // the features of the kernel are enabled in its entry alone

use super::short::xor_short;
use crate::hazmat::{BLOCK, State};
use inout::InOutBuf;
use zeroize::Zeroize;

/// Blocks in a group.
pub const LANES: usize = 4;

/// An instruction set with vectors of four 32-bit lanes. Holding a value proves that the machine has
/// it; there is no way to one but a token.
///
/// All methods are inlined into a function that enables the features, and are calls elsewhere.
pub trait Lanes: sealed::Sealed + Copy {
    /// Four lanes. In bytes, each is little-endian.
    type Vector: Copy;

    /// One word in all lanes.
    fn splat(self, word: u32) -> Self::Vector;
    /// A word for each lane.
    fn words(self, words: [u32; 4]) -> Self::Vector;
    /// From memory, at any alignment.
    fn load(self, bytes: &[u8; 16]) -> Self::Vector;
    /// To memory, at any alignment.
    fn store(self, bytes: &mut [u8; 16], x: Self::Vector);
    /// Lane by lane, modulo 2^32.
    fn add(self, x: Self::Vector, y: Self::Vector) -> Self::Vector;
    /// Bit by bit.
    fn xor(self, x: Self::Vector, y: Self::Vector) -> Self::Vector;
    /// Each lane left by 16.
    fn rotate_16(self, x: Self::Vector) -> Self::Vector;
    /// Each lane left by 12.
    fn rotate_12(self, x: Self::Vector) -> Self::Vector;
    /// Each lane left by 8.
    fn rotate_8(self, x: Self::Vector) -> Self::Vector;
    /// Each lane left by 7.
    fn rotate_7(self, x: Self::Vector) -> Self::Vector;
    /// Lane j of vector i becomes lane i of vector j.
    fn transpose(self, rows: [Self::Vector; 4]) -> [Self::Vector; 4];
}

pub(super) mod sealed {
    pub trait Sealed {}
}

/// The states of `GROUPS` groups of four blocks.
pub struct Vertical<L: Lanes, const GROUPS: usize> {
    lanes: L,
    words: [[L::Vector; 16]; GROUPS],
    input: Input,
    counters: [Counters; GROUPS],
}

/// The vectors that are added at the end, without the counters: in memory, as the rounds need all
/// registers, and so wiped on drop.
struct Input([[u8; 16]; 16]);

/// Words 12 and 13 of a group.
struct Counters([[u8; 16]; 2]);

impl<L: Lanes, const GROUPS: usize> Vertical<L, GROUPS> {
    /// The state in all lanes.
    #[inline(always)]
    pub fn new(lanes: L, state: &State) -> Self {
        let mut input = Input([[0; 16]; 16]);
        for (bytes, word) in input.0.iter_mut().zip(state.words()) {
            lanes.store(bytes, lanes.splat(*word));
        }
        Vertical {
            lanes,
            words: [[lanes.splat(0); 16]; GROUPS],
            input,
            counters: [const { Counters([[0; 16]; 2]) }; GROUPS],
        }
    }

    /// Begins a pass over the blocks of these numbers, which need not be neighbours.
    #[inline(always)]
    pub fn begin(&mut self, blocks: [[u64; LANES]; GROUPS]) {
        let lanes = self.lanes;
        for (group, blocks) in blocks.into_iter().enumerate() {
            let words = &mut self.words[group];
            for (word, input) in words.iter_mut().zip(&self.input.0) {
                *word = lanes.load(input);
            }
            // Counted in 64 bits before they become lanes: the carry is right.
            words[12] = lanes.words(blocks.map(|block| block as u32));
            words[13] = lanes.words(blocks.map(|block| (block >> 32) as u32));
            let [low, high] = &mut self.counters[group].0;
            lanes.store(low, words[12]);
            lanes.store(high, words[13]);
        }
    }

    /// Begins a pass over consecutive blocks.
    #[inline(always)]
    pub fn begin_at(&mut self, block: u64) {
        self.begin(core::array::from_fn(|group| {
            core::array::from_fn(|lane| block.wrapping_add((LANES * group + lane) as u64))
        }));
    }

    /// A column round and a diagonal round of all groups.
    #[inline(always)]
    pub fn double_round(&mut self) {
        for group in 0..GROUPS {
            self.column_round(group);
        }
        for group in 0..GROUPS {
            self.diagonal_round(group);
        }
    }

    /// Half of a double round, of one group. A fused kernel places its own work between the halves.
    #[inline(always)]
    pub fn column_round(&mut self, group: usize) {
        let words = &mut self.words[group];
        quarter_rounds(self.lanes, words, [[0, 4, 8, 12], [1, 5, 9, 13]]);
        quarter_rounds(self.lanes, words, [[2, 6, 10, 14], [3, 7, 11, 15]]);
    }

    /// The other half.
    #[inline(always)]
    pub fn diagonal_round(&mut self, group: usize) {
        let words = &mut self.words[group];
        quarter_rounds(self.lanes, words, [[0, 5, 10, 15], [1, 6, 11, 12]]);
        quarter_rounds(self.lanes, words, [[2, 7, 8, 13], [3, 4, 9, 14]]);
    }

    /// Adds the input and writes a group's four blocks in order.
    #[inline(always)]
    pub fn keystream(&self, group: usize, keystream: &mut [[u8; BLOCK]; LANES]) {
        for row in 0..4 {
            let pieces = self.row(group, row);
            for (block, piece) in keystream.iter_mut().zip(pieces) {
                self.lanes.store(&mut block.as_chunks_mut().0[row], piece);
            }
        }
    }

    /// Adds the input and XORs a group's four blocks onto two and two blocks of bytes.
    ///
    /// # Panics
    /// If either is not 128 bytes long.
    #[inline(always)]
    pub fn xor(&self, group: usize, mut bufs: [InOutBuf<'_, '_, u8>; 2]) {
        for buf in &bufs {
            assert!(buf.len() == BLOCK * LANES / 2);
        }
        for row in 0..4 {
            let pieces = self.row(group, row);
            for (buf, pieces) in bufs.iter_mut().zip(pieces.as_chunks::<2>().0) {
                for (block, piece) in pieces.iter().enumerate() {
                    xor16(self.lanes, buf, BLOCK * block + 16 * row, *piece);
                }
            }
        }
    }

    /// Words 4 * row .. 4 * row + 4 of each block of a group, as the bytes of the keystream.
    #[inline(always)]
    fn row(&self, group: usize, row: usize) -> [L::Vector; LANES] {
        let lanes = self.lanes;
        lanes.transpose(core::array::from_fn(|i| {
            let input = match 4 * row + i {
                12 => &self.counters[group].0[0],
                13 => &self.counters[group].0[1],
                word => &self.input.0[word],
            };
            lanes.add(self.words[group][4 * row + i], lanes.load(input))
        }))
    }
}

/// Two quarter rounds side by side, each on the words of its indices.
#[inline(always)]
fn quarter_rounds<L: Lanes>(lanes: L, words: &mut [L::Vector; 16], on: [[usize; 4]; 2]) {
    /// x <- x + y, then z <- (z ^ x) <<< n.
    macro_rules! step {
        ($x:literal, $y:literal, $z:literal, $rotate:ident) => {
            for at in on {
                words[at[$x]] = lanes.add(words[at[$x]], words[at[$y]]);
            }
            for at in on {
                words[at[$z]] = lanes.$rotate(lanes.xor(words[at[$z]], words[at[$x]]));
            }
        };
    }
    step!(0, 1, 3, rotate_16);
    step!(2, 3, 1, rotate_12);
    step!(0, 1, 3, rotate_8);
    step!(2, 3, 1, rotate_7);
}

/// XORs the keystream from `state`'s counter on onto `buf`; a block used in part stays in `last`.
#[inline(always)]
pub(crate) fn xor<L: Lanes, const ROUNDS: usize, const GROUPS: usize>(
    lanes: L,
    state: &State,
    mut buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    let mut block = state.counter64();
    // What one group can do is left to one group.
    if buf.len() > LANES * BLOCK * (GROUPS - 1) {
        let mut pass = Vertical::<L, GROUPS>::new(lanes, state);
        while buf.len() > LANES * BLOCK * (GROUPS - 1) {
            pass.begin_at(block);
            for _ in 0..ROUNDS / 2 {
                pass.double_round();
            }
            if buf.len() < LANES * BLOCK * GROUPS {
                let mut keystream = [[[0; BLOCK]; LANES]; GROUPS];
                for (group, keystream) in keystream.iter_mut().enumerate() {
                    pass.keystream(group, keystream);
                }
                xor_tail(lanes, buf, keystream.as_flattened(), last);
                keystream.as_flattened_mut().as_flattened_mut().zeroize();
                return;
            }
            for group in 0..GROUPS {
                let (first, rest) = buf.split_at(LANES * BLOCK / 2);
                let (second, rest) = rest.split_at(LANES * BLOCK / 2);
                pass.xor(group, [first, second]);
                buf = rest;
            }
            block = block.wrapping_add((LANES * GROUPS) as u64);
        }
    }
    if GROUPS > 1 && !buf.is_empty() {
        let mut keystream = [[0; BLOCK]; LANES];
        let mut pass = Vertical::<L, 1>::new(lanes, state);
        pass.begin_at(block);
        for _ in 0..ROUNDS / 2 {
            pass.double_round();
        }
        pass.keystream(0, &mut keystream);
        xor_tail(lanes, buf, &keystream, last);
        keystream.as_flattened_mut().zeroize();
    }
}

/// The end of an input, at most as long as `keystream`.
#[inline(always)]
fn xor_tail<L: Lanes>(
    lanes: L,
    buf: InOutBuf<'_, '_, u8>,
    keystream: &[[u8; BLOCK]],
    last: &mut [u8; BLOCK],
) {
    let len = buf.len();
    xor_bytes(lanes, buf, keystream.as_flattened());
    if !len.is_multiple_of(BLOCK) {
        *last = keystream[len / BLOCK];
    }
}

/// XORs the start of `keystream` onto all of `buf`, without a loop over bytes.
///
/// # Panics
/// If `keystream` is shorter than `buf`.
#[inline(always)]
pub fn xor_bytes<L: Lanes>(lanes: L, mut buf: InOutBuf<'_, '_, u8>, keystream: &[u8]) {
    let keystream = &keystream[..buf.len()];
    let (pieces, rest) = keystream.as_chunks::<16>();
    for (i, piece) in pieces.iter().enumerate() {
        xor16(lanes, &mut buf, 16 * i, lanes.load(piece));
    }
    let (_, buf) = buf.split_at(16 * pieces.len());
    xor_short(buf, rest);
}

/// XORs `keystream` onto 16 bytes of `buf` from `at` on.
#[inline(always)]
fn xor16<L: Lanes>(lanes: L, buf: &mut InOutBuf<'_, '_, u8>, at: usize, keystream: L::Vector) {
    let input = buf.get_in()[at..].first_chunk().expect("16 bytes at `at`");
    let x = lanes.xor(lanes.load(input), keystream);
    let output = buf.get_out()[at..].first_chunk_mut();
    lanes.store(output.expect("16 bytes at `at`"), x);
}

impl Drop for Input {
    #[inline]
    fn drop(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::backend::portable;

    /// Blocks that are no neighbours, as a fused kernel asks for them: the counter of each lane is its own,
    /// in all 64 bits. And the two halves of a group go to two places.
    fn scattered<L: Lanes>(lanes: L) {
        let key = core::array::from_fn(|i| i as u8);
        let mut state = State::legacy(&key, b"8 bytes!", 0);
        let blocks = [
            [5, 0xffff_ffff, 1 << 32, u64::MAX],
            [7, 6, 0x1_0000_0006, 0x89ab_cdef_0123_4567],
        ];
        let mut pass = Vertical::<L, 2>::new(lanes, &state);
        pass.begin(blocks);
        for _ in 0..10 {
            pass.double_round();
        }
        for (group, blocks) in blocks.into_iter().enumerate() {
            let mut expected = [[0; BLOCK]; LANES];
            for (expected, block) in expected.iter_mut().zip(blocks) {
                state.set_counter64(block);
                portable::block::<20>(&state, expected);
            }
            let mut keystream = [[0; BLOCK]; LANES];
            pass.keystream(group, &mut keystream);
            assert_eq!(keystream, expected);

            let (mut a, mut b) = ([0xa5; 2 * BLOCK], [0x5a; 2 * BLOCK]);
            pass.xor(group, [(&mut a[..]).into(), (&mut b[..]).into()]);
            let [first, second] = [&expected[..2], &expected[2..]].map(<[_]>::as_flattened);
            assert!(a.iter().zip(first).all(|(x, k)| x ^ k == 0xa5));
            assert!(b.iter().zip(second).all(|(x, k)| x ^ k == 0x5a));
        }
    }

    #[test]
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    fn blocks_need_not_be_neighbours() {
        use crate::backend::x86::{Sse2, Ssse3, ssse3::Shuffles};

        match Sse2::detect() {
            Some(token) => scattered(token),
            None => std::println!("skipped: sse2"),
        }
        match Ssse3::detect() {
            Some(token) => scattered(Shuffles::new(token)),
            None => std::println!("skipped: ssse3"),
        }
    }

    #[test]
    #[cfg(target_arch = "aarch64")]
    fn blocks_need_not_be_neighbours() {
        use crate::backend::aarch64::{Neon, neon::Table};

        scattered(Table::new(Neon::detect().expect("a build with NEON")));
    }
}
