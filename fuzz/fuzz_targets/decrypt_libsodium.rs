//! libsodium's layout through the reader: raw bytes, a valid stream and its damage, or authentic chunks in an
//! order that no writer has.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_fuzz::{
    script::Script,
    streams::{Format, Outcome, Stream, read_libsodium},
};
use ss55_wire::secretstream::Tag;

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    match script.byte() % 3 {
        0 => {
            let manner = script.array::<8>();
            read_libsodium(script.rest(), 8192, &mut Script::new(&manner));
        }
        1 => {
            let stream = Stream::write(Format::Libsodium, &mut script);
            let damaged = stream.damaged(&mut script);
            let outcome = read_libsodium(&damaged, stream.chunk_size, &mut script);
            check(&stream, &outcome, damaged == stream.bytes());
        }
        _ => {
            let (stream, tags) = Stream::write_nonsense(&mut script);
            let outcome = read_libsodium(&stream.bytes(), stream.chunk_size, &mut script);
            check(&stream, &outcome, is_whole(&stream, &tags));
        }
    }
});

fn check(stream: &Stream, outcome: &Outcome, is_whole: bool) {
    assert!(
        stream.has_prefix(&outcome.plaintext),
        "this was never written"
    );
    assert_eq!(outcome.end.is_ok(), is_whole, "{:?}", outcome.end);
    if is_whole {
        assert_eq!(outcome.plaintext, stream.plaintext());
    }
}

/// Full chunks without FINAL, then one with it that ends the input.
fn is_whole(stream: &Stream, tags: &[Tag]) -> bool {
    let Some((last, before)) = tags.split_last() else {
        return false;
    };
    *last == Tag::FINAL
        && before.iter().all(|tag| *tag != Tag::FINAL)
        && stream.plaintexts[..before.len()]
            .iter()
            .all(|plaintext| plaintext.len() == stream.chunk_size)
}
