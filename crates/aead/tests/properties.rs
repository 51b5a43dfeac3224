//! Random messages against libsodium, and keys from text: what is one, and what is not.

#[path = "support/engines.rs"]
#[allow(dead_code)]
mod engines;
#[path = "support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use engines::engines;
use proptest::{collection::vec, prelude::*};
use ss55_aead::{Aad, InvalidKey, Key, Tag};

/// Short messages often, long ones past a wide loop.
fn message() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..130),
        vec(any::<u8>(), 0..1200),
        vec(any::<u8>(), 1900..5000),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn seal_and_open(
        key: [u8; 32],
        nonce: [u8; 12],
        prefix in vec(any::<u8>(), 0..50),
        ad in vec(any::<u8>(), 0..300),
        message in message(),
        flip: u16,
    ) {
        let (ciphertext, tag) =
            oracle::seal(&key, &nonce, &[&prefix[..], &ad].concat(), &message);
        let aad = Aad { prefix: &prefix, ad: &ad };
        for engine in engines() {
            let mut buf = message.clone();
            let sealed = engine.seal_in_place(&key, &nonce, aad, &mut buf);
            prop_assert!(buf == ciphertext && sealed == tag.into(), "{}", engine.name());
            let mut forged = tag;
            forged[usize::from(flip) % 16] ^= 1 << (flip >> 8 & 7);
            let mut out = vec![0xee; message.len()];
            let refused = engine.open_to(&key, &nonce, aad, &buf, &mut out, &forged.into());
            prop_assert!(refused.is_err() && out.iter().all(|byte| *byte == 0));
            prop_assert!(engine.verify(&key, &nonce, aad, &buf, &forged.into()).is_err());
            prop_assert!(engine.verify(&key, &nonce, aad, &buf, &sealed).is_ok());
            let opened = engine.open_in_place(&key, &nonce, aad, &mut buf, &sealed);
            prop_assert!(opened.is_ok() && buf == message, "{}", engine.name());
        }
    }

    #[test]
    fn push_and_pull(
        key: [u8; 32],
        nonce: [u8; 12],
        ad in vec(any::<u8>(), 0..100),
        frame_tag: u8,
        message in message(),
    ) {
        let (sent, ciphertext, mac) = oracle::push(&key, &nonce, &ad, frame_tag, &message);
        let mac = Tag::from(mac);
        for engine in engines() {
            let mut buf = message.clone();
            let mut tag = frame_tag;
            let sealed =
                engine.secretstream_seal(&key, &nonce, &ad, &mut tag, (&mut buf[..]).into());
            prop_assert!(buf == ciphertext && tag == sent && sealed == mac, "{}", engine.name());
            let verified = engine.secretstream_verify(&key, &nonce, &ad, tag, &buf, &mac);
            prop_assert_eq!(verified, Ok(frame_tag));
            let data = (&mut buf[..]).into();
            let opened = engine.secretstream_open(&key, &nonce, &ad, &mut tag, data, &mac);
            prop_assert!(opened.is_ok() && buf == message && tag == frame_tag, "{}", engine.name());
        }
    }

    /// All ways to write a key are read, and are the key.
    #[test]
    fn keys_in_every_notation(bytes: [u8; 32], upper: u64) {
        let is = |key: Result<Key, InvalidKey>| key.is_ok_and(|key| *key.as_bytes() == bytes);
        let hex = hex::encode(bytes);
        let mixed: String = hex
            .chars()
            .enumerate()
            .map(|(i, c)| if upper >> i & 1 == 1 { c.to_ascii_uppercase() } else { c })
            .collect();
        for text in [hex.to_uppercase(), mixed, hex] {
            prop_assert!(is(Key::from_hex(&text)), "{text}");
        }
        for text in oracle::base64(&bytes) {
            prop_assert!(is(Key::from_base64(&text)), "{text}");
        }
        prop_assert!(is(Key::try_from(&bytes[..])));
        prop_assert!(is(Ok(bytes.into())) && is(Ok(Key::from_bytes(bytes))));
    }

    /// One character of another alphabet, anywhere, in any notation.
    #[test]
    fn one_wrong_character(bytes: [u8; 32], at in 0..64_usize, wrong in "[ g-zG-Z\\n\\r\\t=:.,~/\\x00]") {
        let mut text = hex::encode(bytes);
        text.replace_range(at..=at, &wrong);
        prop_assert_eq!(Key::from_hex(&text).err(), Some(InvalidKey::Encoding), "{:?}", text);
        for mut text in oracle::base64(&bytes) {
            let at = at % 42;
            for wrong in [" ", "\n", "=", ".", "~", "\0", ","] {
                text.replace_range(at..=at, wrong);
                let refused = Key::from_base64(&text).err();
                prop_assert_eq!(refused, Some(InvalidKey::Encoding), "{:?}", text);
            }
        }
    }
}

