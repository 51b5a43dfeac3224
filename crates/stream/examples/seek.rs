//! Reads some lines out of the middle of an encrypted log without reading what comes before.
//!
//! ```text
//! cargo run --example seek
//! ```

use ss55_stream::{Encryptor, Key, SeekableDecryptor};
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

/// Bytes in a line.
const LINE: u64 = 14;

/// The inner reader, which counts what is read of it.
struct Counted<R> {
    inner: R,
    bytes: usize,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buf)?;
        self.bytes += len;
        Ok(len)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

fn main() -> io::Result<()> {
    let key = Key::from_bytes([7; 32]);
    let mut log = Encryptor::new(Vec::new(), &key);
    for n in 0..500_000 {
        writeln!(log, "entry {n:07}")?;
    }
    let sealed = log.finish()?;
    let size = sealed.len();

    // Authenticates the end of the stream: it is whole, and so many bytes long.
    let inner = Counted {
        inner: Cursor::new(sealed),
        bytes: 0,
    };
    let mut log = SeekableDecryptor::new(inner, &key)?;
    println!("{} bytes of plaintext", log.len().bytes());

    log.seek(SeekFrom::Start(123_456 * LINE))?;
    let mut lines = [0; 3 * LINE as usize];
    log.read_exact(&mut lines)?;
    print!("{}", String::from_utf8_lossy(&lines));

    let read = log.inner().bytes;
    assert!(read < size / 20, "{read} bytes of {size} were read");
    Ok(())
}
