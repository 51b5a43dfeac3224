//! Round keys are gone from the memory of a cipher that was dropped.

mod support {
    #[path = "../../../chacha-simd/tests/support/dropped.rs"]
    pub mod dropped;
}

use ss55_serpent::{Backend, Serpent, SerpentXts};
use std::array;
use support::dropped::assert_forgets;

/// Two directions of 33 keys of 16 bytes.
const SCHEDULE: usize = 2 * 33 * 16;

#[test]
fn of_a_cipher() {
    for backend in Backend::available() {
        let cipher = |key: usize| {
            Serpent::with_backend(backend, &array::from_fn::<u8, 32, _>(|i| (key * i) as u8))
                .expect("32 bytes")
        };
        assert_forgets(backend.name(), [73, 59].map(cipher), SCHEDULE);
    }
}

#[test]
fn of_two_ciphers() {
    let xts = |key: usize| SerpentXts::new(&array::from_fn(|i| (key * i) as u8));
    assert_forgets("XTS", [73, 59].map(xts), 2 * SCHEDULE);
}
