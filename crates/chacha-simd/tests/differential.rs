//! Every backend against other implementations, at every length, alignment and counter that a wide
//! kernel could get wrong.
//!
//! The widest loop takes 32 blocks, 2048 bytes, at once: lengths run past two trips of it.

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

use backends::backends;
use ciphers::{CIPHERS, Cipher, KEY, cipher, pat};
use guarded::Guarded;
use ss55_chacha_simd::{
    Backend,
    hazmat::{State, hchacha},
};

/// Both forms of a call at one place of the keystream: in place, and from one buffer to another.
fn check(
    cipher: &Cipher,
    backend: Backend,
    block: u64,
    data: &[u8],
    expected: &[u8],
    at: [usize; 2],
) {
    let case = || {
        format!(
            "{} on {}: {} bytes from block {block:#x}, offsets {at:?}",
            cipher.name,
            backend.name(),
            data.len(),
        )
    };
    let end = u128::from(block) * 64 + data.len() as u128;

    let mut buf = Guarded::new(data, at[0]);
    let mut stream = cipher.at(backend, block);
    stream.apply(buf.bytes_mut()).expect("within the keystream");
    assert!(buf.bytes() == expected, "in place, {}", case());
    assert!(buf.intact(), "in place, canary: {}", case());
    assert_eq!(stream.position(), end, "{}", case());

    let input = Guarded::new(data, at[0]);
    let mut output = Guarded::new(&vec![0xee; data.len()], at[1]);
    let mut stream = cipher.at(backend, block);
    stream
        .apply_to(input.bytes(), output.bytes_mut())
        .expect("within the keystream");
    assert!(output.bytes() == expected, "two buffers, {}", case());
    assert!(output.intact(), "two buffers, canary: {}", case());
    assert!(input.bytes() == data && input.intact(), "input, {}", case());
    assert_eq!(stream.position(), end, "{}", case());
}

/// Past two trips of the widest loop, and past every tail after it.
#[test]
fn every_length() {
    let data = pat(4300);
    for cipher in CIPHERS {
        let expected = oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), 0, &data);
        for &backend in backends() {
            for len in 0..=data.len() {
                let at = [len % 64, len * 7 % 64];
                check(cipher, backend, 0, &data[..len], &expected[..len], at);
            }
        }
    }
}

/// Every pair of alignments, at a length with all tails: 2048 + 1024 + 512 + 256 + 128 + 64 + 37.
#[test]
fn every_pair_of_alignments() {
    let data = pat(4069);
    for cipher in [cipher(20, 12), cipher(8, 8)] {
        let expected = oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), 1, &data);
        for &backend in backends() {
            for input in 0..64 {
                for output in 0..64 {
                    check(cipher, backend, 1, &data, &expected, [input, output]);
                }
            }
        }
    }
}

/// Every alignment at the short lengths, where a tail is all there is.
#[test]
fn every_alignment_of_every_tail() {
    let data = pat(700);
    let cipher = cipher(20, 24);
    let expected = oracle::encrypted(20, &KEY, cipher.nonce(), 0, &data);
    for &backend in backends() {
        for len in (0..=130).chain([191, 192, 193, 255, 256, 257, 511, 512, 513, 577, 700]) {
            for offset in 0..64 {
                let at = [offset, 63 - offset];
                check(cipher, backend, 0, &data[..len], &expected[..len], at);
            }
        }
    }
}

/// Where the low counter word wraps: the carry lands in every lane, in every trip.
#[test]
fn carry_into_the_high_counter_word() {
    let data = pat(70 * 64 + 17);
    for cipher in CIPHERS.iter().filter(|c| c.nonce_len != 12) {
        for high in [0, 1, 0x7fff_ffff, 0xffff_fffe_u64] {
            let wrap = (high + 1) << 32;
            // One stretch of keystream holds the data of every start.
            let first = wrap - 70;
            let keystream = oracle::keystream(
                cipher.rounds,
                &KEY,
                cipher.nonce(),
                first,
                70 * 64 + data.len(),
            );
            for &backend in backends() {
                for before in 0..=70 {
                    let skip = (70 - before) * 64;
                    let expected: Vec<u8> = data
                        .iter()
                        .zip(&keystream[skip..])
                        .map(|(d, k)| d ^ k)
                        .collect();
                    let at = [before % 64, before * 5 % 64];
                    check(cipher, backend, wrap - before as u64, &data, &expected, at);
                }
            }
        }
    }
}