const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const BASE64: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

#[test]
fn keys_of_the_wrong_length() {
    assert_eq!(Key::from_hex(HEX).expect("a key").as_bytes()[31], 0x1f);
    assert_eq!(
        Key::from_base64(BASE64).expect("a key").as_bytes()[31],
        0x1f
    );
    for len in (0..200).filter(|len| *len != 64) {
        assert_eq!(
            Key::from_hex(&"a".repeat(len)).err(),
            Some(InvalidKey::Length),
            "{len}"
        );
    }
    for len in (0..200).filter(|len| ![43, 44].contains(len)) {
        assert_eq!(
            Key::from_base64(&"A".repeat(len)).err(),
            Some(InvalidKey::Length),
            "{len}"
        );
    }
    for len in (0..100).filter(|len| *len != 32) {
        assert_eq!(
            Key::try_from(&vec![1; len][..]).err(),
            Some(InvalidKey::Length),
            "{len}"
        );
    }
}

/// 64 or 44 bytes that are fewer characters.
#[test]
fn keys_with_other_scripts() {
    let text = format!("é{}", &HEX[2..]);
    assert_eq!(Key::from_hex(&text).err(), Some(InvalidKey::Encoding));
    let text = format!("é{}", &BASE64[2..]);
    assert_eq!(Key::from_base64(&text).err(), Some(InvalidKey::Encoding));
}

/// 43 characters hold 258 bits: the last two decode to nothing and must be zero, or one key would
/// have four spellings. Padding is one `=`, at the end.
#[test]
fn base64_has_one_spelling() {
    let (body, last) = BASE64.split_at(42);
    assert_eq!(last, "8"); // 60 = 0b111100
    for other in ["9", "+", "/", "-", "_"] {
        for padding in ["", "="] {
            let text = format!("{body}{other}{padding}");
            assert_eq!(
                Key::from_base64(&text).err(),
                Some(InvalidKey::Encoding),
                "{text}"
            );
        }
    }
    for text in [
        format!("{BASE64}A"),
        format!("={BASE64}"),
        format!("{body}=="),
        format!("{body}="),
        format!("{BASE64}\n"),
        format!("{BASE64} "),
    ] {
        assert_eq!(
            Key::from_base64(&text).err(),
            Some(InvalidKey::Encoding),
            "{text:?}"
        );
    }
}

/// One text in two alphabets is in neither.
#[test]
fn base64_alphabets_do_not_mix() {
    let standard = format!("+/{}", &BASE64[2..]);
    let url = format!("-_{}", &BASE64[2..]);
    let key = Key::from_base64(&standard).expect("the standard alphabet");
    assert_eq!(
        key.as_bytes(),
        Key::from_base64(&url).expect("the URL alphabet").as_bytes()
    );
    assert_eq!(key.as_bytes()[..2], [0xfb, 0xf1]);
    for mixed in ["+_", "-/"] {
        let text = format!("{mixed}{}", &BASE64[2..]);
        assert_eq!(
            Key::from_base64(&text).err(),
            Some(InvalidKey::Encoding),
            "{text}"
        );
    }
}

/// No error carries the text; `Debug` of a key does not carry the bytes.
#[test]
fn keys_stay_secret() {
    let secret = format!("{}zz", &HEX[..62]);
    let errors = [
        Key::from_hex(&secret).unwrap_err(),
        Key::from_hex(&secret[..63]).unwrap_err(),
        Key::from_base64(&secret[..42]).unwrap_err(),
        Key::from_base64("!AECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap_err(),
    ];
    for error in errors {
        let shown = format!("{error} {error:?} {error:#?}");
        for piece in ["0102", "zz", "AwQF"] {
            assert!(!shown.contains(piece), "{shown}");
        }
        let boxed: Box<dyn std::error::Error + Send + Sync> = Box::new(error);
        assert!(boxed.to_string().contains("key"), "{boxed}");
    }
    let key = Key::from_bytes([0xa7; 32]);
    assert_eq!(
        format!("{key:?} {key:#?} {key:x?}"),
        "Key(..) Key(..) Key(..)"
    );
    assert_eq!(key.clone().as_bytes(), key.as_bytes());
}

/// Not a constant, and not short.
#[test]
fn generated_keys_differ() {
    let a = Key::generate().expect("random bytes");
    let b = Key::generate().expect("random bytes");
    assert_ne!(a.as_bytes(), b.as_bytes());
    for half in [&a.as_bytes()[..16], &a.as_bytes()[16..]] {
        assert!(half.iter().any(|byte| *byte != 0));
    }
}
