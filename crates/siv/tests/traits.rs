//! `RustCrypto`'s traits: the same bytes, the IV as a tag behind the ciphertext.

use aead::{AeadCore, AeadInOut, Buffer, KeyInit, TagPosition, inout::InOutBuf};
use ss55_siv::{Siv128, Siv256};

const KEY: [u8; 32] = [0x77; 32];
const NONCE: [u8; 12] = [9; 12];
const AD: &[u8] = b"ad";

/// A buffer that grows.
struct Bytes(Vec<u8>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl AsMut<[u8]> for Bytes {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl Buffer for Bytes {
    fn extend_from_slice(&mut self, other: &[u8]) -> aead::Result<()> {
        self.0.extend_from_slice(other);
        Ok(())
    }
    fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }
}

macro_rules! agrees {
    ($name:ident, $type:ty) => {
        #[test]
        fn $name() {
            assert_eq!(<$type as AeadCore>::TAG_POSITION, TagPosition::Postfix);
            let siv = <$type>::new(&KEY);
            let by_trait = <$type as KeyInit>::new(&KEY.into());
            for len in [0, 1, 16, 64, 1000] {
                let message = vec![0xd3; len];
                let mut sealed = message.clone();
                let iv = siv
                    .seal_in_place_detached(&NONCE, AD, &mut sealed)
                    .expect("short");
                sealed.extend_from_slice(iv.as_bytes());

                let mut buf = Bytes(message.clone());
                by_trait
                    .encrypt_in_place(&NONCE.into(), AD, &mut buf)
                    .expect("short");
                assert_eq!(buf.0, sealed, "{len} bytes");
                by_trait
                    .decrypt_in_place(&NONCE.into(), AD, &mut buf)
                    .expect("authentic");
                assert_eq!(buf.0, message, "{len} bytes");

                let mut out = vec![0xee; len];
                let between = InOutBuf::new(&sealed[..len], &mut out).expect("one length");
                let tag = (*iv.as_bytes()).into();
                by_trait
                    .decrypt_inout_detached(&NONCE.into(), AD, between, &tag)
                    .expect("authentic");
                assert_eq!(out, message, "{len} bytes");

                *sealed.last_mut().expect("an IV") ^= 1;
                let refused = by_trait.decrypt_in_place(&NONCE.into(), AD, &mut Bytes(sealed));
                assert_eq!(refused, Err(aead::Error), "{len} bytes");
            }
        }
    };
}

macro_rules! refuses {
    ($name:ident, $type:ty, $iv_len:literal) => {
        /// Shorter than an IV, or a bare one of zeros: an error, not a panic.
        #[test]
        fn $name() {
            let siv = <$type>::new(&KEY);
            for len in 0..=$iv_len {
                let refused = siv.decrypt_in_place(&NONCE.into(), AD, &mut Bytes(vec![0; len]));
                assert_eq!(refused, Err(aead::Error), "{len} bytes");
            }
        }
    };
}

agrees!(agrees_128, Siv128);
agrees!(agrees_256, Siv256);
refuses!(refuses_short_128, Siv128, 16);
refuses!(refuses_short_256, Siv256, 32);
