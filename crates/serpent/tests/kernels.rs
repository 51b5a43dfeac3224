//! Every backend against the portable one, at every number of blocks over two trips of the widest loop.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;
#[path = "../../chacha-simd/tests/support/guarded.rs"]
mod guarded;

use backends::backends;
use guarded::Guarded;
use ss55_serpent::{Backend, Serpent, SerpentXts};

/// The widest kernel takes 64 blocks: twice that, and every tail behind it.
const MOST: usize = 2 * 64 + 70;

/// No two blocks alike, so that one in another's place is seen.
fn blocks(count: usize) -> Vec<[u8; 16]> {
    let byte = |at: usize| (at.wrapping_mul(0x9e37_79b9) >> 11) as u8;
    (0..count)
        .map(|n| core::array::from_fn(|i| byte(16 * n + i)))
        .collect()
}

#[test]
fn every_number_of_blocks() {
    let key: [u8; 32] = core::array::from_fn(|i| (i * 73 + 11) as u8);
    let portable = Serpent::with_backend(Backend::PORTABLE, &key).expect("32 bytes");
    for &backend in backends() {
        let cipher = Serpent::with_backend(backend, &key).expect("32 bytes");
        for count in 0..=MOST {
            let case = format!("{}, {count} blocks", backend.name());
            let plaintext = blocks(count);
            let mut expected = plaintext.clone();
            for block in &mut expected {
                portable.encrypt_block(block);
            }

            // 61 is prime to 64: every offset from a cache line comes up.
            let mut data = Guarded::new(plaintext.as_flattened(), count * 61 % 64);
            let (in_place, _) = data.bytes_mut().as_chunks_mut();
            cipher.encrypt_blocks(in_place);
            assert!(in_place == expected, "{case}");
            cipher.decrypt_blocks(in_place);
            assert!(in_place == plaintext, "back: {case}");
            assert!(data.intact(), "overrun: {case}");

            let mut other = Guarded::new(&vec![0x55; 16 * count], count * 17 % 64);
            let (output, _) = other.bytes_mut().as_chunks_mut();
            cipher.encrypt_blocks_to(&plaintext, output);
            assert!(output == expected, "to a buffer: {case}");
            cipher.decrypt_blocks_to(&expected, output);
            assert!(output == plaintext, "back to a buffer: {case}");
            assert!(other.intact(), "overrun of a buffer: {case}");
        }
    }
}

#[test]
#[should_panic = "lengths differ"]
fn buffers_of_two_lengths() {
    let cipher = Serpent::new(&[0; 16]).expect("16 bytes");
    cipher.encrypt_blocks_to(&[[0; 16]; 2], &mut [[0; 16]; 3]);
}

/// Every length of a unit: all tails with and without a short block, and the tweaks beyond one batch.
#[test]
fn every_length_of_a_unit() {
    let keys: [u8; 64] = core::array::from_fn(|i| (i * 29 + 5) as u8);
    let portable = SerpentXts::with_backend(Backend::PORTABLE, &keys);
    for &backend in backends() {
        let xts = SerpentXts::with_backend(backend, &keys);
        for len in (16..=16 * MOST)
            .step_by(3)
            .chain((16..=4 * 512).step_by(16))
        {
            let case = format!("{}, {len} bytes", backend.name());
            let plaintext = &blocks(MOST).into_flattened()[..len];
            let mut expected = plaintext.to_vec();
            portable.encrypt_unit(7, &mut expected).expect("16 or more");

            let mut data = Guarded::new(plaintext, len % 64);
            xts.encrypt_unit(7, data.bytes_mut()).expect("16 or more");
            assert!(data.bytes() == expected, "{case}");
            xts.decrypt_unit(7, data.bytes_mut()).expect("16 or more");
            assert!(data.bytes() == plaintext, "back: {case}");
            assert!(data.intact(), "overrun: {case}");
        }
    }
}

/// A carry out of every bit that a step of any width can lose: the tweak of one bit, 2000 times over, by
/// way of the ciphertext.
#[test]
fn tweaks_go_around_the_field() {
    for &backend in backends() {
        for seed in 0..16 {
            let xts = SerpentXts::with_backend(backend, &[seed; 64]);
            let portable = SerpentXts::with_backend(Backend::PORTABLE, &[seed; 64]);
            let (mut data, mut expected) = (vec![seed; 32_000], vec![seed; 32_000]);
            xts.encrypt_unit(u64::MAX, &mut data).expect("long");
            portable
                .encrypt_unit(u64::MAX, &mut expected)
                .expect("long");
            assert!(data == expected, "{}", backend.name());
        }
    }
}
