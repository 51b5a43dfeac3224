//! Partial reads and writes, pending at every byte, dropped futures, shutdown, and the codec.

#[path = "../support"]
mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use futures_util::{SinkExt, StreamExt};
use ss55_stream::{
    Error, Formats,
    tokio::{Decryptor, Encryptor, End, FrameDecoder, FrameEncoder},
};
use ss55_wire::{Error as Wire, v2::Header};
use std::{
    io::ErrorKind,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};
use support::{
    frames,
    inputs::{NONCE, key, pat},
    streams::wire,
};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio_test::io::Builder;
use tokio_util::codec::{FramedRead, FramedWrite};

fn encryptor<W>(inner: W) -> Encryptor<W> {
    let builder = ss55_stream::Encryptor::builder().header(Header::new(NONCE));
    builder.build_tokio(inner, &key())
}

/// Enough for a task to be pending, and to be woken.
const SOON: Duration = Duration::from_millis(1);

/// Each byte in a read of its own, and after it a wait.
#[tokio::test(start_paused = true)]
async fn readers_pending_at_every_byte() {
    let stream = frames::v2_stream(&[(b"first", b""), (b"second", b"")]);
    let mut source = Builder::new();
    for byte in &stream {
        source.read(std::slice::from_ref(byte)).wait(SOON);
    }
    let mut read = Vec::new();
    let mut reader = Decryptor::new(source.build(), &key());
    reader.read_to_end(&mut read).await.unwrap();
    assert_eq!(read, b"firstsecond");
    assert!(reader.end_is_authenticated());
    assert_eq!(reader.frame_offset(), stream.len() as u64);
}

#[tokio::test(start_paused = true)]
async fn writers_pending_at_every_byte() {
    let stream = frames::v2_stream(&[(b"first", b""), (b"second", b"")]);
    let mut target = Builder::new();
    for byte in &stream {
        target.write(std::slice::from_ref(byte)).wait(SOON);
    }
    let mut writer = encryptor(target.build());
    writer.write_all(b"first").await.unwrap();
    writer.flush().await.unwrap();
    writer.write_all(b"second").await.unwrap();
    writer.shutdown().await.unwrap();
    writer.shutdown().await.unwrap();
}

/// Polls a future so often, and drops it.
fn give_up<T>(future: impl Future<Output = T>, polls: usize) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..polls {
        if let Poll::Ready(done) = future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            return Some(done);
        }
    }
    None
}

/// A side that is pending at every second poll, and then moves a byte.
struct Stutter<T> {
    inner: T,
    ready: bool,
}

impl<T> Stutter<T> {
    fn new(inner: T) -> Self {
        Stutter {
            inner,
            ready: false,
        }
    }
}

impl tokio::io::AsyncRead for Stutter<&[u8]> {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        self.ready = !self.ready;
        if self.ready {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut byte = [0];
        let mut one = tokio::io::ReadBuf::new(&mut byte);
        let read = std::pin::Pin::new(&mut self.inner).poll_read(cx, &mut one);
        out.put_slice(one.filled());
        read
    }
}

