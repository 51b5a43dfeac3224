//! Frames of v1 and v2 as the specification has them, over libsodium's AEAD: nothing of the code
//! under test. Every field is the caller's, so that authentic nonsense can be made too.
#![allow(dead_code)] // each test file takes what it needs

use super::sodium;

pub fn v2_header(nonce: &[u8; 24]) -> Vec<u8> {
    [b"SS55-v2\0".as_slice(), &[0, 2, 0, 0], nonce].concat()
}

/// Frame `seq` of the stream, authentic whatever `tag` and its length are.
pub fn v2_frame(
    key: &[u8; 32],
    nonce: &[u8; 24],
    seq: u64,
    tag: u8,
    plaintext: &[u8],
    ad: &[u8],
) -> Vec<u8> {
    let seq = seq.to_be_bytes();
    let aad = [
        b"SS55-v2\0".as_slice(),
        &seq,
        &[tag],
        &(ad.len() as u32).to_be_bytes(),
        ad,
    ]
    .concat();
    let frame_nonce = [&nonce[16..20], &seq].concat().try_into().unwrap();
    let sealed = sodium::aead_seal(&subkey(key, nonce), &frame_nonce, &aad, plaintext);
    let length = (1 + sealed.len() as u32).to_be_bytes();
    [length.as_slice(), &[tag], &sealed].concat()
}

/// Header, one message frame for each (plaintext, ad), final frame.
pub fn v2_stream(key: &[u8; 32], nonce: &[u8; 24], messages: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut stream = v2_header(nonce);
    for (seq, (plaintext, ad)) in (0..).zip(messages) {
        stream.extend(v2_frame(key, nonce, seq, 0x00, plaintext, ad));
    }
    stream.extend(v2_frame(key, nonce, messages.len() as u64, 0x03, b"", b""));
    stream
}

pub fn v1_frame(
    key: &[u8; 32],
    nonce: &[u8; 24],
    seq: u64,
    plaintext: &[u8],
    ad: &[u8],
) -> Vec<u8> {
    let base = u64::from_be_bytes(nonce[16..].try_into().unwrap());
    let frame_nonce = [[0; 4].as_slice(), &(base ^ seq).to_be_bytes()].concat();
    let sealed = sodium::aead_seal(
        &subkey(key, nonce),
        &frame_nonce.try_into().unwrap(),
        &[&seq.to_be_bytes(), ad].concat(),
        plaintext,
    );
    [(sealed.len() as u32).to_be_bytes().as_slice(), &sealed].concat()
}

/// Header and one frame for each (plaintext, ad).
pub fn v1_stream(key: &[u8; 32], nonce: &[u8; 24], messages: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut stream = nonce.to_vec();
    for (seq, (plaintext, ad)) in (0..).zip(messages) {
        stream.extend(v1_frame(key, nonce, seq, plaintext, ad));
    }
    stream
}

fn subkey(key: &[u8; 32], nonce: &[u8; 24]) -> [u8; 32] {
    sodium::hchacha20(key, nonce[..16].try_into().unwrap())
}
