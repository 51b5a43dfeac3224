//! What continuous integration runs beyond `cargo test`.

use anyhow::{Context, Result};

type Check = fn() -> Result<()>;

const CHECKS: &[(&str, Check)] = &[
    ("layers", crate::layers::run),
    ("vectors", || crate::vectors::run(false)),
    ("cue", crate::cue::run),
    ("interop --clients", || crate::interop::run(true)),
];

pub fn run() -> Result<()> {
    for (name, check) in CHECKS {
        println!("ci: {name}");
        check().with_context(|| format!("cargo xtask {name}"))?;
    }
    println!("ci: {} checks passed", CHECKS.len());
    Ok(())
}
