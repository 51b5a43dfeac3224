//! Memory of a value, looked at while it is there and after it was dropped.
#![allow(dead_code)] // each test file takes what it needs

use std::{mem::MaybeUninit, ptr};

/// A value in memory that outlives it.
pub struct Place<T> {
    memory: Box<MaybeUninit<T>>,
}

impl<T> Place<T> {
    pub fn new(value: T) -> Self {
        let mut memory = Box::new(MaybeUninit::zeroed());
        memory.write(value);
        Place { memory }
    }

    pub fn value(&mut self) -> &mut T {
        // SAFETY: `new` has written it, and whoever drops it has no place any more.
        unsafe { self.memory.assume_init_mut() }
    }

    /// Whether eight bytes in a row of `secret` are there.
    pub fn holds(&self, secret: &[u8]) -> bool {
        holds(&self.bytes(), secret)
    }

    /// What the memory looks like once the value is dropped.
    pub fn after_drop(mut self) -> Dropped {
        // SAFETY: `new` has written it, and nobody drops it again: `MaybeUninit` does not.
        unsafe { ptr::drop_in_place(self.memory.as_mut_ptr()) };
        Dropped(self.bytes())
    }

    fn bytes(&self) -> Vec<u8> {
        let start = self.memory.as_ptr().cast::<u8>();
        // SAFETY: all of them lie in the box. Read as volatile: what a drop wrote must be there, and
        // padding is what it is.
        (0..size_of::<T>())
            .map(|at| unsafe { start.add(at).read_volatile() })
            .collect()
    }
}

/// The bytes where a value was.
pub struct Dropped(Vec<u8>);

impl Dropped {
    pub fn holds(&self, secret: &[u8]) -> bool {
        holds(&self.0, secret)
    }
}

/// Drops `value` after some use. Each secret must be there before, or nothing is said by its absence after.
#[track_caller]
pub fn assert_wiped<T>(what: &str, value: T, work: impl FnOnce(&mut T), secrets: &[&[u8]]) {
    let mut place = Place::new(value);
    work(place.value());
    for (n, secret) in secrets.iter().enumerate() {
        assert!(
            place.holds(secret),
            "{what}: secret {n} is not where it is looked for"
        );
    }
    let dropped = place.after_drop();
    for (n, secret) in secrets.iter().enumerate() {
        assert!(!dropped.holds(secret), "{what}: secret {n} is left");
    }
}

/// Drops `value`, which differs from `other` in its key alone. The words that differ, at least so many bytes of
/// them, are zeros then. For keys that are kept in a form that no test computes.
#[track_caller]
pub fn assert_differences_wiped<T>(what: &str, value: T, other: T, least: usize) {
    let (value, other) = (Place::new(value), Place::new(other).bytes());
    let before = value.bytes();
    // In every byte: padding may differ too, and shares its word with what it follows.
    let len = align_of::<T>();
    let secret: Vec<_> = (0..before.len())
        .step_by(len)
        .filter(|at| (*at..at + len).all(|at| before[at] != other[at]))
        .collect();
    assert!(
        secret.len() * len >= least,
        "{what}: of the key are {} words of {len}",
        secret.len()
    );
    let Dropped(after) = value.after_drop();
    for at in secret {
        let word = &after[at..at + len];
        assert!(
            word.iter().all(|byte| *byte == 0),
            "{what}: {word:x?} left at {at}"
        );
    }
}

/// As bytes, or as words of four or eight of them in the machine's order.
fn holds(memory: &[u8], secret: &[u8]) -> bool {
    let found = |secret: &[u8]| {
        let mut windows = secret
            .windows(8)
            .filter(|window| window.iter().any(|byte| *byte != 0));
        windows.any(|window| memory.windows(8).any(|bytes| bytes == window))
    };
    let swapped = |len: usize| -> Vec<u8> {
        secret
            .chunks(len)
            .flat_map(|word| word.iter().rev().copied())
            .collect()
    };
    assert!(secret.len() >= 8, "a secret worth looking for");
    found(secret) || cfg!(target_endian = "big") && (found(&swapped(4)) || found(&swapped(8)))
}
