//! The engine in safe Rust.

use super::{Engine, keystream_fits};
use crate::Tag;
use inout::InOutBuf;
use ss55_chacha_simd::hazmat;
use ss55_poly1305::Poly1305;
use zeroize::Zeroize;

/// The constructions composed of the portable backends: on every machine, and the reference for all
/// other engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortableEngine;

impl Engine for PortableEngine {
    fn name(&self) -> &'static str {
        "portable"
    }

    fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
        hazmat::hchacha20(key, input)
    }

    fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>) {
        xor(
            ss55_chacha_simd::Backend::PORTABLE,
            key,
            nonce,
            counter,
            buf,
        );
    }

    fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
        mac(ss55_poly1305::Backend::PORTABLE, key, parts)
    }
}

/// [`Engine::xor`] on a given backend.
pub(super) fn xor(
    backend: ss55_chacha_simd::Backend,
    key: &[u8; 32],
    nonce: &[u8; 12],
    counter: u32,
    buf: InOutBuf<'_, '_, u8>,
) {
    let fits = keystream_fits(counter, buf.len());
    assert!(fits, "past the end of the keystream");
    let state = hazmat::State::ietf(key, nonce, counter);
    let mut last = [0; hazmat::BLOCK];
    backend.xor::<20>(&state, buf, &mut last);
    last.zeroize();
}

/// [`Engine::mac`] on a given backend.
pub(super) fn mac(backend: ss55_poly1305::Backend, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
    let mut mac = Poly1305::with_backend(backend, key);
    for part in parts {
        mac.update(part);
    }
    mac.finalize()
}
