//! The two AEADs as objects: a key and an engine.

use crate::{Aad, AuthenticationError, Engine, Key, SimdEngine, Tag};
use core::fmt;
use inout::InOutBuf;
use zeroize::Zeroizing;

/// ChaCha20-Poly1305 with a 96-bit nonce (RFC 8439, 2.8). The key is wiped on drop.
///
/// A nonce must never repeat under one key: use a counter.
#[derive(Clone)]
pub struct ChaCha20Poly1305<E = SimdEngine> {
    key: Key,
    engine: E,
}

/// XChaCha20-Poly1305 with a 192-bit nonce (draft-irtf-cfrg-xchacha-03). The key is wiped on drop.
///
/// The nonce is long enough to be random.
#[derive(Clone)]
pub struct XChaCha20Poly1305<E = SimdEngine> {
    key: Key,
    engine: E,
}

/// The methods of both, which differ in the nonce and in what is derived from it.
macro_rules! methods {
    ($type:ident, $nonce_len:literal, |$self:ident, $nonce:ident| $derive:expr) => {
        impl $type {
            /// The AEAD under `key`, on the fastest engine of this machine.
            #[inline]
            pub fn new(key: &[u8; 32]) -> Self {
                Self::with_engine(SimdEngine::new(), key)
            }
        }

        impl<E: Engine> $type<E> {
            /// The AEAD under `key`, on a given engine.
            #[inline]
            pub fn with_engine(engine: E, key: &[u8; 32]) -> Self {
                $type { key: Key::from_bytes(*key), engine }
            }

            /// The engine that does the work.
            #[inline]
            pub fn engine(&self) -> &E {
                &self.engine
            }

            /// Encrypts `buf` in place and returns its tag.
            ///
            /// # Panics
            /// If the message is longer than [`MAX_MESSAGE_LEN`](crate::MAX_MESSAGE_LEN).
            #[inline]
            pub fn seal_in_place_detached(
                &$self,
                $nonce: &[u8; $nonce_len],
                aad: Aad<'_>,
                buf: &mut [u8],
            ) -> Tag {
                let (key, nonce) = $derive;
                $self.engine.seal_in_place(&key, &nonce, aad, buf)
            }

            /// Checks `tag` and decrypts `buf` in place.
            ///
            /// # Errors
            /// [`AuthenticationError`]; `buf` is then all zeros.
            #[inline]
            pub fn open_in_place_detached(
                &$self,
                $nonce: &[u8; $nonce_len],
                aad: Aad<'_>,
                buf: &mut [u8],
                tag: &Tag,
            ) -> Result<(), AuthenticationError> {
                let (key, nonce) = $derive;
                $self.engine.open_in_place(&key, &nonce, aad, buf, tag)
            }

            /// As [`seal_in_place_detached`](Self::seal_in_place_detached), for a buffer that may be one
            /// or two.
            ///
            /// # Panics
            /// If the message is longer than [`MAX_MESSAGE_LEN`](crate::MAX_MESSAGE_LEN).
            #[inline]
            pub fn seal_inout_detached(
                &$self,
                $nonce: &[u8; $nonce_len],
                aad: Aad<'_>,
                buf: InOutBuf<'_, '_, u8>,
            ) -> Tag {
                let (key, nonce) = $derive;
                $self.engine.seal(&key, &nonce, aad, buf)
            }

            /// As [`open_in_place_detached`](Self::open_in_place_detached), for a buffer that may be one
            /// or two.
            ///
            /// # Errors
            /// [`AuthenticationError`]; the output is then all zeros.
            #[inline]
            pub fn open_inout_detached(
                &$self,
                $nonce: &[u8; $nonce_len],
                aad: Aad<'_>,
                buf: InOutBuf<'_, '_, u8>,
                tag: &Tag,
            ) -> Result<(), AuthenticationError> {
                let (key, nonce) = $derive;
                $self.engine.open(&key, &nonce, aad, buf, tag)
            }

            /// Encrypts `plaintext` to `ciphertext` and returns the tag.
            ///
            /// # Panics
            /// If the slices differ in length, or the message is longer than
            /// [`MAX_MESSAGE_LEN`](crate::MAX_MESSAGE_LEN).
            #[inline]
            pub fn seal_to(
                &$self,
                $nonce: &[u8; $nonce_len],
                aad: Aad<'_>,
                plaintext: &[u8],
                ciphertext: &mut [u8],
            ) -> Tag {
                let (key, nonce) = $derive;
                $self.engine.seal_to(&key, &nonce, aad, plaintext, ciphertext)
            }

            /// Checks `tag` and decrypts `ciphertext` to `plaintext`.
            ///
            /// # Errors
            /// [`AuthenticationError`]; `plaintext` is then all zeros.
            ///
            /// # Panics
            /// If the slices differ in length.
            #[inline]
            pub fn open_to(
                &$self,
                $nonce: &[u8; $nonce_len],
                aad: Aad<'_>,
                ciphertext: &[u8],
                plaintext: &mut [u8],
                tag: &Tag,
            ) -> Result<(), AuthenticationError> {
                let (key, nonce) = $derive;
                $self.engine.open_to(&key, &nonce, aad, ciphertext, plaintext, tag)
            }
        }

        impl<E: Engine> fmt::Debug for $type<E> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type))
                    .field("engine", &self.engine.name())
                    .finish_non_exhaustive()
            }
        }
    };
}

methods!(ChaCha20Poly1305, 12, |self, nonce| (
    self.key.as_bytes(),
    nonce
));
methods!(XChaCha20Poly1305, 24, |self, nonce| extend(
    &self.engine,
    &self.key,
    nonce
));

/// The subkey and the RFC 8439 nonce of an extended nonce: 4 zero bytes, then its last 8.
fn extend<E: Engine>(engine: &E, key: &Key, nonce: &[u8; 24]) -> (Zeroizing<[u8; 32]>, [u8; 12]) {
    let (input, rest) = nonce.split_first_chunk().expect("24 >= 16");
    let subkey = Zeroizing::new(engine.hchacha20(key.as_bytes(), input));
    let mut short = [0; 12];
    short[4..].copy_from_slice(rest);
    (subkey, short)
}
