//! Every engine against libsodium's own functions: one generic check of all that the trait promises,
//! at every length and alignment that a fused kernel could get wrong.

#[path = "support/engines.rs"]
#[allow(dead_code)]
mod engines;
#[path = "support/guarded.rs"]
mod guarded;
#[path = "support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use engines::foreign;
use guarded::Guarded;
use oracle::{KEY, NONCE, NONCE24, pat};
use ss55_aead::{
    Aad, ChaCha20Poly1305, Engine, InOutBuf, PortableEngine, SimdEngine, SodiumEngine, Tag,
    XChaCha20Poly1305,
};

#[test]
fn portable_engine() {
    conformance(&PortableEngine);
}

/// On each backend, fused or composed.
#[test]
fn simd_engines() {
    let mut engines = SimdEngine::available().peekable();
    assert!(engines.peek().is_some());
    engines.for_each(|engine| conformance(&engine));
}

#[test]
fn sodium_engine() {
    conformance(&SodiumEngine::new());
}

/// An engine that has the required methods alone, over each pair of backends.
#[test]
fn foreign_engines() {
    foreign().for_each(|engine| conformance(&engine));
}

/// What holds for every engine.
fn conformance<E: Engine>(engine: &E) {
    assert!(!engine.name().is_empty());
    required_methods(engine);
    every_length(engine);
    every_pair_of_short_lengths(engine);
    every_alignment(engine);
    aad_is_one_string(engine);
    aad_of_every_length(engine);
    long_messages(engine);
    keys_and_nonces(engine);
    secretstream_of_every_length(engine);
    secretstream_of_every_pair_of_short_lengths(engine);
}

fn required_methods<E: Engine>(engine: &E) {
    let name = engine.name();
    for seed in 0..20_u8 {
        let key: [u8; 32] = std::array::from_fn(|i| (i as u8).wrapping_mul(seed) ^ seed);
        let input: [u8; 16] = std::array::from_fn(|i| seed.wrapping_add(i as u8 * 17));
        let expected = oracle::hchacha20(&key, &input);
        assert_eq!(engine.hchacha20(&key, &input), expected, "{name}");
    }

    let data = pat(4200);
    for counter in [0, 1, 2, 42, 0x7fff_ffff, u32::MAX - 70] {
        let expected = oracle::xor(&KEY, &NONCE, counter, &data);
        for len in (0..=700).chain([1023, 1024, 1025, 2047, 2048, 2049, 4096, 4200]) {
            let mut buf = data[..len].to_vec();
            engine.xor(&KEY, &NONCE, counter, (&mut buf[..]).into());
            assert!(buf == expected[..len], "{name}: xor of {len} at {counter}");
            let mut out = vec![0xee; len];
            engine.xor(&KEY, &NONCE, counter, pair(&data[..len], &mut out));
            assert!(
                out == expected[..len],
                "{name}: xor of {len} at {counter}, two buffers"
            );
        }
    }

    // Parts of all sizes, empty ones among them, are one message.
    for len in [0, 1, 15, 16, 17, 63, 64, 65, 255, 256, 1000, 2100] {
        let expected = Tag::from(oracle::mac(&KEY, &data[..len]));
        assert_eq!(
            engine.mac(&KEY, &[&data[..len]]),
            expected,
            "{name}: mac of {len}"
        );
        for a in (0..=len).step_by(37) {
            for b in (a..=len).step_by(101) {
                let parts: [&[u8]; 5] = [&data[..a], &[], &data[a..b], &data[b..len], &[]];
                assert_eq!(
                    engine.mac(&KEY, &parts),
                    expected,
                    "{name}: mac, {a}, {b} of {len}"
                );
            }
        }
    }
    assert_eq!(
        engine.mac(&KEY, &[]),
        oracle::mac(&KEY, &[]).into(),
        "{name}: mac of no part"
    );
}

