//! The kernels' tests with every access to memory checked, by two instruments.
//!
//! AddressSanitizer checks what the compiler knows of: Rust and intrinsics, AVX-512 among them, not
//! assembly. Valgrind's memcheck checks every instruction, and that no branch depends on memory that was
//! never written; it does not know AVX-512, and shows its programs a processor without it. Assembly that
//! touches memory is in narrower kernels alone, so that the two leave nothing out.
//!
//! Both are first shown faults that they must find. The flag that asks for AddressSanitizer is one that a
//! stable compiler does not take; here it takes it, so that no second toolchain has to be there. The standard
//! library is not instrumented, nor is libsodium.

use crate::{debian, process};
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// Not instrumented, build scripts and macros among the rest, is what is compiled without `--target`.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";
const RUNNER: &str = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER";
const FLAG: &str = "-Zsanitizer=address";
const UNSTABLE: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");
/// A crate, and the backends of it that this machine has and lacks.
struct Package {
    name: &'static str,
    has: Vec<&'static str>,
    lacks: Vec<&'static str>,
}

/// Fifty times slower than the processor, so these alone: each kernel at each length and alignment. Of
/// `engines`, all but `every_length`, which takes three times as long as the others together:
/// `extreme_ciphertexts` has each length up to 400, and then one in 37 up to 9000, so every tail of 64 bytes.
const UNDER_VALGRIND: [(&str, &[&str], &[&str]); 4] = [
    ("ss55-chacha-simd", &["vectors", "kernels"], &[]),
    ("ss55-poly1305", &["vectors", "kernels"], &[]),
    ("ss55-serpent", &["vectors", "kernels"], &[]),
    ("ss55-aead", &["vectors", "engines"], &["every_length"]),
];
/// `--fair-sched`: threads of the test harness take turns, else one may wait for the others' end.
const VALGRIND: &str = "valgrind --quiet --error-exitcode=97 --leak-check=no --fair-sched=yes";
const OVERREAD: &str = include_str!("sanitize/overread.rs");

pub fn run() -> Result<()> {
    ensure!(
        cfg!(all(target_arch = "x86_64", target_os = "linux")),
        "needs Linux on x86-64"
    );
    let start = Instant::now();
    try_address_sanitizer()?;
    address_sanitizer()?;
    println!(
        "sanitize: AddressSanitizer: passed, {} s",
        start.elapsed().as_secs()
    );
    let start = Instant::now();
    debian::install(None, &["valgrind", "libc6-dbg"])?;
    try_valgrind()?;
    valgrind()?;
    println!(
        "sanitize: valgrind: passed, {} s",
        start.elapsed().as_secs()
    );
    Ok(())
}

fn packages() -> [Package; 4] {
    macro_rules! package {
        ($name:literal, $backend:ty) => {{
            let names = <$backend>::NAMES.iter().copied();
            let (has, lacks) = names.partition(|name| <$backend>::by_name(name).is_some());
            Package {
                name: $name,
                has,
                lacks,
            }
        }};
    }
    [
        package!("ss55-chacha-simd", ss55_chacha_simd::Backend),
        package!("ss55-poly1305", ss55_poly1305::Backend),
        package!("ss55-serpent", ss55_serpent::Backend),
        // An engine goes by the backend of its cipher.
        package!("ss55-aead", ss55_chacha_simd::Backend),
    ]
}

fn address_sanitizer() -> Result<()> {
    for package in packages() {
        let mut test = process::cargo();
        test.current_dir(crate::root())
            .args(["test", "--quiet", "--locked", "--tests"])
            .args(["--package", package.name])
            .args(["--target", TRIPLE, "--target-dir"])
            .arg(crate::root().join("target/address-sanitizer"))
            .env(UNSTABLE.0, UNSTABLE.1)
            .env("RUSTFLAGS", FLAG)
            .env("ASAN_OPTIONS", "detect_leaks=0") // tests keep names for ever on purpose
            .env("SS55_REQUIRE_BACKENDS", package.has.join(","));
        process::succeed(&mut test)?;
        for name in package.lacks {
            println!(
                "sanitize: AddressSanitizer: NOT RUN: {name} of {}: not this machine's",
                package.name
            );
        }
    }
    Ok(())
}

fn valgrind() -> Result<()> {
    for (package, tests, skipped) in UNDER_VALGRIND {
        let start = Instant::now();
        let mut test = process::cargo();
        test.current_dir(crate::root())
            .args(["test", "--quiet", "--locked", "--package", package])
            .arg("--target-dir")
            .arg(crate::root().join("target/cpus")) // compiled already, for the emulated processors
            .args(tests.iter().flat_map(|test| ["--test", test]))
            .env(RUNNER, VALGRIND)
            .env("SS55_REQUIRE_BACKENDS", "portable,avx2")
            .args(["--", "--exact"])
            .args(skipped.iter().flat_map(|test| ["--skip", test]));
        process::succeed(&mut test)?;
        for test in skipped {
            println!("sanitize: valgrind: NOT RUN: {test} of {package}");
        }
        println!(
            "sanitize: valgrind: {package}, {} s",
            start.elapsed().as_secs()
        );
    }
    Ok(())
}

fn try_address_sanitizer() -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc
        .args([FLAG, "--target", TRIPLE])
        .env(UNSTABLE.0, UNSTABLE.1);
    let (_folder, program) = compile(&mut rustc)?;
    let mut means = vec!["avx2"];
    if std::is_x86_feature_detected!("avx512f") {
        means.push("avx512");
    }
    for means in means {
        finds(Command::new(&program), means, "heap-buffer-overflow")?;
        println!("sanitize: AddressSanitizer finds an overread by {means}");
    }
    process::output(Command::new(&program).arg("nothing")).map(drop)
}

fn try_valgrind() -> Result<()> {
    let (_folder, program) = compile(&mut Command::new("rustc"))?;
    let words: Vec<_> = VALGRIND.split(' ').collect();
    let under = || {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(&program);
        command
    };
    for means in ["avx2", "assembly"] {
        finds(under(), means, "Invalid read")?;
        println!("sanitize: valgrind finds an overread by {means}");
    }
    process::output(under().arg("nothing")).map(drop)
}

/// The program with faults, in a folder that goes with the first value.
fn compile(rustc: &mut Command) -> Result<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("overread.rs");
    let program = folder.path().join("overread");
    std::fs::write(&source, OVERREAD)?;
    rustc.args(["--edition", "2024", "-O"]).arg(&source);
    process::output(rustc.arg("-o").arg(&program))?;
    Ok((folder, program))
}

fn finds(mut program: Command, means: &str, complaint: &str) -> Result<()> {
    let error = process::output(program.arg(means))
        .err()
        .with_context(|| format!("an overread by {means} goes unnoticed"))?
        .to_string();
    ensure!(error.contains(complaint), "by {means}: {error}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::panic::catch_unwind;

    /// The tests' profile has its own sanitizer: a sum that does not fit is a panic.
    #[test]
    fn overflow_is_checked_in_tests() {
        let sum = |a: u8| catch_unwind(|| black_box(a) + black_box(1));
        assert!(sum(u8::MAX).is_err());
        assert_eq!(sum(1).ok(), Some(2));
    }
}
