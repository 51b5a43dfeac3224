//! Several messages at once.

use crate::{Error, Iv, Siv, check_message_len};
use core::fmt;

#[cfg(not(feature = "small"))]
mod side_by_side;

/// A message for [`Siv::seal_many`].
pub struct Message<'a> {
    /// The nonce. Here too it may repeat; equal messages under equal nonces are seen to be equal.
    pub nonce: [u8; 12],
    /// Authenticated, not encrypted, not stored.
    pub ad: &'a [u8],
    /// The plaintext, where the ciphertext will be.
    pub buf: &'a mut [u8],
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("nonce", &self.nonce)
            .field("len", &self.buf.len())
            .finish_non_exhaustive()
    }
}

impl<const N: usize> Siv<N> {
    /// Encrypts several messages in place and writes their IVs to `ivs`: the same bytes as one by one,
    /// sooner.
    ///
    /// Four messages are hashed side by side, in the order in which they come. It pays if those four
    /// are of about the same length. (With the feature `small` they are sealed one by one.)
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] if one of them is; all are then as before.
    ///
    /// # Panics
    /// If there are not as many IVs as messages.
    pub fn seal_many(&self, messages: &mut [Message<'_>], ivs: &mut [Iv<N>]) -> Result<(), Error> {
        assert_eq!(messages.len(), ivs.len(), "messages and IVs");
        for message in &*messages {
            check_message_len(message.buf.len() as u64)?;
        }
        #[cfg(not(feature = "small"))]
        self.seal_in_lanes(messages, ivs);
        #[cfg(feature = "small")]
        for (message, iv) in messages.iter_mut().zip(ivs) {
            *iv = self.seal_in_place_detached(&message.nonce, message.ad, message.buf)?;
        }
        Ok(())
    }
}
