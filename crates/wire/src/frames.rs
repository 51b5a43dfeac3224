//! What the frames of v1 and v2 have in common: a subkey, a sequence number, and an error that
//! stays.

use crate::Error;
use ss55_aead::{Aad, Engine, InOutBuf, Key, Tag};
use zeroize::Zeroizing;

/// Bytes of a frame's mac.
pub(crate) const MAC_LEN: usize = Tag::LEN;

/// The state of one direction of one stream. The subkey is wiped on drop.
#[derive(Clone)]
pub(crate) struct Frames<E> {
    engine: E,
    subkey: Key,
    /// Number of the next frame.
    seq: u64,
    /// Number of the first frame that is not this state's: [`u64::MAX`] for a whole stream.
    limit: u64,
    /// Set once and for all by the first failure, or by the final frame.
    stopped: Option<Error>,
}

impl<E: Engine> Frames<E> {
    /// Both formats key their frames with `HChaCha20(key, nonce[0..16])`.
    pub(crate) fn new(engine: E, key: &Key, nonce: &[u8; 24]) -> Self {
        let input = nonce.first_chunk().expect("24 >= 16");
        Frames {
            subkey: Key::from_bytes(*Zeroizing::new(engine.hchacha20(key.as_bytes(), input))),
            engine,
            seq: 0,
            limit: u64::MAX,
            stopped: None,
        }
    }

    /// Takes the next `frames` numbers out of this state, for another that has no others.
    pub(crate) fn split_off(&mut self, frames: u64) -> Result<Self, Error>
    where
        E: Clone,
    {
        self.check()?;
        let end = self.after(frames)?;
        let part = Frames {
            limit: end,
            ..self.clone()
        };
        self.seq = end;
        Ok(part)
    }

    /// The same, `frames` numbers further on.
    pub(crate) fn ahead(&self, frames: u64) -> Result<Self, Error>
    where
        E: Clone,
    {
        self.check()?;
        Ok(Frames {
            seq: self.after(frames)?,
            ..self.clone()
        })
    }

    /// The number of the frame that comes `frames` later.
    fn after(&self, frames: u64) -> Result<u64, Error> {
        match self.seq.checked_add(frames) {
            Some(seq) if seq <= self.limit => Ok(seq),
            _ => Err(self.exhausted()),
        }
    }

    fn exhausted(&self) -> Error {
        if self.is_part() {
            Error::OutsidePart
        } else {
            Error::SequenceOverflow
        }
    }

    /// Whether somebody else has the end of the stream.
    pub(crate) fn is_part(&self) -> bool {
        self.limit != u64::MAX
    }

    /// The number of the next frame.
    ///
    /// # Errors
    /// What stopped the stream, or that its numbers are used up: the limit is never given out.
    pub(crate) fn next(&mut self) -> Result<u64, Error> {
        if self.stopped.is_none() && self.seq == self.limit {
            self.stopped = Some(self.exhausted());
        }
        self.check()?;
        Ok(self.seq)
    }

    /// # Errors
    /// What stopped the stream.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.stopped.map_or(Ok(()), Err)
    }

    /// From now on every call fails with `error`: none needs the subkey.
    pub(crate) fn stop(&mut self, error: Error) -> Error {
        self.subkey = Key::from_bytes([0; Key::LEN]); // the old one is wiped where it was
        *self.stopped.get_or_insert(error)
    }

    /// Frames sealed or opened so far.
    pub(crate) fn count(&self) -> u64 {
        self.seq
    }

    pub(crate) fn seal(
        &mut self,
        nonce: &[u8; 12],
        aad: Aad<'_>,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        self.seq += 1;
        self.engine.seal(self.subkey.as_bytes(), nonce, aad, buf)
    }

    pub(crate) fn open(
        &mut self,
        nonce: &[u8; 12],
        aad: Aad<'_>,
        buf: InOutBuf<'_, '_, u8>,
        mac: &[u8; MAC_LEN],
    ) -> Result<(), Error> {
        let opened = self
            .engine
            .open(self.subkey.as_bytes(), nonce, aad, buf, &Tag::from(*mac));
        match opened {
            Ok(()) => {
                self.seq += 1;
                Ok(())
            }
            Err(error) => Err(self.stop(error.into())),
        }
    }

    #[cfg(test)]
    pub(crate) fn set_seq(&mut self, seq: u64) {
        self.seq = seq;
    }
}

/// Reads a length field, if all four bytes are there, and checks it before anything is done with it.
pub(crate) fn length(input: &[u8], min: u32, max: u32) -> Result<Option<u32>, Error> {
    let Some(bytes) = input.first_chunk() else {
        return Ok(None);
    };
    let length = u32::from_be_bytes(*bytes);
    if (min..=max).contains(&length) {
        Ok(Some(length))
    } else {
        Err(Error::BadLength(length))
    }
}

/// Splits a payload into ciphertext and mac.
pub(crate) fn split_mac(payload: &[u8]) -> Result<(&[u8], &[u8; MAC_LEN]), Error> {
    payload.split_last_chunk().ok_or(Error::BufferSize)
}

/// One buffer to read and one to write, of one size.
pub(crate) fn pair<'i, 'o>(
    input: &'i [u8],
    output: &'o mut [u8],
) -> Result<InOutBuf<'i, 'o, u8>, Error> {
    InOutBuf::new(input, output).map_err(|_| Error::BufferSize)
}

/// Leaves no bytes of another frame where this one was to go. A wrong size changes nothing.
pub(crate) fn or_zeros(opened: Result<(), Error>, plaintext: &mut [u8]) -> Result<(), Error> {
    if opened.is_err_and(|error| error != Error::BufferSize) {
        plaintext.fill(0);
    }
    opened
}
