//! Files that must not outlive a run that fails, whichever way it fails.
//!
//! They are removed when their owner is dropped, and by the thread that waits for signals. One lock
//! guards the list of them, so that a signal finds a file either on the list or complete.

use crate::input::Identity;
use signal_hook::{
    consts::{
        SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM,
        SIGXCPU, SIGXFSZ,
    },
    iterator::Signals,
    low_level::emulate_default_handler,
};
use std::{
    ffi::c_int,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

static FILES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

fn files() -> MutexGuard<'static, Vec<Entry>> {
    // A list of files is right whatever a panicking thread was about to do with it.
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A name, and the file that was created under it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    path: PathBuf,
    identity: Option<Identity>,
}

impl Entry {
    /// Removes the file, unless its name is another's by now. Nobody is left to be told of a failure.
    fn remove(&self) {
        if fs::symlink_metadata(&self.path)
            .is_ok_and(|metadata| Identity::of(&metadata) == self.identity)
        {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A file that is removed on drop, unless it was completed.
#[derive(Debug)]
pub struct Unfinished(Entry);

impl Unfinished {
    /// Creates a file and puts it on the list, with no signal in between.
    pub fn create(
        create: impl FnOnce() -> io::Result<(File, PathBuf)>,
    ) -> io::Result<(File, Unfinished)> {
        let mut files = files();
        let (file, path) = create()?;
        let identity = Identity::of(&file.metadata()?);
        let entry = Entry { path, identity };
        files.push(entry.clone());
        Ok((file, Unfinished(entry)))
    }

    pub fn identity(&self) -> Option<Identity> {
        self.0.identity
    }

    /// Takes `self` and `other` off the list, if `last_step` succeeds; nothing comes in between.
    pub fn complete(
        self,
        other: Option<&Unfinished>,
        last_step: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut files = files();
        let done = last_step(&self.0.path);
        if done.is_ok() {
            files.retain(|file| *file != self.0 && other.is_none_or(|other| *file != other.0));
        }
        // Dropping `self` takes the lock again.
        drop(files);
        done
    }

    /// Keeps the file as it is.
    pub fn keep(self) {
        files().retain(|file| *file != self.0);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut files = files();
        if let Some(index) = files.iter().position(|file| *file == self.0) {
            files.swap_remove(index).remove();
        }
    }
}

/// Those that end a process, that others send, and that can be caught.
const SIGNALS: [c_int; 11] = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGALRM, SIGUSR1, SIGUSR2, SIGPROF, SIGVTALRM,
    SIGXCPU,
];

/// From now on these signals remove what is unfinished, and then do what they always do. Those that
/// are ignored stay so. A file that grows beyond its limit is an error of its writer, no signal.
///
/// # Errors
/// Of the operating system, if it has no thread or no handler left.
pub fn remove_on_signals() -> io::Result<()> {
    // Caught, if to no end, it lets the write fail.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    let ignored = ignored_signals();
    let caught = SIGNALS
        .into_iter()
        .filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let mut signals = Signals::new(caught)?;
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // Never unlocked again: no file is created or completed from here on.
                let files = files();
                files.iter().for_each(Entry::remove);
                let _ = emulate_default_handler(signal);
            }
        })?;
    Ok(())
}

/// The signals that were ignored when this process started, as a set of bits. `nohup` does that, and a
/// shell to what runs in its background; a handler would undo it.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        // Where nobody says, the one that `nohup` ignores keeps its default, and may leave a file.
        .unwrap_or(1 << (SIGHUP - 1))
}
