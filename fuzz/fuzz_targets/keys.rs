//! Keys as people write them, against decoders that are slow and plain.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_aead::{InvalidKey, Key};
use ss55_cli::inside;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = str::from_utf8(bytes) {
        check(text.len() == 64, Key::from_hex(text), hex(text));
        check(
            matches!(text.len(), 43 | 44),
            Key::from_base64(text),
            base64(text),
        );
    }
    let mut found = None;
    for format in [None, Some("raw"), Some("hex"), Some("base64")] {
        match inside::parse_key(bytes, format) {
            Ok(key) => {
                let trimmed = trim(bytes);
                let expected = match format {
                    Some("raw") => raw(bytes),
                    Some("hex") => hex(trimmed),
                    Some("base64") => base64(trimmed),
                    _ => raw(bytes)
                        .or_else(|| hex(trimmed))
                        .or_else(|| base64(trimmed)),
                };
                assert_eq!(Some(*key.as_bytes()), expected);
                found = found.or(format.is_none().then_some(key));
            }
            Err(refusal) => check_refusal(&refusal),
        }
    }
    // Space around a text, or a mark before it, changes nothing.
    if let (Some(key), 43..=64) = (found, bytes.len()) {
        for around in [[b" ".as_slice(), b"\r\n"], [b"\xef\xbb\xbf", b"\n"]] {
            if bytes.starts_with(b"\xef\xbb\xbf") {
                break;
            }
            let text = [around[0], bytes, around[1]].concat();
            let again = inside::parse_key(&text, None).expect("the same key");
            assert_eq!(again.as_bytes(), key.as_bytes());
        }
    }
});

fn check(has_length: bool, parsed: Result<Key, InvalidKey>, expected: Option<[u8; 32]>) {
    match parsed {
        Ok(key) => assert_eq!(Some(*key.as_bytes()), expected),
        Err(error) => {
            assert_eq!(expected, None);
            assert_eq!(error == InvalidKey::Length, !has_length);
        }
    }
}

/// Numbers aside, refusals are a handful of sentences: nothing of what was read is in them.
fn check_refusal(refusal: &str) {
    let sentence: String = refusal.chars().filter(|c| !c.is_ascii_digit()).collect();
    let known = [
        "more than  bytes",
        " bytes of text: raw bytes, or a part of a key",
        " byte",
        " bytes",
        " bytes of UTF- text; save it as UTF-",
        "no text in  byte",
        "no text in  bytes",
        " byte that are not text",
        " bytes that are not text",
        " character",
        " characters",
        " character that are not base of  bytes",
        " character that are not hex of  bytes",
        " characters that are not hex of  bytes",
        " characters that are not base of  bytes",
    ];
    assert!(known.contains(&&*sentence), "{refusal}");
}

fn trim(bytes: &[u8]) -> &str {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    str::from_utf8(bytes.trim_ascii()).unwrap_or_default()
}

fn raw(bytes: &[u8]) -> Option<[u8; 32]> {
    bytes.try_into().ok()
}

fn hex(text: &str) -> Option<[u8; 32]> {
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    let bytes: Vec<u8> = digits?
        .chunks(2)
        .map(|two| two.iter().fold(0, |n, d| 16 * n + *d as u8))
        .collect();
    (text.len() == 64).then(|| bytes.try_into().ok())?
}

/// One of the two alphabets, all of it; the padding all there or not at all; no bit too many.
fn base64(text: &str) -> Option<[u8; 32]> {
    let digits = match text.len() {
        43 => text,
        44 => text.strip_suffix('=')?,
        _ => return None,
    };
    let decode = |last: &str| {
        let alphabet = ('A'..='Z')
            .chain('a'..='z')
            .chain('0'..='9')
            .chain(last.chars());
        let alphabet: Vec<char> = alphabet.collect();
        let mut bits = Vec::new();
        for digit in digits.chars() {
            let value = alphabet.iter().position(|c| *c == digit)?;
            bits.extend((0..6).rev().map(|bit| value >> bit & 1));
        }
        let (bytes, rest) = bits.split_at_checked(256)?;
        if rest.contains(&1) {
            return None;
        }
        let bytes: Vec<u8> = bytes
            .chunks(8)
            .map(|byte| byte.iter().fold(0, |n, bit| 2 * n + *bit as u8))
            .collect();
        bytes.try_into().ok()
    };
    decode("+/").or_else(|| decode("-_"))
}
