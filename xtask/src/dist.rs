//! What a release is: one archive with the command, the C library, their manual and their licences.
//!
//! ```text
//! ss55-VERSION-TARGET/     to be unpacked into a prefix, such as /usr/local, without its first folder
//!   bin/ss55
//!   include/ lib/ lib/pkgconfig/          the C library
//!   share/man/man1/                       a page for each command
//!   share/{bash-completion,zsh,fish}/     completions, where shells look for them
//!   share/doc/ss55/                       README, changelog, licences, sbom.cdx.json, SHA256SUMS
//! ```
//!
//! Whoever builds it again from the same commit with the same toolchain gets the same bytes: no time but the
//! commit's, no path, no name, no order of a folder goes into it.

use crate::process;
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{CrateType, Metadata, MetadataCommand, Package};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

mod archive;
mod library;
mod licences;
mod pages;
mod sbom;

const COMMAND: &str = "ss55-cli";
/// Where documents go.
const DOC: &str = "share/doc/ss55";

/// A file of the archive.
struct Entry {
    content: Vec<u8>,
    is_program: bool,
}

/// By their paths, in the order of which they are written.
type Entries = BTreeMap<String, Entry>;

/// What is the same for all of a release.
struct Release {
    version: String,
    target: String,
    /// Seconds since 1970.
    time: u64,
}

/// Builds the archive; `twice`, once more from a copy of the sources in another folder, and compares.
///
/// # Errors
/// If it cannot be built, names a path of this machine, or comes out differently.
pub fn run(twice: bool) -> Result<()> {
    let folder = crate::root().join("target/dist");
    let host = host()?;
    ensure!(
        host.contains("-linux-"),
        "it is for Linux alone, not for {host}"
    );
    let mut changes = Command::new("git");
    changes
        .current_dir(crate::root())
        .args(["status", "--porcelain", "--untracked-files=no"]);
    if !process::output(&mut changes)?.is_empty() {
        println!("dist: NOT OF A COMMIT: there are changes that are in none");
    }
    let (name, first) = build(&crate::root(), &folder.join("build"))?;
    fs::write(folder.join(&name), &first)?;
    let sums = format!("{}  {name}\n", archive::sha256(&first));
    fs::write(folder.join("SHA256SUMS"), sums)?;
    println!("dist: target/dist/{name}, {} bytes", first.len());
    if !twice {
        return Ok(());
    }
    let elsewhere = tempfile::tempdir()?;
    let sources = elsewhere.path().join("a copy");
    copy_sources(&sources)?;
    let (_, second) = build(&sources, &elsewhere.path().join("target"))?;
    if first != second {
        let kept = folder.join("second.tar.gz");
        fs::write(&kept, second)?;
        bail!("built from a copy of the sources, it differs: {name} and second.tar.gz");
    }
    println!("dist: built from a copy of the sources, it is the same");
    Ok(())
}

/// The archive's name and its bytes.
fn build(root: &Path, target_folder: &Path) -> Result<(String, Vec<u8>)> {
    let target = host()?;
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .other_options(["--locked", "--filter-platform", &target].map(String::from))
        .exec()?;
    let command = package(&metadata, COMMAND).context("there is no command")?;
    let release = Release {
        version: command.version.to_string(),
        time: time()?,
        target,
    };
    let mut shipped = vec![command];
    shipped.extend(library::package(&metadata));

    let private = private_paths(root, target_folder)?;
    compile(root, target_folder, &shipped, &private)?;
    let built = target_folder.join("release");
    let mut entries = Entries::new();
    let mut add = |path: String, content: Vec<u8>| {
        let is_program = path.starts_with("bin/");
        let entry = Entry {
            content,
            is_program,
        };
        entries.insert(path, entry);
    };
    add("bin/ss55".into(), fs::read(built.join("ss55"))?);
    for package in &shipped[1..] {
        for (path, content) in library::files(package, &built)? {
            add(path, content);
        }
    }
    for (path, content) in pages::all(&release)? {
        add(path, content);
    }
    for file in [
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
    ] {
        let content = fs::read(root.join(file)).with_context(|| file.to_owned())?;
        add(format!("{DOC}/{file}"), content);
    }
    let tree = sbom::Tree::of(root, &release.target, &shipped)?;
    let components = tree.packages(&metadata)?;
    let licences = licences::text(&components)?;
    add(format!("{DOC}/THIRD-PARTY-LICENSES.txt"), licences.into());
    let lock = fs::read_to_string(root.join("Cargo.lock"))?;
    let sbom = sbom::document(&release, &shipped, &tree, &components, &lock)?;
    sbom::check(&sbom)?;
    let text = serde_json::to_string_pretty(&sbom)? + "\n";
    add(format!("{DOC}/sbom.cdx.json"), text.into());

    for (path, entry) in &entries {
        private.check(path, &entry.content)?;
    }
    let sums = archive::sums(&entries);
    let sums = Entry {
        content: sums.into(),
        is_program: false,
    };
    entries.insert(format!("{DOC}/SHA256SUMS"), sums);
    let name = format!("ss55-{}-{}", release.version, release.target);
    let bytes = archive::write(&name, &entries, release.time)?;
    Ok((format!("{name}.tar.gz"), bytes))
}

