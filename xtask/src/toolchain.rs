//! The toolchain that has what a stable one has not: sanitizers.

use crate::process;
use anyhow::{Context, Result};
use std::process::Command;

/// Installed where there is no nightly at all. One that is there is taken as it is: what is asked of it has
/// not changed for years.
const PINNED: &str = "nightly-2026-05-20";

/// The name of a nightly toolchain, for `rustup run`; installs one if there is none.
///
/// # Errors
/// If there is no rustup, or it cannot install.
pub fn nightly() -> Result<String> {
    let mut list = Command::new("rustup");
    list.args(["toolchain", "list"]);
    let list = String::from_utf8(process::output(&mut list)?)?;
    if let Some(name) = first_nightly(&list) {
        return Ok(name.to_owned());
    }
    println!("installing {PINNED}");
    let mut install = Command::new("rustup");
    install.args(["toolchain", "install", PINNED, "--profile", "minimal"]);
    process::output(&mut install).with_context(|| format!("cannot install {PINNED}"))?;
    Ok(PINNED.to_owned())
}

fn first_nightly(list: &str) -> Option<&str> {
    let mut names = list.lines().filter_map(|line| line.split(' ').next());
    names.find(|name| name.starts_with("nightly-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nightly_is_found_dated_or_not() {
        let stable = "stable-x86_64-unknown-linux-gnu (active, default)\n";
        assert_eq!(first_nightly(stable), None);
        for name in ["nightly-x86_64-unknown-linux-gnu", PINNED] {
            let list = format!("{stable}{name} (override)\n");
            assert_eq!(first_nightly(&list), Some(name));
        }
    }
}
