//! Streams without callbacks: bytes are pushed in and come out where there is room.
//!
//! They are the streams over `Write` and `Read` with a window on the caller's buffer as the inner side, which
//! says `WouldBlock` where the window ends.

use crate::{
    error::ss55_error::{
        self, SS55_ERROR_AGAIN, SS55_ERROR_FINISHED, SS55_ERROR_NULL, SS55_ERROR_OVERLAP, SS55_OK,
        SS55_OUTPUT_FULL,
    },
    handle::Handle,
    memory::{self, input, output, overlap, put},
    stream::{Reader, Writer},
};
use core::ptr;
use std::io::{self, Read, Write};

/// Room for sealed bytes, for as long as one call.
struct Outlet {
    next: *mut u8,
    room: usize,
}

impl Outlet {
    const CLOSED: Outlet = Outlet {
        next: ptr::null_mut(),
        room: 0,
    };
}

impl Write for Outlet {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let n = data.len().min(self.room);
        if n == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        // SAFETY: `next` has room for n bytes, which the C caller owns for the length of this call, and which
        // are none of this library's.
        unsafe {
            self.next.copy_from_nonoverlapping(data.as_ptr(), n);
            self.next = self.next.add(n);
        }
        self.room -= n;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sealed bytes that are there, for as long as one call.
struct Inlet {
    next: *const u8,
    len: usize,
    /// Nothing comes after them.
    ended: bool,
}

impl Inlet {
    const NOTHING: Inlet = Inlet {
        next: ptr::null(),
        len: 0,
        ended: false,
    };
}

impl Read for Inlet {
    fn read(&mut self, data: &mut [u8]) -> io::Result<usize> {
        let n = data.len().min(self.len);
        if n == 0 && !self.ended {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        if n > 0 {
            // SAFETY: at `next` are n bytes, which the C caller lends for the length of this call, and which
            // are none of this library's.
            unsafe {
                self.next.copy_to_nonoverlapping(data.as_mut_ptr(), n);
                self.next = self.next.add(n);
            }
            self.len -= n;
        }
        Ok(n)
    }
}

/// A stream that is sealed from buffer to buffer.
#[allow(non_camel_case_types)]
pub struct ss55_sealer {
    _opaque: [u8; 0],
}

/// A stream that is opened from buffer to buffer.
#[allow(non_camel_case_types)]
pub struct ss55_opener {
    _opaque: [u8; 0],
}

/// What an `ss55_sealer *` points to is a handle to this.
type Sealer = Writer<Outlet>;
/// What an `ss55_opener *` points to is a handle to this.
type Opener = Reader<Inlet>;

/// A new SS55 v2 stream under the 32 bytes at `key`, at `*sealer`; NULL is there after an error. `ad` is
/// authenticated with each frame of data and does not travel.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_sealer_new_v2(
    sealer: *mut *mut ss55_sealer,
    key: *const u8,
    ad: *const u8,
    ad_len: usize,
) -> ss55_error {
    // SAFETY: the pointer is one to a handle; the caller vouches for all pointers.
    unsafe {
        Handle::create(sealer.cast(), || {
            let (key, ad) = (memory::key(key)?, input(ad, ad_len)?);
            Ok(Writer::v2(Outlet::CLOSED, &key, ad))
        })
    }
}

/// As `ss55_sealer_new_v2`, but in libsodium's layout with `chunk_size` bytes of plaintext in a chunk: 0 stands
/// for 8192, and 2^30 is the most.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_sealer_new_libsodium(
    sealer: *mut *mut ss55_sealer,
    key: *const u8,
    chunk_size: usize,
) -> ss55_error {
    // SAFETY: the pointer is one to a handle; the caller vouches for all pointers.
    unsafe {
        Handle::create(sealer.cast(), || {
            let key = memory::key(key)?;
            Writer::libsodium(Outlet::CLOSED, &key, chunk_size)
        })
    }
}

