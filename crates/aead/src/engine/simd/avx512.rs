//! ChaCha20-Poly1305 and secretstream in one go, with AVX-512.
//!
//! One pass of the cipher yields the MAC's key (block 0), secretstream's tag block (block 1) and as much
//! of the message as fits 32 blocks: a short message costs one pass. Longer ones go by 2 KiB, encrypted
//! and then hashed while they lie in the first-level cache.
//!
//! Why not stitched: on Zen 5 a pass over 32 blocks keeps 3.1 of 4 vector pipes busy and all 32
//! registers, and hashing at full width takes a quarter of its time. Rounds of 16 blocks with the MAC
//! between them, as they are best on a core that issues two vector operations a cycle, came to 622 cycles
//! per KiB there.
#![allow(unsafe_code)]

use super::{Head, OPEN, SEAL};
use crate::{Tag, engine::lengths};
use inout::InOutBuf;
use ss55_chacha_simd::hazmat::{
    BLOCK, State,
    x86::{
        self as chacha,
        avx512::{Keystream, WIDE, xor_wide},
    },
};
use ss55_poly1305::hazmat::x86::{
    self as poly1305,
    avx512::{Powers, State as Mac, absorb, absorb_parts, absorb_scalar, padded},
};
use zeroize::Zeroizing;

/// Proves the features of both kernels: `avx512f`, `avx512vl`, `avx512bw`, `avx512ifma` and `bmi2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    _chacha: chacha::Avx512,
    _poly1305: poly1305::Avx512,
}

