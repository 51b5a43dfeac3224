//! What is written: standard output, a device or a pipe as it is, or a file that appears complete or
//! not at all.

use crate::{
    error::{Error, Role, say},
    input::{Identity, Name, named},
    place::{Place, folder_of},
    stdio::{self, Waiting},
    unfinished::Unfinished,
};
use std::{
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io::{self, IsTerminal, Write},
    os::{
        fd::RawFd,
        unix::{
            ffi::OsStrExt,
            fs::{MetadataExt, PermissionsExt, fchown},
        },
    },
    path::{Path, PathBuf},
};

/// Where the output goes. Nothing is opened yet.
#[derive(Debug)]
pub struct Target {
    name: Name,
    place: Place,
}

impl Target {
    /// What `-o` says; else what `derive` makes of the input's name; else standard output.
    pub fn choose(
        output: Option<&Path>,
        input: Option<&Path>,
        derive: impl FnOnce(&Path) -> Result<PathBuf, Error>,
    ) -> Result<Self, Error> {
        match (output, named(input)) {
            (Some(output), _) => Target::of(output),
            (None, Some(input)) => {
                if let Ok(Place::Descriptor(_)) = Place::to_read(input) {
                    return Err(Error::usage(
                        format!(
                            "{}: a descriptor gives the output no name",
                            Name::Path(input.to_owned())
                        ),
                        "name the output with -o OUT; -o - is standard output",
                    ));
                }
                Target::of(&derive(input)?)
            }
            (None, None) if io::stdout().is_terminal() => Err(Error::usage(
                "standard output is a terminal, and the output may be binary",
                "name a file with -o OUT, or force it with -o -",
            )),
            (None, None) => Target::of(Path::new("-")),
        }
    }

    fn of(path: &Path) -> Result<Self, Error> {
        let name = Name::Path(path.to_owned());
        if path.as_os_str().as_bytes().ends_with(b"/") {
            let error = io::ErrorKind::IsADirectory.into();
            return Err(Error::io(Role::Output, &name, error));
        }
        let place = Place::to_write(path).map_err(|error| Error::io(Role::Output, &name, error))?;
        let name = match place {
            Place::Descriptor(1) => Name::Stdout,
            _ => name,
        };
        // Found out before anything is read.
        if let Place::Descriptor(descriptor) = place {
            stdio::open(descriptor, Role::Output, &name)?;
        }
        Ok(Target { name, place })
    }
}

/// The files that an output must not be, and what each is to this run.
pub type Guarded = [(&'static str, Option<Identity>)];

/// An open output.
#[derive(Debug)]
pub struct Output {
    name: Name,
    file: Waiting,
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
    pub fn open(target: Target, guarded: &Guarded) -> Result<Self, Error> {
        let Target { name, place } = target;
        match place {
            Place::Descriptor(descriptor) => Output::open_descriptor(name, descriptor, guarded),
            Place::Path(path) => Output::open_path(name, path, guarded),
        }
    }

    fn open_descriptor(name: Name, descriptor: RawFd, guarded: &Guarded) -> Result<Self, Error> {
        let file = stdio::open(descriptor, Role::Output, &name)?;
        let metadata = file
            .metadata()
            .map_err(|error| Error::io(Role::Output, &name, error))?;
        guard(&name, &metadata, guarded)?;
        Ok(Output {
            name,
            file,
            replacement: None,
        })
    }

    fn open_path(name: Name, destination: PathBuf, guarded: &Guarded) -> Result<Self, Error> {
        let opening = |error| Error::io(Role::Output, &name, error);
        // Opened even where it will be replaced: whoever may not write a file may not replace it.
        let replaced = match OpenOptions::new().write(true).open(&destination) {
            Ok(file) => {
                let metadata = file.metadata().map_err(opening)?;
                guard(&name, &metadata, guarded)?;
                if !metadata.is_file() {
                    return Ok(Output {
                        name,
                        file: Waiting(file),
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
        let (file, temporary) = created.map_err(opening)?;
        Ok(Output {
            name,
            file: Waiting(file),
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
        let writing = |error| Error::io(Role::Output, &self.name, error);
        let file = &self.file.0;
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
            inherit(file, &replaced, &self.name).map_err(writing)?;
        }
        file.sync_all().map_err(writing)?;
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

/// Gives `file` owner, group and permissions of the file that it replaces. Where the owner cannot be
/// kept nobody else gets in; where anything cannot, a warning says so.
fn inherit(file: &File, replaced: &Metadata, name: &Name) -> io::Result<()> {
    const ALL: u32 = 0o7777;
    let own = file.metadata()?;
    let same_owner = own.uid() == replaced.uid() && own.gid() == replaced.gid();
    let kept = same_owner || fchown(file, Some(replaced.uid()), Some(replaced.gid())).is_ok();
    // What a program may do with a file's rights was granted to its old content.
    let mode = replaced.mode() & if kept { 0o777 } else { 0o700 };
    file.set_permissions(Permissions::from_mode(mode))?;
    if !kept {
        say(format_args!(
            "ss55: warning: {name}: its owner and group could not be kept; its mode is {mode:04o} now"
        ));
    } else if mode != replaced.mode() & ALL {
        say(format_args!(
            "ss55: warning: {name}: its mode was {:04o} and is {mode:04o} now",
            replaced.mode() & ALL
        ));
    }
    Ok(())
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
