//! The construction: keys, sealing, opening.

use crate::{
    Error, Iv,
    blake2s::{BLOCK, Chain, DIGEST, Hasher},
    bytes::Bytes,
};
use core::fmt;
use inout::InOutBuf;
use ss55_chacha_simd::{Backend, hazmat::State};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// Bytes in the longest message: the keystream of one subkey, 2^32 blocks.
pub const MAX_MESSAGE_LEN: u64 = 1 << 38;

/// Bytes that are decrypted before they are hashed: little enough to be in the first-level cache still,
/// enough for the widest kernels. Whole blocks, so that a chunk begins with one.
const CHUNK: usize = 8192;

/// Whether a message of `len` bytes can be sealed.
///
/// # Errors
/// [`Error::MessageTooLong`] above [`MAX_MESSAGE_LEN`].
pub const fn check_message_len(len: u64) -> Result<(), Error> {
    if len > MAX_MESSAGE_LEN {
        return Err(Error::MessageTooLong);
    }
    Ok(())
}

/// ChaCha20-BLAKE2s-SIV with an IV of 128 bits.
pub type Siv128 = Siv<16>;
/// ChaCha20-BLAKE2s-SIV with an IV of 256 bits.
pub type Siv256 = Siv<32>;

/// ChaCha20-BLAKE2s-SIV with an IV of `N` bytes, 16 or 32. Use it through [`Siv128`] and [`Siv256`].
///
/// The two keys that are derived from the given one are wiped on drop.
#[derive(Clone)]
pub struct Siv<const N: usize> {
    /// What the block of each key leaves: a hash under the key starts from there.
    mac: Chain,
    enc: Chain,
    backend: Backend,
}

impl<const N: usize> Siv<N> {
    /// Bytes in an IV.
    pub const IV_LEN: usize = N;

    /// The AEAD under `key`, on the fastest backend of this machine.
    #[inline]
    pub fn new(key: &[u8; 32]) -> Self {
        Self::with_backend(Backend::detect(), key)
    }

    /// The AEAD under `key`, on a given backend for ChaCha20.
    pub fn with_backend(backend: Backend, key: &[u8; 32]) -> Self {
        const { assert!(N == 16 || N == 32, "an IV has 16 or 32 bytes") };
        let master = Chain::keyed(key, DIGEST);
        let derive = |label: &[u8; 7]| {
            let mut block = [0; BLOCK];
            block[..7].copy_from_slice(label);
            Zeroizing::new(Bytes(master.clone().finish(&block, 7)))
        };
        // First both keys, then both chains: what does not wait for each other overlaps.
        let (mac_key, enc_key) = (derive(b"kdf/mac"), derive(b"kdf/enc"));
        Siv {
            mac: Chain::keyed(&mac_key.0, N),
            enc: Chain::keyed(&enc_key.0, DIGEST),
            backend,
        }
    }

    /// The backend that ChaCha20 runs on.
    #[inline]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Encrypts `buf` in place and returns its IV.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`]; `buf` is then as before.
    pub fn seal_in_place_detached(
        &self,
        nonce: &[u8; 12],
        ad: &[u8],
        buf: &mut [u8],
    ) -> Result<Iv<N>, Error> {
        self.seal_inout_detached(nonce, ad, buf.into())
    }

    /// Decrypts `buf` in place and checks `iv`.
    ///
    /// # Errors
    /// [`Error::Authentication`]; `buf` is then all zeros. [`Error::MessageTooLong`]; `buf` is then as
    /// before.
    pub fn open_in_place_detached(
        &self,
        nonce: &[u8; 12],
        ad: &[u8],
        buf: &mut [u8],
        iv: &Iv<N>,
    ) -> Result<(), Error> {
        self.open_inout_detached(nonce, ad, buf.into(), iv)
    }

