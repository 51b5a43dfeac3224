use core::fmt;

/// Why a message was not sealed, or not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The IV does not belong to this key, nonce, ad and ciphertext. It never says which is wrong.
    Authentication,
    /// The message is longer than [`MAX_MESSAGE_LEN`](crate::MAX_MESSAGE_LEN). Nothing was done.
    MessageTooLong,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::Authentication => "authentication failed",
            Error::MessageTooLong => "message longer than 2^38 bytes",
        })
    }
}

impl core::error::Error for Error {}
