//! The nine ciphers in one table, so that a test names none of them.

use ss55_chacha_simd::{
    Backend, ChaCha, ChaCha8, ChaCha8Legacy, ChaCha12, ChaCha12Legacy, ChaCha20, ChaCha20Legacy,
    KeystreamExhausted, Variant, XChaCha8, XChaCha12, XChaCha20,
};
use std::{fmt::Debug, marker::PhantomData};

pub const KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut i = 0;
    while i < 32 {
        key[i] = i as u8;
        i += 1;
    }
    key
};

/// The byte pattern of the shared vectors, `len` bytes of it. None of its runs is zero.
pub fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

/// A cipher whatever its type.
pub trait Stream: Debug {
    fn apply(&mut self, buf: &mut [u8]) -> Result<(), KeystreamExhausted>;
    fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), KeystreamExhausted>;
    fn seek(&mut self, byte: u128) -> Result<(), KeystreamExhausted>;
    fn seek_block(&mut self, block: u64) -> Result<(), KeystreamExhausted>;
    fn position(&self) -> u128;
    fn backend(&self) -> Backend;
    fn boxed_clone(&self) -> Box<dyn Stream>;
}

impl<V: Variant + 'static, const ROUNDS: usize> Stream for ChaCha<V, ROUNDS> {
    fn apply(&mut self, buf: &mut [u8]) -> Result<(), KeystreamExhausted> {
        self.apply_keystream(buf)
    }
    fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), KeystreamExhausted> {
        self.apply_keystream_to(input, output)
    }
    fn seek(&mut self, byte: u128) -> Result<(), KeystreamExhausted> {
        self.seek(byte)
    }
    fn seek_block(&mut self, block: u64) -> Result<(), KeystreamExhausted> {
        self.seek_block(block)
    }
    fn position(&self) -> u128 {
        self.position()
    }
    fn backend(&self) -> Backend {
        self.backend()
    }
    fn boxed_clone(&self) -> Box<dyn Stream> {
        Box::new(self.clone())
    }
}

type WithBackend = fn(Backend, &[u8; 32], &[u8]) -> Box<dyn Stream>;
type OneShot = fn(&[u8; 32], &[u8], u64, &mut [u8]) -> Result<(), KeystreamExhausted>;

/// What a test needs to know of a cipher.
pub struct Cipher {
    pub name: &'static str,
    pub rounds: usize,
    pub nonce_len: usize,
    /// Bytes of keystream.
    pub keystream_len: u128,
    pub with_backend: WithBackend,
    /// On the machine's fastest backend.
    pub xor: OneShot,
}

impl Cipher {
    const fn of<V, const ROUNDS: usize>(name: &'static str) -> Cipher
    where
        V: Variant + 'static,
        V::Nonce: for<'a> TryFrom<&'a [u8], Error: Debug>,
    {
        Cipher {
            name,
            rounds: ROUNDS,
            nonce_len: size_of::<V::Nonce>(),
            keystream_len: ChaCha::<V, ROUNDS>::KEYSTREAM_LEN,
            with_backend: |backend, key, nonce| {
                let nonce = nonce.try_into().expect("the variant's length");
                Box::new(ChaCha::<V, ROUNDS>::with_backend(backend, key, &nonce))
            },
            xor: |key, nonce, block, buf| {
                let nonce = nonce.try_into().expect("the variant's length");
                ChaCha::<V, ROUNDS>::xor(key, &nonce, block, buf)
            },
        }
    }

    /// A nonce of this cipher's length: 0, 1, 2, ...
    pub fn nonce(&self) -> &'static [u8] {
        &KEY[..self.nonce_len]
    }

    /// Under [`KEY`] and [`nonce`](Self::nonce).
    pub fn on(&self, backend: Backend) -> Box<dyn Stream> {
        (self.with_backend)(backend, &KEY, self.nonce())
    }

    /// As [`on`](Self::on), at the start of a block.
    pub fn at(&self, backend: Backend, block: u64) -> Box<dyn Stream> {
        let mut cipher = self.on(backend);
        cipher.seek_block(block).expect("within the keystream");
        cipher
    }
}

/// A macro, because it is the aliases' own parameters that are to be tested.
macro_rules! table {
    ($($name:ident),*) => { &[$(row!($name)),*] };
}
macro_rules! row {
    ($name:ident) => {{
        const fn row<V, const ROUNDS: usize>(_: PhantomData<fn() -> ChaCha<V, ROUNDS>>) -> Cipher
        where
            V: Variant + 'static,
            V::Nonce: for<'a> TryFrom<&'a [u8], Error: Debug>,
        {
            Cipher::of::<V, ROUNDS>(stringify!($name))
        }
        row(PhantomData::<fn() -> $name>)
    }};
}

pub static CIPHERS: &[Cipher] = table![
    ChaCha20,
    ChaCha12,
    ChaCha8,
    ChaCha20Legacy,
    ChaCha12Legacy,
    ChaCha8Legacy,
    XChaCha20,
    XChaCha12,
    XChaCha8
];

/// The cipher of these rounds whose nonce has this length.
pub fn cipher(rounds: usize, nonce_len: usize) -> &'static Cipher {
    CIPHERS
        .iter()
        .find(|c| c.rounds == rounds && c.nonce_len == nonce_len)
        .expect("one of the nine")
}
