//! Fuzzes: builds the targets of fuzz/ with libFuzzer and the address sanitizer, and runs them.
//!
//! With the cargo and the compiler that run this program, and no other: what is fuzzed is what is released,
//! and no second toolchain has to be there. The two flags that a stable compiler does not take it takes here.

use crate::{debian, process};
use anyhow::{Context, Result, bail, ensure};
use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

mod seeds;

/// What each target throws bytes at.
const TARGETS: &[(&str, &str)] = &[
    ("wire_v2", "headers and frames of v2"),
    ("decrypt_v2", "the reader of v2"),
    ("decrypt_v1", "the reader of v1"),
    ("decrypt_libsodium", "the reader of libsodium's layout"),
    ("formats", "which format it is"),
    ("secretstream", "chunks, next to libsodium's own"),
    ("engines", "every engine, next to libsodium"),
    ("chacha", "every cipher and backend, with seeks"),
    ("poly1305", "every backend, in pieces"),
    ("serpent", "blocks and XTS, next to RustCrypto's cipher"),
    ("siv", "every backend, next to a straight composition"),
    ("keys", "key files"),
    ("inspect", "ss55 inspect"),
];

/// Seconds a target, unless it is said otherwise.
pub const SECONDS: u32 = 60;
/// The sanitizer asks for a target to be named, or it would instrument build scripts too.
const MACHINE: &str = "x86_64-unknown-linux-gnu";
/// What cargo-fuzz passes.
const FLAGS: &str = "-Zsanitizer=address --cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";
/// Longest input. Scripts make long streams of few bytes.
const MAX_LEN: u32 = 4096;

