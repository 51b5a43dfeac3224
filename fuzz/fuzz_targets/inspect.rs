//! What `ss55 inspect` says without a key, and whether it holds with one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use ss55_cli::inside;
use ss55_fuzz::{
    files::File,
    script::Script,
    streams::{Format, Stream, read_libsodium, read_ss55},
};
use ss55_stream::Formats;

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    let format = match script.byte() & 3 {
        0 => Format::V2,
        1 => Format::V1,
        2 => Format::Libsodium,
        _ => {
            inspect(script.rest(), 8192);
            return;
        }
    };
    let stream = Stream::write(format, &mut script);
    let damaged = stream.damaged(&mut script);
    let report = inspect(&damaged, stream.chunk_size);
    let manner = script.array::<8>();
    let (format, outcome) = match format {
        Format::Libsodium => (
            "probably libsodium",
            read_libsodium(&damaged, stream.chunk_size, &mut Script::new(&manner)),
        ),
        Format::V2 => (
            "v2",
            read_ss55(&damaged, Formats::V2, &stream.ad, &mut Script::new(&manner)),
        ),
        Format::V1 => (
            "v1",
            read_ss55(&damaged, Formats::V1, &stream.ad, &mut Script::new(&manner)),
        ),
    };
    // Noise may look like another format, and a header alone like none.
    if outcome.end.is_ok() && report["format"] == format {
        assert_eq!(
            report["plaintext_size"],
            outcome.plaintext.len(),
            "{report}"
        );
        assert_ne!(report["ends_properly"], false, "{report}");
    }
    if format == "v2" && damaged == stream.bytes() {
        assert_eq!(report["format"], "v2");
        assert_eq!(report["frames"], stream.plaintexts.len() + 1);
        assert_eq!(report["ends_properly"], true);
    }
});

/// A file that is skipped through and a pipe that is read give one report.
fn inspect(bytes: &[u8], chunk_size: usize) -> Value {
    let report = |file: &File| {
        let (mut json, text) =
            inside::inspect(file.path(), chunk_size as u64).expect("memory can be read");
        json["file"].take();
        (json, text)
    };
    let of_file = report(&File::new(bytes));
    if let Some(pipe) = File::pipe(bytes) {
        assert_eq!(report(&pipe), of_file);
    }
    let (json, _) = of_file;
    assert_eq!(json["size"], bytes.len());
    assert!(
        json["plaintext_size"].as_u64() <= Some(bytes.len() as u64),
        "{json}"
    );
    assert_eq!(
        json["problem"].is_null(),
        json["ends_properly"] != false,
        "{json}"
    );
    json
}
