//! The product on machines that are not this one: others' word sizes, byte orders, instructions.
//!
//! The tests are compiled for the other machine and run under QEMU's user mode emulation, with every
//! oracle they have, libsodium included: its C code is cross-compiled too. Everything comes from
//! Debian. Where that has a standard library for the machine it is used, elsewhere it is built from
//! Debian's sources of it.

use crate::{debian, process};
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::MetadataCommand;
use clap::ValueEnum;
use ss55_chacha_simd::Backend;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A machine that the product is tried on.
#[derive(Clone, Copy, ValueEnum)]
pub enum Machine {
    /// 64 bits, little-endian, NEON
    Aarch64,
    /// 64 bits, big-endian
    S390x,
    /// 32 bits
    I686,
    /// 32 bits, without an operating system: `no_std` builds only
    Thumbv7m,
}

/// Debian's, not rustup's: the one that fits Debian's standard libraries and sources.
const RUSTC: &str = "/usr/bin/rustc";
/// The oldest release that Cargo.toml promises.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");
/// Crates of the product that need no operating system.
pub const NO_STD: &[&str] = &[
    "ss55-chacha-simd",
    "ss55-poly1305",
    "ss55-serpent",
    "ss55-aead",
    "ss55-siv",
    "ss55-wire",
];
const COMMAND: &str = "ss55-cli";
/// Its other tests compile C programs: an emulated program cannot start a compiler, and those of a machine
/// without a loader have nothing to link with.
const C_LIBRARY: &str = "ss55-capi";

/// Tests of the command that cannot be had through an emulator, and why.
const NOT_EMULATED: &[(&str, &str)] = &[
    (
        "backend::backends_are_chosen_by_name",
        "the backends expected are those of this machine",
    ),
    (
        "backend::bench_names_the_backends_and_prints_a_table",
        "the backends expected are those of this machine",
    ),
    (
        "siv::the_layout_is_the_documented_one",
        "the backends expected are those of this machine",
    ),
    (
        "failures::a_disk_that_is_full_at_any_place_leaves_no_trace",
        "so low a limit on the size of files ends the emulator itself",
    ),
    (
        "failures::ignored_signals_stay_ignored",
        "/proc tells which signals the emulator ignores",
    ),
    (
        "failures::a_signal_half_way_through_decryption_leaves_no_trace",
        "the emulator reports the signal on standard error",
    ),
    (
        "failures::a_signal_half_way_through_encryption_takes_the_new_key_too",
        "the emulator reports the signal on standard error",
    ),
    (
        "surfaces::a_signal_half_way_through_reencryption_takes_the_new_key_too",
        "the emulator reports the signal on standard error",
    ),
    (
        "surfaces::a_signal_between_two_inputs_keeps_what_is_done",
        "the emulator reports the signal on standard error",
    ),
    (
        "limits::hostile_lengths_cost_no_memory",
        "the emulator does not start in so little memory",
    ),
    (
        "limits::a_million_minimal_frames_are_read",
        "the emulator takes what little memory there is",
    ),
    (
        "limits::too_little_memory_for_a_chunk_is_an_error_and_leaves_no_trace",
        "the emulator does not start in so little memory",
    ),
    (
        "limits::memory_is_flat",
        "the emulator's own memory is measured",
    ),
    (
        "snapshots::bench",
        "the emulator takes minutes to measure itself",
    ),
    (
        "snapshots::limits",
        "the emulator does not start in so little memory",
    ),
    (
        "threads::fewer_threads_do_it_where_there_are_no_more",
        "the emulator does not start in so little memory",
    ),
    (
        "siv::a_message_beyond_the_memory_is_refused",
        "the emulator does not start in so little memory",
    ),
];

/// What a machine needs.
struct Recipe {
    name: &'static str,
    triple: &'static str,
    /// Debian's name of the architecture, if libraries of it are to be installed.
    architecture: Option<&'static str>,
    packages: &'static [&'static str],
    /// The C compiler, which is the linker too.
    linker: Option<&'static str>,
    /// The emulator. Without one, this machine's own kernel runs the programs.
    runner: Option<&'static str>,
    rustflags: &'static str,
    std: Std,
    /// Vector backends that the tests must not skip, as `SS55_REQUIRE_BACKENDS` has them.
    backends: &'static [&'static str],
}

