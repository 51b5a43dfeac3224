//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::{
    ffi::OsString,
    num::{IntErrorKind, ParseIntError},
    path::PathBuf,
    str::FromStr,
};

macro_rules! keys {
    () => {
        keys!(", or for encrypt --new-key FILE")
    };
    ($new:literal) => {
        concat!(
            "\
Keys:
  32 bytes, in a file or in the environment; the first of these counts:
    1. -k FILE",
            $new,
            "
    2. SS55_KEY (64 hex digits, or base64), or SS55_KEY_FILE (a path); setting both is an error,
       and an empty one is not set
  A key file holds 64 hex digits, 43 or 44 characters of base64, or 32 raw bytes; or it is
  protected by a passphrase, which is asked for, or taken from SS55_PASSPHRASE. Who loses the key
  loses what it encrypted.

"
        )
    };
}

macro_rules! output {
    () => {
        "\
Output:
  A named IN gives IN.ss55 when encrypted and loses .ss55 when decrypted; standard input goes to
  standard output; -o chooses. A file of that name is REPLACED, without a question, when all is
  done, and stays as it was if anything fails. Binary data goes to a terminal only with -o -.
  -o /dev/fd/N writes to an open descriptor as it is, as -o - does to standard output.

"
    };
}

macro_rules! trust {
    () => {
        "\
Trust:
  Do not act on what decrypt writes to standard output before it has ended with exit status 0.
  Each part is authentic, but until then more may be missing. In a pipeline: `set -o pipefail`.

"
    };
}

macro_rules! exits {
    () => {
        "\
Exit status:
  0  done
  1  a file cannot be read or written
  2  wrong usage, or what was given as a key is not one
  3  authentication failed: wrong key, wrong --ad, wrong --chunk-size, or damage
  4  the stream is truncated; in the libsodium layout, its last chunk may be damaged instead
  5  not a valid stream: malformed, data after its end, or an unknown version
  Of several inputs, the greatest of their codes.
  A closed output pipe ends the program as it ends others: quietly, by SIGPIPE (141 in a shell)."
    };
}

const HELP: &str = concat!(keys!(), output!(), trust!(), exits!());
const ENCRYPT_HELP: &str = concat!(keys!(), output!(), exits!());
const VERIFY_HELP: &str = concat!(keys!(), exits!());
const CAT_HELP: &str = concat!(keys!(), exits!());
const SIV_HELP: &str = concat!(
    "\
One message:
  For what fits into memory, where nonces cannot be kept unique: a repeated nonce reveals whether
  two messages under it are equal, and nothing else. A file of siv-encrypt is
    nonce (12) | ciphertext | IV (32)
  under ChaCha20-BLAKE2s-SIV, without ad; only siv-decrypt reads it. siv-decrypt writes nothing
  before all is authenticated. The construction has no public proof or review: where nonces are
  no problem, prefer encrypt. Use a key that encrypt does not use.

Output:
  A named IN gives IN.siv when encrypted and loses .siv when decrypted; standard input goes to
  standard output; -o chooses. A file of that name is REPLACED, without a question, when all is
  done, and stays as it was if anything fails. Binary data goes to a terminal only with -o -.

",
    keys!(""),
    "\
Exit status:
  0  done
  1  a file cannot be read or written, or there is too little memory
  2  wrong usage, or what was given as a key is not one
  3  authentication failed: wrong key, or damage
  4  what is decrypted is shorter than any sealed message
  A closed output pipe ends the program as it ends others: quietly, by SIGPIPE (141 in a shell)."
);
const KEYGEN_HELP: &str = "\
Exit status:
  0  done
  1  the file exists, or cannot be written
  2  wrong usage";
const INSPECT_HELP: &str = "\
Exit status:
  0  the lengths are those of a whole stream
  1  the file cannot be read
  2  wrong usage
  4  the stream is truncated
  5  not a valid stream: malformed, data after its end, or an unknown version";

