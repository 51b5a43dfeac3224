//! What is read: a named file or standard input.

use crate::{error::Error, progress::Progress, stdio};
use std::{
    fmt,
    fs::{File, Metadata},
    io::{self, Read},
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
};

/// What messages call a file. Names are quoted: they may hold any byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    Stdin,
    Stdout,
    Path(PathBuf),
    /// Something of the operating system's.
    System(&'static str),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Stdin => f.write_str("standard input"),
            Name::Stdout => f.write_str("standard output"),
            #[expect(clippy::unnecessary_debug_formatting, reason = "quotes and escapes")]
            Name::Path(path) => write!(f, "{path:?}"),
            Name::System(what) => f.write_str(what),
        }
    }
}

/// Which file it is, whatever its names. Regular files alone have one: to read and write one pipe or
/// one device is nobody's mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub fn of(metadata: &Metadata) -> Option<Self> {
        metadata.is_file().then(|| Identity {
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }
}

/// An open input. Reading it moves the progress bar.
#[derive(Debug)]
pub struct Input {
    name: Name,
    file: File,
    metadata: Metadata,
    progress: Progress,
}

impl Input {
    /// Opens `path`; `None` and `-` are standard input.
    pub fn open(path: Option<&Path>) -> Result<Self, Error> {
        let (name, file) = match named(path) {
            Some(path) => {
                let name = Name::Path(path.to_owned());
                let file = File::open(path).map_err(|error| Error::reading(&name, error))?;
                (name, file)
            }
            None => (Name::Stdin, stdio::stdin()?),
        };
        let metadata = file
            .metadata()
            .map_err(|error| Error::reading(&name, error))?;
        if metadata.is_dir() {
            return Err(Error::reading(&name, io::ErrorKind::IsADirectory.into()));
        }
        Ok(Input {
            name,
            file,
            metadata,
            progress: Progress::hidden(),
        })
    }

    /// Shows how far the reading is, if the input says how long it is and somebody looks.
    pub fn show_progress(&mut self, quiet: bool) {
        if let (false, Some(len)) = (quiet, self.len()) {
            self.progress = Progress::bar(len);
        }
    }

    pub fn name(&self) -> &Name {
        &self.name
    }

    pub fn identity(&self) -> Option<Identity> {
        Identity::of(&self.metadata)
    }

    /// The length of a named regular file. Standard input may stand anywhere in its own.
    pub fn len(&self) -> Option<u64> {
        (self.name != Name::Stdin && self.metadata.is_file()).then_some(self.metadata.len())
    }

    /// Fills `buf`; less than all of it is the end of the input.
    pub fn fill(&mut self, buf: &mut [u8]) -> Result<usize, Error> {
        fill_with(buf, |rest, _| self.read(rest)).map_err(|error| Error::reading(&self.name, error))
    }

    /// Fills `buf` from a place of a file that has a length, as far as the file goes.
    pub fn fill_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, Error> {
        fill_with(buf, |rest, done| self.file.read_at(rest, offset + done))
            .map_err(|error| Error::reading(&self.name, error))
    }

    /// Reads so many bytes, or all that there are, and drops them. Returns their number.
    pub fn discard(&mut self, bytes: u64) -> Result<u64, Error> {
        io::copy(&mut self.by_ref().take(bytes), &mut io::sink())
            .map_err(|error| Error::reading(&self.name, error))
    }
}

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buf)?;
        self.progress.advance(read as u64);
        Ok(read)
    }
}

/// The path, unless it stands for standard input.
pub fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| !is_stdin(path))
}

pub fn is_stdin(path: &Path) -> bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]
        .iter()
        .any(|name| path.as_os_str() == *name)
}

fn fill_with(
    buf: &mut [u8],
    mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buf.len() {
        match read(&mut buf[filled..], filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
