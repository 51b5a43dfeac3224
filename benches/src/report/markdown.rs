//! The page of tables.

use super::{Race, Report, length, targets::TARGETS};
use crate::{Operation, ours};
use std::fmt::Write;

/// The row of the peer that is best at each length.
const FASTEST: &str = "the fastest peer";

/// `docs/benchmarks.md`.
pub(super) fn page(report: &Report) -> String {
    let mut page = String::new();
    head(&mut page, report).expect("a String takes everything");
    targets(&mut page, report).expect("a String takes everything");
    for operation in Operation::ALL {
        tables(&mut page, report, operation).expect("a String takes everything");
    }
    tail(&mut page, report).expect("a String takes everything");
    page
}

fn head(page: &mut String, report: &Report) -> std::fmt::Result {
    let machine = &report.machine;
    writeln!(
        page,
        "# Benchmarks

Made by `cargo xtask bench` on {}; written by the program, not by hand.

![ChaCha20-Poly1305: throughput over message length, for each implementation](benchmarks.svg)

- Machine: {} ({}); one thread; {}
- GB/s = 10^9 bytes of message a second. All implementations of a table ran in one process, in turns of
  2 ms, forwards and backwards; the tables show the best turn of each. [benchmarks.json](benchmarks.json)
  has the medians too.
- Before it was timed, each had to give the same bytes as the portable backend.
- Absolute figures differ from machine to machine, and by a few per cent from run to run: a ratio within
  3 % of 1.00 is a draw.",
        days(report),
        machine.processor,
        machine.platform,
        machine.compiler
    )
}

/// The days of all races, each once.
fn days(report: &Report) -> String {
    let mut days: Vec<&str> = report.races.iter().map(|race| &*race.date).collect();
    days.sort_unstable();
    days.dedup();
    days.join(", ")
}

fn targets(page: &mut String, report: &Report) -> std::fmt::Result {
    let mut rows = String::new();
    for target in &TARGETS {
        for measured in target.measured(report) {
            let aim = target.aim.map_or("-".into(), |aim| format!("{aim:.2}"));
            writeln!(
                rows,
                "| {}: {}, {} | {} / {} | {:.2} | {aim} | **{:.2}** | {:.2} | {} |",
                target.what,
                measured.operation.name(),
                length(measured.size),
                target.subject,
                target.against,
                target.must,
                measured.best,
                measured.median,
                target.verdict(measured.best),
            )?;
        }
    }
    writeln!(
        page,
        "
## Targets

| what | ratio | must | aim | best turns | medians | |
|---|---|--:|--:|--:|--:|---|
{}",
        rows.trim_end()
    )
}

/// Throughput, then how far the chosen engine leads.
fn tables(page: &mut String, report: &Report, operation: Operation) -> std::fmt::Result {
    let races: Vec<&Race> = operation
        .sizes()
        .iter()
        .filter_map(|size| report.race(operation, *size))
        .collect();
    if races.is_empty() {
        return Ok(());
    }
    writeln!(page, "\n## {}\n", operation.title())?;
    header(page, "GB/s", &races)?;
    for name in report.names(operation) {
        row(page, name, &races, |race| Some(race.outcome(name)?.best))?;
    }
    writeln!(page)?;
    header(page, "ss55 / ...", &races)?;
    for name in report.names(operation) {
        if name != ours::CHOSEN {
            row(page, name, &races, |race| race.lead(name))?;
        }
    }
    if races.iter().any(|race| race.fastest_peer().is_some()) {
        row(page, FASTEST, &races, |race| {
            race.lead(race.fastest_peer()?)
        })?;
    }
    Ok(())
}

fn header(page: &mut String, corner: &str, races: &[&Race]) -> std::fmt::Result {
    let sizes: Vec<_> = races.iter().map(|race| length(race.size)).collect();
    writeln!(page, "| {corner} | {} |", sizes.join(" | "))?;
    writeln!(page, "|---|{}", "--:|".repeat(races.len()))
}

fn row(
    page: &mut String,
    name: &str,
    races: &[&Race],
    value: impl Fn(&Race) -> Option<f64>,
) -> std::fmt::Result {
    let bold = if [ours::CHOSEN, FASTEST].contains(&name) {
        "**"
    } else {
        ""
    };
    write!(page, "| {bold}{name}{bold} |")?;
    for race in races {
        match value(race) {
            Some(value) => write!(page, " {bold}{value:.2}{bold} |")?,
            None => write!(page, " |")?,
        }
    }
    writeln!(page)
}

fn tail(page: &mut String, report: &Report) -> std::fmt::Result {
    writeln!(
        page,
        "
## What exactly is measured

- A batch is 32 KiB of messages, or one message where that is longer, each on a cache line and with a
  nonce of its own. Before every run it is copied into place, off the clock.
- AEAD: 13 bytes of additional data; in place, tag apart. Keys and contexts that an interface can keep
  are made once. Extended nonces differ in their first bytes, so a subkey serves one message.
- secretstream: from buffer to buffer, chunks in the order of their stream, no additional data.
- ChaCha20 and Poly1305: from the nonce, or the one-time key, to the result.
- v2 stream, writing: 64 KiB a write into a writer that takes everything; a new stream after each GiB.
  Reading: 64 KiB a read from a stream of 512 KiB in memory, begun again at its end, and from one of
  64 MiB, which must come from beyond the caches. Beside them the bare AEAD on 64 KiB, from buffer to
  buffer as the streams use it, with 13 bytes of additional data.
- Release profile: thin LTO, one codegen unit. RustCrypto's AVX-512 kernels for ChaCha20 are off by
  default; here they are on (`--cfg chacha20_avx512`) where its version says so, which makes its long
  messages faster and its shortest ones slower.

| implementation | version |
|---|---|"
    )?;
    writeln!(page, "| ss55 | {} |", env!("CARGO_PKG_VERSION"))?;
    for (name, version) in &report.peers {
        writeln!(page, "| {name} | {version} |")?;
    }
    writeln!(
        page,
        "\n| operation | implementation | calls |\n|---|---|---|"
    )?;
    for operation in Operation::ALL {
        let sizes = operation.sizes();
        let Some(race) = sizes.iter().find_map(|size| report.race(operation, *size)) else {
            continue;
        };
        for outcome in &race.results {
            let backend = outcome.name.starts_with("ss55 ");
            if !backend {
                let (name, call) = (&outcome.name, &outcome.call);
                writeln!(page, "| {} | {name} | {call} |", operation.name())?;
            }
        }
    }
    Ok(())
}
