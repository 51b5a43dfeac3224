//! AVX2: eight lanes of 32 bits.
//!
//! Two layouts. *Vertical*: one register holds the same state word of eight blocks, so that the
//! rounds need no shuffles; for long inputs, sixteen blocks at a time. *Rows*: one register holds a
//! row of the 4 x 4 state of two blocks; for the few blocks of a short input or a tail, where the
//! time of a pass is what counts.
//!
//! On 32 bits there are eight registers, and rows alone: four blocks at a time.
//!
//! What is public here is for fused kernels: they place their own work between double rounds.

mod bytes;
mod rows;
#[cfg(target_arch = "x86_64")]
mod vertical;

pub use bytes::xor_bytes;
pub use rows::Rows;
#[cfg(target_arch = "x86_64")]
pub use vertical::Vertical;

use super::Avx2;
use crate::hazmat::{BLOCK, State};
use inout::InOutBuf;
use zeroize::Zeroize;

/// Bytes that one step of the widest loop takes.
#[cfg(target_arch = "x86_64")]
const WIDE: usize = 16 * BLOCK;

/// XORs the keystream from `state`'s counter on onto `buf`; a block used in part stays in `last`.
#[inline]
pub(crate) fn xor<const ROUNDS: usize>(
    _: Avx2,
    state: &State,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    // SAFETY: the token proves avx2.
    unsafe { xor_inner::<ROUNDS>(state, buf, last) }
}

