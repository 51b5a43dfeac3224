use super::{NONCE, OVERHEAD, SUFFIX, cipher, read_all};
use crate::{
    args::SivDecrypt,
    error::{Error, Known, Problem, Role},
    input::{Input, Name, Sources},
    key,
    output::{Output, Target},
};
use ss55_siv::{Iv, Siv256};
use ss55_wire::v2;
use std::{
    ffi::OsStr,
    io::Write,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// What helps where there is too little memory.
const NO_ROOM: &str = "raise the limit on memory (ulimit -v), or decrypt it where there is more";

pub fn run(args: &SivDecrypt) -> Result<(), Error> {
    let path = args.input.as_deref();
    let target = Target::choose(args.output.as_deref(), path, strip_suffix)?;
    let mut sources = Sources::default();
    let mut input = Input::open(path, &mut sources)?;
    let loaded = key::load(&args.key, &mut sources)?;

    input.show_progress(args.progress.quiet);
    let mut message = read_all(&mut input, 0, 0, NO_ROOM)?;
    let guarded = [("input", input.identity()), ("key file", loaded.identity)];
    let known = if message.starts_with(&v2::MAGIC) {
        Known::LikeV2
    } else {
        Known::Message
    };
    let problem = |problem| Error::stream(input.name(), problem, known);
    if message.is_empty() {
        return Err(problem(Problem::Empty));
    }
    let Some(len) = message.len().checked_sub(OVERHEAD) else {
        return Err(problem(Problem::ShortMessage { len: message.len() }));
    };
    let (nonce, rest) = message.split_first_chunk_mut::<NONCE>().expect("12 of 44");
    let (text, iv) = rest.split_at_mut(len);
    let iv = <[u8; Siv256::IV_LEN]>::try_from(&*iv).expect("all that is left of 44");
    cipher(&loaded.key)?
        .open_in_place_detached(nonce, b"", text, &Iv::from(iv))
        .map_err(|_| problem(Problem::Message))?;

    let mut output = Output::open(target, &guarded)?;
    output
        .write_all(text)
        .map_err(|error| Error::io(Role::Output, output.name(), error))?;
    output.commit(None)
}

/// `IN` without `.siv`.
fn strip_suffix(input: &Path) -> Result<PathBuf, Error> {
    let stem = input
        .file_name()
        .and_then(|name| name.as_bytes().strip_suffix(SUFFIX))
        .filter(|stem| !stem.is_empty());
    match stem {
        Some(stem) => Ok(input.with_file_name(OsStr::from_bytes(stem))),
        None => Err(Error::usage(
            format!(
                "{}: no name to write to, since this one does not end with .siv",
                Name::Path(input.to_owned())
            ),
            "name the output with -o OUT; -o - is standard output",
        )),
    }
}
