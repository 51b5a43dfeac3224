//! Ends, seams and refusals: the last block, the calls between blocks, the bytes that must count.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;
#[path = "support/ciphers.rs"]
#[allow(dead_code)]
mod ciphers;
#[path = "support/guarded.rs"]
mod guarded;
#[path = "support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use backends::{all_present, backends};
use ciphers::{CIPHERS, KEY, cipher, pat};
use guarded::Guarded;
use ss55_chacha_simd::{Backend, ChaCha20, KeystreamExhausted};
use std::collections::HashSet;

/// Lengths around group sizes: a full group, then a tail, then the loop once more.
fn lengths_around(group: usize) -> impl Iterator<Item = usize> {
    (1..=5).flat_map(move |trips| {
        [
            0, 1, 2, 64, 65, 66, 256, 257, 258, 512, 513, 514, 1024, 1025,
        ]
        .map(|more| trips * group + more - 1)
    })
}

/// Second trips of loops of 16 and 32 blocks, and the tails after them.
#[test]
fn tails_after_full_groups() {
    for cipher in CIPHERS {
        let data = pat(6 * 2048);
        let expected = oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), 3, &data);
        for &backend in backends() {
            for len in lengths_around(1024).chain(lengths_around(2048)) {
                let mut buf = Guarded::new(&data[..len], len % 64);
                cipher.at(backend, 3).apply(buf.bytes_mut()).expect("short");
                let case = format!("{} on {}, {len} bytes", cipher.name, backend.name());
                assert!(buf.bytes() == &expected[..len], "{case}");
                assert!(buf.intact(), "canary: {case}");
            }
        }
    }
}

/// A first call of every length to 192, a second of the sizes at which a kernel changes its path,
/// then the rest: as one call.
#[test]
fn split_calls_equal_one_call() {
    let data = pat(192 + 2048 + 2048 + 77);
    for cipher in CIPHERS {
        let expected = oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), 0, &data);
        for &backend in backends() {
            for first in 0..=192 {
                for second in [
                    0, 1, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 2047, 2048,
                ] {
                    let mut buf = data.clone();
                    let mut stream = cipher.on(backend);
                    let (a, rest) = buf.split_at_mut(first);
                    let (b, c) = rest.split_at_mut(second);
                    stream.apply(a).expect("short");
                    stream.apply(b).expect("short");
                    stream.apply(c).expect("short");
                    let name = backend.name();
                    assert!(
                        buf == expected,
                        "{}, {name}: {first}, {second}",
                        cipher.name
                    );
                    assert_eq!(stream.position(), data.len() as u128);
                }
            }
        }
    }
}

#[test]
fn byte_by_byte() {
    let data = pat(1300);
    for cipher in CIPHERS {
        let expected = oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), 0, &data);
        for &backend in backends() {
            let mut buf = data.clone();
            let mut stream = cipher.on(backend);
            for (i, byte) in buf.chunks_mut(1).enumerate() {
                assert_eq!(stream.position(), i as u128);
                stream.apply(byte).expect("short");
            }
            assert!(buf == expected, "{} on {}", cipher.name, backend.name());
        }
    }
}

/// The last block is usable; one byte more is refused before anything changes.
#[test]
fn end_of_the_keystream() {
    for cipher in CIPHERS {
        let end = cipher.keystream_len;
        for &backend in backends() {
            for left in [
                0, 1, 15, 63, 64, 65, 127, 128, 1023, 1024, 1025, 2047, 2048, 2049,
            ] {
                let case = format!("{} on {}, {left} bytes left", cipher.name, backend.name());
                let mut stream = cipher.on(backend);
                stream.seek(end - left as u128).expect("not past the end");
                assert_eq!(stream.position(), end - left as u128);

                let data = pat(left + 4096);
                for more in [1, 2, 63, 64, 65, 4096] {
                    let mut buf = Guarded::new(&data[..left + more], 5);
                    assert_eq!(
                        stream.apply(buf.bytes_mut()),
                        Err(KeystreamExhausted),
                        "{case}"
                    );
                    assert!(
                        buf.bytes() == &data[..left + more],
                        "buffer changed, {case}"
                    );
                    let mut output = Guarded::new(&data[..left + more], 9);
                    let input = vec![0x55; left + more];
                    let refused = stream.apply_to(&input, output.bytes_mut());
                    assert_eq!(refused, Err(KeystreamExhausted), "{case}");
                    assert!(
                        output.bytes() == &data[..left + more],
                        "output changed, {case}"
                    );
                    assert_eq!(stream.position(), end - left as u128, "{case}");
                }

                // All that is left still comes out right, after all the refusals.
                let start = end - left as u128;
                let (block, inside) = ((start / 64) as u64, (start % 64) as usize);
                let mut buf = data[..left].to_vec();
                stream.apply(&mut buf).expect("what is left");
                if left > 0 {
                    let mut padded = vec![0; inside];
                    padded.extend_from_slice(&data[..left]);
                    let expected =
                        oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), block, &padded);
                    assert!(buf == expected[inside..], "{case}");
                }
                assert_eq!(stream.position(), end, "{case}");
                assert_eq!(stream.apply(&mut []), Ok(()), "nothing at the end, {case}");
                assert_eq!(stream.apply(&mut [0]), Err(KeystreamExhausted), "{case}");
                // And the way back is open.
                stream.seek(0).expect("the start");
                let mut buf = pat(100);
                stream.apply(&mut buf).expect("short");
                let expected = oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), 0, &pat(100));
                assert_eq!(buf, expected, "{case}");
            }
        }
    }
}

