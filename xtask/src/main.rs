//! The project's own checks, as `cargo xtask COMMAND`.
//!
//! Each prints what it does, one line a step, and the first failure ends the program. What a check
//! needs and does not find is a failure too: nothing is skipped silently.

#![deny(unsafe_code)]

use clap::{Parser, Subcommand};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod bench;
mod botan_vec;
mod capi;
mod ci;
mod codegen;
mod constant_time;
mod cpus;
mod cross;
mod cue;
mod debian;
mod dist;
mod examples;
mod fuzz;
mod header;
mod interop;
mod layers;
mod mutations;
mod package;
mod picture;
mod process;
mod sanitize;
mod serpent_corpus;
mod size;
mod soak;
mod vectors;
mod wasm;

/// The project's own checks.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    check: Check,
}

#[derive(Subcommand)]
enum Check {
    /// Measures against other implementations and writes docs/benchmarks.{md,json,svg}
    Bench {
        /// One minute instead of five
        #[arg(long)]
        quick: bool,
        /// Measure this operation alone (may be given again) and keep the other figures
        #[arg(long, value_name = "OPERATION")]
        only: Vec<String>,
    },
    /// Tries Serpent on a file of vectors in Botan's format
    BotanVec {
        /// Such as src/tests/data/block/serpent.vec of Botan's sources
        file: PathBuf,
    },
    /// Puts the C library in the place of libsodium: names, transcript, libsodium's tests, PyNaCl, speed
    Capi,
    /// Everything that .ci/run asks for beyond `cargo test`
    Ci,
    /// Prints the backends of this processor, for `cpus` to read
    #[command(hide = true)]
    Backends,
    /// Disassembles a release build: calls, spills, rotates, wipes
    Codegen {
        /// With faults planted in a copy of the sources, which must be found
        #[arg(long)]
        seeded: bool,
        /// The NEON kernels: instructions in their loops, and executed
        #[arg(long, conflicts_with = "seeded")]
        neon: bool,
        /// Write the counts to docs/neon.md
        #[arg(long, requires = "neon")]
        write: bool,
    },
    /// Looks under valgrind for jumps and addresses that depend on secrets
    ConstantTime,
    /// Runs the vectors on emulated x86 processors that have less
    Cpus,
    /// Runs the tests on emulated machines of other kinds; all of them if none is named
    Cross {
        /// Which machines
        machines: Vec<cross::Machine>,
    },
    /// Vets spec/ with CUE and compares its constants with ss55-wire's
    Cue,
    /// Builds what is released into target/dist: the command, the C library, manual, licences, an SBOM
    Dist {
        /// Build it again from a copy of the sources in another folder, which must give the same bytes
        #[arg(long)]
        twice: bool,
    },
    /// Runs the examples and compares what they print or write
    Examples,
    /// Runs the fuzz targets; all of them if none is named
    Fuzz {
        /// How long each runs
        #[arg(long, value_name = "N", default_value_t = fuzz::SECONDS)]
        seconds: u32,
        /// Write fuzz/corpus again instead
        #[arg(long)]
        seeds: bool,
        /// Which targets
        targets: Vec<String>,
    },
    /// Writes crates/capi/include/ss55.h
    Header {
        /// Compare instead
        #[arg(long)]
        check: bool,
    },
    /// Exchanges streams with libsodium, both ways
    Interop {
        /// Also with `PyNaCl`, `sodium-native` and `libsodium-wrappers`, installed into target/interop
        #[arg(long)]
        clients: bool,
    },
    /// Checks that dependencies between the crates point downwards
    Layers,
    /// Draws the terminal of the README, docs/terminal.svg, of a session that it has
    Picture {
        /// See that it is of today instead
        #[arg(long)]
        check: bool,
    },
    /// Plants bugs in a copy of the sources, all of them if none is named: the tests must find each
    Mutations {
        /// Write their table to docs/verification.md instead
        #[arg(long)]
        write: bool,
        /// Which bugs, of xtask/mutations
        bugs: Vec<String>,
    },
    /// Packs the crates, and builds and tests the packages in another place
    Package,
    /// Prints how much code ss55-siv is on a Cortex-M3
    Size,
    /// Makes the corpus of Serpent again with RustCrypto and Botan, and compares
    SerpentCorpus {
        /// Write it
        #[arg(long)]
        write: bool,
    },
    /// Runs the kernels' tests under AddressSanitizer and valgrind
    Sanitize,
    /// Sends streams through the command for as long as you like, and watches what it holds
    Soak {
        /// How much plaintext
        #[arg(long, default_value_t = 64, value_name = "N")]
        gib: u64,
        /// Begin no stream after this many seconds
        #[arg(long, value_name = "S")]
        seconds: Option<u64>,
        /// Of the data and the keys: a run prints its own, and this repeats it
        #[arg(long, value_name = "NUMBER")]
        seed: Option<u64>,
    },
    /// Builds the libraries for WebAssembly and runs their vectors under Node
    Wasm,
    /// Makes the vectors again with testdata/oracle and compares
    Vectors {
        /// Also those of Serpent, with libgcrypt
        #[arg(long)]
        serpent: bool,
    },
}

fn main() -> ExitCode {
    let result = match Args::parse().check {
        Check::Bench { quick, only } => bench::run(quick, &only),
        Check::BotanVec { file } => botan_vec::run(&file),
        Check::Capi => capi::run(),
        Check::Ci => ci::run(),
        Check::Backends => {
            cpus::print_backends();
            Ok(())
        }
        Check::Codegen { seeded: true, .. } => codegen::seeded::run(),
        Check::Codegen {
            neon: true, write, ..
        } => codegen::neon::check(write),
        Check::Codegen { .. } => codegen::run(),
        Check::ConstantTime => constant_time::run(),
        Check::Cpus => cpus::run(),
        Check::Cross { machines } => cross::run(&machines),
        Check::Cue => cue::run(),
        Check::Dist { twice } => dist::run(twice),
        Check::Examples => examples::run(),
        Check::Fuzz { seeds: true, .. } => fuzz::write_seeds(),
        Check::Fuzz {
            seconds, targets, ..
        } => fuzz::run(seconds, &targets),
        Check::Header { check } => header::run(check),
        Check::Interop { clients } => interop::run(clients),
        Check::Layers => layers::run(),
        Check::Picture { check } => picture::run(check),
        Check::Mutations { write: true, .. } => mutations::write(),
        Check::Mutations { bugs, .. } => mutations::run(&bugs),
        Check::Package => package::run(),
        Check::Size => size::run(),
        Check::SerpentCorpus { write } => serpent_corpus::run(write),
        Check::Sanitize => sanitize::run(),
        Check::Soak { gib, seconds, seed } => soak::run(gib, seconds, seed),
        Check::Wasm => wasm::run(),
        Check::Vectors { serpent } => vectors::run(serpent),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask is a folder of it").to_owned()
}

/// Two lower-case digits a byte.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a String takes everything");
        text
    })
}
