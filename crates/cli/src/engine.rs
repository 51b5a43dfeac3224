//! Which kernels do the work.

use crate::error::Error;
use ss55_aead::{Engine, SimdEngine};
use std::env;

/// Names one of the machine's backends, to compare them or to work around one.
pub const VARIABLE: &str = "SS55_BACKEND";

/// The fastest engine of this machine, or the one that `SS55_BACKEND` names.
pub fn chosen() -> Result<SimdEngine, Error> {
    match env::var_os(VARIABLE).filter(|name| !name.is_empty()) {
        None => Ok(SimdEngine::new()),
        Some(name) => name.to_str().and_then(SimdEngine::by_name).ok_or_else(|| {
            Error::usage(
                format!("{VARIABLE}: this machine has no such backend"),
                format!("it has {}; or leave the variable unset", available()),
            )
        }),
    }
}

/// The names of all that this machine can run, fastest first.
pub fn available() -> String {
    let names: Vec<&str> = SimdEngine::available()
        .map(|engine| engine.name())
        .collect();
    names.join(", ")
}
