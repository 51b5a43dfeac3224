//! Every backend against the portable one: all lengths over two trips of the widest loop, in place and
//! between buffers, with the counter about to carry.

use inout::InOutBuf;
use ss55_chacha_simd::{
    Backend,
    hazmat::{BLOCK, State},
};

const CANARY: u8 = 0xa5;

fn check<const ROUNDS: usize>(backend: Backend, row: &[u8; 16], input: &[u8]) {
    let key = core::array::from_fn(|i| (i * 37 + 5) as u8);
    let state = State::new(&key, row);
    let len = input.len();
    let case = format!(
        "{} rounds {ROUNDS} length {len} row {row:x?}",
        backend.name()
    );

    let (mut expected, mut expected_last) = (vec![0; len], [CANARY; BLOCK]);
    let buf = InOutBuf::new(input, &mut expected).unwrap();
    Backend::PORTABLE.xor::<ROUNDS>(&state, buf, &mut expected_last);

    let (mut output, mut last) = (vec![CANARY; len + 2 * BLOCK], [CANARY; BLOCK]);
    let here = BLOCK..BLOCK + len;
    let buf = InOutBuf::new(input, &mut output[here.clone()]).unwrap();
    backend.xor::<ROUNDS>(&state, buf, &mut last);
    assert!(output[here.clone()] == expected, "{case}");
    assert!(last == expected_last, "last block: {case}");

    output[here.clone()].copy_from_slice(input);
    backend.xor::<ROUNDS>(&state, (&mut output[here.clone()]).into(), &mut last);
    assert!(output[here.clone()] == expected, "in place: {case}");
    let mut around = output[..here.start].iter().chain(&output[here.end..]);
    assert!(around.all(|&b| b == CANARY), "overrun: {case}");
}

#[test]
fn every_length() {
    let input: Vec<u8> = (0..4300u32).map(|i| (i * 7 + 3) as u8 | 1).collect();
    let mut row = *b"\x07\0\0\0nonce nonce!";
    for backend in Backend::available() {
        for len in 0..=4300 {
            row[0] = len as u8;
            check::<20>(backend, &row, &input[len % 2..len]);
            if len % 5 == 0 {
                check::<8>(backend, &row, &input[..len]);
                check::<12>(backend, &row, &input[..len]);
            }
        }
    }
}

/// The carry from word 12 to word 13 in every lane of every layout, and the wrap of all 64 bits.
#[test]
fn counter_carries() {
    let input = [0x3c; 2048 + 1024 + 65];
    for backend in Backend::available() {
        for start in (0xffff_ffc0..=0xffff_ffffu64).chain(u64::MAX - 40..=u64::MAX) {
            for len in [64, 256, 257, 512, 1000, 1024, 1300, 2048, input.len()] {
                let mut row = [9; 16];
                row[..8].copy_from_slice(&start.to_le_bytes());
                check::<8>(backend, &row, &input[..len]);
                check::<20>(backend, &row, &input[..len]);
            }
        }
    }
}

/// Word 12 of a block is a 32-bit sum: with the counter added in 64-bit lanes it would carry into word
/// 13. Nonces for which it wraps, with the bytes 52..56 of that block.
#[test]
fn feed_forward_does_not_carry() {
    let key = core::array::from_fn(|i| i as u8);
    for backend in Backend::available() {
        for len in [192, 256, 512, 1024, 2048] {
            let mut keystream = [0; 2048];
            let state = State::legacy(&key, &[0x17, 0xcf, 0xdb, 0x3a, 0, 0, 0, 0], 0);
            backend.xor::<8>(&state, (&mut keystream[..len]).into(), &mut [0; BLOCK]);
            assert_eq!(keystream[64 + 52..][..4], [0x1e, 0x9d, 0x7e, 0xc5]);

            let mut keystream = [0; 2048];
            let state = State::legacy(&key, &[0xc1, 0x63, 0xc3, 0x1c, 0, 0, 0, 0], 0);
            backend.xor::<12>(&state, (&mut keystream[..len]).into(), &mut [0; BLOCK]);
            assert_eq!(keystream[128 + 52..][..4], [0x7b, 0xd1, 0xc2, 0x57]);
        }
    }
}
