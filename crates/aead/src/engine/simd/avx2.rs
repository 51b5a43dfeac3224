//! ChaCha20-Poly1305 on AVX2: the cipher in vectors, and between its double rounds the MAC in scalar
//! registers, where it costs next to nothing.
//!
//! A message that fits a pass of up to seventeen keystream blocks, the one-time key's included, is
//! one pass. A longer one is cut
//!
//! ```text
//! head (to block 16) | A (512 q) | B (512 q) | tail (< 1024)
//! ```
//!
//! and goes through a pass for the head, q steps that each take 512 bytes from the front of A and
//! from the front of B, and a pass for the tail. Two chains of the MAC run over A and B at once; with
//! k = 32 q blocks in B, (chain A) r^k + (chain B) joins them. Sealing hashes what the step before
//! has written, opening what the step is about to overwrite.
#![allow(unsafe_code)]

mod mac;
mod pass;

use super::{Head, OPEN, SEAL};
use crate::{Tag, engine::lengths};
use inout::InOutBuf;
use mac::{Mac, MacBlock, Part, Power, Run};
use pass::{BLOCK, Keystream, PASS, STEP, Step};
use ss55_chacha_simd::hazmat::{State, x86 as chacha, x86::avx2::xor_bytes};
use ss55_poly1305::hazmat::x86 as poly1305;

/// Proves what both kernels need: the features `avx2` and `bmi2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    _chacha: chacha::Avx2,
    _poly1305: poly1305::Avx2,
}

impl Token {
    /// The engine, on a machine that has the features.
    pub(super) fn detect() -> Option<Self> {
        Some(Token {
            _chacha: chacha::Avx2::detect()?,
            _poly1305: poly1305::Avx2::detect()?,
        })
    }
}

/// [`Fused::crypt`](super::Fused::crypt), by right of the tokens.
#[inline]
pub(super) fn crypt<const DIRECTION: bool>(
    _: Token,
    key: &[u8; 32],
    nonce: &[u8; 12],
    head: &mut Head<'_>,
    buf: InOutBuf<'_, '_, u8>,
) -> Tag {
    // SAFETY: the tokens prove avx2 and bmi2.
    unsafe { crypt_inner::<DIRECTION>(key, nonce, head, buf) }
}

