//! v2 through the reader: raw bytes, or a valid stream and its damage. What comes out is a prefix of what
//! went in, and an end is the end of the stream that was written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_fuzz::{
    script::Script,
    streams::{Format, Stream, read_ss55},
};
use ss55_stream::Formats;

/// Bytes 20..24 of the nonce, which the format neither uses nor authenticates.
const UNUSED: std::ops::Range<usize> = 32..36;

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    if script.byte() & 1 == 0 {
        let manner = script.array::<8>();
        read_ss55(script.rest(), Formats::V2, b"", &mut Script::new(&manner));
        return;
    }
    let stream = Stream::write(Format::V2, &mut script);
    let whole = stream.bytes();
    let mut damaged = stream.damaged(&mut script);
    let outcome = read_ss55(&damaged, Formats::V2, &stream.ad, &mut script);
    assert!(
        stream.has_prefix(&outcome.plaintext),
        "this was never written"
    );
    if damaged.len() >= UNUSED.end {
        damaged[UNUSED].copy_from_slice(&whole[UNUSED]);
    }
    assert_eq!(outcome.end.is_ok(), damaged == whole, "{:?}", outcome.end);
    if outcome.end.is_ok() {
        assert_eq!(outcome.plaintext, stream.plaintext());
    }
});
