//! Serpent on every backend: blocks against RustCrypto's cipher, and XTS against its definition over that.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serpent::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use ss55_fuzz::script::Script;
use ss55_serpent::{Backend, Serpent, SerpentXts};

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    if script.byte() & 1 == 0 {
        blocks(&mut script);
    } else {
        xts(&mut script);
    }
});

fn encrypted(cipher: &serpent::Serpent, block: [u8; 16]) -> [u8; 16] {
    let mut block = block.into();
    cipher.encrypt_block(&mut block);
    block.into()
}

/// As many as the widest kernel takes at once, twice, and a tail; both directions both ways.
fn blocks(script: &mut Script<'_>) {
    let key: [u8; 32] = script.array();
    let key = &key[..script.choose(&[16, 24, 32])];
    let theirs = serpent::Serpent::new_from_slice(key).expect("a key's length");
    let data = data(script, 16 * 140);
    let (plaintext, _) = data.as_chunks::<16>();
    let ciphertext: Vec<_> = plaintext
        .iter()
        .map(|block| encrypted(&theirs, *block))
        .collect();
    let decrypted: Vec<_> = plaintext
        .iter()
        .map(|block| {
            let mut block = (*block).into();
            theirs.decrypt_block(&mut block);
            <[u8; 16]>::from(block)
        })
        .collect();
    for backend in Backend::available() {
        let ours = Serpent::with_backend(backend, key).expect("a key's length");
        let mut blocks = plaintext.to_vec();
        ours.encrypt_blocks(&mut blocks);
        assert_eq!(blocks, ciphertext, "{}", backend.name());
        ours.decrypt_blocks(&mut blocks);
        assert_eq!(blocks, plaintext, "{}", backend.name());
        ours.decrypt_blocks(&mut blocks);
        assert_eq!(blocks, decrypted, "{}", backend.name());
    }
}

/// Units of any length, whole blocks or not, and from any number on.
fn xts(script: &mut Script<'_>) {
    let keys: [u8; 64] = script.array();
    let (first, unit_len) = (script.block(), 16 + script.size(3000));
    let units = 1 + script.below(40).min(10_000 / unit_len);
    let plaintext = script.message(units * unit_len);
    let fits = first.checked_add(units as u64 - 1).is_some();
    let mut expected = plaintext.to_vec();
    if fits {
        for (unit, data) in (first..=u64::MAX).zip(expected.chunks_mut(unit_len)) {
            by_definition(&keys, unit, data);
        }
    }
    for backend in Backend::available() {
        let xts = SerpentXts::with_backend(backend, &keys);
        let mut data = plaintext.to_vec();
        let done = xts.encrypt_units(first, unit_len, &mut data);
        assert_eq!(done.is_ok(), fits, "{}", backend.name());
        assert!(data[..] == expected[..], "{}", backend.name());
        let done = xts.decrypt_units(first, unit_len, &mut data);
        assert_eq!(done.is_ok(), fits, "{}", backend.name());
        assert!(data[..] == plaintext[..], "{}", backend.name());
    }
}

/// IEEE 1619, block by block, with stealing.
fn by_definition(keys: &[u8; 64], unit: u64, data: &mut [u8]) {
    let new = |key| serpent::Serpent::new_from_slice(key).expect("32 bytes");
    let (cipher, tweaks) = (new(&keys[..32]), new(&keys[32..]));
    let mut tweak = u128::from_le_bytes(encrypted(&tweaks, u128::from(unit).to_le_bytes()));
    let mut next = || {
        let now = tweak;
        tweak = tweak << 1 ^ (tweak >> 127) * 0x87;
        now
    };
    let crypt = |block: &mut [u8; 16], tweak: u128| {
        let masked = u128::from_le_bytes(*block) ^ tweak;
        let out = encrypted(&cipher, masked.to_le_bytes());
        *block = (u128::from_le_bytes(out) ^ tweak).to_le_bytes();
    };
    let (blocks, tail) = data.as_chunks_mut::<16>();
    for block in blocks.iter_mut() {
        crypt(block, next());
    }
    if let (Some(last), false) = (blocks.last_mut(), tail.is_empty()) {
        last[..tail.len()].swap_with_slice(tail);
        crypt(last, next());
    }
}

/// The fuzzer's own bytes or, for lengths that these do not have, others.
fn data(script: &mut Script<'_>, most: usize) -> Box<[u8]> {
    if script.byte() & 1 == 0 {
        let bytes = script.rest();
        return bytes[..bytes.len().min(most)].into();
    }
    let len = script.size(most);
    script.message(len)
}
