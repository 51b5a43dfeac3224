//! Everything that a run can end with, as a sentence, a hint and an exit code.

use crate::{detect::Format, input::Name, redact::redact};
use ss55_wire::{
    self as wire,
    v2::{MAX_LENGTH, MIN_LENGTH},
};
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
    /// What was read is not a key. `problem` speaks of lengths, never of content.
    #[error("{origin}: {problem}")]
    Key {
        origin: KeyOrigin,
        problem: String,
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
        hint: &'static str,
    },
    /// Some of several inputs failed, each of which was told of: the greatest of their codes.
    #[error("some inputs failed")]
    Reported(u8),
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

/// What is wrong with a stream. Offsets count the bytes of the input from 0; `None` is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Not a single byte.
    Empty,
    /// 24 bytes: the header of v1 or of the libsodium layout, and nothing behind it.
    BareHeader,
    Truncated {
        at: Option<u64>,
    },
    /// The first frame does not authenticate.
    FirstFrame,
    /// One of those that random access begins with does not: the last two, and perhaps the first.
    OuterFrames,
    /// A later frame does not.
    Damaged {
        at: u64,
    },
    /// Neither v1 nor the libsodium layout opens.
    NeitherFormat,
    /// It would open as the libsodium layout, which has none.
    SuperfluousAd,
    TrailingData {
        end: End,
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
        at: Option<u64>,
    },
    UnknownTag {
        tag: u8,
        at: Option<u64>,
    },
    /// A sealed message does not authenticate.
    Message,
    /// Fewer bytes than any sealed message has.
    ShortMessage {
        len: usize,
    },
    /// What no input of today's can cause.
    Other(wire::Error),
}

/// Where a stream ends that has data behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    At(u64),
    /// There or later: a chunk of the libsodium layout does not say where it ends.
    From(u64),
    Unknown,
}

impl Problem {
    /// What `error` means for the frame that begins at `at`, in a stream whose first one begins at
    /// `first`.
    pub fn from_wire(error: wire::Error, at: u64, first: u64) -> Self {
        match error {
            wire::Error::Authentication if at <= first => Problem::FirstFrame,
            wire::Error::Authentication => Problem::Damaged { at },
            wire::Error::Truncated => Problem::Truncated { at: Some(at) },
            wire::Error::TrailingData => Problem::TrailingData { end: End::At(at) },
            wire::Error::BadMagic => Problem::NotV2,
            wire::Error::UnsupportedVersion(version) => Problem::UnsupportedVersion(version),
            wire::Error::UnsupportedFlags(flags) => Problem::UnsupportedFlags(flags),
            wire::Error::BadLength(length) => Problem::BadLength {
                length,
                at: Some(at),
            },
            wire::Error::UnknownTag(tag) => Problem::UnknownTag { tag, at: Some(at) },
            error => Problem::Other(error),
        }
    }

    /// What `error` means where random access begins, which does not say at which frame.
    pub fn at_opening(error: wire::Error) -> Self {
        match Problem::from_wire(error, 0, 0) {
            Problem::FirstFrame => Problem::OuterFrames,
            Problem::Truncated { .. } => Problem::Truncated { at: None },
            Problem::TrailingData { .. } => Problem::TrailingData { end: End::Unknown },
            Problem::BadLength { length, .. } => Problem::BadLength { length, at: None },
            Problem::UnknownTag { tag, .. } => Problem::UnknownTag { tag, at: None },
            problem => problem,
        }
    }

    pub fn exit_status(self) -> ExitStatus {
        match self {
            Problem::Empty
            | Problem::BareHeader
            | Problem::Truncated { .. }
            | Problem::ShortMessage { .. } => ExitStatus::Truncated,
            Problem::FirstFrame
            | Problem::OuterFrames
            | Problem::Message
            | Problem::Damaged { .. }
            | Problem::NeitherFormat
            | Problem::SuperfluousAd => ExitStatus::Authentication,
            _ => ExitStatus::Malformed,
        }
    }

