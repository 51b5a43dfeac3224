//! Other programs: run, and an error that says which and why.

use anyhow::{Context, Result, bail, ensure};
use std::env;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;

/// The cargo that runs this program.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs `command`; what it prints goes where this program's output goes.
///
/// # Errors
/// If it does not start or fails.
pub fn succeed(command: &mut Command) -> Result<()> {
    let name = format!("{command:?}");
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {name}"))?;
    ensure!(status.success(), "{name}: {status}");
    Ok(())
}

/// Runs `command` and gives what it prints.
///
/// # Errors
/// If it does not start or fails; its standard error is then part of the message.
pub fn output(command: &mut Command) -> Result<Vec<u8>> {
    pipe(command, &[])
}

/// Runs `command` with `input` as its standard input and gives what it prints.
///
/// # Errors
/// If it does not start or fails; its standard error is then part of the message.
pub fn pipe(command: &mut Command, input: &[u8]) -> Result<Vec<u8>> {
    let name = format!("{command:?}");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let mut stderr = child.stderr.take().expect("stderr is piped");
    let mut stdout = child.stdout.take().expect("stdout is piped");

    // Three pipes, three ends to serve: else a full one would stop the child.
    let (printed, complaint) = thread::scope(|scope| {
        // A child that exits without reading everything speaks through its exit code.
        scope.spawn(move || drop(stdin.write_all(input)));
        let complaint = scope.spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).map(|_| text)
        });
        let mut printed = Vec::new();
        let read = stdout.read_to_end(&mut printed).map(|_| printed);
        (read, complaint.join().expect("reading does not panic"))
    });
    let status = child.wait()?;
    if !status.success() {
        bail!(
            "{name}: {status}\n{}",
            String::from_utf8_lossy(&complaint?).trim_end()
        );
    }
    Ok(printed?)
}
