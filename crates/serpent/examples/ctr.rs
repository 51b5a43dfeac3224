//! Serpent in counter mode, by the crate ctr: a stream cipher for formats that name it. It hands over as
//! many blocks at once as the backend takes.
//!
//! ```text
//! cargo run --example ctr --features cipher
//! ```
//!
//! Counter mode hides and does not authenticate: whoever flips a bit of the ciphertext flips it in the text.

use ctr::Ctr128BE;
use ss55_serpent::{
    Backend, Serpent,
    cipher::{KeyIvInit, StreamCipher, StreamCipherSeek},
};

fn main() {
    let (key, first_counter) = ([7; 32], [9; 16]);
    let text: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();

    let mut data = text.clone();
    Ctr128BE::<Serpent>::new(&key.into(), &first_counter.into()).apply_keystream(&mut data);
    assert_ne!(data, text);

    // The other side begins in the middle.
    let mut cipher = Ctr128BE::<Serpent>::new(&key.into(), &first_counter.into());
    cipher.seek(50_000);
    cipher.apply_keystream(&mut data[50_000..]);
    assert_eq!(data[50_000..], text[50_000..]);

    // And ends with the beginning.
    cipher.seek(0);
    cipher.apply_keystream(&mut data[..50_000]);
    assert_eq!(data, text);

    eprintln!("backend: {}", Backend::detect().name());
    println!("{} bytes there and back", data.len());
}
