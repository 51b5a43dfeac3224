//! The crates as a registry would have them: packed, unpacked in another place, built and tested there.
//!
//! A package has a crate's library, examples, README and licences. The tests stay behind, with the vectors
//! that all crates share: here they are put beside the packed sources, and those that need no more than the
//! vectors run on them.

use crate::process;
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::camino::Utf8PathBuf;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What all packages have.
const FILES: [&str; 3] = ["README.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// What the tests look for beside the crates.
const VECTORS: &str = "testdata";
/// The tests of published values.
const TEST: &str = "vectors";

/// # Errors
/// If a crate does not say what a registry asks for, cannot be packed, lacks a file, or does not build and
/// pass its tests as a package.
pub fn run() -> Result<()> {
    let metadata = MetadataCommand::new().current_dir(crate::root()).exec()?;
    let packages = published(&metadata);
    for package in &packages {
        describe(package).with_context(|| package.name.to_string())?;
    }

    let mut pack = process::cargo();
    pack.current_dir(crate::root())
        // What is not committed is packed too: nothing is published here.
        .args(["package", "--locked", "--allow-dirty", "--no-verify"]);
    for package in &packages {
        pack.args(["--package", &package.name]);
    }
    process::succeed(&mut pack)?;

    let archives = metadata.target_directory.as_std_path().join("package");
    let folder = archives.join("unpacked");
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => fs::create_dir_all(&folder)?,
    }
    let mut members = Vec::new();
    for package in &packages {
        members
            .push(unpack(package, &archives, &folder).with_context(|| package.name.to_string())?);
    }
    workspace(&metadata, &packages, &members, &folder)?;

    let cargo = |command: &str| {
        let mut cargo = process::cargo();
        cargo
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", &metadata.target_directory)
            .args([command, "--locked", "--workspace"]);
        cargo
    };
    process::succeed(cargo("build").args(["--lib", "--bins", "--examples", "--all-features"]))?;
    process::succeed(cargo("test").args(["--test", TEST, "--all-features"]))?;
    println!(
        "package: {} crates, packed, built and tested",
        packages.len()
    );
    Ok(())
}

/// The crates of the workspace that may be published.
fn published(metadata: &Metadata) -> Vec<&Package> {
    let mut packages = metadata.workspace_packages();
    packages.retain(|package| package.publish.as_ref().is_none_or(|to| !to.is_empty()));
    packages
}

/// Fails if a registry or docs.rs would want to know more.
fn describe(package: &Package) -> Result<()> {
    ensure!(package.description.is_some(), "no description");
    ensure!(package.license.is_some(), "no license");
    ensure!(package.repository.is_some(), "no repository");
    ensure!(package.rust_version.is_some(), "no rust-version");
    ensure!(package.readme.is_some(), "no readme");
    ensure!(!package.categories.is_empty(), "no categories");
    let keywords = package.keywords.len();
    ensure!(
        (1..=5).contains(&keywords),
        "{keywords} keywords, not 1 to 5"
    );
    let docs = &package.metadata["docs"]["rs"]["all-features"];
    ensure!(
        docs.as_bool() == Some(true),
        "package.metadata.docs.rs has no all-features"
    );
    for dependency in &package.dependencies {
        let here = dependency.path.is_some() && dependency.name != *package.name;
        if here && dependency.kind != DependencyKind::Development {
            let name = &dependency.name;
            ensure!(
                !dependency.req.comparators.is_empty(),
                "no version of {name}"
            );
        }
    }
    Ok(())
}

/// Unpacks a package, with the repository's tests, to where the crate lies in the repository; gives that
/// path.
fn unpack(package: &Package, archives: &Path, folder: &Path) -> Result<String> {
    let root = Utf8PathBuf::try_from(crate::root())?;
    let source = package.manifest_path.parent().context("no folder")?;
    let member = source.strip_prefix(&root)?;
    let stem = format!("{}-{}", package.name, package.version);
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--gzip", "--file"])
        .arg(archives.join(format!("{stem}.crate")))
        .arg("--directory")
        .arg(folder);
    process::output(&mut tar)?;
    let target = folder.join(member);
    fs::create_dir_all(target.parent().context("no folder")?)?;
    fs::rename(folder.join(&stem), &target)?;

    for name in FILES {
        ensure!(target.join(name).exists(), "{name} was not packed");
        let same = fs::read(target.join(name))? == fs::read(source.join(name))?;
        ensure!(same, "{name} is another file in the package");
    }
    let tests = source.join("tests");
    ensure!(!target.join("tests").exists(), "the tests were packed too");
    if tests.exists() {
        copy(tests.as_std_path(), &target.join("tests"))?;
        // Cargo wrote a list of targets, which has no tests.
        let manifest = target.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        let found = "\nautotests = false\n";
        ensure!(text.contains(found), "{found:?} is not in Cargo.toml");
        fs::write(&manifest, text.replacen(found, "\nautotests = true\n", 1))?;
    }
    Ok(member.to_string())
}

/// Makes the packages a workspace, in which they take each other for what the registry would give them.
fn workspace(
    metadata: &Metadata,
    packages: &[&Package],
    members: &[String],
    folder: &Path,
) -> Result<()> {
    let root = metadata.workspace_root.as_std_path();
    let mut manifest = format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n");
    manifest += "[patch.crates-io]\n";
    for (package, member) in packages.iter().zip(members) {
        writeln!(manifest, "{} = {{ path = {member:?} }}", package.name)?;
    }
    // The same profiles: what was compiled for the repository's tests need not be compiled again.
    let ours = fs::read_to_string(root.join("Cargo.toml"))?;
    let profiles = ours.find("[profile.").context("no profiles")?;
    manifest += "\n";
    manifest += &ours[profiles..];
    fs::write(folder.join("Cargo.toml"), manifest)?;

    // The same versions of everything else. Cargo takes out what is not needed, and needs no network.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut lock = process::cargo();
    lock.current_dir(folder)
        .args(["metadata", "--offline", "--format-version", "1"]);
    process::output(&mut lock)?;
    copy(&root.join(VECTORS), &folder.join(VECTORS))
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&from, &to)?;
        } else if kind.is_file() {
            fs::copy(&from, &to)?;
        } else {
            bail!("{}: neither a file nor a folder", from.display());
        }
    }
    Ok(())
}
