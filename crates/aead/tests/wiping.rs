//! Keys are gone from where they were.

mod support {
    #[path = "../../../chacha-simd/tests/support/dropped.rs"]
    pub mod dropped;
}

use ss55_aead::{
    Aad, ChaCha20Poly1305, Engine, Key, PortableEngine, SimdEngine, SodiumEngine, XChaCha20Poly1305,
};
use std::array;
use support::dropped::{Place, assert_wiped};

const HEX: &str = "0b549de62f78c10a539ce52e77c00952" /* 16 bytes */;

fn key() -> [u8; 32] {
    array::from_fn(|i| (73 * i + 11) as u8)
}

#[test]
fn keys() {
    assert_wiped("from_bytes", Key::from_bytes(key()), |_| (), &[&key()]);
    assert_wiped("clone", Key::from_bytes(key()).clone(), |_| (), &[&key()]);
    let hex: String = hex::encode(key());
    assert!(hex.starts_with(HEX));
    assert_wiped("from_hex", Key::from_hex(&hex).unwrap(), |_| (), &[&key()]);
    // One that takes the place of another.
    let replace = |key: &mut Key| *key = Key::from_bytes([0x5a; 32]);
    let mut place = Place::new(Key::from_bytes(key()));
    replace(place.value());
    assert!(!place.holds(&key()) && place.holds(&[0x5a; 32]));
    assert!(!place.after_drop().holds(&[0x5a; 32]));
}

#[test]
fn aeads() {
    fn check<E: Engine + Copy>(engine: E) {
        let what = engine.name();
        let aead = ChaCha20Poly1305::with_engine(engine, &key());
        let work = |aead: &mut ChaCha20Poly1305<E>| {
            let mut text = [1; 100];
            let tag = aead.seal_in_place_detached(&[2; 12], Aad::EMPTY, &mut text);
            aead.open_in_place_detached(&[2; 12], Aad::EMPTY, &mut text, &tag)
                .unwrap();
        };
        assert_wiped(what, aead, work, &[&key()]);
        let aead = XChaCha20Poly1305::with_engine(engine, &key());
        let work = |aead: &mut XChaCha20Poly1305<E>| {
            let tag = aead.seal_in_place_detached(&[2; 24], Aad::EMPTY, &mut [1; 100]);
            let forged = aead.open_in_place_detached(&[3; 24], Aad::EMPTY, &mut [1; 100], &tag);
            assert!(forged.is_err());
        };
        assert_wiped(what, aead, work, &[&key()]);
    }
    check(PortableEngine);
    check(SodiumEngine::new());
    SimdEngine::available().for_each(check);
}
