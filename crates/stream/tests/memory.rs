//! On several threads, too, memory depends on their number alone: on all of them together, at its peak.

use ss55_stream::{
    Decryptor, Encryptor, Key,
    parallel::{self, FRAMES_PER_THREAD},
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    io::{self, Read, Write},
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
};

/// The system's allocator, which knows how much is held, and how much was at most.
struct Peak;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came, and the counters allocate nothing.
unsafe impl GlobalAlloc for Peak {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), SeqCst) + layout.size();
        MOST.fetch_max(held, SeqCst);
        // SAFETY: the caller's own promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), SeqCst);
        // SAFETY: the caller's own promise.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static PEAK: Peak = Peak;

/// Most bytes held at a time meanwhile, beyond what was held before.
fn peak(work: impl FnOnce()) -> usize {
    let before = HELD.load(SeqCst);
    MOST.store(before, SeqCst);
    work();
    MOST.load(SeqCst) - before
}

const THREADS: usize = 2;
const BATCH: usize = THREADS * FRAMES_PER_THREAD * 65536;
/// For what is held beside the frames.
const SPARE: usize = 1 << 18;

fn write(len: u64, mut stream: parallel::Encryptor<impl Write>) {
    io::copy(&mut io::repeat(0x5a).take(len), &mut stream).unwrap();
    stream.close().unwrap();
}

/// One test, as the counters are everybody's.
#[test]
fn memory_is_flat() {
    let key = Key::from_bytes([7; 32]);
    // rayon's threads are there afterwards.
    let stream = Encryptor::builder().build_parallel(io::sink(), &key, THREADS);
    write(8 << 20, stream);
    let mut figures = Vec::new();
    for mib in [8_u64, 128] {
        let writing = peak(|| {
            let stream = Encryptor::builder().build_parallel(io::sink(), &key, THREADS);
            write(mib << 20, stream);
        });
        let mut sealed = Vec::new();
        let mut stream = Encryptor::builder().build_parallel(&mut sealed, &key, THREADS);
        io::copy(&mut io::repeat(0x5a).take(mib << 20), &mut stream).unwrap();
        stream.close().unwrap();
        drop(stream);
        let reading = peak(|| {
            let builder = Decryptor::builder();
            let mut stream = builder.build_parallel(&sealed[..], &key, THREADS);
            let read = io::copy(&mut stream, &mut io::sink()).unwrap();
            assert_eq!(read, mib << 20);
        });
        figures.push((writing, reading));
    }
    for (writing, reading) in &figures {
        assert!((BATCH..BATCH + SPARE).contains(writing), "{figures:?}");
        // Two windows of sealed frames, and the plaintext of one.
        assert!(
            (3 * BATCH..3 * BATCH + SPARE).contains(reading),
            "{figures:?}"
        );
    }
}
