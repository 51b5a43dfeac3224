//! One block at a time in plain words: the reference for every other backend.
//!
//! RFC 8439, 2.3: ten (four, six) double rounds over sixteen 32-bit words, then the input words are
//! added and the sum is written little-endian.

use crate::hazmat::{BLOCK, State, store_words};
use inout::InOutBuf;
use zeroize::Zeroize;

/// XORs the keystream from `state`'s counter on onto `buf`; a block used in part stays in `last`.
pub(crate) fn xor<const ROUNDS: usize>(
    state: &State,
    mut buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    let mut state = state.clone();
    let mut counter = state.counter64();
    let mut keystream = [0; BLOCK];
    while !buf.is_empty() {
        let take = buf.len().min(BLOCK);
        let (mut head, rest) = buf.split_at(take);
        block::<ROUNDS>(&state, &mut keystream);
        head.xor_in2out(&keystream[..take]);
        if take < BLOCK {
            last.copy_from_slice(&keystream);
        }
        counter = counter.wrapping_add(1);
        state.set_counter64(counter);
        buf = rest;
    }
    keystream.zeroize();
}

/// One keystream block.
pub(crate) fn block<const ROUNDS: usize>(state: &State, out: &mut [u8; BLOCK]) {
    let input = state.words();
    let mut words = *input;
    rounds::<ROUNDS>(&mut words);
    for (word, input) in words.iter_mut().zip(input) {
        *word = word.wrapping_add(*input);
    }
    store_words(out, &words);
    words.zeroize();
}

/// The permutation, `ROUNDS / 2` times a column round and a diagonal round.
#[inline]
pub(crate) fn rounds<const ROUNDS: usize>(w: &mut [u32; 16]) {
    const { assert!(ROUNDS == 8 || ROUNDS == 12 || ROUNDS == 20) };
    for _ in 0..ROUNDS / 2 {
        quarter_round(w, 0, 4, 8, 12);
        quarter_round(w, 1, 5, 9, 13);
        quarter_round(w, 2, 6, 10, 14);
        quarter_round(w, 3, 7, 11, 15);
        quarter_round(w, 0, 5, 10, 15);
        quarter_round(w, 1, 6, 11, 12);
        quarter_round(w, 2, 7, 8, 13);
        quarter_round(w, 3, 4, 9, 14);
    }
}

#[allow(clippy::inline_always)] // for the users that keep the words in registers
#[inline(always)]
pub(crate) fn quarter_round(w: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    w[a] = w[a].wrapping_add(w[b]);
    w[d] = (w[d] ^ w[a]).rotate_left(16);
    w[c] = w[c].wrapping_add(w[d]);
    w[b] = (w[b] ^ w[c]).rotate_left(12);
    w[a] = w[a].wrapping_add(w[b]);
    w[d] = (w[d] ^ w[a]).rotate_left(8);
    w[c] = w[c].wrapping_add(w[d]);
    w[b] = (w[b] ^ w[c]).rotate_left(7);
}
