//! Measures this project beside others and writes docs/benchmarks.{md,json,svg}.

use crate::{debian, root};
use anyhow::{Context, Result, bail};
use std::{env, process::Command};

/// Builds the comparison with all its peers, which takes minutes the first time, and runs it: five
/// minutes, or one if `quick`. With names in `only`, measures these operations alone and keeps the other
/// figures.
///
/// # Errors
/// If it cannot be built, or if an implementation gives wrong bytes.
pub fn run(quick: bool, only: &[String]) -> Result<()> {
    // Botan's Serpent is measured where Botan is to be had.
    let features = match debian::install(None, &["libbotan-2-dev"]) {
        Ok(()) => "peers,botan",
        Err(error) => {
            println!("bench: without Botan: {error:#}");
            "peers"
        }
    };
    // A switch of the peer's own, off by default: each runs at its best.
    let flags = env::var("RUSTFLAGS").unwrap_or_default() + " --cfg chacha20_avx512";
    let mut command = Command::new(env!("CARGO"));
    command
        .current_dir(root())
        .env("RUSTFLAGS", flags.trim())
        .args(["run", "--release", "--package", "ss55-benches"])
        .args(["--features", features, "--bin", "compare", "--"]);
    if quick {
        command.arg("--quick");
    }
    for operation in only {
        command.args(["--only", operation]);
    }
    let status = command.arg("docs").status().context("cannot start cargo")?;
    if !status.success() {
        bail!("the comparison failed: {status}");
    }
    Ok(())
}
