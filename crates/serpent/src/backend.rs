//! Which kernel runs: chosen once, when a key is prepared, and stored with it.
#![allow(
    clippy::inline_always, // what is not inlined is compiled without the vector instructions
    clippy::needless_range_loop, // plain loops: see `word.rs`
    clippy::cast_sign_loss, // counts of shifts, which the intrinsics want signed
)]

use crate::{Block, schedule::RoundKeys};
use inout::InOutBuf;

pub(crate) use portable::double;

#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon"
))]
mod aarch64;
pub(crate) mod circuits;
mod portable;
mod rounds;
mod word;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

/// A kernel that this machine can run.
///
/// | name | selected when | blocks at once |
/// |---|---|---|
/// | `avx512` | x86-64 with AVX-512 F, VL and BW | 64 |
/// | `avx2` | x86-64 with AVX2 | 16 |
/// | `sse2` | x86 and x86-64 with SSE2 | 4 |
/// | `neon` | aarch64, little-endian | 4 |
/// | `portable` | nothing better is there | 1 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Sse2(x86::Sse2),
    #[cfg(all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    ))]
    Neon(aarch64::Neon),
    Portable,
}

/// `--cfg ss55_backend="NAME"` at build time: the one backend that `detect` may give.
const FORCED: Option<&str> = if cfg!(ss55_backend = "portable") {
    Some("portable")
} else if cfg!(ss55_backend = "sse2") {
    Some("sse2")
} else if cfg!(ss55_backend = "ssse3") {
    Some("ssse3")
} else if cfg!(ss55_backend = "avx2") {
    Some("avx2")
} else if cfg!(ss55_backend = "avx512") {
    Some("avx512")
} else if cfg!(ss55_backend = "neon") {
    Some("neon")
} else {
    None
};

impl Backend {
    /// Names of all backends of this build's architecture, fastest first, whether or not this
    /// machine has them.
    pub const NAMES: &'static [&'static str] = &[
        #[cfg(target_arch = "x86_64")]
        "avx512",
        #[cfg(target_arch = "x86_64")]
        "avx2",
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        "sse2",
        #[cfg(all(
            target_arch = "aarch64",
            target_endian = "little",
            target_feature = "neon"
        ))]
        "neon",
        "portable",
    ];

    /// Safe Rust alone; on every machine.
    pub const PORTABLE: Backend = Backend(Kind::Portable);

    /// The fastest backend of this machine.
    ///
    /// A build with `RUSTFLAGS='--cfg ss55_backend="NAME"'` gives the backend of that name instead,
    /// and on a machine (or architecture) that lacks it, `portable`.
    #[inline]
    pub fn detect() -> Self {
        if let Some(name) = FORCED {
            return Self::by_name(name).unwrap_or(Self::PORTABLE);
        }
        Self::available().next().unwrap_or(Self::PORTABLE)
    }

    /// All backends that this machine can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().filter_map(|name| Self::by_name(name))
    }

    /// The backend of this name, if this machine can run it.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            #[cfg(target_arch = "x86_64")]
            "avx512" => x86::Avx512::detect().map(|token| Backend(Kind::Avx512(token))),
            #[cfg(target_arch = "x86_64")]
            "avx2" => x86::Avx2::detect().map(|token| Backend(Kind::Avx2(token))),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            "sse2" => x86::Sse2::detect().map(|token| Backend(Kind::Sse2(token))),
            #[cfg(all(
                target_arch = "aarch64",
                target_endian = "little",
                target_feature = "neon"
            ))]
            "neon" => aarch64::Neon::detect().map(|token| Backend(Kind::Neon(token))),
            "portable" => Some(Backend::PORTABLE),
            _ => None,
        }
    }

    /// The name that [`by_name`](Self::by_name) takes.
    pub fn name(&self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => "avx2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Kind::Sse2(_) => "sse2",
            #[cfg(all(
                target_arch = "aarch64",
                target_endian = "little",
                target_feature = "neon"
            ))]
            Kind::Neon(_) => "neon",
            Kind::Portable => "portable",
        }
    }

    /// Blocks at once, as in the table.
    #[cfg(feature = "cipher")]
    pub(crate) fn width(self) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => 64,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => 16,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Kind::Sse2(_) => 4,
            #[cfg(all(
                target_arch = "aarch64",
                target_endian = "little",
                target_feature = "neon"
            ))]
            Kind::Neon(_) => 4,
            Kind::Portable => 1,
        }
    }

    /// Encrypts or decrypts blocks with round keys of that direction; `tweaks`, one for each block, are
    /// added before and after.
    #[inline]
    pub(crate) fn dispatch<const ENCRYPT: bool>(
        self,
        keys: &RoundKeys,
        tweaks: Option<&[u128]>,
        blocks: InOutBuf<'_, '_, Block>,
    ) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) => x86::avx512::run::<ENCRYPT>(token, keys, tweaks, blocks),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(token) => x86::avx2::run::<ENCRYPT>(token, keys, tweaks, blocks),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Kind::Sse2(token) => x86::sse2::run::<ENCRYPT>(token, keys, tweaks, blocks),
            #[cfg(all(
                target_arch = "aarch64",
                target_endian = "little",
                target_feature = "neon"
            ))]
            Kind::Neon(token) => aarch64::neon::run::<ENCRYPT>(token, keys, tweaks, blocks),
            Kind::Portable => portable::run::<ENCRYPT>(keys, tweaks, blocks),
        }
    }

    /// Consecutive tweaks of XTS: `first`, and each of the others x times the one before.
    #[inline]
    pub(crate) fn tweaks(self, first: u128, tweaks: &mut [u128]) {
        match self.0 {
            // Shorter runs take longer to start than to finish. Where a block takes longer, vectors gain
            // nothing over the scalar units, which do this meanwhile.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) if tweaks.len() >= 8 => {
                x86::avx512::tweaks(token, first, tweaks);
            }
            _ => portable::tweaks(first, tweaks),
        }
    }
}
