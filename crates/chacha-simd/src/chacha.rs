//! The nine ciphers: one type over its variant and number of rounds.

use crate::{
    Backend,
    hazmat::{BLOCK, State, hchacha},
};
use core::{fmt, marker::PhantomData};
use inout::InOutBuf;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// `ChaCha20`, 96-bit nonce (RFC 8439).
pub type ChaCha20 = ChaCha<Ietf, 20>;
/// `ChaCha12`, 96-bit nonce.
pub type ChaCha12 = ChaCha<Ietf, 12>;
/// `ChaCha8`, 96-bit nonce.
pub type ChaCha8 = ChaCha<Ietf, 8>;
/// `ChaCha20`, 64-bit nonce and 64-bit counter.
pub type ChaCha20Legacy = ChaCha<Legacy, 20>;
/// `ChaCha12`, 64-bit nonce and 64-bit counter.
pub type ChaCha12Legacy = ChaCha<Legacy, 12>;
/// `ChaCha8`, 64-bit nonce and 64-bit counter.
pub type ChaCha8Legacy = ChaCha<Legacy, 8>;
/// `XChaCha20`: 192-bit nonce, 64-bit counter.
pub type XChaCha20 = ChaCha<Extended, 20>;
/// `XChaCha12`: 192-bit nonce, 64-bit counter, subkey by `HChaCha12`.
pub type XChaCha12 = ChaCha<Extended, 12>;
/// `XChaCha8`: 192-bit nonce, 64-bit counter, subkey by `HChaCha8`.
pub type XChaCha8 = ChaCha<Extended, 8>;

/// How nonce and counter fill the last row of the state.
pub trait Variant: sealed::Sealed {
    /// The nonce, as bytes.
    type Nonce;
    /// Blocks in the keystream of one nonce.
    const BLOCKS: u128;

    #[doc(hidden)]
    fn state<const ROUNDS: usize>(key: &[u8; 32], nonce: &Self::Nonce) -> State;
    #[doc(hidden)]
    fn set_counter(state: &mut State, block: u64);
}

/// 96-bit nonce, 32-bit counter.
pub struct Ietf(());
/// 64-bit nonce, 64-bit counter.
pub struct Legacy(());
/// 192-bit nonce, 64-bit counter.
pub struct Extended(());

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Ietf {}
    impl Sealed for super::Legacy {}
    impl Sealed for super::Extended {}
}

impl Variant for Ietf {
    type Nonce = [u8; 12];
    const BLOCKS: u128 = 1 << 32;

    fn state<const ROUNDS: usize>(key: &[u8; 32], nonce: &[u8; 12]) -> State {
        State::ietf(key, nonce, 0)
    }
    fn set_counter(state: &mut State, block: u64) {
        state.set_counter32(block as u32);
    }
}

impl Variant for Legacy {
    type Nonce = [u8; 8];
    const BLOCKS: u128 = 1 << 64;

    fn state<const ROUNDS: usize>(key: &[u8; 32], nonce: &[u8; 8]) -> State {
        State::legacy(key, nonce, 0)
    }
    fn set_counter(state: &mut State, block: u64) {
        state.set_counter64(block);
    }
}

impl Variant for Extended {
    type Nonce = [u8; 24];
    const BLOCKS: u128 = 1 << 64;

    fn state<const ROUNDS: usize>(key: &[u8; 32], nonce: &[u8; 24]) -> State {
        let (input, nonce) = nonce.split_first_chunk().expect("24 >= 16");
        let mut subkey = hchacha::<ROUNDS>(key, input);
        let state = State::legacy(&subkey, nonce.try_into().expect("24 - 16 = 8"), 0);
        subkey.zeroize();
        state
    }
    fn set_counter(state: &mut State, block: u64) {
        state.set_counter64(block);
    }
}

/// The keystream of this key and nonce has no byte left for the request; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeystreamExhausted;

impl fmt::Display for KeystreamExhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("request reaches past the end of the keystream")
    }
}

impl core::error::Error for KeystreamExhausted {}

/// A `ChaCha` stream cipher: key, nonce and a position in the keystream.
///
/// Use it through the aliases ([`ChaCha20`], [`XChaCha20`], ...). The key and the buffered keystream
/// are wiped on drop.
pub struct ChaCha<V: Variant, const ROUNDS: usize> {
    state: State,
    /// The block that holds `position`, if `position` is inside it and not at its start.
    partial: [u8; BLOCK],
    /// Next keystream byte, 0 ..= 64 * `V::BLOCKS`.
    position: u128,
    backend: Backend,
    variant: PhantomData<fn() -> V>,
}

impl<V: Variant, const ROUNDS: usize> ChaCha<V, ROUNDS> {
    /// Bytes of keystream per key and nonce.
    pub const KEYSTREAM_LEN: u128 = V::BLOCKS * BLOCK as u128;

    /// A cipher at position 0, on the fastest backend of this machine.
    #[inline]
    pub fn new(key: &[u8; 32], nonce: &V::Nonce) -> Self {
        Self::with_backend(Backend::detect(), key, nonce)
    }

