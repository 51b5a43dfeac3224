//! What the compiler made of the source: read from the command as it is released.
//!
//! The rounds of a kernel are fast because they run from registers, and a secret is gone because it is
//! overwritten. The compiler promises neither: both are looked up in the disassembly, against limits that
//! are stated here.
//!
//! A loop is what lies between a backward jump and its target. A wipe counts once for each address, and
//! not where it leads to unwinding; one that is there on one way out and lacks on another is not missed.
//! A loop of stores counts as what one turn of it stores.

use crate::{debian, process};
use anyhow::{Context, Result, bail, ensure};
use disassembly::{Disassembly, Function, Instruction, Zeros};
use limits::{KERNELS, Kernel, Rotates, WIPES, Wipe};
use std::path::Path;
use std::process::Command;

mod disassembly;
mod limits;
pub mod neon;
pub mod seeded;

/// What was looked at, a line each, and what is not as it should be.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    faults: Vec<String>,
}

pub fn run() -> Result<()> {
    let report = check(&build(
        &crate::root(),
        &crate::root().join("target/codegen"),
    )?);
    for line in report.lines {
        println!("codegen: {line}");
    }
    if !report.faults.is_empty() {
        bail!("{}", report.faults.join("\n"));
    }
    println!(
        "codegen: {} kernels and {} wipes are as they should be",
        KERNELS.len(),
        WIPES.len()
    );
    Ok(())
}

fn check(code: &Disassembly) -> Report {
    let mut report = check_kernels(code, KERNELS);
    let Report { lines, faults } = check_wipes(code, WIPES);
    report.lines.extend(lines);
    report.faults.extend(faults);
    report
}

/// The command, as it is released, of the workspace that is there.
fn build(root: &Path, folder: &Path) -> Result<Disassembly> {
    ensure!(cfg!(target_arch = "x86_64"), "reads code for x86-64 alone");
    debian::install(None, &["binutils"])?;
    let mut build = process::cargo();
    build
        .current_dir(root)
        .args(["build", "--quiet", "--locked", "--release"])
        .args(["--package", "ss55-cli", "--target-dir"])
        .arg(folder)
        // Names with the numbers of const parameters in them.
        .env("RUSTFLAGS", "-C symbol-mangling-version=v0");
    process::succeed(&mut build)?;
    disassemble(&folder.join("release/ss55"))
}

fn disassemble(binary: &Path) -> Result<Disassembly> {
    let objdump = |options: &[&str]| {
        let text = process::output(Command::new("objdump").args(options).arg(binary))?;
        String::from_utf8(text).context("objdump's output is not UTF-8")
    };
    let code = objdump(&["--disassemble", "--demangle", "--no-show-raw-insn"])?;
    Ok(Disassembly::new(&code, &objdump(&["--dynamic-reloc"])?))
}

/// The loops that are over a kernel's limits, or are not there.
fn check_kernels(code: &Disassembly, kernels: &[Kernel]) -> Report {
    let Report {
        mut lines,
        mut faults,
    } = Report::default();
    let mut found = vec![0; kernels.len()];
    for function in code.functions() {
        let mut taken: Vec<&[Instruction]> = Vec::new();
        for (kernel, found) in kernels.iter().zip(&mut found) {
            if !kernel
                .functions
                .iter()
                .any(|name| function.name.contains(name))
            {
                continue;
            }
            let has_mark = |body: &[Instruction]| count(body, kernel.mark.0) >= kernel.mark.1;
            let bodies = if !kernel.unrolled {
                function.smallest_loops(has_mark)
            } else if has_mark(&function.instructions) {
                vec![&function.instructions[..]]
            } else {
                Vec::new()
            };
            for body in bodies {
                if !taken.iter().any(|other| other.as_ptr() == body.as_ptr()) {
                    taken.push(body);
                    *found += 1;
                    faults.extend(check_body(kernel, function, body));
                }
            }
        }
    }
    for (kernel, found) in kernels.iter().zip(found) {
        lines.push(format!(
            "{}: {found} loops, at most {} stores each ({})",
            kernel.what, kernel.stores, kernel.why
        ));
        if found < kernel.at_least {
            faults.push(format!(
                "{}: {found} loops found, and {} should be there",
                kernel.what, kernel.at_least
            ));
        }
    }
    Report { lines, faults }
}

fn check_body(kernel: &Kernel, function: &Function, body: &[Instruction]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |text: String| {
        faults.push(format!(
            "{}: in {}, the {} instructions from {:x} on: {text}",
            kernel.what,
            function.name,
            body.len(),
            body[0].address
        ));
    };
    let calls = count(body, "call");
    if calls > 0 {
        fault(format!("{calls} calls"));
    }
    let stores = body.iter().filter(|one| one.stores()).count();
    if stores > kernel.stores {
        fault(format!("{stores} stores, {} allowed", kernel.stores));
    }
    // Of AVX, or of SSE.
    let both = |name: &str| count(body, name) + count(body, &format!("v{name}"));
    let sums = both("paddd");
    let (rotates, shuffles, halves) = (both("prold"), both("pshufb"), both("pshuflw"));
    let shifts = both("pslld") + both("psrld");
    match kernel.rotates {
        Rotates::None => {}
        // One rotate a sum.
        Rotates::Instruction if rotates == sums && shifts == 0 && shuffles == 0 => {}
        // Of four rotates, those by 16 and 8 bits are shuffles, the others two shifts.
        Rotates::Shuffles if 2 * shuffles == sums && shifts == sums => {}
        // Of four rotates, that by 16 bits is shuffles, the others two shifts.
        Rotates::Halves if 4 * halves == sums && 2 * shifts == 3 * sums => {}
        Rotates::Instruction | Rotates::Shuffles | Rotates::Halves => fault(format!(
            "{sums} vpaddd with {rotates} vprold, {shuffles} vpshufb, {halves} vpshuflw, {shifts} shifts"
        )),
    }
    faults
}

/// The functions that do not overwrite what they should.
fn check_wipes(code: &Disassembly, wipes: &[Wipe]) -> Report {
    let Report {
        mut lines,
        mut faults,
    } = Report::default();
    for wipe in wipes {
        let mut functions = 0;
        for function in code.functions() {
            if !function.name.contains(wipe.function) {
                continue;
            }
            functions += 1;
            let Zeros { bytes, fills } = code.wiped(function);
            if bytes < wipe.bytes || fills < wipe.fills {
                faults.push(format!(
                    "{} overwrites {bytes} bytes and {fills} of variable length, where {} and {} should be: {}",
                    function.name, wipe.bytes, wipe.fills, wipe.what
                ));
            }
        }
        lines.push(format!(
            "{}, {functions} of that name: at least {} bytes and {} of variable length are overwritten ({})",
            wipe.function, wipe.bytes, wipe.fills, wipe.what
        ));
        if functions == 0 {
            faults.push(format!("{}: there is no such function", wipe.function));
        }
    }
    Report { lines, faults }
}

/// The instructions whose mnemonic is this, or this and a suffix of the size (`callq`).
fn count(body: &[Instruction], mnemonic: &str) -> usize {
    body.iter().filter(|one| one.is(mnemonic)).count()
}

#[cfg(test)]
mod tests;
