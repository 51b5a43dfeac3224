//! v1 through the reader. A stream that was cut on the edge of a frame reads as a whole one: that, and no
//! other damage, may pass.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_fuzz::{
    script::Script,
    streams::{Format, Stream, read_ss55},
};
use ss55_stream::Formats;

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    if script.byte() & 1 == 0 {
        let manner = script.array::<8>();
        read_ss55(script.rest(), Formats::V1, b"", &mut Script::new(&manner));
        return;
    }
    let stream = Stream::write(Format::V1, &mut script);
    let damaged = stream.damaged(&mut script);
    let outcome = read_ss55(&damaged, Formats::V1, &stream.ad, &mut script);
    assert!(
        stream.has_prefix(&outcome.plaintext),
        "this was never written"
    );
    // Any 24 bytes are an empty stream.
    let frames = (1..=stream.pieces.len()).map(|end| stream.pieces[..end].concat());
    let mut plaintext = Vec::new();
    let mut passes = damaged.len() == 24;
    for (whole, frame) in frames.zip([Box::default()].iter().chain(&stream.plaintexts)) {
        plaintext.extend_from_slice(frame);
        passes |= damaged == whole;
        if damaged == whole {
            assert_eq!(outcome.plaintext, plaintext);
        }
    }
    assert_eq!(outcome.end.is_ok(), passes, "{:?}", outcome.end);
});
