//! A part of a file: its bytes, or an error; never bytes of a frame that does not open.

use crate::support::{Sandbox, pat, v1_parts, v2_parts};

const FRAME: usize = 65536;

fn with_file(plaintext: &[u8]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("p", plaintext);
    sandbox.run("encrypt -k k p").succeeds();
    sandbox
}

#[test]
fn ranges() {
    let plaintext = pat(3 * FRAME + 100);
    let len = plaintext.len();
    let sandbox = with_file(&plaintext);
    for (range, expected) in [
        ("0..0".to_owned(), 0..0),
        ("..5".to_owned(), 0..5),
        (
            format!("{}..{}", FRAME - 2, FRAME + 2),
            FRAME - 2..FRAME + 2,
        ),
        (format!("{FRAME}..{}", 3 * FRAME), FRAME..3 * FRAME),
        (format!("{}..", len - 7), len - 7..len),
        (format!("{len}.."), len..len),
        ("..".to_owned(), 0..len),
    ] {
        let run = sandbox
            .run(&format!("cat -k k --range {range} p.ss55"))
            .succeeds();
        assert!(run.stdout == plaintext[expected], "{range}");
    }
    for range in ["1", "a..b", "5..4", "-1..5", "1...5", "1..2..3"] {
        sandbox
            .run(&format!("cat -k k --range={range} p.ss55"))
            .shows_misuse("range");
    }
    for range in [format!("0..{}", len + 1), format!("{}..", len + 1)] {
        sandbox
            .run(&format!("cat -k k --range {range} p.ss55"))
            .fails(2, &[&format!("has {len} bytes of plaintext")]);
    }
    for (range, has_second) in [
        (format!("{}..", len + 1), false),
        ("0..9999999".into(), true),
    ] {
        let run = sandbox.run(&format!("cat -k k --range {range} p.ss55"));
        assert_eq!(run.stderr.contains("second number"), has_second, "{range}");
    }
    for range in ["18446744073709551616..", "1..99999999999999999999"] {
        sandbox
            .run(&format!("cat -k k --range={range} p.ss55"))
            .shows_misuse("below 2^64");
    }
    let help = sandbox.run("cat --help").succeeds().stdout;
    let help = String::from_utf8(help).unwrap();
    let words: Vec<_> = help.split_whitespace().collect();
    assert!(words.join(" ").contains("A range past the end is an error"));
    sandbox
        .run("cat -k k --range 5..9 -o out p.ss55")
        .succeeds();
    assert_eq!(sandbox.read("out"), plaintext[5..9]);
}

#[test]
fn damage_is_found_where_it_is_read() {
    let plaintext = pat(3 * FRAME + 100);
    let sandbox = with_file(&plaintext);
    let mut stream = sandbox.read("p.ss55");
    let second = 36 + FRAME + 21;
    stream[second + 70] ^= 1;
    sandbox.write("bad", &stream);
    sandbox.write("out", "old");
    sandbox.run("cat -k k --range 5..9 bad").succeeds();
    let range = format!("{}..", 3 * FRAME);
    let run = sandbox
        .run(&format!("cat -k k --range {range} bad"))
        .succeeds();
    assert!(run.stdout == plaintext[3 * FRAME..]);
    sandbox
        .run(&format!("cat -k k --range {}.. -o out bad", FRAME + 1))
        .fails(3, &[&format!("damage in the frame at byte {second}")]);
    assert_eq!(sandbox.read("out"), b"old");
    // Half of it is written, and no file appears.
    sandbox
        .run("cat -k k --range 0.. -o new bad")
        .fails(3, &["damage in the frame"]);
    assert!(!sandbox.exists("new"));
}