/// Encrypt and decrypt files and pipes, in a stream that cannot be cut or changed unnoticed
#[derive(Debug, Parser)]
#[command(name = "ss55", version, after_help = HELP)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Keygen(Keygen),
    Encrypt(Encrypt),
    Decrypt(Decrypt),
    Verify(Verify),
    Cat(Cat),
    Reencrypt(Reencrypt),
    Inspect(Inspect),
    SivEncrypt(SivEncrypt),
    SivDecrypt(SivDecrypt),
    /// Measure this machine: backend, and throughput by format and size, in some seconds
    Bench,
}

/// Make a key: 64 hex digits and a newline
#[derive(Debug, Args)]
#[command(after_help = KEYGEN_HELP)]
pub struct Keygen {
    /// Protect the file with a passphrase, which is asked for, or taken from SS55_PASSPHRASE (other
    /// processes of this user can see it there)
    #[arg(long, requires = "output")]
    pub passphrase: bool,
    /// Create this file, for its owner only; an existing one is never overwritten
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Encrypt IN, or standard input
#[derive(Debug, Args)]
#[command(after_help = ENCRYPT_HELP)]
pub struct Encrypt {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Make a key, write it to this new file and encrypt with it; an existing file is never
    /// overwritten
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "key_format", "key_transform"])]
    pub new_key: Option<PathBuf>,
    /// The format to write
    #[arg(long, value_enum, default_value_t = WriteFormat::V2)]
    pub format: WriteFormat,
    #[command(flatten)]
    pub stream: StreamArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// Write here; `-` is standard output, even if that is a terminal
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What to encrypt; `-` is standard input. Of several, each goes to its own output, and one that
    /// fails does not stop the others
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

/// Decrypt IN, or standard input
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Decrypt {
    #[command(flatten)]
    pub key: KeyArgs,
    #[command(flatten)]
    pub format: ReadFormatArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// Write here; `-` is standard output, even if that is a terminal
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What to decrypt; `-` is standard input. Of several, each goes to its own output, and one that
    /// fails does not stop the others
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

/// Authenticate all of IN, or of standard input, and write nothing
#[derive(Debug, Args)]
#[command(after_help = VERIFY_HELP)]
pub struct Verify {
    /// Write one JSON object for each input
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub key: KeyArgs,
    #[command(flatten)]
    pub format: ReadFormatArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// What to verify; `-` is standard input. One that fails does not stop the others
    #[arg(value_name = "IN")]
    pub inputs: Vec<PathBuf>,
}

/// Turn a stream of any format into SS55 v2, or put it under another key, in one pass
///
/// The output appears when the input's end has been authenticated. No plaintext is written anywhere.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Reencrypt {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Encrypt with the key in this file, instead of the one that decrypts
    #[arg(long, value_name = "FILE", conflicts_with = "new_key")]
    pub to_key: Option<PathBuf>,
    /// Make a key, write it to this new file and encrypt with it; an existing file is never
    /// overwritten
    #[arg(long, value_name = "FILE")]
    pub new_key: Option<PathBuf>,
    /// Take the end of an SS55 v1 archive for its end: if it was cut, nobody will ever see that again
    #[arg(long)]
    pub accept_unauthenticated_end: bool,
    #[command(flatten)]
    pub format: ReadFormatArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// Write here; `-` is standard output, even if that is a terminal
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What to encrypt anew; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: Option<PathBuf>,
}

/// Decrypt a part of an SS55 v2 file, reading no more than its frames and the last two
///
/// Where the frames differ in length, the first one and all length fields are read too.
/// What comes out was authenticated where it stands. The frames before it were not: where those were
/// tampered with, so that their lengths are wrong, it may be of another place. `ss55 verify` tells.
#[derive(Debug, Args)]
#[command(after_help = CAT_HELP)]
pub struct Cat {
    /// Bytes of the plaintext, counted from 0: A and those behind it, up to B, which is not read.
    /// Without A from the start, without B up to the end. A range past the end is an error
    #[arg(long, value_name = "A..B")]
    pub range: Span,
    #[command(flatten)]
    pub key: KeyArgs,
    /// What was given to encrypt
    #[arg(long, value_name = "TEXT|@FILE")]
    pub ad: Option<OsString>,
    /// Write here instead of standard output; `-` is standard output, even if that is a terminal
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What to decrypt
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
}

