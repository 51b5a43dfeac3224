//! Groups of four, hashed side by side.

use super::Message;
use crate::{
    Iv, Siv,
    blake2s::{
        BLOCK, Chain,
        lanes::{Blocks, Chains, LANES},
    },
    siv::lengths,
};
use ss55_chacha_simd::hazmat::State;
use zeroize::Zeroizing;

impl<const N: usize> Siv<N> {
    /// Seals messages whose lengths were checked.
    pub(super) fn seal_in_lanes(&self, messages: &mut [Message<'_>], ivs: &mut [Iv<N>]) {
        for (messages, ivs) in messages.chunks_mut(LANES).zip(ivs.chunks_mut(LANES)) {
            self.seal_group(messages, ivs);
        }
    }

    /// One to four messages.
    fn seal_group(&self, messages: &mut [Message<'_>], ivs: &mut [Iv<N>]) {
        let mut digests = [[0; N]; LANES];
        hash_side_by_side(&self.mac, messages, &mut digests);
        for (iv, digest) in ivs.iter_mut().zip(digests) {
            *iv = digest.into();
        }

        let mut inputs = [[0; BLOCK]; LANES];
        let mut used = 0;
        for ((input, message), iv) in inputs.iter_mut().zip(&*messages).zip(&*ivs) {
            used = Self::subkey_input(input, &message.nonce, iv);
        }
        let mut chains = Chains::new([&self.enc; LANES]);
        chains.absorb(&Blocks {
            blocks: inputs.each_ref(),
            used: [used; LANES],
            last: [true; LANES],
        });
        for (lane, message) in messages.iter_mut().enumerate() {
            let subkey = Zeroizing::new(chains.lane(lane).digest());
            let state = State::ietf(&subkey, &message.nonce, 0);
            self.xor(&state, (&mut *message.buf).into());
        }
    }
}

/// The digest of each message, from the chain of the key on.
fn hash_side_by_side<const N: usize>(
    chain: &Chain,
    messages: &[Message<'_>],
    digests: &mut [[u8; N]; LANES],
) {
    let lengths: [_; LANES] = core::array::from_fn(|lane| {
        messages.get(lane).map_or([0; 16], |message| {
            lengths(message.buf.len(), message.ad.len())
        })
    });
    let inputs: [_; LANES] = core::array::from_fn(|lane| match messages.get(lane) {
        None => Input([&[]; 4]),
        Some(message) => Input([&lengths[lane], message.buf, message.ad, &message.nonce]),
    });
    let lens = inputs.each_ref().map(Input::len);
    let mut scratch = Zeroizing::new([[0; BLOCK]; LANES]);
    let mut chains = Chains::new([chain; LANES]);
    let mut number = 0;
    loop {
        let start = number * BLOCK;
        let left = lens.map(|len| len.saturating_sub(start));
        let is_last = left.map(|left| (1..=BLOCK).contains(&left));
        let mut scratch = scratch.iter_mut();
        let blocks = inputs
            .each_ref()
            .map(|input| input.block(start, scratch.next().expect("one for each lane")));
        chains.absorb(&Blocks {
            blocks,
            used: left.map(|left| left.min(BLOCK)),
            last: is_last,
        });
        for lane in (0..LANES).filter(|lane| is_last[*lane]) {
            // Afterwards the lane runs empty.
            digests[lane] = chains.lane(lane).digest();
        }
        number += 1;
        let mut going = (0..LANES).filter(|lane| left[*lane] > BLOCK);
        match (going.next(), going.next()) {
            (None, _) => return,
            // Alone it is faster without the others' lanes.
            (Some(lane), None) => {
                digests[lane] = inputs[lane].finish(chains.lane(lane), number * BLOCK);
                return;
            }
            _ => {}
        }
    }
}

/// What is hashed: strings that are joined without a seam.
struct Input<'a>([&'a [u8]; 4]);

impl Input<'_> {
    fn len(&self) -> usize {
        self.0.iter().map(|part| part.len()).sum()
    }

    /// The block that begins at `start`, with zeros behind the end: itself where it lies in one string,
    /// else put together in `scratch`.
    fn block<'a>(&'a self, start: usize, scratch: &'a mut [u8; BLOCK]) -> &'a [u8; BLOCK] {
        scratch.fill(0);
        let (mut begin, mut filled) = (0, 0);
        for part in self.0 {
            // Where the next byte wanted lies in this string, if it does.
            let rest = (start + filled)
                .checked_sub(begin)
                .and_then(|at| part.get(at..));
            begin += part.len();
            let Some(rest) = rest else { continue };
            if filled == 0
                && let Some(block) = rest.first_chunk()
            {
                return block;
            }
            let take = rest.len().min(BLOCK - filled);
            scratch[filled..][..take].copy_from_slice(&rest[..take]);
            filled += take;
        }
        scratch
    }

    /// The digest, where all before `start` is in the chain.
    fn finish<const N: usize>(&self, mut chain: Chain, mut start: usize) -> [u8; N] {
        let len = self.len();
        let mut scratch = Zeroizing::new([0; BLOCK]);
        while len - start > BLOCK {
            chain.absorb(self.block(start, &mut scratch));
            start += BLOCK;
        }
        chain.finish(self.block(start, &mut scratch), len - start)
    }
}
