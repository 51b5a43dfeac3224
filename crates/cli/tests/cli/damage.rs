//! Streams that are not what was written: which error, which code, where.

use crate::support::{NONCE, Sandbox, libsodium_parts, pat, v1_parts, v2_parts};
use ss55_wire::{secretstream::Tag, v2};

/// The ends of all parts, and where else a cut hurts.
fn cuts(parts: &[Vec<u8>]) -> Vec<usize> {
    let mut cuts = vec![0, 1, 7, 8, 9, 12, 23];
    let mut end = 0;
    for part in parts {
        // Within the length, between length and tag, behind the tag; around the edge.
        cuts.extend([end + 2, end + 4, end + 5]);
        end += part.len();
        cuts.extend([end - 1, end, end + 1]);
    }
    cuts.retain(|cut| *cut < end);
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

#[test]
fn every_cut_of_v2_says_truncated() {
    let sandbox = Sandbox::new();
    let parts = v2_parts(&[&pat(300), &pat(65536), b"x"]);
    let stream = parts.concat();
    for cut in cuts(&parts) {
        for format in ["auto", "v2"] {
            sandbox
                .pipe(&format!("verify -k k --format {format}"), &stream[..cut])
                .fails(4, &["standard input: truncated"]);
        }
    }
    sandbox.pipe("verify -k k", &stream).succeeds();
}

/// What is cut there is no frame.
#[test]
fn a_cut_header_is_called_one() {
    let sandbox = Sandbox::new();
    let v2 = v2_parts(&[b"x"]).concat();
    for (stream, lens) in [(&v2[..], 1..v2::HEADER_LEN), (&NONCE, 1..NONCE.len())] {
        for len in lens {
            sandbox.write("cut", &stream[..len]);
            for command in ["verify -k k", "inspect"] {
                sandbox
                    .run(&format!("{command} cut"))
                    .fails(4, &["\"cut\": truncated: the header is cut\n"]);
            }
            if stream.starts_with(&v2::MAGIC) {
                sandbox
                    .run("cat -k k --range .. cut")
                    .fails(4, &["truncated: the header is cut\n"]);
            }
        }
    }
}

#[test]
fn every_cut_of_the_libsodium_layout_says_truncated() {
    let sandbox = Sandbox::new();
    let full = pat(8192);
    let chunks = [
        (Tag::MESSAGE, &full[..]),
        (Tag::MESSAGE, &full),
        (Tag::FINAL, b"end"),
    ];
    let parts = libsodium_parts(&chunks);
    let stream = parts.concat();
    for cut in cuts(&parts) {
        for format in ["auto", "libsodium"] {
            sandbox
                .pipe(&format!("verify -k k --format {format}"), &stream[..cut])
                .fails(4, &["standard input: truncated"]);
        }
    }
    sandbox.pipe("verify -k k", &stream).succeeds();
}

#[test]
fn a_cut_of_v1_says_truncated_but_on_the_edge_of_a_frame() {
    let sandbox = Sandbox::new();
    let parts = v1_parts(&[&pat(300), b"x"]);
    let stream = parts.concat();
    let edge = parts[0].len() + parts[1].len();
    for cut in cuts(&parts) {
        let run = sandbox.pipe("verify -k k", &stream[..cut]);
        if cut == edge {
            assert!(run.status.success() && run.stderr.contains("warning"));
        } else {
            run.fails(4, &["standard input: truncated"]);
        }
    }
}

#[test]
fn the_empty_file_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("f.ss55", b"");
    for format in ["auto", "v2", "v1", "libsodium"] {
        let args = format!("decrypt -k k --format {format} f.ss55");
        sandbox.run(&args).fails(4, &["\"f.ss55\"", "empty"]);
    }
    assert!(!sandbox.exists("f"));
}

#[test]
fn data_after_the_end_are_an_error() {
    let sandbox = Sandbox::new();
    let parts = v2_parts(&[&pat(100)]);
    let stream = parts.concat();
    let tails: [&[u8]; 5] = [b"\0", &[0; 17], &stream, &parts[1], parts.last().unwrap()];
    for tail in tails {
        sandbox
            .pipe("verify -k k", &[&stream, tail].concat())
            .fails(
                5,
                &[&format!(
                    "data after the end of the stream, which is at byte {}\n",
                    stream.len()
                )],
            );
    }

    let full = pat(8192);
    let parts = libsodium_parts(&[
        (Tag::MESSAGE, &full),
        (Tag::FINAL, b"end"),
        (Tag::MESSAGE, &full),
    ]);
    let whole = parts[..3].concat();
    let tails: [&[u8]; 4] = [b"\0", &[0; 17], &whole, &parts[3]];
    for tail in tails {
        sandbox
            .pipe("verify -k k", &[&whole, tail].concat())
            .fails(5, &["data after the end"]);
    }
    // Here the FINAL chunk is the first one, from which the format is recognised.
    let parts = libsodium_parts(&[(Tag::FINAL, b"end"), (Tag::FINAL, b"more")]);
    sandbox
        .pipe("verify -k k", &parts.concat())
        .fails(5, &["data after the end"]);
}

