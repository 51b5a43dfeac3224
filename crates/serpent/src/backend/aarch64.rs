//! aarch64, little-endian, in a build for NEON, which is every one but those for software floating point:
//! a token that proves it, and the vector behind it.
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