/// Where the standard library comes from.
enum Std {
    Package,
    /// Built by cargo: these parts.
    Source(&'static str),
}

impl Machine {
    const fn recipe(self) -> Recipe {
        match self {
            Machine::Aarch64 => Recipe {
                name: "aarch64",
                triple: "aarch64-unknown-linux-gnu",
                architecture: Some("arm64"),
                packages: &[
                    "rustc-web",
                    "libstd-rust-web-dev:arm64",
                    "gcc-aarch64-linux-gnu",
                    "libc6:arm64",
                    "libc6-dev-arm64-cross",
                    "qemu-user-static",
                ],
                linker: Some("aarch64-linux-gnu-gcc"),
                // -L is where the loader lies. With the cross compiler's own folder threads hang.
                runner: Some("qemu-aarch64-static -L /"),
                rustflags: "",
                std: Std::Package,
                backends: &["neon8", "neon"],
            },
            Machine::S390x => Recipe {
                name: "s390x",
                triple: "s390x-unknown-linux-gnu",
                architecture: Some("s390x"),
                packages: &[
                    "rustc-web",
                    "gcc-s390x-linux-gnu",
                    "libc6:s390x",
                    "libc6-dev-s390x-cross",
                    "qemu-user-static",
                ],
                linker: Some("s390x-linux-gnu-gcc"),
                runner: Some("qemu-s390x-static -L /"),
                rustflags: "",
                std: Std::Source("std,panic_abort,test"),
                backends: &[],
            },
            Machine::I686 => Recipe {
                name: "i686",
                triple: "i686-unknown-linux-gnu",
                architecture: None,
                packages: &["rustc-web", "gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
                linker: Some("i686-linux-gnu-gcc"),
                runner: None,
                // No loader and no libraries of that architecture are needed then.
                rustflags: "-C target-feature=+crt-static",
                std: Std::Source("std,panic_abort,test"),
                backends: &["avx2", "ssse3", "sse2"],
            },
            Machine::Thumbv7m => Recipe {
                name: "thumbv7m",
                triple: "thumbv7m-none-eabi",
                architecture: None,
                packages: &["rustc-web"],
                linker: None,
                runner: None,
                rustflags: "",
                std: Std::Source("core"),
                backends: &[],
            },
        }
    }
}

pub fn run(machines: &[Machine]) -> Result<()> {
    let machines = match machines {
        [] => Machine::value_variants(),
        chosen => chosen,
    };
    for machine in machines {
        let recipe = machine.recipe();
        let start = Instant::now();
        recipe
            .run()
            .with_context(|| format!("for {}", recipe.triple))?;
        println!(
            "cross: {}: passed, {} s",
            recipe.name,
            start.elapsed().as_secs()
        );
    }
    Ok(())
}

impl Recipe {
    fn run(&self) -> Result<()> {
        debian::install(self.architecture, self.packages)?;
        let release = self.release().or_else(|error| {
            println!("cross: {}: {error:#}", self.name);
            debian::renew(self.architecture, self.packages)?;
            self.release()
        })?;
        println!("cross: {}: rustc {release} of Debian", self.name);
        match self.std {
            Std::Source("core") => self.build_without_std(&release),
            _ => self.test(&release),
        }
    }

    /// The release of Debian's rustc, once the sources that must be of the same one are there. Fails after
    /// an update of one of the two packages, too.
    fn release(&self) -> Result<String> {
        let release = rustc_release()?;
        if let Std::Source(_) = self.std {
            library(&release)?;
        }
        Ok(release)
    }

    /// All tests of all crates of the product.
    fn test(&self, release: &str) -> Result<()> {
        println!(
            "cross: {}: NOT RUN: the C programs of {C_LIBRARY}",
            self.name
        );
        let Some(runner) = self.runner else {
            return process::succeed(self.cargo_test(release)?.arg("--tests"));
        };
        let mut libraries = self.cargo_test(release)?;
        libraries
            .arg("--tests")
            .env(self.cargo_variable("RUNNER"), runner);
        for package in product()? {
            if package != COMMAND && package != C_LIBRARY {
                libraries.args(["--package", &package]);
            }
        }
        process::succeed(&mut libraries)?;
        let mut c_library = self.cargo_test(release)?;
        c_library
            .args(["--package", C_LIBRARY, "--lib"])
            .env(self.cargo_variable("RUNNER"), runner);
        process::succeed(&mut c_library)?;
        self.test_command(release, runner)
    }

