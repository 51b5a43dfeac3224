//! Refusals and limits: what a failed open leaves, how long a message may be, what is no key.

#[path = "support/engines.rs"]
#[allow(dead_code)]
mod engines;
#[path = "support/guarded.rs"]
mod guarded;
#[path = "support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use engines::{all_present, engines};
use guarded::Guarded;
use oracle::{KEY, NONCE, NONCE24, pat};
use ss55_aead::{
    Aad, AuthenticationError, ChaCha20Poly1305, Engine, InOutBuf, MAX_MESSAGE_LEN,
    MAX_SECRETSTREAM_LEN, SimdEngine, Tag, XChaCha20Poly1305, keystream_fits,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

const LENGTHS: [usize; 18] = [
    0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 1023, 1024, 1025, 2048, 2049, 4133, 8192, 65536,
];

/// Every way in which an authentic message can be changed by one bit: (ciphertext, aad, tag).
fn forgeries(ciphertext: &[u8], aad: &[u8], tag: Tag) -> Vec<(Vec<u8>, Vec<u8>, Tag)> {
    let mut forged = Vec::new();
    for bit in (0..128)
        .step_by(if ciphertext.len() > 100 { 13 } else { 1 })
        .chain([127])
    {
        let mut tag = *tag.as_bytes();
        tag[bit / 8] ^= 1 << (bit % 8);
        forged.push((ciphertext.to_vec(), aad.to_vec(), tag.into()));
    }
    let len = ciphertext.len();
    for at in [
        0,
        len / 3,
        len / 2,
        len.wrapping_sub(17),
        len.wrapping_sub(1),
    ] {
        if at < len {
            let mut ciphertext = ciphertext.to_vec();
            ciphertext[at] ^= 0x10;
            forged.push((ciphertext, aad.to_vec(), tag));
        }
    }
    for at in [0, aad.len() / 2, aad.len() - 1] {
        let mut aad = aad.to_vec();
        aad[at] ^= 0x01;
        forged.push((ciphertext.to_vec(), aad, tag));
    }
    // A zero byte more or less in the aad: the lengths are authenticated, not the padding alone.
    forged.push((ciphertext.to_vec(), [aad, &[0]].concat(), tag));
    forged.push((ciphertext.to_vec(), aad[..aad.len() - 1].to_vec(), tag));
    forged.push((ciphertext.to_vec(), Vec::new(), tag));
    forged.push((ciphertext.to_vec(), aad.to_vec(), [0; 16].into()));
    forged
}

fn all_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// A failed open leaves zeros, all of them and nothing but them; the object then goes on.
#[test]
fn failed_open_leaves_zeros() {
    let aad = [0x41, 0x42, 0x43, 0x00];
    for len in LENGTHS {
        let message: Vec<u8> = (0..len).map(|i| (i % 251) as u8 | 1).collect();
        let (ciphertext, tag) = oracle::seal(&KEY, &NONCE, &aad, &message);
        let (x_ciphertext, x_tag) = oracle::seal(&KEY, &NONCE24, &aad, &message);
        let (tag, x_tag) = (Tag::from(tag), Tag::from(x_tag));
        for engine in engines() {
            let case = format!("{}, {len} bytes", engine.name());
            let aead = ChaCha20Poly1305::with_engine(*engine, &KEY);
            for (ciphertext, aad, tag) in forgeries(&ciphertext, &aad, tag) {
                let aad = Aad::from(&aad);
                let mut buf = Guarded::new(&ciphertext, 3);
                let refused = aead.open_in_place_detached(&NONCE, aad, buf.bytes_mut(), &tag);
                assert_eq!(refused, Err(AuthenticationError), "{case}");
                assert!(all_zero(buf.bytes()), "plaintext left, {case}");
                assert!(buf.intact(), "canary, {case}");

                let mut out = Guarded::new(&vec![0xee; len], 5);
                let refused = aead.open_to(&NONCE, aad, &ciphertext, out.bytes_mut(), &tag);
                assert_eq!(refused, Err(AuthenticationError), "{case}");
                assert!(all_zero(out.bytes()), "two buffers: plaintext left, {case}");
                assert!(out.intact(), "two buffers: canary, {case}");
            }
            let mut buf = Guarded::new(&ciphertext, 0);
            let opened =
                aead.open_in_place_detached(&NONCE, Aad::from(&aad), buf.bytes_mut(), &tag);
            assert!(
                opened.is_ok() && buf.bytes() == message,
                "after failures, {case}"
            );
            assert!(buf.intact(), "{case}");

            let aead = XChaCha20Poly1305::with_engine(*engine, &KEY);
            for (ciphertext, aad, tag) in forgeries(&x_ciphertext, &aad, x_tag) {
                let aad = Aad::from(&aad);
                let mut buf = Guarded::new(&ciphertext, 3);
                let refused = aead.open_in_place_detached(&NONCE24, aad, buf.bytes_mut(), &tag);
                assert_eq!(refused, Err(AuthenticationError), "X, {case}");
                assert!(all_zero(buf.bytes()) && buf.intact(), "X, {case}");
            }
            let mut out = vec![0xee; len];
            let opened = aead.open_to(&NONCE24, Aad::from(&aad), &x_ciphertext, &mut out, &x_tag);
            assert!(
                opened.is_ok() && out == message,
                "X, after failures, {case}"
            );
        }
    }
}

/// The same for a pull: zeros, and the frame tag as it came. The check alone changes nothing.
#[test]
fn failed_pull_leaves_zeros() {
    let ad = [0x41, 0x42, 0x43, 0x00];
    for len in LENGTHS {
        let message: Vec<u8> = (0..len).map(|i| (i % 251) as u8 | 1).collect();
        let (sent, ciphertext, mac) = oracle::push(&KEY, &NONCE, &ad, 3, &message);
        let mac = Tag::from(mac);
        for engine in engines() {
            let case = format!("{}, {len} bytes", engine.name());
            let mut tries: Vec<_> = forgeries(&ciphertext, &ad, mac)
                .into_iter()
                .map(|(ciphertext, ad, mac)| (sent, ciphertext, ad, mac))
                .collect();
            for bit in 0..8 {
                tries.push((sent ^ 1 << bit, ciphertext.clone(), ad.to_vec(), mac));
            }
            for (sent, ciphertext, ad, mac) in tries {
                let verified =
                    engine.secretstream_verify(&KEY, &NONCE, &ad, sent, &ciphertext, &mac);
                assert_eq!(verified, Err(AuthenticationError), "{case}");

                let mut buf = Guarded::new(&ciphertext, 3);
                let mut tag = sent;
                let data = buf.bytes_mut().into();
                let refused = engine.secretstream_open(&KEY, &NONCE, &ad, &mut tag, data, &mac);
                assert_eq!(refused, Err(AuthenticationError), "{case}");
                assert_eq!(tag, sent, "{case}");
                assert!(all_zero(buf.bytes()), "plaintext left, {case}");
                assert!(buf.intact(), "canary, {case}");

                let mut out = Guarded::new(&vec![0xee; len], 5);
                let data = InOutBuf::new(&ciphertext, out.bytes_mut()).expect("equal lengths");
                let refused = engine.secretstream_open(&KEY, &NONCE, &ad, &mut tag, data, &mac);
                assert_eq!(refused, Err(AuthenticationError), "{case}");
                assert!(all_zero(out.bytes()) && out.intact(), "two buffers, {case}");
            }
        }
    }
}

/// An empty message has a tag, which is checked; lengths below a tag's are ordinary.
#[test]
fn messages_shorter_than_a_tag() {
    for len in 0..=16 {
        let message = pat(len);
        for engine in engines() {
            let aead = ChaCha20Poly1305::with_engine(*engine, &KEY);
            let mut buf = message.clone();
            let tag = aead.seal_in_place_detached(&NONCE, Aad::EMPTY, &mut buf);
            assert_eq!(
                (buf.clone(), *tag.as_bytes()),
                oracle::seal(&KEY, &NONCE, b"", &message)
            );
            for wrong in [[0; 16], [0xff; 16]] {
                let mut buf = buf.clone();
                let refused =
                    aead.open_in_place_detached(&NONCE, Aad::EMPTY, &mut buf, &wrong.into());
                assert_eq!((refused, all_zero(&buf)), (Err(AuthenticationError), true));
            }
            let opened = aead.open_in_place_detached(&NONCE, Aad::EMPTY, &mut buf, &tag);
            assert_eq!(
                (opened, buf),
                (Ok(()), message.clone()),
                "{}",
                engine.name()
            );
        }
    }
}

/// A message and a message with its last zero byte in the aad, or moved between them, differ.
#[test]
fn lengths_are_authenticated() {
    for engine in engines() {
        let mut tags = Vec::new();
        for aad in 0..=40 {
            for message in 0..=40 {
                // Zeros throughout what is hashed: only the lengths differ.
                let mut buf = vec![0; message];
                engine.xor(&KEY, &NONCE, 1, (&mut buf[..]).into());
                let tag = engine.seal_in_place(&KEY, &NONCE, Aad::from(&vec![0; aad]), &mut buf);
                assert!(all_zero(&buf));
                tags.push(*tag.as_bytes());
            }
        }
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), 41 * 41, "{}", engine.name());
    }
}

