//! `crates/capi/include/ss55.h`, made of the functions of `crates/capi`.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::PathBuf;

/// Where the public names are, in the order of the header. Those of libsodium have libsodium's header.
const SOURCES: &[&str] = &["version", "error", "callback", "buffer", "aead"];

/// Writes the header, or with `check` fails if it is not what it would write.
///
/// # Errors
/// If the sources cannot be parsed, or the header is old.
pub fn run(check: bool) -> Result<()> {
    let header = generate()?;
    let path = path();
    if check {
        let found = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        ensure!(
            found == header,
            "{} is old: `cargo xtask header` makes it again",
            path.display()
        );
        println!("header: ss55.h is what the sources say");
    } else {
        fs::write(&path, header).with_context(|| path.display().to_string())?;
        println!("header: wrote {}", path.display());
    }
    Ok(())
}

/// The header's place.
pub fn path() -> PathBuf {
    folder().join("include/ss55.h")
}

fn folder() -> PathBuf {
    crate::root().join("crates/capi")
}

fn generate() -> Result<String> {
    let folder = folder();
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml"))
        .map_err(|error| anyhow::anyhow!("cbindgen.toml: {error}"))?;
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(folder.join("src").join(source).with_extension("rs"));
    }
    let mut text = Vec::new();
    builder.generate()?.write(&mut text);
    Ok(without_safety(&String::from_utf8(text)?))
}

/// Leaves out what is for Rust alone: the last section of each comment, which names the caller's contract. The
/// head of the header states it for all.
fn without_safety(header: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in header.lines() {
        if line.trim() == "* # Safety" {
            inside = true;
            // The empty line before it.
            kept.pop();
        }
        inside &= line.trim() != "*/";
        if !inside {
            kept.push(line);
        }
    }
    kept.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_sections_for_rust_are_left_out() {
        let header = "/**\n * Does it.\n *\n * # Safety\n * Pointers.\n */\nint f(void);\n\n/**\n * Other.\n */\n";
        let kept = "/**\n * Does it.\n */\nint f(void);\n\n/**\n * Other.\n */\n";
        assert_eq!(without_safety(header), kept);
    }
}