/// Takes plaintext from `source` and puts sealed bytes at `out`; how many, say `*source_used` and `*out_used`. It stops
/// where all is taken or `out` is full: call again with the rest and more room until `*source_used` is `source_len`.
/// Sealed bytes may stay inside until a later call has room for them.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_sealer_push(
    sealer: *mut ss55_sealer,
    source: *const u8,
    source_len: usize,
    source_used: *mut usize,
    out: *mut u8,
    out_len: usize,
    out_used: *mut usize,
) -> ss55_error {
    let mut taken = 0;
    // SAFETY: the caller vouches for the handle and the memory.
    let answer = unsafe {
        seal(sealer, out, out_len, out_used, |stream| {
            if source_used.is_null() {
                return Err(SS55_ERROR_NULL);
            }
            if overlap(source, source_len, out, out_len) {
                return Err(SS55_ERROR_OVERLAP);
            }
            let mut rest = input(source, source_len)?;
            loop {
                match stream.write(rest) {
                    Ok(n) => {
                        taken += n;
                        rest = &rest[n..];
                    }
                    Err(SS55_ERROR_AGAIN) => return Ok(SS55_OK),
                    Err(error) => return Err(error),
                }
                if rest.is_empty() {
                    return Ok(SS55_OK);
                }
            }
        })
    };
    // SAFETY: the caller vouches for it.
    unsafe { put(source_used, taken) };
    answer
}

/// Puts at `out` all that was taken so far, in SS55 v2 as a shorter frame; in libsodium's layout what does not
/// fill a chunk stays. After `SS55_OUTPUT_FULL`, call again with more room.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_sealer_flush(
    sealer: *mut ss55_sealer,
    out: *mut u8,
    out_len: usize,
    out_used: *mut usize,
) -> ss55_error {
    // SAFETY: the caller vouches for the handle and the memory.
    unsafe {
        seal(sealer, out, out_len, out_used, |stream| {
            full(stream.flush())
        })
    }
}

/// Ends the stream and puts at `out` what is left of it. After `SS55_OUTPUT_FULL`, call again with more room;
/// `SS55_OK` says that all is out.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_sealer_finish(
    sealer: *mut ss55_sealer,
    out: *mut u8,
    out_len: usize,
    out_used: *mut usize,
) -> ss55_error {
    // SAFETY: the caller vouches for the handle and the memory.
    unsafe {
        seal(sealer, out, out_len, out_used, |stream| {
            full(stream.close())
        })
    }
}

/// Wipes the key and what plaintext there is, and frees the handle. NULL is nothing to free.
///
/// # Safety
/// Pointers are as the head of this file says; nobody uses the handle afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_sealer_free(sealer: *mut ss55_sealer) {
    // SAFETY: the pointer is one to a handle; the caller vouches for it.
    unsafe { Handle::<Sealer>::free(sealer.cast()) }
}

/// A new reader of an SS55 v2 stream under the 32 bytes at `key`, at `*opener`; NULL is there after an error.
/// `ad` is what the writer gave.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_opener_new_v2(
    opener: *mut *mut ss55_opener,
    key: *const u8,
    ad: *const u8,
    ad_len: usize,
) -> ss55_error {
    // SAFETY: the pointer is one to a handle; the caller vouches for all pointers.
    unsafe {
        Handle::create(opener.cast(), || {
            let (key, ad) = (memory::key(key)?, input(ad, ad_len)?);
            Ok(Reader::v2(Inlet::NOTHING, &key, ad))
        })
    }
}

/// As `ss55_opener_new_v2`, but for libsodium's layout with `chunk_size` bytes of plaintext in a chunk: 0 stands
/// for 8192, and 2^30 is the most.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_opener_new_libsodium(
    opener: *mut *mut ss55_opener,
    key: *const u8,
    chunk_size: usize,
) -> ss55_error {
    // SAFETY: the pointer is one to a handle; the caller vouches for all pointers.
    unsafe {
        Handle::create(opener.cast(), || {
            let key = memory::key(key)?;
            Reader::libsodium(Inlet::NOTHING, &key, chunk_size)
        })
    }
}

