use core::fmt;
use ss55_aead::AuthenticationError;

/// What can be wrong with a stream, or with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The key, the ad or a byte of the frame is wrong. It never says which.
    Authentication,
    /// The input ended before the stream did.
    Truncated,
    /// The input goes on after the stream's end.
    TrailingData,
    /// The first eight bytes are not the magic of SS55 v2.
    BadMagic,
    /// A version of the format that this code does not know.
    UnsupportedVersion(u16),
    /// A header flag that this code does not know.
    UnsupportedFlags(u16),
    /// A length field outside what the format allows.
    BadLength(u32),
    /// A frame tag that the format does not have.
    UnknownTag(u8),
    /// The frame counter is used up.
    SequenceOverflow,
    /// The caller's ad is longer than 2^32 - 1 bytes.
    AdTooLong,
    /// The caller's plaintext does not fit one frame.
    MessageTooLong,
    /// The caller's buffer has not the size that the call asks for.
    BufferSize,
    /// The caller went on after the final frame.
    Finished,
    /// The frame is not one of this part of a stream, which has another sealer.
    OutsidePart,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Authentication => f.write_str("authentication failed"),
            Error::Truncated => f.write_str("the stream is truncated"),
            Error::TrailingData => f.write_str("data after the end of the stream"),
            Error::BadMagic => f.write_str("not an SS55 v2 stream"),
            Error::UnsupportedVersion(v) => write!(f, "unsupported version {v}"),
            Error::UnsupportedFlags(flags) => write!(f, "unsupported flags {flags:#06x}"),
            Error::BadLength(length) => write!(f, "impossible frame length {length}"),
            Error::UnknownTag(tag) => write!(f, "unknown frame tag {tag:#04x}"),
            Error::SequenceOverflow => f.write_str("too many frames in one stream"),
            Error::AdTooLong => f.write_str("ad longer than 2^32 - 1 bytes"),
            Error::MessageTooLong => f.write_str("plaintext longer than a frame holds"),
            Error::BufferSize => f.write_str("buffer of the wrong size"),
            Error::Finished => f.write_str("the stream is finished"),
            Error::OutsidePart => f.write_str("the frame belongs to another part of the stream"),
        }
    }
}

impl core::error::Error for Error {}

impl From<AuthenticationError> for Error {
    fn from(_: AuthenticationError) -> Self {
        Error::Authentication
    }
}