#[test]
fn seek_past_the_end_changes_nothing() {
    for cipher in CIPHERS {
        for &backend in backends() {
            let mut stream = cipher.on(backend);
            let mut buf = pat(200);
            stream.apply(&mut buf[..70]).expect("short");
            for byte in [
                cipher.keystream_len + 1,
                cipher.keystream_len + 64,
                u128::MAX,
            ] {
                assert_eq!(stream.seek(byte), Err(KeystreamExhausted));
                assert_eq!(stream.position(), 70);
            }
            if cipher.nonce_len == 12 {
                for block in [(1 << 32) + 1, 1 << 33, u64::MAX] {
                    assert_eq!(stream.seek_block(block), Err(KeystreamExhausted));
                    assert_eq!(stream.position(), 70);
                }
            }
            stream.apply(&mut buf[70..]).expect("short");
            let expected = oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), 0, &pat(200));
            assert_eq!(buf, expected, "{} on {}", cipher.name, backend.name());
        }
    }
}

/// Positions that a 64-bit or a float byte count would lose.
#[test]
fn position_is_exact() {
    for cipher in CIPHERS {
        let blocks = if cipher.nonce_len == 12 {
            1 << 32
        } else {
            1 << 64
        };
        assert_eq!(cipher.keystream_len, 64 * blocks, "{}", cipher.name);
    }
    for &backend in backends() {
        let mut ietf = cipher(20, 12).on(backend);
        ietf.seek(274_877_906_881).expect("63 before the end");
        ietf.apply(&mut [0; 63]).expect("up to the end");
        assert_eq!(ietf.position(), 274_877_906_944);

        let mut legacy = cipher(20, 8).on(backend);
        for at in [
            (1 << 64) - 1,
            1 << 64,
            (1 << 64) + 12_345,
            (1 << 70) - 65_u128,
        ] {
            legacy.seek(at).expect("within 2^70");
            legacy.apply(&mut [0; 65]).expect("within 2^70");
            assert_eq!(legacy.position(), at + 65);
        }
        legacy.seek_block(u64::MAX).expect("the last block");
        assert_eq!(legacy.position(), (1 << 70) - 64);
    }
}

/// Seeks into the middle of blocks, forward and back, with and without reading between them.
#[test]
fn seek_by_byte() {
    let data = pat(5000);
    for cipher in CIPHERS {
        let stream = oracle::keystream(cipher.rounds, &KEY, cipher.nonce(), 0, data.len());
        for &backend in backends() {
            let mut cipher_at = cipher.on(backend);
            let mut at = 0;
            for step in 0..400 {
                at = (at + 1237 + step * 61) % 4000;
                if step % 3 == 0 {
                    cipher_at.seek((at + 31) as u128 % 4000).expect("early");
                }
                cipher_at.seek(at as u128).expect("early");
                let len = step * 37 % 900;
                let mut buf = data[at..at + len].to_vec();
                cipher_at.apply(&mut buf).expect("short");
                let right = (0..len).all(|i| buf[i] == data[at + i] ^ stream[at + i]);
                assert!(
                    right,
                    "{} on {}: {len} at {at}",
                    cipher.name,
                    backend.name()
                );
            }
        }
    }
}

#[test]
fn one_shot_ends_where_the_keystream_does() {
    for cipher in CIPHERS {
        let last = (cipher.keystream_len / 64 - 1) as u64;
        let data = pat(129);
        let mut buf = data.clone();
        (cipher.xor)(&KEY, cipher.nonce(), last - 1, &mut buf[..128]).expect("two blocks");
        let expected =
            oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), last - 1, &data[..128]);
        assert_eq!(&buf[..128], expected, "{}", cipher.name);

        for (block, len) in [(last - 1, 129), (last, 65), (last, 129)] {
            let mut buf = data.clone();
            let refused = (cipher.xor)(&KEY, cipher.nonce(), block, &mut buf[..len]);
            assert_eq!(refused, Err(KeystreamExhausted), "{}", cipher.name);
            assert_eq!(buf, data, "{}", cipher.name);
        }
    }
    let mut buf = *b"untouched";
    let past = ChaCha20::xor(&KEY, &[0; 12], u64::MAX, &mut buf);
    assert_eq!((past, &buf), (Err(KeystreamExhausted), b"untouched"));
}

