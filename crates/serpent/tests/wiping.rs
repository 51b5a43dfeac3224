//! Round keys are gone from where a cipher was.

mod support {
    #[path = "../../../chacha-simd/tests/support/dropped.rs"]
    pub mod dropped;
}

use ss55_serpent::{Backend, Serpent, SerpentXts};
use std::mem::ManuallyDrop;
use support::dropped::assert_differences_wiped;

/// Two directions of 33 keys of 16 bytes. A word that has a byte in common with that under the other key is not
/// looked at: one in 64, and a few more, since the keys here repeat themselves.
const ROUND_KEYS: usize = 2 * 33 * 16 * 7 / 8;

#[test]
fn ciphers() {
    for backend in Backend::available() {
        for len in [16, 24, 32] {
            let cipher = |byte: u8| {
                Serpent::with_backend(backend, &[byte; 32][..len]).expect("a key's length")
            };
            let what = format!("Serpent-{} on {}", 8 * len, backend.name());
            assert_differences_wiped(&what, cipher(0xa5), cipher(0x3c), ROUND_KEYS);
            let copy = cipher(0xa5).clone();
            assert_differences_wiped(&what, copy, cipher(0x3c), ROUND_KEYS);
        }
    }
}

#[test]
fn pairs_of_ciphers() {
    for backend in Backend::available() {
        let xts = |byte: u8| SerpentXts::with_backend(backend, &[byte; 64]);
        assert_differences_wiped(backend.name(), xts(0xa5), xts(0x3c), 2 * ROUND_KEYS);
    }
}

#[test]
#[should_panic(expected = "left at")]
fn what_is_not_wiped_is_found() {
    let kept = |byte: u8| ManuallyDrop::new(SerpentXts::new(&[byte; 64]));
    assert_differences_wiped("kept", kept(0xa5), kept(0x3c), 2 * ROUND_KEYS);
}