impl tokio::io::AsyncWrite for Stutter<Vec<u8>> {
    fn poll_write(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        self.ready = !self.ready;
        if self.ready {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let one = &data[..data.len().min(1)];
        std::pin::Pin::new(&mut self.inner).poll_write(cx, one)
    }
    fn poll_flush(
        self: std::pin::Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
    fn poll_shutdown(
        self: std::pin::Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Every future is dropped after each poll that leaves it pending.
#[test]
fn dropped_futures_lose_nothing() {
    let stream = frames::v2_stream(&[(b"first", b"x"), (b"second", b"y")]);
    let mut writer = encryptor(Stutter::new(Vec::new()));
    for (data, ad) in [(b"first".as_slice(), b"x"), (b"second", b"y")] {
        while give_up(writer.write_frame(data, ad), 1).is_none_or(|done| done.is_err()) {}
    }
    while give_up(writer.shutdown(), 1).is_none() {}
    assert_eq!(writer.into_inner().inner, stream);

    let mut reader = Decryptor::new(Stutter::new(&stream[..]), &key());
    let mut frame = Vec::new();
    for (data, ad) in [(b"first".as_slice(), b"x"), (b"second", b"y")] {
        let more = loop {
            if let Some(more) = give_up(reader.read_frame(&mut frame, ad), 1) {
                break more;
            }
        };
        assert!(more.unwrap());
        assert_eq!(frame, data);
    }
    while give_up(reader.read_frame(&mut frame, b""), 1).is_none() {}
    assert!(reader.end_is_authenticated());

    let stream = frames::v2_stream(&[(b"first", b""), (b"second", b"")]);
    let mut reader = Decryptor::new(Stutter::new(&stream[..]), &key());
    let (mut read, mut out) = (Vec::new(), [0; 4]);
    loop {
        match give_up(reader.read(&mut out), 1) {
            Some(Ok(0)) => break,
            Some(n) => read.extend_from_slice(&out[..n.unwrap()]),
            None => {}
        }
    }
    assert_eq!(read, b"firstsecond");
}

/// Says `WouldBlock`, and not that it is pending.
struct Liar;

impl tokio::io::AsyncRead for Liar {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Poll::Ready(Err(ErrorKind::WouldBlock.into()))
    }
}

/// `WouldBlock` as an answer, which no asynchronous reader may give, is an error and no endless wait.
#[tokio::test]
async fn a_reader_that_breaks_its_contract() {
    let error = Decryptor::new(Liar, &key()).read_u8().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
}

#[tokio::test]
async fn without_a_shutdown_the_stream_is_truncated() {
    let mut writer = encryptor(Vec::new());
    writer.write_all(&pat(70_000)).await.unwrap();
    writer.flush().await.unwrap();
    let cut = writer.into_inner();
    let mut reader = Decryptor::new(&cut[..], &key());
    let mut read = Vec::new();
    let error = reader.read_to_end(&mut read).await.unwrap_err();
    assert_eq!(wire(&error), Some(Wire::Truncated));
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    assert!(read == pat(70_000));
    assert!(reader.fill_buf().await.is_err());
}

/// Errors of the inner writer stay, and come out of a shutdown too.
#[tokio::test]
async fn failing_writers() {
    let target = Builder::new()
        .write_error(ErrorKind::StorageFull.into())
        .build();
    let mut writer = encryptor(target);
    let error = writer.write_all(&pat(70_000)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    let error = writer.shutdown().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
}

#[tokio::test]
async fn codec() {
    let builder = ss55_stream::Encryptor::builder().header(Header::new(NONCE));
    let encoder = builder.ad(*b"ad").build_codec(&key());
    let mut sink = FramedWrite::new(Vec::new(), encoder);
    let long = pat(65_536);
    sink.send(&b"one"[..]).await.unwrap();
    sink.send(&b""[..]).await.unwrap();
    sink.send(&long[..]).await.unwrap();
    let too_long = sink.send(&pat(65_537)[..]).await.unwrap_err();
    assert!(matches!(too_long, Error::Wire(Wire::MessageTooLong)));
    sink.send(End).await.unwrap();
    let after = sink.send(&b"more"[..]).await.unwrap_err();
    assert!(matches!(after, Error::Wire(Wire::Finished)), "{after:?}");
    let stream = frames::v2_stream(&[(b"one", b"ad"), (&long, b"ad")]);
    assert!(*sink.get_ref() == stream);

    let messages = [(&b"one"[..], &b"ad"[..]), (&b""[..], &b"ad"[..])];
    for (stream, formats) in [
        (frames::v2_stream(&messages), Formats::V2),
        (frames::v1_stream(&messages), Formats::V1),
    ] {
        let decoder = || {
            let builder = ss55_stream::Decryptor::builder().formats(formats);
            builder.ad(*b"ad").build_codec(&key())
        };
        let mut source = FramedRead::new(Stutter::new(&stream[..]), decoder());
        assert_eq!(source.next().await.unwrap().unwrap(), b"one"[..]);
        assert_eq!(source.next().await.unwrap().unwrap(), b""[..]);
        assert!(source.next().await.is_none());

        // Cut, damaged, and with something behind it.
        for cut in 0..stream.len() {
            let v1_edge = formats == Formats::V1 && [24, 47].contains(&cut);
            let mut source = FramedRead::new(&stream[..cut], decoder());
            let end = loop {
                match source.next().await {
                    Some(Ok(_)) => {}
                    end => break end,
                }
            };
            match end {
                None => assert!(v1_edge, "{formats:?} cut at {cut}"),
                Some(Err(Error::Wire(Wire::Truncated))) => assert!(!v1_edge || cut == 0),
                other => panic!("{other:?} at {cut}"),
            }
        }
    }
    let stream = [frames::v2_stream(&messages), vec![0]].concat();
    let decoder = ss55_stream::Decryptor::builder().ad(*b"ad");
    let mut source = FramedRead::new(&stream[..], decoder.build_codec(&key()));
    source.next().await.unwrap().unwrap();
    source.next().await.unwrap().unwrap();
    let error = source.next().await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Wire(Wire::TrailingData)));

    let mut wrong = FramedRead::new(&stream[..], FrameDecoder::new(&key()));
    let error = wrong.next().await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Wire(Wire::Authentication)));
    let mut buf = bytes::BytesMut::from(&stream[..]);
    let again = tokio_util::codec::Decoder::decode(wrong.decoder_mut(), &mut buf);
    assert!(matches!(again, Err(Error::Wire(Wire::Authentication))));
    let random = |_| {
        let mut encoder = FrameEncoder::new(&key());
        let mut out = bytes::BytesMut::new();
        tokio_util::codec::Encoder::encode(&mut encoder, End, &mut out).unwrap();
        out
    };
    assert_ne!(random(0), random(1));
}
