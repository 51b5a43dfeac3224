//! What a call can answer.

use core::ffi::{c_char, c_int};
use ss55_stream::Error as Stream;
use ss55_wire::Error as Wire;
use std::io;

/// What a call answers. `SS55_OK` is 0.
///
/// The errors of a stream stay: every later call that moves it answers the same. Those of the call alone do not:
/// `SS55_ERROR_NULL`, `SS55_ERROR_ARGUMENT`, `SS55_ERROR_OVERLAP`, `SS55_ERROR_BUSY`, `SS55_ERROR_FINISHED`
/// (also where more is pushed after an end that failed), and `SS55_ERROR_AGAIN` and `SS55_OUTPUT_FULL`, after
/// which the same call goes on. A call with no room for plaintext asks a stream nothing.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types)] // as C has them
pub enum ss55_error {
    /// Done.
    SS55_OK = 0,
    /// No error: the stream has ended as it should, authenticated to its end.
    SS55_END = 1,
    /// No error: there is more than the output took. Call again, with room.
    SS55_OUTPUT_FULL = 2,
    /// A pointer is NULL that must not be: a handle, a key, a place for a result, or data of a length that
    /// is not 0.
    SS55_ERROR_NULL = 3,
    /// An argument is out of range.
    SS55_ERROR_ARGUMENT = 4,
    /// Memory to read and memory to write overlap where they must not.
    SS55_ERROR_OVERLAP = 5,
    /// The handle is in use: by another thread, or by the call whose callback this is.
    SS55_ERROR_BUSY = 6,
    /// Wrong key, wrong ad, or changed data.
    SS55_ERROR_AUTHENTICATION = 7,
    /// The input ended before the stream did.
    SS55_ERROR_TRUNCATED = 8,
    /// The input goes on behind the stream's end.
    SS55_ERROR_TRAILING_DATA = 9,
    /// Not a stream of this format.
    SS55_ERROR_MALFORMED = 10,
    /// A later version of the format, or a flag that this library does not know.
    SS55_ERROR_UNSUPPORTED = 11,
    /// A message, an ad or a stream is longer than the format allows.
    SS55_ERROR_TOO_LONG = 12,
    /// The stream was ended by an earlier call.
    SS55_ERROR_FINISHED = 13,
    /// The callback failed, or claims more bytes than it was given.
    SS55_ERROR_CALLBACK = 14,
    /// The callback would have had to wait. Nothing is lost: make the same call again.
    SS55_ERROR_AGAIN = 15,
    /// The operating system gave no random bytes.
    SS55_ERROR_RANDOM = 16,
    /// A fault of this library. The handle can only be freed.
    SS55_ERROR_INTERNAL = 17,
}

#[allow(clippy::enum_glob_use)] // they carry their enum's name
use ss55_error::*;

/// All of them with a sentence each, in the order of their numbers.
const MESSAGES: &[(ss55_error, &core::ffi::CStr)] = &[
    (SS55_OK, c"done"),
    (SS55_END, c"the stream has ended, and is whole"),
    (SS55_OUTPUT_FULL, c"the output is full"),
    (SS55_ERROR_NULL, c"a pointer is NULL that must not be"),
    (SS55_ERROR_ARGUMENT, c"an argument is out of range"),
    (SS55_ERROR_OVERLAP, c"input and output overlap"),
    (SS55_ERROR_BUSY, c"the handle is in use"),
    (SS55_ERROR_AUTHENTICATION, c"authentication failed"),
    (SS55_ERROR_TRUNCATED, c"the stream is truncated"),
    (
        SS55_ERROR_TRAILING_DATA,
        c"data after the end of the stream",
    ),
    (SS55_ERROR_MALFORMED, c"not a stream of this format"),
    (
        SS55_ERROR_UNSUPPORTED,
        c"an unsupported version of the format",
    ),
    (SS55_ERROR_TOO_LONG, c"longer than the format allows"),
    (SS55_ERROR_FINISHED, c"the stream is finished"),
    (SS55_ERROR_CALLBACK, c"the callback failed"),
    (SS55_ERROR_AGAIN, c"the callback would have had to wait"),
    (SS55_ERROR_RANDOM, c"no random bytes"),
    (SS55_ERROR_INTERNAL, c"a fault of the library"),
];

