//! Debian's packages: what a check needs and does not find is installed.

use crate::process;
use anyhow::{Context, Result};
use std::process::Command;

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
    println!("installing {}", missing.join(" "));
    install_missing(architecture, &missing)
        .with_context(|| format!("cannot install {}", missing.join(" ")))
}

fn install_missing(architecture: Option<&str>, missing: &[&str]) -> Result<()> {
    if let Some(architecture) = architecture {
        process::output(Command::new("dpkg").args(["--add-architecture", architecture]))?;
    }
    process::output(Command::new("apt-get").arg("update"))?;
    let mut install = Command::new("apt-get");
    install
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(["install", "--yes", "--no-install-recommends"])
        .args(missing);
    process::output(&mut install)?;
    Ok(())
}

fn is_installed(package: &str) -> bool {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat", "${db:Status-Status}", package]);
    process::output(&mut query).is_ok_and(|status| status == b"installed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_installed_is_missing() {
        assert!(!is_installed("no-such-package-as-this"));
        assert!(install(None, &[]).is_ok());
    }
}
