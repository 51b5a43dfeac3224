//! SS55 streams over [`AsyncRead`] and [`AsyncWrite`].
//!
//! The state is that of the types over `Read` and `Write`, which can stop before any byte of the inner
//! side and go on there: not a line of it is here twice. So nothing is lost when a future is dropped
//! half way, but what `write_frame` says of itself.
//!
//! ```
//! use ss55_stream::{Key, tokio::{Decryptor, Encryptor}};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let key = Key::from_bytes([7; 32]);
//! let mut encryptor = Encryptor::new(Vec::new(), &key);
//! encryptor.write_all(b"attack at dawn").await?;
//! encryptor.shutdown().await?; // without it the stream is truncated
//!
//! let mut plaintext = String::new();
//! let mut decryptor = Decryptor::new(&encryptor.inner()[..], &key);
//! decryptor.read_to_string(&mut plaintext).await?;
//! assert_eq!(plaintext, "attack at dawn");
//! # Ok::<(), std::io::Error>(())
//! # }).unwrap();
//! ```
//!
//! A frame is sealed or opened on the thread that polls, in some ten microseconds.

mod codec;

pub use codec::{End, FrameDecoder, FrameEncoder};

use crate::{
    Engine, Error, Format, Key, SimdEngine,
    decryptor::Ss55,
    encryptor::V2,
    inbound::{Inbound, Open},
    outbound::Outbound,
};
use std::{
    fmt,
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};

/// Writes an SS55 v2 stream to an inner writer: an [`Encryptor`](crate::Encryptor) that never blocks.
///
/// [`poll_shutdown`](AsyncWrite::poll_shutdown) writes the final frame and shuts the inner writer down;
/// a stream without it is truncated for its reader. [`poll_flush`](AsyncWrite::poll_flush) makes a
/// frame of what is there.
#[must_use = "a stream that is not shut down is truncated"]
pub struct Encryptor<W, E = SimdEngine> {
    pub(crate) out: Outbound<V2<E>>,
    pub(crate) inner: W,
}

/// Reads an SS55 stream from an inner reader: a [`Decryptor`](crate::Decryptor) that never blocks.
pub struct Decryptor<R, E = SimdEngine> {
    pub(crate) input: Inbound<Ss55<E>>,
    pub(crate) inner: R,
}

impl<W> Encryptor<W> {
    /// A stream to `inner` under `key`. What else can be chosen is chosen by
    /// [`EncryptorBuilder::build_tokio`](crate::EncryptorBuilder::build_tokio).
    pub fn new(inner: W, key: &Key) -> Self {
        crate::Encryptor::builder().build_tokio(inner, key)
    }
}

impl<R> Decryptor<R> {
    /// A stream from `inner` under `key`, v2 or v1. What else can be chosen is chosen by
    /// [`DecryptorBuilder::build_tokio`](crate::DecryptorBuilder::build_tokio).
    pub fn new(inner: R, key: &Key) -> Self {
        crate::Decryptor::builder().build_tokio(inner, key)
    }
}

impl<W: AsyncWrite + Unpin, E: Engine> Encryptor<W, E> {
    /// Writes `data` as frames of their own with `ad`, as
    /// [`Encryptor::write_frame`](crate::Encryptor::write_frame). If the future is dropped before it is
    /// done, a part of the frames may be written: call again with the same arguments to write the rest,
    /// and nothing twice. Until then all but a flush is refused.
    ///
    /// # Errors
    /// As there.
    pub async fn write_frame(&mut self, data: &[u8], ad: &[u8]) -> Result<(), Error> {
        let Encryptor { out, inner } = self;
        poll_fn(|cx| polling(inner, cx, |inner| out.frames(inner, data, ad))).await
    }
}

impl<W, E> Encryptor<W, E> {
    /// The inner writer.
    pub fn inner(&self) -> &W {
        &self.inner
    }

    /// The inner writer. Writing to it breaks the stream.
    pub fn inner_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Gives the inner writer back. Without a shutdown before, the stream is truncated.
    pub fn into_inner(self) -> W {
        self.inner
    }
}

impl<R: AsyncRead + Unpin, E: Engine> Decryptor<R, E> {
    /// Reads the next frame's plaintext, as [`Decryptor::read_frame`](crate::Decryptor::read_frame). If
    /// the future is dropped before it is done, nothing is lost.
    ///
    /// # Errors
    /// As there.
    pub async fn read_frame(&mut self, frame: &mut Vec<u8>, ad: &[u8]) -> Result<bool, Error> {
        let Decryptor { input, inner } = self;
        poll_fn(|cx| polling(inner, cx, |inner| input.read_frame(inner, frame, ad))).await
    }
}

