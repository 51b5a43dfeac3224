//! WebAssembly: a token that proves what the build assumes, and the kernel behind it.
//!
//! A module with vectors does not start where they are missing, so nothing is detected: a build is with
//! them or without.
#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports, // intrinsics by the dozen
    clippy::inline_always // of what is generic: all of it becomes one function
)]

pub mod simd128;

/// Proves the feature `simd128`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd128(());

impl Simd128 {
    /// The token, which every build with this module may have.
    #[inline]
    #[allow(clippy::unnecessary_wraps)] // like the others
    pub fn detect() -> Option<Self> {
        Some(Simd128(()))
    }
}
