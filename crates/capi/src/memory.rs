//! The caller's memory.
//!
//! What every C function here asks of its caller, beyond what it says itself:
//! - a pointer with a length points to so many bytes, which nobody else writes meanwhile, and to write to which
//!   nobody else reads; it may be NULL where the length is 0;
//! - a pointer without a length is NULL or points to what its type or its documentation says;
//! - a handle is NULL, or came from its `new` and was not freed.

use crate::error::ss55_error::{self, SS55_ERROR_NULL, SS55_ERROR_TOO_LONG};
use core::slice;
use ss55_aead::Key;

/// The bytes at `data`.
///
/// # Safety
/// As the module says, for as long as `'a`.
pub(crate) unsafe fn input<'a>(data: *const u8, len: usize) -> Result<&'a [u8], ss55_error> {
    if len == 0 {
        return Ok(&[]);
    }
    check(data, len)?;
    // SAFETY: not null; the caller vouches for the rest, and no object is as large as 2^(bits - 1).
    Ok(unsafe { slice::from_raw_parts(data, len) })
}

/// The bytes at `data`, to write.
///
/// # Safety
/// As the module says, for as long as `'a`.
pub(crate) unsafe fn output<'a>(data: *mut u8, len: usize) -> Result<&'a mut [u8], ss55_error> {
    if len == 0 {
        return Ok(&mut []);
    }
    check(data, len)?;
    // SAFETY: not null; the caller vouches for the rest, and no object is as large as 2^(bits - 1).
    Ok(unsafe { slice::from_raw_parts_mut(data, len) })
}

/// A copy of the `N` bytes at `data`.
///
/// # Safety
/// `data` is NULL or points to so many.
pub(crate) unsafe fn array<const N: usize>(data: *const u8) -> Result<[u8; N], ss55_error> {
    check(data, N)?;
    // SAFETY: not null; the caller vouches for the bytes. Bytes are aligned anywhere.
    Ok(unsafe { data.cast::<[u8; N]>().read() })
}

/// The key at `data`, without a copy of it that nobody wipes.
///
/// # Safety
/// `data` is NULL or points to its 32 bytes.
pub(crate) unsafe fn key(data: *const u8) -> Result<Key, ss55_error> {
    // SAFETY: the caller vouches for the bytes, which are read here and now.
    let bytes = unsafe { input(data, Key::LEN)? };
    Ok(Key::try_from(bytes).expect("so many bytes"))
}

fn check(data: *const u8, len: usize) -> Result<(), ss55_error> {
    if data.is_null() {
        return Err(SS55_ERROR_NULL);
    }
    isize::try_from(len)
        .map(drop)
        .map_err(|_| SS55_ERROR_TOO_LONG)
}

/// Whether two pieces of memory have a byte in common.
pub(crate) fn overlap(a: *const u8, a_len: usize, b: *const u8, b_len: usize) -> bool {
    let before_end = |x: *const u8, of: *const u8, len| x.addr().wrapping_sub(of.addr()) < len;
    // The one that begins later begins inside the other.
    a_len > 0 && b_len > 0 && (before_end(a, b, b_len) || before_end(b, a, a_len))
}

/// Writes `value` where the caller wants it.
///
/// # Safety
/// `place` is NULL or a place for it.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not null; the caller vouches for the rest.
        unsafe { place.write(value) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_those_of_sets_of_bytes() {
        let memory = [0_u8; 16];
        let at = |start: usize| memory[start..].as_ptr();
        for a in 0..8 {
            for b in 0..8 {
                for a_len in 0..6 {
                    for b_len in 0..6 {
                        let common = (a..a + a_len).any(|byte| (b..b + b_len).contains(&byte));
                        assert_eq!(overlap(at(a), a_len, at(b), b_len), common);
                    }
                }
            }
        }
    }

    #[test]
    fn null_goes_with_no_bytes_alone() {
        let null = core::ptr::null_mut();
        // SAFETY: NULL is looked for.
        unsafe {
            assert_eq!(input(null, 0), Ok(&[][..]));
            assert_eq!(output(null, 0), Ok(&mut [][..]));
            assert_eq!(input(null, 1), Err(SS55_ERROR_NULL));
            assert_eq!(output(null, 1), Err(SS55_ERROR_NULL));
            assert_eq!(array::<1>(null), Err(SS55_ERROR_NULL));
            assert!(matches!(key(null), Err(SS55_ERROR_NULL)));
            assert_eq!(key([7; 32].as_ptr()).unwrap().as_bytes(), &[7; 32]);
            assert_eq!(input([0].as_ptr(), usize::MAX), Err(SS55_ERROR_TOO_LONG));
        }
    }
}