    /// What the problem is to a program.
    pub fn code(self) -> &'static str {
        match self {
            Problem::Empty => "empty",
            Problem::BareHeader => "bare-header",
            Problem::Truncated { .. } => "truncated",
            Problem::FirstFrame => "first-frame",
            Problem::OuterFrames => "outer-frames",
            Problem::Damaged { .. } => "damaged",
            Problem::NeitherFormat => "neither-format",
            Problem::SuperfluousAd => "superfluous-ad",
            Problem::TrailingData { .. } => "trailing-data",
            Problem::NotV2 => "not-v2",
            Problem::OtherMagic => "other-magic",
            Problem::ConvertedText => "converted-text",
            Problem::UnsupportedVersion(_) => "unsupported-version",
            Problem::UnsupportedFlags(_) => "unsupported-flags",
            Problem::BadLength { .. } => "bad-length",
            Problem::UnknownTag { .. } => "unknown-tag",
            Problem::Message => "message",
            Problem::ShortMessage { .. } => "short-message",
            Problem::Other(_) => "other",
        }
    }

    fn hint(self, known: Known) -> &'static str {
        const LIBSODIUM: Option<Format> = Some(Format::Libsodium);
        match (self, known) {
            (Problem::Message, Known::LikeV2) => {
                "this begins like SS55 v2, which `ss55 decrypt` reads"
            }
            (Problem::Message, _) => {
                "wrong key, or damage: it was changed, cut or added to; nothing was written"
            }
            (Problem::ShortMessage { .. }, _) => {
                "the end is missing, or it is no message of siv-encrypt; copy the input again"
            }
            (Problem::Empty, Known::Message) => {
                "a sealed message has 44 bytes at least; did its writer fail?"
            }
            (_, Known::LikeV2) => "this begins like SS55 v2: say --format v2, or leave it out",
            (Problem::Empty, _) => {
                "an encrypted stream has at least a header; did its writer fail?"
            }
            (Problem::BareHeader, _) => {
                "an empty SS55 v1 archive has no more than this: --format v1 accepts it"
            }
            (Problem::Truncated { .. }, Known::Part) => {
                "the end is missing, or a length before it is damaged: `ss55 verify` tells"
            }
            (Problem::Truncated { .. }, Known::Lengths(LIBSODIUM)) => {
                "the end is missing; another --chunk-size, or no such stream at all, looks the same"
            }
            (Problem::Truncated { .. }, Known::Lengths(_)) => {
                "the end is missing; copy the input again"
            }
            (Problem::Truncated { .. }, Known::NoFrame(LIBSODIUM)) => {
                "the end is missing; a wrong key, a wrong --chunk-size or a damaged last chunk \
                 looks the same"
            }
            (Problem::Truncated { .. }, Known::NoFrame(Some(_))) => {
                "the end is missing, and nothing before it was authenticated; copy the input again"
            }
            (Problem::Truncated { .. }, Known::NoFrame(None) | Known::Message) => {
                "the end is missing; a wrong key, --ad or --chunk-size, or no such stream at all, \
                 can look the same"
            }
            (Problem::Truncated { .. }, Known::Frames(Format::Libsodium)) => {
                "the end is missing, or the last chunk is damaged; what came before it was \
                 authentic; use another copy of the input"
            }
            (Problem::Truncated { .. }, Known::Frames(_)) => {
                "the end is missing; what came before it was authentic; copy the input again"
            }
            (Problem::FirstFrame, Known::NoFrame(LIBSODIUM)) => {
                "wrong key, wrong --chunk-size, or a damaged first chunk"
            }
            (Problem::OuterFrames, _) => {
                "wrong key, wrong --ad, or damage at the start or the end of the file: \
                 `ss55 verify` tells"
            }
            (Problem::FirstFrame, _) => "wrong key, wrong --ad, or a damaged first frame",
            (Problem::Damaged { .. }, Known::Part) => {
                "the key is right; whether other frames are damaged too, `ss55 verify` tells"
            }
            (Problem::Damaged { .. }, _) => {
                "the key is right and all before this frame is authentic; \
                 use another copy of the input"
            }
            (Problem::NeitherFormat, _) => {
                "wrong key, or not such a stream; a wrong --ad or --chunk-size looks the same; \
                 --format says which format it is"
            }
            (Problem::SuperfluousAd, _) => "the key is right: leave --ad out",
            (Problem::TrailingData { .. }, Known::Lengths(_)) => {
                "two streams joined, perhaps; only the key can tell whether the first is authentic"
            }
            (Problem::TrailingData { .. }, Known::Part) => {
                "the stream has its end; whether all before that is authentic, `ss55 verify` tells"
            }
            (Problem::TrailingData { .. }, _) => {
                "the stream itself was complete and authentic; cut off what follows it"
            }
            (Problem::NotV2, Known::Part) => {
                "only v2 can be read from the middle; `ss55 decrypt` reads all of any format"
            }
            (Problem::NotV2, _) => "--format auto recognises the other formats",
            (Problem::ConvertedText, _) => {
                "a shell's > turned the bytes into text: write with -o instead, and encrypt again"
            }
            (
                Problem::OtherMagic | Problem::UnsupportedVersion(_) | Problem::UnsupportedFlags(_),
                _,
            ) => "a newer ss55 may read it; or the header is damaged",
            (Problem::BadLength { .. } | Problem::UnknownTag { .. }, _) => {
                "damaged, or not a stream of this format"
            }
            (Problem::Other(_), _) => "this stream cannot be read here",
        }
    }
}

