//! x86 processors that have less than this one.
//!
//! QEMU's user mode emulation traps every instruction that the processor it was asked for does not
//! have. Under it, the backends must step down, by name, and the vectors must pass without one.

use crate::{debian, process};
use anyhow::{Context, Result, ensure};
use ss55_aead::{Engine, SimdEngine};
use std::env;
use std::process::Command;
use std::time::Instant;

/// A processor, and of all vector backends those that it has. `portable` is everywhere.
struct Cpu {
    /// As QEMU takes it.
    name: &'static str,
    chacha: &'static [&'static str],
    poly1305: &'static [&'static str],
    serpent: &'static [&'static str],
}

const CPUS: [Cpu; 5] = [
    // SSE 3, without the shuffle of bytes.
    Cpu {
        name: "Opteron_G1",
        chacha: &["sse2"],
        poly1305: &["sse2"],
        serpent: &["sse2"],
    },
    // SSE 4.2, no AVX.
    Cpu {
        name: "Nehalem",
        chacha: &["ssse3", "sse2"],
        poly1305: &["sse2"],
        serpent: &["sse2"],
    },
    Cpu {
        name: "Haswell",
        chacha: &["avx2", "ssse3", "sse2"],
        poly1305: &["avx2", "sse2"],
        serpent: &["avx2", "sse2"],
    },
    // The processor could, and the operating system does not save the registers.
    Cpu {
        name: "Haswell,-xsave",
        chacha: &["ssse3", "sse2"],
        poly1305: &["sse2"],
        serpent: &["sse2"],
    },
    // The crates ask for different features: here they disagree.
    Cpu {
        name: "Haswell,-bmi2",
        chacha: &["avx2", "ssse3", "sse2"],
        poly1305: &["sse2"],
        serpent: &["avx2", "sse2"],
    },
];

const RUNNER: &str = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER";

pub fn run() -> Result<()> {
    ensure!(
        cfg!(all(target_arch = "x86_64", target_os = "linux")),
        "needs Linux on x86-64: it compiles for this machine"
    );
    debian::install(None, &["qemu-user-static"])?;
    for cpu in &CPUS {
        let start = Instant::now();
        cpu.check()
            .with_context(|| format!("on the processor {}", cpu.name))?;
        println!(
            "cpus: {}: passed, {} s",
            cpu.name,
            start.elapsed().as_secs()
        );
    }
    Ok(())
}

impl Cpu {
    fn check(&self) -> Result<()> {
        let emulator = format!("qemu-x86_64-static -cpu {}", self.name);
        let chacha = backends(ss55_chacha_simd::Backend::NAMES, self.chacha);
        let poly1305 = backends(ss55_poly1305::Backend::NAMES, self.poly1305);
        let serpent = backends(ss55_serpent::Backend::NAMES, self.serpent);

        // This program under the emulator.
        let words: Vec<_> = emulator.split(' ').collect();
        let mut program = Command::new(words[0]);
        program
            .args(&words[1..])
            .arg(env::current_exe()?)
            .arg("backends");
        let printed = String::from_utf8(process::output(&mut program)?)?;
        let expected = describe(
            &[
                ("chacha-simd", chacha[0], chacha.clone()),
                ("poly1305", poly1305[0], poly1305.clone()),
                ("serpent", serpent[0], serpent.clone()),
            ],
            chacha[0],
        );
        ensure!(
            printed == expected,
            "the backends are\n{printed}and should be\n{expected}"
        );
        print!("cpus: {}: {printed}", self.name);

        for (package, tests, required) in [
            ("ss55-chacha-simd", ["vectors", "kernels"], &chacha),
            ("ss55-poly1305", ["vectors", "kernels"], &poly1305),
            ("ss55-serpent", ["vectors", "kernels"], &serpent),
            ("ss55-aead", ["vectors", "engines"], &chacha),
        ] {
            let mut test = process::cargo();
            test.current_dir(crate::root())
                .args(["test", "--quiet", "--locked", "--package", package])
                .arg("--target-dir")
                .arg(crate::root().join("target/cpus"))
                .args(tests.iter().flat_map(|test| ["--test", test]))
                .env(RUNNER, &emulator)
                .env("SS55_REQUIRE_BACKENDS", required.join(","));
            process::succeed(&mut test)?;
        }
        Ok(())
    }
}

/// Those of a crate's backends, fastest first, that a processor has.
fn backends(names: &[&'static str], has: &[&str]) -> Vec<&'static str> {
    names
        .iter()
        .copied()
        .filter(|name| has.contains(name) || *name == "portable")
        .collect()
}

/// The backends of the processor that runs this program.
pub fn print_backends() {
    macro_rules! row {
        ($name:literal, $backend:ty) => {{
            let names = <$backend>::available().map(|backend| backend.name());
            ($name, <$backend>::detect().name(), names.collect())
        }};
    }
    let text = describe(
        &[
            row!("chacha-simd", ss55_chacha_simd::Backend),
            row!("poly1305", ss55_poly1305::Backend),
            row!("serpent", ss55_serpent::Backend),
        ],
        SimdEngine::new().name(),
    );
    print!("{text}");
}

/// A crate, the backend that it chooses, and all that it has.
type Row = (&'static str, &'static str, Vec<&'static str>);

fn describe(crates: &[Row], engine: &str) -> String {
    let crates: Vec<_> = crates
        .iter()
        .map(|(name, chosen, all)| format!("{name} {chosen} of {}", all.join(", ")))
        .collect();
    format!("{}; SimdEngine {engine}\n", crates.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backends_step_down_in_order() {
        let names = ["avx512", "avx2", "portable"];
        assert_eq!(backends(&names, &["avx2", "sse2"]), ["avx2", "portable"]);
        assert_eq!(backends(&names, &[]), ["portable"]);
    }

    /// Each row of README's table names the emulated machines that select its backend, and no other.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn readme_says_where_each_backend_is_tested() {
        let readme = include_str!("../../README.md");
        let table = readme
            .lines()
            .skip_while(|l| !l.contains("| selected when |"));
        let rows: Vec<Vec<&str>> = table
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .map(|line| {
                line.split(['|', ' ', ',', ';'])
                    .filter(|word| !word.is_empty())
                    .collect()
            })
            .collect();
        for cpu in CPUS.iter().filter(|cpu| !cpu.name.contains(',')) {
            let selects = backends(ss55_chacha_simd::Backend::NAMES, cpu.chacha)[0];
            for row in &rows {
                let selected = row[0].trim_matches('`') == selects;
                assert_eq!(row.contains(&cpu.name), selected, "{}: {row:?}", cpu.name);
            }
        }
    }
}
