//! One stream sealed by several, which share nothing but the plan.

use super::{
    FINAL_FRAME_LEN, FRAME_OVERHEAD, HEADER_LEN, Header, MAX_FRAME_LEN, MAX_PLAINTEXT, Sealer,
    sealed_len,
};
use crate::Error;
use core::{num::NonZeroU64, ops::Range};
use ss55_aead::{Engine, Key};

/// A stream whose length is known before it is written, to be sealed in parts: by several threads or
/// machines, in any order, as the parts of a multipart upload for instance.
///
/// All its frames are full but the last message frame, as a plain writer makes them, so all parts
/// know their places. The parts, put together in their order, are the stream that one writer would
/// have made.
///
/// # One plan, one plaintext
/// To split the same plan again is how another machine comes to its part, and how a part that got
/// lost is made again. But a frame may be sealed again **only with identical bytes and ad**: with
/// others, two messages share keystream and MAC key, which gives both away and lets anybody forge.
/// Where the plaintext may have changed, take a fresh header and start over.
///
/// ```
/// use core::num::NonZeroU64;
/// use ss55_aead::{Key, SimdEngine};
/// use ss55_wire::v2::{Header, StreamPlan};
///
/// let key = Key::from_bytes([7; 32]);
/// let plaintext = vec![1; 200_000];
/// let plan = StreamPlan::new(Header::new([9; 24]), plaintext.len() as u64)?; // a random nonce
/// let mut sealed = vec![0; plan.sealed_len() as usize];
/// let two = NonZeroU64::new(2).unwrap();
/// for part in plan.split(SimdEngine::new(), &key, two) {
///     let from = part.plaintext().start as usize..part.plaintext().end as usize;
///     let to = part.sealed().start as usize..part.sealed().end as usize;
///     part.seal(b"", &plaintext[from], &mut sealed[to])?;
/// }
/// # Ok::<(), ss55_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct StreamPlan {
    header: Header,
    plaintext: u64,
    sealed: u64,
}

impl StreamPlan {
    /// A stream with this header, of this many bytes of plaintext.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] if the stream would have 2^64 bytes or more.
    pub fn new(header: Header, plaintext_len: u64) -> Result<Self, Error> {
        Ok(StreamPlan {
            header,
            plaintext: plaintext_len,
            sealed: sealed_len(plaintext_len).ok_or(Error::MessageTooLong)?,
        })
    }

    /// Bytes of the whole stream.
    pub fn sealed_len(&self) -> u64 {
        self.sealed
    }

    /// Parts of `frames` frames each. The last has what is left, and the end; the first has the header.
    pub fn split<E: Engine + Clone>(self, engine: E, key: &Key, frames: NonZeroU64) -> Parts<E> {
        Parts {
            sealer: Some(Sealer::new(engine, key, &self.header)),
            part: frames.get(),
            plan: self,
            next: 0,
        }
    }
}

/// The parts of a stream, in their order.
pub struct Parts<E> {
    /// Of all that is left; `None` behind the last part.
    sealer: Option<Sealer<E>>,
    plan: StreamPlan,
    /// Frames of a part.
    part: u64,
    /// Offset in the plaintext of the next one.
    next: u64,
}

impl<E: Engine + Clone> Iterator for Parts<E> {
    type Item = Part<E>;

    fn next(&mut self) -> Option<Part<E>> {
        let sealer = self.sealer.as_mut()?;
        let from = self.next;
        let most = self.part.saturating_mul(MAX_PLAINTEXT as u64);
        let is_last = self.plan.plaintext - from <= most;
        let sealer = if is_last {
            self.sealer.take()?
        } else {
            sealer.split_off(self.part).expect("fewer than 2^48 frames")
        };
        let to = if is_last {
            self.plan.plaintext
        } else {
            from + most
        };
        self.next = to;
        Some(Part {
            sealer,
            header: (from == 0).then(|| self.plan.header.clone()),
            is_last,
            sealed: if from == 0 { 0 } else { place(from) }..if is_last {
                self.plan.sealed
            } else {
                place(to)
            },
            plaintext: from..to,
        })
    }
}

/// Offset in the stream of the frame that begins at `plaintext`, a multiple of a full frame's.
fn place(plaintext: u64) -> u64 {
    HEADER_LEN as u64 + plaintext / MAX_PLAINTEXT as u64 * MAX_FRAME_LEN as u64
}

/// Some of the frames of a stream, to be sealed once.
#[must_use = "without all of its parts the stream is lost"]
pub struct Part<E> {
    sealer: Sealer<E>,
    /// Of the first part.
    header: Option<Header>,
    is_last: bool,
    plaintext: Range<u64>,
    sealed: Range<u64>,
}

impl<E: Engine> Part<E> {
    /// Where its plaintext lies in that of the stream.
    pub fn plaintext(&self) -> Range<u64> {
        self.plaintext.clone()
    }

    /// Where its bytes lie in the stream: header and end included, where it has them.
    pub fn sealed(&self) -> Range<u64> {
        self.sealed.clone()
    }

    /// Whether the end of the stream is in it.
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    /// Seals the part, with `ad` for each message frame.
    ///
    /// # Errors
    /// [`Error::BufferSize`] if the buffers have not the lengths of [`plaintext`](Self::plaintext) and
    /// [`sealed`](Self::sealed), [`Error::AdTooLong`]. The part is gone then; the plan can be split
    /// again.
    pub fn seal(mut self, ad: &[u8], plaintext: &[u8], sealed: &mut [u8]) -> Result<(), Error> {
        let is_long = |range: &Range<u64>, len: usize| range.end - range.start == len as u64;
        if !is_long(&self.plaintext, plaintext.len()) || !is_long(&self.sealed, sealed.len()) {
            return Err(Error::BufferSize);
        }
        let mut rest = sealed;
        if let Some(header) = &self.header {
            let start;
            (start, rest) = rest.split_at_mut(HEADER_LEN);
            start.copy_from_slice(&header.to_bytes());
        }
        for message in plaintext.chunks(MAX_PLAINTEXT) {
            let frame;
            (frame, rest) = rest.split_at_mut(message.len() + FRAME_OVERHEAD);
            self.sealer.seal_to(ad, message, frame)?;
        }
        if self.is_last {
            debug_assert_eq!(rest.len(), FINAL_FRAME_LEN);
            rest.copy_from_slice(&self.sealer.finish()?);
        }
        Ok(())
    }
}
