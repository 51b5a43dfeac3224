//! Random keys, messages and cuts, biased to where carries are: limbs of all ones, of zero, and one
//! off them, in the limb sizes that kernels use.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;
#[path = "support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use backends::backends;
use oracle::tag;
use proptest::{collection::vec, prelude::*};
use ss55_poly1305::Poly1305;

/// 16 bytes of which each limb of `bits` bits is extreme more often than not.
fn block(bits: u32) -> impl Strategy<Value = [u8; 16]> {
    let mask = (1_u128 << bits) - 1;
    let limb = prop_oneof![
        3 => Just(mask),
        2 => Just(0),
        1 => Just(mask - 1),
        1 => Just(1),
        2 => any::<u64>().prop_map(move |x| u128::from(x) & mask),
    ];
    vec(limb, 128_usize.div_ceil(bits as usize)).prop_map(move |limbs| {
        let shifted = limbs
            .iter()
            .enumerate()
            .map(|(i, limb)| limb << (i as u32 * bits));
        shifted.fold(0, |sum, limb| sum | limb).to_le_bytes()
    })
}

/// In limbs of 26 bits (five to a number), of 44 (three) and of 32 and 64 (machine words).
fn any_block() -> impl Strategy<Value = [u8; 16]> {
    prop_oneof![block(26), block(44), block(32), block(64)]
}

fn key() -> impl Strategy<Value = [u8; 32]> {
    (any_block(), any_block()).prop_map(|(r, s)| {
        let mut key = [0; 32];
        key[..16].copy_from_slice(&r);
        key[16..].copy_from_slice(&s);
        key
    })
}

/// A few different blocks, repeated in turn: extreme runs are long enough to fill all lanes.
fn message() -> impl Strategy<Value = Vec<u8>> {
    (vec(any_block(), 1..5), 0..2400_usize).prop_map(|(blocks, len)| {
        let mut message = blocks.concat().repeat(len / 16 + 1);
        message.truncate(len);
        message
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn extreme_limbs(key in key(), message in message(), cuts in vec(0..2400_usize, 0..4)) {
        let expected = tag(&key, &message);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(message.len())).collect();
        cuts.sort_unstable();
        cuts.push(message.len());
        for &backend in backends() {
            let mut mac = Poly1305::with_backend(backend, &key);
            let mut from = 0;
            for &to in &cuts {
                mac.update(&message[from..to]);
                from = to;
            }
            prop_assert_eq!(mac.finalize(), expected, "{}, cuts {:?}", backend.name(), cuts);
        }
        prop_assert_eq!(Poly1305::mac(&key, &message), expected);
    }

    #[test]
    fn random_messages(key: [u8; 32], message in vec(any::<u8>(), 0..3000)) {
        let expected = tag(&key, &message);
        for &backend in backends() {
            let mut mac = Poly1305::with_backend(backend, &key);
            mac.update(&message);
            prop_assert_eq!(mac.finalize(), expected, "{}", backend.name());
        }
    }
}
