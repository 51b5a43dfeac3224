//! What is refused, and that nothing changes then; runs of units; what a value shows of itself.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;

use backends::{all_present, backends};
use ss55_serpent::{
    Backend, InvalidKeyLength, Serpent, SerpentXts,
    xts::Error::{PartialUnit, UnitOverflow, UnitTooShort},
};

const KEYS: [u8; 64] = *b"one key for the data and one, no less secret, for the tweaks ...";

fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

#[test]
fn keys_of_three_lengths_and_no_others() {
    for len in 0..=64 {
        let cipher = Serpent::new(&pat(len));
        if [16, 24, 32].contains(&len) {
            assert!(cipher.is_ok(), "{len}");
        } else {
            assert_eq!(cipher.err(), Some(InvalidKeyLength), "{len}");
        }
    }
}

/// A shorter key is padded with a one bit, not with zeros: it is another key than the longer one.
#[test]
fn padding_is_part_of_a_short_key() {
    let encrypt = |key: &[u8]| {
        let mut block = [0; 16];
        Serpent::new(key)
            .expect("a length in use")
            .encrypt_block(&mut block);
        block
    };
    for len in [16, 24] {
        let mut padded = pat(len);
        padded.resize(32, 0);
        assert_ne!(encrypt(&pat(len)), encrypt(&padded));
        padded[len] = 1;
        assert_eq!(encrypt(&pat(len)), encrypt(&padded));
    }
}

/// Every byte of key and block matters.
#[test]
fn no_input_is_ignored() {
    for &backend in backends() {
        let mut seen = Vec::new();
        for flipped in 0..49 {
            let (mut key, mut block) = (pat(32), [9; 16]);
            match flipped {
                0..32 => key[flipped] ^= 1,
                32..48 => block[flipped - 32] ^= 1,
                _ => {}
            }
            let cipher = Serpent::with_backend(backend, &key).expect("32 bytes");
            cipher.encrypt_block(&mut block);
            assert!(!seen.contains(&block), "{flipped}");
            seen.push(block);
        }
    }
}

#[test]
fn short_units_are_refused() {
    for &backend in backends() {
        let xts = SerpentXts::with_backend(backend, &KEYS);
        for len in 0..16 {
            let mut data = pat(len);
            assert_eq!(xts.encrypt_unit(0, &mut data), Err(UnitTooShort));
            assert_eq!(xts.decrypt_unit(0, &mut data), Err(UnitTooShort));
            assert_eq!(data, pat(len));
            let mut data = pat(240);
            assert_eq!(xts.encrypt_units(0, len, &mut data), Err(UnitTooShort));
            assert_eq!(xts.decrypt_units(0, len, &mut data), Err(UnitTooShort));
            assert_eq!(data, pat(240));
        }
    }
}

#[test]
fn partial_units_are_refused() {
    let xts = SerpentXts::new(&KEYS);
    for len in [1, 15, 16, 511, 513, 1023] {
        let mut data = pat(len);
        assert_eq!(xts.encrypt_units(0, 512, &mut data), Err(PartialUnit));
        assert_eq!(xts.decrypt_units(0, 512, &mut data), Err(PartialUnit));
        assert_eq!(data, pat(len));
    }
    assert_eq!(xts.encrypt_units(u64::MAX, 512, &mut []), Ok(()));
    assert_eq!(xts.decrypt_units(u64::MAX, 512, &mut []), Ok(()));
}

/// The last number is usable, the one after it is an error before a byte changes.
#[test]
fn unit_numbers_end() {
    for &backend in backends() {
        let xts = SerpentXts::with_backend(backend, &KEYS);
        for count in 1..=70 {
            for unit_len in [16, 17] {
                let first = u64::MAX - (count - 1);
                let mut data = pat(count as usize * unit_len);
                xts.encrypt_units(first, unit_len, &mut data)
                    .expect("up to the last");
                let mut last = data.split_off((count as usize - 1) * unit_len);
                xts.decrypt_unit(u64::MAX, &mut last).expect("the last");
                assert_eq!(last, pat(count as usize * unit_len)[data.len()..]);

                let mut data = pat(count as usize * unit_len);
                if let Some(over) = first.checked_add(1) {
                    let result = xts.encrypt_units(over, unit_len, &mut data);
                    assert_eq!(result, Err(UnitOverflow));
                    let result = xts.decrypt_units(over, unit_len, &mut data);
                    assert_eq!(result, Err(UnitOverflow));
                }
                assert_eq!(data, pat(count as usize * unit_len));
            }
        }
    }
}

