//! The backends that a test runs over: all of this machine, and not fewer in silence.

use ss55_poly1305::Backend;
use std::{io::Write, sync::OnceLock};

/// Names that `SS55_REQUIRE_BACKENDS` may hold for the sake of other crates, while this one has no
/// such kernel.
const OF_OTHER_CRATES: &[&str] = &["ssse3", "neon8", "simd128"];

/// Every backend of this machine. Says once which ones it lacks, and fails if the environment
/// variable `SS55_REQUIRE_BACKENDS` (`portable,avx2`) names one of them.
pub fn backends() -> &'static [Backend] {
    static BACKENDS: OnceLock<Vec<Backend>> = OnceLock::new();
    BACKENDS.get_or_init(|| {
        for name in Backend::NAMES {
            if Backend::by_name(name).is_none() {
                // Not eprintln!: the test harness would keep it to itself.
                let _ = writeln!(std::io::stderr(), "skipped: {name}");
            }
        }
        let required = std::env::var("SS55_REQUIRE_BACKENDS").unwrap_or_default();
        if let Err(name) = all_present(&required) {
            panic!("SS55_REQUIRE_BACKENDS: this machine has no backend {name:?}");
        }
        Backend::available().collect()
    })
}

/// Whether this machine runs every backend of a comma-separated list; if not, the first that it
/// does not.
pub fn all_present(required: &str) -> Result<(), &str> {
    let names = required.split(',').map(str::trim);
    for name in names.filter(|name| !name.is_empty()) {
        let elsewhere = OF_OTHER_CRATES.contains(&name) && !Backend::NAMES.contains(&name);
        if Backend::by_name(name).is_none() && !elsewhere {
            return Err(name);
        }
    }
    Ok(())
}
