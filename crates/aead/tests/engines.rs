//! Every engine of this machine against the portable one: all lengths over two trips of the widest loop,
//! both constructions, both directions, in place and between buffers.

use ss55_aead::{Aad, Engine, InOutBuf, PortableEngine, SimdEngine, Tag};

const CANARY: u8 = 0xa5;
const AROUND: usize = 64;

fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + seed + (i >> 8)) as u8).collect()
}

/// Runs `f` over `input` in place and between buffers; both must give `expected` and leave the bytes
/// around the output alone.
fn both_ways(input: &[u8], expected: &[u8], case: &str, mut f: impl FnMut(InOutBuf<'_, '_, u8>)) {
    let here = AROUND..AROUND + input.len();
    for in_place in [true, false] {
        let mut output = vec![CANARY; input.len() + 2 * AROUND];
        if in_place {
            output[here.clone()].copy_from_slice(input);
            f((&mut output[here.clone()]).into());
        } else {
            f(InOutBuf::new(input, &mut output[here.clone()]).unwrap());
        }
        assert!(
            output[here.clone()] == *expected,
            "{case}, in place: {in_place}"
        );
        let mut around = output[..here.start].iter().chain(&output[here.end..]);
        assert!(
            around.all(|&b| b == CANARY),
            "overrun: {case}, in place: {in_place}"
        );
    }
}

fn flip(tag: Tag, bit: usize) -> Tag {
    let mut bytes: [u8; 16] = tag.into();
    bytes[bit / 8 % 16] ^= 1 << (bit % 8);
    bytes.into()
}

fn check_aead(engine: SimdEngine, key: &[u8; 32], aad: Aad<'_>, plaintext: &[u8]) {
    let nonce = b"twelve bytes";
    let case = format!(
        "{} {} aad {} + {}",
        engine.name(),
        plaintext.len(),
        aad.prefix.len(),
        aad.ad.len()
    );
    let mut ciphertext = plaintext.to_vec();
    let tag = PortableEngine.seal_in_place(key, nonce, aad, &mut ciphertext);
    both_ways(plaintext, &ciphertext, &case, |buf| {
        assert_eq!(engine.seal(key, nonce, aad, buf), tag, "{case}");
    });
    both_ways(&ciphertext, plaintext, &case, |buf| {
        engine.open(key, nonce, aad, buf, &tag).expect(&case);
    });
    both_ways(&ciphertext, &vec![0; plaintext.len()], &case, |buf| {
        let bad = flip(tag, plaintext.len());
        engine.open(key, nonce, aad, buf, &bad).expect_err(&case);
    });
}

fn check_secretstream(engine: SimdEngine, key: &[u8; 32], ad: &[u8], plaintext: &[u8]) {
    let nonce = b"twelve bytes";
    let case = format!(
        "secretstream {} {} ad {}",
        engine.name(),
        plaintext.len(),
        ad.len()
    );
    let (mut ciphertext, mut sealed_tag) = (plaintext.to_vec(), 3);
    let buf = (&mut ciphertext[..]).into();
    let mac = PortableEngine.secretstream_seal(key, nonce, ad, &mut sealed_tag, buf);
    both_ways(plaintext, &ciphertext, &case, |buf| {
        let mut frame_tag = 3;
        assert_eq!(
            engine.secretstream_seal(key, nonce, ad, &mut frame_tag, buf),
            mac,
            "{case}"
        );
        assert_eq!(frame_tag, sealed_tag, "{case}");
    });
    both_ways(&ciphertext, plaintext, &case, |buf| {
        let mut frame_tag = sealed_tag;
        engine
            .secretstream_open(key, nonce, ad, &mut frame_tag, buf, &mac)
            .expect(&case);
        assert_eq!(frame_tag, 3, "{case}");
    });
    both_ways(&ciphertext, &vec![0; plaintext.len()], &case, |buf| {
        let (mut frame_tag, bad) = (sealed_tag, flip(mac, plaintext.len()));
        engine
            .secretstream_open(key, nonce, ad, &mut frame_tag, buf, &bad)
            .expect_err(&case);
        assert_eq!(frame_tag, sealed_tag, "{case}");
    });
}

#[test]
fn every_length() {
    let (ad, key) = (bytes(1100, 9), core::array::from_fn(|i| (i * 31 + 7) as u8));
    let plaintext = bytes(4300, 3);
    for engine in SimdEngine::available() {
        for len in 0..=4300 {
            let (prefix, rest) = ad[..len % 61].split_at(len % 23 % (len % 61 + 1));
            check_aead(engine, &key, Aad { prefix, ad: rest }, &plaintext[..len]);
            check_secretstream(engine, &key, &ad[..len % 35], &plaintext[..len]);
        }
    }
}

#[test]
fn every_length_of_aad() {
    let (ad, key) = (bytes(1100, 9), [0x42; 32]);
    let plaintext = bytes(3000, 3);
    for engine in SimdEngine::available() {
        for len in [
            0, 1, 16, 63, 64, 65, 192, 193, 448, 1000, 1024, 1025, 2049, 3000,
        ] {
            for aad in (0..=80).chain([255, 256, 257, 1024, 1100]) {
                check_aead(engine, &key, Aad::from(&ad[..aad]), &plaintext[..len]);
                check_secretstream(engine, &key, &ad[..aad], &plaintext[..len]);
                let (prefix, ad) = ad[..aad].split_at(aad.min(21));
                check_aead(engine, &key, Aad { prefix, ad }, &plaintext[..len]);
            }
        }
    }
}

/// Two and more steps of the widest loop: each form of r^(k n) that joins the chains of the MAC, with every
/// kind of tail. A step is of 256, 512 or 1024 bytes; before the first come what 4, 8 or 17 blocks have
/// left after the key's.
#[test]
fn many_steps() {
    let plaintext = bytes(1 << 17, 3);
    for engine in SimdEngine::available() {
        for steps in [2, 3, 4, 5, 7, 8, 15, 31, 64, 127] {
            for (step, head) in [(256, 3), (512, 7), (1024, 16)] {
                for tail in [0, 129, step - 1] {
                    let len = (64 * head + step * steps + tail).min(plaintext.len());
                    check_aead(engine, &[0x91; 32], Aad::EMPTY, &plaintext[..len]);
                    check_secretstream(engine, &[0x91; 32], b"ad", &plaintext[..len]);
                }
            }
        }
    }
}

/// Ciphertext of all ones drives the MAC's limbs to their bounds, over many trips of the widest loop.
#[test]
fn extreme_ciphertexts() {
    for engine in SimdEngine::available() {
        for len in (0..400)
            .chain((400..9000).step_by(37))
            .chain([16384, 65536, 65537, 100_000])
        {
            let key = [len as u8; 32];
            let mut plaintext = vec![0xff; len];
            // Encrypting all ones gives what decrypts to all ones.
            PortableEngine.xor(&key, b"twelve bytes", 1, (&mut plaintext[..]).into());
            check_aead(engine, &key, Aad::EMPTY, &plaintext);
        }
    }
}
