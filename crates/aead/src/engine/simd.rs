//! The engine of this machine's best kernels.

use super::{Engine, portable};
use crate::Tag;
use inout::InOutBuf;
use ss55_chacha_simd::hazmat;

/// The fastest engine of this machine: detects its backends once, when it is made.
#[derive(Clone, Copy, Debug)]
pub struct SimdEngine {
    chacha: ss55_chacha_simd::Backend,
    poly1305: ss55_poly1305::Backend,
}

impl SimdEngine {
    /// On the fastest backends of this machine.
    #[inline]
    pub fn new() -> Self {
        SimdEngine {
            chacha: ss55_chacha_simd::Backend::detect(),
            poly1305: ss55_poly1305::Backend::detect(),
        }
    }
}

impl Default for SimdEngine {
    #[inline]
    fn default() -> Self {
        SimdEngine::new()
    }
}

impl Engine for SimdEngine {
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