/// Bytes from one offset to before another, or to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub from: u64,
    pub to: Option<u64>,
}

impl FromStr for Span {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "a range is A..B, A.. or ..B";
        const LARGE: &str = "a number of a range is below 2^64";
        let (from, to) = text.split_once("..").ok_or(FORM)?;
        let number = |text: &str| match text {
            "" => Ok(None),
            text => text
                .parse()
                .map(Some)
                .map_err(|error: ParseIntError| match error.kind() {
                    IntErrorKind::PosOverflow => LARGE,
                    _ => FORM,
                }),
        };
        let span = Span {
            from: number(from)?.unwrap_or(0),
            to: number(to)?,
        };
        match span.to {
            Some(to) if to < span.from => Err("the range ends before it begins"),
            _ => Ok(span),
        }
    }
}

/// Tell format, frames and sizes of IN, or of standard input; needs no key and proves nothing
#[derive(Debug, Args)]
#[command(after_help = INSPECT_HELP)]
pub struct Inspect {
    /// Write one JSON object
    #[arg(long)]
    pub json: bool,
    /// Plaintext bytes of a chunk, if it is the libsodium layout [default: 8192]
    #[arg(long, value_name = "N", value_parser = chunk_size())]
    pub chunk_size: Option<u32>,
    /// What to inspect; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: Option<PathBuf>,
}

/// Encrypt IN, or standard input, as a single message that a repeated nonce does not break
#[derive(Debug, Args)]
#[command(after_help = SIV_HELP)]
pub struct SivEncrypt {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Take zeros for the nonce, so that the output depends on key and input alone. It LEAKS
    /// EQUALITY: equal inputs give equal outputs, and everybody sees that
    #[arg(long)]
    pub deterministic: bool,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// Write here; `-` is standard output, even if that is a terminal
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What to encrypt; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: Option<PathBuf>,
}

/// Decrypt what siv-encrypt has written
#[derive(Debug, Args)]
#[command(after_help = SIV_HELP)]
pub struct SivDecrypt {
    #[command(flatten)]
    pub key: KeyArgs,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// Write here; `-` is standard output, even if that is a terminal
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What to decrypt; `-` is standard input
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
    /// Read the key as WAL-G reads its own
    #[arg(long, value_enum, conflicts_with = "key_format")]
    pub key_transform: Option<KeyTransform>,
}

#[derive(Debug, Args)]
pub struct ReadFormatArgs {
    /// The format to accept; auto goes by v2's magic, or by an authentic first frame
    #[arg(long, value_enum, default_value_t = ReadFormat::Auto)]
    pub format: ReadFormat,
}

#[derive(Debug, Args)]
pub struct ProgressArgs {
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct ThreadArgs {
    /// Encrypt or decrypt SS55 on so many threads, or on as many as the limits on memory have room for; the
    /// libsodium layout has one [default: one for each processor, up to 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}

#[derive(Debug, Args)]
pub struct StreamArgs {
    /// Authenticate this too (16 MiB at most), without storing it: whoever decrypts must give the
    /// same. An empty plaintext has no frame that could carry it
    #[arg(long, value_name = "TEXT|@FILE")]
    pub ad: Option<OsString>,
    /// Plaintext bytes of a chunk of the libsodium layout, 64 MiB at most; whoever decrypts must
    /// give the same [default: 8192]
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

/// WAL-G's `WALG_LIBSODIUM_KEY_TRANSFORM`. Space around the text does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KeyTransform {
    /// 64 hex digits
    Hex,
    /// Base64 of 32 bytes, with padding
    Base64,
    /// The text itself, 25 bytes at least: padded with zeros to 32, or cut. Such a key is weak
    None,
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
    /// Old archives. Whether one is complete cannot be authenticated
    V1,
    Libsodium,
}
