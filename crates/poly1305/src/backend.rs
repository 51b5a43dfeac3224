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
#[cfg(target_pointer_width = "64")]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
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
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
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
        #[cfg(target_arch = "x86_64")]
        if let Some(token) = x86::Avx512::detect() {
            return Backend(Kind::Avx512(token));
        }
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Some(token) = x86::Avx2::detect() {
            return Backend(Kind::Avx2(token));
        }
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Some(token) = x86::Sse2::detect() {
            return Backend(Kind::Sse2(token));
        }
        #[cfg(all(
            target_arch = "aarch64",
            target_endian = "little",
            target_feature = "neon"
        ))]
        if let Some(token) = aarch64::Neon::detect() {
            return Backend(Kind::Neon(token));
        }
        Backend::PORTABLE
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
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
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
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
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

    #[inline]
    pub(crate) fn blocks(self, state: &mut portable::State, blocks: &[[u8; 16]]) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) => x86::avx512::blocks(token, state, blocks),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Kind::Avx2(token) => x86::avx2::blocks(token, state, blocks),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Kind::Sse2(token) => x86::sse2::blocks(token, state, blocks),
            #[cfg(all(
                target_arch = "aarch64",
                target_endian = "little",
                target_feature = "neon"
            ))]
            Kind::Neon(token) => aarch64::neon::blocks(token, state, blocks),
            Kind::Portable => state.absorb::<1>(blocks),
        }
    }
}