#[test]
fn length_limits() {
    let fits = |counter, len: u64| usize::try_from(len).map(|len| keystream_fits(counter, len));
    for len in [0, 1, 1 << 31, 1 << 32, (1 << 32) + 17, 274_877_906_816] {
        for counter in [0, 1, 2] {
            assert!(fits(counter, len).unwrap_or(true), "{len} from {counter}");
        }
    }
    // 2^38 less the block that gives the one-time key, and less the one of the frame tag.
    assert_eq!(
        (MAX_MESSAGE_LEN, MAX_SECRETSTREAM_LEN),
        (274_877_906_880, 274_877_906_816)
    );
    for (counter, max) in [
        (0, MAX_MESSAGE_LEN + 64),
        (1, MAX_MESSAGE_LEN),
        (2, MAX_SECRETSTREAM_LEN),
        (0xffff_ffff, 64),
        (0xffff_fffe, 128),
    ] {
        assert!(fits(counter, max - 1).unwrap_or(true), "{counter}");
        assert!(fits(counter, max).unwrap_or(true), "{counter}");
        assert!(!fits(counter, max + 1).unwrap_or(false), "{counter}");
        assert!(
            !fits(counter, max + (1 << 32)).unwrap_or(false),
            "{counter}"
        );
    }
    assert!(!keystream_fits(0xffff_ffff, usize::MAX));
    #[cfg(target_pointer_width = "64")]
    assert!(!keystream_fits(0, usize::MAX));
}