impl<R, E: Engine> Decryptor<R, E> {
    /// The stream's format, once its first bytes have been read.
    pub fn format(&self) -> Option<Format> {
        self.input.format().name()
    }

    /// Whether the final frame has been opened. Never with v1, which has none.
    pub fn end_is_authenticated(&self) -> bool {
        self.input.format().is_finished()
    }

    /// Offset in the input of the frame that comes next, or of the one that failed.
    pub fn frame_offset(&self) -> u64 {
        self.input.offset()
    }

    /// The inner reader.
    pub fn inner(&self) -> &R {
        &self.inner
    }

    /// Gives the inner reader back. It may have been read past the current frame.
    pub fn into_inner(self) -> R {
        self.inner
    }
}

impl<W: AsyncWrite + Unpin, E: Engine + Unpin> AsyncWrite for Encryptor<W, E> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Encryptor { out, inner } = self.get_mut();
        polling(inner, cx, |inner| out.write(inner, data)).map_err(Into::into)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Encryptor { out, inner } = self.get_mut();
        polling(inner, cx, |inner| out.flush(inner, true)).map_err(Into::into)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Encryptor { out, inner } = self.get_mut();
        match polling(inner, cx, |inner| out.close(inner)) {
            Poll::Ready(Ok(())) => Pin::new(inner).poll_shutdown(cx),
            poll => poll.map_err(Into::into),
        }
    }
}

impl<R: AsyncRead + Unpin, E: Engine + Unpin> AsyncRead for Decryptor<R, E> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Decryptor { input, inner } = self.get_mut();
        let room = out.initialize_unfilled();
        match polling(inner, cx, |inner| input.read(inner, room)) {
            Poll::Ready(Ok(n)) => {
                out.advance(n);
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<R: AsyncRead + Unpin, E: Engine + Unpin> AsyncBufRead for Decryptor<R, E> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let Decryptor { input, inner } = self.get_mut();
        polling(inner, cx, |inner| input.fill_buf(inner)).map_err(Into::into)
    }

    fn consume(self: Pin<&mut Self>, n: usize) {
        self.get_mut().input.consume(n);
    }
}

/// An inner side that says `WouldBlock` where it is pending, having kept the task's waker.
struct Polled<'a, 'c, T> {
    inner: &'a mut T,
    cx: &'a mut Context<'c>,
    pending: bool,
}

impl<T> Polled<'_, '_, T> {
    fn ready<U>(&mut self, poll: Poll<io::Result<U>>) -> io::Result<U> {
        match poll {
            Poll::Ready(result) => result,
            Poll::Pending => {
                self.pending = true;
                Err(io::ErrorKind::WouldBlock.into())
            }
        }
    }
}

impl<R: AsyncRead + Unpin> io::Read for Polled<'_, '_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut out = ReadBuf::new(out);
        let poll = Pin::new(&mut *self.inner).poll_read(self.cx, &mut out);
        self.ready(poll)?;
        Ok(out.filled().len())
    }
}

impl<W: AsyncWrite + Unpin> io::Write for Polled<'_, '_, W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let poll = Pin::new(&mut *self.inner).poll_write(self.cx, data);
        self.ready(poll)
    }

    fn flush(&mut self) -> io::Result<()> {
        let poll = Pin::new(&mut *self.inner).poll_flush(self.cx);
        self.ready(poll)
    }
}

/// Makes a call of the core with `inner`. That would block where, and only where, `inner` is pending.
fn polling<'c, T, U>(
    inner: &mut T,
    cx: &mut Context<'c>,
    call: impl FnOnce(&mut Polled<'_, 'c, T>) -> Result<U, Error>,
) -> Poll<Result<U, Error>> {
    let mut polled = Polled {
        inner,
        cx,
        pending: false,
    };
    match call(&mut polled) {
        Err(error) if polled.pending && error.is_would_block() => Poll::Pending,
        result => Poll::Ready(result),
    }
}

impl<W: fmt::Debug, E> fmt::Debug for Encryptor<W, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl<R: fmt::Debug, E> fmt::Debug for Decryptor<R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decryptor")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}