#[test]
#[should_panic(expected = "lengths differ")]
fn two_buffers_of_different_lengths() {
    let mut stream = ChaCha20::new(&KEY, &[0; 12]);
    let _ = stream.apply_keystream_to(&[0; 65], &mut [0; 64]);
}

/// Each byte of the key and of the nonce counts, whatever the kernel broadcasts.
#[test]
fn every_input_byte_matters() {
    for cipher in CIPHERS {
        for &backend in backends() {
            let mut outputs = HashSet::new();
            let mut add = |key: &[u8; 32], nonce: &[u8]| {
                let mut buf = vec![0; 2100];
                let mut stream = (cipher.with_backend)(backend, key, nonce);
                stream.apply(&mut buf).expect("short");
                // All blocks differ, not only the first.
                for block in buf.chunks_exact(64) {
                    assert!(
                        outputs.insert(block.to_vec()),
                        "{} on {}",
                        cipher.name,
                        backend.name()
                    );
                }
            };
            let nonce = cipher.nonce();
            add(&KEY, nonce);
            for i in 0..32 {
                let mut key = KEY;
                key[i] ^= 0x80;
                add(&key, nonce);
            }
            for i in 0..nonce.len() {
                let mut nonce = nonce.to_vec();
                nonce[i] ^= 1;
                add(&KEY, &nonce);
            }
        }
    }
}

#[test]
fn clones_go_their_own_way() {
    for cipher in CIPHERS {
        for &backend in backends() {
            let mut original = cipher.on(backend);
            let mut buf = pat(1000);
            original.apply(&mut buf[..77]).expect("short");
            let mut clone = original.boxed_clone();
            assert_eq!((clone.position(), clone.backend()), (77, backend));
            let mut other = buf.clone();
            original.apply(&mut buf[77..]).expect("short");
            assert_eq!(clone.position(), 77, "the original moved its clone");
            clone.apply(&mut other[77..]).expect("short");
            assert_eq!(buf, other);
            let expected = oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), 0, &pat(1000));
            assert_eq!(buf, expected);
        }
    }
}

/// Neither key nor nonce nor keystream, in any notation that a derived `Debug` would use.
#[test]
fn debug_shows_no_secret() {
    for cipher in CIPHERS {
        let mut stream = (cipher.with_backend)(
            Backend::PORTABLE,
            &[0xa7; 32],
            &[0xb9; 24][..cipher.nonce_len],
        );
        let mut keystream = [0; 7];
        stream.apply(&mut keystream).expect("short");
        let shown = format!("{stream:?} {stream:#?} {stream:x?}").to_lowercase();
        // Of the key 167, a7, 2812782503; of the nonce 185, b9, 3115956665.
        for secret in ["167", "a7a7", "2812782503", "185", "b9b9", "3115956665"] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
        for secret in [format!("{keystream:?}"), hex::encode(keystream)] {
            assert!(!shown.contains(secret.trim_matches(['[', ']'])), "{shown}");
        }
        assert!(shown.contains("position: 7"), "{shown}");
        assert!(shown.contains("portable"), "{shown}");
        assert!(shown.contains(&cipher.rounds.to_string()), "{shown}");
    }
}

#[test]
fn errors_are_errors() {
    let error: Box<dyn std::error::Error + Send + Sync> = Box::new(KeystreamExhausted);
    assert_eq!(
        error.to_string(),
        "request reaches past the end of the keystream"
    );
}

#[test]
fn backends_are_found_by_their_names() {
    let names: HashSet<_> = Backend::NAMES.iter().collect();
    assert_eq!(names.len(), Backend::NAMES.len(), "a name twice");
    assert_eq!(Backend::NAMES.last(), Some(&"portable"), "slowest last");
    let available: Vec<_> = Backend::available().collect();
    for backend in &available {
        assert_eq!(Backend::by_name(backend.name()), Some(*backend));
        assert!(Backend::NAMES.contains(&backend.name()));
    }
    assert!(available.contains(&Backend::PORTABLE));
    assert!(available.contains(&Backend::detect()));
    for name in ["", "Portable", "portable ", "avx", "none"] {
        assert_eq!(Backend::by_name(name), None, "{name:?}");
    }
    let stream = ChaCha20::new(&KEY, &[0; 12]);
    assert_eq!(stream.backend(), Backend::detect());
}

/// What makes a missing backend visible must itself be able to fail.
#[test]
fn required_backends_are_required() {
    assert_eq!(all_present(""), Ok(()));
    assert_eq!(all_present("portable"), Ok(()));
    assert_eq!(all_present(" portable ,"), Ok(()));
    assert_eq!(all_present("portable,abacus"), Err("abacus"));
    for name in Backend::NAMES {
        let present = Backend::by_name(name).is_some();
        assert_eq!(all_present(name).is_ok(), present, "{name}");
    }
    assert!(!backends().is_empty());
}
