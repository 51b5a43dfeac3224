//! Debian's packages: what a check needs and does not find is installed.

use crate::process;
use anyhow::{Context, Result};
use std::process::Command;
use std::thread;
use std::time::Duration;

/// Another program that installs something, or a mirror that is being written, is over soon.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_secs(20);

/// Installs what is missing of `packages`; some of them are of another `architecture`.
///
/// # Errors
/// If that fails: on a machine that is no Debian, or for somebody who is not root.
pub fn install(architecture: Option<&str>, packages: &[&str]) -> Result<()> {
    let missing: Vec<_> = packages
        .iter()
        .copied()
        .filter(|package| !is_installed(package))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    renew(architecture, &missing)
}

/// Installs `packages` as the mirror has them now, whether they are there or not.
///
/// # Errors
/// As [`install`].
pub fn renew(architecture: Option<&str>, packages: &[&str]) -> Result<()> {
    println!("installing {}", packages.join(" "));
    install_all(architecture, packages)
        .with_context(|| format!("cannot install {}", packages.join(" ")))
}

fn install_all(architecture: Option<&str>, packages: &[&str]) -> Result<()> {
    if let Some(architecture) = architecture {
        process::output(Command::new("dpkg").args(["--add-architecture", architecture]))?;
    }
    try_again(PAUSE, || apt_get(&["update"]))?;
    let install = ["install", "--yes", "--no-install-recommends"];
    try_again(PAUSE, || apt_get(&[&install[..], packages].concat()))
}

/// Without a question, whatever the machine's settings: there is nobody to answer it.
fn apt_get(args: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"])
        .args(["-o", "Dpkg::Options::=--force-confdef"])
        .args(["-o", "Dpkg::Options::=--force-confold"])
        .args(args);
    process::output(&mut command).map(drop)
}

/// The lock of the package lists has no time-out of its own.
fn try_again(pause: Duration, mut step: impl FnMut() -> Result<()>) -> Result<()> {
    for _ in 1..TRIES {
        match step() {
            Ok(()) => return Ok(()),
            Err(error) => println!(
                "{error:#}
once more in {} s",
                pause.as_secs()
            ),
        }
        thread::sleep(pause);
    }
    step()
}

fn is_installed(package: &str) -> bool {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat", "${db:Status-Status}", package]);
    process::output(&mut query).is_ok_and(|status| status == b"installed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::ensure;

    #[test]
    fn what_is_not_installed_is_missing() {
        assert!(!is_installed("no-such-package-as-this"));
        assert!(install(None, &[]).is_ok());
    }

    #[test]
    fn a_step_that_goes_on_failing_fails() {
        for (failures, calls) in [(0, 1), (1, 2), (TRIES - 1, TRIES), (TRIES, TRIES)] {
            let mut count = 0;
            let result = try_again(Duration::ZERO, || {
                count += 1;
                ensure!(count > failures, "locked");
                Ok(())
            });
            assert_eq!((result.is_ok(), count), (failures < TRIES, calls));
        }
    }
}