#[test]
fn frames_open_in_their_own_place_only() {
    let sandbox = Sandbox::new();
    let parts = v2_parts(&[&pat(100), &pat(101), &pat(102)]);
    let foreign = v2_parts(&[&pat(103)]);
    let order = |order: &[usize]| order.iter().flat_map(|i| parts[*i].clone()).collect();
    let swapped: Vec<u8> = order(&[0, 2, 1, 3, 4]);
    let doubled: Vec<u8> = order(&[0, 1, 1, 2, 3, 4]);
    let dropped: Vec<u8> = order(&[0, 1, 3, 4]);
    let early_end: Vec<u8> = order(&[0, 1, 4]);
    let mut joined: Vec<u8> = order(&[0, 1]);
    joined.extend(&foreign[1]);
    sandbox
        .pipe("verify -k k", &swapped)
        .fails(3, &["at the first frame"]);
    let second = (36 + parts[1].len()).to_string();
    for stream in [doubled, dropped, early_end, joined] {
        sandbox
            .pipe("verify -k k", &stream)
            .fails(3, &["damage in the frame at byte", &second]);
    }
}

#[test]
fn tags_and_magics_cannot_be_exchanged() {
    let sandbox = Sandbox::new();
    let stream = v2_parts(&[b"", b"x"]).concat();
    let with = |at: usize, byte: u8| {
        let mut stream = stream.clone();
        stream[at] = byte;
        stream
    };
    // The first frame is empty, so that its length allows a final one.
    sandbox.pipe("verify -k k", &with(40, 3)).fails(3, &[]);
    let last = stream.len() - v2::FINAL_FRAME_LEN + 4;
    sandbox
        .pipe("verify -k k", &with(last, 0))
        .fails(3, &["byte 79"]);
    sandbox
        .pipe("verify -k k", &with(last, 1))
        .fails(5, &["unknown tag 0x01", "byte 79"]);
    sandbox.pipe("verify -k k", &with(57 + 4, 3)).fails(
        5,
        &["the frame at byte 57", "final", "18 bytes", "always 17"],
    );
    let v1_magic = with(6, b'1');
    sandbox
        .pipe("verify -k k", &v1_magic)
        .fails(5, &["version"]);
    sandbox
        .pipe("verify -k k", &with(9, 3))
        .fails(5, &["version", "3"]);
    sandbox
        .pipe("verify -k k", &with(11, 1))
        .fails(5, &["flags", "0x0001"]);
    // v1 frames behind a v2 header, and the reverse.
    let mut mixed = v2_parts(&[])[0].clone();
    mixed.extend(&v1_parts(&[&pat(50)])[1]);
    let run = sandbox.pipe("verify -k k", &mixed);
    assert!(matches!(run.status.code(), Some(3..=5)), "{}", run.stderr);
    let mut mixed = NONCE.to_vec();
    mixed.extend(&stream[36..]);
    sandbox.pipe("verify -k k", &mixed).fails(3, &[]);
}

#[test]
fn a_wrong_key_and_damage_are_told_apart() {
    let sandbox = Sandbox::new();
    let five = [pat(65536), pat(65536), pat(65536), pat(65536), pat(10)];
    let frames: Vec<_> = five.iter().map(Vec::as_slice).collect();
    let stream = v2_parts(&frames).concat();
    sandbox.write("f.ss55", &stream);
    let wrong = sandbox.run("decrypt -k other f.ss55 -o -");
    assert!(wrong.stdout.is_empty());
    wrong.fails(3, &["\"f.ss55\"", "first frame", "wrong key"]);

    let mut damaged = stream;
    let third = v2::HEADER_LEN + 2 * v2::MAX_FRAME_LEN;
    damaged[third + 100] ^= 1;
    sandbox.write("f.ss55", damaged);
    let run = sandbox.run("decrypt -k k f.ss55 -o -");
    // What came before is authentic, and was given out.
    assert!(run.stdout == [pat(65536), pat(65536)].concat());
    run.fails(3, &["\"f.ss55\"", "damage", &third.to_string()]);
}

#[test]
fn what_was_never_a_stream_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "photo",
        b"\x89PNG\r\n\x1a\n and so on, for long enough to have a header",
    );
    sandbox
        .run("verify -k k photo")
        .fails(3, &["\"photo\"", "wrong key, or not such a stream"]);
    sandbox
        .run("verify -k k --format v2 photo")
        .fails(5, &["\"photo\"", "not an SS55 v2 stream"]);
}

#[test]
fn a_stream_that_became_text_says_so() {
    let sandbox = Sandbox::new();
    let stream = v2_parts(&[b"text"]).concat();
    let text: String = stream.iter().map(|byte| char::from(*byte)).collect();
    let units = || std::iter::once(0xfeff).chain(text.encode_utf16());
    let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
    assert!(little.starts_with(b"\xff\xfe"));
    for converted in [little, big] {
        sandbox.write("f.ss55", converted);
        for command in ["verify -k k", "verify -k k --format v2"] {
            sandbox
                .run(&format!("{command} f.ss55"))
                .fails(5, &["\"f.ss55\"", "UTF-16", "-o"]);
        }
        sandbox.run("inspect f.ss55").fails(5, &["UTF-16"]);
    }
}

#[test]
fn a_flipped_bit_is_found_anywhere() {
    let sandbox = Sandbox::new();
    let v2 = v2_parts(&[b"ab", b"c"]).concat();
    let libsodium = libsodium_parts(&[(Tag::FINAL, b"abc")]).concat();
    for stream in [v2, libsodium] {
        for at in 0..stream.len() {
            let mut damaged = stream.clone();
            damaged[at] ^= 0x10;
            let run = sandbox.pipe("verify -k k", &damaged);
            // These four the format carries and does not authenticate.
            let is_free = stream.starts_with(&v2::MAGIC) && (32..36).contains(&at);
            assert_eq!(run.status.success(), is_free, "byte {at}: {}", run.stderr);
        }
    }
}
