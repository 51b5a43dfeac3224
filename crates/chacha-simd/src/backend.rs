//! Which kernel runs: chosen once, when a cipher is made, and stored in it.

use crate::hazmat::{BLOCK, State};
use inout::InOutBuf;

#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon"
))]
pub(crate) mod aarch64;
#[cfg(any(
    target_arch = "x86",
    target_arch = "x86_64",
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    ),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
pub(crate) mod lanes;
pub(crate) mod portable;
#[cfg(any(
    target_arch = "x86",
    target_arch = "x86_64",
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    ),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod short;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod wasm32;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) mod x86;

/// A kernel that this machine can run.
///
/// | name | selected when | blocks at once |
/// |---|---|---|
/// | `avx512` | x86-64 with AVX-512 F, VL, BW and IFMA | 32 |
/// | `avx2` | x86 and x86-64 with AVX2 | 16 (4 on x86) |
/// | `ssse3` | x86 and x86-64 with SSSE3 | 8 (4 on x86) |
/// | `sse2` | x86 with SSE2, every x86-64 | 8 (4 on x86) |
/// | `neon8` | AArch64 of Apple, whose cores all issue four vector operations a cycle | 8 |
/// | `neon` | AArch64 of others, little-endian | 4 |
/// | `simd128` | wasm32, built with `-C target-feature=+simd128` | 8 |
/// | `portable` | nothing better is there | 1 |
///
/// No instruction tells how wide an Arm core is: `neon8` elsewhere is for whoever knows and asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

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
} else if cfg!(ss55_backend = "neon8") {
    Some("neon8")
} else if cfg!(ss55_backend = "simd128") {
    Some("simd128")
} else {
    None
};

/// All there is to say of the backends, fastest first: where one is compiled, its name, whether it is
/// chosen where it can run, its token, and its kernel.
macro_rules! backends {
    ($(#[cfg($cfg:meta)] $name:literal $(if $chosen:expr)?, $kind:ident($token:path), $($kernel:ident)::+;)*) => {
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
                    if true $(&& $chosen)? && let Some(token) = <$token>::detect() {
                        return Backend(Kind::$kind(token));
                    }
                )*
                #[allow(unreachable_code)] // where a backend is there without asking
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

            #[inline]
            pub(crate) fn dispatch<const ROUNDS: usize>(
                self,
                state: &State,
                buf: InOutBuf<'_, '_, u8>,
                last: &mut [u8; BLOCK],
            ) {
                match self.0 {
                    $(#[cfg($cfg)] Kind::$kind(token) => $($kernel)::+::<ROUNDS>(token, state, buf, last),)*
                    Kind::Portable => portable::xor::<ROUNDS>(state, buf, last),
                }
            }
        }
    };
}

backends! {
    #[cfg(target_arch = "x86_64")]
    "avx512", Avx512(x86::Avx512), x86::avx512::xor;
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    "avx2", Avx2(x86::Avx2), x86::avx2::xor;
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    "ssse3", Ssse3(x86::Ssse3), x86::ssse3::xor;
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    "sse2", Sse2(x86::Sse2), x86::sse2::xor;
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    "neon8" if cfg!(target_vendor = "apple"), Neon8(aarch64::Neon8), aarch64::neon::xor8;
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    "neon", Neon(aarch64::Neon), aarch64::neon::xor;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    "simd128", Simd128(wasm32::Simd128), wasm32::simd128::xor;
}

impl Backend {
    /// Safe Rust alone; on every machine.
    pub const PORTABLE: Backend = Backend(Kind::Portable);

    /// All backends that this machine can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().filter_map(|name| Self::by_name(name))
    }
}
