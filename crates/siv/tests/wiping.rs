//! Both chains, each as good as a key, are gone from where a cipher was.

mod support {
    #[path = "../../../chacha-simd/tests/support/dropped.rs"]
    pub mod dropped;
}

use ss55_siv::{Backend, Siv128, Siv256};
use support::dropped::assert_forgets;

#[test]
fn ciphers() {
    // Two chains of eight words. The rest, two counters and the backend, is no secret.
    let chains = 2 * 32;
    for backend in Backend::available() {
        let siv128 = |key: u8| Siv128::with_backend(backend, &[key; 32]);
        let siv256 = |key: u8| Siv256::with_backend(backend, &[key; 32]);
        assert_forgets(backend.name(), [0xa7, 0x3c].map(siv128), chains);
        assert_forgets(backend.name(), [0xa7, 0x3c].map(siv256), chains);
    }
}
