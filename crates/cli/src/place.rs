//! What a name on the command line leads to. All that is read or written by name goes through here.

use std::{
    fs, io,
    os::fd::RawFd,
    path::{Path, PathBuf},
};

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// One of this process's own descriptors, under whichever of its names. The links of that name
    /// only look like paths: one may lead to `pipe:[7]`, or to a file that has been removed.
    Descriptor(RawFd),
    /// A path that is no symbolic link, and need not exist.
    Path(PathBuf),
}

impl Place {
    pub fn to_read(path: &Path) -> io::Result<Self> {
        Place::of(path, 0)
    }

    pub fn to_write(path: &Path) -> io::Result<Self> {
        Place::of(path, 1)
    }

    /// Follows `path`. `-` is the descriptor `dash`.
    fn of(path: &Path, dash: RawFd) -> io::Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Place::Descriptor(dash));
        }
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            if let Some(descriptor) = descriptor(&path)? {
                return Ok(Place::Descriptor(descriptor));
            }
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_symlink() => {
                    path = folder_of(&path).join(fs::read_link(&path)?);
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => return Ok(Place::Path(path)),
            }
        }
        Err(io::Error::other("too many symbolic links"))
    }
}

/// The descriptor that `path` is the name of: a number in `/dev/fd`, which is in `/proc` on Linux.
fn descriptor(path: &Path) -> io::Result<Option<RawFd>> {
    let number = path.file_name().and_then(|name| name.to_str());
    let Some(number) = number.and_then(|name| name.parse().ok()) else {
        return Ok(None);
    };
    let Ok(folder) = fs::canonicalize(folder_of(path)) else {
        return Ok(None);
    };
    // `/proc/PID/fd`, and each thread's `/proc/PID/task/TID/fd`.
    let in_proc = folder.starts_with("/proc") && folder.ends_with("fd");
    let is_ours =
        in_proc && fs::canonicalize("/proc/self").is_ok_and(|process| folder.starts_with(process));
    if is_ours || folder == Path::new("/dev/fd") {
        Ok(Some(number))
    } else if in_proc {
        Err(io::Error::other("a descriptor of another process"))
    } else {
        Ok(None)
    }
}

pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
