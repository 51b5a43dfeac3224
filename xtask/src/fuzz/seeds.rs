//! The inputs that fuzzing begins with: the vectors of testdata/, and scripts that reach every branch of the
//! targets. `fuzz/src/script.rs` says how a script is read.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use ss55_aead::{Key, SimdEngine};
use ss55_wire::secretstream::{OVERHEAD, layout};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Target and name, and the bytes.
type Seeds = BTreeMap<PathBuf, Vec<u8>>;

/// Writes the seeds into `corpus`, and removes what is there and none of them.
pub fn write(corpus: &Path) -> Result<()> {
    let seeds = all()?;
    for path in committed(corpus)?.keys() {
        if !seeds.contains_key(path) {
            fs::remove_file(corpus.join(path))?;
        }
    }
    for (path, bytes) in &seeds {
        let path = corpus.join(path);
        fs::create_dir_all(path.parent().context("a target's folder")?)?;
        fs::write(&path, bytes).with_context(|| format!("{}", path.display()))?;
    }
    let sum: usize = seeds.values().map(Vec::len).sum();
    println!("fuzz: {} seeds, {sum} bytes", seeds.len());
    Ok(())
}

/// # Errors
/// If `corpus` is not what [`write`](fn@write) would make of it.
pub fn check(corpus: &Path) -> Result<()> {
    ensure!(
        committed(corpus)? == all()?,
        "fuzz/corpus is not as `cargo xtask fuzz --seeds` writes it"
    );
    Ok(())
}

fn committed(corpus: &Path) -> Result<Seeds> {
    let mut seeds = Seeds::new();
    for folder in fs::read_dir(corpus).with_context(|| format!("{}", corpus.display()))? {
        let folder = folder?;
        for file in fs::read_dir(folder.path())? {
            let file = file?;
            let name = Path::new(&folder.file_name()).join(file.file_name());
            seeds.insert(name, fs::read(file.path())?);
        }
    }
    Ok(seeds)
}

fn all() -> Result<Seeds> {
    let mut seeds = Seeds::new();
    let mut add = |target: &str, name: String, bytes: Vec<u8>| {
        seeds.insert(Path::new(target).join(name), bytes);
    };
    let key = wires(&mut add)?;
    damage(&mut add);
    keys(&mut add, &key);
    kernels(&mut add)?;
    serpent(&mut add);
    siv(&mut add);
    Ok(seeds)
}

fn testdata(name: &str) -> Result<Value> {
    let path = crate::root().join("testdata").join(name);
    let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

fn list<'a>(file: &'a Value, name: &str) -> Result<&'a Vec<Value>> {
    file[name].as_array().with_context(|| format!("no {name}"))
}

fn hex(value: &Value) -> Result<Vec<u8>> {
    let text = value.as_str().context("no hexadecimal text")?;
    (0..text.len())
        .step_by(2)
        .map(|at| {
            let digits = text.get(at..at + 2).context("half a byte")?;
            Ok(u8::from_str_radix(digits, 16)?)
        })
        .collect()
}

/// Whole streams, as they are. Gives their key.
fn wires(add: &mut impl FnMut(&str, String, Vec<u8>)) -> Result<[u8; 32]> {
    let mut key = None;
    // Eight bytes of manner of reading go before a stream.
    let raw = |choice: u8, bytes: &[u8]| [&[choice], &[0; 8][..], bytes].concat();
    for (file, format) in [("v2.json", "v2"), ("v1.json", "v1")] {
        for (n, vector) in list(&testdata(file)?, "vectors")?.iter().enumerate() {
            key = Some(hex(&vector["key"])?);
            if vector["wire"].is_null() {
                continue; // too long to be written out
            }
            let wire = hex(&vector["wire"])?;
            add(
                &format!("decrypt_{format}"),
                format!("vector-{n}"),
                raw(0, &wire),
            );
            for target in ["formats", "inspect"] {
                let bytes = [&[3], &wire[..]].concat();
                add(target, format!("vector-{format}-{n}"), bytes);
            }
            if format == "v2" {
                add("wire_v2", format!("vector-{n}"), wire);
            }
        }
    }
    let key: [u8; 32] = key
        .and_then(|key| key.try_into().ok())
        .context("a key of 32 bytes")?;
    for len in [0, 1, 100] {
        let header = [0x31; 24];
        let secret = Key::from_bytes(key);
        let mut sealer = layout::Sealer::new(SimdEngine::new(), &secret, &header, 8192);
        let mut last = vec![7; len + OVERHEAD];
        sealer.finish_in_place(&mut last)?;
        let wire = [&header[..], &last].concat();
        add("decrypt_libsodium", format!("whole-{len}"), raw(0, &wire));
        for target in ["formats", "inspect"] {
            add(
                target,
                format!("whole-libsodium-{len}"),
                [&[3], &wire[..]].concat(),
            );
        }
    }
    Ok(key)
}

