//! Streams that read and write through the caller's functions.

use crate::{
    error::ss55_error::{self, SS55_END, SS55_ERROR_NULL, SS55_OK},
    handle::Handle,
    memory::{self, input, output, put},
    stream::{Reader, Writer},
};
use core::ffi::c_void;
use std::io::{self, Read, Write};

/// What a callback answers if it would have to wait: nothing is lost, and the call that it is part of answers
/// `SS55_ERROR_AGAIN`.
pub const SS55_CALLBACK_AGAIN: isize = -2;

/// Takes up to `len` bytes from `data`, at least one, and answers how many. A negative answer is a failure, after
/// which it is not called again, or `SS55_CALLBACK_AGAIN`; so is 0.
///
/// It must return: no `longjmp`, no C++ exception. It must not use the handle whose call it is part of.
#[allow(non_camel_case_types)]
pub type ss55_write_callback =
    Option<unsafe extern "C-unwind" fn(user: *mut c_void, data: *const u8, len: usize) -> isize>;

/// Puts up to `len` bytes at `data` and answers how many: 0 is the end of the input. A negative answer is a
/// failure, after which it is not called again, or `SS55_CALLBACK_AGAIN`.
///
/// It must return: no `longjmp`, no C++ exception. It must not use the handle whose call it is part of.
#[allow(non_camel_case_types)]
pub type ss55_read_callback =
    Option<unsafe extern "C-unwind" fn(user: *mut c_void, data: *mut u8, len: usize) -> isize>;

type WriteFn = unsafe extern "C-unwind" fn(*mut c_void, *const u8, usize) -> isize;
type ReadFn = unsafe extern "C-unwind" fn(*mut c_void, *mut u8, usize) -> isize;

/// A function of the caller's, and what it wants to be told.
struct Callback<F> {
    call: F,
    user: *mut c_void,
}

impl<F> Callback<F> {
    fn new(call: Option<F>, user: *mut c_void) -> Result<Self, ss55_error> {
        let call = call.ok_or(SS55_ERROR_NULL)?;
        Ok(Callback { call, user })
    }
}

impl Write for Callback<WriteFn> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        // SAFETY: the caller gave this function for such calls, with this pointer.
        count(unsafe { (self.call)(self.user, data.as_ptr(), data.len()) })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Callback<ReadFn> {
    fn read(&mut self, data: &mut [u8]) -> io::Result<usize> {
        // SAFETY: as above; the stream's buffer is initialized, however little of it is written.
        count(unsafe { (self.call)(self.user, data.as_mut_ptr(), data.len()) })
    }
}

/// That it is not too many the stream checks.
fn count(answer: isize) -> io::Result<usize> {
    usize::try_from(answer).map_err(|_| {
        if answer == SS55_CALLBACK_AGAIN {
            io::ErrorKind::WouldBlock.into()
        } else {
            io::ErrorKind::Other.into()
        }
    })
}

/// A stream that is written through a callback.
#[allow(non_camel_case_types)]
pub struct ss55_encryptor {
    _opaque: [u8; 0],
}

/// A stream that is read through a callback.
#[allow(non_camel_case_types)]
pub struct ss55_decryptor {
    _opaque: [u8; 0],
}

/// What an `ss55_encryptor *` points to is a handle to this.
type Encryptor = Writer<Callback<WriteFn>>;
/// What an `ss55_decryptor *` points to is a handle to this.
type Decryptor = Reader<Callback<ReadFn>>;

/// A new SS55 v2 stream under the 32 bytes at `key`, at `*encryptor`; NULL is there after an error. `ad` is
/// authenticated with each frame of data and does not travel. `user` is handed to `write`.
///
/// Nothing is written before the first write, flush or finish.
///
/// # Safety
/// Pointers are as the head of this file says; `write` keeps its promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_encryptor_new_v2(
    encryptor: *mut *mut ss55_encryptor,
    key: *const u8,
    ad: *const u8,
    ad_len: usize,
    write: ss55_write_callback,
    user: *mut c_void,
) -> ss55_error {
    // SAFETY: the pointer is one to a handle; the caller vouches for all pointers.
    unsafe {
        Handle::create(encryptor.cast(), || {
            let (key, ad) = (memory::key(key)?, input(ad, ad_len)?);
            Ok(Writer::v2(Callback::new(write, user)?, &key, ad))
        })
    }
}

/// As `ss55_encryptor_new_v2`, but in libsodium's layout with `chunk_size` bytes of plaintext in a chunk: 0
/// stands for 8192, and 2^30 is the most.
///
/// # Safety
/// Pointers are as the head of this file says; `write` keeps its promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_encryptor_new_libsodium(
    encryptor: *mut *mut ss55_encryptor,
    key: *const u8,
    chunk_size: usize,
    write: ss55_write_callback,
    user: *mut c_void,
) -> ss55_error {
    // SAFETY: the pointer is one to a handle; the caller vouches for all pointers.
    unsafe {
        Handle::create(encryptor.cast(), || {
            let key = memory::key(key)?;
            Writer::libsodium(Callback::new(write, user)?, &key, chunk_size)
        })
    }
}