fn panics(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

/// `xor` to the last block, and not a byte past it.
#[test]
fn xor_ends_with_the_counter() {
    let data = pat(300);
    for engine in engines() {
        for (counter, fits) in [(u32::MAX, 64), (u32::MAX - 1, 128), (u32::MAX - 3, 256)] {
            let mut buf = data.clone();
            engine.xor(&KEY, &NONCE, counter, (&mut buf[..fits]).into());
            let expected = oracle::xor(&KEY, &NONCE, counter, &data[..fits]);
            assert_eq!(&buf[..fits], expected, "{}", engine.name());

            let mut buf = data.clone();
            let too_long = panics(|| {
                engine.xor(&KEY, &NONCE, counter, (&mut buf[..=fits]).into());
            });
            assert!(too_long, "{}: a byte past {counter}", engine.name());
            assert_eq!(buf, data, "{}", engine.name());
        }
    }
}

/// Sealing a message of one byte too many panics before it touches the message: here one of 2^38
/// bytes of address space without memory, which a write to it would fault on.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
fn sealing_too_much_panics_before_it_writes() {
    let len = usize::try_from(MAX_MESSAGE_LEN + 1).expect("64 bits");
    // SAFETY: a fresh private mapping at an address of the kernel's choice.
    let memory = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len,
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        use std::io::Write;
        let _ = writeln!(
            std::io::stderr(),
            "skipped: no address space for a message of 2^38 bytes"
        );
        return;
    }
    let p = memory.cast::<u8>();
    for engine in engines() {
        let too_long = panics(|| {
            // SAFETY: the mapping reads as zeros for len bytes and nothing else refers to it.
            let buf = unsafe { InOutBuf::from_raw(p, p, len) };
            let _ = engine.seal(&KEY, &NONCE, Aad::EMPTY, buf);
        });
        assert!(too_long, "{}: seal", engine.name());
        let max = usize::try_from(MAX_SECRETSTREAM_LEN).expect("64 bits");
        let too_long = panics(|| {
            // SAFETY: as above; max + 1 < len.
            let buf = unsafe { InOutBuf::from_raw(p, p, max + 1) };
            let _ = engine.secretstream_seal(&KEY, &NONCE, &[], &mut 0, buf);
        });
        assert!(too_long, "{}: secretstream_seal", engine.name());
        // SAFETY: as above, and read-only.
        let ciphertext = unsafe { std::slice::from_raw_parts(p, max + 1) };
        let verified =
            engine.secretstream_verify(&KEY, &NONCE, &[], 0, ciphertext, &[0; 16].into());
        assert_eq!(verified, Err(AuthenticationError), "{}", engine.name());
        // SAFETY: as above, and read-only; the mapping has a byte more than the longest message.
        let ciphertext = unsafe { std::slice::from_raw_parts(p, len) };
        let verified = engine.verify(&KEY, &NONCE, Aad::EMPTY, ciphertext, &[0; 16].into());
        assert_eq!(verified, Err(AuthenticationError), "{}", engine.name());
    }
    // SAFETY: the mapping made above; nothing refers to it any more.
    assert_eq!(unsafe { libc::munmap(memory, len) }, 0);
}

