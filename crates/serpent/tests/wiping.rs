//! Round keys are gone from the memory of a cipher that was dropped.

use ss55_serpent::{Backend, Serpent, SerpentXts};
use std::{mem::MaybeUninit, ptr};

/// The bytes where a value was, after its drop; and how many of them differed from zero before it.
fn after_drop<T>(value: T) -> (usize, Vec<u8>) {
    let mut place = MaybeUninit::<T>::zeroed();
    place.write(value);
    let bytes = || {
        let start = place.as_ptr().cast::<MaybeUninit<u8>>();
        (0..size_of::<T>()).map(move |i| {
            // SAFETY: inside the place, which lives until the end of this function. Read as volatile:
            // what a dropped value leaves is nobody's, and the compiler might take it for anything. The
            // only bytes that may have no value are the padding around a backend's name, which `zeroed`
            // or a copy of the value has put there.
            unsafe { ptr::read_volatile(start.add(i)).assume_init() }
        })
    };
    let before = bytes().filter(|byte| *byte != 0).count();
    // SAFETY: written above, and not used as a value again.
    unsafe { ptr::drop_in_place(place.as_ptr().cast_mut()) };
    (before, bytes().collect())
}

/// The backend stays: at most a word of it.
const BACKEND: usize = 8;

#[test]
fn of_a_cipher() {
    for backend in Backend::available() {
        let cipher = Serpent::with_backend(backend, &[0xa5; 32]).expect("32 bytes");
        let (before, after) = after_drop(cipher);
        // Two directions of 33 keys of 16 bytes, of which one byte in 256 is a zero.
        assert!(before > 1000, "{before}");
        assert!(after.iter().filter(|byte| **byte != 0).count() <= BACKEND);
    }
}

#[test]
fn of_two_ciphers() {
    let (before, after) = after_drop(SerpentXts::new(&[0xa5; 64]));
    assert!(before > 2000, "{before}");
    assert!(after.iter().filter(|byte| **byte != 0).count() <= 2 * BACKEND);
}
