//! Bytes under a name, in memory, for code that takes files.

use rustix::{
    fs::{MemfdFlags, memfd_create},
    pipe::{fcntl_setpipe_size, pipe},
};
use std::{
    fs,
    io::Write,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

/// A regular file, or the end of a pipe.
pub struct File {
    path: PathBuf,
    _file: OwnedFd,
}

impl File {
    pub fn new(bytes: &[u8]) -> Self {
        let file = memfd_create("input", MemfdFlags::CLOEXEC).expect("memory for a file");
        let mut file = fs::File::from(file);
        file.write_all(bytes).expect("memory for a file");
        File::named(file.into())
    }

    /// `None` for more bytes than a pipe holds.
    pub fn pipe(bytes: &[u8]) -> Option<Self> {
        const ROOM: usize = 1 << 16;
        if bytes.len() > ROOM {
            return None;
        }
        let (read, write) = pipe().expect("a pipe");
        if fcntl_setpipe_size(&write, ROOM).is_err() {
            return None; // whose user has too many pages in pipes
        }
        fs::File::from(write)
            .write_all(bytes)
            .expect("room in the pipe");
        Some(File::named(read))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn named(file: OwnedFd) -> Self {
        File {
            path: format!("/proc/self/fd/{}", file.as_raw_fd()).into(),
            _file: file,
        }
    }
}
