//! The backends that a test runs over: all of this machine, and not fewer in silence.

use ss55_siv::Backend;
use std::{io::Write, sync::OnceLock};

/// Names that `SS55_REQUIRE_BACKENDS` may hold for the sake of other crates, while ChaCha20 has no such
/// kernel.
const OF_OTHER_CRATES: &[&str] = &["sse2", "ssse3", "neon"];

/// Every backend of this machine. Says once which ones it lacks, and fails if the environment variable
/// `SS55_REQUIRE_BACKENDS` (`portable,avx2`) names one of them.
pub fn backends() -> &'static [Backend] {
    static BACKENDS: OnceLock<Vec<Backend>> = OnceLock::new();
    BACKENDS.get_or_init(|| {
        let required = std::env::var("SS55_REQUIRE_BACKENDS").unwrap_or_default();
        for name in required.split(',').filter(|name| !name.is_empty()) {
            let elsewhere = OF_OTHER_CRATES.contains(&name) && !Backend::NAMES.contains(&name);
            assert!(
                elsewhere || Backend::by_name(name).is_some(),
                "SS55_REQUIRE_BACKENDS: this machine has no backend {name:?}"
            );
        }
        for name in Backend::NAMES {
            if Backend::by_name(name).is_none() {
                // Not eprintln!: the test harness would keep it to itself.
                let _ = writeln!(std::io::stderr(), "skipped: {name}");
            }
        }
        Backend::available().collect()
    })
}
