//! Files that must not outlive a run that fails, whichever way it fails.
//!
//! They are removed when their owner is dropped, and by the thread that waits for signals. One lock
//! guards the list of their names, so that a signal finds a file either on the list or complete.

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};

static NAMES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn names() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list of names is right whatever a panicking thread was about to do with it.
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is removed on drop, unless it was completed.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// Creates a file and puts it on the list, with no signal in between.
    pub fn create<T>(
        create: impl FnOnce() -> io::Result<(T, PathBuf)>,
    ) -> io::Result<(T, Unfinished)> {
        let mut names = names();
        let (file, path) = create()?;
        names.push(path.clone());
        Ok((file, Unfinished { path }))
    }

    /// Takes `self` and `other` off the list, if `last_step` succeeds; nothing comes in between.
    pub fn complete(
        self,
        other: Option<&Unfinished>,
        last_step: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut names = names();
        let done = last_step(&self.path);
        if done.is_ok() {
            names
                .retain(|name| *name != self.path && other.is_none_or(|other| *name != other.path));
        }
        // Dropping `self` takes the lock again.
        drop(names);
        done
    }

    /// Keeps the file as it is.
    pub fn keep(self) {
        names().retain(|name| *name != self.path);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut names = names();
        if let Some(index) = names.iter().position(|name| *name == self.path) {
            names.swap_remove(index);
            // Nobody is left to be told of a failure.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// From now on SIGINT, SIGTERM and SIGHUP remove what is unfinished, and then do what they always do.
///
/// # Errors
/// Of the operating system, if it has no thread or no handler left.
pub fn remove_on_signals() -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    if !ignores_hangup() {
        signals.add_signal(SIGHUP)?;
    }
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // Never unlocked again: no file is created or completed from here on.
                let names = names();
                for name in names.iter() {
                    let _ = fs::remove_file(name);
                }
                let _ = emulate_default_handler(signal);
            }
        })?;
    Ok(())
}

/// `nohup` ignores SIGHUP for its child, and a handler would undo that.
fn ignores_hangup() -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else {
        // Where nobody says, SIGHUP keeps its default and may leave a temporary file.
        return true;
    };
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_none_or(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}
