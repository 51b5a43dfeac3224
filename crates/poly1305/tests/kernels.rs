//! Every backend against the portable one: all numbers of blocks over two trips of the widest loop, and
//! the keys and messages that drive limbs to their bounds.

use ss55_poly1305::{Backend, Poly1305, hazmat::Accumulator};

/// r as large as clamping leaves it; r = 1 and 2, which leave h near p; and one like any other.
fn keys() -> [[u8; 32]; 4] {
    let mut keys = [[0xff; 32], [0; 32], [0; 32], [0; 32]];
    keys[1][0] = 1;
    keys[2][0] = 2;
    keys[3] = core::array::from_fn(|i| (i * 73 + 11) as u8);
    keys
}

fn messages(len: usize) -> [Vec<u8>; 3] {
    [
        vec![0xff; len],
        vec![0; len],
        (0..len)
            .map(|i| (i * 7 + 3) as u8 ^ (i >> 8) as u8)
            .collect(),
    ]
}

#[test]
fn every_length() {
    let messages = messages(2100);
    for backend in Backend::available() {
        for key in keys() {
            for message in &messages {
                for len in 0..=2100 {
                    let tag = |backend| {
                        let mut mac = Poly1305::with_backend(backend, &key);
                        mac.update(&message[..len]);
                        mac.finalize()
                    };
                    let name = backend.name();
                    assert_eq!(
                        tag(backend),
                        tag(Backend::PORTABLE),
                        "{name} {len} key {key:x?}"
                    );
                }
            }
        }
    }
}

/// A sum that starts from what other calls left.
#[test]
fn every_number_of_blocks_after_others() {
    let messages = messages(16 * 301);
    for backend in Backend::available() {
        for key in keys() {
            for message in &messages {
                for first in [0, 1, 7, 8, 16, 33, 64, 130] {
                    let (head, tail) = message.split_at(16 * first);
                    let mut expected = Accumulator::new(Backend::PORTABLE, &key);
                    expected.blocks(head);
                    for n in 0..=170 {
                        let mut mac = Accumulator::new(backend, &key);
                        mac.blocks(head);
                        mac.blocks(&tail[..16 * n]);
                        let name = backend.name();
                        assert_eq!(
                            mac.tag(),
                            expected.tag(),
                            "{name} {first} + {n} key {key:x?}"
                        );
                        expected.blocks(&tail[16 * n..][..16]);
                    }
                }
            }
        }
    }
}
