//! The C library, for those who have no Rust: its header, both its forms, and what tells a linker of it.

use anyhow::{Context, Result};
use cargo_metadata::{CrateType, Metadata, Package};
use std::fs;
use std::path::Path;

const CRATE: &str = "ss55-capi";

/// Its crate. Says so if there is none.
pub fn package(metadata: &Metadata) -> Option<&Package> {
    let package = super::package(metadata, CRATE);
    if package.is_none() {
        println!("dist: NOT IN IT: the C library, since there is no crate {CRATE}");
    }
    package
}

/// What was built of it in the folder `built`, and what stands beside it in the sources.
pub fn files(package: &Package, built: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let sources = package.manifest_path.parent().context("a folder")?;
    let read = |path: &Path| fs::read(path).with_context(|| path.display().to_string());
    let target = package
        .targets
        .iter()
        .find(|target| target.crate_types.contains(&CrateType::CDyLib))
        .with_context(|| format!("{CRATE} makes no library for C"))?;
    let name = target.name.replace('-', "_");
    let mut files = vec![(
        "include/ss55.h".to_owned(),
        read(sources.join("include/ss55.h").as_std_path())?,
    )];
    for end in ["a", "so"] {
        let file = format!("lib{name}.{end}");
        files.push((format!("lib/{file}"), read(&built.join(&file))?));
    }
    let pc = read(sources.join("ss55.pc.in").as_std_path())?;
    let pc = String::from_utf8(pc).context("ss55.pc.in")?;
    files.push((
        "lib/pkgconfig/ss55.pc".to_owned(),
        pkg_config(&pc, &package.version.to_string())?.into(),
    ));
    Ok(files)
}

/// What pkg-config reads, of its template. The prefix is where the file is, two folders up, so that the archive
/// may be unpacked anywhere.
fn pkg_config(template: &str, version: &str) -> Result<String> {
    let text = template
        .replace("@PREFIX@", "${pcfiledir}/../..")
        .replace("@VERSION@", version);
    match text.split_once('@') {
        None => Ok(text),
        Some((_, rest)) => {
            let name = rest.split('@').next().unwrap_or(rest);
            anyhow::bail!("ss55.pc.in: nothing is known to put for @{name}@")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_filled() {
        let template = "prefix=@PREFIX@\nlibdir=${prefix}/lib\nVersion: @VERSION@\n";
        assert_eq!(
            pkg_config(template, "1.2.3").unwrap(),
            "prefix=${pcfiledir}/../..\nlibdir=${prefix}/lib\nVersion: 1.2.3\n"
        );
        let error = pkg_config("x: @LIBDIR@\n", "1").unwrap_err().to_string();
        assert!(error.contains("@LIBDIR@"), "{error}");
    }
}
