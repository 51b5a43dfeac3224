//! Which library this is.

use core::ffi::{CStr, c_char};

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no NUL"),
    };

/// The library's version, such as "1.2.3".
#[unsafe(no_mangle)]
pub extern "C" fn ss55_version() -> *const c_char {
    VERSION.as_ptr()
}
