//! Random Serpent keys and blocks, encrypted by two others: RustCrypto and Botan must agree on each.

use crate::{debian, hexadecimal, process};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use serpent::{
    Serpent,
    cipher::{BlockCipherEncrypt, KeyInit},
};
use sha2::{Digest, Sha512};
use std::{fmt::Write, fs, process::Command};

const NAME: &str = "serpent_corpus.json";
/// Of each key length.
const VECTORS: usize = 256;

/// Makes the corpus and compares it with the committed one; with `write`, writes it.
///
/// # Errors
/// If the two implementations disagree, or the committed file is another.
pub fn run(write: bool) -> Result<()> {
    debian::install(None, &["libbotan-2-19", "python3"])?;
    let mut vectors = Vec::new();
    for key_len in [16, 24, 32] {
        for n in 0..VECTORS {
            vectors.push(inputs(key_len, n));
        }
    }
    let rustcrypto = vectors.iter().map(|(key, blocks)| rustcrypto(key, blocks));
    let rustcrypto = rustcrypto.collect::<Result<Vec<_>>>()?;
    for ((key, _), (ours, theirs)) in vectors.iter().zip(rustcrypto.iter().zip(botan(&vectors)?)) {
        let key = hexadecimal(key);
        ensure!(*ours == theirs, "RustCrypto and Botan disagree: key {key}");
    }
    let vectors = vectors.iter().zip(&rustcrypto).map(|((key, blocks), out)| {
        json!({
            "key": hexadecimal(key),
            "plaintext": hexadecimal(blocks),
            "ciphertext": out,
        })
    });
    let vectors: Vec<Value> = vectors.collect();
    let file = json!({
        "source": "cargo xtask serpent-corpus: random keys and blocks; RustCrypto's serpent and Botan agree",
        "vectors": vectors,
    });
    let text = serde_json::to_string_pretty(&file)? + "\n";
    let path = crate::root().join("testdata").join(NAME);
    if write {
        fs::write(&path, &text)?;
    }
    let committed = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    ensure!(committed == text, "{} is another", path.display());
    println!(
        "serpent-corpus: {} vectors, of two implementations",
        vectors.len()
    );
    Ok(())
}

/// A key, and one to four blocks: SHA-512 of a name, as long as needed.
fn inputs(key_len: usize, n: usize) -> (Vec<u8>, Vec<u8>) {
    let bytes = |what: &str, len| Sha512::digest(format!("{what} {key_len} {n}"))[..len].to_vec();
    (bytes("key", key_len), bytes("blocks", 16 * (1 + n % 4)))
}

fn rustcrypto(key: &[u8], blocks: &[u8]) -> Result<String> {
    let cipher = Serpent::new_from_slice(key)
        .ok()
        .context("a key's length")?;
    let (blocks, _) = blocks.as_chunks::<16>();
    Ok(blocks.iter().fold(String::new(), |text, block| {
        let mut block = (*block).into();
        cipher.encrypt_block(&mut block);
        text + &hexadecimal(&block)
    }))
}

fn botan(vectors: &[(Vec<u8>, Vec<u8>)]) -> Result<Vec<String>> {
    let mut input = String::new();
    for (key, blocks) in vectors {
        writeln!(input, "{} {}", hexadecimal(key), hexadecimal(blocks))?;
    }
    let script = crate::root().join("testdata/oracle/botan_serpent.py");
    let printed = process::pipe(
        Command::new("python3").arg("-B").arg(script),
        input.as_bytes(),
    )?;
    let lines: Vec<String> = String::from_utf8(printed)?
        .lines()
        .map(String::from)
        .collect();
    ensure!(
        lines.len() == vectors.len(),
        "Botan answered {} times",
        lines.len()
    );
    Ok(lines)
}