/// Encrypts `len` bytes at `data`. `*written`, unless it is NULL, says how many were taken: all, if the answer is
/// `SS55_OK`. After `SS55_ERROR_AGAIN` go on with the rest.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_encryptor_write(
    encryptor: *mut ss55_encryptor,
    data: *const u8,
    len: usize,
    written: *mut usize,
) -> ss55_error {
    let mut taken = 0;
    // SAFETY: the caller vouches for the handle and the data.
    let answer = unsafe {
        Handle::enter(encryptor.cast(), |stream: &mut Encryptor| {
            let mut rest = input(data, len)?;
            // A write of nothing too hands on what is pending.
            loop {
                let n = stream.write(rest)?;
                taken += n;
                rest = &rest[n..];
                if rest.is_empty() {
                    return Ok(SS55_OK);
                }
            }
        })
    };
    // SAFETY: the caller vouches for it.
    unsafe { put(written, taken) };
    answer
}

/// Hands on what was taken so far: in SS55 v2 as a shorter frame. In libsodium's layout what does not fill a
/// chunk stays.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_encryptor_flush(encryptor: *mut ss55_encryptor) -> ss55_error {
    // SAFETY: the caller vouches for the handle.
    unsafe {
        Handle::enter(encryptor.cast(), |stream: &mut Encryptor| {
            stream.flush().map(|()| SS55_OK)
        })
    }
}

/// Ends the stream. Without this it is truncated for its reader. Once it has answered `SS55_OK`, it does nothing
/// more.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_encryptor_finish(encryptor: *mut ss55_encryptor) -> ss55_error {
    // SAFETY: the caller vouches for the handle.
    unsafe {
        Handle::enter(encryptor.cast(), |stream: &mut Encryptor| {
            stream.close().map(|()| SS55_OK)
        })
    }
}

/// Wipes the key and what plaintext there is, and frees the handle. NULL is nothing to free. It calls no callback
/// and ends no stream.
///
/// # Safety
/// Pointers are as the head of this file says; nobody uses the handle afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_encryptor_free(encryptor: *mut ss55_encryptor) {
    // SAFETY: the pointer is one to a handle; the caller vouches for it.
    unsafe { Handle::<Encryptor>::free(encryptor.cast()) }
}

/// A new reader of an SS55 v2 stream under the 32 bytes at `key`, at `*decryptor`; NULL is there after an error.
/// `ad` is what the writer gave. `user` is handed to `read`, which is not called before the first read.
///
/// # Safety
/// Pointers are as the head of this file says; `read` keeps its promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_decryptor_new_v2(
    decryptor: *mut *mut ss55_decryptor,
    key: *const u8,
    ad: *const u8,
    ad_len: usize,
    read: ss55_read_callback,
    user: *mut c_void,
) -> ss55_error {
    // SAFETY: the pointer is one to a handle; the caller vouches for all pointers.
    unsafe {
        Handle::create(decryptor.cast(), || {
            let (key, ad) = (memory::key(key)?, input(ad, ad_len)?);
            Ok(Reader::v2(Callback::new(read, user)?, &key, ad))
        })
    }
}

/// As `ss55_decryptor_new_v2`, but for libsodium's layout with `chunk_size` bytes of plaintext in a chunk: 0
/// stands for 8192, and 2^30 is the most.
///
/// # Safety
/// Pointers are as the head of this file says; `read` keeps its promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_decryptor_new_libsodium(
    decryptor: *mut *mut ss55_decryptor,
    key: *const u8,
    chunk_size: usize,
    read: ss55_read_callback,
    user: *mut c_void,
) -> ss55_error {
    // SAFETY: the pointer is one to a handle; the caller vouches for all pointers.
    unsafe {
        Handle::create(decryptor.cast(), || {
            let key = memory::key(key)?;
            Reader::libsodium(Callback::new(read, user)?, &key, chunk_size)
        })
    }
}

/// Puts up to `len` bytes of authentic plaintext at `data` and their number at `*count`.
///
/// `SS55_END` says that the stream has ended and is whole; only then is what came out more than a beginning. With
/// `SS55_OK` there is at least one byte, unless `len` is 0. With an error `*count` is 0. Until it returns, and
/// behind `*count`, `data` may hold what is not authentic.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_decryptor_read(
    decryptor: *mut ss55_decryptor,
    data: *mut u8,
    len: usize,
    count: *mut usize,
) -> ss55_error {
    let mut taken = 0;
    // SAFETY: the caller vouches for the handle and the memory.
    let answer = unsafe {
        Handle::enter(decryptor.cast(), |stream: &mut Decryptor| {
            if count.is_null() {
                return Err(SS55_ERROR_NULL);
            }
            let out = output(data, len)?;
            taken = stream.read(out)?;
            Ok(if taken == 0 && len > 0 {
                SS55_END
            } else {
                SS55_OK
            })
        })
    };
    // SAFETY: the caller vouches for it.
    unsafe { put(count, taken) };
    answer
}

/// Wipes the key and what plaintext there is, and frees the handle. NULL is nothing to free; a handle in use, in
/// whose callback this is, stays.
///
/// # Safety
/// Pointers are as the head of this file says; nobody uses the handle afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_decryptor_free(decryptor: *mut ss55_decryptor) {
    // SAFETY: the pointer is one to a handle; the caller vouches for it.
    unsafe { Handle::<Decryptor>::free(decryptor.cast()) }
}