/// Fuzzes the named targets, or all of them.
pub fn run(seconds: u32, names: &[String]) -> Result<()> {
    ensure!(
        cfg!(all(target_arch = "x86_64", target_os = "linux")),
        "needs Linux on x86-64: it compiles for this machine"
    );
    let targets = choose(names)?;
    seeds::check(&corpus())?;
    debian::install(None, &["g++"])?; // libFuzzer
    build()?;
    let side_by_side = thread::available_parallelism().map_or(1, usize::from);
    let queue = Mutex::new(VecDeque::from(targets));
    let results = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..side_by_side {
            scope.spawn(|| {
                while let Some(target) = take(&queue) {
                    let run = target.run(seconds);
                    results
                        .lock()
                        .expect("no thread panics")
                        .push((target, run));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics");
    results.sort_by_key(|(target, _)| TARGETS.iter().position(|(name, _)| *name == target.name));
    report(results)
}

fn take(queue: &Mutex<VecDeque<Target>>) -> Option<Target> {
    queue.lock().expect("no thread panics").pop_front()
}

/// Writes the first inputs of every target, made from testdata/.
pub fn write_seeds() -> Result<()> {
    seeds::write(&corpus())
}

fn corpus() -> PathBuf {
    crate::root().join("fuzz/corpus")
}

fn choose(names: &[String]) -> Result<Vec<Target>> {
    for name in names {
        let known = TARGETS.iter().any(|(known, _)| known == name);
        let all: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
        ensure!(known, "{name} is no target; there are {}", all.join(", "));
    }
    let chosen = |name: &str| names.is_empty() || names.iter().any(|chosen| chosen == name);
    Ok(TARGETS
        .iter()
        .filter(|(name, _)| chosen(name))
        .map(|(name, what)| Target { name, what })
        .collect())
}

fn build() -> Result<()> {
    let mut build = process::cargo();
    build
        .current_dir(crate::root().join("fuzz"))
        .args(["build", "--quiet", "--locked", "--release"])
        .args(["--target", MACHINE, "--target-dir"])
        .arg(crate::root().join("target/fuzz"))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", FLAGS);
    process::succeed(&mut build)
}

#[derive(Clone, Copy)]
struct Target {
    name: &'static str,
    what: &'static str,
}

/// What libFuzzer printed at the end.
#[derive(Debug, PartialEq, Eq)]
struct Figures {
    executions: u64,
    per_second: u64,
    /// Edges of the program's flow that some input takes, and features: how often, with which operands.
    edges: u64,
    features: u64,
}

impl Target {
    fn binary(self) -> PathBuf {
        let folder = crate::root().join("target/fuzz").join(MACHINE);
        folder.join("release").join(self.name)
    }

    /// # Errors
    /// If an input makes it fail; the message names the input and how to run it again.
    fn run(self, seconds: u32) -> Result<Figures> {
        let artifacts = crate::root().join("fuzz/artifacts").join(self.name);
        // What is found stays for the next run, and the seeds as they are.
        let found = crate::root().join("target/fuzz/corpus").join(self.name);
        for folder in [&artifacts, &found] {
            fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
        }
        let output = Command::new(self.binary())
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-max_len={MAX_LEN}"))
            .args(["-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1"])
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .args([&found, &corpus().join(self.name)])
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", self.name))?;
        let log = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            bail!("{}: {}\n{}", self.name, output.status, explain(self, &log));
        }
        let figures = Figures::read(&log)
            .with_context(|| format!("{}: no figures in\n{}", self.name, tail(&log, 20)))?;
        println!("fuzz: {}: passed ({})", self.name, self.what);
        Ok(figures)
    }
}

impl Figures {
    /// From lines such as `#123 DONE cov: 4 ft: 5 corp: 6/7b` and `stat::number_of_executed_units: 123`.
    fn read(log: &str) -> Option<Self> {
        let stat = |name: &str| {
            let line = log.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().parse().ok()
        };
        let done = log.lines().find(|line| line.contains("DONE"))?;
        let field = |name: &str| {
            let mut words = done.split_whitespace();
            words.find(|word| *word == name)?;
            words.next()?.parse().ok()
        };
        Some(Figures {
            executions: stat("stat::number_of_executed_units:")?,
            per_second: stat("stat::average_exec_per_sec:")?,
            edges: field("cov:")?,
            features: field("ft:")?,
        })
    }
}

/// What went wrong, and the command that shows it again.
fn explain(target: Target, log: &str) -> String {
    let binary = target.binary();
    let again = match log
        .lines()
        .find_map(|line| line.split_once("Test unit written to "))
    {
        Some((_, path)) => format!("again: {} {path}", binary.display()),
        None => format!("no input was written; run {}", binary.display()),
    };
    let message = log
        .lines()
        .position(|line| line.contains("panicked at") || line.contains("ERROR: "))
        .map_or_else(
            || tail(log, 20),
            |at| log.lines().skip(at).take(20).collect::<Vec<_>>().join("\n"),
        );
    format!("{message}\n{again}")
}

fn tail(log: &str, lines: usize) -> String {
    let all: Vec<_> = log.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

fn report(results: Vec<(Target, Result<Figures>)>) -> Result<()> {
    println!("| target | executions | per second | edges | features |");
    println!("|---|---:|---:|---:|---:|");
    let mut faults = Vec::new();
    for (target, result) in results {
        match result {
            Ok(Figures {
                executions,
                per_second,
                edges,
                features,
            }) => println!(
                "| `{}` | {executions} | {per_second} | {edges} | {features} |",
                target.name
            ),
            Err(error) => {
                println!("| `{}` | failed | | | |", target.name);
                faults.push(format!("{error:#}"));
            }
        }
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n\n"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
#12\tINITED cov: 1 ft: 2 corp: 1/1b exec/s: 0 rss: 40Mb
#232759\tDONE   cov: 305 ft: 469 corp: 60/2800b lim: 4096 exec/s: 14547 rss: 360Mb
Done 232759 runs in 16 second(s)
stat::number_of_executed_units: 232759
stat::average_exec_per_sec:     14547
";

    #[test]
    fn figures_are_read() {
        let figures = Figures {
            executions: 232_759,
            per_second: 14547,
            edges: 305,
            features: 469,
        };
        assert_eq!(Figures::read(LOG), Some(figures));
        assert_eq!(Figures::read(&LOG.replace("DONE", "PULSE")), None);
    }

    /// The targets that fuzz/Cargo.toml has.
    fn declared() -> Vec<String> {
        let text = fs::read_to_string(crate::root().join("fuzz/Cargo.toml")).unwrap();
        text.lines()
            .skip_while(|line| *line != "[[bin]]")
            .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn all_targets_are_run() {
        let listed: Vec<_> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(listed, declared());
        assert_eq!(choose(&[]).unwrap().len(), TARGETS.len());
        assert_eq!(choose(&["keys".into()]).unwrap()[0].name, "keys");
        assert!(choose(&["key".into()]).is_err());
    }

    #[test]
    fn a_crash_says_how_to_see_it_again() {
        let target = Target {
            name: "keys",
            what: "",
        };
        let log = "a\nthread panicked at x.rs:1:\nboom\nTest unit written to /a/crash-1\n";
        let text = explain(target, log);
        assert!(
            text.starts_with("thread panicked at x.rs:1:\nboom"),
            "{text}"
        );
        assert!(text.ends_with("release/keys /a/crash-1"), "{text}");
    }
}
