//! How many threads do the work of SS55 streams.

use crate::args::ThreadArgs;
use rayon::ThreadPoolBuilder;
use ss55_stream::parallel::available_threads;
use std::sync::OnceLock;

/// With more, reading and writing take all of the time, and a megabyte is held for each.
const MOST: usize = 8;

/// As many as are wanted, or as there are. The threads are there then, beside this one; if the system
/// has none to give, this one does the work alone.
pub fn start(args: &ThreadArgs) -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| start_once(args))
}

fn start_once(args: &ThreadArgs) -> usize {
    let threads = args
        .threads
        .map_or_else(|| available_threads().min(MOST), usize::from);
    if threads == 1 {
        return 1;
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads - 1)
        .thread_name(|_| "frames".into());
    match pool.build_global() {
        Ok(()) => threads,
        Err(_) => 1,
    }
}
