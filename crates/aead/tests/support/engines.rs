//! The engines that a test runs over: all that this machine has.

#[cfg(not(target_family = "wasm"))]
use ss55_aead::SodiumEngine;
use ss55_aead::{Engine, InOutBuf, PortableEngine, SimdEngine, Tag};
use ss55_chacha_simd::{Backend as ChaChaBackend, ChaCha20, hchacha20};
use ss55_poly1305::{Backend as PolyBackend, Poly1305};
use std::{io::Write, sync::OnceLock};

pub type SharedEngine = &'static (dyn Engine + Sync);

/// An engine as another crate would write it: the required methods and no more, here over any two
/// backends. It puts each kernel behind the provided methods.
pub struct Foreign {
    pub chacha: ChaChaBackend,
    pub poly1305: PolyBackend,
    name: &'static str,
}

impl Engine for Foreign {
    fn name(&self) -> &'static str {
        self.name
    }

    fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
        hchacha20(key, input)
    }

    fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>) {
        let mut cipher = ChaCha20::with_backend(self.chacha, key, nonce);
        cipher.seek_block(counter.into()).expect("a 32-bit counter");
        let done = cipher.apply_keystream_inout(buf);
        done.expect("past the end of the keystream");
    }

    fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
        let mut mac = Poly1305::with_backend(self.poly1305, key);
        for part in parts {
            mac.update(part);
        }
        mac.finalize()
    }
}

/// Every pair of backends, as [`Foreign`] engines.
pub fn foreign() -> impl Iterator<Item = Foreign> {
    ChaChaBackend::available().flat_map(|chacha| {
        PolyBackend::available().map(move |poly1305| Foreign {
            chacha,
            poly1305,
            name: format!("foreign {} {}", chacha.name(), poly1305.name()).leak(),
        })
    })
}

/// Every engine. Says once which backends this machine lacks, and fails if the environment variable
/// `SS55_REQUIRE_BACKENDS` (`portable,avx2`) names one of them.
pub fn engines() -> &'static [SharedEngine] {
    static ENGINES: OnceLock<Vec<SharedEngine>> = OnceLock::new();
    ENGINES.get_or_init(|| {
        for name in ChaChaBackend::NAMES {
            if ChaChaBackend::by_name(name).is_none() {
                // Not eprintln!: the test harness would keep it to itself.
                let _ = writeln!(std::io::stderr(), "skipped: {name}");
            }
        }
        let required = std::env::var("SS55_REQUIRE_BACKENDS").unwrap_or_default();
        if let Err(name) = all_present(&required) {
            panic!("SS55_REQUIRE_BACKENDS: this machine has no backend {name:?}");
        }
        let mut engines: Vec<SharedEngine> = vec![&PortableEngine];
        #[cfg(not(target_family = "wasm"))]
        engines.push(Box::leak(Box::new(SodiumEngine::new())));
        for engine in SimdEngine::available() {
            engines.push(Box::leak(Box::new(engine)));
        }
        for engine in foreign() {
            engines.push(Box::leak(Box::new(engine)));
        }
        engines
    })
}

/// Whether this machine runs every backend of a comma-separated list; if not, the first that it
/// does not.
pub fn all_present(required: &str) -> Result<(), &str> {
    let names = required.split(',').map(str::trim);
    for name in names.filter(|name| !name.is_empty()) {
        if ChaChaBackend::by_name(name).is_none() && PolyBackend::by_name(name).is_none() {
            return Err(name);
        }
    }
    Ok(())
}
