//! The three formats behind one face, so that a test can be about all of them; and the shells around
//! them, so that the tests of one are those of all: `tests/parallel.rs` and `tests/tokio.rs` include the
//! others, and get their own types here.
#![allow(dead_code)] // each test file takes what it needs

use super::{
    frames,
    inputs::{NONCE, key},
};
use ss55_stream::{Decryptor, Encryptor, Engine, Error, Formats, libsodium};
use ss55_wire::{Error as Wire, v2};
use std::io::{self, BufRead, Read, Write};

/// The test program: the name of a shell, or of a file that tests the types over `Read` and `Write`.
fn shell() -> &'static str {
    module_path!().split("::").next().unwrap()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    V2,
    V1,
    Libsodium,
}

/// What the readers have in common.
pub trait Reader: BufRead {
    fn end_is_authenticated(&self) -> bool;
    fn frame_offset(&self) -> u64;
}

impl<R: Read, E: Engine> Reader for Decryptor<R, E> {
    fn end_is_authenticated(&self) -> bool {
        self.end_is_authenticated()
    }
    fn frame_offset(&self) -> u64 {
        self.frame_offset()
    }
}

impl<R: Read, E: Engine> Reader for libsodium::Decryptor<R, E> {
    fn end_is_authenticated(&self) -> bool {
        self.end_is_authenticated()
    }
    fn frame_offset(&self) -> u64 {
        self.frame_offset()
    }
}

/// What the writers have in common.
pub trait Writer: Write {
    fn close(&mut self) -> Result<(), Error>;
}

impl<W: Write, E: Engine> Writer for Encryptor<W, E> {
    fn close(&mut self) -> Result<(), Error> {
        self.close()
    }
}

impl<W: Write, E: Engine> Writer for libsodium::Encryptor<W, E> {
    fn close(&mut self) -> Result<(), Error> {
        self.close()
    }
}

#[cfg(feature = "parallel")]
mod parallel {
    use super::{Engine, Error, Read, Reader, Write, Writer};
    use ss55_stream::parallel::{Decryptor, Encryptor};

    impl<R: Read, E: Engine + Clone + Send + Sync> Reader for Decryptor<R, E> {
        fn end_is_authenticated(&self) -> bool {
            self.end_is_authenticated()
        }
        fn frame_offset(&self) -> u64 {
            self.frame_offset()
        }
    }

    impl<W: Write, E: Engine + Clone + Send + Sync> Writer for Encryptor<W, E> {
        fn close(&mut self) -> Result<(), Error> {
            self.close()
        }
    }
}

#[cfg(feature = "tokio")]
use asynchronous::{Async, Blocking};

/// Both ways: what blocks is pending, with nobody to wake.
#[cfg(feature = "tokio")]
mod asynchronous {
    use super::{BufRead, Error, Read, Reader, Write, Writer, io};
    use ss55_stream::tokio::{Decryptor, Encryptor};
    use std::{
        pin::Pin,
        task::{Context, Poll, Waker},
    };
    use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};

    /// What is inside, asynchronous.
    pub struct Async<T>(pub T);
    /// What is asynchronous inside, and not outside.
    pub struct Blocking<T>(pub T);

    // Nothing here minds being moved.
    impl<T> Unpin for Async<T> {}
    impl<T> Unpin for Blocking<T> {}

    fn poll<T>(result: io::Result<T>) -> Poll<io::Result<T>> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
            result => Poll::Ready(result),
        }
    }

    fn block<T>(poll: impl FnOnce(&mut Context<'_>) -> Poll<io::Result<T>>) -> io::Result<T> {
        match poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    impl<R: Read> AsyncRead for Async<R> {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            out: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            let read = self.get_mut().0.read(out.initialize_unfilled());
            poll(read.map(|n| out.advance(n)))
        }
    }

    impl<W: Write> AsyncWrite for Async<W> {
        fn poll_write(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            data: &[u8],
        ) -> Poll<io::Result<usize>> {
            poll(self.get_mut().0.write(data))
        }
        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            poll(self.get_mut().0.flush())
        }
        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    impl<R: Read> Read for Blocking<Decryptor<Async<R>>> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let mut out = ReadBuf::new(out);
            block(|cx| Pin::new(&mut self.0).poll_read(cx, &mut out))?;
            Ok(out.filled().len())
        }
    }

    impl<R: Read> BufRead for Blocking<Decryptor<Async<R>>> {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            block(|cx| Pin::new(&mut self.0).poll_fill_buf(cx))
        }
        fn consume(&mut self, n: usize) {
            Pin::new(&mut self.0).consume(n);
        }
    }

    impl<R: Read> Reader for Blocking<Decryptor<Async<R>>> {
        fn end_is_authenticated(&self) -> bool {
            self.0.end_is_authenticated()
        }
        fn frame_offset(&self) -> u64 {
            self.0.frame_offset()
        }
    }

    impl<W: Write> Write for Blocking<Encryptor<Async<W>>> {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            block(|cx| Pin::new(&mut self.0).poll_write(cx, data))
        }
        fn flush(&mut self) -> io::Result<()> {
            block(|cx| Pin::new(&mut self.0).poll_flush(cx))
        }
    }

    impl<W: Write> Writer for Blocking<Encryptor<Async<W>>> {
        fn close(&mut self) -> Result<(), Error> {
            Ok(block(|cx| Pin::new(&mut self.0).poll_shutdown(cx))?)
        }
    }
}

