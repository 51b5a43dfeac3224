//! A v2 stream over a socket that neither side may block on: the codec is handed bytes as they come, in
//! pieces of any size, and this program alone does I/O. An event loop would do the same with its own.
//!
//! ```text
//! cargo run --example socket
//! ```

use ss55_aead::{Key, SimdEngine};
use ss55_wire::v2::{FRAME_HEADER_LEN, FRAME_OVERHEAD, HEADER_LEN, Header, Opener, Sealer};
use std::{
    error::Error,
    io::{ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const MESSAGES: u32 = 1000;
const AD: &[u8] = b"socket example, v1";

fn main() -> Result<()> {
    let key = Key::from_bytes([7; 32]);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let (sent, received) = thread::scope(|scope| {
        let sender = scope.spawn(|| send(TcpStream::connect(address)?, &key));
        let (socket, _) = listener.accept()?;
        let received = receive(socket, &key);
        let sent = sender.join().expect("the sender does not panic");
        Result::Ok((sent?, received?))
    })?;
    assert_eq!(sent, received);
    println!("{MESSAGES} messages, {received} bytes, and an authenticated end");
    Ok(())
}

/// Message number `n`: some have no bytes, none has more than a frame.
fn message(n: u32) -> Vec<u8> {
    let len = n * n % 1500;
    (0..len).map(|i| (i + n) as u8).collect()
}

/// Sends all messages, each a frame, and gives how many bytes were in them.
fn send(mut socket: TcpStream, key: &Key) -> Result<usize> {
    socket.set_nonblocking(true)?;
    let mut nonce = [0; 24];
    getrandom::fill(&mut nonce)?;
    let header = Header::new(nonce);
    let mut sealer = Sealer::new(SimdEngine::new(), key, &header);
    write(&mut socket, &header.to_bytes())?;
    let mut bytes = 0;
    for n in 0..MESSAGES {
        let message = message(n);
        let mut frame = vec![0; message.len() + FRAME_OVERHEAD];
        sealer.seal_to(AD, &message, &mut frame)?;
        write(&mut socket, &frame)?;
        bytes += message.len();
    }
    write(&mut socket, &sealer.finish()?)?;
    Ok(bytes)
}

/// Where an event loop would wait until the socket can be written, this lets other threads run.
fn write(socket: &mut TcpStream, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match socket.write(bytes) {
            Ok(len) => bytes = &bytes[len..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::yield_now(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Takes what comes until the other side closes, and gives how many bytes were in the messages.
fn receive(mut socket: TcpStream, key: &Key) -> Result<usize> {
    socket.set_nonblocking(true)?;
    let mut receiver = Receiver::new(key);
    let mut piece = [0; 700];
    loop {
        match socket.read(&mut piece) {
            Ok(0) => return receiver.end(),
            Ok(len) => receiver.take(&piece[..len])?,
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::yield_now(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The reading side without its socket.
struct Receiver<'a> {
    key: &'a Key,
    /// None before the header is here.
    opener: Option<Opener>,
    /// What is not opened yet: less than a frame between calls.
    buffer: Vec<u8>,
    messages: u32,
    bytes: usize,
}

impl<'a> Receiver<'a> {
    fn new(key: &'a Key) -> Self {
        Receiver {
            key,
            opener: None,
            buffer: Vec::new(),
            messages: 0,
            bytes: 0,
        }
    }

    fn take(&mut self, piece: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(piece);
        if self.opener.is_none() {
            let Some(header) = self.buffer.first_chunk::<HEADER_LEN>() else {
                return Ok(());
            };
            let header = Header::parse(header)?;
            self.opener = Some(Opener::new(SimdEngine::new(), self.key, &header));
            self.buffer.drain(..HEADER_LEN);
        }
        let opener = self.opener.as_mut().expect("it was just made");
        // The opener is asked again with more bytes after `None`, and with bytes behind the end it fails.
        while let Some(head) = opener.frame_header(&self.buffer)? {
            let len = FRAME_HEADER_LEN + head.payload_len();
            let Some(frame) = self.buffer.get_mut(..len) else {
                break;
            };
            let plaintext = opener.open_in_place(head, AD, &mut frame[FRAME_HEADER_LEN..])?;
            if !opener.is_finished() {
                assert_eq!(plaintext, message(self.messages));
                self.messages += 1;
                self.bytes += plaintext.len();
            }
            self.buffer.drain(..len);
        }
        Ok(())
    }

    fn end(mut self) -> Result<usize> {
        let opener = self.opener.as_mut().ok_or("closed before the header")?;
        opener.end()?;
        assert_eq!(self.messages, MESSAGES);
        Ok(self.bytes)
    }
}
