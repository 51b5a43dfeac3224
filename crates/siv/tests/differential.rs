//! Against the construction put together in a straight line from the crates blake2 and chacha20.

#[path = "../../chacha-simd/tests/support/backends.rs"]
#[allow(dead_code)]
mod backends;
#[path = "support/oracle.rs"]
mod oracle;

use backends::backends;
use oracle::{KEY, NONCE, pat};
use proptest::prelude::*;
use ss55_siv::{Iv, Siv};

/// Sealed and opened in all four ways, with the oracle's bytes.
fn check<const N: usize>(
    siv: &Siv<N>,
    key: &[u8; 32],
    nonce: &[u8; 12],
    ad: &[u8],
    message: &[u8],
) {
    let (ciphertext, iv) = oracle::seal(N, key, nonce, ad, message);
    let iv = Iv::<N>::from(<[u8; N]>::try_from(iv).expect("N bytes"));
    let case = || format!("{siv:?}, {} bytes, ad of {}", message.len(), ad.len());

    let mut buf = message.to_vec();
    assert_eq!(
        siv.seal_in_place_detached(nonce, ad, &mut buf),
        Ok(iv),
        "{}",
        case()
    );
    assert!(buf == ciphertext, "{}", case());
    assert_eq!(
        siv.open_in_place_detached(nonce, ad, &mut buf, &iv),
        Ok(()),
        "{}",
        case()
    );
    assert!(buf == message, "{}", case());

    buf.fill(0xee);
    assert_eq!(
        siv.seal_to(nonce, ad, message, &mut buf),
        Ok(iv),
        "{}",
        case()
    );
    assert!(buf == ciphertext, "{}", case());
    buf.fill(0xee);
    assert_eq!(
        siv.open_to(nonce, ad, &ciphertext, &mut buf, &iv),
        Ok(()),
        "{}",
        case()
    );
    assert!(buf == message, "{}", case());
}

/// The whole square: every way in which message, ad and nonce can lie across the blocks of the hash.
#[test]
fn every_length_of_message_and_ad() {
    let (message, ad) = (pat(1100), pat(130));
    let siv = Siv::<16>::new(&KEY);
    for len in 0..=message.len() {
        for ad_len in 0..=ad.len() {
            check(&siv, &KEY, &NONCE, &ad[..ad_len], &message[..len]);
        }
    }
}

/// Every length for the longer IV and for every backend; an ad that ends somewhere else each time.
#[test]
fn every_length_on_every_backend() {
    let (message, ad) = (pat(1100), pat(131));
    for &backend in backends() {
        let (short, long) = (
            Siv::<16>::with_backend(backend, &KEY),
            Siv::<32>::with_backend(backend, &KEY),
        );
        for len in 0..=message.len() {
            for ad_len in [0, len % 131, (len * 7 + 60) % 131] {
                check(&short, &KEY, &NONCE, &ad[..ad_len], &message[..len]);
                check(&long, &KEY, &NONCE, &ad[..ad_len], &message[..len]);
            }
        }
    }
}

/// Opening goes in steps of 8 KiB; and around them the widest kernels take their turns.
#[test]
fn long_messages() {
    let message = pat(70_000);
    for &backend in backends() {
        let siv = Siv::<32>::with_backend(backend, &KEY);
        for step in [8192, 16384, 24576, 65536] {
            for by in [-65, -64, -1, 0, 1, 63, 64, 65] {
                let len = usize::try_from(step + by).expect("positive");
                check(&siv, &KEY, &NONCE, b"ad", &message[..len]);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_input(
        key: [u8; 32],
        nonce: [u8; 12],
        ad in proptest::collection::vec(any::<u8>(), 0..300),
        message in proptest::collection::vec(any::<u8>(), 0..3000),
    ) {
        check(&Siv::<16>::new(&key), &key, &nonce, &ad, &message);
        check(&Siv::<32>::new(&key), &key, &nonce, &ad, &message);
    }
}
