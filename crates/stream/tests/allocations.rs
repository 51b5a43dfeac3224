//! No heap allocation after construction, on either side; and what construction takes is bounded.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use ss55_stream::{Decryptor, Encryptor, libsodium};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    io::{self, BufRead, Read, Write},
};
use support::{
    frames::{self, Message},
    inputs::{key, pat},
    io::insist,
    streams::{Format, Writer},
};

/// The system's allocator, which counts for each thread what that asks for.
struct Counting;

thread_local! {
    // Neither needs an allocation or a destructor of its own.
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

fn count(bytes: usize) {
    CALLS.set(CALLS.get() + 1);
    BYTES.set(BYTES.get() + bytes);
}

// SAFETY: every call goes to the system's allocator as it came, and the counters allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's own promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's own promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller's own promise.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's own promise.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Calls of the allocator and bytes asked for, meanwhile.
fn allocated<T>(work: impl FnOnce() -> T) -> (usize, usize, T) {
    let (calls, bytes) = (CALLS.get(), BYTES.get());
    let done = work();
    (CALLS.get() - calls, BYTES.get() - bytes, done)
}

/// A writer that says `WouldBlock` at every second call, and takes a thousand bytes at the others.
struct Slow {
    ready: bool,
    taken: usize,
}

impl Write for Slow {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.ready = !self.ready;
        if self.ready {
            let n = data.len().min(1000);
            self.taken += n;
            Ok(n)
        } else {
            Err(io::ErrorKind::WouldBlock.into())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_counter_counts() {
    let (calls, bytes, _kept) = allocated(|| (vec![1_u8; 100], vec![0_u8; 1000]));
    assert_eq!((calls, bytes), (2, 1100));
}

#[test]
fn encryptor() {
    let plaintext = pat(200_000);
    let builder = Encryptor::builder().ad(*b"some ad");
    let mut encryptor = builder.build(io::sink(), &key());
    let (calls, _, ()) = allocated(|| {
        encryptor.write_all(&plaintext).unwrap();
        encryptor.flush().unwrap();
        encryptor.write_all(&plaintext[..100]).unwrap();
        encryptor.write_frame(&plaintext, b"another ad").unwrap();
        encryptor.write_all(&plaintext[..100_000]).unwrap();
        encryptor.close().unwrap();
        encryptor.close().unwrap();
    });
    assert_eq!(calls, 0);
    let (calls, _, _sink) = allocated(|| encryptor.finish().unwrap());
    assert_eq!(calls, 0);
}

#[test]
fn encryptor_on_a_slow_writer() {
    let plaintext = pat(200_000);
    let slow = Slow {
        ready: false,
        taken: 0,
    };
    let mut encryptor = Encryptor::new(slow, &key());
    let (calls, _, ()) = allocated(|| {
        let mut rest = &plaintext[..];
        while !rest.is_empty() {
            let n = insist(|| encryptor.write(rest)).0.unwrap();
            rest = &rest[n..];
        }
        insist(|| encryptor.flush()).0.unwrap();
        insist(|| encryptor.write_frame(&plaintext, b"ad"))
            .0
            .unwrap();
        insist(|| encryptor.close()).0.unwrap();
    });
    assert_eq!(calls, 0);
    assert_eq!(encryptor.inner().taken, 36 + 400_000 + 8 * 21 + 21);
}

#[test]
fn libsodium_encryptor() {
    let plaintext = pat(100_000);
    let mut encryptor = libsodium::Encryptor::new(io::sink(), &key());
    let (calls, _, ()) = allocated(|| {
        encryptor.write_all(&plaintext).unwrap();
        encryptor.flush().unwrap();
        encryptor.write_all(&plaintext[..10_000]).unwrap();
        encryptor.close().unwrap();
    });
    assert_eq!(calls, 0);
}

#[test]
fn readers() {
    for format in Format::ALL {
        let unit = format.unit();
        let plaintext = pat(3 * unit + 100);
        let stream = format.stream(&plaintext, unit);
        let mut out = vec![0; 2 * unit];
        for ask in [1000, unit, 2 * unit] {
            let mut reader = format.reader(&stream[..], unit);
            let (calls, _, read) = allocated(|| {
                let mut read = 0;
                loop {
                    match reader.read(&mut out[..ask]).unwrap() {
                        0 => return read,
                        n => read += n,
                    }
                }
            });
            assert_eq!((calls, read), (0, plaintext.len()), "{format:?}");
        }
        let mut reader = format.reader(&stream[..], unit);
        let (calls, _, read) = allocated(|| {
            let mut read = 0;
            loop {
                match reader.fill_buf().unwrap().len() {
                    0 => return read,
                    n => read += n.min(1000),
                }
                reader.consume(1000);
            }
        });
        assert_eq!((calls, read), (0, plaintext.len()), "{format:?}");
    }
}

/// The vector is the caller's: once it has held the largest frame, it is all that is needed.
#[test]
fn read_frame() {
    let plaintext = pat(65536);
    let messages: Vec<Message<'_>> = [65536, 10, 65536, 1000]
        .map(|len| (&plaintext[..len], &b"ad"[..]))
        .to_vec();
    for stream in [frames::v2_stream(&messages), frames::v1_stream(&messages)] {
        let mut decryptor = Decryptor::new(&stream[..], &key());
        let mut frame = Vec::with_capacity(65536);
        let (calls, _, read) = allocated(|| {
            let mut read = 0;
            while decryptor.read_frame(&mut frame, b"ad").unwrap() {
                read += frame.len();
            }
            read
        });
        assert_eq!((calls, read), (0, 65536 + 10 + 65536 + 1000));
    }
}

/// A few frames, whatever a length field claims: 4 GiB here.
#[test]
fn memory_is_bounded() {
    for format in Format::WRITTEN {
        let sink = io::sink();
        let (_, bytes, _kept) = allocated(|| -> Box<dyn Writer> { format.writer(sink, 8192) });
        assert!(bytes < format.unit() + 1024, "{bytes}");
    }
    for format in Format::ALL {
        // Chunks are read by the 64 KiB.
        let (_, bytes, _kept) = allocated(|| format.reader(io::empty(), format.unit()));
        assert!(bytes < 2 * (65536 + 1024), "{bytes}");
    }
    for mut stream in [frames::v2_stream(&[]), frames::v1_stream(&[(b"", b"")])] {
        let at = if stream[0] == b'S' { 36 } else { 24 };
        stream[at..at + 4].fill(0xff);
        let mut decryptor = Decryptor::new(&stream[..], &key());
        let mut frame = Vec::new();
        let (calls, _, result) = allocated(|| decryptor.read_frame(&mut frame, b""));
        result.unwrap_err();
        assert_eq!(calls, 0);
    }
}
