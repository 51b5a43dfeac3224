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
#![allow(clippy::unused_self)] // a token has nothing to read: holding it is the proof

use crate::{
    Aad, AuthenticationError, MAX_MESSAGE_LEN, MAX_SECRETSTREAM_LEN, Tag,
    engine::{lengths, refuse},
};
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
    avx512::{Powers, State as Mac, absorb, absorb_scalar},
};
use subtle::ConstantTimeEq;
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

    /// [`Engine::seal`](crate::Engine::seal).
    pub(super) fn seal(
        self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        assert!(buf.len() as u64 <= MAX_MESSAGE_LEN, "message too long");
        let mut head = Head::Aead(aad);
        // SAFETY: `self` proves all features that `crypt` enables.
        unsafe { crypt::<SEAL, 1>(key, nonce, &mut head, buf) }
    }

    /// [`Engine::open`](crate::Engine::open).
    pub(super) fn open(
        self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        mut buf: InOutBuf<'_, '_, u8>,
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        if buf.len() as u64 > MAX_MESSAGE_LEN {
            return refuse(buf.get_out());
        }
        let mut head = Head::Aead(aad);
        // SAFETY: `self` proves all features that `crypt` enables.
        let expected = unsafe { crypt::<OPEN, 1>(key, nonce, &mut head, buf.reborrow()) };
        if !bool::from(expected.ct_eq(tag)) {
            return refuse(buf.get_out());
        }
        Ok(())
    }

    /// [`Engine::secretstream_seal`](crate::Engine::secretstream_seal).
    pub(super) fn secretstream_seal(
        self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        assert!(buf.len() as u64 <= MAX_SECRETSTREAM_LEN, "message too long");
        let mut head = Head::Secretstream(ad, frame_tag);
        // SAFETY: `self` proves all features that `crypt` enables.
        unsafe { crypt::<SEAL, 2>(key, nonce, &mut head, buf) }
    }

    /// [`Engine::secretstream_open`](crate::Engine::secretstream_open).
    pub(super) fn secretstream_open(
        self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        mut buf: InOutBuf<'_, '_, u8>,
        mac: &Tag,
    ) -> Result<(), AuthenticationError> {
        if buf.len() as u64 > MAX_SECRETSTREAM_LEN {
            return refuse(buf.get_out());
        }
        let mut opened_tag = *frame_tag;
        let mut head = Head::Secretstream(ad, &mut opened_tag);
        // SAFETY: `self` proves all features that `crypt` enables.
        let expected = unsafe { crypt::<OPEN, 2>(key, nonce, &mut head, buf.reborrow()) };
        if !bool::from(expected.ct_eq(mac)) {
            return refuse(buf.get_out());
        }
        *frame_tag = opened_tag;
        Ok(())
    }
}

const SEAL: bool = true;
const OPEN: bool = false;

/// What is hashed before the message.
enum Head<'a> {
    Aead(Aad<'a>),
    /// The ad, and the tag byte, which is encrypted or decrypted with block 1.
    Secretstream(&'a [u8], &'a mut u8),
}

impl Head<'_> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma,bmi2")]
    fn absorb<const DIRECTION: bool>(&mut self, mac: &mut Mac, tag_block: &[u8; BLOCK]) {
        match self {
            Head::Aead(aad) => {
                if aad.prefix.is_empty() {
                    absorb_padded(mac, aad.ad);
                } else {
                    absorb_joined(mac, aad.prefix, aad.ad);
                }
            }
            Head::Secretstream(ad, frame_tag) => {
                absorb_padded(mac, ad);
                // The MAC covers the block as it is sent: encrypted tag byte, then 63 bytes of keystream.
                let mut block = Zeroizing::new(*tag_block);
                let crypted = block[0] ^ **frame_tag;
                block[0] = if DIRECTION == SEAL {
                    crypted
                } else {
                    **frame_tag
                };
                **frame_tag = crypted;
                absorb_scalar(mac, block.as_chunks().0);
            }
        }
    }

    /// The bytes of additional data.
    fn aad_len(&self) -> usize {
        match self {
            Head::Aead(aad) => aad.len(),
            Head::Secretstream(ad, _) => ad.len(),
        }
    }

    /// Zero bytes after a message, and what the MAC counts as its length.
    fn padding_and_len(&self, message: usize) -> (usize, u64) {
        match self {
            Head::Aead(_) => (message.wrapping_neg() % 16, message as u64),
            Head::Secretstream(..) => (message % 16, BLOCK as u64 + message as u64),
        }
    }
}

