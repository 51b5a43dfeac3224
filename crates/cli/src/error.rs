//! Everything that a run can end with, as a sentence, a hint and an exit code.

use crate::input::Name;
use ss55_wire as wire;
use std::{
    fmt,
    io::{self, Write},
};

/// The exit codes. `0` is success, and `2` is what clap uses for usage errors too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitStatus {
    Io = 1,
    Usage = 2,
    Authentication = 3,
    Truncated = 4,
    Malformed = 5,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{message}")]
    Usage { message: String, hint: String },
    /// What was read is not a key. `found` speaks of lengths, never of content.
    #[error("{origin}: expected {expected}, found {found}")]
    Key {
        origin: KeyOrigin,
        expected: &'static str,
        found: String,
        hint: &'static str,
    },
    #[error("{name}: {}", plain(source))]
    Io {
        name: Name,
        source: io::Error,
        hint: &'static str,
    },
    #[error("{name}: {problem}")]
    Stream {
        name: Name,
        problem: Problem,
        hint: String,
    },
    /// The reader of our output has gone: no more to do, and nothing to say.
    #[error("the reader of the output is gone")]
    ClosedPipe,
}

/// Where a key came from.
#[derive(Clone, Debug)]
pub enum KeyOrigin {
    File(Name),
    Variable,
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyOrigin::File(name) => write!(f, "key from {name}"),
            KeyOrigin::Variable => f.write_str("key from SS55_KEY"),
        }
    }
}

/// What is wrong with a stream. Offsets count the bytes of the input from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Not a single byte.
    Empty,
    /// 24 bytes: the header of v1 or of the libsodium layout, and nothing behind it.
    BareHeader,
    Truncated {
        at: u64,
    },
    /// The first frame does not authenticate.
    FirstFrame,
    /// A later frame does not.
    Damaged {
        at: u64,
    },
    /// Neither v1 nor the libsodium layout opens.
    NeitherFormat,
    TrailingData {
        at: u64,
    },
    NotV2,
    /// The beginning of the magic, and then no version that there is.
    OtherMagic,
    /// A byte order mark and two bytes where one should be.
    ConvertedText,
    UnsupportedVersion(u16),
    UnsupportedFlags(u16),
    BadLength {
        length: u32,
        at: u64,
    },
    UnknownTag {
        tag: u8,
        at: u64,
    },
    /// What no input of today's can cause.
    Other(wire::Error),
}

impl Problem {
    /// What `error` means for the frame that begins at `at`, in a stream whose first one begins at
    /// `first`.
    pub fn from_wire(error: wire::Error, at: u64, first: u64) -> Self {
        match error {
            wire::Error::Authentication if at <= first => Problem::FirstFrame,
            wire::Error::Authentication => Problem::Damaged { at },
            wire::Error::Truncated => Problem::Truncated { at },
            wire::Error::TrailingData => Problem::TrailingData { at },
            wire::Error::BadMagic => Problem::NotV2,
            wire::Error::UnsupportedVersion(version) => Problem::UnsupportedVersion(version),
            wire::Error::UnsupportedFlags(flags) => Problem::UnsupportedFlags(flags),
            wire::Error::BadLength(length) => Problem::BadLength { length, at },
            wire::Error::UnknownTag(tag) => Problem::UnknownTag { tag, at },
            error => Problem::Other(error),
        }
    }

