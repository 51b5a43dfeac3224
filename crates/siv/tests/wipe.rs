//! What is left in memory of a dropped object.

use ss55_siv::{Siv, Siv128, Siv256};
use std::{
    mem::{MaybeUninit, size_of},
    ptr,
};

/// The non-zero bytes of a value before and after it is dropped where it stands.
fn nonzero_bytes<const N: usize>(siv: Siv<N>) -> [usize; 2] {
    // Zeros first, so that no byte of it, padding included, is ever uninitialized.
    let mut place = MaybeUninit::<Siv<N>>::zeroed();
    let bytes = place.as_ptr().cast::<u8>();
    let count = || {
        // SAFETY: all bytes of `place` were initialized; volatile, since the object may be dead.
        (0..size_of::<Siv<N>>())
            .filter(|i| unsafe { bytes.add(*i).read_volatile() } != 0)
            .count()
    };
    // SAFETY: `place` is valid for writes and holds nothing that had to be dropped.
    unsafe { place.as_mut_ptr().write(siv) };
    let before = count();
    // SAFETY: it was written above, is dropped once, and nobody uses it afterwards.
    unsafe { ptr::drop_in_place(place.as_mut_ptr()) };
    [before, count()]
}

#[test]
fn dropped_keys_are_wiped() {
    // Two chains of 32 bytes each. The rest, two counters and the backend, is no secret.
    let key = [0xa7; 32];
    for [before, after] in [
        nonzero_bytes(Siv128::new(&key)),
        nonzero_bytes(Siv256::new(&key)),
    ] {
        assert!(before >= 60, "{before}: there was nothing to wipe");
        assert!(after <= 8, "{after} bytes are left");
    }
}