impl Format {
    pub const ALL: [Format; 3] = [Format::V2, Format::V1, Format::Libsodium];
    pub const WRITTEN: [Format; 2] = [Format::V2, Format::Libsodium];

    /// Those that the shell reads frame by frame. On several threads it is batches: what comes with one
    /// call, and how far the input is read then, is another there.
    pub fn by_frame() -> impl Iterator<Item = Format> {
        let all = Format::ALL.into_iter();
        all.filter(|format| shell() != "parallel" || *format == Format::Libsodium)
    }

    /// Of them, those that are written.
    pub fn written_by_frame() -> impl Iterator<Item = Format> {
        Format::by_frame().filter(|format| *format != Format::V1)
    }

    /// Plaintext bytes of a full frame, as the writers make them.
    pub fn unit(self) -> usize {
        match self {
            Format::V2 | Format::V1 => 65536,
            Format::Libsodium => 8192,
        }
    }

    /// Bytes of a frame in front of and behind its plaintext.
    pub fn overhead(self) -> usize {
        match self {
            Format::V2 => 21,
            Format::V1 => 20,
            Format::Libsodium => 17,
        }
    }

    /// The stream of `plaintext` in frames of `unit` bytes, by the oracle: header, frames, and the
    /// final one where there is one.
    pub fn pieces(self, plaintext: &[u8], unit: usize) -> Vec<Vec<u8>> {
        let messages: Vec<frames::Message<'_>> =
            plaintext.chunks(unit).map(|c| (c, &b""[..])).collect();
        match self {
            Format::V2 => frames::v2_pieces(&messages),
            Format::V1 => frames::v1_pieces(&messages),
            Format::Libsodium => frames::layout_pieces(plaintext, unit),
        }
    }

    pub fn stream(self, plaintext: &[u8], unit: usize) -> Vec<u8> {
        self.pieces(plaintext, unit).concat()
    }

    /// The code under test, as a reader that accepts this format.
    pub fn reader<'a>(self, inner: impl Read + 'a, unit: usize) -> Box<dyn Reader + 'a> {
        let formats = match self {
            Format::V2 => Formats::V2,
            Format::V1 => Formats::V1,
            Format::Libsodium => {
                let builder = libsodium::Decryptor::builder().chunk_size(unit);
                return Box::new(builder.build(inner, &key()));
            }
        };
        let builder = Decryptor::builder().formats(formats);
        match shell() {
            #[cfg(feature = "parallel")]
            "parallel" => Box::new(builder.build_parallel(inner, &key(), 2)),
            #[cfg(feature = "tokio")]
            "tokio" => Box::new(Blocking(builder.build_tokio(Async(inner), &key()))),
            _ => Box::new(builder.build(inner, &key())),
        }
    }

    /// The code under test, as a writer with a fixed header. Only the chunks of the libsodium layout
    /// have a size to choose.
    pub fn writer<'a>(self, inner: impl Write + 'a, unit: usize) -> Box<dyn Writer + 'a> {
        match self {
            Format::V2 => {
                let builder = Encryptor::builder().header(v2::Header::new(NONCE));
                match shell() {
                    #[cfg(feature = "parallel")]
                    "parallel" => Box::new(builder.build_parallel(inner, &key(), 2)),
                    #[cfg(feature = "tokio")]
                    "tokio" => Box::new(Blocking(builder.build_tokio(Async(inner), &key()))),
                    _ => Box::new(builder.build(inner, &key())),
                }
            }
            Format::V1 => unreachable!("v1 is only read"),
            Format::Libsodium => {
                let builder = libsodium::Encryptor::builder().header(NONCE);
                Box::new(builder.chunk_size(unit).build(inner, &key()))
            }
        }
    }
}

/// What the stream says is wrong with it.
pub fn wire(error: &io::Error) -> Option<Wire> {
    match error.get_ref()?.downcast_ref()? {
        Error::Wire(error) => Some(*error),
        _ => None,
    }
}

/// Reads to the end: what came out, and how it ended.
pub fn read_all(reader: &mut dyn Reader) -> (Vec<u8>, io::Result<()>) {
    let mut plaintext = Vec::new();
    let end = reader.read_to_end(&mut plaintext).map(|_| ());
    (plaintext, end)
}

/// That a reader stays on its error, on each of its ways.
#[track_caller]
pub fn assert_stuck(reader: &mut dyn Reader, kind: io::ErrorKind) {
    let offset = reader.frame_offset();
    for _ in 0..2 {
        let mut out = [0xee; 40];
        assert_eq!(reader.read(&mut out).unwrap_err().kind(), kind);
        assert_eq!(out, [0xee; 40]);
        assert_eq!(reader.fill_buf().unwrap_err().kind(), kind);
        assert_eq!(
            reader.read_to_end(&mut Vec::new()).unwrap_err().kind(),
            kind
        );
    }
    assert_eq!(reader.frame_offset(), offset);
}