/// Encrypts or decrypts `buf` and returns the tag of the ciphertext. `SKIP` blocks of keystream come
/// before the message's: the MAC key's, and secretstream's tag block.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,bmi2")]
fn crypt<const DIRECTION: bool, const SKIP: usize>(
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
        33..=96 => long::<DIRECTION, SKIP, 4>(&state, head, buf),
        _ => long::<DIRECTION, SKIP, 8>(&state, head, buf),
    };
    tag.into()
}

/// A message that needs at most `N` blocks of keystream.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,bmi2")]
fn short<const DIRECTION: bool, const SKIP: usize, const N: usize>(
    state: &State,
    head: &mut Head<'_>,
    mut buf: InOutBuf<'_, '_, u8>,
) -> [u8; 16] {
    let keystream = Keystream::<N>::new::<20>(state, state.counter64());
    let mut mac = start::<DIRECTION>(head, keystream.blocks());
    if DIRECTION == SEAL {
        keystream.xor(SKIP, buf.reborrow());
    }
    let ciphertext = if DIRECTION == SEAL {
        buf.get_out()
    } else {
        buf.get_in()
    };
    let (blocks, part) = ciphertext.as_chunks();
    absorb(&mut mac, blocks);
    absorb_end(&mut mac, head, part, ciphertext.len());
    if DIRECTION == OPEN {
        keystream.xor(SKIP, buf);
    }
    mac.tag()
}

/// A message that needs more than 32 blocks of keystream, hashed with 8 `E` powers of r.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,bmi2")]
fn long<const DIRECTION: bool, const SKIP: usize, const E: usize>(
    state: &State,
    head: &mut Head<'_>,
    mut buf: InOutBuf<'_, '_, u8>,
) -> [u8; 16] {
    let len = buf.len();
    let first = WIDE - SKIP * BLOCK;
    let keystream = Keystream::<32>::new::<20>(state, state.counter64());
    let mut mac = start::<DIRECTION>(head, keystream.blocks());
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
#[target_feature(enable = "avx512f,avx512ifma,bmi2")]
fn start<const DIRECTION: bool>(head: &mut Head<'_>, keystream: &[[u8; BLOCK]]) -> Mac {
    let mut mac = Mac::new(keystream[0].first_chunk().expect("64 >= 32"));
    head.absorb::<DIRECTION>(&mut mac, &keystream[1]);
    mac
}

/// Absorbs the last `part` of a message, its padding and the lengths.
#[inline]
#[target_feature(enable = "bmi2")]
fn absorb_end(mac: &mut Mac, head: &Head<'_>, part: &[u8], message: usize) {
    let (padding, counted) = head.padding_and_len(message);
    // Up to 15 bytes of message, 15 of padding and 16 of lengths.
    let mut end = [0; 48];
    end[..part.len()].copy_from_slice(part);
    let at = part.len() + padding;
    end[at..at + 16].copy_from_slice(&lengths(head.aad_len(), counted));
    let (blocks, rest) = end[..at + 16].as_chunks::<16>();
    absorb_scalar(mac, blocks);
    if !rest.is_empty() {
        // secretstream's padding need not fill a block.
        let mut block = [0; 16];
        block[..rest.len()].copy_from_slice(rest);
        block[rest.len()] = 1;
        mac.absorb::<0>(&[block]);
    }
}

/// Absorbs bytes and the zeros that fill their last block.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma,bmi2")]
fn absorb_padded(mac: &mut Mac, bytes: &[u8]) {
    let (blocks, part) = bytes.as_chunks();
    absorb(mac, blocks);
    if !part.is_empty() {
        let mut block = [0; 16];
        block[..part.len()].copy_from_slice(part);
        absorb_scalar(mac, &[block]);
    }
}

/// Absorbs `a` and `b` as one string, padded.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma,bmi2")]
fn absorb_joined(mac: &mut Mac, a: &[u8], b: &[u8]) {
    let (blocks, part) = a.as_chunks();
    absorb(mac, blocks);
    if part.is_empty() {
        return absorb_padded(mac, b);
    }
    let (fill, b) = b.split_at(b.len().min(16 - part.len()));
    let mut block = [0; 16];
    block[..part.len()].copy_from_slice(part);
    block[part.len()..part.len() + fill.len()].copy_from_slice(fill);
    absorb_scalar(mac, &[block]);
    absorb_padded(mac, b);
}