#[test]
fn what_has_no_end_or_another_key() {
    let plaintext = pat(FRAME + 100);
    let sandbox = with_file(&plaintext);
    let stream = sandbox.read("p.ss55");
    for cut in [
        0,
        20,
        36,
        36 + FRAME + 21,
        stream.len() - 21,
        stream.len() - 1,
    ] {
        sandbox.write("cut", &stream[..cut]);
        // Which frame it is, is not known.
        let run = sandbox
            .run("cat -k k --range 0..1 cut")
            .fails(4, &["truncated"]);
        assert!(!run.stderr.contains("at byte"), "{}", run.stderr);
        assert_eq!(run.stderr.contains("the input is empty"), cut == 0);
    }
    sandbox.write("more", [&stream[..], b"x"].concat());
    sandbox
        .run("cat -k k --range 0..1 more")
        .fails(5, &["data after the end"]);
    sandbox.run("cat -k other --range 0..1 p.ss55").fails(
        3,
        &[
            "authentication failed at the first or the last frames",
            "wrong key",
        ],
    );
    sandbox
        .run("cat -k k --ad x --range 0..1 p.ss55")
        .fails(3, &["wrong --ad"]);
    sandbox.write("v1", v1_parts(&[b"old"]).concat());
    sandbox
        .run("cat -k k --range 0..1 v1")
        .fails(5, &["not an SS55 v2 stream", "only v2", "`ss55 decrypt`"]);
    sandbox
        .run("cat -k k --range 0..1 -")
        .fails(2, &["named file"]);
    sandbox
        .run("cat -k k --range 0..1 missing")
        .fails(1, &["missing"]);
    sandbox
        .run("cat -k k --range 0..1 -o p.ss55 p.ss55")
        .fails(2, &["are one file"]);
    // Frames of any lengths.
    sandbox.write("short", v2_parts(&[b"one", b"three", b"x"]).concat());
    let run = sandbox.run("cat -k k --range 2..6 short").succeeds();
    assert_eq!(run.stdout, b"ethr");
}

/// No error claims more of a stream than was authenticated.
#[test]
fn what_was_not_read_is_not_called_authentic() {
    let plaintext = pat(3 * FRAME + 100);
    let sandbox = with_file(&plaintext);
    let stream = sandbox.read("p.ss55");
    let longer = [&stream[..], b"x\n"].concat();
    sandbox.write("longer", &longer);
    let failure = |key, file, range: &str, code, words: &[&str]| {
        let run = sandbox
            .run(&format!("cat -k {key} --range {range} {file}"))
            .fails(code, words);
        for claim in ["and authentic", "is authentic;", "at byte 0"] {
            assert!(!run.stderr.contains(claim), "{}", run.stderr);
        }
        assert!(
            run.stderr.ends_with("`ss55 verify` tells\n"),
            "{}",
            run.stderr
        );
    };
    failure("k", "longer", "0..1", 5, &["data after the end"]);
    failure("other", "longer", "0..1", 3, &["wrong key"]);
    // An end of nobody's.
    let parts = v2_parts(&[b"x"]);
    let forged = [&parts[0][..], &[0, 0, 0, 17, 3], &[0; 16], b"more"].concat();
    sandbox.write("forged", forged);
    failure("k", "forged", "0..1", 3, &["wrong key"]);

    let frame = |number: usize| 36 + number * (FRAME + 21);
    let mut damaged = stream.clone();
    for number in [0, 2] {
        damaged[frame(number) + 70] ^= 1;
    }
    sandbox.write("damaged", &damaged);
    let range = format!("{}..{}", 2 * FRAME, 2 * FRAME + 9);
    let place = format!("damage in the frame at byte {}", frame(2));
    failure("k", "damaged", &range, 3, &[&place, "the key is right"]);

    // A wrong length near the end: nobody knows which frame it was.
    let mut parts = v2_parts(&[b"one", b"three"]);
    parts[2][2] = 9;
    parts[2][4] = 3;
    sandbox.write("length", parts.concat());
    let run = sandbox
        .run("cat -k k --range 0..1 length")
        .fails(5, &["malformed: a frame says"]);
    assert!(!run.stderr.contains("at byte"), "{}", run.stderr);
}
