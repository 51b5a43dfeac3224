//! What the compiler made of the NEON kernels, counted: there may be no such machine at hand, but its
//! instructions can be read, and an emulator tells how often each ran.
//!
//! Counts say nothing of latencies. They bound the time from below, and show what a change adds.

use crate::{debian, process};
use anyhow::{Context, Result, bail, ensure};
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";
const PROGRAM: &str = include_str!("neon/program.rs");

/// The innermost loop of a kernel.
struct Loop {
    what: &'static str,
    /// The function's name contains this. The cipher is part of the program's own.
    function: &'static str,
    /// An instruction, and how often a turn has it.
    mark: (&'static str, usize),
    /// What a turn does.
    turn: &'static str,
    /// Instructions that it needs, and of what.
    model: usize,
    why: &'static str,
    /// Instructions that it may have.
    most: usize,
    /// Stores to the stack that it may have.
    spills: usize,
}

const LOOPS: [Loop; 5] = [
    Loop {
        what: "Poly1305, `neon`",
        function: "poly1305::backend::aarch64::neon::blocks_inner",
        mark: ("umlal", 40),
        turn: "4 blocks",
        model: 88,
        why: "a load, 12 to cut, 50 products, 5 sums, 20 for carries",
        most: 95,
        spills: 0,
    },
    Loop {
        what: "ChaCha20, `neon`",
        function: "counted::main",
        mark: ("tbl", 8),
        turn: "a double round of 4 blocks",
        model: 112,
        why: "8 quarter rounds of 4 sums, 4 XORs and 6 for rotations",
        most: 120,
        spills: 0,
    },
    Loop {
        what: "ChaCha20, `neon8`",
        function: "counted::main",
        mark: ("tbl", 16),
        turn: "a double round of 8 blocks",
        model: 224,
        why: "as above, twice",
        most: 290,
        spills: 26,
    },
    Loop {
        what: "sealing, `neon`",
        function: "engine::simd::narrow::neon::inner::<true>",
        mark: ("tbl", 8),
        turn: "a double round of 4 blocks, nothing beside it",
        model: 112,
        why: "as above",
        most: 122,
        spills: 3,
    },
    Loop {
        what: "sealing, `neon8`",
        function: "engine::simd::narrow::neon8::inner::<true>",
        mark: ("tbl", 16),
        turn: "a double round of 8 blocks, nothing beside it",
        model: 224,
        why: "as above",
        most: 325,
        spills: 42,
    },
];

/// Instructions per KiB of a message that a backend may execute.
struct Run {
    what: &'static str,
    word: &'static str,
    backend: &'static str,
    /// For messages of 1 KiB and of 64 KiB.
    most: [usize; 2],
}

const KIB: [usize; 2] = [1, 64];

const RUNS: [Run; 8] = [
    run("sealing", "seal", "neon", [12500, 9600]),
    run("sealing", "seal", "neon8", [14200, 11400]),
    run("sealing", "seal", "portable", [28700, 26100]),
    run("ChaCha20", "cipher", "neon", [5550, 5350]),
    run("ChaCha20", "cipher", "neon8", [6750, 6550]),
    run("ChaCha20", "cipher", "portable", [24500, 24300]),
    run("Poly1305", "mac", "neon", [2050, 1525]),
    run("Poly1305", "mac", "portable", [2210, 2050]),
];

const fn run(
    what: &'static str,
    word: &'static str,
    backend: &'static str,
    most: [usize; 2],
) -> Run {
    Run {
        what,
        word,
        backend,
        most,
    }
}

const NOTES: &str = "
Instructions are not time. Vector and scalar ones run side by side where a core has units for both: sealing with `neon`
executes more of them than cipher and MAC one after the other, as it has the MAC in scalar chains between the rounds.
Which is faster has not been measured.

Poly1305 on vectors has fewer instructions a block than the scalar code, 23 for 31, and of its 12.5 multiplications each
is of 32 bits; the scalar code has 10 of 64 bits, four of them for the upper half.
";

/// Counts, and fails where a count is over its limit. With `write`, docs/neon.md holds the tables.
pub fn check(write: bool) -> Result<()> {
    debian::install(
        None,
        &[
            "gcc-aarch64-linux-gnu",
            "libc6-dev-arm64-cross",
            "qemu-user-static",
        ],
    )?;
    let folder = crate::root().join("target/neon");
    let (program, compiler) = build(&folder)?;
    let mut text = format!(
        "# NEON, counted\n\nInstructions, not time: `cargo xtask codegen --neon --write` makes this page, with \
         {compiler} for\n{TARGET}.\n\n## Innermost loops\n\nAs compiled. A turn of each has no calls.\n\n\
         | kernel | a turn | instructions | needed at least | stores to the stack |\n|---|---|---|---|---|\n"
    );
    let mut faults = Vec::new();
    let code = disassemble(&program)?;
    for one in &LOOPS {
        let body = find(&code, one).with_context(|| format!("{}: no such loop", one.what))?;
        let spills = body.iter().filter(|line| is_spill(line)).count();
        let calls = body.iter().filter(|line| is_call(line)).count();
        writeln!(
            text,
            "| {} | {} | {} | {}: {} | {spills} |",
            one.what,
            one.turn,
            body.len(),
            one.model,
            one.why
        )?;
        if body.len() > one.most || spills > one.spills || calls > 0 {
            faults.push(format!(
                "{}: {} instructions, {spills} stores to the stack, {calls} calls; {}, {} and 0 are allowed",
                one.what,
                body.len(),
                one.most,
                one.spills
            ));
        }
    }
    text.push_str(
        "\n## Executed\n\nPer KiB of a message, set-up and end included, under QEMU.\n\n\
         | operation | backend | 1 KiB | 64 KiB |\n|---|---|---|---|\n",
    );
    for one in &RUNS {
        let mut counts = [0; 2];
        for ((count, kib), most) in counts.iter_mut().zip(KIB).zip(one.most) {
            *count = executed(&program, one, kib)? / kib;
            if *count > most {
                faults.push(format!(
                    "{}, {}, {kib} KiB: {count} instructions per KiB, {most} allowed",
                    one.what, one.backend
                ));
            }
        }
        let [short, long] = counts;
        writeln!(
            text,
            "| {} | `{}` | {short} | {long} |",
            one.what, one.backend
        )?;
    }
    text.push_str(NOTES);
    print!("{text}");
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    let page = crate::root().join("docs/neon.md");
    if write {
        fs::write(page, text)?;
        return Ok(());
    }
    let committed = fs::read_to_string(&page).with_context(|| format!("{}", page.display()))?;
    if up_to_date(&committed, &text, &compiler)? {
        println!("codegen: docs/neon.md says the same");
    } else {
        println!("codegen: docs/neon.md NOT COMPARED: it is of another compiler than {compiler}");
    }
    Ok(())
}

/// Whether the page says what was counted. Another compiler's counts are not these, and it is not asked.
///
/// # Errors
/// If it says something else of the same compiler.
fn up_to_date(committed: &str, text: &str, compiler: &str) -> Result<bool> {
    if !committed.contains(&format!("with {compiler} for\n")) {
        return Ok(false);
    }
    let mut lines = committed.lines().zip(text.lines());
    let first = lines.find(|(old, new)| old != new);
    ensure!(
        committed == text,
        "docs/neon.md is not what `cargo xtask codegen --neon --write` makes of it, from {:?} on",
        first.map_or("its end", |(old, _)| old)
    );
    Ok(true)
}

/// The program, and the name of the compiler: this one if it has the target's library, else Debian's.
fn build(folder: &Path) -> Result<(PathBuf, String)> {
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/main.rs"), PROGRAM)?;
    let root = crate::root();
    let crates = ["aead", "chacha-simd", "poly1305"].map(|name| {
        format!(
            "ss55-{name} = {{ path = '{}' }}\n",
            root.join("crates").join(name).display()
        )
    });
    fs::write(
        folder.join("Cargo.toml"),
        format!(
            "[package]\nname = \"counted\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n{}\
             [profile.release]\ncodegen-units = 1\nlto = \"thin\"\n",
            crates.concat()
        ),
    )?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;

    let sysroot = process::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot)?.trim());
    let rustc = if sysroot.join("lib/rustlib").join(TARGET).exists() {
        "rustc"
    } else {
        debian::install(Some("arm64"), &["rustc-web", "libstd-rust-web-dev:arm64"])?;
        "/usr/bin/rustc"
    };
    let mut build = process::cargo();
    build
        .current_dir(folder)
        .args([
            "build",
            "--quiet",
            "--release",
            "--target",
            TARGET,
            "--target-dir",
        ])
        .arg(folder.join("target"))
        .env("RUSTC", rustc)
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER)
        // No loader is needed then.
        .env(
            "RUSTFLAGS",
            "-C symbol-mangling-version=v0 -C target-feature=+crt-static",
        );
    process::succeed(&mut build)?;
    let version = process::output(Command::new(rustc).arg("--version"))?;
    let version = String::from_utf8(version)?;
    let short: Vec<_> = version.split(' ').take(2).collect();
    Ok((
        folder.join("target").join(TARGET).join("release/counted"),
        short.join(" "),
    ))
}

