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
#[cfg(any(
    target_arch = "x86_64",
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
mod fused;
#[cfg(any(
    target_arch = "x86_64",
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
mod mac;
#[cfg(any(
    target_arch = "x86_64",
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
mod narrow;

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

/// The kernels that encrypt and authenticate in one go: where one is compiled, its name, its token, and
/// the function that enters it.
macro_rules! fused {
    ($(#[cfg($cfg:meta)] $name:literal, $kind:ident($token:path), $($crypt:ident)::+;)*) => {
        /// A kernel that encrypts and authenticates in one go.
        #[derive(Clone, Copy, Debug)]
        enum Fused {
            $(#[cfg($cfg)] $kind($token),)*
        }

        impl Fused {
            /// The kernel of this name, if there is one and this machine can run it.
            fn by_name(name: &str) -> Option<Self> {
                match name {
                    $(#[cfg($cfg)] $name => <$token>::detect().map(Fused::$kind),)*
                    _ => None,
                }
            }

            /// Encrypts or decrypts `buf`, whose length the caller has checked, and returns the tag of
            /// the ciphertext.
            #[inline]
            #[allow(unused_variables)] // where there is no kernel
            fn crypt<const DIRECTION: bool>(
                self,
                key: &[u8; 32],
                nonce: &[u8; 12],
                head: &mut Head<'_>,
                buf: InOutBuf<'_, '_, u8>,
            ) -> Tag {
                match self {
                    $(
                        #[cfg($cfg)]
                        Fused::$kind(token) => {
                            $($crypt)::+::<DIRECTION>(token, key, nonce, head, buf)
                        }
                    )*
                }
            }
        }
    };
}

fused! {
    #[cfg(target_arch = "x86_64")]
    "avx512", Avx512(avx512::Token), avx512::crypt;
    #[cfg(target_arch = "x86_64")]
    "avx2", Avx2(avx2::Token), avx2::crypt;
    #[cfg(target_arch = "x86_64")]
    "ssse3", Ssse3(hazmat::x86::Ssse3), narrow::ssse3;
    #[cfg(target_arch = "x86_64")]
    "sse2", Sse2(hazmat::x86::Sse2), narrow::sse2;
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    "neon", Neon(hazmat::aarch64::Neon), narrow::neon;
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    "neon8", Neon8(hazmat::aarch64::Neon8), narrow::neon8;
}

/// What is hashed before a message. It also says how many blocks of keystream come before the
/// message's, and how its end is padded.
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        all(
            target_arch = "aarch64",
            target_endian = "little",
            target_feature = "neon"
        )
    )),
    allow(dead_code) // no fused kernel reads it there
)]
enum Head<'a> {
    /// RFC 8439: the aad.
    Aead(Aad<'a>),
    /// libsodium: the ad, and the frame tag, which is encrypted or decrypted with block 1.
    Secretstream(&'a [u8], &'a mut u8),
}

const SEAL: bool = true;
const OPEN: bool = false;

impl Fused {
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
    /// `ss55_chacha_simd::Backend`; where Poly1305 has no backend of that name, one for lesser machines
    /// does.
    pub fn by_name(name: &str) -> Option<Self> {
        use ss55_poly1305::Backend;
        let chacha = ss55_chacha_simd::Backend::by_name(name)?;
        let lesser = match name {
            "portable" => "portable",
            "neon8" => "neon",
            _ => "sse2",
        };
        let poly1305 = [name, lesser].into_iter().find_map(Backend::by_name);
        Some(Self::on(chacha, poly1305.unwrap_or(Backend::PORTABLE)))
    }

    fn on(chacha: ss55_chacha_simd::Backend, poly1305: ss55_poly1305::Backend) -> Self {
        let parts = Parts { chacha, poly1305 };
        let fused = Fused::by_name(chacha.name());
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
