//! Random keys, blocks and units, against another implementation and back.

#[path = "support/backends.rs"]
#[allow(dead_code)]
mod backends;

use backends::backends;
use proptest::{collection::vec, prelude::*, sample::select};
use serpent::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use ss55_serpent::{Backend, Serpent, SerpentXts};

fn key() -> impl Strategy<Value = Vec<u8>> {
    select(vec![16_usize, 24, 32]).prop_flat_map(|len| vec(any::<u8>(), len))
}

fn backend() -> impl Strategy<Value = Backend> {
    select(backends())
}

/// Random bytes, and runs of one byte, whose words are full of equal bits.
fn data(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..most),
        (any::<u8>(), 0..most).prop_map(|(byte, len)| vec![byte; len]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn blocks_are_those_of_rustcrypto(backend in backend(), key in key(), data in data(16 * 140)) {
        let theirs = serpent::Serpent::new_from_slice(&key).expect("it takes all three lengths");
        let ours = Serpent::with_backend(backend, &key).expect("a length in use");
        let (plaintext, _) = data.as_chunks();

        let mut blocks = plaintext.to_vec();
        ours.encrypt_blocks(&mut blocks);
        let encrypted = plaintext.iter().map(|block| {
            let mut block = (*block).into();
            theirs.encrypt_block(&mut block);
            <[u8; 16]>::from(block)
        });
        prop_assert!(encrypted.eq(blocks.iter().copied()));
        ours.decrypt_blocks(&mut blocks);
        prop_assert_eq!(&*blocks, plaintext);

        ours.decrypt_blocks(&mut blocks);
        let decrypted = plaintext.iter().map(|block| {
            let mut block = (*block).into();
            theirs.decrypt_block(&mut block);
            <[u8; 16]>::from(block)
        });
        prop_assert!(decrypted.eq(blocks.iter().copied()));
        ours.encrypt_blocks(&mut blocks);
        prop_assert_eq!(&*blocks, plaintext);
    }

    /// XTS by its definition, over the other implementation.
    #[test]
    fn units_are_those_of_the_standard(
        backend in backend(),
        keys in any::<[[u8; 32]; 2]>(),
        unit in any::<u64>(),
        data in data(3000),
    ) {
        prop_assume!(data.len() >= 16);
        let xts = SerpentXts::with_backend(backend, keys.as_flattened().try_into().expect("64"));
        let mut encrypted = data.clone();
        xts.encrypt_unit(unit, &mut encrypted).expect("16 or more");
        prop_assert!(encrypted == standard(&keys, unit, &data));
        xts.decrypt_unit(unit, &mut encrypted).expect("16 or more");
        prop_assert!(encrypted == data);
    }
}

/// IEEE 1619, 5.3: one block after the other.
fn standard(keys: &[[u8; 32]; 2], unit: u64, data: &[u8]) -> Vec<u8> {
    let [data_key, tweak_key] = keys.map(|key| {
        let cipher = serpent::Serpent::new_from_slice(&key).expect("32 bytes");
        move |block: u128| {
            let mut block = block.to_le_bytes().into();
            cipher.encrypt_block(&mut block);
            u128::from_le_bytes(block.into())
        }
    });
    let mut tweak = tweak_key(u128::from(unit));
    let mut out = Vec::new();
    for block in data.chunks(16) {
        let (mut whole, mut stolen) = ([0; 16], None);
        whole[..block.len()].copy_from_slice(block);
        if block.len() < 16 {
            // The short block takes the place of the last whole one, filled up with the end of that one's
            // ciphertext, whose beginning goes behind it.
            let last = out.split_off(out.len() - 16);
            whole[block.len()..].copy_from_slice(&last[block.len()..]);
            stolen = Some(last[..block.len()].to_vec());
        }
        let block = data_key(u128::from_le_bytes(whole) ^ tweak) ^ tweak;
        out.extend(block.to_le_bytes());
        out.extend(stolen.into_iter().flatten());
        // Times x: shifted, and 0x87 for a bit that falls out.
        tweak = tweak << 1 ^ if tweak >> 127 == 1 { 0x87 } else { 0 };
    }
    out
}
