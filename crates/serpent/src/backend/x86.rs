//! x86 and x86-64: tokens that prove what the machine can run, and the vectors behind them.
//!
//! A token has no public constructor but `detect`, which asks CPUID and, through XCR0, whether the
//! operating system saves the registers in question. A vector is made with a token or from vectors, so
//! holding one is the same proof: its methods are safe functions around one instruction or two.
//!
//! They are inlined into the one function of each backend that is compiled for the instructions.
#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports, // intrinsics by the dozen
    clippy::cast_possible_wrap, // their words are signed, whatever they hold
)]

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod sse2;

cpufeatures::new!(cpu_sse2, "sse2");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(cpu_avx2, "avx2");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(cpu_avx512, "avx512f", "avx512vl", "avx512bw");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(cpu_avx512_wide, "avx512f", "avx512ifma");

/// Proves the feature `sse2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sse2(());

impl Sse2 {
    /// The token, on a machine that has the features: every x86-64.
    #[inline]
    pub fn detect() -> Option<Self> {
        cpu_sse2::get().then_some(Sse2(()))
    }
}

/// Proves the feature `avx2` (and with it `avx` and the SSE family).
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// The token, on a machine that has the features.
    #[inline]
    pub fn detect() -> Option<Self> {
        cpu_avx2::get().then_some(Avx2(()))
    }
}

/// Proves the features `avx512f`, `avx512vl` and `avx512bw`.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512 {
    /// Whether registers of 512 bits are worth their while: where there is IFMA, of which the kernels have no
    /// use. It is missing exactly on the Skylake-X line, which lowers its clock under 512-bit load.
    wide: bool,
}

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// The token, on a machine that has the features.
    #[inline]
    pub fn detect() -> Option<Self> {
        cpu_avx512::get().then(|| Avx512 {
            wide: cpu_avx512_wide::get(),
        })
    }
}

/// The operators of a vector type, and its `and_not`, as instructions of its own.
macro_rules! operators {
    ($vector:ident: $xor:ident, $and:ident, $or:ident) => {
        impl core::ops::BitXor for $vector {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                // SAFETY: a vector exists only where its token does.
                Self(unsafe { $xor(self.0, other.0) })
            }
        }
        impl core::ops::BitAnd for $vector {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: a vector exists only where its token does.
                Self(unsafe { $and(self.0, other.0) })
            }
        }
        impl core::ops::BitOr for $vector {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                // SAFETY: a vector exists only where its token does.
                Self(unsafe { $or(self.0, other.0) })
            }
        }
    };
}

/// The transposition of 4 x 4 words inside each 128 bits; its own inverse.
macro_rules! transpose {
    ($rows:expr, $low32:ident, $high32:ident, $low64:ident, $high64:ident) => {{
        let [Self(a), Self(b), Self(c), Self(d)] = $rows;
        // SAFETY: a vector exists only where its token does.
        unsafe {
            let (ab_low, ab_high) = ($low32(a, b), $high32(a, b));
            let (cd_low, cd_high) = ($low32(c, d), $high32(c, d));
            [
                Self($low64(ab_low, cd_low)),
                Self($high64(ab_low, cd_low)),
                Self($low64(ab_high, cd_high)),
                Self($high64(ab_high, cd_high)),
            ]
        }
    }};
}

use {operators, transpose};