#[test]
fn two_buffers_of_different_lengths() {
    for engine in engines() {
        for (a, b) in [(0, 1), (1, 0), (64, 65), (65, 64)] {
            let input = vec![0; a];
            let mut output = vec![0xee; b];
            let refused = panics(|| {
                let _ = engine.seal_to(&KEY, &NONCE, Aad::EMPTY, &input, &mut output);
            });
            assert!(refused, "{}: seal_to", engine.name());
            let refused = panics(|| {
                let tag = Tag::from([0; 16]);
                let _ = engine.open_to(&KEY, &NONCE, Aad::EMPTY, &input, &mut output, &tag);
            });
            assert!(refused, "{}: open_to", engine.name());
            assert!(output.iter().all(|byte| *byte == 0xee), "{}", engine.name());
        }
    }
}

/// A reference to an engine does what the engine does, overrides included.
#[test]
#[allow(clippy::too_many_lines)] // each method is there twice
fn references_forward_every_method() {
    /// Answers each method with a value of its own.
    struct Marked;
    impl Engine for Marked {
        fn name(&self) -> &'static str {
            "marked"
        }
        fn hchacha20(&self, _: &[u8; 32], _: &[u8; 16]) -> [u8; 32] {
            [1; 32]
        }
        fn xor(&self, _: &[u8; 32], _: &[u8; 12], _: u32, mut buf: InOutBuf<'_, '_, u8>) {
            buf.get_out().fill(2);
        }
        fn mac(&self, _: &[u8; 32], _: &[&[u8]]) -> Tag {
            [3; 16].into()
        }
        fn seal(&self, _: &[u8; 32], _: &[u8; 12], _: Aad<'_>, _: InOutBuf<'_, '_, u8>) -> Tag {
            [4; 16].into()
        }
        fn open(
            &self,
            _: &[u8; 32],
            _: &[u8; 12],
            _: Aad<'_>,
            mut buf: InOutBuf<'_, '_, u8>,
            _: &Tag,
        ) -> Result<(), AuthenticationError> {
            buf.get_out().fill(5);
            Ok(())
        }
        fn secretstream_seal(
            &self,
            _: &[u8; 32],
            _: &[u8; 12],
            _: &[u8],
            frame_tag: &mut u8,
            _: InOutBuf<'_, '_, u8>,
        ) -> Tag {
            *frame_tag = 6;
            [6; 16].into()
        }
        fn secretstream_open(
            &self,
            _: &[u8; 32],
            _: &[u8; 12],
            _: &[u8],
            frame_tag: &mut u8,
            _: InOutBuf<'_, '_, u8>,
            _: &Tag,
        ) -> Result<(), AuthenticationError> {
            *frame_tag = 7;
            Ok(())
        }
        fn secretstream_verify(
            &self,
            _: &[u8; 32],
            _: &[u8; 12],
            _: &[u8],
            _: u8,
            _: &[u8],
            _: &Tag,
        ) -> Result<u8, AuthenticationError> {
            Ok(8)
        }
        fn verify(
            &self,
            _: &[u8; 32],
            _: &[u8; 12],
            _: Aad<'_>,
            _: &[u8],
            _: &Tag,
        ) -> Result<(), AuthenticationError> {
            Ok(()) // the provided one would refuse
        }
    }
    fn ask<E: Engine>(engine: E) {
        let (mut buf, mut frame_tag, tag) = ([0; 3], 0, Tag::from([0; 16]));
        assert_eq!(engine.name(), "marked");
        assert_eq!(engine.hchacha20(&KEY, &[0; 16]), [1; 32]);
        engine.xor(&KEY, &NONCE, 0, (&mut buf[..]).into());
        assert_eq!(buf, [2; 3]);
        assert_eq!(engine.mac(&KEY, &[]), [3; 16].into());
        assert_eq!(
            engine.seal_in_place(&KEY, &NONCE, Aad::EMPTY, &mut buf),
            [4; 16].into()
        );
        assert_eq!(
            engine.open_in_place(&KEY, &NONCE, Aad::EMPTY, &mut buf, &tag),
            Ok(())
        );
        assert_eq!(buf, [5; 3]);
        let mac =
            engine.secretstream_seal(&KEY, &NONCE, &[], &mut frame_tag, (&mut buf[..]).into());
        assert_eq!((mac, frame_tag), ([6; 16].into(), 6));
        let data = (&mut buf[..]).into();
        let opened = engine.secretstream_open(&KEY, &NONCE, &[], &mut frame_tag, data, &tag);
        assert_eq!((opened, frame_tag), (Ok(()), 7));
        let verified = engine.secretstream_verify(&KEY, &NONCE, &[], 0, &[], &tag);
        assert_eq!(verified, Ok(8));
        let verified = engine.verify(&KEY, &NONCE, Aad::EMPTY, &[], &tag);
        assert_eq!(verified, Ok(()));
    }
    ask(Marked);
    ask(&Marked);
    ask(&Marked as &dyn Engine);
    let aead = ChaCha20Poly1305::with_engine(&Marked, &KEY);
    assert_eq!(aead.engine().name(), "marked");
}

