//! Block cipher vectors in Botan's format, such as `src/tests/data/block/serpent.vec` of its sources.
//!
//! Lines `Name = value`: a `Key`, an `In`, and an `Out`, at which the three are tried, by every backend
//! and both ways. A value may be several blocks; `Iterations = n` encrypts n times over. A key stands
//! until the next one, as does everything but `Iterations`. A header `[Serpent]` begins a part, `#` a remark.

use anyhow::{Context, Result, bail, ensure};
use ss55_serpent::{Backend, Serpent};
use std::{fs, path::Path};

/// Runs all vectors of a file.
///
/// # Errors
/// The first line that is not understood or does not hold.
pub fn run(path: &Path) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let count = check(&text)?;
    let backends: Vec<_> = Backend::available().map(|backend| backend.name()).collect();
    println!(
        "botan-vec: {}: {count} vectors, on {}",
        path.display(),
        backends.join(", ")
    );
    Ok(())
}

#[derive(Default)]
struct Vector {
    key: Vec<u8>,
    input: Vec<[u8; 16]>,
    iterations: usize,
}

/// How many vectors the text has, all of which hold.
fn check(text: &str) -> Result<usize> {
    let (mut vector, mut count) = (Vector::default(), 0);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let done = vector
            .line(line)
            .with_context(|| format!("line {number}: {line}"))?;
        count += usize::from(done);
    }
    ensure!(count > 0, "no vectors");
    Ok(count)
}

impl Vector {
    /// Takes a line; says whether it was the last of a vector.
    fn line(&mut self, line: &str) -> Result<bool> {
        if let Some(name) = line.strip_prefix('[') {
            ensure!(name == "Serpent]", "another cipher's");
            return Ok(false);
        }
        let (name, value) = line.split_once('=').context("no =")?;
        let value = value.trim();
        match name.trim() {
            "Key" => self.key = bytes(value)?,
            "In" => self.input = blocks(value)?,
            "Iterations" => self.iterations = value.parse()?,
            "Out" => {
                self.hold(&blocks(value)?)?;
                self.iterations = 0;
                return Ok(true);
            }
            other => bail!("unknown name {other}"),
        }
        Ok(false)
    }

    fn hold(&self, output: &[[u8; 16]]) -> Result<()> {
        ensure!(
            self.input.len() == output.len(),
            "In and Out differ in length"
        );
        for backend in Backend::available() {
            let name = backend.name();
            let cipher = Serpent::with_backend(backend, &self.key)?;
            let mut data = self.input.clone();
            for _ in 0..self.iterations.max(1) {
                cipher.encrypt_blocks(&mut data);
            }
            ensure!(data == output, "{name} encrypts to other bytes");
            for _ in 0..self.iterations.max(1) {
                cipher.decrypt_blocks(&mut data);
            }
            ensure!(data == self.input, "{name} decrypts to other bytes");
        }
        Ok(())
    }
}

fn blocks(text: &str) -> Result<Vec<[u8; 16]>> {
    let bytes = bytes(text)?;
    let (blocks, rest) = bytes.as_chunks();
    ensure!(rest.is_empty() && !blocks.is_empty(), "no whole blocks");
    Ok(blocks.to_vec())
}

fn bytes(text: &str) -> Result<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    ensure!(rest.is_empty(), "an odd number of digits");
    let digit = |digit: u8| char::from(digit).to_digit(16).context("not hexadecimal");
    let byte = |[high, low]: &[u8; 2]| Ok((digit(*high)? << 4 | digit(*low)?) as u8);
    pairs.iter().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "
# Keys of three lengths
[Serpent]
Key = 80000000000000000000000000000000
In = 00000000000000000000000000000000
Out = 264E5481EFF42A4606ABDA06C0BFDA3D

Key=8000000000000000000000000000000000000000000000000000000000000000 # a remark
Out=a223aa1288463c0e2be38ebd825616c0
In = 0000000000000000000000000000000000000000000000000000000000000000
Out = A223AA1288463C0E2BE38EBD825616C0A223AA1288463C0E2BE38EBD825616C0
";

    #[test]
    fn vectors_that_hold_are_counted() {
        assert_eq!(check(GOOD).unwrap(), 3);
        let cipher = Serpent::new(&[0; 16]).unwrap();
        let mut block = [0; 16];
        (0..3).for_each(|_| cipher.encrypt_block(&mut block));
        let zeros = "00".repeat(16);
        let out = crate::hexadecimal(&block);
        let text = format!("Key = {zeros}\nIn = {zeros}\nIterations = 3\nOut = {out}\n");
        assert_eq!(check(&text).unwrap(), 1);
    }

    #[test]
    fn a_line_that_does_not_hold_is_named() {
        for (old, new, message) in [
            ("0BFDA3D", "0BFDA3E", "line 6"),
            ("616c0\nIn", "616c1\nIn", "encrypts to other bytes"),
            ("[Serpent]", "[Twofish]", "another cipher's"),
            ("Key=80", "Key=", "16, 24 or 32"),
            ("Key = 8", "Nonce = 8", "unknown name"),
            ("In = 00", "In = ", "no whole blocks"),
            ("In = 00", "In = 0", "odd number"),
            ("In = 00", "In = 0x", "not hexadecimal"),
            ("In = ", "In ", "no ="),
            (
                "5616C0\n",
                "5616C0A223AA1288463C0E2BE38EBD825616C0\n",
                "differ in length",
            ),
        ] {
            let text = GOOD.replacen(old, new, 1);
            assert_ne!(text, GOOD, "{old}");
            let error = format!("{:#}", check(&text).unwrap_err());
            assert!(error.contains(message), "{old}: {error}");
        }
        assert!(check("# nothing\n").is_err());
    }
}
