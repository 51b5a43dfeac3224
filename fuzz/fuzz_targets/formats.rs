//! Which format a stream has: the reader that takes v2 and v1, and the command that takes three.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_cli::inside;
use ss55_fuzz::{
    files::File,
    script::Script,
    streams::{Format, Stream, key, read_ss55},
};
use ss55_stream::Formats;
use ss55_wire::v2::MAGIC;

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    let format = match script.byte() & 3 {
        0 => Format::V2,
        1 => Format::V1,
        2 => Format::Libsodium,
        _ => return detect_any(script.rest()),
    };
    let stream = Stream::write(format, &mut script);
    let damaged = stream.damaged(&mut script);
    detect_any(&damaged);

    // To read either format is to read the one that the magic names.
    let manner = script.array::<8>();
    let read = |formats| read_ss55(&damaged, formats, &stream.ad, &mut Script::new(&manner));
    let restricted = if damaged.starts_with(&MAGIC) {
        Formats::V2
    } else {
        Formats::V1
    };
    assert_eq!(read(Formats::Any), read(restricted));

    // An undamaged stream under its key is found out, if there is a frame to try. The random start may look
    // like something else, once in 2^16.
    let whole = stream.bytes();
    let (ad, chunk_size) = (&stream.ad[..], stream.chunk_size);
    let found = inside::detect(File::new(&whole).path(), &key(), ad, chunk_size);
    let looks_otherwise = [b"SS55-v".as_slice(), b"\xff\xfe", b"\xfe\xff"]
        .iter()
        .any(|start| whole.starts_with(start));
    match format {
        Format::V2 => assert_eq!(found.as_deref(), Ok("v2")),
        _ if looks_otherwise => {}
        Format::V1 if stream.pieces.len() < 2 => assert!(found.is_err()),
        Format::V1 => assert_eq!(found.as_deref(), Ok("v1")),
        Format::Libsodium => assert_eq!(found.as_deref(), Ok("libsodium")),
    }
});

/// Without a valid frame only v2 has a name.
fn detect_any(bytes: &[u8]) {
    let file = File::new(bytes);
    let found = inside::detect(file.path(), &key(), b"", 8192);
    assert_eq!(
        found.as_deref() == Ok("v2"),
        bytes.starts_with(&MAGIC),
        "{found:?}"
    );
}
