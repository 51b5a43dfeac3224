//! What processes hold, while they run.

use anyhow::{Context, Result, ensure};
use std::fmt;
use std::fs;
use std::io;
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// Resident memory, most of it the program itself.
const MOST_KIB: u64 = 16 << 10;
/// By then a process has touched all of its memory: bytes of a stream.
const SETTLED: u64 = 4 << 20;
/// Bytes that take `BETWEEN_LOOKS` four times, even at 3 GB/s, which is more than goes through a pipe.
const LONG: u64 = 1 << 28;
/// More of it than when a process had settled: what a page fault more or less explains.
const MOST_GROWTH_KIB: u64 = 1 << 10;
/// Beyond those that this program was started with, which its children inherit: input and output once more,
/// a file, and the pair of sockets that says of signals.
const MOST_DESCRIPTORS: usize = 5;

/// The most that a process held.
#[derive(Debug)]
pub struct Watched {
    name: &'static str,
    kib: u64,
    /// When a sixteenth of the stream had gone through, and not less than `SETTLED`.
    settled: Option<u64>,
    descriptors: usize,
}

impl fmt::Display for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let growth = self.kib.saturating_sub(self.settled.unwrap_or(self.kib));
        write!(
            f,
            "{} held {} KiB (grew by {growth}), {} descriptors",
            self.name, self.kib, self.descriptors
        )
    }
}

impl Watched {
    fn look(&mut self, child: &Child, settled: bool) -> io::Result<()> {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id()))?;
        // A process that has ended, and that nobody has waited for, has no such line.
        let Some(kib) = resident(&status) else {
            return Ok(());
        };
        self.kib = self.kib.max(kib);
        if settled {
            self.settled.get_or_insert(self.kib);
        }
        self.descriptors = self.descriptors.max(descriptors(&child.id().to_string())?);
        Ok(())
    }

    /// `long` is a stream during which there was time to look: what was never seen alive, or not once it had
    /// settled, was within no bounds.
    fn check(&self, inherited: usize, long: bool) -> Result<()> {
        let name = self.name;
        ensure!(
            !long || self.kib > 0 && self.settled.is_some(),
            "{self}: {name} was not watched once it had settled"
        );
        ensure!(
            self.kib <= MOST_KIB,
            "{self}: {name} may hold {MOST_KIB} KiB"
        );
        let settled = self.settled.unwrap_or(self.kib);
        ensure!(
            self.kib <= settled + MOST_GROWTH_KIB,
            "{self}: {name} may grow by {MOST_GROWTH_KIB} KiB"
        );
        let most = inherited + MOST_DESCRIPTORS;
        ensure!(self.descriptors <= most, "{self}: {name} may hold {most}");
        Ok(())
    }
}

/// Looks at the children again and again, and last when all is over.
///
/// # Errors
/// If one holds more than it may.
pub fn until(
    over: &AtomicBool,
    children: &[(&'static str, Child)],
    received: &AtomicU64,
    len: u64,
    inherited: usize,
) -> Result<Vec<Watched>> {
    let mut all: Vec<_> = children
        .iter()
        .map(|(name, _)| Watched {
            name,
            kib: 0,
            settled: None,
            descriptors: 0,
        })
        .collect();
    loop {
        let last = over.load(Ordering::Relaxed);
        let settled = received.load(Ordering::Relaxed) >= SETTLED.max(len / 16);
        for (watched, (_, child)) in all.iter_mut().zip(children) {
            watched.look(child, settled).context(watched.name)?;
        }
        if last {
            break;
        }
        thread::sleep(BETWEEN_LOOKS);
    }
    let long = len >= LONG;
    all.iter().try_for_each(|one| one.check(inherited, long))?;
    Ok(all)
}

/// KiB that are in memory, of what /proc says of a process.
fn resident(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// How many descriptors a process has open.
pub fn descriptors(process: &str) -> io::Result<usize> {
    match fs::read_dir(format!("/proc/{process}/fd")) {
        Ok(entries) => Ok(entries.count()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(kib: u64, settled: u64, descriptors: usize) -> Watched {
        Watched {
            name: "decrypt",
            kib,
            settled: Some(settled),
            descriptors,
        }
    }

    #[test]
    fn a_process_that_holds_too_much_is_found() {
        watched(MOST_KIB, MOST_KIB - MOST_GROWTH_KIB, MOST_DESCRIPTORS)
            .check(0, true)
            .unwrap();
        for too_much in [
            watched(MOST_KIB + 1, MOST_KIB, 0),
            watched(6000, 6000 - MOST_GROWTH_KIB - 1, 0),
            watched(6000, 6000, MOST_DESCRIPTORS + 1),
        ] {
            let message = too_much.check(0, true).unwrap_err().to_string();
            assert!(message.contains("may"), "{message}");
        }
    }

    #[test]
    fn a_long_stream_was_watched() {
        let dead = Watched {
            settled: None,
            ..watched(0, 0, 0)
        };
        let unsettled = Watched {
            settled: None,
            ..watched(6000, 0, 5)
        };
        for unseen in [dead, unsettled] {
            unseen.check(0, false).unwrap();
            let message = unseen.check(0, true).unwrap_err().to_string();
            assert!(message.contains("not watched"), "{message}");
        }
    }

    #[test]
    fn memory_is_read() {
        assert_eq!(resident("Name:\tss55\nVmRSS:\t    5020 kB\n"), Some(5020));
        assert_eq!(resident("Name:\tss55\nState:\tZ (zombie)\n"), None);
    }
}
