//! The fuzzer's bytes, taken as a script: what to do, in which sizes.

use std::mem;

/// Reads choices from the front. Behind the end everything is 0.
#[derive(Clone, Debug)]
pub struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Script(bytes)
    }

    pub fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        self.array::<1>()[0]
    }

    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut array = [0; N];
        let bytes = self.bytes(N);
        array[..bytes.len()].copy_from_slice(bytes);
        array
    }

    /// The next `len` bytes, or as many as there are.
    pub fn bytes(&mut self, len: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        bytes
    }

    pub fn rest(&mut self) -> &'a [u8] {
        mem::take(&mut self.0)
    }

    pub fn below(&mut self, n: usize) -> usize {
        match n {
            0 | 1 => 0,
            2..=256 => usize::from(self.byte()) % n,
            _ => u32::from_le_bytes(self.array()) as usize % n,
        }
    }

    pub fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Up to `max`, mostly where kernels and formats have their edges: small, about a multiple of 64,
    /// about a power of two, or any.
    pub fn size(&mut self, max: usize) -> usize {
        let choice = self.byte();
        let low = usize::from(choice & 63);
        let size = match choice >> 6 {
            0 => low,
            1 => (64 * usize::from(self.byte()) + low).saturating_sub(32),
            2 => (1_usize << self.below(18))
                .saturating_add(low)
                .saturating_sub(32),
            _ => usize::from(u16::from_le_bytes(self.array())) >> (low & 7),
        };
        size.min(max)
    }

    /// A block number: small, or about where a counter of 32 or 64 bits ends.
    pub fn block(&mut self) -> u64 {
        let choice = self.byte();
        let low = u64::from(choice & 63);
        match choice >> 6 {
            0 => low,
            1 => (1_u64 << 32).wrapping_add(low).wrapping_sub(32),
            2 => u64::MAX - low,
            _ => u64::from_le_bytes(self.array()),
        }
    }

    /// `len` bytes, none of them always 0, in a block of just that size.
    pub fn message(&mut self, len: usize) -> Box<[u8]> {
        let seed = self.byte();
        (0..len)
            .map(|i| {
                (i as u8)
                    .wrapping_mul(7)
                    .wrapping_add((i >> 8) as u8 ^ seed)
            })
            .collect()
    }
}
