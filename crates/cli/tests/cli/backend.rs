//! Which kernels run, and how fast.

use crate::support::{CommandExt, KEY, Sandbox};
use ss55_aead::{Engine, SimdEngine};

/// Every backend of this machine reads what every other has written.
#[test]
fn backends_are_chosen_by_name() {
    let sandbox = Sandbox::new();
    let names: Vec<_> = SimdEngine::available()
        .map(|engine| engine.name())
        .collect();
    assert!(names.contains(&"portable"));
    let plaintext = vec![7; 100_000];
    for format in ["v2", "libsodium"] {
        for writer in &names {
            let sealed = sandbox
                .command(["encrypt", "--format", format])
                .env("SS55_KEY", hex::encode(KEY))
                .env("SS55_BACKEND", writer)
                .pipe(&plaintext)
                .succeeds()
                .stdout;
            for reader in &names {
                let opened = sandbox
                    .command(["decrypt"])
                    .env("SS55_KEY", hex::encode(KEY))
                    .env("SS55_BACKEND", reader)
                    .pipe(&sealed)
                    .succeeds();
                assert!(opened.stdout == plaintext, "{format}: {writer}, {reader}");
            }
        }
    }
}

/// An unknown backend is a usage error, before any file is made.
#[test]
fn an_unknown_backend_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("f", "data");
    sandbox
        .command(["encrypt", "--new-key", "fresh", "f"])
        .env("SS55_BACKEND", "abacus")
        .pipe(b"")
        .fails(2, &["SS55_BACKEND", "portable"]);
    assert!(!sandbox.exists("fresh") && !sandbox.exists("f.ss55"));
}

#[test]
fn bench_names_the_backends_and_prints_a_table() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .command(["bench"])
        .env("SS55_BACKEND", "portable")
        .pipe(b"")
        .succeeds();
    let text = String::from_utf8(run.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("backend: portable"));
    let fastest = SimdEngine::new().name();
    for name in SimdEngine::NAMES {
        let line = lines.next().unwrap();
        let state = match *name {
            "portable" if fastest == "portable" => "selected: the fastest",
            "portable" => "selected by SS55_BACKEND",
            other if SimdEngine::by_name(other).is_some() => "there",
            _ => "not there: this machine lacks ",
        };
        let words = line.strip_prefix("  ").unwrap().strip_prefix(name);
        assert!(words.unwrap().trim_start().starts_with(state), "{line}");
    }
    // Under two lines of head, eight rows, each with five figures above zero.
    let rows: Vec<_> = lines.skip(2).collect();
    assert_eq!(rows.len(), 8, "{text}");
    for row in rows {
        let figures: Vec<f64> = row[24..]
            .split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect();
        assert!(
            figures.len() == 5 && figures.iter().all(|n| *n > 0.0),
            "{row}"
        );
    }
}
