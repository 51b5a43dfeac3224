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
    clippy::inline_always, // of what is generic: the features of the kernel are enabled in its entry
    clippy::missing_safety_doc, // safe functions: `#[target_feature]` alone makes them look unsafe
)]

pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(target_arch = "x86_64")]
pub mod scalar;
pub mod sse2;
pub mod ssse3;

#[cfg(target_arch = "x86")]
use core::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;

/// Groups of four blocks that the kernels of 128 bits advance side by side. One alone is bound by
/// latency: with two, ChaCha20 goes at 2.2 instead of 1.4 GB/s (SSSE3 on Zen 5). On 32 bits there are
/// eight registers, half of what one group fills.
pub(crate) const GROUPS: usize = if cfg!(target_arch = "x86_64") { 2 } else { 1 };

cpufeatures::new!(cpu_sse2, "sse2");
cpufeatures::new!(cpu_ssse3, "ssse3");
cpufeatures::new!(cpu_avx2, "avx2");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(cpu_avx512, "avx512f", "avx512vl", "avx512bw", "avx512ifma");

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

/// Proves the feature `ssse3` (and with it `sse2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ssse3(());

impl Ssse3 {
    /// The token, on a machine that has the feature.
    #[inline]
    pub fn detect() -> Option<Self> {
        cpu_ssse3::get().then_some(Ssse3(()))
    }

    /// The lesser token.
    #[inline]
    pub fn sse2(self) -> Sse2 {
        Sse2(())
    }
}

/// Proves the feature `avx2` (and with it `avx` and the SSE family).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

impl Avx2 {
    /// The token, on a machine that has the features.
    #[inline]
    pub fn detect() -> Option<Self> {
        cpu_avx2::get().then_some(Avx2(()))
    }
}

/// Proves the features `avx512f`, `avx512vl`, `avx512bw` and `avx512ifma`.
///
/// The ChaCha kernel has no use for IFMA. It is asked for because it is missing exactly on the
/// Skylake-X line, which lowers its clock under 512-bit load and is better served by AVX2.
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
