//! Seams between calls, the raw accumulator, the bits of the key, and tags.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;
#[path = "support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use backends::{all_present, backends};
use oracle::{LARGEST_R, pat, tag};
use ss55_poly1305::{Backend, Poly1305, Tag, hazmat::Accumulator};
use std::collections::HashSet;

/// The largest r and blocks of ones: every limb at its bound, at every length of loop and tail.
#[test]
fn largest_r_with_ones() {
    let mut key = LARGEST_R;
    for s in [0x00, 0xff] {
        key[16..].fill(s);
        for len in 0..=2100 {
            let message = vec![0xff; len];
            for &backend in backends() {
                let mut mac = Poly1305::with_backend(backend, &key);
                mac.update(&message);
                assert_eq!(
                    mac.finalize(),
                    tag(&key, &message),
                    "{}, {len}",
                    backend.name()
                );
            }
        }
    }
}

/// Two cuts at every pair of places near the start and near 64 blocks.
#[test]
fn every_pair_of_cuts() {
    let message = pat(1040);
    let expected = tag(&LARGEST_R, &message);
    let places: Vec<usize> = (0..=130).chain(1024..=1040).collect();
    for &backend in backends() {
        for (i, &a) in places.iter().enumerate() {
            for &b in &places[i..] {
                let mut mac = Poly1305::with_backend(backend, &LARGEST_R);
                mac.update(&message[..a]);
                mac.update(&message[a..b]);
                mac.update(&message[b..]);
                assert_eq!(mac.finalize(), expected, "{}: {a}, {b}", backend.name());
            }
        }
    }
}

/// A cut anywhere in a message of several trips of the widest loop.
#[test]
fn every_cut_of_a_long_message() {
    let message = pat(4200);
    let expected = tag(&LARGEST_R, &message);
    for &backend in backends() {
        for cut in 0..=message.len() {
            let mut mac = Poly1305::with_backend(backend, &LARGEST_R);
            mac.update(&message[..cut]);
            mac.update(&message[cut..]);
            assert_eq!(mac.finalize(), expected, "{}: {cut}", backend.name());
        }
    }
}

/// From byte by byte to pieces of two wide loops, with empty updates between.
#[test]
fn equal_pieces() {
    let message = pat(2600);
    let expected = tag(&LARGEST_R, &message);
    for &backend in backends() {
        for piece in 1..=1100 {
            let mut mac = Poly1305::with_backend(backend, &LARGEST_R);
            for part in message.chunks(piece) {
                mac.update(part);
                mac.update(&[]);
            }
            assert_eq!(
                mac.finalize(),
                expected,
                "{}: pieces of {piece}",
                backend.name()
            );
        }
    }
}

/// Powers of r that a kernel computes late must not depend on how the blocks arrive.
#[test]
fn accumulator_takes_blocks_in_any_portions() {
    let message = pat(16 * 210);
    for &backend in backends() {
        for first in 0..=70 {
            for second in (0..=70).chain([127, 128, 129, 140]) {
                let end = 16 * (first + second);
                let mut acc = Accumulator::new(backend, &LARGEST_R);
                acc.blocks(&message[..16 * first]);
                acc.blocks(&message[16 * first..end]);
                let expected = tag(&LARGEST_R, &message[..end]);
                assert_eq!(acc.tag(), expected, "{}: {first}, {second}", backend.name());
                assert_eq!(acc.tag(), expected, "the tag is read, not taken");
            }
        }
    }
}

#[test]
fn accumulator_ends_with_a_part_of_a_block() {
    let message = pat(16 * 40 + 15);
    for &backend in backends() {
        for blocks in 0..=40 {
            for part in 1..=15 {
                let (whole, rest) = message[..16 * blocks + part].split_at(16 * blocks);
                let mut acc = Accumulator::new(backend, &LARGEST_R);
                acc.blocks(whole);
                acc.last_block(rest);
                let expected = tag(&LARGEST_R, &message[..16 * blocks + part]);
                assert_eq!(acc.tag(), expected, "{}: {blocks}, {part}", backend.name());
            }
        }
        assert_eq!(Accumulator::new(backend, &LARGEST_R).backend(), backend);
    }
}

