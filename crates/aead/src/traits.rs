//! `RustCrypto`'s AEAD traits (feature `aead`).

use crate::{Aad, ChaCha20Poly1305, Engine, XChaCha20Poly1305, keystream_fits};
use aead::{
    AeadCore, AeadInOut, KeyInit, KeySizeUser, Nonce, Tag, TagPosition,
    consts::{U12, U16, U24, U32},
};
use inout::InOutBuf;

macro_rules! traits {
    ($type:ident, $nonce_size:ty) => {
        impl<E> KeySizeUser for $type<E> {
            type KeySize = U32;
        }

        impl<E: Engine + Default> KeyInit for $type<E> {
            #[inline]
            fn new(key: &aead::Key<Self>) -> Self {
                $type::with_engine(E::default(), &key.0)
            }
        }

        impl<E> AeadCore for $type<E> {
            type NonceSize = $nonce_size;
            type TagSize = U16;
            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        /// A failed decryption leaves zeros in the output; the tag behind it, where there is one, is as
        /// before.
        impl<E: Engine> AeadInOut for $type<E> {
            fn encrypt_inout_detached(
                &self,
                nonce: &Nonce<Self>,
                aad: &[u8],
                buf: InOutBuf<'_, '_, u8>,
            ) -> aead::Result<Tag<Self>> {
                if !keystream_fits(1, buf.len()) {
                    return Err(aead::Error);
                }
                let tag = self.seal_inout_detached(&nonce.0, Aad::from(aad), buf);
                Ok(<[u8; 16]>::from(tag).into())
            }

            fn decrypt_inout_detached(
                &self,
                nonce: &Nonce<Self>,
                aad: &[u8],
                buf: InOutBuf<'_, '_, u8>,
                tag: &Tag<Self>,
            ) -> aead::Result<()> {
                self.open_inout_detached(&nonce.0, Aad::from(aad), buf, &tag.0.into())
                    .map_err(|_| aead::Error)
            }
        }
    };
}

traits!(ChaCha20Poly1305, U12);
traits!(XChaCha20Poly1305, U24);
