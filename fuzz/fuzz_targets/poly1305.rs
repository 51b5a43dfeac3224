//! Poly1305 on all backends, in any pieces, against libsodium. Key and message are the fuzzer's own bytes:
//! carries are where patterns are not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ss55_fuzz::script::Script;
use ss55_poly1305::{Backend, Poly1305};

#[path = "../../crates/poly1305/tests/support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

fuzz_target!(|bytes: &[u8]| {
    let mut script = Script::new(bytes);
    let choice = script.byte();
    let key = match choice & 3 {
        0 => oracle::LARGEST_R,
        _ => script.array(),
    };
    let cuts = script.array::<4>();
    let message: Box<[u8]> = match choice >> 2 & 3 {
        0 => {
            // One block or two, over and over.
            let (times, block) = (script.size(200), script.bytes(32));
            block.repeat(times).into()
        }
        1 => {
            let len = script.size(10_000);
            script.message(len)
        }
        _ => script.rest().into(),
    };
    let expected = oracle::tag(&key, &message);
    for backend in Backend::available() {
        let mut mac = Poly1305::with_backend(backend, &key);
        let mut rest = &message[..];
        for cut in cuts {
            // Of any size, by 8 at times.
            let len = usize::from(cut) * (1 + 7 * usize::from(cut & 1));
            let (piece, after) = rest.split_at(len.min(rest.len()));
            mac.update(piece);
            rest = after;
        }
        mac.update(rest);
        assert_eq!(mac.finalize(), expected, "{}", backend.name());
    }
    assert_eq!(Poly1305::mac(&key, &message), expected);
});