    /// A cipher at position 0, on a given backend.
    pub fn with_backend(backend: Backend, key: &[u8; 32], nonce: &V::Nonce) -> Self {
        ChaCha {
            state: V::state::<ROUNDS>(key, nonce),
            partial: [0; BLOCK],
            position: 0,
            backend,
            variant: PhantomData,
        }
    }

    /// XORs keystream onto `buf` and moves past it.
    ///
    /// # Errors
    /// [`KeystreamExhausted`] if fewer than `buf.len()` bytes are left; `buf` and the position are
    /// then as before.
    #[inline]
    pub fn apply_keystream(&mut self, buf: &mut [u8]) -> Result<(), KeystreamExhausted> {
        self.apply_keystream_inout(buf.into())
    }

    /// XORs keystream onto `input`, writes the result to `output` and moves past it.
    ///
    /// # Errors
    /// [`KeystreamExhausted`] if fewer than `input.len()` bytes are left; `output` and the position
    /// are then as before.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[inline]
    pub fn apply_keystream_to(
        &mut self,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), KeystreamExhausted> {
        self.apply_keystream_inout(InOutBuf::new(input, output).expect("lengths differ"))
    }

    /// One call's worth of keystream from block `block` on, without keeping a cipher.
    ///
    /// # Errors
    /// [`KeystreamExhausted`] as for [`apply_keystream`](Self::apply_keystream).
    pub fn xor(
        key: &[u8; 32],
        nonce: &V::Nonce,
        block: u64,
        buf: &mut [u8],
    ) -> Result<(), KeystreamExhausted> {
        let mut cipher = Self::new(key, nonce);
        cipher.seek_block(block)?;
        cipher.apply_keystream(buf)
    }

    /// As [`apply_keystream`](Self::apply_keystream), for a buffer that may be one or two.
    ///
    /// # Errors
    /// [`KeystreamExhausted`] likewise.
    pub fn apply_keystream_inout(
        &mut self,
        mut buf: InOutBuf<'_, '_, u8>,
    ) -> Result<(), KeystreamExhausted> {
        let len = buf.len();
        if len as u128 > Self::KEYSTREAM_LEN - self.position {
            return Err(KeystreamExhausted);
        }
        let offset = self.offset();
        if offset != 0 {
            let take = len.min(BLOCK - offset);
            let (mut head, rest) = buf.split_at(take);
            head.xor_in2out(&self.partial[offset..offset + take]);
            self.position += take as u128;
            buf = rest;
        }
        if !buf.is_empty() {
            V::set_counter(&mut self.state, (self.position / BLOCK as u128) as u64);
            self.position += buf.len() as u128;
            self.backend
                .xor::<ROUNDS>(&self.state, buf, &mut self.partial);
        }
        Ok(())
    }

    /// Moves to keystream byte `byte`, counted from 0. The end itself is a position: nothing can be
    /// read there.
    ///
    /// # Errors
    /// [`KeystreamExhausted`] if `byte` lies past the end; the position is then as before.
    pub fn seek(&mut self, byte: u128) -> Result<(), KeystreamExhausted> {
        if byte > Self::KEYSTREAM_LEN {
            return Err(KeystreamExhausted);
        }
        self.position = byte;
        if self.offset() != 0 {
            V::set_counter(&mut self.state, (byte / BLOCK as u128) as u64);
            // One byte is enough to be given the whole block.
            self.backend
                .xor::<ROUNDS>(&self.state, (&mut [0][..]).into(), &mut self.partial);
        }
        Ok(())
    }

    /// Moves to the start of block `block`: sets the counter.
    ///
    /// # Errors
    /// [`KeystreamExhausted`] if the counter has no such value.
    #[inline]
    pub fn seek_block(&mut self, block: u64) -> Result<(), KeystreamExhausted> {
        self.seek(u128::from(block) * BLOCK as u128)
    }

    /// The next keystream byte to be used, counted from 0.
    #[inline]
    pub fn position(&self) -> u128 {
        self.position
    }

    /// The backend that this cipher runs on.
    #[inline]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    #[inline]
    fn offset(&self) -> usize {
        (self.position % BLOCK as u128) as usize
    }
}

impl<V: Variant, const ROUNDS: usize> Clone for ChaCha<V, ROUNDS> {
    fn clone(&self) -> Self {
        ChaCha {
            state: self.state.clone(),
            partial: self.partial,
            position: self.position,
            backend: self.backend,
            variant: PhantomData,
        }
    }
}

impl<V: Variant, const ROUNDS: usize> Drop for ChaCha<V, ROUNDS> {
    fn drop(&mut self) {
        self.partial.zeroize(); // `state` wipes itself
    }
}

impl<V: Variant, const ROUNDS: usize> ZeroizeOnDrop for ChaCha<V, ROUNDS> {}

impl<V: Variant, const ROUNDS: usize> fmt::Debug for ChaCha<V, ROUNDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChaCha")
            .field("rounds", &ROUNDS)
            .field("position", &self.position)
            .field("backend", &self.backend.name())
            .finish_non_exhaustive()
    }
}
