//! All ciphers on all backends: any seeks, any cuts, against one stretch of libsodium's keystream (of
//! RustCrypto's for 8 and 12 rounds).
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_chacha_simd::{
    Backend, ChaCha8, ChaCha8Legacy, ChaCha12, ChaCha12Legacy, ChaCha20, ChaCha20Legacy, XChaCha8,
    XChaCha12, XChaCha20,
};
use ss55_fuzz::script::Script;

#[path = "../../crates/chacha-simd/tests/support/oracle.rs"]
mod oracle;

macro_rules! cipher {
    ($cipher:ident, $nonce:literal, $rounds:literal, $script:ident) => {{
        let (key, nonce) = ($script.array::<32>(), $script.array::<$nonce>());
        let backends: Vec<_> = Backend::available().collect();
        let mut cipher = $cipher::with_backend($script.choose(&backends), &key, &nonce);
        for _ in 0..8 {
            let mut position = cipher.position();
            if $script.byte() & 1 == 1 {
                let mut block = $script.block();
                if $nonce == 12 && $script.byte() & 1 == 1 {
                    block = u64::from(u32::MAX) - block % 64;
                }
                let to = u128::from(block) * 64 + $script.below(64) as u128;
                let sought = cipher.seek(to);
                assert_eq!(sought.is_ok(), to <= $cipher::KEYSTREAM_LEN);
                if sought.is_ok() {
                    position = to;
                }
            }
            assert_eq!(cipher.position(), position);
            let len = $script.size(10_000);
            let plaintext = $script.message(len);
            let mut buf = plaintext.clone();
            let applied = cipher.apply_keystream(&mut buf);
            if position + len as u128 > $cipher::KEYSTREAM_LEN {
                assert!(applied.is_err() && buf == plaintext);
                continue;
            }
            assert_eq!(applied, Ok(()));
            assert_eq!(cipher.position(), position + len as u128);
            // At the very end there is no block for the oracle to begin with.
            if len > 0 {
                let (block, skip) = ((position / 64) as u64, (position % 64) as usize);
                let padded = [&vec![0; skip], &plaintext[..]].concat();
                let expected = oracle::encrypted($rounds, &key, &nonce, block, &padded);
                assert_eq!(buf[..], expected[skip..], "{}", cipher.backend().name());
            }
            if $script.is_over() {
                break;
            }
        }
    }};
}

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    match script.byte() % 12 {
        0 | 1 => cipher!(ChaCha20, 12, 20, script),
        2 | 3 => cipher!(ChaCha20Legacy, 8, 20, script),
        4 | 5 => cipher!(XChaCha20, 24, 20, script),
        6 => cipher!(ChaCha12, 12, 12, script),
        7 => cipher!(ChaCha12Legacy, 8, 12, script),
        8 => cipher!(XChaCha12, 24, 12, script),
        9 => cipher!(ChaCha8, 12, 8, script),
        10 => cipher!(ChaCha8Legacy, 8, 8, script),
        _ => cipher!(XChaCha8, 24, 8, script),
    }
});