    pub fn exit_status(self) -> ExitStatus {
        match self {
            Problem::Empty | Problem::BareHeader | Problem::Truncated { .. } => {
                ExitStatus::Truncated
            }
            Problem::FirstFrame | Problem::Damaged { .. } | Problem::NeitherFormat => {
                ExitStatus::Authentication
            }
            _ => ExitStatus::Malformed,
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Problem::Empty => "an encrypted stream has at least a header; did its writer fail?",
            Problem::BareHeader => {
                "an empty SS55 v1 archive has no more than this: --format v1 accepts it"
            }
            Problem::Truncated { .. } => {
                "the end is missing; what came before it was authentic; copy the input again"
            }
            Problem::FirstFrame => "wrong key, wrong --ad, or a damaged first frame",
            Problem::Damaged { .. } => {
                "the key is right and all before this frame is authentic; \
                 use another copy of the input"
            }
            Problem::NeitherFormat => {
                "wrong key, or not such a stream; --format says which format it is"
            }
            Problem::TrailingData { .. } => {
                "the stream itself was complete and authentic; cut off what follows it"
            }
            Problem::NotV2 => "--format auto recognises the other formats",
            Problem::ConvertedText => {
                "a shell's > turned the bytes into text: write with -o instead, and encrypt again"
            }
            Problem::OtherMagic | Problem::UnsupportedVersion(_) | Problem::UnsupportedFlags(_) => {
                "a newer ss55 may read it; or the header is damaged"
            }
            Problem::BadLength { .. } | Problem::UnknownTag { .. } => {
                "damaged, or not a stream of this format"
            }
            Problem::Other(_) => "this stream cannot be read here",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::Empty => f.write_str("truncated: the input is empty"),
            Problem::BareHeader => f.write_str("truncated: 24 bytes are a header and no frame"),
            Problem::Truncated { at } => {
                write!(f, "truncated: the frame at byte {at} is cut or missing")
            }
            Problem::FirstFrame => f.write_str("authentication failed at the first frame"),
            Problem::Damaged { at } => {
                write!(f, "authentication failed: damage in the frame at byte {at}")
            }
            Problem::NeitherFormat => f.write_str(
                "authentication failed: no SS55 v2 stream, and neither SS55 v1 nor the libsodium \
                 layout under this key",
            ),
            Problem::TrailingData { at } => {
                write!(
                    f,
                    "data after the end of the stream, which is at byte {at} or later"
                )
            }
            Problem::NotV2 => f.write_str("not an SS55 v2 stream"),
            Problem::OtherMagic => {
                f.write_str("begins like SS55, but has no version that is known here")
            }
            Problem::ConvertedText => f.write_str("a stream that was converted to UTF-16 text"),
            Problem::UnsupportedVersion(version) => {
                write!(f, "SS55 of a version that is not known here: {version}")
            }
            Problem::UnsupportedFlags(flags) => {
                write!(
                    f,
                    "SS55 v2 with flags that are not known here: {flags:#06x}"
                )
            }
            Problem::BadLength { length, at } => {
                write!(
                    f,
                    "malformed: the frame at byte {at} says {length} bytes, which none has"
                )
            }
            Problem::UnknownTag { tag, at } => {
                write!(
                    f,
                    "malformed: the frame at byte {at} has the unknown tag {tag:#04x}"
                )
            }
            Problem::Other(error) => write!(f, "{error}"),
        }
    }
}

impl Error {
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Usage {
            message: message.into(),
            hint: hint.into(),
        }
    }

    pub fn stream(name: &Name, problem: Problem) -> Self {
        Error::Stream {
            name: name.clone(),
            problem,
            hint: problem.hint().into(),
        }
    }

    /// An I/O error on the input, or on any file that is only read.
    pub fn reading(name: &Name, source: io::Error) -> Self {
        Error::io(name, source, "check the path and its permissions")
    }

    /// An I/O error on the output. A closed pipe is none.
    pub fn writing(name: &Name, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::BrokenPipe {
            return Error::ClosedPipe;
        }
        Error::io(
            name,
            source,
            "the output is not complete; mend this and run it again",
        )
    }

    /// An I/O error. `general` is the hint where the kind of error suggests no better one.
    pub fn io(name: &Name, source: io::Error, general: &'static str) -> Self {
        let hint = match source.kind() {
            io::ErrorKind::NotFound => {
                "check the path; relative ones start at the working directory"
            }
            io::ErrorKind::IsADirectory => {
                "name a file; `tar c DIR | ss55 encrypt` takes a directory"
            }
            io::ErrorKind::StorageFull => "make room, or write elsewhere with -o",
            _ => general,
        };
        Error::Io {
            name: name.clone(),
            source,
            hint,
        }
    }

    pub fn exit_status(&self) -> ExitStatus {
        match self {
            Error::Io { .. } | Error::ClosedPipe => ExitStatus::Io,
            Error::Usage { .. } | Error::Key { .. } => ExitStatus::Usage,
            Error::Stream { problem, .. } => problem.exit_status(),
        }
    }

    pub fn hint(&self) -> &str {
        match self {
            Error::Usage { hint, .. } | Error::Stream { hint, .. } => hint,
            Error::Key { hint, .. } | Error::Io { hint, .. } => hint,
            Error::ClosedPipe => "",
        }
    }
}

/// An I/O error without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Writes a line to standard error. Whoever closed that wants to hear nothing.
pub fn say(message: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{message}");
}
