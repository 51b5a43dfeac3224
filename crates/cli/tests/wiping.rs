//! No memory that the command gives back holds the text or the bytes of a key file.

use ss55_cli::inside;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fs, ptr,
};
use tempfile::tempdir;

const KEY: [u8; 32] = *b"\x01no key like this one is drawn\xfe\xff";

/// The system's allocator, which looks into what is given back on a thread that watches.
struct Watching;

thread_local! {
    /// How many blocks had a part of the key, or of its text.
    static FOUND: Cell<Option<usize>> = const { Cell::new(None) };
}

fn holds_key(block: &[u8]) -> bool {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default() as u8;
    // Eight bytes from the middle, as they are and as digits.
    let bytes = &KEY[12..20];
    let mut text = [0; 16];
    for (pair, byte) in text.chunks_mut(2).zip(bytes) {
        (pair[0], pair[1]) = (digit(byte >> 4), digit(byte & 15));
    }
    block.windows(8).any(|window| window == bytes) || block.windows(16).any(|window| window == text)
}

// SAFETY: every call goes to the system's allocator, with the sizes as they came; blocks come zeroed, so that
// all their bytes have a value when they are looked at; looking allocates nothing.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's own promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Ok(Some(found)) = FOUND.try_with(Cell::get) {
            for at in 0..layout.size() {
                // SAFETY: the block is the caller's until it is given back below, and at is inside it. Read and
                // written as volatile, so that the compiler does not drop the wiping before.
                unsafe {
                    let byte = block.add(at);
                    ptr::write_volatile(byte, ptr::read_volatile(byte));
                }
            }
            // SAFETY: as above, and nobody else has the block any more.
            let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            FOUND.set(Some(found + usize::from(holds_key(bytes))));
        }
        // SAFETY: the caller's own promise.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static WATCHING: Watching = Watching;

fn left_behind(work: impl FnOnce()) -> usize {
    FOUND.set(Some(0));
    work();
    FOUND.take().unwrap()
}

fn hex() -> String {
    KEY.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_watch_sees() {
    let (text, bytes) = (hex(), KEY.to_vec());
    assert_eq!(left_behind(|| drop(text)), 1);
    assert_eq!(left_behind(|| drop(bytes)), 1);
}

#[test]
fn key_files() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("key");
    for (content, is_key) in [
        (KEY.to_vec(), true),
        (hex().into_bytes(), true),
        (format!(" {}\r\n", hex().to_uppercase()).into_bytes(), true),
        // Refused, of one size and of another.
        (format!("{}0", hex()).into_bytes(), false),
        (format!("{}xy", &hex()[..62]).into_bytes(), false),
        (hex().repeat(100).into_bytes(), false),
    ] {
        fs::write(&path, content).unwrap();
        let path = path.clone();
        let left = left_behind(|| assert_eq!(inside::read_key(path).is_ok(), is_key));
        assert_eq!(left, 0);
    }

    let new = folder.path().join("new");
    let key = ss55_aead::Key::from_bytes(KEY);
    assert_eq!(left_behind(|| inside::create_key(&new, &key).unwrap()), 0);
    assert_eq!(fs::read_to_string(&new).unwrap(), hex() + "\n");
}