impl Token {
    /// The token, on a machine that has the features.
    pub(super) fn detect() -> Option<Self> {
        Some(Token {
            _chacha: chacha::Avx512::detect()?,
            _poly1305: poly1305::Avx512::detect()?,
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
    match head {
        // SAFETY: the tokens prove all features that `crypt_after` enables.
        Head::Aead(_) => unsafe { crypt_after::<DIRECTION, 1>(key, nonce, head, buf) },
        // SAFETY: as above.
        Head::Secretstream(..) => unsafe { crypt_after::<DIRECTION, 2>(key, nonce, head, buf) },
    }
}

/// Encrypts or decrypts `buf` and returns the tag of the ciphertext. `SKIP` blocks of keystream come
/// before the message's: the MAC key's, and secretstream's tag block.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma,bmi2")]
fn crypt_after<const DIRECTION: bool, const SKIP: usize>(
    key: &[u8; 32],
    nonce: &[u8; 12],
    head: &mut Head<'_>,
    buf: InOutBuf<'_, '_, u8>,
) -> Tag {
    let state = State::ietf(key, nonce, 0);
    let tag = match SKIP + buf.len().div_ceil(BLOCK) {
        ..=4 => short::<DIRECTION, SKIP, 4>(&state, head, buf),
        5..=8 => short::<DIRECTION, SKIP, 8>(&state, head, buf),
        9..=16 => short::<DIRECTION, SKIP, 16>(&state, head, buf),
        17..=20 => short::<DIRECTION, SKIP, 20>(&state, head, buf),
        21..=32 => short::<DIRECTION, SKIP, 32>(&state, head, buf),
        33..=36 => short::<DIRECTION, SKIP, 36>(&state, head, buf),
        37..=96 => long::<DIRECTION, SKIP, 4, 32>(&state, head, buf),
        // A message of so many times 2 KiB leaves no rest when the first pass takes more.
        blocks if matches!(blocks % 32, 1..=4) => long::<DIRECTION, SKIP, 8, 36>(&state, head, buf),
        _ => long::<DIRECTION, SKIP, 8, 32>(&state, head, buf),
    };
    tag.into()
}

/// A message that needs at most `N` blocks of keystream. Asked not to be inlined, as `long` is, so that a
/// short message does not pay for the stack frame of a longer one; rustc 1.95 complies for the largest `N`
/// alone.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma,bmi2")]
fn short<const DIRECTION: bool, const SKIP: usize, const N: usize>(
    state: &State,
    head: &mut Head<'_>,
    mut buf: InOutBuf<'_, '_, u8>,
) -> [u8; 16] {
    let keystream = Keystream::<N>::new::<20>(state, state.counter64());
    if DIRECTION == SEAL {
        keystream.xor(SKIP, buf.reborrow());
    }
    let ciphertext = if DIRECTION == SEAL {
        buf.get_out()
    } else {
        buf.get_in()
    };
    let tag = match head {
        Head::Aead(aad) if N <= 8 && aad.len() < BLOCK && aad.prefix.is_empty() => {
            short_tag(&keystream, aad.ad, ciphertext)
        }
        Head::Aead(aad) if N <= 8 && aad.len() < BLOCK && aad.ad.is_empty() => {
            short_tag(&keystream, aad.prefix, ciphertext)
        }
        _ => {
            let mut mac = start::<DIRECTION, N>(head, &keystream);
            let (blocks, part) = ciphertext.as_chunks();
            absorb(&mut mac, blocks);
            absorb_end(&mut mac, head, part, ciphertext.len());
            mac.tag()
        }
    };
    if DIRECTION == OPEN {
        keystream.xor(SKIP, buf);
    }
    tag
}

/// The tag of a message so short that a call for each part of it would count.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,bmi2")]
fn short_tag<const N: usize>(keystream: &Keystream<N>, aad: &[u8], ciphertext: &[u8]) -> [u8; 16] {
    let mut mac = Mac::new(keystream.block(0).first_chunk().expect("64 >= 32"));
    let (aad_blocks, aad_part) = aad.as_chunks();
    let (blocks, part) = ciphertext.as_chunks();
    let aad_end = [padded(aad_part)];
    let end = [padded(part), lengths(aad.len(), ciphertext.len() as u64)];
    absorb_parts(
        &mut mac,
        &[
            aad_blocks,
            &aad_end[usize::from(aad_part.is_empty())..],
            blocks,
            &end[usize::from(part.is_empty())..],
        ],
    );
    mac.tag()
}

/// A message that needs more than `N` blocks of keystream, hashed with 8 `E` powers of r.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma,bmi2")]
fn long<const DIRECTION: bool, const SKIP: usize, const E: usize, const N: usize>(
    state: &State,
    head: &mut Head<'_>,
    mut buf: InOutBuf<'_, '_, u8>,
) -> [u8; 16] {
    let len = buf.len();
    let first = (N - SKIP) * BLOCK;
    let keystream = Keystream::<N>::new::<20>(state, state.counter64());
    let mut mac = start::<DIRECTION, N>(head, &keystream);
    let mut powers = Powers::<E>::empty();
    powers.fill(&mac);

    // Bytes hashed and bytes encrypted or decrypted so far. Hashing goes by whole vectors: it follows
    // encryption and precedes decryption by less than one.
    let (mut hashed, mut done) = (0, 0);
    while done < len {
        let step = match done {
            0 => first,
            _ => WIDE.min(len - done),
        };
        let counter = state.counter64() + ((done + SKIP * BLOCK) / BLOCK) as u64;
        if DIRECTION == OPEN {
            let until = ceil_to(VECTOR, done + step).min(floor_to(16, len));
            powers.absorb(&mut mac, chunk(buf.get_in(), hashed, until));
            hashed = until;
            if done + step == len {
                absorb_end(&mut mac, head, &buf.get_in()[hashed..], len);
            }
        }
        let (now, _) = buf.reborrow().split_at(done).1.split_at(step);
        match step.div_ceil(BLOCK) {
            _ if done == 0 => keystream.xor(SKIP, now),
            32 if step == WIDE => xor_wide::<20>(state, counter, now),
            ..=4 => Keystream::<4>::new::<20>(state, counter).xor(0, now),
            5..=8 => Keystream::<8>::new::<20>(state, counter).xor(0, now),
            9..=16 => Keystream::<16>::new::<20>(state, counter).xor(0, now),
            17..=20 => Keystream::<20>::new::<20>(state, counter).xor(0, now),
            _ => Keystream::<32>::new::<20>(state, counter).xor(0, now),
        }
        done += step;
        if DIRECTION == SEAL {
            let until = floor_to(if done == len { 16 } else { VECTOR }, done);
            powers.absorb(&mut mac, chunk(buf.get_out(), hashed, until));
            hashed = until;
        }
    }
    if DIRECTION == SEAL {
        absorb_end(&mut mac, head, &buf.get_out()[hashed..], len);
    }
    mac.tag()
}

/// Bytes of eight blocks.
const VECTOR: usize = 128;

fn floor_to(unit: usize, bytes: usize) -> usize {
    bytes / unit * unit
}

fn ceil_to(unit: usize, bytes: usize) -> usize {
    bytes.div_ceil(unit) * unit
}

fn chunk(bytes: &[u8], from: usize, until: usize) -> &[[u8; 16]] {
    bytes[from..until].as_chunks().0
}

/// The MAC under its key, block 0, after the head.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma,bmi2")]
fn start<const DIRECTION: bool, const N: usize>(
    head: &mut Head<'_>,
    keystream: &Keystream<N>,
) -> Mac {
    let mut mac = Mac::new(keystream.block(0).first_chunk().expect("64 >= 32"));
    match head {
        Head::Aead(aad) => {
            if aad.prefix.is_empty() {
                absorb_padded(&mut mac, aad.ad);
            } else {
                absorb_joined(&mut mac, aad.prefix, aad.ad);
            }
        }
        Head::Secretstream(ad, frame_tag) => {
            absorb_padded(&mut mac, ad);
            // The MAC covers the block as it is sent: encrypted tag byte, then 63 bytes of keystream.
            let (first, rest) = keystream.block(1).split_first_chunk().expect("64 >= 16");
            let mut first: Zeroizing<[u8; 16]> = Zeroizing::new(*first);
            let crypted = first[0] ^ **frame_tag;
            first[0] = if DIRECTION == SEAL {
                crypted
            } else {
                **frame_tag
            };
            **frame_tag = crypted;
            absorb_scalar(&mut mac, &[*first]);
            absorb_scalar(&mut mac, rest.as_chunks().0);
        }
    }
    mac
}

/// Absorbs the last `part` of a message, its padding and the lengths.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,bmi2")]
fn absorb_end(mac: &mut Mac, head: &Head<'_>, part: &[u8], message: usize) {
    match head {
        Head::Aead(aad) => {
            let lengths = lengths(aad.len(), message as u64);
            if part.is_empty() {
                absorb_scalar(mac, &[lengths]);
            } else {
                absorb_scalar(mac, &[padded(part), lengths]);
            }
        }
        Head::Secretstream(ad, _) => {
            // The padding has as many bytes as `part`: together less than two blocks.
            let mut end = [[0; 16]; 3];
            let bytes = end.as_flattened_mut();
            bytes[..16].copy_from_slice(&padded(part));
            bytes[2 * part.len()..][..16]
                .copy_from_slice(&lengths(ad.len(), (BLOCK + message) as u64));
            let len = 2 * part.len() + 16;
            absorb_scalar(mac, &end[..len / 16]);
            if !len.is_multiple_of(16) {
                end.as_flattened_mut()[len] = 1;
                mac.absorb::<0>(&end[len / 16..][..1]);
            }
        }
    }
}

/// Absorbs bytes and the zeros that fill their last block.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma,bmi2")]
fn absorb_padded(mac: &mut Mac, bytes: &[u8]) {
    let (blocks, part) = bytes.as_chunks();
    absorb(mac, blocks);
    if !part.is_empty() {
        absorb_scalar(mac, &[padded(part)]);
    }
}

/// Absorbs `a` and `b` as one string, padded.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma,bmi2")]
fn absorb_joined(mac: &mut Mac, a: &[u8], b: &[u8]) {
    let (blocks, part) = a.as_chunks();
    absorb(mac, blocks);
    if part.is_empty() {
        return absorb_padded(mac, b);
    }
    let (fill, b) = b.split_at(b.len().min(16 - part.len()));
    let mut block = padded(part);
    block[part.len()..][..fill.len()].copy_from_slice(fill);
    absorb_scalar(mac, &[block]);
    absorb_padded(mac, b);
}