/// All four forms of sealing and opening, each between canaries.
fn check<E: Engine>(engine: &E, aad: &[u8], message: &[u8], at: [usize; 2]) {
    let case = || {
        format!(
            "{}: {} + {}, {at:?}",
            engine.name(),
            aad.len(),
            message.len()
        )
    };
    let (ciphertext, tag) = oracle::seal(&KEY, &NONCE, aad, message);
    let tag = Tag::from(tag);
    let aad = Aad::from(aad);

    let mut buf = Guarded::new(message, at[0]);
    let sealed = engine.seal_in_place(&KEY, &NONCE, aad, buf.bytes_mut());
    assert!(buf.bytes() == ciphertext, "seal_in_place, {}", case());
    assert_eq!(sealed, tag, "seal_in_place, {}", case());
    let opened = engine.open_in_place(&KEY, &NONCE, aad, buf.bytes_mut(), &tag);
    assert!(
        opened.is_ok() && buf.bytes() == message,
        "open_in_place, {}",
        case()
    );
    assert!(buf.intact(), "canary in place, {}", case());

    let mut out = Guarded::new(&vec![0xee; message.len()], at[1]);
    let input = Guarded::new(message, at[0]);
    let sealed = engine.seal_to(&KEY, &NONCE, aad, input.bytes(), out.bytes_mut());
    assert!(out.bytes() == ciphertext, "seal_to, {}", case());
    assert_eq!(sealed, tag, "seal_to, {}", case());
    assert!(out.intact(), "canary of seal_to, {}", case());
    let input = Guarded::new(&ciphertext, at[0]);
    let opened = engine.open_to(&KEY, &NONCE, aad, input.bytes(), out.bytes_mut(), &tag);
    assert!(
        opened.is_ok() && out.bytes() == message,
        "open_to, {}",
        case()
    );
    assert!(out.intact(), "canary of open_to, {}", case());
    assert!(input.bytes() == ciphertext, "input of open_to, {}", case());
}

/// Past two trips of a loop of 2048 bytes.
fn every_length<E: Engine>(engine: &E) {
    let message = pat(4300);
    for len in 0..=message.len() {
        check(
            engine,
            &message[..21],
            &message[..len],
            [len % 64, len * 7 % 64],
        );
    }
}

fn every_pair_of_short_lengths<E: Engine>(engine: &E) {
    let data = pat(161);
    for message in 0..=80 {
        for aad in 0..=80 {
            check(engine, &data[81..81 + aad], &data[..message], [0, 0]);
            let (ciphertext, tag) =
                oracle::seal(&KEY, &NONCE24, &data[81..81 + aad], &data[..message]);
            let aead = XChaCha20Poly1305::with_engine(engine, &KEY);
            let mut buf = data[..message].to_vec();
            let ad = Aad::from(&data[81..81 + aad]);
            let sealed = aead.seal_in_place_detached(&NONCE24, ad, &mut buf);
            assert!(
                buf == ciphertext && sealed == tag.into(),
                "X, {message}, {aad}"
            );
            let opened = aead.open_in_place_detached(&NONCE24, ad, &mut buf, &sealed);
            assert!(
                opened.is_ok() && buf == data[..message],
                "X, {message}, {aad}"
            );
            let mut out = vec![0xee; message];
            let sealed = aead.seal_to(&NONCE24, ad, &data[..message], &mut out);
            assert!(
                out == ciphertext && sealed == tag.into(),
                "X to, {message}, {aad}"
            );
            let opened = aead.open_to(&NONCE24, ad, &ciphertext, &mut out, &sealed);
            assert!(
                opened.is_ok() && out == data[..message],
                "X to, {message}, {aad}"
            );
        }
    }
}

/// Lengths with every tail, and one without.
fn every_alignment<E: Engine>(engine: &E) {
    let data = pat(4096);
    for len in [37, 2048 + 1024 + 512 + 256 + 128 + 64 + 37, 1024] {
        for input in 0..64 {
            for output in (0..64).step_by(if len > 1024 { 9 } else { 1 }) {
                check(engine, &data[..21], &data[..len], [input, output]);
            }
        }
    }
}

/// `prefix` and `ad` are hashed as one string, wherever the seam is.
fn aad_is_one_string<E: Engine>(engine: &E) {
    let (aad, message) = (pat(150), pat(300));
    for len in [0, 1, 15, 16, 17, 21, 32, 37, 64, 150] {
        let (ciphertext, tag) = oracle::seal(&KEY, &NONCE, &aad[..len], &message);
        for seam in 0..=len {
            let (prefix, ad) = aad[..len].split_at(seam);
            let mut buf = message.clone();
            let aad = Aad { prefix, ad };
            assert_eq!((aad.len(), aad.is_empty()), (len, len == 0));
            let sealed = engine.seal_in_place(&KEY, &NONCE, aad, &mut buf);
            assert!(
                buf == ciphertext && sealed == tag.into(),
                "{}: {seam}/{len}",
                engine.name()
            );
            let opened = engine.open_in_place(&KEY, &NONCE, aad, &mut buf, &sealed);
            assert!(
                opened.is_ok() && buf == message,
                "{}: {seam}/{len}",
                engine.name()
            );
        }
    }
}

fn aad_of_every_length<E: Engine>(engine: &E) {
    let data = pat(2200);
    for len in (0..=600).chain([1023, 1024, 1025, 2047, 2048, 2049, 2200]) {
        check(engine, &data[..len], &data[..99], [0, 0]);
    }
}

