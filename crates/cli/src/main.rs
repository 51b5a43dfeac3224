//! `ss55`: encrypts and decrypts files and pipes.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ss55_cli::main()
}