/// Two frames, and each kind of damage to the second.
fn damage(add: &mut impl FnMut(&str, String, Vec<u8>)) {
    let nonce = [0x42; 24];
    // Engine, ad of two bytes, two frames of 5 and 33 bytes.
    let frames = [0, 2, b'a', b'd', 2, 5, 1, 33, 2];
    // Engine, chunks of 16 bytes; behind the header 40 bytes.
    let chunks = [0, 16];
    for op in 0..10 {
        for (times, name) in [(0, "whole"), (1, "damaged")] {
            if times == 0 && op > 0 {
                continue;
            }
            let mut tail = vec![times, 1, op];
            tail.extend([0x0b, 4, 0, 0, 0, 0, 0]);
            let ss55 = |start: u8| [&[start], &frames[..], &nonce, &tail].concat();
            let libsodium = |start: u8| [&[start], &chunks[..], &nonce, &[40, 9], &tail].concat();
            add("decrypt_v2", format!("{name}-{op}"), ss55(1));
            add("decrypt_v1", format!("{name}-{op}"), ss55(1));
            add("decrypt_libsodium", format!("{name}-{op}"), libsodium(1));
            for target in ["formats", "inspect"] {
                add(target, format!("v2-{name}-{op}"), ss55(0));
                add(target, format!("v1-{name}-{op}"), ss55(1));
                add(target, format!("libsodium-{name}-{op}"), libsodium(2));
            }
        }
    }
    // Full chunks of 10 bytes with a tag each, then a short one.
    for (n, tags) in [[0, 0, 3], [0, 2, 3], [1, 3, 0], [3, 3, 3]]
        .iter()
        .enumerate()
    {
        let mut script = [&[2, 0], &nonce[..], &[10, 3]].concat();
        script.extend([tags[0], 1, tags[1], 2, 0x80 | tags[2], 4, 3]);
        add("decrypt_libsodium", format!("tags-{n}"), script);
    }
}

fn keys(add: &mut impl FnMut(&str, String, Vec<u8>), key: &[u8; 32]) {
    let hex = crate::hexadecimal(key);
    // What the two encodings of the key are, by another program.
    let (base64, url) = (
        "pa6zhImS5+j9xsvcISo/ABUeY3R5QldYrba7jJGa7/A=",
        "pa6zhImS5-j9xsvcISo_ABUeY3R5QldYrba7jJGa7_A",
    );
    let texts = [
        hex.clone(),
        hex.to_uppercase(),
        format!("{hex}\n"),
        format!("\u{feff}{hex}\r\n"),
        hex[..63].to_owned(),
        format!("{hex}0"),
        hex[..32].to_owned(),
        base64.to_owned(),
        base64.trim_end_matches('=').to_owned(),
        url.to_owned(),
        format!("  {url}=\n"),
        format!("{}B=", &base64[..42]),
        String::new(),
    ];
    for (n, text) in texts.into_iter().enumerate() {
        add("keys", format!("text-{n}"), text.into_bytes());
    }
    add("keys", "raw".into(), key.to_vec());
    add("keys", "utf-16".into(), b"\xff\xfea\x005\x00".to_vec());
}

