//! Subkeys are gone from where a codec was, and from a codec that is done.

mod support {
    #[path = "../../../chacha-simd/tests/support/dropped.rs"]
    pub mod dropped;
}

use ss55_aead::{Engine, Key, PortableEngine, SimdEngine};
use ss55_wire::{
    Error,
    secretstream::{OVERHEAD, PullState, PushState, Tag, layout},
    v1, v2,
};
use std::array;
use support::dropped::{Place, assert_wiped};

const NONCE: [u8; 24] = [0x31; 24];

fn secret() -> [u8; 32] {
    array::from_fn(|i| (73 * i + 11) as u8)
}

fn key() -> Key {
    Key::from_bytes(secret())
}

/// Of all three formats.
fn subkey() -> [u8; 32] {
    PortableEngine.hchacha20(&secret(), NONCE.first_chunk().unwrap())
}

fn header() -> v2::Header {
    v2::Header::new(NONCE)
}

fn v2_sealer() -> v2::Sealer {
    v2::Sealer::new(SimdEngine::new(), &key(), &header())
}

fn v2_opener() -> v2::Opener {
    v2::Opener::new(SimdEngine::new(), &key(), &header())
}

fn v1_opener() -> v1::Opener {
    v1::Opener::new(SimdEngine::new(), &key(), &NONCE)
}

fn push() -> PushState {
    PushState::new(SimdEngine::new(), &key(), &NONCE)
}

fn pull() -> PullState {
    PullState::new(SimdEngine::new(), &key(), &NONCE)
}

fn layout_sealer() -> layout::Sealer {
    layout::Sealer::new(SimdEngine::new(), &key(), &NONCE, 64)
}

fn layout_opener() -> layout::Opener {
    layout::Opener::new(SimdEngine::new(), &key(), &NONCE, 64)
}

/// A frame of each format, to be opened.
fn v2_frame() -> Vec<u8> {
    let mut frame = vec![0; 10 + v2::FRAME_OVERHEAD];
    v2_sealer().seal_to(b"", &[7; 10], &mut frame).unwrap();
    frame
}

fn v1_frame() -> Vec<u8> {
    let mut frame = vec![0; 10 + v1::FRAME_OVERHEAD];
    let mut sealer = v1::Sealer::new(SimdEngine::new(), &key(), &NONCE);
    sealer.seal_to(b"", &[7; 10], &mut frame).unwrap();
    frame
}

fn final_chunk() -> Vec<u8> {
    let mut chunk = vec![7; 10 + OVERHEAD];
    layout_sealer().finish_in_place(&mut chunk).unwrap();
    chunk
}

fn open_v2(opener: &mut v2::Opener, frame: &[u8]) -> Result<(), Error> {
    let head = opener.frame_header(frame)?.unwrap();
    let mut payload = frame[v2::FRAME_HEADER_LEN..].to_vec();
    opener.open_in_place(head, b"", &mut payload).map(|_| ())
}

fn open_v1(opener: &mut v1::Opener, frame: &[u8]) -> Result<(), Error> {
    let head = opener.frame_header(frame)?.unwrap();
    let mut payload = frame[v1::LENGTH_LEN..].to_vec();
    opener.open_in_place(head, b"", &mut payload).map(|_| ())
}

#[test]
fn codecs() {
    let subkey: &[&[u8]] = &[&subkey()];
    let work = |sealer: &mut v2::Sealer| {
        let _ = sealer.seal_in_place(b"", &mut [7; 10]).unwrap();
    };
    assert_wiped("v2::Sealer", v2_sealer(), work, subkey);
    let work = |opener: &mut v2::Opener| open_v2(opener, &v2_frame()).unwrap();
    assert_wiped("v2::Opener", v2_opener(), work, subkey);
    assert_wiped("v2::Opener, cloned", v2_opener().clone(), work, subkey);
    let work = |opener: &mut v1::Opener| open_v1(opener, &v1_frame()).unwrap();
    assert_wiped("v1::Opener", v1_opener(), work, subkey);
    let sealer = v1::Sealer::new(SimdEngine::new(), &key(), &NONCE);
    assert_wiped("v1::Sealer", sealer, |_| (), subkey);
    let work = |push: &mut PushState| {
        let _ = push.push_in_place(Tag::MESSAGE, b"", &mut [7; 10]).unwrap();
    };
    assert_wiped("PushState", push(), work, subkey);
    let work = |pull: &mut PullState| {
        pull.pull_in_place(b"", &mut [7; 40]).unwrap_err();
    };
    assert_wiped("PullState", pull(), work, subkey);
    let work = |sealer: &mut layout::Sealer| sealer.seal_to(&[7; 64], &mut [0; 81]).unwrap();
    assert_wiped("layout::Sealer", layout_sealer(), work, subkey);
    assert_wiped("layout::Opener", layout_opener(), |_| (), subkey);
}

/// The key that a stream was given is in none of them, not even while they live.
#[test]
fn the_stream_key_is_not_kept() {
    assert!(!Place::new(v2_sealer()).holds(&secret()));
    assert!(!Place::new(v2_opener()).holds(&secret()));
    assert!(!Place::new(v1_opener()).holds(&secret()));
    assert!(!Place::new(push()).holds(&secret()));
    assert!(!Place::new(pull()).holds(&secret()));
}

#[test]
fn a_rekey_leaves_nothing_of_the_old_key() {
    let mut pushing = Place::new(push());
    let _ = pushing
        .value()
        .push_in_place(Tag::REKEY, b"", &mut [])
        .unwrap();
    assert!(!pushing.holds(&subkey()));
    let mut pulling = Place::new(pull());
    pulling.value().rekey();
    assert!(!pulling.holds(&subkey()));
}

/// What can only fail any more needs no key. (An opener at the end of its stream may be asked again.)
#[test]
fn a_codec_that_has_stopped_has_no_key() {
    let mut sealer = Place::new(v2_sealer());
    let end = sealer.value().finish().unwrap();
    assert!(!sealer.holds(&subkey()), "v2, finished");
    open_v2(&mut v2_opener(), &end).unwrap();
    let mut opener = Place::new(v2_opener());
    opener.value().end().unwrap_err();
    assert!(!opener.holds(&subkey()), "v2, cut");

    let forged = |mut frame: Vec<u8>| {
        *frame.last_mut().unwrap() ^= 1;
        frame
    };
    let mut opener = Place::new(v2_opener());
    open_v2(opener.value(), &forged(v2_frame())).unwrap_err();
    assert!(!opener.holds(&subkey()), "v2, forged");
    let mut opener = Place::new(v1_opener());
    open_v1(opener.value(), &forged(v1_frame())).unwrap_err();
    assert!(!opener.holds(&subkey()), "v1, forged");

    let mut sealer = Place::new(layout_sealer());
    let mut chunk = final_chunk();
    sealer.value().finish_in_place(&mut chunk).unwrap();
    assert!(!sealer.holds(&subkey()), "layout, finished");
    let mut opener = Place::new(layout_opener());
    opener
        .value()
        .open_to(&forged(final_chunk()), &mut [0; 10])
        .unwrap_err();
    assert!(!opener.holds(&subkey()), "layout, forged");
}