/// A run is its units, one by one: of all lengths up to more than one batch of tweaks, and more units
/// than numbers are encrypted at once.
#[test]
fn a_run_is_its_units() {
    let lengths = (16..=66).chain([512, 520, 1008, 1024, 1040, 4096, 4100]);
    for &backend in backends() {
        let xts = SerpentXts::with_backend(backend, &KEYS);
        for unit_len in lengths.clone() {
            for count in [1, 2, 3, 31, 33, 70] {
                let case = format!("{}, {count} of {unit_len} bytes", backend.name());
                let plaintext = pat(unit_len * count);
                let mut expected = plaintext.clone();
                let first = (1 << 32) - 2;
                for (unit, data) in (first..).zip(expected.chunks_mut(unit_len)) {
                    xts.encrypt_unit(unit, data).expect("16 or more");
                }
                let mut data = plaintext.clone();
                xts.encrypt_units(first, unit_len, &mut data)
                    .expect("whole units");
                assert!(data == expected, "{case}");
                xts.decrypt_units(first, unit_len, &mut data)
                    .expect("whole units");
                assert!(data == plaintext, "back: {case}");
            }
        }
    }
}

/// The first key is the data's, the second the tweaks': by the definition, on one block.
#[test]
fn two_keys_and_their_places() {
    let (data_key, tweak_key) = KEYS.split_at(32);
    let mut tweak = [0; 16];
    tweak[..8].copy_from_slice(&0x0102_0304_0506_0708_u64.to_le_bytes());
    Serpent::new(tweak_key)
        .expect("32 bytes")
        .encrypt_block(&mut tweak);
    let mut expected: [u8; 16] = core::array::from_fn(|i| i as u8 ^ tweak[i]);
    Serpent::new(data_key)
        .expect("32 bytes")
        .encrypt_block(&mut expected);
    let expected: [u8; 16] = core::array::from_fn(|i| expected[i] ^ tweak[i]);

    let mut data: [u8; 16] = core::array::from_fn(|i| i as u8);
    let xts = SerpentXts::new(&KEYS);
    xts.encrypt_unit(0x0102_0304_0506_0708, &mut data)
        .expect("16 bytes");
    assert_eq!(data, expected);
}

#[test]
fn clones_are_equal_and_equal_keys_are_accepted() {
    let (cipher, xts) = (
        Serpent::new(&[1; 24]).expect("24"),
        SerpentXts::new(&[1; 64]),
    );
    let (mut a, mut b) = ([5; 16], [5; 16]);
    cipher.encrypt_block(&mut a);
    cipher.clone().encrypt_block(&mut b);
    assert_eq!(a, b);
    xts.encrypt_unit(1, &mut a).expect("16 bytes");
    xts.clone().encrypt_unit(1, &mut b).expect("16 bytes");
    assert_eq!(a, b);
}

#[test]
fn backends_go_by_their_names() {
    let names: Vec<_> = Backend::available().map(|backend| backend.name()).collect();
    assert_eq!(names.last(), Some(&"portable"));
    assert_eq!(Backend::detect().name(), names[0]);
    for name in Backend::NAMES {
        let there = Backend::by_name(name).map(|backend| backend.name());
        assert_eq!(there, names.contains(name).then_some(*name));
    }
    assert_eq!(Backend::by_name("tnepres"), None);
    assert_eq!(all_present("portable, tnepres"), Err("tnepres"));
    let cipher = Serpent::with_backend(Backend::PORTABLE, &[0; 16]).expect("16 bytes");
    assert_eq!(cipher.backend(), Backend::PORTABLE);
}

#[test]
fn what_is_printed_holds_no_key() {
    let cipher = Serpent::with_backend(Backend::PORTABLE, &[0xee; 16]).expect("16 bytes");
    let xts = SerpentXts::with_backend(Backend::PORTABLE, &[0xee; 64]);
    assert_eq!(
        format!("{cipher:?}"),
        r#"Serpent { backend: "portable", .. }"#
    );
    assert_eq!(
        format!("{xts:?}"),
        r#"SerpentXts { backend: "portable", .. }"#
    );
    let errors: [(&dyn core::error::Error, _); 4] = [
        (&InvalidKeyLength, "16, 24 or 32"),
        (&UnitTooShort, "at least 16"),
        (&PartialUnit, "whole number"),
        (&UnitOverflow, "2^64 - 1"),
    ];
    for (error, part) in errors {
        assert!(error.to_string().contains(part), "{error}");
    }
}