#[target_feature(enable = "avx2,bmi2")]
fn crypt_inner<const DIRECTION: bool>(
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
    let mut keystream = Keystream::new();
    keystream.fill_first(&state, blocks.min(PASS));

    let mut mac = Mac::new(&keystream.blocks()[0]);
    match head {
        Head::Aead(aad) => mac.absorb_aad(*aad),
        Head::Secretstream(ad, frame_tag) => {
            mac.absorb_aad((*ad).into());
            let block = &mut keystream.blocks_mut()[1];
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
    }

    let part = if blocks > PASS {
        long::<DIRECTION>(&state, &keystream, before, &mut mac, buf)
    } else {
        let keystream = &keystream.blocks().as_flattened()[BLOCK * before..];
        if DIRECTION == OPEN {
            let part = mac.absorb_bytes(buf.get_in());
            xor_bytes(buf, keystream);
            part
        } else {
            xor_bytes(buf.reborrow(), keystream);
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
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn long<const DIRECTION: bool>(
    state: &State,
    keystream: &Keystream,
    before: usize,
    mac: &mut Mac,
    buf: InOutBuf<'_, '_, u8>,
) -> Part {
    let (mut head, rest) = buf.split_at(BLOCK * (PASS - before));
    let head_keystream = &keystream.blocks().as_flattened()[BLOCK * before..];
    let steps = rest.len() / STEP;
    let (body, mut tail) = rest.split_at(STEP * steps);
    let mut power = Power::new(mac, steps);

    // Sealing hashes the head under the next pass; opening decrypts it after that.
    if DIRECTION == SEAL {
        xor_bytes(head.reborrow(), head_keystream);
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
        let mut step = Step::new(state);
        let mut counters = [PASS, PASS + STEP / 2 / BLOCK * steps].map(|block| block as u64);
        let (mut a, mut b) = body.split_at(STEP / 2 * steps);
        for _ in 0..steps {
            let (mut now_a, rest_a) = a.split_at(STEP / 2);
            let (mut now_b, rest_b) = b.split_at(STEP / 2);
            (a, b) = (rest_a, rest_b);
            if DIRECTION == OPEN {
                let now = Run::pair(mac_blocks(now_a.get_in()), mac_blocks(now_b.get_in()));
                step.rounds(counters, mac, [pending, now]);
                step.xor(now_a, now_b);
                pending = Run::NOTHING;
            } else {
                step.rounds(counters, mac, [pending, Run::NOTHING]);
                step.xor(now_a.reborrow(), now_b.reborrow());
                pending = Run::pair(mac_blocks(now_a.into_out()), mac_blocks(now_b.into_out()));
            }
            counters = counters.map(|block| block.wrapping_add((STEP / 2 / BLOCK) as u64));
            power.advance();
        }
        pending.join_with(power.finish());
        if DIRECTION == OPEN {
            mac.absorb_run(pending);
            pending = Run::NOTHING;
        }
    }

    let mut tail_keystream = Keystream::new();
    let block = (PASS + STEP / BLOCK * steps) as u64;
    let part;
    if DIRECTION == OPEN {
        let (whole, rest) = tail.get_in().as_chunks();
        part = Part::of(rest);
        let now = Run::of(mac, whole);
        let blocks = tail.len().div_ceil(BLOCK);
        tail_keystream.fill(state, block, blocks, mac, [pending, now]);
        xor_bytes(head, head_keystream);
        xor_bytes(tail, tail_keystream.blocks().as_flattened());
    } else {
        let blocks = tail.len().div_ceil(BLOCK);
        tail_keystream.fill(state, block, blocks, mac, [pending, Run::NOTHING]);
        xor_bytes(tail.reborrow(), tail_keystream.blocks().as_flattened());
        part = mac.absorb_bytes(tail.get_out());
    }
    part
}

fn mac_blocks(bytes: &[u8]) -> &[MacBlock] {
    let (blocks, rest) = bytes.as_chunks();
    debug_assert!(rest.is_empty());
    blocks
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::{Aad, Engine, PortableEngine, SimdEngine};

    const KEY: [u8; 32] = [0x91; 32];
    const NONCE: [u8; 12] = *b"twelve bytes";
    /// The head (1024 or 960), one step (1024) and all of a tail.
    const LONGEST: usize = 2100;

    fn engine() -> Option<SimdEngine> {
        let engine = SimdEngine::by_name("avx2");
        if engine.is_none() {
            std::println!("skipped: avx2");
        }
        engine
    }

    /// Lengths of additional data: none, parts of a block, blocks, two chains' worth.
    const ADS: [usize; 7] = [0, 1, 16, 21, 40, 384, 700];

    fn check(engine: SimdEngine, message: &[u8], prefix: &[u8], ad: &[u8]) {
        let len = message.len();
        let case = std::format!("{len} bytes, ad {} + {}", prefix.len(), ad.len());
        let aad = Aad { prefix, ad };
        let expected = &mut *std::vec![0; len];
        let tag = PortableEngine.seal_to(&KEY, &NONCE, aad, message, expected);

        let mut one = std::vec![0; len + 256];
        let (one, after) = one.split_at_mut(len);
        let two = &mut *std::vec![0x55; len];
        one.copy_from_slice(message);
        assert_eq!(engine.seal_in_place(&KEY, &NONCE, aad, one), tag, "{case}");
        assert_eq!(
            engine.seal_to(&KEY, &NONCE, aad, message, two),
            tag,
            "{case}"
        );
        assert!(one == expected && two == expected, "{case}");
        engine
            .open_to(&KEY, &NONCE, aad, expected, two, &tag)
            .expect(&case);
        engine
            .open_in_place(&KEY, &NONCE, aad, one, &tag)
            .expect(&case);
        assert!(one == message && two == message, "{case}");

        let mut wrong: [u8; 16] = tag.into();
        wrong[len % 16] ^= 0x40;
        let wrong = wrong.into();
        one.copy_from_slice(expected);
        assert!(
            engine
                .open_in_place(&KEY, &NONCE, aad, one, &wrong)
                .is_err()
        );
        assert!(
            engine
                .open_to(&KEY, &NONCE, aad, expected, two, &wrong)
                .is_err()
        );
        assert!(one.iter().chain(&*two).all(|byte| *byte == 0), "{case}");

        let (mut sent, mut sent_too, mut sent_here) = (3, 3, 3);
        let mac = PortableEngine.secretstream_seal(
            &KEY,
            &NONCE,
            ad,
            &mut sent,
            InOutBuf::new(message, expected).expect("equal lengths"),
        );
        let pair = |output| InOutBuf::new(message, output).expect("equal lengths");
        let sealed = engine.secretstream_seal(&KEY, &NONCE, ad, &mut sent_too, pair(two));
        assert_eq!(sealed, mac, "{case}");
        one.copy_from_slice(message);
        let sealed = engine.secretstream_seal(&KEY, &NONCE, ad, &mut sent_here, one.into());
        assert_eq!(sealed, mac, "{case}");
        assert!(one == expected && two == expected, "{case}");
        assert_eq!((sent_too, sent_here), (sent, sent));

        let pair = |output| InOutBuf::new(&*expected, output).expect("equal lengths");
        engine
            .secretstream_open(&KEY, &NONCE, ad, &mut sent_too, pair(two), &mac)
            .expect(&case);
        engine
            .secretstream_open(&KEY, &NONCE, ad, &mut sent_here, one.into(), &mac)
            .expect(&case);
        assert!(one == message && two == message, "{case}");
        assert_eq!((sent_too, sent_here), (3, 3));

        one.copy_from_slice(expected);
        let mut kept = sent;
        assert!(
            engine
                .secretstream_open(&KEY, &NONCE, ad, &mut kept, one.into(), &wrong)
                .is_err()
        );
        assert_eq!(kept, sent, "{case}");
        assert!(one.iter().all(|byte| *byte == 0), "{case}");
        assert!(
            after.iter().all(|byte| *byte == 0),
            "{case}: wrote past the end"
        );
    }

    fn message<const N: usize>() -> [u8; N] {
        core::array::from_fn(|i| (7 * i + 3) as u8)
    }

    #[test]
    fn agrees_with_portable_at_every_length() {
        let Some(engine) = engine() else { return };
        let (message, ad) = (message::<LONGEST>(), message::<700>());
        for len in 0..=LONGEST {
            for (i, ad_len) in ADS.into_iter().enumerate() {
                // All lengths of the ad at some message lengths, and one at each.
                if len % ADS.len() == i || len % 64 < 2 {
                    let (prefix, ad) = ad[..ad_len].split_at(ad_len.min([0, 21, 5][len % 3]));
                    check(engine, &message[..len], prefix, ad);
                }
            }
        }
    }

    /// One to nine steps and more: each form of r^(32 n), with every kind of tail.
    #[test]
    fn agrees_with_portable_over_many_steps() {
        let Some(engine) = engine() else { return };
        let message: std::vec::Vec<u8> = (0..1_usize << 17).map(|i| (7 * i + 3) as u8).collect();
        for steps in [2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 31, 63, 64, 127] {
            for tail in [0, 1, 64, 129, 300, 400, 600, 1023] {
                for head in [960, 1024] {
                    let len = (head + STEP * steps + tail).min(message.len());
                    check(engine, &message[..len], &[], b"ad");
                }
            }
        }
    }
}
