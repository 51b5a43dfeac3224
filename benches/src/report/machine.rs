//! Where and when.

use serde::{Deserialize, Serialize};
use std::{
    env::consts::{ARCH, OS},
    fs,
    time::{SystemTime, UNIX_EPOCH},
};

/// The machine of a measurement.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// What the processor calls itself, with its family and model where they are known.
    pub processor: String,
    /// Operating system and architecture.
    pub platform: String,
    /// What the compiler calls itself.
    pub compiler: String,
}

impl Machine {
    /// The machine that this runs on.
    pub fn this() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Machine {
            processor: processor(&cpuinfo),
            platform: format!("{OS}, {ARCH}"),
            compiler: env!("SS55_RUSTC").into(),
        }
    }
}

/// The first processor of /proc/cpuinfo.
fn processor(cpuinfo: &str) -> String {
    let field = |name: &str| {
        cpuinfo.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim())
        })
    };
    let name = field("model name").unwrap_or("unknown processor");
    match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => format!("{name}, family {family}, model {model}"),
        _ => name.into(),
    }
}

/// The day, as in 2026-01-31, UTC.
pub(super) fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    date(seconds / 86_400)
}

/// The date of a day since 1970-01-01.
fn date(mut day: u64) -> String {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_over_leap_years() {
        // Days between dates as `date -d DATE +%s` gives them, divided by 86400.
        for (day, text) in [
            (0, "1970-01-01"),
            (11_015, "2000-02-28"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_453, "2025-12-31"),
            (20_454, "2026-01-01"),
        ] {
            assert_eq!(date(day), text);
        }
    }

    #[test]
    fn the_processor_has_a_name() {
        let cpuinfo =
            "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 97\nmodel name\t: A Processor\n";
        assert_eq!(processor(cpuinfo), "A Processor, family 25, model 97");
        assert_eq!(processor(""), "unknown processor");
    }
}
