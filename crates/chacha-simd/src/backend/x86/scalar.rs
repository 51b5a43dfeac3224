//! One block in scalar registers, to run beside a pass of vectors.
#![allow(clippy::inline_always)] // a call would put sixteen words into memory, twice a double round

use crate::{
    backend::portable,
    hazmat::{BLOCK, State, store_words},
};

/// The words of one block. Meant for registers, and so without a drop that would give it an address.
#[derive(Clone, Copy)]
pub struct ScalarBlock {
    words: [u32; 16],
}

impl ScalarBlock {
    /// The input of the block that `state` counts to.
    #[inline]
    pub fn new(state: &State) -> Self {
        ScalarBlock {
            words: *state.words(),
        }
    }

    /// Half of a double round.
    #[inline(always)]
    pub fn column_round(&mut self) {
        let w = &mut self.words;
        portable::quarter_round(w, 0, 4, 8, 12);
        portable::quarter_round(w, 1, 5, 9, 13);
        portable::quarter_round(w, 2, 6, 10, 14);
        portable::quarter_round(w, 3, 7, 11, 15);
        w[4] = scalar(w[4]);
    }

    /// The other half.
    #[inline(always)]
    pub fn diagonal_round(&mut self) {
        let w = &mut self.words;
        portable::quarter_round(w, 0, 5, 10, 15);
        portable::quarter_round(w, 1, 6, 11, 12);
        portable::quarter_round(w, 2, 7, 8, 13);
        portable::quarter_round(w, 3, 4, 9, 14);
        w[5] = scalar(w[5]);
    }

    /// Adds the input and writes the block.
    #[inline]
    pub fn keystream(self, state: &State, keystream: &mut [u8; BLOCK]) {
        let mut words = self.words;
        for (word, input) in words.iter_mut().zip(state.words()) {
            *word = word.wrapping_add(*input);
        }
        store_words(keystream, &words);
    }
}

/// Keeps a word in a scalar register. LLVM would make vectors of four quarter rounds side by side, in
/// the units that have no time to spare; a block alone took it 972 instead of 269 cycles (Zen 5, with
/// two words of each quarter round kept). Whether one word in each half round is enough depends on
/// what stands around it: count the rotate instructions.
#[inline(always)]
fn scalar(mut word: u32) -> u32 {
    // SAFETY: a comment; it changes nothing.
    unsafe {
        core::arch::asm!("/* {0:e} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
    }
    word
}
