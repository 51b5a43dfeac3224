//! The standard streams as plain files: no buffer, no line discipline.

use crate::{error::Error, input::Name};
use rustix::fs::{OFlags, fcntl_getfl};
use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, BorrowedFd},
        unix::fs::{FileTypeExt, MetadataExt},
    },
};

pub fn stdin() -> Result<File, Error> {
    open(io::stdin().as_fd(), &Name::Stdin)
}

pub fn stdout() -> Result<File, Error> {
    open(io::stdout().as_fd(), &Name::Stdout)
}

fn open(fd: BorrowedFd<'_>, name: &Name) -> Result<File, Error> {
    let open = || -> io::Result<(File, bool)> {
        let file = File::from(fd.try_clone_to_owned()?);
        let closed = was_closed(&file)?;
        Ok((file, closed))
    };
    match open() {
        Ok((file, false)) => Ok(file),
        Ok((_, true)) => Err(Error::io(
            name,
            io::Error::other("it is closed"),
            "redirect it; a /dev/null that is open both ways looks the same: open it one way",
        )),
        Err(error) => Err(Error::reading(name, error)),
    }
}

/// Rust's runtime opens `/dev/null` for reading and writing in place of a standard stream that is
/// closed. Writing to that would succeed and lose everything. Shells open `/dev/null` one way.
fn was_closed(file: &File) -> io::Result<bool> {
    let metadata = file.metadata()?;
    if !metadata.file_type().is_char_device() {
        return Ok(false);
    }
    let is_null = std::fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == metadata.rdev());
    Ok(is_null && fcntl_getfl(file)?.contains(OFlags::RDWR))
}