/// Functions: names, and lines of address and instruction.
type Code = Vec<(String, Vec<(u64, String)>)>;

fn disassemble(program: &Path) -> Result<Code> {
    let mut objdump = Command::new("aarch64-linux-gnu-objdump");
    objdump.args(["--disassemble", "--demangle", "--no-show-raw-insn"]);
    let text = String::from_utf8(process::output(objdump.arg(program))?)?;
    Ok(parse(&text))
}

fn parse(text: &str) -> Code {
    let mut code = Code::new();
    for line in text.lines() {
        if let Some((_, name)) = line
            .strip_suffix(">:")
            .and_then(|line| line.split_once(" <"))
        {
            code.push((name.to_owned(), Vec::new()));
        } else if let (Some((_, body)), Some((address, text))) =
            (code.last_mut(), line.trim_start().split_once(":\t"))
            && let Ok(address) = u64::from_str_radix(address, 16)
        {
            body.push((address, text.to_owned()));
        }
    }
    code
}

/// The shortest loop with the mark, as instructions.
fn find<'a>(code: &'a Code, wanted: &Loop) -> Option<Vec<&'a str>> {
    let (mark, times) = wanted.mark;
    let mut best: Option<Vec<&str>> = None;
    let functions = code
        .iter()
        .filter(|(name, _)| name.contains(wanted.function));
    for (_, body) in functions {
        for (end, (_, text)) in body.iter().enumerate() {
            let start = target(text).and_then(|target| {
                body[..=end]
                    .binary_search_by_key(&target, |(address, _)| *address)
                    .ok()
            });
            let Some(start) = start else { continue };
            let lines: Vec<_> = body[start..=end]
                .iter()
                .map(|(_, text)| &text[..])
                .collect();
            let marks = lines.iter().filter(|line| mnemonic(line) == mark).count();
            if marks >= times && best.as_ref().is_none_or(|best| lines.len() < best.len()) {
                best = Some(lines);
            }
        }
    }
    best
}

