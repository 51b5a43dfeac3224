//! The formats as their specification has them, over libsodium: nothing of the code under test.
//! Every field is the caller's, so that authentic nonsense can be made too.
#![allow(dead_code)] // each test file takes what it needs

use super::{
    inputs::{KEY, NONCE},
    sodium::{Secretstream, aead_seal, hchacha20},
};

/// A message: its plaintext and its ad.
pub type Message<'a> = (&'a [u8], &'a [u8]);

pub fn v2_header(nonce: &[u8; 24]) -> Vec<u8> {
    [b"SS55-v2\0".as_slice(), &[0, 2, 0, 0], nonce].concat()
}

/// Frame `seq` of the stream, authentic whatever `tag` and its length are.
pub fn v2_frame(nonce: &[u8; 24], seq: u64, tag: u8, (plaintext, ad): Message<'_>) -> Vec<u8> {
    let seq = seq.to_be_bytes();
    let len = (ad.len() as u32).to_be_bytes();
    let aad = [b"SS55-v2\0".as_slice(), &seq, &[tag], &len, ad].concat();
    let frame_nonce = [&nonce[16..20], &seq].concat().try_into().unwrap();
    let sealed = aead_seal(&subkey(nonce), &frame_nonce, &aad, plaintext);
    let length = (1 + sealed.len() as u32).to_be_bytes();
    [length.as_slice(), &[tag], &sealed].concat()
}

/// Header, one message frame for each message, final frame: each a piece of its own.
pub fn v2_pieces(messages: &[Message<'_>]) -> Vec<Vec<u8>> {
    let mut pieces = vec![v2_header(&NONCE)];
    for (seq, message) in (0..).zip(messages) {
        pieces.push(v2_frame(&NONCE, seq, 0x00, *message));
    }
    pieces.push(v2_frame(&NONCE, messages.len() as u64, 0x03, (b"", b"")));
    pieces
}

pub fn v2_stream(messages: &[Message<'_>]) -> Vec<u8> {
    v2_pieces(messages).concat()
}

pub fn v1_frame(nonce: &[u8; 24], seq: u64, (plaintext, ad): Message<'_>) -> Vec<u8> {
    let base = u64::from_be_bytes(nonce[16..].try_into().unwrap());
    let frame_nonce = [[0; 4].as_slice(), &(base ^ seq).to_be_bytes()].concat();
    let sealed = aead_seal(
        &subkey(nonce),
        &frame_nonce.try_into().unwrap(),
        &[&seq.to_be_bytes(), ad].concat(),
        plaintext,
    );
    [(sealed.len() as u32).to_be_bytes().as_slice(), &sealed].concat()
}

/// Header and one frame for each message: each a piece of its own.
pub fn v1_pieces(messages: &[Message<'_>]) -> Vec<Vec<u8>> {
    let mut pieces = vec![NONCE.to_vec()];
    for (seq, message) in (0..).zip(messages) {
        pieces.push(v1_frame(&NONCE, seq, *message));
    }
    pieces
}

pub fn v1_stream(messages: &[Message<'_>]) -> Vec<u8> {
    v1_pieces(messages).concat()
}

/// Header and chunks: each a piece of its own. Full chunks, then a FINAL one that is not full.
pub fn layout_pieces(plaintext: &[u8], chunk_size: usize) -> Vec<Vec<u8>> {
    let mut push = Secretstream::new(&KEY, &NONCE);
    let mut pieces = vec![NONCE.to_vec()];
    let chunks = plaintext.chunks_exact(chunk_size);
    let last = chunks.remainder();
    for chunk in chunks {
        pieces.push(push.push(0, chunk));
    }
    pieces.push(push.push(3, last));
    pieces
}

/// Header and chunks with the given tags, whatever that makes.
pub fn layout_of(chunks: &[(u8, &[u8])]) -> Vec<u8> {
    let mut push = Secretstream::new(&KEY, &NONCE);
    let mut stream = NONCE.to_vec();
    for (tag, chunk) in chunks {
        stream.extend(push.push(*tag, chunk));
    }
    stream
}

fn subkey(nonce: &[u8; 24]) -> [u8; 32] {
    hchacha20(&KEY, nonce[..16].try_into().unwrap())
}