#[target_feature(enable = "avx2")]
fn xor_inner<const ROUNDS: usize>(
    state: &State,
    mut buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    let mut block = state.counter64();
    #[cfg(target_arch = "x86")]
    while buf.len() > 4 * BLOCK {
        let (now, rest) = buf.split_at(4 * BLOCK);
        xor_rows::<ROUNDS, 2, 4>(state, block, now, last);
        block = block.wrapping_add(4);
        buf = rest;
    }
    #[cfg(target_arch = "x86_64")]
    if buf.len() >= WIDE {
        let mut wide = Vertical::<2>::new(state);
        while buf.len() >= WIDE {
            wide.first_double_round([block, block.wrapping_add(8)]);
            for _ in 1..ROUNDS / 2 {
                wide.double_round();
            }
            let (first, rest) = buf.split_at(WIDE / 2);
            let (second, rest) = rest.split_at(WIDE / 2);
            wide.xor(0, first);
            wide.xor(1, second);
            block = block.wrapping_add(16);
            buf = rest;
        }
    }
    // One to three pairs of rows take the latency of their rounds, four to six spill: calls of 256,
    // 512 and 1024 bytes take 164, 211 and 264 ns (Zen 5).
    match buf.len().div_ceil(BLOCK) {
        0 => {}
        1..=2 => xor_rows::<ROUNDS, 1, 2>(state, block, buf, last),
        #[cfg(target_arch = "x86")]
        _ => xor_rows::<ROUNDS, 2, 4>(state, block, buf, last),
        #[cfg(target_arch = "x86_64")]
        3..=4 => xor_rows::<ROUNDS, 2, 4>(state, block, buf, last),
        #[cfg(target_arch = "x86_64")]
        5..=6 => xor_rows::<ROUNDS, 3, 6>(state, block, buf, last),
        #[cfg(target_arch = "x86_64")]
        7..=8 => xor_rows::<ROUNDS, 4, 8>(state, block, buf, last),
        #[cfg(target_arch = "x86_64")]
        9..=10 => xor_rows::<ROUNDS, 5, 10>(state, block, buf, last),
        #[cfg(target_arch = "x86_64")]
        11..=12 => xor_rows::<ROUNDS, 6, 12>(state, block, buf, last),
        #[cfg(target_arch = "x86_64")]
        _ => xor_vertical::<ROUNDS, 2, 16>(state, block, buf, last),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor_rows<const ROUNDS: usize, const PAIRS: usize, const BLOCKS: usize>(
    state: &State,
    block: u64,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    let mut rows = Rows::<PAIRS>::new(state, block);
    for _ in 0..ROUNDS / 2 {
        rows.double_round();
    }
    let mut keystream = [[0; BLOCK]; BLOCKS];
    rows.keystream(&mut keystream);
    xor_tail(buf, &keystream, last);
    keystream.as_flattened_mut().zeroize();
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn xor_vertical<const ROUNDS: usize, const GROUPS: usize, const BLOCKS: usize>(
    state: &State,
    block: u64,
    buf: InOutBuf<'_, '_, u8>,
    last: &mut [u8; BLOCK],
) {
    let mut vertical = Vertical::<GROUPS>::new(state);
    vertical.first_double_round(core::array::from_fn(|group| {
        block.wrapping_add(8 * group as u64)
    }));
    for _ in 1..ROUNDS / 2 {
        vertical.double_round();
    }
    let mut keystream = [[0; BLOCK]; BLOCKS];
    let (groups, _) = keystream.as_chunks_mut::<8>();
    for (group, keystream) in groups.iter_mut().enumerate() {
        vertical.keystream(group, keystream);
    }
    xor_tail(buf, &keystream, last);
    keystream.as_flattened_mut().zeroize();
}

/// The end of an input, at most as long as `keystream`.
#[inline]
#[target_feature(enable = "avx2")]
fn xor_tail(buf: InOutBuf<'_, '_, u8>, keystream: &[[u8; BLOCK]], last: &mut [u8; BLOCK]) {
    let len = buf.len();
    xor_bytes(buf, keystream.as_flattened());
    if !len.is_multiple_of(BLOCK) {
        *last = keystream[len / BLOCK];
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::backend::portable;

    /// 0 ..= 2100: every tail of 0 to 16 blocks after no, one and two wide steps. The counters put
    /// the carry into word 13 in each lane of each group.
    fn agrees<const ROUNDS: usize>(token: Avx2) {
        let key = core::array::from_fn(|i| i as u8);
        let input: [u8; 2100] = core::array::from_fn(|i| (7 * i + 3) as u8);
        for (run, first) in (0xffff_ffe0..=0xffff_ffff_u64)
            .chain([0, u64::MAX, u64::MAX - 20])
            .enumerate()
        {
            let state = State::legacy(&key, b"\x17\xcf\xdb\x3a\x00\x00\x00\x00", first);
            // One length per counter is enough for the carry; all lengths once.
            let step = if run == 0 { 1 } else { 97 };
            for len in (run % step..=input.len()).step_by(step) {
                let (mut expected, mut expected_last) = ([0; 2100], [0xaa; BLOCK]);
                let (mut two, mut two_last) = ([0x55; 2100], [0xaa; BLOCK]);
                let (mut one, mut one_last) = (input, [0xaa; BLOCK]);
                let pair = |out| InOutBuf::new(&input[..len], out).expect("equal lengths");
                portable::xor::<ROUNDS>(&state, pair(&mut expected[..len]), &mut expected_last);
                xor::<ROUNDS>(token, &state, pair(&mut two[..len]), &mut two_last);
                xor::<ROUNDS>(token, &state, (&mut one[..len]).into(), &mut one_last);
                assert!(
                    one[..len] == expected[..len],
                    "{ROUNDS}: {len} at {first:#x}"
                );
                assert!(
                    two[..len] == expected[..len],
                    "{ROUNDS}: {len} at {first:#x}"
                );
                assert_eq!((one_last, two_last), (expected_last, expected_last));
                assert!(one[len..] == input[len..] && two[len..].iter().all(|b| *b == 0x55));
            }
        }
    }

    #[test]
    fn agrees_with_portable() {
        let Some(token) = Avx2::detect() else {
            std::println!("skipped: avx2");
            return;
        };
        agrees::<8>(token);
        agrees::<12>(token);
        agrees::<20>(token);
    }
}
