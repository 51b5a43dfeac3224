//! No jump and no address depends on a secret: `examples/constant_time`, as it is released, under valgrind.
//!
//! valgrind knows no AVX-512, so those kernels are not looked at; nor are the times of single instructions, nor
//! what a processor does ahead of a jump.

use crate::{debian, process};
use anyhow::{Context, Result, bail, ensure};
use ss55_aead::{Engine, SimdEngine};
use std::process::{Command, Stdio};

const PROGRAM: &str = "constant_time";
const UNSEEN: &str = "avx512";

pub fn run() -> Result<()> {
    ensure!(
        cfg!(all(target_arch = "x86_64", target_os = "linux")),
        "needs Linux on x86-64: it speaks to valgrind in that machine's code"
    );
    debian::install(None, &["valgrind"])?;
    let folder = crate::root().join("target/constant-time");
    let mut build = process::cargo();
    build
        .current_dir(crate::root())
        .args(["build", "--quiet", "--locked", "--release"])
        .args(["--package", "xtask", "--example", PROGRAM, "--target-dir"])
        .arg(&folder)
        // For memcheck's reports. It changes nothing of the code.
        .env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
    process::succeed(&mut build)?;

    let output = Command::new("valgrind")
        .args(["--quiet", "--error-limit=no", "--num-callers=20", "--"])
        .arg(folder.join("release/examples").join(PROGRAM))
        .stdin(Stdio::null())
        .output()
        .context("cannot start valgrind")?;
    let rows = String::from_utf8(output.stdout).context("the rows are not UTF-8")?;
    let reports = String::from_utf8_lossy(&output.stderr);
    let faults = faults(&rows, &reports);
    if !output.status.success() || !faults.is_empty() {
        bail!("{}: {}\n{}", PROGRAM, output.status, faults.join("\n"));
    }

    let here: Vec<_> = SimdEngine::available()
        .map(|engine| engine.name())
        .collect();
    let seen = seen(&rows);
    for engine in &here {
        ensure!(
            seen.contains(engine) || *engine == UNSEEN,
            "{engine} was not run: valgrind gave {}",
            seen.join(", ")
        );
    }
    ensure!(!seen.is_empty(), "no engine was run");
    for row in rows.lines().filter(|row| row.starts_with("planted")) {
        println!("constant-time: {row}");
    }
    println!(
        "constant-time: {} rows on {}: no jump and no address depends on a secret, verdicts aside",
        count(&rows),
        seen.join(", ")
    );
    println!(
        "constant-time: not seen: kernels for AVX-512, times of single instructions, speculation"
    );
    Ok(())
}

/// The rows of the product. The planted ones are `ok` for the opposite reason.
fn count(rows: &str) -> usize {
    rows.lines()
        .filter(|row| row.ends_with(": ok") && !row.starts_with("planted"))
        .count()
}

fn seen(rows: &str) -> Vec<&str> {
    rows.lines()
        .filter_map(|row| row.strip_prefix("engine "))
        .collect()
}

/// The rows that are not as they should be, each with what memcheck said meanwhile.
fn faults(rows: &str, reports: &str) -> Vec<String> {
    rows.lines()
        .filter(|row| row.contains("FAULT"))
        .map(|row| {
            let name = row.split_once(": ").map_or(row, |_| name_of(row));
            let section = reports
                .split("row ")
                .find(|section| section.lines().next() == Some(name))
                .unwrap_or_default();
            format!("{row}\n{section}")
        })
        .collect()
}

/// What stands before the count.
fn name_of(row: &str) -> &str {
    let end = row.find(" dependencies").unwrap_or(row.len());
    row[..end].rsplit_once(": ").map_or(row, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "\
planted branch: 1 dependencies, 0 on verdicts: ok
engine avx2
avx2: seal 1: 3 dependencies, 0 on verdicts: FAULT: it depends on a secret
avx2: open 1: 1 dependencies, 1 on verdicts: ok
engine portable
";

    #[test]
    fn faults_come_with_their_reports() {
        let reports =
            "row planted branch\n==1== a\nrow avx2: seal 1\n==1== b\nrow avx2: open 1\n==1== c\n";
        let faults = faults(ROWS, reports);
        assert_eq!(faults.len(), 1);
        assert!(faults[0].contains("seal 1") && faults[0].contains("==1== b"));
        assert!(!faults[0].contains("==1== a") && !faults[0].contains("==1== c"));
    }

    #[test]
    fn planted_rows_do_not_count() {
        assert_eq!(count(ROWS), 1);
    }

    #[test]
    fn engines_are_those_that_say_so() {
        assert_eq!(seen(ROWS), ["avx2", "portable"]);
        assert_eq!(seen("avx2: seal 1"), [""; 0]);
    }
}
