//! ChaCha20-BLAKE2s-SIV on every backend, against the crates blake2 and chacha20 in a straight line; forgeries
//! leave zeros.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_fuzz::script::Script;
use ss55_siv::{Backend, Error, Iv, Siv};

#[path = "../../crates/siv/tests/support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    if script.byte() & 1 == 0 {
        check::<16>(&mut script);
    } else {
        check::<32>(&mut script);
    }
});

fn check<const N: usize>(script: &mut Script<'_>) {
    let (key, nonce) = (script.array(), script.array());
    let ad_len = script.size(300);
    let ad = script.message(ad_len);
    // Opening goes in steps of 8 KiB.
    let len = script.size(20_000);
    let plaintext = script.message(len);
    let (ciphertext, iv) = oracle::seal(N, &key, &nonce, &ad, &plaintext);
    let iv: [u8; N] = iv.try_into().expect("so many were asked for");
    let flipped = script.below(8 * (N + len));
    for backend in Backend::available() {
        let siv = Siv::<N>::with_backend(backend, &key);
        let mut buf = plaintext.to_vec();
        let sealed = siv.seal_in_place_detached(&nonce, &ad, &mut buf);
        assert_eq!(sealed, Ok(Iv::from(iv)), "{}", backend.name());
        assert!(buf == ciphertext, "{}", backend.name());
        let mut opened = vec![0xee; len];
        let verdict = siv.open_to(&nonce, &ad, &buf, &mut opened, &iv.into());
        assert_eq!(verdict, Ok(()), "{}", backend.name());
        assert!(opened[..] == plaintext[..], "{}", backend.name());

        let mut forged = iv;
        let bytes = forged.iter_mut().chain(&mut buf);
        *bytes.into_iter().nth(flipped / 8).expect("below") ^= 1 << (flipped % 8);
        let verdict = siv.open_in_place_detached(&nonce, &ad, &mut buf, &forged.into());
        assert_eq!(verdict, Err(Error::Authentication), "{}", backend.name());
        assert!(buf.iter().all(|byte| *byte == 0), "{}", backend.name());
    }
}
