//! The vectors in testdata/ are those that its oracle writes.

use crate::{debian, process};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What the oracle writes when it is told that libgcrypt is there.
const OF_SERPENT: [&str; 2] = ["serpent_ecb.json", "serpent_xts.json"];

pub fn run(serpent: bool) -> Result<()> {
    let testdata = crate::root().join("testdata");
    let committed = json_files(&testdata)?;
    for (name, text) in &committed {
        check_source(text).with_context(|| format!("testdata/{name}"))?;
    }
    println!("vectors: {} files name their source", committed.len());

    let folder = tempfile::tempdir()?;
    let mut oracle = Command::new("python3");
    oracle
        .arg("-B") // leaves no compiled files in the source tree
        .arg(testdata.join("oracle/make_vectors.py"))
        .arg(folder.path());
    if serpent {
        debian::install(None, &["libgcrypt20"])?;
        oracle.arg("--serpent");
    }
    process::output(&mut oracle)?;
    process::output(
        Command::new("python3")
            .arg("-B")
            .arg(testdata.join("oracle/check_published.py")),
    )?;
    println!("vectors: the oracle agrees with the published values and the found ones");
    let written = json_files(folder.path())?;
    let others = compare(&committed, &written)?;
    println!(
        "vectors: {} files are as the oracle writes them",
        written.len()
    );
    for name in others {
        let why = if OF_SERPENT.contains(&name) {
            "not made again without --serpent"
        } else {
            "not of the oracle"
        };
        println!("vectors: {name}: {why}");
    }
    Ok(())
}

/// The files of a folder, by name.
type Files = BTreeMap<String, String>;

/// The JSON files in `folder` and in its folders.
fn json_files(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    collect(folder, "", &mut files)?;
    ensure!(!files.is_empty(), "{} has no vectors", folder.display());
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut Files) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let name = format!("{prefix}{}", name.context("a name that is not UTF-8")?);
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else if path.extension().is_some_and(|suffix| suffix == "json") {
            let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
            files.insert(name, text);
        }
    }
    Ok(())
}

/// Every file says where its vectors come from.
fn check_source(text: &str) -> Result<()> {
    let file: Value = serde_json::from_str(text)?;
    let source = file.get("source").and_then(Value::as_str).unwrap_or("");
    ensure!(!source.trim().is_empty(), "no source");
    Ok(())
}

/// Fails where a written file is not the committed one; gives the committed files that the oracle
/// did not write.
fn compare<'a>(committed: &'a Files, written: &Files) -> Result<Vec<&'a str>> {
    for (name, new) in written {
        let old = committed
            .get(name)
            .with_context(|| format!("testdata/{name} is missing; the oracle writes it"))?;
        if old != new {
            let line = old.lines().zip(new.lines()).take_while(|(a, b)| a == b);
            bail!(
                "testdata/{name} is not what the oracle writes, from line {} on",
                line.count() + 1
            );
        }
    }
    Ok(committed
        .keys()
        .filter(|name| !written.contains_key(*name))
        .map(String::as_str)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> Files {
        files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn a_difference_is_found_and_its_line_named() {
        let committed = files(&[("a.json", "1\n2\n"), ("b.json", "3\n")]);
        assert_eq!(compare(&committed, &committed).unwrap(), [""; 0]);
        let written = files(&[("a.json", "1\n3\n")]);
        let message = compare(&committed, &written).unwrap_err().to_string();
        assert!(message.ends_with("from line 2 on"), "{message}");
        let longer = files(&[("a.json", "1\n2\n3\n")]);
        let message = compare(&committed, &longer).unwrap_err().to_string();
        assert!(message.ends_with("from line 3 on"), "{message}");
    }

    #[test]
    fn files_on_one_side_only_are_told_apart() {
        let two = files(&[("a.json", "1\n"), ("b.json", "3\n")]);
        let one = files(&[("a.json", "1\n")]);
        assert_eq!(compare(&two, &one).unwrap(), ["b.json"]);
        assert!(compare(&one, &two).is_err());
    }

    #[test]
    fn files_in_folders_count_too() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        for name in ["a.json", "inner/b.json", "inner/c.py"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let names: Vec<_> = json_files(folder.path()).unwrap().into_keys().collect();
        assert_eq!(names, ["a.json", "inner/b.json"]);
        assert!(json_files(&folder.path().join("none")).is_err());
    }

    #[test]
    fn a_file_needs_a_source() {
        assert!(check_source(r#"{"source": "RFC 8439", "vectors": []}"#).is_ok());
        assert!(check_source(r#"{"source": " ", "vectors": []}"#).is_err());
        assert!(check_source(r#"{"source": 1}"#).is_err());
        assert!(check_source(r#"{"vectors": []}"#).is_err());
        assert!(check_source("[]").is_err());
    }
}
