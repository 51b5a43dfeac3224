//! Rows of what a kernel crate offers by itself.

use crate::{AD, LENGTHS, NONCE, Run, hidden, key, memcheck::publish, plaintext, published};
use ss55_chacha_simd::{
    ChaCha8, ChaCha8Legacy, ChaCha12, ChaCha12Legacy, ChaCha20, ChaCha20Legacy, XChaCha8,
    XChaCha12, XChaCha20,
};
use ss55_poly1305::Poly1305;
use ss55_serpent::{BLOCK, Serpent, SerpentXts};
use ss55_siv::{Error, Iv, Siv};

pub fn chacha(run: &mut Run, backend: ss55_chacha_simd::Backend) {
    let name = backend.name();
    macro_rules! cipher {
        ($cipher:ident, $nonce:literal) => {
            run.row(
                &format!("{name}: {}, with a seek", stringify!($cipher)),
                0,
                || {
                    let mut buf = plaintext(3000);
                    let mut cipher = $cipher::with_backend(backend, &key(), &[5; $nonce]);
                    cipher.seek(1001).expect("not past the end");
                    for (start, end) in [(0, 1), (1, 100), (100, 1500), (1500, 3000)] {
                        cipher
                            .apply_keystream(&mut buf[start..end])
                            .expect("not past the end");
                    }
                    [buf]
                },
            );
        };
    }
    cipher!(ChaCha20, 12);
    cipher!(ChaCha12, 12);
    cipher!(ChaCha8, 12);
    cipher!(ChaCha20Legacy, 8);
    cipher!(ChaCha12Legacy, 8);
    cipher!(ChaCha8Legacy, 8);
    cipher!(XChaCha20, 24);
    cipher!(XChaCha12, 24);
    cipher!(XChaCha8, 24);
}

pub fn poly1305(run: &mut Run, backend: ss55_poly1305::Backend) {
    let name = backend.name();
    for len in LENGTHS {
        run.row(
            &format!("{name}: Poly1305 of {len}, in two pieces"),
            0,
            || {
                let message = plaintext(len);
                let mut mac = Poly1305::with_backend(backend, &key());
                mac.update(&message[..len / 3]);
                mac.update(&message[len / 3..]);
                [mac.finalize().as_bytes().to_vec()]
            },
        );
    }
}

/// ChaCha20-BLAKE2s-SIV with an IV of `N` bytes.
pub fn siv<const N: usize>(run: &mut Run, backend: ss55_siv::Backend) {
    let name = format!("{}: Siv{}", backend.name(), 8 * N);
    let siv = || Siv::<N>::with_backend(backend, &key());
    for len in LENGTHS {
        let (mut sealed, mut iv) = (Vec::new(), None);
        run.row(&format!("{name}: seal {len}"), 0, || {
            let mut buf = plaintext(len);
            let made: Iv<N> = siv()
                .seal_in_place_detached(&NONCE, AD, &mut buf)
                .expect("short");
            (sealed, iv) = (buf.clone(), Some(made));
            [buf, made.as_bytes().to_vec()]
        });
        let mut iv = iv.expect("the row was run");
        publish(&mut sealed[..]);
        publish(&mut iv);
        run.row(&format!("{name}: open {len}"), 1, || {
            let mut buf = sealed.clone();
            assert_eq!(
                Ok(()),
                published(siv().open_in_place_detached(&NONCE, AD, &mut buf, &iv))
            );
            [buf]
        });
        run.row(&format!("{name}: open {len}, forged"), 1, || {
            let mut bytes = *iv.as_bytes();
            bytes[N - 1] ^= 1;
            let mut buf = sealed.clone();
            assert_eq!(
                Err(Error::Authentication),
                published(siv().open_in_place_detached(&NONCE, AD, &mut buf, &bytes.into()))
            );
            assert!(buf.iter().all(|byte| *byte == 0));
            []
        });
    }
}

/// Of each length of key, and about the edges of what kernels take at once; then XTS.
pub fn serpent(run: &mut Run, backend: ss55_serpent::Backend) {
    let name = backend.name();
    for key_len in [16, 24, 32] {
        for count in [1, 3, 4, 5, 16, 17, 63, 64, 65, 200] {
            let what = format!("{name}: Serpent-{} of {count} blocks", 8 * key_len);
            let blocks = || plaintext(BLOCK * count).as_chunks().0.to_vec();
            let cipher =
                || Serpent::with_backend(backend, &key()[..key_len]).expect("a key's length");
            run.row(&format!("{what}, encrypted"), 0, || {
                let mut blocks = blocks();
                cipher().encrypt_blocks(&mut blocks);
                [blocks.as_flattened().to_vec()]
            });
            run.row(&format!("{what}, decrypted"), 0, || {
                let mut blocks = blocks();
                cipher().decrypt_blocks(&mut blocks);
                [blocks.as_flattened().to_vec()]
            });
        }
    }
    // Whole blocks and stolen ones; a unit alone, and several.
    for (units, unit_len) in [
        (1, 16),
        (1, 17),
        (1, 31),
        (1, 512),
        (1, 4095),
        (3, 33),
        (40, 48),
        (5, 512),
    ] {
        let what = format!("{name}: XTS of {units} units of {unit_len}");
        let xts = || SerpentXts::with_backend(backend, &hidden([0xa7; 64]));
        run.row(&format!("{what}, encrypted"), 0, || {
            let mut data = plaintext(units * unit_len);
            xts()
                .encrypt_units(7, unit_len, &mut data)
                .expect("whole units");
            [data]
        });
        run.row(&format!("{what}, decrypted"), 0, || {
            let mut data = plaintext(units * unit_len);
            xts()
                .decrypt_units(7, unit_len, &mut data)
                .expect("whole units");
            [data]
        });
    }
}