fn kernels(add: &mut impl FnMut(&str, String, Vec<u8>)) -> Result<()> {
    for (n, vector) in list(&testdata("aead.json")?, "vectors")?.iter().enumerate() {
        let len = vector["plaintext_len"].as_u64().context("a length")? as u16;
        let (key, nonce) = (hex(&vector["key"])?, hex(&vector["nonce12"])?);
        for choice in 0..4 {
            // Prefix of 21 bytes, ad of 3, a message of that length, a bit of the ciphertext.
            let mut script = [&[choice], &key[..], &nonce, &[21, 1, 3, 2, 0xc0]].concat();
            script.extend(len.to_le_bytes());
            script.extend([3, 9, 0, 0, 1, 0, 0, 0, 7, 40]);
            add("engines", format!("aead-{n}-{choice}"), script);
        }
    }
    for (n, vector) in list(&testdata("chacha.json")?, "vectors")?
        .iter()
        .enumerate()
    {
        let (key, nonce) = (hex(&vector["key"])?, hex(&vector["nonce"])?);
        let choice = match (vector["rounds"].as_u64(), nonce.len()) {
            (Some(20), 12) => 0,
            (Some(20), 8) => 2,
            (Some(20), _) => 4,
            (Some(12), 12) => 6,
            (Some(12), 8) => 7,
            (Some(12), _) => 8,
            (_, 12) => 9,
            (_, 8) => 10,
            _ => 11,
        };
        let mut script = [&[choice], &key[..], &nonce, &[0, 1, 0xc0]].concat();
        if let Some(block) = vector["block"].as_u64() {
            script.extend(block.to_le_bytes());
        }
        script.extend([0, 0x41, 4, 7, 0, 33, 5]);
        add("chacha", format!("vector-{n}"), script);
    }
    for (n, vector) in list(&testdata("rfc8439.json")?, "poly1305")?
        .iter()
        .enumerate()
    {
        let (key, message) = (hex(&vector["key"])?, hex(&vector["message"])?);
        let script = [&[9], &key[..], &[3, 16, 17, 1], &message].concat();
        add("poly1305", format!("rfc8439-{n}"), script);
    }
    for choice in [0, 1, 5] {
        let script = [&[choice], &[0xff; 32][..], &[1, 2, 3, 4, 60], &[0xff; 32]].concat();
        add("poly1305", format!("ones-{choice}"), script);
    }
    let header = [0x42; 24];
    for (n, choice) in [16, 0, 8].into_iter().enumerate() {
        let mut script = [&header[..], &[0, 1]].concat();
        for tag in [0, 2, 1, 3] {
            // Ad of 3, message of 20 bytes.
            script.extend([choice, 3, 20, 1, 2, tag, 5, 6]);
        }
        add("secretstream", format!("tags-{n}"), script);
    }
    Ok(())
}

/// Both ways of having blocks for each length of key; units of whole blocks and of others, and too many.
fn serpent(add: &mut impl FnMut(&str, String, Vec<u8>)) {
    let keys: [u8; 64] = std::array::from_fn(|i| (i * 73 + 11) as u8);
    for choice in 0..3 {
        let key = &[&[0], &keys[..32], &[choice]].concat();
        let raw = [key, &[0][..], &[0x5a; 16 * 5]].concat();
        add("serpent", format!("raw-{choice}"), raw);
        for (n, [low, high]) in [[0xa6, 6], [0x94, 11]].into_iter().enumerate() {
            let long = [key, &[1, low, high, 3][..]].concat();
            add("serpent", format!("long-{choice}-{n}"), long);
        }
    }
    // The number of the first unit, how much a unit has beyond 16 bytes, and how many more units there are.
    for (n, tail) in [
        [7, 0, 0, 9],
        [7, 1, 0, 9],
        [7, 15, 3, 9],
        [7, 32, 39, 9],
        [0x45, 33, 5, 9],
        [0x80, 0, 0, 9],
        [0x81, 17, 1, 9],
        [0x81, 17, 2, 9],
    ]
    .iter()
    .enumerate()
    {
        add(
            "serpent",
            format!("xts-{n}"),
            [&[1], &keys[..], tail].concat(),
        );
    }
}

/// About the edges of a hash's block, and of the steps in which messages are opened.
fn siv(add: &mut impl FnMut(&str, String, Vec<u8>)) {
    let (key, nonce) = ([0x5a; 32], [9; 12]);
    for choice in 0..2 {
        for (n, sizes) in [
            [0, 1, 0, 1].as_slice(),
            &[5, 1, 33, 1],
            &[52, 1, 63, 1],
            &[13, 2, 0xa0, 13, 3],
            &[13, 2, 0xa1, 14, 3],
        ]
        .iter()
        .enumerate()
        {
            let flip = [40, 0, 0, 0];
            let script = [&[choice], &key[..], &nonce, sizes, &flip].concat();
            add("siv", format!("size-{choice}-{n}"), script);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_committed_is_what_is_made() {
        check(&super::super::corpus()).unwrap();
    }

    #[test]
    fn another_file_is_noticed_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        check(folder.path()).unwrap();
        let other = folder.path().join("keys/other");
        fs::write(&other, "x").unwrap();
        assert!(check(folder.path()).is_err());
        write(folder.path()).unwrap();
        assert!(!other.exists());
        check(folder.path()).unwrap();
    }
}
