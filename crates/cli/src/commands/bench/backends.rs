//! Which backends there are, which one runs, and what the others would need.

use crate::engine::VARIABLE;
use ss55_aead::{Engine, SimdEngine};
use std::fmt::Write;

/// A line for the backend in use, and one for each backend of this architecture, fastest first.
pub fn table(engine: SimdEngine) -> String {
    let mut text = format!("backend: {}\n", engine.name());
    for name in SimdEngine::NAMES {
        let state = if *name == engine.name() {
            reason(name)
        } else if SimdEngine::by_name(name).is_some() {
            "there".to_owned()
        } else {
            format!("not there: this machine lacks {}", lacks(name).join(", "))
        };
        let _ = writeln!(text, "  {name:10}{state}"); // a String takes everything
    }
    text
}

/// `--cfg ss55_backend="NAME"`, with any name.
const BUILT_FOR_ONE: bool = cfg!(any(
    ss55_backend = "portable",
    ss55_backend = "sse2",
    ss55_backend = "ssse3",
    ss55_backend = "avx2",
    ss55_backend = "avx512",
    ss55_backend = "neon",
    ss55_backend = "neon8",
));

/// Why the backend of this name is in use.
fn reason(name: &str) -> String {
    if name != SimdEngine::new().name() {
        format!("selected by {VARIABLE}")
    } else if BUILT_FOR_ONE {
        "selected when ss55 was built".to_owned()
    } else {
        "selected: the fastest of this machine".to_owned()
    }
}

/// What the backend of this name needs and this machine (the processor, or the operating system, which must
/// save the registers) has not. The kernels' crates decide on their own: this explains what they decided.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn lacks(name: &str) -> Vec<&'static str> {
    macro_rules! features {
        ($($name:tt)*) => { &[$(($name, is_x86_feature_detected!($name))),*] };
    }
    let features: &[(&str, bool)] = match name {
        "avx512" => features!["avx512f" "avx512vl" "avx512bw" "avx512ifma"],
        "avx2" => features!["avx2"],
        "ssse3" => features!["ssse3"],
        "sse2" => features!["sse2"],
        _ => &[],
    };
    let lacking = features.iter().filter(|(_, there)| !there);
    lacking.map(|(name, _)| *name).collect()
}

/// Elsewhere every processor of the architecture has all that its backends need.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn lacks(_name: &str) -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On whatever machine, emulated ones too: the explanation is the decision.
    #[test]
    fn a_backend_is_there_if_nothing_is_lacking() {
        for name in SimdEngine::NAMES {
            let lacks = lacks(name);
            assert_eq!(
                SimdEngine::by_name(name).is_some(),
                lacks.is_empty(),
                "{name} lacks {lacks:?}"
            );
        }
    }

    #[test]
    fn every_backend_has_a_line_and_one_is_selected() {
        for engine in SimdEngine::available() {
            let text = table(engine);
            let lines: Vec<_> = text.lines().collect();
            assert_eq!(lines[0], format!("backend: {}", engine.name()));
            let named = lines[1..].iter().map(|line| line.split_whitespace().next());
            assert!(named.eq(SimdEngine::NAMES.iter().map(|name| Some(*name))));
            let selected: Vec<_> = lines.iter().filter(|l| l.contains("selected")).collect();
            assert_eq!(selected.len(), 1, "{text}");
            assert!(
                selected[0].trim_start().starts_with(engine.name()),
                "{text}"
            );
        }
        let fastest = table(SimdEngine::new());
        assert!(!fastest.contains(VARIABLE), "{fastest}");
    }
}
