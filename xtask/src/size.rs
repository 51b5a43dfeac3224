//! How much code ss55-siv is on a Cortex-M3, with and without the feature `small`.
//!
//! A library that exports making a key, sealing, opening and dropping is compiled for thumbv7m with
//! opt-level "s" and link-time optimization, so that what nobody calls is gone. `memcpy` and its like are
//! not counted: every program has them.

use crate::{cross, process};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const NAME: &str = "footprint";
const PROGRAM: &str = include_str!("size/footprint.rs");

pub fn run() -> Result<()> {
    for (what, features) in [("default", ""), ("small", r#""small""#)] {
        let library = build(what, features)?;
        let sections = process::output(
            Command::new("readelf")
                .args(["--section-headers", "--wide"])
                .arg(&library),
        )?;
        let sections = String::from_utf8(sections)?;
        let (text, constants) = sizes(&sections, NAME)?;
        println!("size: ss55-siv, {what}: .text {text} bytes, .rodata {constants} bytes");
    }
    Ok(())
}

/// Writes a package of its own, outside of the workspace, and compiles it.
fn build(what: &str, features: &str) -> Result<PathBuf> {
    let root = crate::root();
    let package = root.join("target/size").join(what);
    fs::create_dir_all(package.join("src"))?;
    fs::write(package.join("src/lib.rs"), PROGRAM)?;
    let siv = root.join("crates/siv");
    fs::write(
        package.join("Cargo.toml"),
        format!(
            "[package]\nname = {NAME:?}\nedition = \"2024\"\n\
             [lib]\ncrate-type = [\"staticlib\"]\n\
             [dependencies.ss55-siv]\npath = \"{}\"\ndefault-features = false\nfeatures = [{features}]\n\
             [profile.release]\nopt-level = \"s\"\nlto = true\ncodegen-units = 1\npanic = \"abort\"\n\
             [workspace]\n",
            siv.display()
        ),
    )?;
    // The same versions as everywhere else.
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock"))?;
    let (mut cargo, target) = cross::thumbv7m("build", &package)?;
    process::succeed(cargo.arg("--release"))?;
    Ok(target.join("release").join(format!("lib{NAME}.a")))
}

/// Bytes of code and of constants in the members of an archive whose names begin with `name`, from what
/// readelf prints.
fn sizes(sections: &str, name: &str) -> Result<(u64, u64)> {
    let (mut counted, mut text, mut constants) = (false, 0, 0);
    for line in sections.lines() {
        if let Some(member) = line.strip_prefix("File: ") {
            let (_, member) = member.split_once('(').context("no member of an archive")?;
            counted = member.starts_with(name);
            continue;
        }
        // [ 3] .text.siv_seal PROGBITS 00000000 000034 0001a4 00 AX 0 0 2
        let Some((_, entry)) = line.split_once("] ") else {
            continue;
        };
        let fields: Vec<&str> = entry.split_whitespace().collect();
        if let (true, [section, "PROGBITS", _, _, size, ..]) = (counted, &fields[..]) {
            let size = u64::from_str_radix(size, 16).context("the size of a section")?;
            if section.starts_with(".text") {
                text += size;
            } else if section.starts_with(".rodata") {
                constants += size;
            }
        }
    }
    ensure!(text > 0, "no code of {name} in the library");
    Ok((text, constants))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
File: lib.a(footprint-1.o)
  [ 0]                   NULL            00000000 000000 000000 00      0   0  0
  [ 2] .text.siv_seal    PROGBITS        00000000 000034 0001a4 00  AX  0   0  2
  [ 3] .rel.text.siv_seal REL            00000000 001ea4 000010 08   I 93   2  4
  [10] .text             PROGBITS        00000000 000034 000010 00  AX  0   0  2
  [11] .rodata.x         PROGBITS        00000000 000034 0000a0 00   A  0   0  1
File: lib.a(compiler_builtins-2.o)
  [ 2] .text.memcpy      PROGBITS        00000000 000034 000100 00  AX  0   0  2
";

    #[test]
    fn the_sections_of_the_named_member_are_added_up() {
        assert_eq!(sizes(PRINTED, "footprint").unwrap(), (0x1b4, 0xa0));
        assert_eq!(sizes(PRINTED, "compiler").unwrap(), (0x100, 0));
        assert!(sizes(PRINTED, "other").is_err());
        assert!(sizes("", "footprint").is_err());
    }
}
