//! r, s, the sum and the begun block are gone from where a MAC was.

mod support {
    #[path = "../../../chacha-simd/tests/support/dropped.rs"]
    pub mod dropped;
}

use ss55_poly1305::{Backend, Poly1305, hazmat::Accumulator};
use std::array;
use support::dropped::{Place, assert_wiped};

fn key() -> [u8; 32] {
    array::from_fn(|i| (73 * i + 11) as u8)
}

/// As it is kept, in words of 64 bits.
fn clamped_r() -> [u8; 16] {
    let r = u128::from_le_bytes(*key().first_chunk().unwrap());
    (r & 0x0ffffffc_0ffffffc_0ffffffc_0fffffff).to_le_bytes()
}

const MESSAGE: [u8; 30] = *b"sixteen bytes, and fourteen...";

#[test]
fn macs() {
    for backend in Backend::available() {
        let work = |mac: &mut Poly1305| mac.update(&MESSAGE);
        let mac = || Poly1305::with_backend(backend, &key());
        let (what, key, r) = (backend.name(), key(), clamped_r());
        let (s, begun) = (&key[16..], &MESSAGE[16..]);
        assert_wiped(what, mac(), work, &[s, begun]);
        assert_wiped(what, mac().clone(), work, &[s, begun]);
        // Of 26 bits a word elsewhere.
        if cfg!(target_pointer_width = "64") {
            assert_wiped(what, mac(), work, &[&r]);
        }
    }
}

#[test]
fn accumulators() {
    for backend in Backend::available() {
        let mut accumulator = Accumulator::new(backend, &key());
        accumulator.blocks(&[0x5a; 16]);
        let (r, s) = (clamped_r(), &key()[16..]);
        // h = (5a5a.. + 2^128) r mod 2^130 - 5: the tag is h + s.
        let tag = u128::from_le_bytes(accumulator.tag().into());
        let h = tag.wrapping_sub(u128::from_le_bytes(s.try_into().unwrap()));
        if cfg!(target_pointer_width = "64") {
            let secrets: [&[u8]; 3] = [&r, s, &h.to_le_bytes()];
            assert_wiped(backend.name(), accumulator, |_| (), &secrets);
        } else {
            assert_wiped(backend.name(), accumulator, |_| (), &[s]);
        }
    }
}

/// What is moved into `finalize` is wiped there, and where it was before is the caller's.
#[test]
fn the_place_shows_what_is_moved_out_of_it() {
    let mac = Poly1305::new(&key());
    let place = Place::new(std::mem::ManuallyDrop::new(mac));
    assert!(place.after_drop().holds(&key()[16..]));
}
