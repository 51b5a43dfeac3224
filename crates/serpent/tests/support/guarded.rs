//! A buffer between canaries, at a chosen distance from a 64-byte boundary.

const CANARY: usize = 256;

pub struct Guarded {
    storage: Vec<u8>,
    start: usize,
    len: usize,
}

impl Guarded {
    /// A copy of `content` that starts `offset` bytes, 0 to 63, after a multiple of 64.
    pub fn new(content: &[u8], offset: usize) -> Self {
        let len = content.len();
        let mut storage: Vec<u8> = (0..len + 2 * CANARY + 128).map(canary).collect();
        let aligned = storage[CANARY..].as_ptr().align_offset(64);
        let start = CANARY + aligned + offset;
        storage[start..start + len].copy_from_slice(content);
        Guarded {
            storage,
            start,
            len,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.storage[self.start..self.start + self.len]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.start + self.len]
    }

    /// Whether no byte outside has changed.
    pub fn intact(&self) -> bool {
        let inside = self.start..self.start + self.len;
        let mut bytes = self.storage.iter().enumerate();
        bytes.all(|(i, &byte)| inside.contains(&i) || byte == canary(i))
    }
}

/// No period that a stray vector store could match.
fn canary(i: usize) -> u8 {
    let i = i as u64; // whose square fits, on machines of 32 bits too
    (i * i / 7 + 0xc5) as u8
}
