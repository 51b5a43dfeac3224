//! AArch64: tokens that prove what the machine can run, and the kernels behind them.
//!
//! NEON is part of the architecture, and what the build assumes the machine has: nothing is detected.
//! Only builds for software floating point are without it, and without this module.
#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports, // intrinsics by the dozen
    clippy::inline_always, // of what is generic: the features of the kernel are enabled in its entry
)]

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

/// Proves the feature `neon`, and asks for the kernel that is made for wide cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neon8(Neon);

impl Neon8 {
    /// The token, as above.
    #[inline]
    pub fn detect() -> Option<Self> {
        Neon::detect().map(Neon8)
    }

    /// The feature alone.
    #[inline]
    pub fn neon(self) -> Neon {
        self.0
    }
}
