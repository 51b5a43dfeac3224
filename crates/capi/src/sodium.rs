//! libsodium's names: what a program that is linked with libsodium calls, done here.
//!
//! The ABI is that of its headers, the behaviour that of its sources (1.0.18 and later), to what stays of a
//! failure. What libsodium does with overlapping buffers is defined here wherever it is there, and elsewhere
//! as if the input had been copied first.
//!
//! There is no error for misuse. Where libsodium would end the process, so does this: for a message that is too
//! long, for NULL where bytes are wanted, and without random bytes.

mod aead;
mod secretstream;

use crate::memory;
use core::{
    ffi::{c_int, c_ulonglong},
    slice,
};
use ss55_aead::InOutBuf;
use zeroize::Zeroizing;

/// What failed functions answer.
const FAILED: c_int = -1;

/// Ends the process: the caller broke the rules.
fn misuse() -> ! {
    std::process::abort()
}

/// `value`, or the end of the process.
fn or_misuse<T, E>(value: Result<T, E>) -> T {
    value.unwrap_or_else(|_| misuse())
}

/// A length that is not above `max`, or the end of the process.
fn length(len: c_ulonglong, max: u64) -> usize {
    let len = usize::try_from(len).ok().filter(|len| *len as u64 <= max);
    len.unwrap_or_else(|| misuse())
}

/// A length with no maximum of its own.
fn any_length(len: c_ulonglong) -> usize {
    length(len, isize::MAX as u64)
}

/// The ad, or a copy of it where the output is going to overwrite it.
enum Ad<'a> {
    Lent(&'a [u8]),
    /// It may have been plaintext.
    Own(Zeroizing<Vec<u8>>),
}

impl Ad<'_> {
    /// # Safety
    /// `ad` points to `ad_len` bytes, which stay as they are if they are not among the `out_len` at `out`.
    unsafe fn new(ad: *const u8, ad_len: usize, out: *const u8, out_len: usize) -> Self {
        // SAFETY: the caller vouches for it; the copy is made before anything is written.
        let bytes = or_misuse(unsafe { memory::input(ad, ad_len) });
        if memory::overlap(ad, ad_len, out, out_len) {
            Ad::Own(Zeroizing::new(bytes.to_vec()))
        } else {
            Ad::Lent(bytes)
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Ad::Lent(bytes) => bytes,
            Ad::Own(bytes) => bytes,
        }
    }
}

/// `len` bytes to be worked on from `from` to `to`. Where the two overlap, but are not the same, the bytes are
/// moved to `to` first.
///
/// # Safety
/// Both point to `len` bytes, which nobody else uses for as long as `'a`.
unsafe fn moved<'a>(from: *const u8, to: *mut u8, len: usize) -> InOutBuf<'a, 'a, u8> {
    if len == 0 {
        return InOutBuf::from(&mut [][..]);
    }
    if from.is_null() || to.is_null() {
        misuse();
    }
    // SAFETY: the caller vouches for both; a slice of the one is alive with a slice of the other only where
    // they have no byte in common.
    unsafe {
        if !memory::overlap(from, len, to, len) {
            let to = slice::from_raw_parts_mut(to, len);
            return InOutBuf::new(slice::from_raw_parts(from, len), to).expect("of one length");
        }
        // Does nothing where they are the same.
        to.copy_from(from, len);
        slice::from_raw_parts_mut(to, len).into()
    }
}

/// Fills `len` bytes at `place` from the operating system's random source, whatever source libsodium was told to
/// use.
///
/// # Safety
/// `place` is NULL or has room for them.
unsafe fn random(place: *mut u8, len: usize) {
    // SAFETY: the caller vouches for it.
    let bytes = or_misuse(unsafe { memory::output(place, len) });
    or_misuse(getrandom::fill(bytes));
}

/// Functions that answer a constant.
macro_rules! constants {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name() -> $type {
                $value
            }
        )*
    };
}
use constants;