/// A sentence for people, in English. Never NULL, and nothing to free: for a number that is none of
/// `ss55_error`, "unknown error".
#[unsafe(no_mangle)]
pub extern "C" fn ss55_error_message(error: c_int) -> *const c_char {
    let known = MESSAGES.iter().find(|(known, _)| *known as c_int == error);
    known
        .map_or(c"unknown error", |(_, message)| message)
        .as_ptr()
}

impl From<Wire> for ss55_error {
    fn from(error: Wire) -> Self {
        match error {
            Wire::Authentication => SS55_ERROR_AUTHENTICATION,
            Wire::Truncated => SS55_ERROR_TRUNCATED,
            Wire::TrailingData => SS55_ERROR_TRAILING_DATA,
            Wire::BadMagic | Wire::BadLength(_) | Wire::UnknownTag(_) => SS55_ERROR_MALFORMED,
            Wire::UnsupportedVersion(_) | Wire::UnsupportedFlags(_) => SS55_ERROR_UNSUPPORTED,
            Wire::SequenceOverflow | Wire::AdTooLong | Wire::MessageTooLong => SS55_ERROR_TOO_LONG,
            Wire::Finished => SS55_ERROR_FINISHED,
            // Nothing here hands out parts of streams or buffers of the wrong size.
            _ => SS55_ERROR_INTERNAL,
        }
    }
}

impl From<&Stream> for ss55_error {
    fn from(error: &Stream) -> Self {
        match error {
            Stream::Wire(error) => (*error).into(),
            Stream::Io(error) if error.kind() == io::ErrorKind::WouldBlock => SS55_ERROR_AGAIN,
            Stream::Io(_) | Stream::InnerContract => SS55_ERROR_CALLBACK,
            Stream::Random(_) => SS55_ERROR_RANDOM,
            _ => SS55_ERROR_INTERNAL,
        }
    }
}

impl From<Stream> for ss55_error {
    fn from(error: Stream) -> Self {
        (&error).into()
    }
}

impl From<io::Error> for ss55_error {
    fn from(error: io::Error) -> Self {
        let kind = error.kind();
        let inner = error.get_ref();
        match inner.and_then(|inner| inner.downcast_ref::<Stream>()) {
            Some(inner) => inner.into(),
            None if kind == io::ErrorKind::WouldBlock => SS55_ERROR_AGAIN,
            None => SS55_ERROR_CALLBACK,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ffi::CStr;

    #[test]
    fn each_number_has_its_own_message() {
        for (number, (error, message)) in (0..).zip(MESSAGES) {
            assert_eq!(*error as c_int, number);
            // SAFETY: a constant of this crate.
            let found = unsafe { CStr::from_ptr(ss55_error_message(number)) };
            assert_eq!(found, *message);
            let others = MESSAGES.iter().filter(|(_, other)| other == message);
            assert_eq!(others.count(), 1, "{message:?}");
        }
        assert_eq!(MESSAGES.len(), SS55_ERROR_INTERNAL as usize + 1);
        for unknown in [-1, SS55_ERROR_INTERNAL as c_int + 1, c_int::MIN, c_int::MAX] {
            // SAFETY: as above.
            let found = unsafe { CStr::from_ptr(ss55_error_message(unknown)) };
            assert_eq!(found, c"unknown error");
        }
    }

    #[test]
    fn errors_of_a_stream_come_through_io() {
        let code = |error: Stream| ss55_error::from(io::Error::from(error));
        assert_eq!(code(Wire::Truncated.into()), SS55_ERROR_TRUNCATED);
        assert_eq!(code(Wire::BadLength(1).into()), SS55_ERROR_MALFORMED);
        assert_eq!(
            code(Wire::UnsupportedFlags(1).into()),
            SS55_ERROR_UNSUPPORTED
        );
        assert_eq!(code(Wire::SequenceOverflow.into()), SS55_ERROR_TOO_LONG);
        assert_eq!(code(Stream::InnerContract), SS55_ERROR_CALLBACK);
        let again = io::Error::from(io::ErrorKind::WouldBlock);
        assert_eq!(code(Stream::Io(again)), SS55_ERROR_AGAIN);
        assert_eq!(code(Stream::Io(io::Error::other("x"))), SS55_ERROR_CALLBACK);
    }
}
