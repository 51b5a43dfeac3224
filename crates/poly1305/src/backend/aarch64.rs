//! aarch64: the token and the kernel behind it.
//!
//! NEON is part of every target but the soft-float ones, so there is nothing to ask the machine: this
//! module exists where the compiler may use NEON, and with it the token.
#![allow(unsafe_code)]
#![allow(clippy::wildcard_imports)] // intrinsics by the dozen

pub mod neon;

/// Proves the feature `neon`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neon(());

impl Neon {
    /// The token.
    #[inline]
    pub fn detect() -> Option<Self> {
        cfg!(target_feature = "neon").then_some(Neon(()))
    }
}