/// Where a branch within a function goes.
fn target(text: &str) -> Option<u64> {
    let name = mnemonic(text);
    let branches =
        name == "b" || name.starts_with("b.") || name.starts_with("cb") || name.starts_with("tb");
    let address = text
        .split(" <")
        .next()?
        .split(['\t', ' ', ','])
        .next_back()?;
    branches
        .then(|| u64::from_str_radix(address, 16).ok())
        .flatten()
}

fn mnemonic(text: &str) -> &str {
    text.split(['\t', ' ']).next().unwrap_or_default()
}

fn is_spill(text: &str) -> bool {
    mnemonic(text).starts_with("st") && text.contains("[sp")
}

fn is_call(text: &str) -> bool {
    matches!(mnemonic(text), "bl" | "blr")
}

/// Instructions for one message: what a second one adds.
fn executed(program: &Path, run: &Run, kib: usize) -> Result<usize> {
    let count = |times: &str| {
        let mut emulator = Command::new("qemu-aarch64-static");
        emulator
            .args(["-d", "in_asm,exec,nochain", "-D", "/dev/stdout"])
            .arg(program)
            .args([run.word, run.backend, &(kib << 10).to_string(), times]);
        count(&process::output(&mut emulator)?)
    };
    Ok(count("2")? - count("1")?)
}

