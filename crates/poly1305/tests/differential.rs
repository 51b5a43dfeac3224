//! Every backend against libsodium and RustCrypto, at every length and alignment that a wide kernel
//! could get wrong.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;
#[path = "support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use backends::backends;
use oracle::{LARGEST_R, pat, tag};
use poly1305::universal_hash::KeyInit;
use ss55_poly1305::{Backend, Poly1305};

fn mac(backend: Backend, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut mac = Poly1305::with_backend(backend, key);
    mac.update(message);
    mac.finalize().into()
}

/// Random, largest and smallest r, each with an s of all ones so that the last addition wraps.
fn keys() -> [[u8; 32]; 5] {
    let mut random = [0xff; 32];
    for (i, byte) in random[..16].iter_mut().enumerate() {
        *byte = (i * 73 + 41) as u8;
    }
    let mut one = [0xff; 32];
    one[..16].copy_from_slice(&1_u128.to_le_bytes());
    let mut high = [0xff; 32];
    high[..16].copy_from_slice(&(1_u128 << 123).to_le_bytes()); // the highest bit of r
    [random, LARGEST_R, one, high, [0; 32]]
}

#[test]
fn every_length() {
    let messages = [pat(2200), vec![0xff; 2200], vec![0; 2200]];
    for key in keys() {
        for message in &messages {
            for len in 0..=message.len() {
                let message = &message[..len];
                let expected: [u8; 16] = tag(&key, message).into();
                for &backend in backends() {
                    let name = backend.name();
                    assert_eq!(
                        mac(backend, &key, message),
                        expected,
                        "{name}: {len} bytes of {:x?}, key {key:x?}",
                        message.first()
                    );
                }
            }
        }
    }
}

#[test]
fn every_length_by_rustcrypto() {
    let message = pat(2200);
    for key in keys() {
        for len in 0..=message.len() {
            let rustcrypto = poly1305::Poly1305::new(&key.into());
            let expected: [u8; 16] = rustcrypto.compute_unpadded(&message[..len]).into();
            for &backend in backends() {
                assert_eq!(
                    mac(backend, &key, &message[..len]),
                    expected,
                    "{}",
                    backend.name()
                );
            }
        }
    }
}

#[test]
fn every_alignment() {
    let storage = pat(64 + 2200);
    let aligned = storage.as_ptr().align_offset(64);
    let [key, ..] = keys();
    for offset in 0..64 {
        for len in (0..=2100 - 64)
            .step_by(13)
            .chain([16, 32, 64, 128, 256, 512, 1024, 2048])
        {
            let start = (aligned + offset) % 64;
            let message = &storage[start..start + len];
            let expected: [u8; 16] = tag(&key, message).into();
            for &backend in backends() {
                let name = backend.name();
                assert_eq!(
                    mac(backend, &key, message),
                    expected,
                    "{name}: {len} at {offset}"
                );
            }
        }
    }
}

/// Thousands of trips: an accumulator that a lazy reduction lets grow by a bit per trip overflows
/// here, and so does a 16-bit count.
#[test]
fn long_messages() {
    for fill in [0xff, 0x00, 0xa5] {
        for len in [
            8191,
            8192,
            8193,
            65535,
            65536,
            65537,
            (1 << 20) + 16,
            (1 << 21) + 145,
        ] {
            let message = vec![fill; len];
            for key in keys() {
                let expected: [u8; 16] = tag(&key, &message).into();
                for &backend in backends() {
                    let name = backend.name();
                    assert_eq!(
                        mac(backend, &key, &message),
                        expected,
                        "{name}: {len} of {fill:x}"
                    );
                }
            }
        }
    }
}