/// Engines go by the names of their backends, and the default is the fastest.
#[test]
fn engines_have_names() {
    let names: Vec<_> = SimdEngine::available()
        .map(|engine| engine.name())
        .collect();
    let backends: Vec<_> = ss55_chacha_simd::Backend::available()
        .map(|b| b.name())
        .collect();
    assert_eq!(names, backends);
    for name in ss55_chacha_simd::Backend::NAMES {
        let engine = SimdEngine::by_name(name).map(|engine| engine.name());
        assert_eq!(engine, names.contains(name).then_some(*name));
    }
    assert!(SimdEngine::by_name("Portable").is_none());
    let detected = ss55_chacha_simd::Backend::detect().name();
    assert_eq!(SimdEngine::new().name(), detected);
    assert_eq!(SimdEngine::default().name(), detected);
    let names: Vec<_> = engines().iter().map(Engine::name).collect();
    assert_eq!(names[..2], ["portable", "libsodium"]);
}

/// Neither key nor subkey, in any notation of a derived `Debug`.
#[test]
fn debug_shows_no_secret() {
    let aead = ChaCha20Poly1305::new(&[0xa7; 32]);
    let x = XChaCha20Poly1305::new(&[0xa7; 32]);
    for shown in [
        format!("{aead:?} {aead:#?} {aead:x?}"),
        format!("{x:?} {x:#?} {x:x?}"),
    ] {
        assert!(
            shown.contains("ChaCha20Poly1305") && shown.contains("engine"),
            "{shown}"
        );
        assert!(shown.contains(aead.engine().name()), "{shown}");
        for secret in ["167", "a7a7", "a7, "] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}

#[test]
fn errors_are_errors() {
    let error: Box<dyn std::error::Error + Send + Sync> = Box::new(AuthenticationError);
    assert_eq!(error.to_string(), "authentication failed");
}

/// What makes a missing backend visible must itself be able to fail.
#[test]
fn required_backends_are_required() {
    assert_eq!(all_present(""), Ok(()));
    assert_eq!(all_present("portable"), Ok(()));
    assert_eq!(all_present("portable,abacus"), Err("abacus"));
    for name in ss55_chacha_simd::Backend::NAMES {
        let present = ss55_chacha_simd::Backend::by_name(name).is_some();
        assert!(present || all_present(name).is_err(), "{name}");
    }
}
