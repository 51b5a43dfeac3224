//! How many threads do the work of SS55 streams.

use crate::{
    args::{ReadFormat, ThreadArgs},
    commands::SPARE_MEMORY,
    error::Error,
};
use rustix::process::{Resource, getrlimit};
use ss55_stream::parallel::available_threads;

/// With more, reading and writing take all of the time.
const MOST: usize = 8;
/// Addresses that a thread takes: the heap that glibc gives it, 64 MiB, its stack, 2 MiB, and its frames.
const MEMORY: usize = 72 << 20;

/// As many as are wanted for each of the `streams`, or as there are; but no more than the limits on memory have
/// room for, since to run out of it would abort the program.
pub fn wanted(args: &ThreadArgs, streams: usize) -> usize {
    let wanted = args
        .threads
        .map_or_else(|| available_threads().min(MOST), usize::from);
    let limits = [Resource::As, Resource::Data].map(|kind| getrlimit(kind).current);
    wanted.min(room(limits.into_iter().flatten().min(), streams))
}

/// For how many of each stream there is room under this limit, in bytes, beside the one that reads ahead. One
/// does without a heap of its own.
fn room(limit: Option<u64>, streams: usize) -> usize {
    let Some(limit) = limit else {
        return usize::MAX;
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    (limit.saturating_sub(SPARE_MEMORY + MEMORY) / (streams * MEMORY)).max(1)
}

/// Refuses several threads where a format that is read was asked for and has one.
pub fn check(args: &ThreadArgs, format: ReadFormat) -> Result<(), Error> {
    refuse_if(args, format == ReadFormat::Libsodium)
}

/// Refuses several threads for the libsodium layout.
pub fn refuse_if(args: &ThreadArgs, is_libsodium: bool) -> Result<(), Error> {
    if is_libsodium && args.threads.is_some_and(|threads| threads > 1) {
        return Err(Error::usage(
            "--threads: each chunk of the libsodium layout depends on the one before",
            "leave it out, or choose another --format",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_has_room_for_so_many() {
        const MIB: u64 = 1 << 20;
        assert_eq!(room(None, 1), usize::MAX);
        for (mib, threads) in [(0, 1), (232, 1), (375, 1), (376, 2), (232 + 8 * 72, 8)] {
            assert_eq!(room(Some(mib * MIB), 1), threads, "{mib}");
        }
        assert_eq!(room(Some((232 + 8 * 72) * MIB), 2), 4);
    }
}
