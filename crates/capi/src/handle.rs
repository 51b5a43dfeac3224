//! What a handle points to.

use crate::error::ss55_error::{
    self, SS55_ERROR_BUSY, SS55_ERROR_INTERNAL, SS55_ERROR_NULL, SS55_OK,
};
use core::{
    cell::UnsafeCell,
    ptr,
    sync::atomic::{AtomicU8, Ordering},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

const IDLE: u8 = 0;
const BUSY: u8 = 1;
const BROKEN: u8 = 2;

/// A value that one call at a time works on, and none after a panic.
pub(crate) struct Handle<T> {
    state: AtomicU8,
    value: UnsafeCell<T>,
}

impl<T> Handle<T> {
    /// Puts a new handle to what `make` makes at `place`; NULL, if it makes nothing.
    ///
    /// # Safety
    /// `place` is NULL or a place for a pointer.
    pub(crate) unsafe fn create(
        place: *mut *mut Self,
        make: impl FnOnce() -> Result<T, ss55_error>,
    ) -> ss55_error {
        if place.is_null() {
            return SS55_ERROR_NULL;
        }
        let mut handle = ptr::null_mut();
        let answer = guarded(|| {
            handle = Box::into_raw(Box::new(Handle {
                state: AtomicU8::new(IDLE),
                value: UnsafeCell::new(make()?),
            }));
            Ok(SS55_OK)
        });
        // SAFETY: not null; the caller vouches for the rest.
        unsafe { place.write(handle) };
        answer
    }

    /// Lets `call` work on the value.
    ///
    /// # Safety
    /// `handle` is NULL, or came from [`create`](Self::create) and was not freed.
    pub(crate) unsafe fn enter(
        handle: *mut Self,
        call: impl FnOnce(&mut T) -> Result<ss55_error, ss55_error>,
    ) -> ss55_error {
        // SAFETY: the caller vouches for what is not null.
        let Some(handle) = (unsafe { handle.as_ref() }) else {
            return SS55_ERROR_NULL;
        };
        let (acquire, relaxed) = (Ordering::Acquire, Ordering::Relaxed);
        match (handle.state).compare_exchange(IDLE, BUSY, acquire, relaxed) {
            Ok(_) => {}
            Err(BUSY) => return SS55_ERROR_BUSY,
            Err(_) => return SS55_ERROR_INTERNAL,
        }
        let mut after = BROKEN;
        let answer = guarded(|| {
            // SAFETY: whoever turned IDLE into BUSY has the value for itself until it is turned back.
            let answer = call(unsafe { &mut *handle.value.get() });
            after = IDLE;
            answer
        });
        handle.state.store(after, Ordering::Release);
        answer
    }

    /// Drops the value, which wipes its secrets, and gives the memory back. A handle in use stays.
    ///
    /// # Safety
    /// As [`enter`](Self::enter); nobody uses the handle afterwards.
    pub(crate) unsafe fn free(handle: *mut Self) {
        // SAFETY: the caller vouches for what is not null.
        let Some(shared) = (unsafe { handle.as_ref() }) else {
            return;
        };
        if shared.state.swap(BUSY, Ordering::Acquire) != BUSY {
            // SAFETY: it came from Box::into_raw, and nobody is inside.
            let owned = unsafe { Box::from_raw(handle) };
            guarded(|| {
                drop(owned);
                Ok(SS55_OK)
            });
        }
    }
}

/// Answers for `call`, a panic too.
pub(crate) fn guarded(call: impl FnOnce() -> Result<ss55_error, ss55_error>) -> ss55_error {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(answer) | Err(answer)) => answer,
        Err(_) => SS55_ERROR_INTERNAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ss55_error::{SS55_END, SS55_ERROR_ARGUMENT};

    fn handle() -> *mut Handle<u8> {
        let mut handle = ptr::null_mut();
        // SAFETY: a place for a pointer.
        let answer = unsafe { Handle::create(&raw mut handle, || Ok(1)) };
        assert_eq!(answer, SS55_OK);
        handle
    }

    #[test]
    fn a_panic_is_an_answer_and_stays() {
        let handle = handle();
        // SAFETY: from create, freed at the end.
        unsafe {
            assert_eq!(Handle::enter(handle, |_| Ok(SS55_END)), SS55_END);
            let panics = Handle::enter(handle, |_| panic!("on purpose"));
            assert_eq!(panics, SS55_ERROR_INTERNAL);
            let later = Handle::enter(handle, |_| Ok(SS55_OK));
            assert_eq!(later, SS55_ERROR_INTERNAL);
            Handle::free(handle);
        }
    }

    #[test]
    fn a_call_inside_a_call_is_refused() {
        let handle = handle();
        // SAFETY: from create, freed at the end; the free inside is one of those refused.
        unsafe {
            let outer = Handle::enter(handle, |value| {
                assert_eq!(Handle::enter(handle, |_| Ok(SS55_OK)), SS55_ERROR_BUSY);
                Handle::free(handle);
                *value += 1;
                Ok(SS55_OK)
            });
            assert_eq!(outer, SS55_OK);
            let value = Handle::enter(handle, |value| {
                assert_eq!(*value, 2);
                Err(SS55_ERROR_ARGUMENT)
            });
            assert_eq!(value, SS55_ERROR_ARGUMENT);
            Handle::free(handle);
        }
    }

    #[test]
    fn null_is_refused_and_a_failed_create_gives_null() {
        let null = ptr::null_mut::<Handle<u8>>();
        let mut place = ptr::dangling_mut();
        // SAFETY: NULL is looked for; the place is one.
        unsafe {
            assert_eq!(Handle::enter(null, |_| Ok(SS55_OK)), SS55_ERROR_NULL);
            Handle::free(null);
            let no_place = Handle::create(ptr::null_mut(), || Ok(1));
            assert_eq!(no_place, SS55_ERROR_NULL);
            let failed = Handle::<u8>::create(&raw mut place, || Err(SS55_ERROR_ARGUMENT));
            assert_eq!(failed, SS55_ERROR_ARGUMENT);
        }
        assert!(place.is_null());
    }
}
