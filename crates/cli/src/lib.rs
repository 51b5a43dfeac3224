//! The command `ss55`, which encrypts and decrypts files and pipes: [`main`] is all of it.

#![forbid(unsafe_code)]

#[cfg(not(unix))]
compile_error!("ss55 promises what only Unix offers here: modes, atomic replacement, signals");

mod ahead;
mod args;
mod commands;
mod detect;
mod engine;
mod error;
mod input;
#[doc(hidden)]
pub mod inside;
mod key;
mod output;
mod passphrase;
mod place;
mod progress;
mod reader;
mod redact;
mod stdio;
mod threads;
mod unfinished;
mod writer;

use clap::Parser;
use error::{Error, ExitStatus, Role, say};
use input::Name;
use signal_hook::{consts::SIGPIPE, low_level::emulate_default_handler};
use std::{io::Write, process::ExitCode};

/// Runs the command on this process's arguments, environment and standard streams.
pub fn main() -> ExitCode {
    match run() {
        Ok(status) => status,
        Err(Error::ClosedPipe) => {
            // As every tool that never heard of EPIPE.
            let _ = emulate_default_handler(SIGPIPE);
            ExitCode::from(ExitStatus::Io as u8)
        }
        Err(Error::Reported(status)) => ExitCode::from(status),
        Err(error) => {
            error.report();
            ExitCode::from(error.exit_status() as u8)
        }
    }
}

fn run() -> Result<ExitCode, Error> {
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return explain(&error),
    };
    unfinished::remove_on_signals()
        .map_err(|error| Error::io(Role::System, &Name::System("signal handlers"), error))?;
    commands::run(cli).map(|()| ExitCode::SUCCESS)
}

/// Help and version go to standard output, where a failure counts; all else is a usage error.
fn explain(error: &clap::Error) -> Result<ExitCode, Error> {
    let text = error.render().to_string();
    if error.use_stderr() {
        let text = text.replace(
            "For more information, try",
            "hint: for more information, try",
        );
        say(name_with_dash(&text).trim_end());
        return Ok(ExitCode::from(ExitStatus::Usage as u8));
    }
    stdio::stdout()?
        .write_all(text.as_bytes())
        .map_err(|error| Error::io(Role::Output, &Name::Stdout, error))?;
    Ok(ExitCode::SUCCESS)
}

/// clap's advice on what begins with a dash holds for arguments, but not for the value of an option.
fn name_with_dash(text: &str) -> String {
    text.replace(" as a value, use '-- -", " as a name, use './-")
}