#[test]
#[should_panic(expected = "part of a block")]
fn accumulator_refuses_a_part_among_blocks() {
    Accumulator::new(Backend::PORTABLE, &LARGEST_R).blocks(&[0; 17]);
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn accumulator_refuses_a_whole_block_as_a_part() {
    Accumulator::new(Backend::PORTABLE, &LARGEST_R).last_block(&[0; 16]);
}

#[test]
#[should_panic(expected = "no block has no bytes")]
fn a_last_block_of_no_bytes_is_refused() {
    Accumulator::new(Backend::PORTABLE, &LARGEST_R).last_block(&[]);
}

/// `pad16` is zeros up to a block, none where a block has just ended, and works in mid-message.
#[test]
fn padding_is_zeros_up_to_a_block() {
    for &backend in backends() {
        for aad in 0..=80 {
            for text in 0..=80 {
                let mut mac = Poly1305::with_backend(backend, &LARGEST_R);
                let mut message = pat(aad);
                mac.update(&message);
                mac.pad16();
                message.resize(aad.next_multiple_of(16), 0);
                let text = vec![0xd9; text];
                mac.update(&text);
                message.extend(&text);
                mac.pad16();
                mac.pad16();
                message.resize(message.len().next_multiple_of(16), 0);
                let name = backend.name();
                assert_eq!(
                    mac.finalize(),
                    tag(&LARGEST_R, &message),
                    "{name}: {aad}, {text:?}"
                );
            }
        }
    }
}

/// Without padding a zero byte more is another message; so is one less.
#[test]
fn zeros_count() {
    for &backend in backends() {
        let mut tags = HashSet::new();
        for len in 0..=1100 {
            let mut mac = Poly1305::with_backend(backend, &LARGEST_R);
            mac.update(&vec![0; len]);
            let bytes: [u8; 16] = mac.finalize().into();
            assert!(tags.insert(bytes), "{}: {len} zeros", backend.name());
        }
    }
}

/// The 22 bits that RFC 8439 clamps have no effect, all 234 others do, on whatever path.
#[test]
fn every_bit_of_the_key_but_the_clamped() {
    let clamp = 0x0ffffffc_0ffffffc_0ffffffc_0fffffff_u128.to_le_bytes();
    let key: [u8; 32] = std::array::from_fn(|i| (i * 91 + 7) as u8);
    for &backend in backends() {
        for len in [1, 16, 64, 300, 2100] {
            let message = pat(len);
            let mac = |key: &[u8; 32]| {
                let mut mac = Poly1305::with_backend(backend, key);
                mac.update(&message);
                mac.finalize()
            };
            let expected = mac(&key);
            for bit in 0..256 {
                let mut other = key;
                other[bit / 8] ^= 1 << (bit % 8);
                let clamped = bit < 128 && clamp[bit / 8] >> (bit % 8) & 1 == 0;
                let same = mac(&other) == expected;
                assert_eq!(same, clamped, "{}: bit {bit}, {len} bytes", backend.name());
            }
        }
    }
}

/// Each bit of a message counts, in each lane.
#[test]
fn every_bit_of_the_message() {
    let mut message = pat(2048 + 300);
    for &backend in backends() {
        let mac = |message: &[u8]| {
            let mut mac = Poly1305::with_backend(backend, &LARGEST_R);
            mac.update(message);
            mac.finalize()
        };
        let expected = mac(&message);
        for bit in (0..8 * message.len()).step_by(7) {
            message[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(mac(&message), expected, "{}: bit {bit}", backend.name());
            message[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn clones_go_their_own_way() {
    let message = pat(1500);
    for &backend in backends() {
        for cut in [0, 5, 16, 300, 1029] {
            let mut original = Poly1305::with_backend(backend, &LARGEST_R);
            original.update(&message[..cut]);
            let mut clone = original.clone();
            original.update(b"something else");
            clone.update(&message[cut..]);
            assert_eq!(
                clone.finalize(),
                tag(&LARGEST_R, &message),
                "{}",
                backend.name()
            );
            let other = [&message[..cut], b"something else"].concat();
            assert_eq!(
                original.finalize(),
                tag(&LARGEST_R, &other),
                "{}",
                backend.name()
            );
        }
    }
}

#[test]
fn tags_compare_every_bit() {
    let tag = Tag::from([0x5a; 16]);
    assert_eq!(tag, Tag::from(*tag.as_bytes()));
    for bit in 0..128 {
        let mut bytes = *tag.as_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(tag, Tag::from(bytes), "bit {bit}");
        assert_ne!(Tag::from(bytes), tag, "bit {bit}");
    }
    // Differences that cancel under xor or a sum.
    let mut bytes = *tag.as_bytes();
    bytes[0] ^= 0xff;
    bytes[15] ^= 0xff;
    assert_ne!(tag, Tag::from(bytes));
    bytes.swap(0, 15);
    assert_ne!(tag, Tag::from(bytes));
    assert_eq!(<[u8; 16]>::from(tag), [0x5a; 16]);
}

/// Neither the key nor the begun block nor the sum, in any notation of a derived `Debug`.
#[test]
fn debug_shows_no_secret() {
    let mut mac = Poly1305::with_backend(Backend::PORTABLE, &[0xa7; 32]);
    mac.update(&[0xb9; 7]);
    let shown = format!("{mac:?} {mac:#?} {mac:x?}").to_lowercase();
    assert!(shown.contains("portable"), "{shown}");
    let digits = shown.chars().filter(char::is_ascii_digit).count();
    assert_eq!(digits, 3 * "1305".len(), "numbers in {shown}");
    for secret in ["a7", "b9"] {
        assert!(!shown.contains(secret), "{shown}");
    }
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