fn long_messages<E: Engine>(engine: &E) {
    for len in [
        8191,
        8192,
        8193,
        16384,
        65535,
        65536,
        65537,
        100_003,
        1 << 20,
    ] {
        check(engine, b"", &pat(len), [0, 0]);
        check(engine, &[0x5a; 29], &vec![0; len], [1, 3]);
    }
}

/// Every byte of key and nonce counts, by any engine, for message and tag.
fn keys_and_nonces<E: Engine>(engine: &E) {
    let message = pat(700);
    for i in 0..56 {
        let (mut key, mut nonce) = (KEY, NONCE24);
        if i < 32 {
            key[i] ^= 0x80;
        } else {
            nonce[i - 32] ^= 1;
        }
        let short = *nonce.last_chunk::<12>().expect("24 >= 12");
        let (ciphertext, tag) = oracle::seal(&key, &short, b"", &message);
        let mut buf = message.clone();
        let sealed = ChaCha20Poly1305::with_engine(engine, &key).seal_in_place_detached(
            &short,
            Aad::EMPTY,
            &mut buf,
        );
        assert!(
            buf == ciphertext && sealed == tag.into(),
            "{}: byte {i}",
            engine.name()
        );

        let (ciphertext, tag) = oracle::seal(&key, &nonce, b"", &message);
        let mut buf = message.clone();
        let sealed = XChaCha20Poly1305::with_engine(engine, &key).seal_in_place_detached(
            &nonce,
            Aad::EMPTY,
            &mut buf,
        );
        assert!(
            buf == ciphertext && sealed == tag.into(),
            "{}: X, byte {i}",
            engine.name()
        );
    }
}

/// A push and its pull, in place and with two buffers, and the check alone.
fn check_secretstream<E: Engine>(engine: &E, ad: &[u8], frame_tag: u8, message: &[u8], at: usize) {
    let case = || {
        format!(
            "{}: push of {} + {}",
            engine.name(),
            ad.len(),
            message.len()
        )
    };
    let (sent, ciphertext, mac) = oracle::push(&KEY, &NONCE, ad, frame_tag, message);
    let mac = Tag::from(mac);

    let mut buf = Guarded::new(message, at);
    let mut tag = frame_tag;
    let sealed = engine.secretstream_seal(&KEY, &NONCE, ad, &mut tag, buf.bytes_mut().into());
    assert!(buf.bytes() == ciphertext && buf.intact(), "{}", case());
    assert_eq!((tag, sealed), (sent, mac), "{}", case());
    let verified = engine.secretstream_verify(&KEY, &NONCE, ad, tag, buf.bytes(), &mac);
    assert_eq!(verified, Ok(frame_tag), "verify, {}", case());
    let opened = engine.secretstream_open(&KEY, &NONCE, ad, &mut tag, buf.bytes_mut().into(), &mac);
    assert_eq!((opened, tag), (Ok(()), frame_tag), "{}", case());
    assert!(buf.bytes() == message && buf.intact(), "{}", case());

    let mut out = Guarded::new(&vec![0xee; message.len()], at);
    let sealed =
        engine.secretstream_seal(&KEY, &NONCE, ad, &mut tag, pair(message, out.bytes_mut()));
    assert!(out.bytes() == ciphertext && out.intact(), "to, {}", case());
    assert_eq!((tag, sealed), (sent, mac), "to, {}", case());
    let buf = pair(&ciphertext, out.bytes_mut());
    let opened = engine.secretstream_open(&KEY, &NONCE, ad, &mut tag, buf, &mac);
    assert_eq!((opened, tag), (Ok(()), frame_tag), "to, {}", case());
    assert!(out.bytes() == message && out.intact(), "to, {}", case());
}

fn secretstream_of_every_length<E: Engine>(engine: &E) {
    let message = pat(4300);
    for len in 0..=message.len() {
        check_secretstream(engine, &[], (len % 4) as u8, &message[..len], len % 64);
    }
    for len in [8191, 8192, 8193, 65536, 65537] {
        check_secretstream(engine, b"ad", 3, &pat(len), 1);
    }
}

fn secretstream_of_every_pair_of_short_lengths<E: Engine>(engine: &E) {
    let data = pat(130);
    for message in 0..=48 {
        for ad in 0..=80 {
            check_secretstream(engine, &data[50..50 + ad], 0xff, &data[..message], 0);
        }
    }
}

fn pair<'i, 'o>(input: &'i [u8], output: &'o mut [u8]) -> InOutBuf<'i, 'o, u8> {
    InOutBuf::new(input, output).expect("equal lengths")
}
