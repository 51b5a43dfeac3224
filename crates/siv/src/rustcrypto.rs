//! `RustCrypto`'s traits.

use crate::{Iv, Siv128, Siv256};
use aead::{
    AeadCore, AeadInOut, KeyInit, KeySizeUser, Nonce, Tag, TagPosition,
    consts::{U12, U16, U32},
};
use inout::InOutBuf;

macro_rules! traits {
    ($type:ty, $tag_size:ty) => {
        impl KeySizeUser for $type {
            type KeySize = U32;
        }

        impl KeyInit for $type {
            fn new(key: &aead::Key<Self>) -> Self {
                <$type>::new(&key.0)
            }
        }

        impl AeadCore for $type {
            type NonceSize = U12;
            type TagSize = $tag_size;
            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        impl AeadInOut for $type {
            fn encrypt_inout_detached(
                &self,
                nonce: &Nonce<Self>,
                ad: &[u8],
                buf: InOutBuf<'_, '_, u8>,
            ) -> aead::Result<Tag<Self>> {
                let iv = self.seal_inout_detached(&nonce.0, ad, buf);
                iv.map(|iv| Tag::<Self>::from(*iv.as_bytes()))
                    .map_err(|_| aead::Error)
            }

            fn decrypt_inout_detached(
                &self,
                nonce: &Nonce<Self>,
                ad: &[u8],
                buf: InOutBuf<'_, '_, u8>,
                tag: &Tag<Self>,
            ) -> aead::Result<()> {
                self.open_inout_detached(&nonce.0, ad, buf, &Iv::from(tag.0))
                    .map_err(|_| aead::Error)
            }
        }
    };
}

traits!(Siv128, U16);
traits!(Siv256, U32);
