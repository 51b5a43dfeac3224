//! The secret from which every stream starts.

use crate::InvalidKey;
use base64ct::{Base64Unpadded, Base64UrlUnpadded, Encoding};
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// 32 secret bytes. Wiped on drop; neither `Debug` nor any error shows them.
#[derive(Clone)]
pub struct Key([u8; Key::LEN]);

impl Key {
    /// Bytes in a key.
    pub const LEN: usize = 32;

    /// A key of these bytes. The caller's copy is the caller's to wipe.
    #[inline]
    pub const fn from_bytes(bytes: [u8; Key::LEN]) -> Self {
        Key(bytes)
    }

    /// A key of 64 hexadecimal digits, upper or lower case, in constant time for a given length.
    ///
    /// # Errors
    /// [`InvalidKey::Length`] for another number of digits, [`InvalidKey::Encoding`] for another
    /// character.
    pub fn from_hex(text: &str) -> Result<Self, InvalidKey> {
        if text.len() != 2 * Key::LEN {
            return Err(InvalidKey::Length);
        }
        let mut key = Key([0; Key::LEN]);
        base16ct::mixed::decode(text, &mut key.0).map_err(|_| InvalidKey::Encoding)?;
        Ok(key)
    }

    /// A key of 43 base64 characters, or 44 with the padding, in the standard or the URL alphabet, in
    /// constant time for a given length and alphabet.
    ///
    /// # Errors
    /// [`InvalidKey::Length`] for another number of characters, [`InvalidKey::Encoding`] for another
    /// character or a last one with bits that decode to nothing.
    pub fn from_base64(text: &str) -> Result<Self, InvalidKey> {
        // The padding is taken off here: where the decoder looks for it, all of its lengths depend on
        // what it finds.
        let digits = match text.len() {
            43 => text,
            44 => text.strip_suffix('=').ok_or(InvalidKey::Encoding)?,
            _ => return Err(InvalidKey::Length),
        };
        let mut key = Key([0; Key::LEN]);
        for decode in [Base64Unpadded::decode, Base64UrlUnpadded::decode] {
            match decode(digits, &mut key.0) {
                Ok(bytes) if bytes.len() == Key::LEN => return Ok(key),
                _ => {}
            }
        }
        Err(InvalidKey::Encoding)
    }

    /// A fresh key from the operating system's random source.
    ///
    /// # Errors
    /// Whatever that source reports; on the usual platforms it does not fail once the machine is up.
    #[cfg(feature = "getrandom")]
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut key = Key([0; Key::LEN]);
        getrandom::fill(&mut key.0)?;
        Ok(key)
    }

    /// The secret bytes.
    #[inline]
    pub const fn as_bytes(&self) -> &[u8; Key::LEN] {
        &self.0
    }
}

impl From<[u8; Key::LEN]> for Key {
    #[inline]
    fn from(bytes: [u8; Key::LEN]) -> Self {
        Key(bytes)
    }
}

impl TryFrom<&[u8]> for Key {
    type Error = InvalidKey;

    fn try_from(bytes: &[u8]) -> Result<Self, InvalidKey> {
        bytes.try_into().map(Key).map_err(|_| InvalidKey::Length)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl ZeroizeOnDrop for Key {}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}
