//! aarch64: the token and the kernel behind it.
//!
//! NEON is part of every target but the soft-float ones, so there is nothing to ask the machine: this
//! module, and with it the token, is there where the compiler may use NEON.
#![allow(unsafe_code)]
#![allow(clippy::wildcard_imports)] // intrinsics by the dozen

pub mod neon;

/// Proves the feature `neon`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neon(());

impl Neon {
    /// The token, which every build with this module may have.
    #[inline]
    #[allow(clippy::unnecessary_wraps)] // like the others
    pub fn detect() -> Option<Self> {
        Some(Neon(()))
    }
}
