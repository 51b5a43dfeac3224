//! The engine of this machine's best kernels.

use super::{Aad, Engine, portable};
use crate::{AuthenticationError, Tag};
use inout::InOutBuf;
use ss55_chacha_simd::hazmat;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

/// The fastest engine of this machine: detects its backends once, when it is made.
#[derive(Clone, Copy, Debug)]
pub struct SimdEngine {
    parts: Parts,
    fused: Fused,
}

/// The engine without a fused kernel: the trait's own methods compose the AEAD.
#[derive(Clone, Copy, Debug)]
struct Parts {
    chacha: ss55_chacha_simd::Backend,
    poly1305: ss55_poly1305::Backend,
}

/// A kernel that encrypts and authenticates in one go.
#[derive(Clone, Copy, Debug)]
enum Fused {
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Token),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Token),
    /// There is none for these backends.
    None,
}

impl SimdEngine {
    /// On the fastest backends of this machine, or on those that the build names
    /// (`--cfg ss55_backend="NAME"`).
    #[inline]
    pub fn new() -> Self {
        Self::on(
            ss55_chacha_simd::Backend::detect(),
            ss55_poly1305::Backend::detect(),
        )
    }

    /// All engines that this machine can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        ss55_chacha_simd::Backend::NAMES
            .iter()
            .filter_map(|name| Self::by_name(name))
    }

    /// The engine on the backends of this name, if this machine can run them. The names are those of
    /// `ss55_chacha_simd::Backend`; where Poly1305 has no backend of that name, its best one does.
    pub fn by_name(name: &str) -> Option<Self> {
        let chacha = ss55_chacha_simd::Backend::by_name(name)?;
        let poly1305 =
            ss55_poly1305::Backend::by_name(name).unwrap_or(ss55_poly1305::Backend::PORTABLE);
        Some(Self::on(chacha, poly1305))
    }

    fn on(chacha: ss55_chacha_simd::Backend, poly1305: ss55_poly1305::Backend) -> Self {
        let fused = match (chacha.name(), poly1305.name()) {
            #[cfg(target_arch = "x86_64")]
            ("avx512", "avx512") => avx512::Token::detect().map_or(Fused::None, Fused::Avx512),
            #[cfg(target_arch = "x86_64")]
            ("avx2", "avx2") => avx2::Token::detect().map_or(Fused::None, Fused::Avx2),
            _ => Fused::None,
        };
        let parts = Parts { chacha, poly1305 };
        SimdEngine { parts, fused }
    }
}

impl Default for SimdEngine {
    #[inline]
    fn default() -> Self {
        SimdEngine::new()
    }
}

impl Engine for Parts {
    fn name(&self) -> &'static str {
        self.chacha.name()
    }

    fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
        hazmat::hchacha20(key, input)
    }

    fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>) {
        portable::xor(self.chacha, key, nonce, counter, buf);
    }

    fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
        portable::mac(self.poly1305, key, parts)
    }
}

impl Engine for SimdEngine {
    fn name(&self) -> &'static str {
        self.parts.name()
    }

    fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
        self.parts.hchacha20(key, input)
    }

    fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>) {
        self.parts.xor(key, nonce, counter, buf);
    }

    fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
        self.parts.mac(key, parts)
    }

    fn seal(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        match self.fused {
            #[cfg(target_arch = "x86_64")]
            Fused::Avx512(token) => token.seal(key, nonce, aad, buf),
            #[cfg(target_arch = "x86_64")]
            Fused::Avx2(token) => token.seal(key, nonce, aad, buf),
            Fused::None => self.parts.seal(key, nonce, aad, buf),
        }
    }

    fn open(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        buf: InOutBuf<'_, '_, u8>,
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        match self.fused {
            #[cfg(target_arch = "x86_64")]
            Fused::Avx512(token) => token.open(key, nonce, aad, buf, tag),
            #[cfg(target_arch = "x86_64")]
            Fused::Avx2(token) => token.open(key, nonce, aad, buf, tag),
            Fused::None => self.parts.open(key, nonce, aad, buf, tag),
        }
    }

    fn secretstream_seal(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        match self.fused {
            #[cfg(target_arch = "x86_64")]
            Fused::Avx512(token) => token.secretstream_seal(key, nonce, ad, frame_tag, buf),
            #[cfg(target_arch = "x86_64")]
            Fused::Avx2(token) => token.secretstream_seal(key, nonce, ad, frame_tag, buf),
            Fused::None => self.parts.secretstream_seal(key, nonce, ad, frame_tag, buf),
        }
    }

    fn secretstream_open(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        buf: InOutBuf<'_, '_, u8>,
        mac: &Tag,
    ) -> Result<(), AuthenticationError> {
        match self.fused {
            #[cfg(target_arch = "x86_64")]
            Fused::Avx512(token) => token.secretstream_open(key, nonce, ad, frame_tag, buf, mac),
            #[cfg(target_arch = "x86_64")]
            Fused::Avx2(token) => token.secretstream_open(key, nonce, ad, frame_tag, buf, mac),
            Fused::None => self
                .parts
                .secretstream_open(key, nonce, ad, frame_tag, buf, mac),
        }
    }
}