fn package<'a>(metadata: &'a Metadata, name: &str) -> Option<&'a Package> {
    let packages = metadata.workspace_packages();
    packages.into_iter().find(|package| *package.name == name)
}

/// Release builds of these packages, without symbols and without paths of this machine.
fn compile(
    root: &Path,
    target_folder: &Path,
    packages: &[&Package],
    private: &PrivatePaths,
) -> Result<()> {
    let mut cargo = process::cargo();
    cargo
        .current_dir(root)
        .args(["build", "--release", "--locked", "--target-dir"])
        .arg(target_folder)
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS")
        .env("CARGO_ENCODED_RUSTFLAGS", private.remapping());
    for package in packages {
        cargo.args(["--package", &*package.name]);
        for target in &package.targets {
            if target.is_bin() {
                cargo.args(["--bin", &target.name]);
            } else if target.crate_types.contains(&CrateType::CDyLib) {
                cargo.arg("--lib");
            }
        }
    }
    process::succeed(&mut cargo)
}

/// Paths of this machine, and what stands for each in what is built.
struct PrivatePaths(Vec<(PathBuf, &'static str)>);

fn private_paths(root: &Path, target_folder: &Path) -> Result<PrivatePaths> {
    let sysroot = process::output(Command::new(rustc()).args(["--print", "sysroot"]))?;
    let sysroot = String::from_utf8(sysroot)?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    // Of several that fit, the last one counts.
    Ok(PrivatePaths(vec![
        (home.context("no CARGO_HOME")?, "/cargo"),
        (sysroot.trim().into(), "/rust"),
        (root.to_owned(), "/ss55"),
        (target_folder.to_owned(), "/target"),
    ]))
}

impl PrivatePaths {
    /// For `CARGO_ENCODED_RUSTFLAGS`, where paths may have spaces.
    fn remapping(&self) -> String {
        let flags = self.0.iter().map(|(path, name)| {
            let path = path.display();
            format!("--remap-path-prefix={path}={name}")
        });
        flags.collect::<Vec<_>>().join("\x1f")
    }

    fn check(&self, name: &str, content: &[u8]) -> Result<()> {
        for (path, _) in &self.0 {
            ensure!(
                path.components().count() > 2,
                "{}: a path of one folder cannot be told from others in {name}: use a deeper one",
                path.display()
            );
            let path = path.as_os_str().as_encoded_bytes();
            let is_named = content.windows(path.len()).enumerate().any(|(at, part)| {
                let before = at.checked_sub(1).map(|at| content[at]);
                part == path && !before.is_some_and(|byte| byte.is_ascii_alphanumeric())
            });
            ensure!(
                !is_named,
                "{name} names {}, a path of this machine",
                String::from_utf8_lossy(path)
            );
        }
        Ok(())
    }
}

/// A folder with the files that git knows, as they are here.
fn copy_sources(to: &Path) -> Result<()> {
    let mut list = Command::new("git");
    list.current_dir(crate::root()).args(["ls-files", "-z"]);
    let list = String::from_utf8(process::output(&mut list)?)?;
    for file in list.split_terminator('\0') {
        let copy = to.join(file);
        fs::create_dir_all(copy.parent().context("a file is in a folder")?)?;
        fs::copy(crate::root().join(file), copy).with_context(|| file.to_owned())?;
    }
    Ok(())
}

fn rustc() -> std::ffi::OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// The machine that rustc builds for.
fn host() -> Result<String> {
    let version = process::output(Command::new(rustc()).arg("-vV"))?;
    let version = String::from_utf8(version)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

/// Seconds since 1970: what `SOURCE_DATE_EPOCH` says, or when the commit was made.
fn time() -> Result<u64> {
    if let Some(time) = std::env::var_os("SOURCE_DATE_EPOCH") {
        let time = time.to_str().and_then(|time| time.parse().ok());
        return time.context("SOURCE_DATE_EPOCH is no number of seconds");
    }
    let mut log = Command::new("git");
    log.current_dir(crate::root())
        .args(["log", "-1", "--format=%ct"]);
    let time = String::from_utf8(process::output(&mut log)?)?;
    time.trim().parse().context("git names no time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_this_machine_are_found() {
        let private = PrivatePaths(vec![("/home/me".into(), "/ss55")]);
        private.check("x", b"of /home/you and /home/m").unwrap();
        private.check("x", b"").unwrap();
        private.check("x", b"of you/home/me").unwrap();
        let shallow = PrivatePaths(vec![("/src".into(), "/ss55")]);
        assert!(shallow.check("x", b"").is_err());
        let error = private.check("bin/x", b"\0\x01/home/me/src\0").unwrap_err();
        assert_eq!(
            error.to_string(),
            "bin/x names /home/me, a path of this machine"
        );
        assert_eq!(private.remapping(), "--remap-path-prefix=/home/me=/ss55");
    }
}