/// What is known of a stream that has a problem. A hint claims no more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Lengths alone, which look like this format: no key was used.
    Lengths(Option<Format>),
    /// Nothing was authenticated; it was taken for this format, or for each.
    NoFrame(Option<Format>),
    /// At least one frame was authenticated.
    Frames(Format),
    /// `cat` reads it: no frames but those that random access begins with and those of the range.
    Part,
    /// It is a sealed message, or nothing of ours.
    Message,
    /// It was taken for another format than its magic says.
    LikeV2,
}

/// What a file is to a run. What helps against an error depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Input,
    Output,
    Key,
    NewKey,
    Ad,
    /// The operating system's.
    System,
}

impl Role {
    fn hint(self, error: &io::Error) -> &'static str {
        use io::ErrorKind as Kind;
        const BADF: Option<i32> = Some(rustix::io::Errno::BADF.raw_os_error());
        if error.raw_os_error() == BADF {
            return "this descriptor is not open for that: open it where ss55 is started";
        }
        match (self, error.kind()) {
            (Role::System, _) => "the system is short of something; try again",
            (Role::NewKey, Kind::AlreadyExists) => {
                "a key file is never overwritten: what it encrypted would be lost; \
                 choose another name"
            }
            (Role::Key | Role::Ad, Kind::IsADirectory) => "this is a folder: name a file",
            (Role::Key, _) => "the key file cannot be read: check its path and its permissions",
            (Role::Ad, _) => "--ad @FILE names a file; check it",
            (Role::Input, Kind::NotFound) => {
                "check the path; relative ones start at the working directory"
            }
            (Role::Input, Kind::IsADirectory) => {
                "name a file; `tar c DIR | ss55 encrypt` takes a directory"
            }
            (Role::Output | Role::NewKey, Kind::IsADirectory) => {
                "this is a folder: name a file in it"
            }
            (Role::Output | Role::NewKey, Kind::NotFound) => {
                "its folder must exist; relative paths start at the working directory"
            }
            (Role::Output | Role::NewKey, Kind::StorageFull | Kind::QuotaExceeded) => {
                "make room, or write elsewhere with -o"
            }
            (Role::Output | Role::NewKey, Kind::FileTooLarge) => {
                "raise the limit on file sizes (ulimit -f), or write elsewhere with -o"
            }
            (Role::Output | Role::NewKey, Kind::InvalidFilename) => {
                "choose a shorter name with -o OUT; of a long path, start in its folder"
            }
            (Role::Output | Role::NewKey, Kind::ReadOnlyFilesystem) => {
                "nothing can be written there: write elsewhere with -o"
            }
            (Role::Output, Kind::PermissionDenied | Kind::ResourceBusy) => {
                "it is replaced by a new file, which it and its folder must allow; \
                 -o - > OUT writes into it instead"
            }
            (Role::Input | Role::NewKey, _) => "check the path and its permissions",
            (Role::Output, _) => "the output is not complete; mend this and run it again",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::Empty => f.write_str("truncated: the input is empty"),
            Problem::BareHeader => f.write_str("truncated: 24 bytes are a header and no frame"),
            // Every format begins with one, and no frame is there.
            Problem::Truncated { at: Some(0) } => f.write_str("truncated: the header is cut"),
            Problem::Truncated { at } => {
                write!(f, "truncated: {} is cut or missing", Frame(at))
            }
            Problem::OuterFrames => {
                f.write_str("authentication failed at the first or the last frames")
            }
            Problem::FirstFrame => f.write_str("authentication failed at the first frame"),
            Problem::Damaged { at } => {
                write!(f, "authentication failed: damage in the frame at byte {at}")
            }
            Problem::NeitherFormat => f.write_str(
                "authentication failed: no SS55 v2 stream, and neither SS55 v1 nor the libsodium \
                 layout under this key",
            ),
            Problem::SuperfluousAd => f.write_str(
                "authentication failed: it is of the libsodium layout, which carries no --ad",
            ),
            Problem::TrailingData { end } => {
                f.write_str("data after the end of the stream")?;
                match end {
                    End::At(at) => write!(f, ", which is at byte {at}"),
                    End::From(at) => write!(f, ", which is at byte {at} or later"),
                    End::Unknown => Ok(()),
                }
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
            // v1, which has no final frame, allows all of these.
            Problem::BadLength {
                length: length @ MIN_LENGTH..=MAX_LENGTH,
                at,
            } => {
                write!(
                    f,
                    "malformed: {} says that it is the final one and has {length} bytes, \
                     but that has always {MIN_LENGTH}",
                    Frame(at)
                )
            }
            Problem::BadLength { length, at } => {
                write!(
                    f,
                    "malformed: {} says {length} bytes, which none has",
                    Frame(at)
                )
            }
            Problem::UnknownTag { tag, at } => {
                write!(f, "malformed: {} has the unknown tag {tag:#04x}", Frame(at))
            }
            Problem::Message => f.write_str("authentication failed"),
            Problem::ShortMessage { len } => {
                let bytes = if len == 1 { "byte" } else { "bytes" };
                write!(
                    f,
                    "truncated: {len} {bytes}, and a sealed message has 44 or more"
                )
            }
            Problem::Other(error) => write!(f, "{error}"),
        }
    }
}

