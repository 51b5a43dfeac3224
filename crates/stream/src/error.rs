use ss55_wire::Error as Wire;
use std::io;

/// Why a stream cannot go on.
///
/// The methods of `Read` and `Write` give it wrapped in an [`io::Error`], from which
/// `error.get_ref()` and a downcast bring it back; an error of the inner reader or writer comes out
/// of them as it went in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The stream itself is wrong, or the call was.
    #[error(transparent)]
    Wire(#[from] Wire),
    /// The inner reader or writer failed. From the second call on only the kind is kept.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The operating system gave no random bytes for a header.
    #[error("no random bytes: {0}")]
    Random(getrandom::Error),
    /// The inner reader or writer reported more bytes than it was given, which breaks its contract.
    #[error("the inner reader or writer claims more bytes than it was given")]
    InnerContract,
    /// [`write_frame`](crate::Encryptor::write_frame) said `WouldBlock` after a part of its frames,
    /// and was not called again with the same data. It still can be: nothing else was done.
    #[error("write_frame is not finished")]
    Unfinished,
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Wire(wire) => kind(*wire),
            Error::Unfinished => io::ErrorKind::InvalidInput,
            Error::Io(_) | Error::Random(_) | Error::InnerContract => io::ErrorKind::Other,
        };
        match error {
            Error::Io(error) => error,
            error => io::Error::new(kind, error),
        }
    }
}

fn kind(error: Wire) -> io::ErrorKind {
    match error {
        Wire::Truncated => io::ErrorKind::UnexpectedEof,
        Wire::AdTooLong
        | Wire::MessageTooLong
        | Wire::BufferSize
        | Wire::Finished
        | Wire::OutsidePart
        | Wire::SequenceOverflow => io::ErrorKind::InvalidInput,
        _ => io::ErrorKind::InvalidData,
    }
}

/// The part of an error that can be given again and again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sticky {
    Wire(Wire),
    Io(io::ErrorKind),
    Random(getrandom::Error),
    InnerContract,
}

impl From<Sticky> for Error {
    fn from(sticky: Sticky) -> Self {
        match sticky {
            Sticky::Wire(error) => Error::Wire(error),
            Sticky::Io(kind) => Error::Io(kind.into()),
            Sticky::Random(error) => Error::Random(error),
            Sticky::InnerContract => Error::InnerContract,
        }
    }
}

impl Error {
    /// What of it stays; `None` if the call may be made again, or was refused without harm.
    pub(crate) fn sticky(&self) -> Option<Sticky> {
        match self {
            Error::Wire(error) => Some(Sticky::Wire(*error)),
            Error::Io(_) if self.is_would_block() => None,
            Error::Io(error) => Some(Sticky::Io(error.kind())),
            Error::Random(error) => Some(Sticky::Random(*error)),
            Error::InnerContract => Some(Sticky::InnerContract),
            Error::Unfinished => None,
        }
    }

    /// Whether the same call may succeed later: nothing was lost.
    pub(crate) fn is_would_block(&self) -> bool {
        matches!(self, Error::Io(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}
