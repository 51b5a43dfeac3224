use core::fmt;

/// The tag does not belong to this key, nonce, aad and ciphertext. It never says which is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthenticationError;

impl fmt::Display for AuthenticationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("authentication failed")
    }
}

impl core::error::Error for AuthenticationError {}

/// The text or the bytes are not a key of 32 bytes. It never says what they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidKey {
    /// The key has another length than 32 bytes.
    Length,
    /// A character of another alphabet, or padding where none belongs.
    Encoding,
}

impl fmt::Display for InvalidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvalidKey::Length => "a key has 32 bytes: 64 hex digits, or 43 of base64",
            InvalidKey::Encoding => "not a key's text: a character of another alphabet",
        })
    }
}

impl core::error::Error for InvalidKey {}
