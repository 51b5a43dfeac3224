//! The library crates as WebAssembly: they compile for it, and their vectors hold under Node.
//!
//! The vectors run as WASI programs, which have the test harness; what is run of the crates is the same code
//! as without a system. It runs twice, without vectors and with those of 128 bits. The standard library is
//! rustup's, which brings the linker too.

use crate::{cross::NO_STD, process};
use anyhow::{Context, Result};
use std::process::Command;

/// Without a system: what a browser has.
const BARE: &str = "wasm32-unknown-unknown";
/// With as much of one as a test harness needs.
const WASI: &str = "wasm32-wasip1";

/// # Errors
/// If a crate does not compile, or a vector does not hold.
pub fn run() -> Result<()> {
    let mut add = Command::new("rustup");
    add.current_dir(crate::root())
        .args(["target", "add", BARE, WASI]);
    process::output(&mut add).context("the standard library for WebAssembly")?;
    let node = process::output(Command::new("node").arg("--version"))?;
    println!("wasm: node {}", String::from_utf8(node)?.trim());

    process::succeed(cargo("build", BARE, "").args(["--lib", "--no-default-features"]))?;
    println!("wasm: built {} for {BARE}", NO_STD.join(", "));
    for (features, backends) in [("", "portable"), ("-C target-feature=+simd128", "simd128")] {
        let mut test = cargo("test", WASI, features);
        test.args(["--test", "vectors"])
            .env("SS55_REQUIRE_BACKENDS", backends);
        process::succeed(&mut test)?;
        println!("wasm: vectors hold with {backends}");
    }
    Ok(())
}

/// A cargo for the crates that need no operating system.
fn cargo(command: &str, target: &str, rustflags: &str) -> Command {
    let runner = crate::root().join("xtask/src/wasm/wasi.mjs");
    let mut cargo = process::cargo();
    cargo
        .current_dir(crate::root())
        .args([command, "--locked", "--target", target])
        .env("RUSTFLAGS", rustflags)
        .env(
            "CARGO_TARGET_WASM32_WASIP1_RUNNER",
            format!("node --no-warnings {}", runner.display()),
        );
    for package in NO_STD {
        cargo.args(["--package", package]);
    }
    cargo
}