    /// Encrypts `plaintext` to `ciphertext` and returns the IV.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`]; `ciphertext` is then as before.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn seal_to(
        &self,
        nonce: &[u8; 12],
        ad: &[u8],
        plaintext: &[u8],
        ciphertext: &mut [u8],
    ) -> Result<Iv<N>, Error> {
        let buf = InOutBuf::new(plaintext, ciphertext).expect("lengths differ");
        self.seal_inout_detached(nonce, ad, buf)
    }

    /// Decrypts `ciphertext` to `plaintext` and checks `iv`.
    ///
    /// # Errors
    /// [`Error::Authentication`]; `plaintext` is then all zeros. [`Error::MessageTooLong`]; `plaintext`
    /// is then as before.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn open_to(
        &self,
        nonce: &[u8; 12],
        ad: &[u8],
        ciphertext: &[u8],
        plaintext: &mut [u8],
        iv: &Iv<N>,
    ) -> Result<(), Error> {
        let buf = InOutBuf::new(ciphertext, plaintext).expect("lengths differ");
        self.open_inout_detached(nonce, ad, buf, iv)
    }

    /// As [`seal_in_place_detached`](Self::seal_in_place_detached), for a buffer that may be one or two.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] likewise.
    pub fn seal_inout_detached(
        &self,
        nonce: &[u8; 12],
        ad: &[u8],
        buf: InOutBuf<'_, '_, u8>,
    ) -> Result<Iv<N>, Error> {
        check_message_len(buf.len() as u64)?;
        let mut hasher = self.hasher(ad, buf.len());
        hasher.update(buf.get_in());
        hasher.update(ad);
        let iv = Iv::from(hasher.finish(nonce));
        self.xor(&self.state(nonce, &iv), buf);
        Ok(iv)
    }

    /// As [`open_in_place_detached`](Self::open_in_place_detached), for a buffer that may be one or two.
    ///
    /// # Errors
    /// [`Error::Authentication`] and [`Error::MessageTooLong`] likewise.
    pub fn open_inout_detached(
        &self,
        nonce: &[u8; 12],
        ad: &[u8],
        mut buf: InOutBuf<'_, '_, u8>,
        iv: &Iv<N>,
    ) -> Result<(), Error> {
        check_message_len(buf.len() as u64)?;
        let mut state = self.state(nonce, iv);
        let mut hasher = self.hasher(ad, buf.len());
        let mut rest = buf.reborrow();
        let mut block = 0;
        while !rest.is_empty() {
            let take = rest.len().min(CHUNK);
            let (mut chunk, behind) = rest.split_at(take);
            state.set_counter32(block);
            self.xor(&state, chunk.reborrow());
            hasher.update(chunk.get_out());
            // Not past 2^32: the length was checked, and there it may wrap unused.
            block = block.wrapping_add((CHUNK / BLOCK) as u32);
            rest = behind;
        }
        hasher.update(ad);
        if Iv::from(hasher.finish(nonce)) == *iv {
            return Ok(());
        }
        buf.get_out().zeroize();
        Err(Error::Authentication)
    }

    /// The hash of the lengths, with which that of a message begins.
    fn hasher(&self, ad: &[u8], message_len: usize) -> Hasher {
        let mut hasher = Hasher::new(self.mac.clone());
        hasher.update(&lengths(message_len, ad.len()));
        hasher
    }

    /// ChaCha20 under the subkey of this nonce and IV, at block 0.
    fn state(&self, nonce: &[u8; 12], iv: &Iv<N>) -> State {
        const LABEL: &[u8; 7] = b"kdf/sub";
        let used = 12 + N + LABEL.len(); // 51 at most
        let mut block = [0; BLOCK];
        block[..12].copy_from_slice(nonce);
        block[12..12 + N].copy_from_slice(iv.as_bytes());
        block[12 + N..used].copy_from_slice(LABEL);
        let subkey = Zeroizing::new(Bytes(self.enc.clone().finish(&block, used)));
        State::ietf(&subkey.0, nonce, 0)
    }

    fn xor(&self, state: &State, buf: InOutBuf<'_, '_, u8>) {
        let mut unused = Zeroizing::new(Bytes::default());
        self.backend.xor::<20>(state, buf, &mut unused.0);
    }
}

/// The lengths of message and ad, as they are hashed: they part what follows without a seam.
fn lengths(message: usize, ad: usize) -> [u8; 16] {
    let mut lengths = [0; 16];
    lengths[..8].copy_from_slice(&(message as u64).to_le_bytes());
    lengths[8..].copy_from_slice(&(ad as u64).to_le_bytes());
    lengths
}

impl<const N: usize> ZeroizeOnDrop for Siv<N> {}

impl<const N: usize> fmt::Debug for Siv<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Siv")
            .field("iv_len", &N)
            .field("backend", &self.backend.name())
            .finish_non_exhaustive()
    }
}