    /// The command's tests, compiled for this machine, of the command that is compiled for the other. Nor
    /// could the emulator run them: a program with threads hangs there when it starts another.
    fn test_command(&self, release: &str, runner: &str) -> Result<()> {
        let mut units = self.cargo_test(release)?;
        units
            .args(["--package", COMMAND, "--lib", "--bins"])
            .env(self.cargo_variable("RUNNER"), runner);
        process::succeed(&mut units)?;

        let mut build = self.cargo("build", release)?;
        process::succeed(build.args(["--package", COMMAND]))?;
        let folder = self.target_folder();
        let binary = folder.join(self.triple).join("debug/ss55");

        let tests = || {
            let mut test = process::cargo();
            test.current_dir(crate::root()).args([
                "test",
                "--locked",
                "--package",
                COMMAND,
                "--test",
                "cli",
            ]);
            test
        };
        let names = process::output(tests().args(["--", "--list"]))?;
        let names = String::from_utf8(names)?;

        let mut test = tests();
        test.env("SS55_TEST_BINARY", wrapper(&folder, runner, &binary)?)
            .arg("--");
        for (name, why) in NOT_EMULATED {
            let line = format!("{name}: test");
            ensure!(names.lines().any(|one| one == line), "no test is {name}");
            println!("cross: {}: NOT RUN: {name}: {why}", self.name);
            test.args(["--skip", name]);
        }
        process::succeed(&mut test)
    }

    fn build_without_std(&self, release: &str) -> Result<()> {
        let mut build = self.cargo("build", release)?;
        build.args(["--lib", "--no-default-features"]);
        for package in NO_STD {
            build.args(["--package", package]);
        }
        process::succeed(&mut build)?;
        println!("cross: {}: built {}", self.name, NO_STD.join(", "));
        Ok(())
    }

    fn cargo_test(&self, release: &str) -> Result<Command> {
        let mut test = self.cargo("test", release)?;
        test.arg("--no-fail-fast")
            .env("SS55_REQUIRE_BACKENDS", self.required());
        Ok(test)
    }

    /// The backends that must be there. Without an emulator they are those that this machine has of them, and
    /// what it lacks is said.
    fn required(&self) -> String {
        let mut required = vec!["portable"];
        for &name in self.backends {
            if self.runner.is_some() || Backend::by_name(name).is_some() {
                required.push(name);
            } else {
                println!("cross: {}: NOT RUN: {name}: not this machine's", self.name);
            }
        }
        required.join(",")
    }

    fn cargo(&self, command: &str, release: &str) -> Result<Command> {
        let mut cargo = self.cargo_in(&crate::root(), command, release)?;
        cargo.arg("--locked");
        Ok(cargo)
    }

    fn cargo_in(&self, package: &Path, command: &str, release: &str) -> Result<Command> {
        let mut cargo = process::cargo();
        cargo
            .current_dir(package)
            .args([command, "--target", self.triple, "--target-dir"])
            .arg(self.target_folder())
            .env("RUSTC", RUSTC)
            .env("RUSTFLAGS", self.rustflags);
        if let Some(linker) = self.linker {
            cargo
                .env(self.cargo_variable("LINKER"), linker)
                .env(format!("CC_{}", self.triple.replace('-', "_")), linker);
        }
        if let Std::Source(parts) = self.std {
            cargo
                .arg(format!("-Zbuild-std={parts}"))
                .env("RUSTC_BOOTSTRAP", "1")
                .env("__CARGO_TESTS_ONLY_SRC_ROOT", library(release)?);
        }
        Ok(cargo)
    }

    /// Each machine has its own: cargo would build everything again after a change of its variables.
    fn target_folder(&self) -> PathBuf {
        folder().join(self.name)
    }

