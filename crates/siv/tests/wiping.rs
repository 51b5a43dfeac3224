//! Both keys are gone from where an AEAD was.

mod support {
    #[path = "../../../chacha-simd/tests/support/dropped.rs"]
    pub mod dropped;
}

use ss55_siv::{Backend, Siv};
use support::dropped::assert_differences_wiped;

fn wiped<const N: usize>(backend: Backend) {
    let siv = |byte: u8| Siv::<N>::with_backend(backend, &[byte; 32]);
    let what = format!("Siv{} on {}", 8 * N, backend.name());
    // Two chains of 32 bytes, all of which differ under these keys. The rest, two counters and the backend, is
    // no secret.
    assert_differences_wiped(&what, siv(0xa7), siv(0x11), 2 * 32);
    assert_differences_wiped(&what, siv(0xa7).clone(), siv(0x11), 2 * 32);
}

#[test]
fn keys() {
    for backend in Backend::available() {
        wiped::<16>(backend);
        wiped::<32>(backend);
    }
}
