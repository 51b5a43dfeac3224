//! Which kernel runs: chosen once, when a MAC is made, and stored in it.

#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon"
))]
pub(crate) mod aarch64;
#[cfg(any(
    test,
    target_arch = "x86",
    target_arch = "x86_64",
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
mod limbs26;
pub(crate) mod portable;
#[cfg(any(
    target_pointer_width = "64",
    target_arch = "x86_64",
    target_arch = "aarch64"
))]
pub(crate) mod scalar;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) mod x86;

/// A kernel that this machine can run.
///
/// | name | selected when | blocks at once |
/// |---|---|---|
/// | `avx512` | x86-64 with AVX-512 F, VL, BW and IFMA, and BMI2 | 8 |
/// | `avx2` | x86 with AVX2 and BMI2 | 8 |
/// | `sse2` | x86 with SSE2, as every x86-64 has | 4; on x86-64 2, in scalar registers |
/// | `neon` | AArch64, little-endian | 4 |
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

/// All there is to say of the backends, fastest first: where one is compiled, its name, its token, and its
/// kernel.
macro_rules! backends {
    ($(#[cfg($cfg:meta)] $name:literal, $kind:ident($token:path), $($kernel:ident)::+;)*) => {
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

            #[inline]
            pub(crate) fn blocks(self, state: &mut portable::State, blocks: &[[u8; 16]]) {
                match self.0 {
                    $(#[cfg($cfg)] Kind::$kind(token) => $($kernel)::+(token, state, blocks),)*
                    Kind::Portable => state.absorb::<1>(blocks),
                }
            }
        }
    };
}

backends! {
    #[cfg(target_arch = "x86_64")]
    "avx512", Avx512(x86::Avx512), x86::avx512::blocks;
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    "avx2", Avx2(x86::Avx2), x86::avx2::blocks;
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    "sse2", Sse2(x86::Sse2), x86::sse2::blocks;
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    "neon", Neon(aarch64::Neon), aarch64::neon::blocks;
}

impl Backend {
    /// Safe Rust alone; on every machine.
    pub const PORTABLE: Backend = Backend(Kind::Portable);

    /// All backends that this machine can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().filter_map(|name| Self::by_name(name))
    }
}