/// Instructions in a log of QEMU's: each block of them as it is translated, and its address each time that
/// it runs.
fn count(log: &[u8]) -> Result<usize> {
    let mut lengths: HashMap<u64, usize> = HashMap::new();
    let (mut sum, mut block) = (0, None);
    for line in String::from_utf8_lossy(log).lines() {
        if line == "IN: " || line.starts_with("IN: ") {
            block = Some(None);
        } else if let Some(rest) = line.strip_prefix("Trace ") {
            let address = rest
                .split('/')
                .nth(1)
                .context("a trace without an address")?;
            let address = u64::from_str_radix(address, 16)?;
            sum += lengths
                .get(&address)
                .context("a block that was not translated")?;
            block = None;
        } else if let Some(start) = &mut block
            && let Some((address, _)) = line.split_once(':')
            && let Some(Ok(address)) = address
                .strip_prefix("0x")
                .map(|hex| u64::from_str_radix(hex, 16))
        {
            let first = *start.get_or_insert(address);
            let length = lengths.entry(first).or_default();
            *length = usize::try_from(address - first)? / 4 + 1;
        }
    }
    ensure!(sum > 0, "nothing ran");
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "
0000000000001000 <kernel>:
    1000:\tstr\tq1, [sp, #16]
    1004:\tumlal\tv1.2d, v2.2s, v3.s[0]
    1008:\tstp\tq1, q2, [sp]
    100c:\tbl\t2000 <other>
    1010:\tb.ne\t1004 <kernel+0x4>  // b.any
    1014:\tcbnz\tx1, 1000 <kernel>
";

    #[test]
    fn the_innermost_loop_is_found_with_its_spills_and_calls() {
        let mut wanted = Loop {
            function: "kernel",
            mark: ("umlal", 1),
            ..LOOPS[0]
        };
        let code = parse(CODE);
        let body = find(&code, &wanted).unwrap();
        assert_eq!(body.len(), 4);
        assert_eq!(body.iter().filter(|line| is_spill(line)).count(), 1);
        assert_eq!(body.iter().filter(|line| is_call(line)).count(), 1);
        wanted.mark.1 = 2;
        assert!(find(&code, &wanted).is_none());
    }

    #[test]
    fn another_page_of_the_same_compiler_is_noticed() {
        let page = "made with rustc 1.95.0 for\nx\n| a | 1 |\n";
        assert!(up_to_date(page, page, "rustc 1.95.0").unwrap());
        let other = page.replace("| 1 |", "| 2 |");
        let message = up_to_date(page, &other, "rustc 1.95.0").unwrap_err();
        assert!(message.to_string().contains("| a | 1 |"), "{message}");
        up_to_date(page, &format!("{page}\n"), "rustc 1.95.0").unwrap_err();
        assert!(!up_to_date(page, &other, "rustc 1.96.0").unwrap());
    }

    #[test]
    fn blocks_count_as_often_as_they_run() {
        let log = "----------------\nIN: \n0x1000:  d503201f  nop\n0x1004:  d503201f  nop\n\n\
                   Trace 0: 0x7f [00/0000000000001000/01/02] \n\
                   Trace 0: 0x7f [00/0000000000001000/01/02] main\n\
                   IN: main\n0x1008:  d503201f  nop\n\nTrace 0: 0x7f [00/0000000000001008/01/02] \n";
        assert_eq!(count(log.as_bytes()).unwrap(), 5);
        count(b"").unwrap_err();
        count(b"Trace 0: 0x7f [00/0000000000001000/01/02] \n").unwrap_err();
    }
}
