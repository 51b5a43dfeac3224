//! What continuous integration runs beyond `cargo test`.

use anyhow::{Context, Result};
use std::time::{Duration, Instant};

type Check = fn() -> Result<()>;

/// From the quickest to the slowest: what fails at all should fail early.
const CHECKS: &[(&str, Check)] = &[
    ("layers", crate::layers::run),
    ("header --check", || crate::header::run(true)),
    ("vectors --serpent", || crate::vectors::run(true)),
    ("serpent-corpus", || crate::serpent_corpus::run(false)),
    ("examples", crate::examples::run),
    ("package", crate::package::run),
    ("cue", crate::cue::run),
    ("capi", crate::capi::run),
    ("interop --clients", || crate::interop::run(true)),
    ("codegen", crate::codegen::run),
    ("codegen --seeded", crate::codegen::seeded::run),
    ("codegen --neon", || crate::codegen::neon::check(false)),
    ("wasm", crate::wasm::run),
    ("cpus", crate::cpus::run),
    ("dist --twice", || crate::dist::run(true)),
    ("picture --check", || crate::picture::run(true)),
    ("soak --gib 4", || crate::soak::run(4, None, None)),
    ("constant-time", crate::constant_time::run),
    ("sanitize", crate::sanitize::run),
    ("fuzz", || crate::fuzz::run(crate::fuzz::SECONDS, &[])),
    ("cross", || crate::cross::run(&[])),
];

/// # Errors
/// If a check fails: the ones after it have not run.
pub fn run() -> Result<()> {
    let mut took = Vec::with_capacity(CHECKS.len());
    for (name, check) in CHECKS {
        println!("ci: {name}");
        let start = Instant::now();
        check().with_context(|| format!("cargo xtask {name}"))?;
        took.push((*name, start.elapsed()));
    }
    print!("{}", table(&took));
    println!("ci: {} checks passed", CHECKS.len());
    Ok(())
}

/// A line a check.
fn table(took: &[(&str, Duration)]) -> String {
    let line = |(name, time): &(&str, Duration)| {
        let seconds = time.as_secs_f64().ceil();
        format!("ci: {seconds:>5} s  {name}\n")
    };
    took.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_started_second_counts() {
        let took = [
            ("layers", Duration::from_millis(1)),
            ("cross", Duration::from_millis(410_001)),
        ];
        assert_eq!(table(&took), "ci:     1 s  layers\nci:   411 s  cross\n");
    }
}
