//! Pseudorandom bytes from a number, faster than a pipe takes them.

use anyhow::Result;
use ss55_chacha_simd::ChaCha8Legacy;
use ss55_poly1305::Poly1305;
use std::io::{self, Write};

/// Fits the second-level cache.
const BLOCK: usize = 256 << 10;
const ENDLESS: &str = "2^70 bytes are more than anybody waits for";

pub struct Source {
    cipher: ChaCha8Legacy,
    block: Vec<u8>,
}

impl Source {
    pub fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_be_bytes());
        Source {
            cipher: ChaCha8Legacy::new(&key, b"the soak"),
            block: vec![0; BLOCK],
        }
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.cipher.apply_keystream(&mut bytes).expect(ENDLESS);
        bytes
    }

    /// A new one each time.
    pub fn key(&mut self) -> [u8; 32] {
        self.bytes()
    }

    /// A number below `end`, near enough to evenly.
    pub fn below(&mut self, end: u64) -> u64 {
        u64::from_be_bytes(self.bytes()) % end
    }

    /// Writes `len` bytes, in pieces whose lengths and ends have nothing in common with those of frames,
    /// with a call of `between` after some. Gives their hash, and the writer back.
    pub fn send<W: Write>(
        &mut self,
        mut to: W,
        len: u64,
        key: &[u8; 32],
        between: impl Fn(&mut W) -> io::Result<()>,
    ) -> Result<([u8; 16], W)> {
        let mut hash = Poly1305::new(key);
        let mut left = len;
        while left > 0 {
            let n = left.min(BLOCK as u64) as usize;
            // Over what was there: the sum of two keystreams is as good as one.
            self.cipher
                .apply_keystream(&mut self.block[..n])
                .expect(ENDLESS);
            hash.update(&self.block[..n]);
            let mut rest = 0;
            while rest < n {
                let piece = self.piece().min(n - rest);
                to.write_all(&self.block[rest..rest + piece])?;
                rest += piece;
                if self.below(4) == 0 {
                    between(&mut to)?;
                }
            }
            left -= n as u64;
        }
        Ok((*hash.finalize().as_bytes(), to))
    }

    /// Mostly long, as a call a byte would make this the bottleneck; now and then short.
    fn piece(&mut self) -> usize {
        let longest = match self.below(8) {
            0 => 32,
            1 => 8 << 10,
            2 => 70_000,
            _ => BLOCK as u64,
        };
        1 + self.below(longest) as usize
    }
}
