//! Refusals, limits, and what must make a difference.

#[path = "../../chacha-simd/tests/support/backends.rs"]
#[allow(dead_code)]
mod backends;
#[path = "../../chacha-simd/tests/support/guarded.rs"]
mod guarded;

use backends::backends;
use guarded::Guarded;
use ss55_siv::{Error, Iv, MAX_MESSAGE_LEN, Siv, Siv128, Siv256, advance_nonce, check_message_len};
use std::{collections::HashSet, panic::catch_unwind};

const KEY: [u8; 32] = [0x5a; 32];
const NONCE: [u8; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

fn seal<const N: usize>(
    siv: &Siv<N>,
    nonce: &[u8; 12],
    ad: &[u8],
    message: &[u8],
) -> (Vec<u8>, Iv<N>) {
    let mut buf = message.to_vec();
    let iv = siv
        .seal_in_place_detached(nonce, ad, &mut buf)
        .expect("short");
    (buf, iv)
}

/// Opens a forgery, in place and from buffer to buffer.
fn refuse<const N: usize>(siv: &Siv<N>, nonce: &[u8; 12], ad: &[u8], ciphertext: &[u8], iv: Iv<N>) {
    let case = format!("{siv:?}, {} bytes", ciphertext.len());
    let mut buf = Guarded::new(ciphertext, 3);
    let refused = siv.open_in_place_detached(nonce, ad, buf.bytes_mut(), &iv);
    assert_eq!(refused, Err(Error::Authentication), "{case}");
    assert!(
        buf.bytes().iter().all(|byte| *byte == 0),
        "plaintext left, {case}"
    );
    assert!(buf.intact(), "canary, {case}");

    let mut out = Guarded::new(&vec![0xee; ciphertext.len()], 5);
    let refused = siv.open_to(nonce, ad, ciphertext, out.bytes_mut(), &iv);
    assert_eq!(refused, Err(Error::Authentication), "to, {case}");
    assert!(
        out.bytes().iter().all(|byte| *byte == 0),
        "to, plaintext left, {case}"
    );
    assert!(out.intact(), "to, canary, {case}");
}

fn failed_open_leaves_zeros<const N: usize>() {
    let ad = [0x41, 0x42, 0x43, 0x00];
    for &backend in backends() {
        let siv = Siv::<N>::with_backend(backend, &KEY);
        for len in [0usize, 1, 15, 16, 17, 64, 65, 1024, 8192, 8193, 65536] {
            let message: Vec<u8> = (0..len).map(|i| (i % 251) as u8 | 1).collect();
            let (ciphertext, iv) = seal(&siv, &NONCE, &ad, &message);
            for bit in (0..8 * N)
                .step_by(if len > 100 { 29 } else { 1 })
                .chain([8 * N - 1])
            {
                let mut iv = *iv.as_bytes();
                iv[bit / 8] ^= 1 << (bit % 8);
                refuse(&siv, &NONCE, &ad, &ciphertext, iv.into());
            }
            refuse(&siv, &NONCE, &ad, &ciphertext, [0; N].into());
            for at in [0, len / 2, len.wrapping_sub(1)] {
                if at < len {
                    let mut ciphertext = ciphertext.clone();
                    ciphertext[at] ^= 0x10;
                    refuse(&siv, &NONCE, &ad, &ciphertext, iv);
                }
            }
            if len > 0 {
                refuse(&siv, &NONCE, &ad, &ciphertext[..len - 1], iv);
            }
            refuse(&siv, &NONCE, &ad, &[&ciphertext[..], &[0]].concat(), iv);
            for at in 0..ad.len() {
                let mut ad = ad;
                ad[at] ^= 1;
                refuse(&siv, &NONCE, &ad, &ciphertext, iv);
            }
            refuse(&siv, &NONCE, &ad[..3], &ciphertext, iv);
            refuse(&siv, &NONCE, &[&ad[..], &[0]].concat(), &ciphertext, iv);
            for at in 0..12 {
                let mut nonce = NONCE;
                nonce[at] ^= 0x80;
                refuse(&siv, &nonce, &ad, &ciphertext, iv);
            }
            // The same object goes on.
            let mut buf = Guarded::new(&ciphertext, 0);
            let opened = siv.open_in_place_detached(&NONCE, &ad, buf.bytes_mut(), &iv);
            assert!(
                opened.is_ok() && buf.bytes() == message && buf.intact(),
                "{len} bytes"
            );
        }
    }
}

#[test]
fn failed_open_leaves_zeros_128() {
    failed_open_leaves_zeros::<16>();
}

#[test]
fn failed_open_leaves_zeros_256() {
    failed_open_leaves_zeros::<32>();
}

#[test]
fn an_empty_ciphertext_under_a_zero_iv_is_refused() {
    for fill in 0..=255u8 {
        let key = [fill; 32];
        let nonce = [fill.wrapping_mul(3); 12];
        let short = Siv128::new(&key).open_in_place_detached(&nonce, b"", &mut [], &[0; 16].into());
        assert_eq!(short, Err(Error::Authentication));
        let long = Siv256::new(&key).open_in_place_detached(&nonce, b"", &mut [], &[0; 32].into());
        assert_eq!(long, Err(Error::Authentication));
    }
}

/// Pairs that join to one string, and zero bytes that padding would swallow.
#[test]
fn where_ad_and_message_part_makes_a_difference() {
    let siv = Siv256::new(&KEY);
    let inputs: [(&[u8], &[u8]); 9] = [
        (b"", b""),
        (b"ab", b"c"),
        (b"a", b"bc"),
        (b"abc", b""),
        (b"", b"abc"),
        (b"ab", b"c\0"),
        (b"ab\0", b"c"),
        (b"\0", b""),
        (b"", b"\0"),
    ];
    let ivs: HashSet<_> = inputs
        .map(|(ad, message)| *seal(&siv, &NONCE, ad, message).1.as_bytes())
        .into();
    assert_eq!(ivs.len(), inputs.len());
    let ivs: HashSet<_> = (0..200)
        .map(|len| *seal(&siv, &NONCE, b"", &vec![0; len]).1.as_bytes())
        .collect();
    assert_eq!(ivs.len(), 200);
    let ivs: HashSet<_> = (0..200)
        .map(|len| *seal(&siv, &NONCE, &vec![0; len], b"").1.as_bytes())
        .collect();
    assert_eq!(ivs.len(), 200);
}

/// Every byte of key and nonce changes the IV, and the ciphertext with it.
#[test]
fn no_input_byte_is_ignored() {
    let message = [7; 100];
    let mut outputs = HashSet::from([seal(&Siv128::new(&KEY), &NONCE, b"ad", &message).0]);
    for at in 0..32 {
        let mut key = KEY;
        key[at] ^= 1;
        outputs.insert(seal(&Siv128::new(&key), &NONCE, b"ad", &message).0);
    }
    for at in 0..12 {
        let mut nonce = NONCE;
        nonce[at] ^= 1;
        outputs.insert(seal(&Siv128::new(&KEY), &nonce, b"ad", &message).0);
    }
    assert_eq!(outputs.len(), 1 + 32 + 12);
}

/// The two are no prefixes of each other: the length of the digest is a parameter of the hash.
#[test]
fn the_two_sizes_are_two_algorithms() {
    let (short, long) = (
        seal(&Siv128::new(&KEY), &NONCE, b"", b"m"),
        seal(&Siv256::new(&KEY), &NONCE, b"", b"m"),
    );
    assert_ne!(short.1.as_bytes()[..], long.1.as_bytes()[..16]);
}

#[test]
fn the_longest_message() {
    assert_eq!(MAX_MESSAGE_LEN, 274_877_906_944);
    for len in [
        0,
        1 << 31,
        1 << 32,
        (1 << 32) + 17,
        MAX_MESSAGE_LEN - 1,
        MAX_MESSAGE_LEN,
    ] {
        assert_eq!(check_message_len(len), Ok(()), "{len}");
    }
    for len in [MAX_MESSAGE_LEN + 1, MAX_MESSAGE_LEN + 64, u64::MAX] {
        assert_eq!(check_message_len(len), Err(Error::MessageTooLong), "{len}");
    }
}

#[test]
fn slices_of_two_lengths_are_a_callers_mistake() {
    for (from, to) in [(0, 1), (1, 0), (64, 63), (16, 17)] {
        let sealed = catch_unwind(|| {
            Siv128::new(&KEY).seal_to(&NONCE, b"", &vec![1; from], &mut vec![0; to])
        });
        assert!(sealed.is_err(), "{from} to {to}");
        let opened = catch_unwind(|| {
            let iv = [0; 16].into();
            Siv128::new(&KEY).open_to(&NONCE, b"", &vec![1; from], &mut vec![0; to], &iv)
        });
        assert!(opened.is_err(), "{from} to {to}");
    }
}

#[test]
fn nonces_count_in_96_bits_and_wrap() {
    let count = |from: [u8; 12], by| {
        let mut nonce = from;
        advance_nonce(&mut nonce, by);
        nonce
    };
    let number = |nonce: [u8; 12]| {
        let mut bytes = [0; 16];
        bytes[..12].copy_from_slice(&nonce);
        u128::from_le_bytes(bytes)
    };
    assert_eq!(count([0xff; 12], 1), [0; 12]);
    let interesting = [
        0,
        1,
        255,
        256,
        0xffff_fffe,
        0xffff_ffff,
        1 << 32,
        (1 << 63) + 5,
        u64::MAX,
    ];
    for high in [0, 1, u32::MAX] {
        for low in interesting {
            let from = u128::from(high) << 64 | u128::from(low);
            let nonce = from.to_le_bytes()[..12].try_into().expect("12");
            for by in interesting {
                let sum = (from + u128::from(by)) % (1 << 96);
                assert_eq!(number(count(nonce, by)), sum, "{from} + {by}");
            }
        }
    }
}

#[test]
fn nothing_shows_the_key() {
    let text = format!("{:?}", Siv128::with_backend(backends()[0], &KEY));
    let name = backends()[0].name();
    assert_eq!(text, format!("Siv {{ iv_len: 16, backend: {name:?}, .. }}"));
}
