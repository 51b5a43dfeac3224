//! Faults planted in a copy of the sources: those must be found, in what the compiler makes of them, and
//! nothing else.

use super::{build, check};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;

struct Seed {
    what: &'static str,
    file: &'static str,
    /// Text that is there once.
    from: &'static str,
    to: &'static str,
    /// What the faults begin with: a kernel, or functions.
    places: &'static [&'static str],
    /// What it says.
    fault: &'static str,
}

impl Seed {
    fn is_place_of(&self, fault: &str) -> bool {
        self.places.iter().any(|place| fault.starts_with(place))
    }
}

const SEEDS: &[Seed] = &[
    Seed {
        what: "a spill in the rounds of 32 blocks",
        file: "crates/chacha-simd/src/backend/x86/avx512.rs",
        from: "double_round!(v w);\n    }",
        to: "double_round!(v w);\n core::hint::black_box(&v[0]);\n    }",
        places: &["ChaCha with AVX-512, 8 to 32 blocks"],
        fault: " stores, 0 allowed",
    },
    Seed {
        what: "a call in the portable rounds",
        file: "crates/chacha-simd/src/backend/portable.rs",
        from: "quarter_round(w, 3, 4, 9, 14);\n    }",
        to: "quarter_round(w, 3, 4, 9, 14);\n{ #[inline(never)] fn called() { core::hint::black_box(()) } called() }\n    }",
        places: &["ChaCha, portable"],
        fault: " 1 calls",
    },
    Seed {
        what: "a lost wipe of the powers of r",
        file: "crates/poly1305/src/backend/scalar.rs",
        from: "        powers.zeroize();",
        to: "let _: fn(&mut Powers) = Zeroize::zeroize; core::hint::black_box(&mut powers);",
        places: &["ss55_poly1305::backend::x86::"],
        fault: "sse2::blocks_inner overwrites",
    },
];

/// What the build of the command needs of the workspace: all of its members.
const SOURCES: [&str; 5] = ["Cargo.toml", "Cargo.lock", "crates", "benches", "xtask"];

pub fn run() -> Result<()> {
    let copy = crate::root().join("target/seeded");
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    fs::create_dir_all(&copy)?;
    for source in SOURCES {
        copy_all(&crate::root().join(source), &copy.join(source))?;
    }
    for seed in SEEDS {
        let file = copy.join(seed.file);
        let text = fs::read_to_string(&file)?;
        fs::write(&file, plant(&text, seed)?)?;
    }
    // A folder of its own: the crates of a copy are the same to cargo, and as fresh.
    let code = build(&copy, &crate::root().join("target/codegen-seeded"))?;
    compare(&check(&code).faults, SEEDS)?;
    for seed in SEEDS {
        println!("codegen: {} was planted and found", seed.what);
    }
    Ok(())
}

fn plant(text: &str, seed: &Seed) -> Result<String> {
    let places = text.matches(seed.from).count();
    ensure!(
        places == 1,
        "{}: {:?} is {places} times in {}: follow the source, in {}",
        seed.what,
        seed.from,
        seed.file,
        file!()
    );
    Ok(text.replace(seed.from, seed.to))
}

/// Every seed is found, and every fault is of one.
fn compare(faults: &[String], seeds: &[Seed]) -> Result<()> {
    for seed in seeds {
        let is_found = |fault: &String| seed.is_place_of(fault) && fault.contains(seed.fault);
        if !faults.iter().any(is_found) {
            bail!(
                "{} was planted and not found among:\n{}",
                seed.what,
                faults.join("\n")
            );
        }
    }
    let other = |fault: &&String| !seeds.iter().any(|seed| seed.is_place_of(fault));
    let others: Vec<_> = faults.iter().filter(other).cloned().collect();
    ensure!(
        others.is_empty(),
        "faults that nobody planted:\n{}",
        others.join("\n")
    );
    Ok(())
}

fn copy_all(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if name != "target" && name != "node_modules" {
            copy_all(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: Seed = Seed {
        what: "a spill",
        file: "",
        from: "one();",
        to: "two();",
        places: &["kernel"],
        fault: "1 stores",
    };

    #[test]
    fn a_seed_must_fit() {
        assert_eq!(plant("one(); rest", &SEED).unwrap(), "two(); rest");
        plant("three();", &SEED).unwrap_err();
        plant("one(); one();", &SEED).unwrap_err();
    }

    #[test]
    fn what_is_planted_is_found_and_nothing_else() {
        let faults = |lines: &[&str]| {
            lines
                .iter()
                .map(|&line| line.to_owned())
                .collect::<Vec<_>>()
        };
        compare(&faults(&["kernel: 1 stores", "kernel: 2 calls"]), &[SEED]).unwrap();
        compare(&faults(&[]), &[SEED]).unwrap_err();
        compare(&faults(&["kernel: 1 calls"]), &[SEED]).unwrap_err();
        compare(&faults(&["other: 1 stores"]), &[SEED]).unwrap_err();
        compare(&faults(&["kernel: 1 stores", "other: 1 stores"]), &[SEED]).unwrap_err();
    }
}
