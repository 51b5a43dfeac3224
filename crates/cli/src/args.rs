//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::{ffi::OsString, path::PathBuf};

const AFTER_HELP: &str = "\
Keys:
  32 bytes, in a file or in the environment; the first of these counts:
    1. -k FILE, or --new-key FILE
    2. SS55_KEY (64 hex digits, or base64), or SS55_KEY_FILE (a path); setting both is an error
  A key file holds 64 hex digits, 43 or 44 characters of base64, or 32 raw bytes.

Output:
  A named IN gives IN.ss55 when encrypted and loses .ss55 when decrypted; standard input goes to
  standard output; -o chooses. A file appears under its name complete or not at all. Standard
  output carries an authentic prefix of the plaintext until the exit status is 0: in a pipeline,
  `set -o pipefail`. Binary data goes to a terminal only with -o -.

Exit status:
  0  done
  1  a file cannot be read or written
  2  usage, or a key that is none
  3  authentication failed: wrong key, wrong --ad, or damage
  4  the stream is truncated
  5  not a valid stream: malformed, data after its end, or an unknown version
  A closed output pipe ends the program as it ends others: quietly, by SIGPIPE (141 in a shell).";

/// Encrypt and decrypt files and pipes, in a stream that cannot be cut or changed unnoticed
#[derive(Debug, Parser)]
#[command(name = "ss55", version, after_help = AFTER_HELP)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Show no progress
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Keygen(Keygen),
    Encrypt(Encrypt),
    Decrypt(Decrypt),
    Verify(Verify),
    Inspect(Inspect),
    /// Measure this machine: backend, and throughput by format and size, in some seconds
    Bench,
}

/// Make a key: 64 hex digits and a newline
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Keygen {
    /// Create this file, for its owner only; an existing one is never overwritten
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Encrypt IN, or standard input
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Encrypt {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Make a key, write it to this new file and encrypt with it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "key_format"])]
    pub new_key: Option<PathBuf>,
    /// The format to write
    #[arg(long, value_enum, default_value_t = WriteFormat::V2)]
    pub format: WriteFormat,
    #[command(flatten)]
    pub stream: StreamArgs,
    /// Write here; `-` is standard output, be it a terminal
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What to encrypt; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: Option<PathBuf>,
}

/// Decrypt IN, or standard input
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Decrypt {
    #[command(flatten)]
    pub key: KeyArgs,
    #[command(flatten)]
    pub format: ReadFormatArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
    /// Write here; `-` is standard output, be it a terminal
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What to decrypt; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: Option<PathBuf>,
}

/// Authenticate all of IN, or of standard input, and write nothing
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Verify {
    #[command(flatten)]
    pub key: KeyArgs,
    #[command(flatten)]
    pub format: ReadFormatArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
    /// What to verify; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: Option<PathBuf>,
}

/// Tell format, frames and sizes of IN, or of standard input; needs no key and proves nothing
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Inspect {
    /// Write one JSON object
    #[arg(long)]
    pub json: bool,
    /// Plaintext bytes of a chunk, should it be the libsodium layout
    #[arg(long, value_name = "N", value_parser = chunk_size())]
    pub chunk_size: Option<u32>,
    /// What to inspect; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct KeyArgs {
    /// Read the key from this file; `-` is standard input
    #[arg(short, long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Don't guess how the key is written
    #[arg(long, value_enum)]
    pub key_format: Option<KeyFormat>,
}

#[derive(Debug, Args)]
pub struct ReadFormatArgs {
    /// The format to accept; auto goes by v2's magic, or by an authentic first frame
    #[arg(long, value_enum, default_value_t = ReadFormat::Auto)]
    pub format: ReadFormat,
}

#[derive(Debug, Args)]
pub struct StreamArgs {
    /// Authenticate this too, without storing it: whoever decrypts must give the same
    #[arg(long, value_name = "TEXT|@FILE")]
    pub ad: Option<OsString>,
    /// Plaintext bytes of a chunk of the libsodium layout [default: 8192]
    #[arg(long, value_name = "N", value_parser = chunk_size())]
    pub chunk_size: Option<u32>,
}

/// A few chunks are held in memory, so they have a bound: 64 MiB.
fn chunk_size() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=1 << 26)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KeyFormat {
    Raw,
    Hex,
    Base64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WriteFormat {
    /// SS55 v2
    V2,
    /// libsodium's secretstream in chunks of fixed size, as WAL-G reads it
    Libsodium,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReadFormat {
    Auto,
    V2,
    /// Old archives; that one is complete cannot be authenticated
    V1,
    Libsodium,
}
