//! The licences of what others wrote and this project ships, as most of them ask for: word for word.

use anyhow::{Context, Result, ensure};
use cargo_metadata::Package;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// How the names of such files begin.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];
/// Chosen where a crate comes without a text, and one of its licences is this one.
const APACHE: &str = "Apache-2.0";

/// Which crates there are under which licences, and then each text once, with the crates that have it.
pub fn text(components: &[&Package]) -> Result<String> {
    let mut text = String::from(
        "The command and the libraries of ss55 are made of these crates, besides its own, and of Rust's standard\n\
         library, which is Apache-2.0 OR MIT. The texts of their licences follow.\n\n",
    );
    let mut texts = BTreeMap::<String, Vec<String>>::new();
    for package in components.iter().filter(|package| package.source.is_some()) {
        let name = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref();
        let licence = licence.with_context(|| format!("{name} names no licence"))?;
        writeln!(text, "  {name}: {licence}")?;
        for found in files(package)? {
            let found = found.trim_end().replace("\r\n", "\n");
            texts.entry(found).or_default().push(name.clone());
        }
    }
    for (licence, names) in &texts {
        let line = "-".repeat(80);
        write!(text, "\n{line}\n{}\n{line}\n{licence}\n", names.join(", "))?;
    }
    Ok(text)
}

/// The texts that a crate comes with, or that of the Apache licence if that is one of its own.
fn files(package: &Package) -> Result<Vec<String>> {
    let folder = package.manifest_path.parent().context("a folder")?;
    let mut paths: Vec<_> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_uppercase();
        path.is_file() && NAMES.iter().any(|start| name.starts_with(start))
    });
    paths.sort();
    if paths.is_empty() {
        let licence = package.license.as_deref().unwrap_or_default();
        let mut choices = licence.split([' ', '/']);
        ensure!(
            choices.any(|choice| choice == APACHE) && !licence.contains(" AND "),
            "{} comes without the text of its licence, {licence}",
            package.name
        );
        paths.push(crate::root().join("LICENSE-APACHE"));
    }
    let mut texts = Vec::new();
    for path in paths {
        texts.push(fs::read_to_string(&path).with_context(|| path.display().to_string())?);
    }
    Ok(texts)
}
