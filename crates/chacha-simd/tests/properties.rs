//! Random sequences of calls against a model: a keystream of another implementation.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;
#[path = "support/ciphers.rs"]
#[allow(dead_code)]
mod ciphers;
#[path = "support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use backends::backends;
use ciphers::{CIPHERS, Cipher};
use proptest::{collection::vec, prelude::*};

/// Bytes around the start of a sequence that it may touch.
const WINDOW: usize = 8192;

#[derive(Clone, Debug)]
enum Step {
    InPlace(usize),
    TwoBuffers(usize),
    Seek(usize),
    SeekBlock(usize),
    /// Goes on with the clone; the original is used up elsewhere first.
    Clone,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Short calls stay within a block, long ones fill the widest loop.
    let len = || prop_oneof![0..130_usize, 0..1100_usize, 1900..2300_usize];
    vec(
        prop_oneof![
            4 => len().prop_map(Step::InPlace),
            4 => len().prop_map(Step::TwoBuffers),
            2 => (0..WINDOW).prop_map(Step::Seek),
            1 => (0..WINDOW / 64).prop_map(Step::SeekBlock),
            1 => Just(Step::Clone),
        ],
        1..14,
    )
}

/// The first block of the window: anywhere, but often where a counter word wraps.
fn window(cipher: &Cipher, anywhere: u64, near: u64, kind: u8) -> u64 {
    let room = (WINDOW / 64) as u64;
    let last = (cipher.keystream_len / 64 - u128::from(room)) as u64;
    match kind {
        0 => 0,
        1 => last,
        2 if cipher.nonce_len != 12 => (anywhere | 0xffff_ffff) - near % room,
        _ => anywhere,
    }
    .min(last)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_calls(
        cipher in 0..CIPHERS.len(),
        key: [u8; 32],
        nonce: [u8; 24],
        anywhere: u64,
        near: u64,
        kind in 0..4_u8,
        data in vec(any::<u8>(), WINDOW),
        steps in steps(),
    ) {
        let cipher = &CIPHERS[cipher];
        let nonce = &nonce[..cipher.nonce_len];
        let first = window(cipher, anywhere, near, kind);
        let base = u128::from(first) * 64;
        let keystream = oracle::keystream(cipher.rounds, &key, nonce, first, WINDOW);
        for &backend in backends() {
            let mut stream = (cipher.with_backend)(backend, &key, nonce);
            stream.seek_block(first).expect("the window fits");
            let mut at = 0;
            for step in &steps {
                match *step {
                    Step::InPlace(len) => {
                        let len = len.min(WINDOW - at);
                        let mut buf = data[at..at + len].to_vec();
                        stream.apply(&mut buf).expect("inside the window");
                        let right = (0..len).all(|i| buf[i] == data[at + i] ^ keystream[at + i]);
                        prop_assert!(right, "{} on {}: {step:?} at {at}", cipher.name, backend.name());
                        at += len;
                    }
                    Step::TwoBuffers(len) => {
                        let len = len.min(WINDOW - at);
                        let mut out = vec![0; len];
                        stream.apply_to(&data[at..at + len], &mut out).expect("inside the window");
                        let right = (0..len).all(|i| out[i] == data[at + i] ^ keystream[at + i]);
                        prop_assert!(right, "{} on {}: {step:?} at {at}", cipher.name, backend.name());
                        at += len;
                    }
                    Step::Seek(to) => {
                        stream.seek(base + to as u128).expect("inside the window");
                        at = to;
                    }
                    Step::SeekBlock(block) => {
                        stream.seek_block(first + block as u64).expect("inside the window");
                        at = block * 64;
                    }
                    Step::Clone => {
                        let clone = stream.boxed_clone();
                        let len = 100.min(WINDOW - at);
                        stream.apply(&mut vec![0; len]).expect("inside the window");
                        stream = clone;
                    }
                }
                prop_assert_eq!(stream.position(), base + at as u128);
            }
        }
    }

    /// The one-shot form is the cipher, seeked.
    #[test]
    fn one_shot(
        cipher in 0..CIPHERS.len(),
        key: [u8; 32],
        nonce: [u8; 24],
        anywhere: u64,
        near: u64,
        kind in 0..4_u8,
        data in vec(any::<u8>(), 0..3000),
    ) {
        let cipher = &CIPHERS[cipher];
        let nonce = &nonce[..cipher.nonce_len];
        let first = window(cipher, anywhere, near, kind);
        let expected = oracle::encrypted(cipher.rounds, &key, nonce, first, &data);
        let mut buf = data.clone();
        (cipher.xor)(&key, nonce, first, &mut buf).expect("inside the window");
        prop_assert_eq!(&buf, &expected);
        (cipher.xor)(&key, nonce, first, &mut buf).expect("inside the window");
        prop_assert_eq!(&buf, &data);
    }
}
