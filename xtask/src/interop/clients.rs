//! Other people's bindings of libsodium, each in a process of its own.

use super::{SECRET, open_layout, plaintext, refuse_forgery, seal_layout};
use crate::process;
use anyhow::{Context, Result, ensure};
use ss55_aead::SimdEngine;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Around one chunk, and thirteen of them.
const SIZES: [usize; 6] = [0, 1, 8191, 8192, 8193, 100_000];

const SCRIPTS: [&str; 3] = [
    "layout.js",
    "sodium_native_client.js",
    "libsodium_wrappers_client.js",
];

/// A program that knows `seal KEY` and `open KEY`.
struct Client {
    name: &'static str,
    program: &'static str,
    script: PathBuf,
    /// Where its package is installed.
    folder: PathBuf,
}

pub fn run() -> Result<()> {
    let sources = crate::root().join("xtask/clients");
    let target = crate::root().join("target/interop");
    let python = install_python(&sources, &target.join("python"))?;
    let node = install_node(&sources, &target.join("node"))?;
    let client = |name, program, script: &str, folder: &Path| Client {
        name,
        program,
        script: folder.join(script),
        folder: folder.to_owned(),
    };
    for client in [
        client("PyNaCl", "python3", "pynacl_client.py", &python),
        client("sodium-native", "node", "sodium_native_client.js", &node),
        client(
            "libsodium-wrappers",
            "node",
            "libsodium_wrappers_client.js",
            &node,
        ),
    ] {
        exchange(&client).with_context(|| client.name)?;
    }
    Ok(())
}

/// Streams in both directions.
fn exchange(client: &Client) -> Result<()> {
    let engine = SimdEngine::new();
    for size in SIZES {
        let plain = plaintext(size);
        let ours = seal_layout(engine, &plain)?;
        ensure!(
            client.convert("open", &ours)? == plain,
            "it reads {size} bytes differently"
        );
        let theirs = client.convert("seal", &plain)?;
        ensure!(
            theirs.len() == ours.len(),
            "it lays {size} bytes out differently"
        );
        let read = open_layout(engine, &theirs).with_context(|| format!("{size} bytes of it"))?;
        ensure!(read == plain, "we read {size} bytes of it differently");
    }
    let ours = seal_layout(engine, b"a reader must refuse it")?;
    refuse_forgery(&ours, |stream| client.convert("open", stream))?;
    println!(
        "interop: the layout in chunks of 8192, {} <-> ss55: {} sizes",
        client.name,
        SIZES.len()
    );
    Ok(())
}

impl Client {
    fn convert(&self, verb: &str, input: &[u8]) -> Result<Vec<u8>> {
        let key = crate::hexadecimal(&SECRET);
        let mut command = Command::new(self.program);
        command
            .arg(&self.script)
            .args([verb, &key])
            .env("PYTHONPATH", &self.folder);
        process::pipe(&mut command, input)
    }
}

/// `PyNaCl` from PyPI.
fn install_python(sources: &Path, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"])
        .arg(folder)
        .arg("--requirement")
        .arg(sources.join("requirements.txt"));
    process::output(&mut pip).context("PyNaCl cannot be installed")?;
    fs::copy(
        sources.join("pynacl_client.py"),
        folder.join("pynacl_client.py"),
    )?;
    println!("interop: installed PyNaCl");
    Ok(folder.to_owned())
}

/// Two packages from npm; their scripts stand beside them, where Node.js looks for them.
fn install_node(sources: &Path, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    for file in SCRIPTS
        .into_iter()
        .chain(["package.json", "package-lock.json"])
    {
        fs::copy(sources.join(file), folder.join(file)).with_context(|| file)?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund"])
        .current_dir(folder);
    process::output(&mut npm)
        .context("sodium-native and libsodium-wrappers cannot be installed")?;
    println!("interop: installed sodium-native and libsodium-wrappers");
    Ok(folder.to_owned())
}