/// Takes sealed bytes from `source` and puts authentic plaintext at `out`; how many, say `*source_used` and `*out_used`.
/// It stops where all is taken or `out` is full: call again with the rest and more room until `*source_used` is
/// `source_len`. Without room at `out` it does nothing.
///
/// With an error, `*out_used` bytes of authentic plaintext came before what is wrong.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_opener_push(
    opener: *mut ss55_opener,
    source: *const u8,
    source_len: usize,
    source_used: *mut usize,
    out: *mut u8,
    out_len: usize,
    out_used: *mut usize,
) -> ss55_error {
    let (mut taken, mut given) = (0, 0);
    // SAFETY: the caller vouches for the handle and the memory.
    let answer = unsafe {
        Handle::enter(opener.cast(), |stream: &mut Opener| {
            if source_used.is_null() || out_used.is_null() {
                return Err(SS55_ERROR_NULL);
            }
            if overlap(source, source_len, out, out_len) {
                return Err(SS55_ERROR_OVERLAP);
            }
            let (bytes, out) = (input(source, source_len)?, output(out, out_len)?);
            let inlet = stream.inner_mut();
            if inlet.ended {
                return Err(SS55_ERROR_FINISHED);
            }
            inlet.next = bytes.as_ptr();
            inlet.len = bytes.len();
            let end = fill(stream, out, &mut given);
            let inlet = stream.inner_mut();
            taken = bytes.len() - inlet.len;
            *inlet = Inlet::NOTHING;
            match end {
                Ok(()) | Err(SS55_ERROR_AGAIN) => Ok(SS55_OK),
                Err(error) => Err(error),
            }
        })
    };
    // SAFETY: the caller vouches for both.
    unsafe {
        put(source_used, taken);
        put(out_used, given);
    }
    answer
}

/// Says that the input has ended, and puts at `out` what plaintext is left. After `SS55_OUTPUT_FULL`, call again
/// with more room; `SS55_OK` says that the stream is whole. Only then is what came out more than a beginning.
///
/// # Safety
/// Pointers are as the head of this file says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_opener_finish(
    opener: *mut ss55_opener,
    out: *mut u8,
    out_len: usize,
    out_used: *mut usize,
) -> ss55_error {
    let mut given = 0;
    // SAFETY: the caller vouches for the handle and the memory.
    let answer = unsafe {
        Handle::enter(opener.cast(), |stream: &mut Opener| {
            if out_used.is_null() {
                return Err(SS55_ERROR_NULL);
            }
            let out = output(out, out_len)?;
            stream.inner_mut().ended = true;
            fill(stream, out, &mut given)?;
            Ok(if stream.is_at_end()? {
                SS55_OK
            } else {
                SS55_OUTPUT_FULL
            })
        })
    };
    // SAFETY: the caller vouches for it.
    unsafe { put(out_used, given) };
    answer
}

/// Wipes the key and what plaintext there is, and frees the handle. NULL is nothing to free.
///
/// # Safety
/// Pointers are as the head of this file says; nobody uses the handle afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ss55_opener_free(opener: *mut ss55_opener) {
    // SAFETY: the pointer is one to a handle; the caller vouches for it.
    unsafe { Handle::<Opener>::free(opener.cast()) }
}

/// Lets `call` work on a stream that writes to `out`, and says how much that was.
///
/// # Safety
/// The pointers are as the head of the header says.
unsafe fn seal(
    sealer: *mut ss55_sealer,
    out: *mut u8,
    out_len: usize,
    out_used: *mut usize,
    call: impl FnOnce(&mut Writer<Outlet>) -> Result<ss55_error, ss55_error>,
) -> ss55_error {
    let mut given = 0;
    // SAFETY: the caller vouches for the handle and the memory.
    let answer = unsafe {
        Handle::enter(sealer.cast(), |stream: &mut Sealer| {
            if out_used.is_null() {
                return Err(SS55_ERROR_NULL);
            }
            let room = output(out, out_len)?;
            *stream.inner_mut() = Outlet {
                next: room.as_mut_ptr(),
                room: room.len(),
            };
            let answer = call(stream);
            given = room.len() - stream.inner_mut().room;
            *stream.inner_mut() = Outlet::CLOSED;
            answer
        })
    };
    // SAFETY: the caller vouches for it.
    unsafe { put(out_used, given) };
    answer
}

/// The writer would have waited for room.
fn full(result: Result<(), ss55_error>) -> Result<ss55_error, ss55_error> {
    match result {
        Ok(()) => Ok(SS55_OK),
        Err(SS55_ERROR_AGAIN) => Ok(SS55_OUTPUT_FULL),
        Err(error) => Err(error),
    }
}

/// Reads until `out` is full or the stream ends, and counts in `given`.
fn fill(stream: &mut Reader<Inlet>, out: &mut [u8], given: &mut usize) -> Result<(), ss55_error> {
    while *given < out.len() {
        match stream.read(&mut out[*given..])? {
            0 => break,
            n => *given += n,
        }
    }
    Ok(())
}