/// A frame, as it is called where its offset is known or not.
struct Frame(Option<u64>);

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(at) => write!(f, "the frame at byte {at}"),
            None => f.write_str("a frame"),
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

    pub fn stream(name: &Name, problem: Problem, known: Known) -> Self {
        Error::Stream {
            name: name.clone(),
            problem,
            hint: problem.hint(known),
        }
    }

    /// An I/O error. An output pipe that is closed is none.
    pub fn io(role: Role, name: &Name, source: io::Error) -> Self {
        if role == Role::Output && source.kind() == io::ErrorKind::BrokenPipe {
            return Error::ClosedPipe;
        }
        Error::Io {
            name: name.clone(),
            hint: role.hint(&source),
            source,
        }
    }

    /// Tells it to whoever reads standard error.
    pub fn report(&self) {
        say(format_args!("ss55: {self}\nhint: {}", self.hint()));
    }

    pub fn exit_status(&self) -> ExitStatus {
        match self {
            Error::Io { .. } | Error::ClosedPipe | Error::Reported(_) => ExitStatus::Io,
            Error::Usage { .. } | Error::Key { .. } => ExitStatus::Usage,
            Error::Stream { problem, .. } => problem.exit_status(),
        }
    }

    pub fn hint(&self) -> &str {
        match self {
            Error::Usage { hint, .. } => hint,
            Error::Key { hint, .. } | Error::Io { hint, .. } | Error::Stream { hint, .. } => hint,
            Error::ClosedPipe | Error::Reported(_) => "",
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

/// Writes a message to standard error. Whoever closed that wants to hear nothing.
pub fn say(message: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", redact(&message.to_string()));
}
