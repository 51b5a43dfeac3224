//! Building blocks below the ciphers: the raw state, and the kernels' entry points.
//!
//! Nothing here guards a counter or a nonce. It exists for code that composes constructions out of
//! `ChaCha` (an AEAD, a SIV mode) and takes over the limits itself.

use crate::backend::portable;
use inout::InOutBuf;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bytes in a keystream block.
pub const BLOCK: usize = 64;

/// "expand 32-byte k", the constant words of a 256-bit key.
const SIGMA: [u32; 4] = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

/// The 4 x 4 words from which a block is computed: constants, key, and the last row.
///
/// Kernels treat words 12 and 13 as one little-endian 64-bit counter. That is right for a 96-bit
/// nonce too, whose word 13 belongs to the nonce, as long as no block past number 2^32 - 1 is
/// *used*: word 12 then never carries within the blocks asked for. The caller guarantees it.
#[derive(Clone)]
pub struct State {
    words: [u32; 16],
}

impl State {
    /// A state whose last row is `row`: counter and nonce in the order of the variant, all
    /// little-endian.
    #[inline]
    pub fn new(key: &[u8; 32], row: &[u8; 16]) -> Self {
        let mut words = [0; 16];
        words[..4].copy_from_slice(&SIGMA);
        load_words(&mut words[4..12], key);
        load_words(&mut words[12..], row);
        State { words }
    }

    /// RFC 8439: 32-bit block counter, 96-bit nonce.
    #[inline]
    pub fn ietf(key: &[u8; 32], nonce: &[u8; 12], counter: u32) -> Self {
        let mut row = [0; 16];
        row[..4].copy_from_slice(&counter.to_le_bytes());
        row[4..].copy_from_slice(nonce);
        State::new(key, &row)
    }

    /// The original layout: 64-bit block counter, 64-bit nonce.
    #[inline]
    pub fn legacy(key: &[u8; 32], nonce: &[u8; 8], counter: u64) -> Self {
        let mut row = [0; 16];
        row[..8].copy_from_slice(&counter.to_le_bytes());
        row[8..].copy_from_slice(nonce);
        State::new(key, &row)
    }

    /// The sixteen words, row by row.
    #[inline]
    pub fn words(&self) -> &[u32; 16] {
        &self.words
    }

    /// The four rows: constants, two of key, counter and nonce.
    #[inline]
    pub fn rows(&self) -> [&[u32; 4]; 4] {
        let [a, b, c, d] = self.words.as_chunks().0 else {
            unreachable!("16 words are four rows of 4")
        };
        [a, b, c, d]
    }

    /// Words 12 and 13 as the counter of 64 bits that the kernels take them for.
    #[inline]
    pub fn counter64(&self) -> u64 {
        u64::from(self.words[12]) | u64::from(self.words[13]) << 32
    }

    /// Sets the low 32 bits of the counter.
    #[inline]
    pub fn set_counter32(&mut self, counter: u32) {
        self.words[12] = counter;
    }

    /// Sets all 64 bits of the counter (not for a 96-bit nonce).
    #[inline]
    pub fn set_counter64(&mut self, counter: u64) {
        self.words[12] = counter as u32;
        self.words[13] = (counter >> 32) as u32;
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.words.zeroize();
    }
}

impl ZeroizeOnDrop for State {}

impl crate::Backend {
    /// XORs the keystream that starts at `state`'s counter onto `buf`, of any length. If the last
    /// block is used in part, all 64 bytes of it are left in `last`; otherwise `last` is untouched.
    ///
    /// The state is not advanced. `ROUNDS` is 8, 12 or 20.
    #[inline]
    pub fn xor<const ROUNDS: usize>(
        self,
        state: &State,
        buf: InOutBuf<'_, '_, u8>,
        last: &mut [u8; BLOCK],
    ) {
        self.dispatch::<ROUNDS>(state, buf, last);
    }
}

/// `HChaCha20` (draft-irtf-cfrg-xchacha-03, 2.2): a 32-byte subkey from a key and 16 bytes of nonce.
#[inline]
pub fn hchacha20(key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
    hchacha::<20>(key, input)
}

/// `HChaCha` with 8, 12 or 20 rounds.
#[inline]
pub fn hchacha<const ROUNDS: usize>(key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
    // Latency-bound whatever the vector width: there is one block.
    let mut words = State::new(key, input).words;
    portable::rounds::<ROUNDS>(&mut words);
    let mut subkey = [0; 32];
    store_words(&mut subkey[..16], &words[..4]);
    store_words(&mut subkey[16..], &words[12..]);
    words.zeroize();
    subkey
}

#[inline]
fn load_words(words: &mut [u32], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
}

#[inline]
pub(crate) fn store_words(bytes: &mut [u8], words: &[u32]) {
    for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}

/// The x86 kernels' tokens, and the pieces that a fused kernel is composed of.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub mod x86 {
    pub use crate::backend::x86::*;
}

/// The AArch64 kernels' tokens, and the pieces that a fused kernel is composed of.
#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon"
))]
pub mod aarch64 {
    pub use crate::backend::aarch64::*;
}

/// The kernel over four lanes, for fused kernels on any of its instruction sets.
#[cfg(any(
    target_arch = "x86",
    target_arch = "x86_64",
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
pub mod lanes {
    pub use crate::backend::lanes::{LANES, Lanes, Vertical, xor_bytes};
}
