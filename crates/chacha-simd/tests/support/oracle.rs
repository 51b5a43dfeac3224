//! Keystreams by other hands: libsodium for 20 rounds, RustCrypto block by block for 8 and 12.

use chacha20::{
    ChaChaCore, KeyIvInit, R8, R12, Rounds,
    cipher::{StreamCipherCore, array::Array, consts::U64},
    hchacha,
    variants::Ietf,
};
use libsodium_sys as sodium;

/// `len` bytes from block `block` on. The nonce's length, 8, 12 or 24, says which variant.
pub fn keystream(rounds: usize, key: &[u8; 32], nonce: &[u8], block: u64, len: usize) -> Vec<u8> {
    match rounds {
        8 => rustcrypto::<R8>(key, nonce, block, len),
        12 => rustcrypto::<R12>(key, nonce, block, len),
        _ => libsodium(key, nonce, block, len),
    }
}

/// `data` encrypted: what a cipher must make of it.
pub fn encrypted(rounds: usize, key: &[u8; 32], nonce: &[u8], block: u64, data: &[u8]) -> Vec<u8> {
    let mut out = keystream(rounds, key, nonce, block, data.len());
    out.iter_mut().zip(data).for_each(|(o, d)| *o ^= d);
    out
}

fn libsodium(key: &[u8; 32], nonce: &[u8], block: u64, len: usize) -> Vec<u8> {
    init();
    let mut out = vec![0; len];
    let (p, n, k) = (out.as_mut_ptr(), nonce.as_ptr(), key.as_ptr());
    let len = len as u64;
    let status = match nonce.len() {
        // SAFETY: p is valid for len bytes, and in place is allowed; n and k have 8 and 32 bytes.
        8 => unsafe { sodium::crypto_stream_chacha20_xor_ic(p, p, len, n, block, k) },
        12 => {
            let block = u32::try_from(block).expect("a 32-bit counter");
            // SAFETY: as above, with 12 bytes of nonce.
            unsafe { sodium::crypto_stream_chacha20_ietf_xor_ic(p, p, len, n, block, k) }
        }
        // SAFETY: as above; callers pass 24 bytes of nonce otherwise.
        24 => unsafe { sodium::crypto_stream_xchacha20_xor_ic(p, p, len, n, block, k) },
        other => panic!("no variant has {other} bytes of nonce"),
    };
    assert_eq!(status, 0);
    out
}

/// One block at a time from the 96-bit form, so that its vector code and its 32-bit counter are out
/// of the picture: a 64-bit counter is the 32-bit one and the first word of the nonce.
fn rustcrypto<R: Rounds>(key: &[u8; 32], nonce: &[u8], block: u64, len: usize) -> Vec<u8> {
    let mut key = *key;
    let mut short = nonce;
    if let Some((input, rest)) = nonce.split_first_chunk::<16>() {
        key = hchacha::<R>(&key.into(), &(*input).into()).into();
        short = rest;
    }
    let mut out = Vec::with_capacity(len + 64);
    for block in block..block.saturating_add(len.div_ceil(64) as u64) {
        out.extend(one_block::<R>(&key, short, block));
    }
    if out.len() < len {
        out.extend(one_block::<R>(&key, short, u64::MAX)); // a range cannot hold the last number
    }
    out.truncate(len);
    out
}

fn one_block<R: Rounds>(key: &[u8; 32], nonce: &[u8], block: u64) -> Array<u8, U64> {
    let mut iv = [0; 12];
    let high = 12 - nonce.len();
    iv[..high].copy_from_slice(&((block >> 32) as u32).to_le_bytes()[..high]);
    iv[high..].copy_from_slice(nonce);
    let mut core = ChaChaCore::<R, Ietf>::new(key.into(), &iv.into());
    core.set_block_pos(block as u32);
    let mut out = Array::default();
    core.write_keystream_block(&mut out);
    out
}

/// libsodium picks its implementations at its first initialization: before that is done, a call may
/// begin with one and end with another.
fn init() {
    // SAFETY: sodium_init may be called any number of times, from any thread.
    assert!(unsafe { sodium::sodium_init() } >= 0);
}
