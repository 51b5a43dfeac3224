//! What is read: a named file or standard input.

use crate::{
    ahead::Fill,
    error::{Error, Role},
    place::Place,
    progress::Progress,
    stdio::{self, Waiting},
};
use serde_json::{Value, json};
use std::{
    fmt,
    fs::{File, Metadata},
    io::{self, Read, Seek},
    os::unix::{
        ffi::OsStrExt,
        fs::{FileExt, FileTypeExt, MetadataExt},
    },
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

/// A file's name in JSON: as text; and its bytes if it is not UTF-8, which no JSON string has.
pub fn file_json(name: &Name) -> [(&'static str, Value); 2] {
    let (text, hex) = match name {
        Name::Path(path) => {
            let bytes = || base16ct::lower::encode_string(path.as_os_str().as_bytes());
            let hex = path.to_str().is_none().then(bytes);
            (Some(path.to_string_lossy()), hex)
        }
        _ => (None, None),
    };
    [("file", json!(text)), ("file_hex", json!(hex))]
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
        metadata.is_file().then(|| Identity::of_any(metadata))
    }

    fn of_pipe(metadata: &Metadata) -> Option<Self> {
        let file_type = metadata.file_type();
        (file_type.is_fifo() || file_type.is_socket()).then(|| Identity::of_any(metadata))
    }

    fn of_any(metadata: &Metadata) -> Self {
        Identity {
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }
}

/// The files that a run reads. No two are one pipe: what one takes from it, the other never sees.
#[derive(Debug, Default)]
pub struct Sources(Vec<Source>);

#[derive(Debug)]
struct Source {
    what: &'static str,
    is_stdin: bool,
    pipe: Option<Identity>,
}

impl Sources {
    /// Opens `path`, which is `what` to this run; `-` is standard input.
    pub fn open(
        &mut self,
        what: &'static str,
        role: Role,
        path: &Path,
    ) -> Result<(Name, Waiting, Metadata), Error> {
        let is_stdin = is_stdin(path);
        let (name, file) = if is_stdin {
            (Name::Stdin, stdio::stdin()?)
        } else {
            let name = Name::Path(path.to_owned());
            let file = File::open(path).map_err(|error| Error::io(role, &name, error))?;
            (name, Waiting(file))
        };
        let metadata = file
            .metadata()
            .map_err(|error| Error::io(role, &name, error))?;
        if metadata.is_dir() {
            return Err(Error::io(role, &name, io::ErrorKind::IsADirectory.into()));
        }
        let pipe = Identity::of_pipe(&metadata);
        let same =
            |other: &&Source| is_stdin && other.is_stdin || pipe.is_some() && pipe == other.pipe;
        if let Some(other) = self.0.iter().find(same) {
            let one = if is_stdin && other.is_stdin {
                "both standard input"
            } else {
                "one pipe"
            };
            return Err(Error::usage(
                format!("{what} and {} are {one}", other.what),
                "name a file for one of them",
            ));
        }
        self.0.push(Source {
            what,
            is_stdin,
            pipe,
        });
        Ok((name, file, metadata))
    }
}

/// An open input. Reading it moves the progress bar.
#[derive(Debug)]
pub struct Input {
    name: Name,
    file: Waiting,
    metadata: Metadata,
    progress: Progress,
    /// Bytes that a regular file had when it was opened, and those that were read.
    expected: u64,
    read: u64,
}

impl Input {
    /// Opens `path`; `None` and `-` are standard input.
    pub fn open(path: Option<&Path>, sources: &mut Sources) -> Result<Self, Error> {
        let path = path.unwrap_or(Path::new("-"));
        let (name, mut file, metadata) = sources.open("input", Role::Input, path)?;
        // Standard input may stand anywhere in its file, or behind its end.
        let start = file.0.stream_position().unwrap_or(0);
        let expected = if metadata.is_file() {
            metadata.len().saturating_sub(start)
        } else {
            0
        };
        Ok(Input {
            name,
            file,
            metadata,
            progress: Progress::hidden(),
            expected,
            read: 0,
        })
    }

    /// Shows how far the reading is, if the input says how long it is and somebody looks.
    pub fn show_progress(&mut self, quiet: bool) {
        if let (false, Some(len)) = (quiet, self.len()) {
            self.progress = Progress::bar(len);
        }
    }

    /// The bar once more, for whoever has to see that it goes: the input may be on another thread then.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// The bar, to be moved by whoever takes it from here on.
    pub fn take_progress(&mut self) -> Progress {
        std::mem::replace(&mut self.progress, Progress::hidden())
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

    /// The file, to be read from any place.
    pub fn into_file(self) -> File {
        self.file.0
    }

    /// Fills `buf`; less than all of it is the end of the input.
    pub fn fill(&mut self, buf: &mut [u8]) -> Result<usize, Error> {
        fill_with(buf, |rest, _| self.read(rest))
            .map_err(|error| Error::io(Role::Input, &self.name, error))
    }

    /// Whether all was read that was there at the start, now that the end is reached.
    pub fn check_complete(&self) -> Result<(), Error> {
        if self.read >= self.expected {
            return Ok(());
        }
        Err(Error::Io {
            name: self.name.clone(),
            source: io::Error::other(format!(
                "it changed while it was read: {} of its {} bytes were there",
                self.read, self.expected
            )),
            hint: "run it again when nobody else writes to the file",
        })
    }

    /// Fills `buf` from a place of a file that has a length, as far as the file goes.
    pub fn fill_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, Error> {
        fill_with(buf, |rest, done| self.file.0.read_at(rest, offset + done))
            .map_err(|error| Error::io(Role::Input, &self.name, error))
    }

    /// Reads so many bytes, or all that there are, and drops them. Returns their number.
    pub fn discard(&mut self, bytes: u64) -> Result<u64, Error> {
        io::copy(&mut self.by_ref().take(bytes), &mut io::sink())
            .map_err(|error| Error::io(Role::Input, &self.name, error))
    }
}

/// By full buffers: less is the end.
impl Fill for Input {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize, Error> {
        Input::fill(self, buf)
    }

    fn is_end(filled: usize, buf: &[u8]) -> bool {
        filled < buf.len()
    }
}

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buf)?;
        self.read += read as u64;
        self.progress.advance(read as u64);
        Ok(read)
    }
}

/// The path, unless it stands for standard input.
pub fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| !is_stdin(path))
}

fn is_stdin(path: &Path) -> bool {
    matches!(Place::to_read(path), Ok(Place::Descriptor(0)))
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
