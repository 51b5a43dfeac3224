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

/// `--cfg ss55_backend="NAME"` at build time: the one backend that `detect` may give. Where the name is one of
/// `ss55-chacha-simd` alone, it is that for lesser machines, as in `ss55-aead`.
const FORCED: Option<&str> = if cfg!(ss55_backend = "portable") {
    Some("portable")
} else if cfg!(any(ss55_backend = "sse2", ss55_backend = "ssse3")) {
    Some("sse2")
} else if cfg!(ss55_backend = "avx2") {
    Some("avx2")
} else if cfg!(ss55_backend = "avx512") {
    Some("avx512")
} else if cfg!(any(ss55_backend = "neon", ss55_backend = "neon8")) {
    Some("neon")
} else {
    None
};

/// All there is to say of the backends, fastest first: where one is compiled, its name, its token, its blocks
/// at once, and its kernel.
macro_rules! backends {
    ($(#[cfg($cfg:meta)] $name:literal, $kind:ident($token:path), $width:literal, $($kernel:ident)::+;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Kind {
            $(#[cfg($cfg)] $kind($token),)*
            Portable,
        }

        impl Backend {
            /// Names of all backends of this build's architecture, fastest first, whether or not this
            /// machine has them.
            pub const NAMES: &'static [&'static str] = &[$(#[cfg($cfg)] $name,)* "portable"];

            /// The fastest backend of this machine.
            ///
            /// A build with `RUSTFLAGS='--cfg ss55_backend="NAME"'` gives the backend of that name
            /// instead, and on a machine (or architecture) that lacks it, `portable`.
            #[inline]
            pub fn detect() -> Self {
                if let Some(name) = FORCED {
                    return Self::by_name(name).unwrap_or(Self::PORTABLE);
                }
                $(
                    #[cfg($cfg)]
                    if let Some(token) = <$token>::detect() {
                        return Backend(Kind::$kind(token));
                    }
                )*
                Backend::PORTABLE
            }

            /// The backend of this name, if this machine can run it.
            pub fn by_name(name: &str) -> Option<Self> {
                match name {
                    $(#[cfg($cfg)] $name => <$token>::detect().map(|token| Backend(Kind::$kind(token))),)*
                    "portable" => Some(Backend::PORTABLE),
                    _ => None,
                }
            }

            /// The name that [`by_name`](Self::by_name) takes.
            pub fn name(&self) -> &'static str {
                match self.0 {
                    $(#[cfg($cfg)] Kind::$kind(_) => $name,)*
                    Kind::Portable => "portable",
                }
            }

            /// Blocks at once, as in the table.
            #[cfg(feature = "cipher")]
            pub(crate) fn width(self) -> usize {
                match self.0 {
                    $(#[cfg($cfg)] Kind::$kind(_) => $width,)*
                    Kind::Portable => 1,
                }
            }

            /// Encrypts or decrypts blocks with round keys of that direction; `tweaks`, one for each
            /// block, are added before and after.
            #[inline]
            pub(crate) fn dispatch<const ENCRYPT: bool>(
                self,
                keys: &RoundKeys,
                tweaks: Option<&[u128]>,
                blocks: InOutBuf<'_, '_, Block>,
            ) {
                match self.0 {
                    $(#[cfg($cfg)] Kind::$kind(token) => $($kernel)::+::<ENCRYPT>(token, keys, tweaks, blocks),)*
                    Kind::Portable => portable::run::<ENCRYPT>(keys, tweaks, blocks),
                }
            }
        }
    };
}

backends! {
    #[cfg(target_arch = "x86_64")]
    "avx512", Avx512(x86::Avx512), 64, x86::avx512::run;
    #[cfg(target_arch = "x86_64")]
    "avx2", Avx2(x86::Avx2), 16, x86::avx2::run;
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    "sse2", Sse2(x86::Sse2), 4, x86::sse2::run;
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    "neon", Neon(aarch64::Neon), 4, aarch64::neon::run;
}

impl Backend {
    /// Safe Rust alone; on every machine.
    pub const PORTABLE: Backend = Backend(Kind::Portable);

    /// All backends that this machine can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().filter_map(|name| Self::by_name(name))
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
