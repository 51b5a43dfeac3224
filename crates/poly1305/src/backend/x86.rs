//! x86 and x86-64: tokens that prove what the machine can run, and the kernels behind them.
//!
//! A token comes from `detect`, which asks CPUID and, through XCR0, whether the operating system saves the
//! registers in question, or from a token of more. Holding one is the proof that a kernel's `unsafe` entry
//! asks for.
#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports, // intrinsics by the dozen
    clippy::cast_possible_wrap, // their words are signed, whatever they hold
    clippy::cast_sign_loss,
    clippy::missing_safety_doc, // safe functions: `#[target_feature]` alone makes them look unsafe
)]

pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
mod lanes;
pub mod sse2;

cpufeatures::new!(cpu_sse2, "sse2");
cpufeatures::new!(cpu_avx2, "avx2", "bmi2");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(
    cpu_avx512,
    "avx512f",
    "avx512vl",
    "avx512bw",
    "avx512ifma",
    "bmi2"
);

/// Proves the feature `sse2`, which every x86-64 has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sse2(());

impl Sse2 {
    /// The token, on a machine that has the feature.
    #[inline]
    pub fn detect() -> Option<Self> {
        cpu_sse2::get().then_some(Sse2(()))
    }
}

/// Proves the features `avx2` (and with it `avx` and the SSE family) and `bmi2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

impl Avx2 {
    /// The token, on a machine that has the features.
    #[inline]
    pub fn detect() -> Option<Self> {
        cpu_avx2::get().then_some(Avx2(()))
    }
}

/// Proves the features `avx512f`, `avx512vl`, `avx512bw`, `avx512ifma` and `bmi2`.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// The token, on a machine that has the features.
    #[inline]
    pub fn detect() -> Option<Self> {
        cpu_avx512::get().then_some(Avx512(()))
    }
}

#[cfg(target_arch = "x86")]
impl From<Avx2> for Sse2 {
    #[inline]
    fn from(_: Avx2) -> Self {
        Sse2(())
    }
}
