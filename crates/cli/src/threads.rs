//! How many threads do the work of SS55 streams.

use crate::args::ThreadArgs;
use ss55_stream::parallel::available_threads;

/// With more, reading and writing take all of the time.
const MOST: usize = 8;

/// As many as are wanted, or as there are.
pub fn wanted(args: &ThreadArgs) -> usize {
    args.threads
        .map_or_else(|| available_threads().min(MOST), usize::from)
}