    fn cargo_variable(&self, what: &str) -> String {
        let triple = self.triple.replace('-', "_").to_uppercase();
        format!("CARGO_TARGET_{triple}_{what}")
    }
}

/// A cargo that compiles the package in the folder `package` for a Cortex-M3, and where it puts the
/// results.
pub fn thumbv7m(command: &str, package: &Path) -> Result<(Command, PathBuf)> {
    let recipe = Machine::Thumbv7m.recipe();
    debian::install(recipe.architecture, recipe.packages)?;
    let cargo = recipe.cargo_in(package, command, &rustc_release()?)?;
    Ok((cargo, recipe.target_folder().join(recipe.triple)))
}

/// The names of the product's crates.
fn product() -> Result<Vec<String>> {
    let metadata = MetadataCommand::new()
        .current_dir(crate::root())
        .no_deps()
        .exec()?;
    let packages = metadata.workspace_default_packages();
    Ok(packages
        .iter()
        .map(|package| package.name.to_string())
        .collect())
}

fn folder() -> PathBuf {
    crate::root().join("target/cross")
}

/// The release of Debian's rustc, "1.96.0".
fn rustc_release() -> Result<String> {
    let version = process::output(Command::new(RUSTC).args(["--version", "--verbose"]))?;
    let version = String::from_utf8(version)?;
    let release = version
        .lines()
        .find_map(|line| line.strip_prefix("release: "))
        .with_context(|| format!("{RUSTC} names no release: {version}"))?;
    check_release(release)?;
    Ok(release.to_owned())
}

fn check_release(release: &str) -> Result<()> {
    ensure!(
        minor(release)? >= minor(OLDEST)?,
        "{RUSTC} is {release}, and {OLDEST} is the oldest that will do: \
         `apt-get update` finds the newer rustc-web of bookworm-security, \
         `apt-get install rustc-web libstd-rust-web-dev:arm64` installs it"
    );
    Ok(())
}

/// 89 of "1.89" and of "1.89.2".
fn minor(release: &str) -> Result<u32> {
    release
        .strip_prefix("1.")
        .and_then(|rest| rest.split('.').next()?.parse().ok())
        .with_context(|| format!("{release:?} is no release of Rust 1"))
}

/// The sources of the standard library of that release, unpacked from Debian's package of them. Not
/// installed, as the package would have it: it conflicts with rustup's.
fn library(release: &str) -> Result<PathBuf> {
    let sources = folder().join("rust-src");
    let library = sources.join(format!("usr/src/rustc-{release}/library"));
    if library.join("std/Cargo.toml").exists() {
        return Ok(library);
    }
    println!("cross: unpacking Debian's rust-web-src");
    let download = tempfile::tempdir()?;
    let mut get = Command::new("apt-get");
    get.current_dir(download.path())
        .args(["download", "rust-web-src"]);
    process::output(&mut get)?;
    fs::create_dir_all(&sources)?;
    let package = fs::read_dir(download.path())?
        .next()
        .context("apt-get downloaded nothing")??;
    let mut unpack = Command::new("dpkg-deb");
    unpack.arg("--extract").args([&package.path(), &sources]);
    process::output(&mut unpack)?;
    if !library.join("std/Cargo.toml").exists() {
        bail!(
            "Debian's rust-web-src is not of its rustc, {release}: `apt-get update` and install both"
        );
    }
    Ok(library)
}

/// A script that starts `binary` under `runner`: the tests start it by one name.
fn wrapper(folder: &Path, runner: &str, binary: &Path) -> Result<PathBuf> {
    let script = folder.join("ss55");
    fs::create_dir_all(folder)?;
    fs::write(
        &script,
        format!("#!/bin/sh\nexec {runner} '{}' \"$@\"\n", binary.display()),
    )?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_compiler_is_refused_with_the_way_to_a_new_one() {
        check_release("1.89.0").unwrap();
        check_release("1.96.0").unwrap();
        let message = check_release("1.85.0").unwrap_err().to_string();
        assert!(message.contains("apt-get update"), "{message}");
        check_release("2.0.0").unwrap_err();
        check_release("").unwrap_err();
    }
}
