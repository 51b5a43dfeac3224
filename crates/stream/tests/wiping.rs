//! Keys and plaintext are gone from the memory that a stream gives back.

mod support {
    pub mod frames;
    pub mod inputs;
    pub mod io;
    pub mod sodium;
    pub mod streams;
}

use ss55_stream::{Decryptor, Encryptor, libsodium};
use ss55_wire::v2::Header;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    io::{BufRead, Write},
    ptr, slice,
};
use support::{
    frames,
    inputs::{KEY, NONCE, key},
    sodium,
    streams::Format,
};

const SECRET: [u8; 32] = *b"attack at dawn, not a bit later!";

/// The system's allocator, which looks into what is given back on a thread that watches.
struct Watching;

#[derive(Clone, Copy)]
struct Watch {
    /// None of these may be in a block.
    secrets: [[u8; 32]; 3],
    found: usize,
}

thread_local! {
    static WATCH: Cell<Option<Watch>> = const { Cell::new(None) };
}

fn look(block: &[u8]) {
    if let Some(mut watch) = WATCH.get() {
        let holds = |secret: &[u8; 32]| block.windows(32).any(|bytes| bytes == secret);
        watch.found += watch.secrets.iter().filter(|secret| holds(secret)).count();
        WATCH.set(Some(watch));
    }
}

// SAFETY: every call goes to the system's allocator, with the sizes as they came; blocks come zeroed,
// so that all their bytes have a value when they are looked at; looking allocates nothing.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's own promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if WATCH.get().is_some() {
            for at in 0..layout.size() {
                // SAFETY: the block is the caller's until it is given back below, and at is inside it.
                // Read and written as volatile, so that the compiler neither drops the wiping before,
                // nor takes what is there for undefined.
                unsafe {
                    let byte = block.add(at);
                    ptr::write_volatile(byte, ptr::read_volatile(byte));
                }
            }
            // SAFETY: as above, and nobody else has the block any more.
            look(unsafe { slice::from_raw_parts(block, layout.size()) });
        }
        // SAFETY: the caller's own promise.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static WATCHING: Watching = Watching;

/// In how many blocks given back meanwhile the plaintext, the key or the stream's subkey were.
fn left_behind(work: impl FnOnce()) -> usize {
    let subkey = sodium::hchacha20(&KEY, NONCE[..16].try_into().unwrap());
    WATCH.set(Some(Watch {
        secrets: [SECRET, KEY, subkey],
        found: 0,
    }));
    work();
    WATCH.take().unwrap().found
}

#[test]
fn the_watch_sees() {
    let plain = SECRET.to_vec();
    let key = Box::new((1_u8, KEY));
    assert_eq!(left_behind(|| drop(plain)), 1);
    assert_eq!(left_behind(|| drop(key)), 1);
    let two = [SECRET, KEY].concat();
    assert_eq!(left_behind(|| drop(two)), 2);
}

#[test]
fn writers() {
    // Gathered and never sealed; sealed by a flush or a write; finished.
    let builder = || Encryptor::builder().header(Header::new(NONCE));
    let mut dropped = Box::new(builder().build(Vec::new(), &key()));
    dropped.write_all(&SECRET).unwrap();
    assert_eq!(left_behind(|| drop(dropped)), 0);
    let mut flushed = Box::new(builder().build(Vec::new(), &key()));
    flushed.write_all(&SECRET).unwrap();
    flushed.flush().unwrap();
    assert_eq!(left_behind(|| drop(flushed)), 0);
    let mut framed = Box::new(builder().build(Vec::new(), &key()));
    framed.write_frame(&SECRET, b"").unwrap();
    assert_eq!(left_behind(|| drop(framed)), 0);
    let mut closed = Box::new(builder().build(Vec::new(), &key()));
    closed.write_all(&SECRET).unwrap();
    closed.close().unwrap();
    assert_eq!(left_behind(|| drop(closed)), 0);
    // Not in a box, which would keep the bytes of what is moved out of it.
    let mut finished = builder().build(Vec::new(), &key());
    finished.write_all(&SECRET).unwrap();
    assert_eq!(left_behind(|| drop(finished.finish().unwrap())), 0);

    let builder = libsodium::Encryptor::builder().header(NONCE);
    let mut dropped = Box::new(builder.build(Vec::new(), &key()));
    dropped.write_all(&SECRET).unwrap();
    assert_eq!(left_behind(|| drop(dropped)), 0);
}

#[test]
fn readers() {
    for format in Format::ALL {
        let stream = format.stream(&SECRET, 64);
        // Not begun; a frame opened and not taken; one taken; all read.
        let reader = format.reader(&stream[..], 64);
        assert_eq!(left_behind(|| drop(reader)), 0);
        let mut reader = format.reader(&stream[..], 64);
        assert_eq!(reader.fill_buf().unwrap(), SECRET);
        assert_eq!(left_behind(|| drop(reader)), 0, "{format:?}");
        let mut reader = format.reader(&stream[..], 64);
        reader.read_exact(&mut [0; 32]).unwrap();
        assert_eq!(left_behind(|| drop(reader)), 0);
        let mut reader = format.reader(&stream[..], 64);
        while let n @ 1.. = reader.fill_buf().unwrap().len() {
            reader.consume(n);
        }
        assert_eq!(left_behind(|| drop(reader)), 0);
    }
    let stream = frames::v2_stream(&[(&SECRET, b"")]);
    let mut decryptor = Decryptor::new(&stream[..], &key());
    decryptor.fill_buf().unwrap();
    let left = left_behind(|| {
        let rest = decryptor.into_inner();
        assert!(rest.len() < stream.len());
    });
    assert_eq!(left, 0);
}
