//! aarch64, little-endian: a token that proves NEON, and the vector behind it.
#![allow(unsafe_code)]
#![allow(clippy::wildcard_imports)] // intrinsics by the dozen

pub mod neon;

/// Proves the feature `neon`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neon(());

impl Neon {
    /// The token: where the build is for NEON, which is every aarch64 that has an operating system.
    #[inline]
    #[allow(clippy::unnecessary_wraps)] // like the others
    pub fn detect() -> Option<Self> {
        cfg!(target_feature = "neon").then_some(Neon(()))
    }
}
