//! What continuous integration runs beyond `cargo test`. `cargo xtask cross`, which compiles everything four
//! times more, is a job of its own there.

use anyhow::{Context, Result};

type Check = fn() -> Result<()>;

const CHECKS: &[(&str, Check)] = &[
    ("layers", crate::layers::run),
    ("vectors", || crate::vectors::run(false)),
    ("cue", crate::cue::run),
    ("interop --clients", || crate::interop::run(true)),
    ("codegen", crate::codegen::run),
    ("cpus", crate::cpus::run),
    ("constant-time", crate::constant_time::run),
    ("fuzz", || crate::fuzz::run(crate::fuzz::SECONDS, &[])),
];

pub fn run() -> Result<()> {
    for (name, check) in CHECKS {
        println!("ci: {name}");
        check().with_context(|| format!("cargo xtask {name}"))?;
    }
    println!("ci: {} checks passed", CHECKS.len());
    Ok(())
}
