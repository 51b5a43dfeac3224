//! Parts of the command as functions, for `fuzz/`, which throws bytes at them, the tests of wiping, and `cargo
//! xtask dist`, which makes manual pages.
//! No promise goes with them.
#![allow(clippy::missing_errors_doc, clippy::missing_panics_doc)] // of interest to nobody else

use crate::{
    args::{KeyArgs, KeyFormat, ReadFormat},
    commands, detect,
    input::{Input, Sources},
    key::{self, Form},
};
use clap::{CommandFactory, ValueEnum};
use serde_json::Value;
use ss55_aead::Key;
use std::path::{Path, PathBuf};

/// The key that a file of these bytes holds, or what was found instead. `format` is a value of
/// `--key-format`.
pub fn parse_key(bytes: &[u8], format: Option<&str>) -> Result<Key, String> {
    let format =
        format.map(|name| KeyFormat::from_str(name, false).expect("a value of the option"));
    let form = format.map_or(Form::Any, Form::Ours);
    key::parse(bytes, form).map_err(|refusal| refusal.found)
}

/// The key in the file `path`, as `-k` reads it.
pub fn read_key(path: PathBuf) -> Result<Key, String> {
    let args = KeyArgs {
        key: Some(path),
        key_format: None,
        key_transform: None,
    };
    let loaded = key::load(&args, &mut Sources::default()).map_err(|error| error.to_string())?;
    Ok(loaded.key)
}

/// A new key file's text, and where it is written to.
pub fn create_key(path: &Path, key: &Key) -> Result<(), String> {
    let unfinished = key::create(path, key).map_err(|error| error.to_string())?;
    unfinished.keep();
    Ok(())
}

/// What `inspect` says of the file `path`: for machines and for people.
pub fn inspect(path: &Path, chunk_size: u64) -> Result<(Value, String), String> {
    let mut input = open(path)?;
    let report =
        commands::inspect::inspect(&mut input, chunk_size).map_err(|error| error.to_string())?;
    Ok((report.to_json(input.name()), report.to_string()))
}

/// The format that `decrypt` takes the file `path` for, by its name in `--format`.
pub fn detect(
    path: &Path,
    key: &Key,
    ad: &[u8],
    chunk_size: usize,
) -> Result<&'static str, String> {
    let mut replay = detect::Replay::new(open(path)?);
    match detect::detect(&mut replay, ReadFormat::Auto, key, ad, chunk_size) {
        Ok(detect::Format::V2) => Ok("v2"),
        Ok(detect::Format::V1) => Ok("v1"),
        Ok(detect::Format::Libsodium) => Ok("libsodium"),
        Err(error) => Err(error.to_string()),
    }
}

fn open(path: &Path) -> Result<Input, String> {
    Input::open(Some(path), &mut Sources::default()).map_err(|error| error.to_string())
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    crate::args::Cli::command()
}
