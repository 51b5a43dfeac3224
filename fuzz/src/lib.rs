//! What the fuzz targets share: a script read from the fuzzer's bytes, and streams made to be damaged.

pub mod files;
pub mod script;
pub mod streams;

#[path = "../../crates/wire/tests/support/sodium.rs"]
pub mod sodium;

use ss55_aead::{Engine, PortableEngine, SimdEngine, SodiumEngine};
use std::sync::LazyLock;

pub type SharedEngine = &'static (dyn Engine + Sync);

/// The key of the vectors in testdata/, so that those are valid here.
pub const KEY: [u8; 32] = [
    0xa5, 0xae, 0xb3, 0x84, 0x89, 0x92, 0xe7, 0xe8, 0xfd, 0xc6, 0xcb, 0xdc, 0x21, 0x2a, 0x3f, 0x00,
    0x15, 0x1e, 0x63, 0x74, 0x79, 0x42, 0x57, 0x58, 0xad, 0xb6, 0xbb, 0x8c, 0x91, 0x9a, 0xef, 0xf0,
];

/// libsodium, which all others are compared with, then every engine of this machine.
pub fn engines() -> &'static [SharedEngine] {
    static ENGINES: LazyLock<Vec<SharedEngine>> = LazyLock::new(|| {
        let sodium: SharedEngine = Box::leak(Box::new(SodiumEngine::new()));
        let mut engines = vec![sodium, &PortableEngine];
        engines
            .extend(SimdEngine::available().map(|one| &*Box::leak(Box::new(one)) as SharedEngine));
        engines
    });
    &ENGINES
}
