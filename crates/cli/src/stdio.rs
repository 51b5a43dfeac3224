//! The descriptors that this process was started with, as plain files: no buffer, no line discipline.

use crate::{
    error::{Error, Role},
    input::Name,
};
use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::{OFlags, fcntl_getfl},
};
use std::{
    fs::{File, Metadata},
    io::{self, Read, Write},
    os::{
        fd::{AsFd, RawFd},
        unix::fs::{FileTypeExt, MetadataExt},
    },
};

/// A file that is waited for. Whoever started this process may have made its descriptor one that does
/// not wait.
#[derive(Debug)]
pub struct Waiting(pub File);

impl Waiting {
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// Repeats `attempt` until the file lets it through.
    fn patiently<T>(
        &mut self,
        event: PollFlags,
        mut attempt: impl FnMut(&mut File) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match attempt(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    match poll(&mut [PollFd::new(&self.0, event)], None) {
                        Ok(_) | Err(rustix::io::Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                result => return result,
            }
        }
    }
}

impl Read for Waiting {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.patiently(PollFlags::IN, |file| file.read(buf))
    }
}

impl Write for Waiting {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.patiently(PollFlags::OUT, |file| file.write(buf))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn stdin() -> Result<Waiting, Error> {
    open(0, Role::Input, &Name::Stdin)
}

pub fn stdout() -> Result<Waiting, Error> {
    open(1, Role::Output, &Name::Stdout)
}

/// A duplicate of `descriptor`: it goes on where that stands, and appends if that does.
pub fn open(descriptor: RawFd, role: Role, name: &Name) -> Result<Waiting, Error> {
    let open = || -> io::Result<(File, bool)> {
        let file = duplicate(descriptor)?;
        let closed = descriptor <= 2 && was_closed(&file)?;
        Ok((file, closed))
    };
    match open() {
        Ok((file, false)) => Ok(Waiting(file)),
        Ok((_, true)) => Err(Error::Io {
            name: name.clone(),
            source: io::Error::other("it is closed"),
            hint: "redirect it; a /dev/null that is open both ways looks the same: open it one way",
        }),
        Err(error) => Err(Error::io(role, name, error)),
    }
}

fn duplicate(descriptor: RawFd) -> io::Result<File> {
    let standard = match descriptor {
        0 => io::stdin().as_fd().try_clone_to_owned(),
        1 => io::stdout().as_fd().try_clone_to_owned(),
        2 => io::stderr().as_fd().try_clone_to_owned(),
        _ => return other(descriptor),
    };
    standard.map(File::from)
}

/// Opening `/dev/fd/N` would start at the beginning of a file, and forget that it is appended to.
#[cfg(target_os = "linux")]
fn other(descriptor: RawFd) -> io::Result<File> {
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
    let duplicate = pidfd_open(getpid(), PidfdFlags::empty())
        .and_then(|own| pidfd_getfd(own, descriptor, PidfdGetfdFlags::empty()));
    match duplicate {
        Ok(duplicate) => Ok(duplicate.into()),
        Err(rustix::io::Errno::BADF) => Err(rustix::io::Errno::BADF.into()),
        // A kernel before 5.6, or a sandbox. What is no regular file has no place to lose.
        Err(error) => {
            let path = format!("/dev/fd/{descriptor}");
            if std::fs::metadata(&path)?.is_file() {
                return Err(error.into());
            }
            std::fs::OpenOptions::new().write(true).open(path)
        }
    }
}

/// Where it is no link, opening it duplicates it.
#[cfg(not(target_os = "linux"))]
fn other(descriptor: RawFd) -> io::Result<File> {
    std::fs::OpenOptions::new()
        .write(true)
        .open(format!("/dev/fd/{descriptor}"))
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
