//! The engine of this machine's best kernels.

use super::{Aad, Engine, MAX_MESSAGE_LEN, MAX_SECRETSTREAM_LEN, portable, refuse};
use crate::{AuthenticationError, Tag};
use inout::InOutBuf;
use ss55_chacha_simd::hazmat;
use subtle::ConstantTimeEq;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

/// The fastest engine of this machine: detects its backends once, when it is made.
#[derive(Clone, Copy, Debug)]
pub struct SimdEngine {
    parts: Parts,
    /// None for backends that have no such kernel.
    fused: Option<Fused>,
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
}

/// What is hashed before a message. It also says how many blocks of keystream come before the
/// message's, and how its end is padded.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // no fused kernel reads it there
enum Head<'a> {
    /// RFC 8439: the aad.
    Aead(Aad<'a>),
    /// libsodium: the ad, and the frame tag, which is encrypted or decrypted with block 1.
    Secretstream(&'a [u8], &'a mut u8),
}

const SEAL: bool = true;
const OPEN: bool = false;

impl Fused {
    /// Encrypts or decrypts `buf`, whose length the caller has checked, and returns the tag of the
    /// ciphertext.
    #[inline]
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
    fn crypt<const DIRECTION: bool>(
        self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        head: &mut Head<'_>,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        match self {
            #[cfg(target_arch = "x86_64")]
            Fused::Avx512(token) => avx512::crypt::<DIRECTION>(token, key, nonce, head, buf),
            #[cfg(target_arch = "x86_64")]
            Fused::Avx2(token) => avx2::crypt::<DIRECTION>(token, key, nonce, head, buf),
        }
    }

    /// Decrypts `buf`, whose length the caller has checked, and wipes it if `tag` is wrong.
    #[inline]
    fn open(
        self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        head: &mut Head<'_>,
        mut buf: InOutBuf<'_, '_, u8>,
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        let expected = self.crypt::<OPEN>(key, nonce, head, buf.reborrow());
        if expected.ct_eq(tag).into() {
            Ok(())
        } else {
            refuse(buf.get_out())
        }
    }
}

impl SimdEngine {
    /// Names of all engines of this build's architecture, fastest first, whether or not this machine can run
    /// them.
    pub const NAMES: &'static [&'static str] = ss55_chacha_simd::Backend::NAMES;

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
        Self::NAMES.iter().filter_map(|name| Self::by_name(name))
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
            ("avx512", "avx512") => avx512::Token::detect().map(Fused::Avx512),
            #[cfg(target_arch = "x86_64")]
            ("avx2", "avx2") => avx2::Token::detect().map(Fused::Avx2),
            _ => None,
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
        let Some(fused) = self.fused else {
            return self.parts.seal(key, nonce, aad, buf);
        };
        assert!(buf.len() as u64 <= MAX_MESSAGE_LEN, "message too long");
        fused.crypt::<SEAL>(key, nonce, &mut Head::Aead(aad), buf)
    }

    fn open(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        mut buf: InOutBuf<'_, '_, u8>,
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        let Some(fused) = self.fused else {
            return self.parts.open(key, nonce, aad, buf, tag);
        };
        if buf.len() as u64 > MAX_MESSAGE_LEN {
            return refuse(buf.get_out());
        }
        fused.open(key, nonce, &mut Head::Aead(aad), buf, tag)
    }

    fn secretstream_seal(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        let Some(fused) = self.fused else {
            let parts = self.parts;
            return parts.secretstream_seal(key, nonce, ad, frame_tag, buf);
        };
        assert!(buf.len() as u64 <= MAX_SECRETSTREAM_LEN, "message too long");
        fused.crypt::<SEAL>(key, nonce, &mut Head::Secretstream(ad, frame_tag), buf)
    }

    fn secretstream_open(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        mut buf: InOutBuf<'_, '_, u8>,
        mac: &Tag,
    ) -> Result<(), AuthenticationError> {
        let Some(fused) = self.fused else {
            let parts = self.parts;
            return parts.secretstream_open(key, nonce, ad, frame_tag, buf, mac);
        };
        if buf.len() as u64 > MAX_SECRETSTREAM_LEN {
            return refuse(buf.get_out());
        }
        let mut opened_tag = *frame_tag;
        let mut head = Head::Secretstream(ad, &mut opened_tag);
        fused.open(key, nonce, &mut head, buf, mac)?;
        *frame_tag = opened_tag;
        Ok(())
    }
}
