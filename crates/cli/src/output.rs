//! What is written: standard output, a device or a pipe as it is, or a file that appears complete or
//! not at all.

use crate::{
    error::Error,
    input::{Identity, Name, named},
    stdio,
    unfinished::Unfinished,
};
use std::{
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io::{self, IsTerminal, Write},
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, PermissionsExt, fchown},
    },
    path::{Path, PathBuf},
};

/// Where the output goes. Nothing is opened yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Stdout,
    Path(PathBuf),
}

impl Target {
    /// What `-o` says; else what `derive` makes of the input's name; else standard output.
    pub fn choose(
        output: Option<PathBuf>,
        input: Option<&Path>,
        derive: impl FnOnce(&Path) -> Result<PathBuf, Error>,
    ) -> Result<Self, Error> {
        let target = match (output, named(input)) {
            (Some(output), _) if is_stdout(&output) => Target::Stdout,
            (Some(output), _) => return Ok(Target::Path(output)),
            (None, Some(input)) => return Ok(Target::Path(derive(input)?)),
            (None, None) if io::stdout().is_terminal() => {
                return Err(Error::usage(
                    "standard output is a terminal, and the output may be binary",
                    "name a file with -o OUT, or force it with -o -",
                ));
            }
            (None, None) => Target::Stdout,
        };
        // Found out before anything is read.
        stdio::stdout()?;
        Ok(target)
    }
}

/// Opening `/dev/stdout` would start at the beginning of a file that the shell appends to.
fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
        .iter()
        .any(|name| path.as_os_str() == *name)
}

/// The files that an output must not be, and what each is to this run.
pub type Guarded = [(&'static str, Option<Identity>)];

/// An open output.
#[derive(Debug)]
pub struct Output {
    name: Name,
    file: File,
    /// What is left to do at the end, if `file` has not its name yet.
    replacement: Option<Replacement>,
}

#[derive(Debug)]
struct Replacement {
    temporary: Unfinished,
    destination: PathBuf,
    /// Of the file that is replaced.
    replaced: Option<Metadata>,
}

impl Output {
    /// Opens the output, unless it is one of the `guarded` files.
    pub fn open(target: &Target, guarded: &Guarded) -> Result<Self, Error> {
        match target {
            Target::Stdout => {
                let file = stdio::stdout()?;
                let name = Name::Stdout;
                let metadata = file
                    .metadata()
                    .map_err(|error| Error::writing(&name, error))?;
                guard(&name, &metadata, guarded)?;
                Ok(Output {
                    name,
                    file,
                    replacement: None,
                })
            }
            Target::Path(path) => Output::open_path(path, guarded),
        }
    }

    fn open_path(path: &Path, guarded: &Guarded) -> Result<Self, Error> {
        let name = Name::Path(path.to_owned());
        let opening = |error| Error::io(&name, error, "check the path and its permissions");
        if path.as_os_str().as_bytes().ends_with(b"/") {
            return Err(opening(io::ErrorKind::IsADirectory.into()));
        }
        let destination = follow_links(path).map_err(opening)?;
        // Opened even where it will be replaced: whoever may not write a file may not replace it.
        let replaced = match OpenOptions::new().write(true).open(&destination) {
            Ok(file) => {
                let metadata = file.metadata().map_err(opening)?;
                guard(&name, &metadata, guarded)?;
                if !metadata.is_file() {
                    return Ok(Output {
                        name,
                        file,
                        replacement: None,
                    });
                }
                Some(metadata)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(opening(error)),
        };
        // A new file has the mode that the umask leaves; what replaces another is closed to all until
        // it has that one's mode.
        let mode = if replaced.is_some() { 0o600 } else { 0o666 };
        let created = Unfinished::create(|| {
            tempfile::Builder::new()
                .prefix(".ss55-")
                .suffix(".tmp")
                .permissions(Permissions::from_mode(mode))
                .disable_cleanup(true)
                .tempfile_in(folder_of(&destination))
                .map(|file| {
                    let (file, path) = file.into_parts();
                    (file, path.to_path_buf())
                })
        });
        let (file, temporary) = created.map_err(|error| {
            Error::io(
                &name,
                error,
                "a temporary file is written beside it first: its folder must exist and be \
                 writable; -o - > OUT does without",
            )
        })?;
        Ok(Output {
            name,
            file,
            replacement: Some(Replacement {
                temporary,
                destination,
                replaced,
            }),
        })
    }

    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The output is complete: gives it its name, and keeps `new_key` with it.
    pub fn commit(self, new_key: Option<Unfinished>) -> Result<(), Error> {
        let writing = |error| Error::writing(&self.name, error);
        let Some(replacement) = self.replacement else {
            if let Some(new_key) = new_key {
                new_key.keep();
            }
            return Ok(());
        };
        let Replacement {
            temporary,
            destination,
            replaced,
        } = replacement;
        if let Some(replaced) = replaced {
            inherit(&self.file, &replaced).map_err(writing)?;
        }
        self.file.sync_all().map_err(writing)?;
        temporary
            .complete(new_key.as_ref(), |temporary| {
                fs::rename(temporary, &destination)
            })
            .map_err(writing)?;
        sync_folder_of(&destination).map_err(writing)
    }
}

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.file.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn guard(name: &Name, metadata: &Metadata, guarded: &Guarded) -> Result<(), Error> {
    let identity = Identity::of(metadata);
    match guarded
        .iter()
        .find(|(_, other)| identity.is_some() && *other == identity)
    {
        None => Ok(()),
        Some((what, _)) => Err(Error::usage(
            format!("{name}: the output and the {what} are one file"),
            "choose another output with -o OUT",
        )),
    }
}

/// The file that a chain of symbolic links ends at, which need not exist.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                path = folder_of(&path).join(fs::read_link(&path)?);
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Gives `file` owner, group and mode of the file that it replaces; where the owner cannot be kept,
/// nobody else gets in.
fn inherit(file: &File, replaced: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    let same_owner = own.uid() == replaced.uid() && own.gid() == replaced.gid();
    let kept = same_owner || fchown(file, Some(replaced.uid()), Some(replaced.gid())).is_ok();
    let mask = if kept { 0o777 } else { 0o700 };
    file.set_permissions(Permissions::from_mode(replaced.mode() & mask))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the entry of `path` in its folder as lasting as the file itself.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    match File::open(folder_of(path)).and_then(|folder| folder.sync_all()) {
        // A folder that may be written but not read, or a file system that syncs no folders.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied
                    | io::ErrorKind::InvalidInput
                    | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}
