//! Several messages at once give the bytes that they give one by one.

#[path = "support/backends.rs"]
mod backends;
#[path = "support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use backends::backends;
use oracle::{KEY, pat};
use ss55_siv::{Error, Iv, Message, Siv, Siv128};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Seals messages of these lengths (message, ad), all at once.
fn check<const N: usize>(siv: &Siv<N>, lengths: &[(usize, usize)]) {
    let texts: Vec<Vec<u8>> = lengths.iter().map(|(len, _)| pat(*len)).collect();
    let ads: Vec<Vec<u8>> = lengths.iter().map(|(_, len)| pat(*len)).collect();
    let nonce = |i: usize| [i as u8; 12];
    let mut buffers = texts.clone();
    let mut messages: Vec<_> = buffers
        .iter_mut()
        .zip(&ads)
        .enumerate()
        .map(|(i, (buf, ad))| Message {
            nonce: nonce(i),
            ad,
            buf,
        })
        .collect();
    let mut ivs = vec![Iv::from([0; N]); lengths.len()];
    assert_eq!(siv.seal_many(&mut messages, &mut ivs), Ok(()));
    for i in 0..lengths.len() {
        let (ciphertext, iv) = oracle::seal(N, &KEY, &nonce(i), &ads[i], &texts[i]);
        assert_eq!(ivs[i].as_bytes()[..], iv, "message {i} of {lengths:?}");
        assert!(buffers[i] == ciphertext, "message {i} of {lengths:?}");
    }
}

/// Every length in every lane, beside neighbours that end in the same block, before it and after it.
#[test]
fn every_length_in_every_lane() {
    let siv = Siv::<32>::new(&KEY);
    for len in 0..=400 {
        for ad in [0, 5, 36, 64, 129] {
            let mut lengths = [(len, ad), (len + 1, ad), (400 - len, 130 - ad), (130, 17)];
            for _ in 0..4 {
                check(&siv, &lengths);
                lengths.rotate_left(1);
            }
        }
    }
}

#[test]
fn every_number_of_messages_on_every_backend() {
    for &backend in backends() {
        for count in 0..14 {
            let lengths: Vec<_> = (0..count).map(|i| (i * 97 % 1500, i * 31 % 200)).collect();
            check(&Siv::<16>::with_backend(backend, &KEY), &lengths);
            check(&Siv::<32>::with_backend(backend, &KEY), &lengths);
        }
    }
}

/// One goes on alone for long.
#[test]
fn one_is_much_longer() {
    for lane in 0..4 {
        let mut lengths = [(0, 0), (100, 3), (101, 0), (0, 90)];
        lengths[lane].0 = 20_000;
        check(&Siv::<16>::new(&KEY), &lengths);
    }
}

#[test]
fn an_iv_for_each_message() {
    let sealed = catch_unwind(AssertUnwindSafe(|| {
        let mut buf = [1];
        let message = Message {
            nonce: [0; 12],
            ad: b"",
            buf: &mut buf,
        };
        Siv128::new(&KEY).seal_many(&mut [message], &mut [])
    }));
    assert!(sealed.is_err());
    assert_eq!(
        Siv128::new(&KEY).seal_many(&mut [], &mut []),
        Ok::<(), Error>(())
    );
}