/// The last blocks of each variant, in every lane and with every kind of tail. A 32-bit counter must
/// not carry into the nonce, whatever a kernel computes beyond what it is asked for.
#[test]
fn up_to_the_last_block() {
    for cipher in CIPHERS {
        let blocks = cipher.keystream_len / 64;
        for before in (0..=70).chain([96, 127, 128, 129]) {
            let block = (blocks - before as u128) as u64;
            if before == 0 {
                continue; // the end itself: boundaries.rs
            }
            for cut in [0, 1, 15, 16, 32, 63, 64, 65] {
                let Some(len) = (before * 64usize).checked_sub(cut) else {
                    continue;
                };
                let data = pat(len);
                let expected = oracle::encrypted(cipher.rounds, &KEY, cipher.nonce(), block, &data);
                for &backend in backends() {
                    check(cipher, backend, block, &data, &expected, [cut, before % 64]);
                }
            }
        }
    }
}

/// Nonces and keys of extreme words, and counters all over, at a length that fills every tail.
#[test]
fn counters_and_nonces_all_over() {
    let data = pat(2048 + 1024 + 64 + 3);
    let fills = [[0; 24], [0xff; 24], [0x80; 24], [0x7f; 24]];
    for cipher in CIPHERS {
        let last = (cipher.keystream_len / 64 - 64) as u64;
        for nonce in fills {
            let nonce = &nonce[..cipher.nonce_len];
            let blocks = [
                0,
                1,
                15,
                16,
                31,
                32,
                33,
                255,
                0xffff,
                0x7fff_ffff,
                0x8000_0000,
                last,
            ];
            for block in blocks {
                let expected = oracle::encrypted(cipher.rounds, &KEY, nonce, block, &data);
                for &backend in backends() {
                    let mut stream = (cipher.with_backend)(backend, &KEY, nonce);
                    stream.seek_block(block).expect("within the keystream");
                    let mut buf = data.clone();
                    stream.apply(&mut buf).expect("within the keystream");
                    let name = backend.name();
                    assert!(buf == expected, "{}, {name}, {block:#x}", cipher.name);
                }
            }
        }
    }
}

/// The entry point below the ciphers: it leaves the whole block of which it used a part, and nothing
/// otherwise; it takes any last row.
#[test]
fn raw_kernels_leave_the_last_block() {
    fn check<const ROUNDS: usize>() {
        let row: [u8; 16] = *b"\xfe\xff\xff\xff\x00\x00\x00\x00nonce 64";
        let state = State::new(&KEY, &row);
        let data = pat(4300);
        let stream = oracle::keystream(ROUNDS, &KEY, &row[8..], 0xffff_fffe, 4352);
        for &backend in backends() {
            for len in 0..=data.len() {
                let mut buf = Guarded::new(&data[..len], len % 64);
                let mut last = [0xcc; 64];
                backend.xor::<ROUNDS>(&state, buf.bytes_mut().into(), &mut last);
                let case = format!("{ROUNDS} rounds on {}, {len} bytes", backend.name());
                let right = |(i, byte): (usize, &u8)| *byte == data[i] ^ stream[i];
                assert!(buf.bytes().iter().enumerate().all(right), "{case}");
                assert!(buf.intact(), "canary: {case}");
                let begun = len / 64 * 64;
                let expected = if len % 64 == 0 {
                    &[0xcc; 64]
                } else {
                    &stream[begun..begun + 64]
                };
                assert!(last == expected, "last block, {case}");
            }
        }
    }
    check::<8>();
    check::<12>();
    check::<20>();
}

#[test]
fn hchacha_of_every_round_number() {
    for seed in 0..64_u8 {
        let key: [u8; 32] =
            std::array::from_fn(|i| (i as u8).wrapping_mul(seed) ^ seed.rotate_left(3));
        let nonce: [u8; 24] =
            std::array::from_fn(|i| seed.wrapping_mul(31).wrapping_add(i as u8 * 11));
        let (input, rest) = nonce.split_first_chunk::<16>().expect("24 >= 16");
        for (rounds, subkey) in [
            (8, hchacha::<8>(&key, input)),
            (12, hchacha::<12>(&key, input)),
            (20, hchacha::<20>(&key, input)),
        ] {
            assert_eq!(
                oracle::keystream(rounds, &key, &nonce, 0, 64),
                oracle::keystream(rounds, &subkey, rest, 0, 64),
                "{rounds} rounds"
            );
        }
    }
}
