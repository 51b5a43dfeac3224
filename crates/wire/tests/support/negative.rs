//! The streams of testdata/negative: most of them wrong, each in one way, and what their oracle says
//! of each.
#![allow(dead_code)] // each test file takes what it needs

use serde::Deserialize;
use sha2::{Digest, Sha256};
use ss55_wire::Error;

#[derive(Deserialize)]
pub struct Vector {
    pub name: String,
    key: String,
    /// Of all message frames, hexadecimal.
    #[serde(default)]
    ad: String,
    /// Of the reader. The other formats have none.
    #[serde(default)]
    pub chunk_size: usize,
    /// What a reader may be told to accept: each has the same outcome.
    pub accept: Vec<String>,
    /// And so has a reader that finds the format out.
    pub auto: bool,
    stream: Vec<Part>,
    error: Option<String>,
    value: Option<u32>,
    /// Bytes that come out before the end or the error, and their hash.
    plaintext: usize,
    sha256: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Zeros(usize),
    Hex(String),
}

impl Vector {
    pub fn key(&self) -> [u8; 32] {
        hex::decode(&self.key).unwrap().try_into().unwrap()
    }

    pub fn ad(&self) -> Vec<u8> {
        hex::decode(&self.ad).unwrap()
    }

    pub fn accepts(&self, format: &str) -> bool {
        self.accept.iter().any(|accepted| accepted == format)
    }

    pub fn stream(&self) -> Vec<u8> {
        let parts = self.stream.iter().map(|part| match part {
            Part::Zeros(len) => vec![0; *len],
            Part::Hex(bytes) => hex::decode(bytes).unwrap(),
        });
        parts.collect::<Vec<_>>().concat()
    }

    pub fn end(&self) -> Result<(), Error> {
        let Some(error) = &self.error else {
            return Ok(());
        };
        Err(match (&error[..], self.value) {
            ("Authentication", None) => Error::Authentication,
            ("Truncated", None) => Error::Truncated,
            ("TrailingData", None) => Error::TrailingData,
            ("BadMagic", None) => Error::BadMagic,
            ("UnsupportedVersion", Some(v)) => Error::UnsupportedVersion(v.try_into().unwrap()),
            ("UnsupportedFlags", Some(flags)) => Error::UnsupportedFlags(flags.try_into().unwrap()),
            ("BadLength", Some(length)) => Error::BadLength(length),
            ("UnknownTag", Some(tag)) => Error::UnknownTag(tag.try_into().unwrap()),
            (error, value) => panic!("{}: {error} {value:?}", self.name),
        })
    }

    /// That exactly this came out.
    #[track_caller]
    pub fn assert_released(&self, plaintext: &[u8], how: &str) {
        assert_eq!(plaintext.len(), self.plaintext, "{}, {how}", self.name);
        let sha256 = hex::encode(Sha256::digest(plaintext));
        assert_eq!(sha256, self.sha256, "{}, {how}", self.name);
    }
}

#[derive(Deserialize)]
struct File {
    vectors: Vec<Vector>,
}

/// A file with as many vectors as it had when these tests were written: a test over none passes.
fn vectors(json: &str, count: usize) -> Vec<Vector> {
    let file: File = serde_json::from_str(json).unwrap();
    assert!(file.vectors.len() >= count, "{}", file.vectors.len());
    file.vectors
}

pub fn v2() -> Vec<Vector> {
    let json = include_str!("../../../../testdata/negative/v2.json");
    vectors(json, 454)
}

pub fn v1() -> Vec<Vector> {
    let json = include_str!("../../../../testdata/negative/v1.json");
    vectors(json, 128)
}

pub fn secretstream() -> Vec<Vector> {
    let json = include_str!("../../../../testdata/negative/secretstream.json");
    vectors(json, 140)
}
