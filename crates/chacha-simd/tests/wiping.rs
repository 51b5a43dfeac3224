//! Keys and keystream are gone from where a cipher was.

mod support {
    pub mod dropped;
}

use ss55_chacha_simd::{
    Backend, ChaCha8, ChaCha8Legacy, ChaCha12, ChaCha12Legacy, ChaCha20, ChaCha20Legacy, XChaCha8,
    XChaCha12, XChaCha20, hazmat,
};
use std::array;
use support::dropped::{Place, assert_wiped};

fn key() -> [u8; 32] {
    array::from_fn(|i| (73 * i + 11) as u8)
}

#[test]
fn the_place_shows_what_is_not_wiped() {
    let place = Place::new((1_u8, key()));
    assert!(place.holds(&key()));
    assert!(place.holds(&key()[13..21]));
    assert!(!place.holds(&[0x55; 8]));
    assert!(place.after_drop().holds(&key()));
}

#[test]
fn ciphers() {
    macro_rules! wiped {
        ($cipher:ident, $nonce:literal, $key:expr) => {
            for backend in Backend::available() {
                let nonce = [9; $nonce];
                let mut keystream = [0; 200];
                let mut cipher = $cipher::with_backend(backend, &key(), &nonce);
                cipher.apply_keystream(&mut keystream).unwrap();

                // In the middle of block 2, the rest of which is kept for the next call.
                let cipher = $cipher::with_backend(backend, &key(), &nonce);
                let what = format!("{} on {}", stringify!($cipher), backend.name());
                let secrets: [&[u8]; 2] = [&$key, &keystream[138..192]];
                let work = |cipher: &mut $cipher| cipher.apply_keystream(&mut [0; 138]).unwrap();
                assert_wiped(&what, cipher, work, &secrets);

                let cipher = $cipher::with_backend(backend, &key(), &nonce);
                let copy = cipher.clone();
                assert_wiped(&what, copy, |cipher| cipher.seek(130).unwrap(), &secrets);
            }
        };
    }
    wiped!(ChaCha20, 12, key());
    wiped!(ChaCha12, 12, key());
    wiped!(ChaCha8, 12, key());
    wiped!(ChaCha20Legacy, 8, key());
    wiped!(ChaCha12Legacy, 8, key());
    wiped!(ChaCha8Legacy, 8, key());
    wiped!(XChaCha20, 24, hazmat::hchacha::<20>(&key(), &[9; 16]));
    wiped!(XChaCha12, 24, hazmat::hchacha::<12>(&key(), &[9; 16]));
    wiped!(XChaCha8, 24, hazmat::hchacha::<8>(&key(), &[9; 16]));
}

#[test]
fn states() {
    let state = hazmat::State::ietf(&key(), &[9; 12], 0);
    assert_wiped("State", state, |state| state.set_counter32(7), &[&key()]);
}
