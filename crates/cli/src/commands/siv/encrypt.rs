use super::{NONCE, OVERHEAD, SUFFIX, cipher, read_all};
use crate::{
    args::SivEncrypt,
    error::{Error, Role},
    input::{Input, Name, Sources},
    key,
    output::{Output, Target},
};
use ss55_siv::Siv256;
use std::{
    ffi::OsStr,
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// What helps where there is too little memory.
const NO_ROOM: &str = "`ss55 encrypt` takes any length, in little memory";

pub fn run(args: &SivEncrypt) -> Result<(), Error> {
    let path = args.input.as_deref();
    let target = Target::choose(args.output.as_deref(), path, |input| Ok(add_suffix(input)))?;
    let mut sources = Sources::default();
    let mut input = Input::open(path, &mut sources)?;
    let loaded = key::load(&args.key, &mut sources)?;

    input.show_progress(args.progress.quiet);
    let mut message = read_all(&mut input, NONCE, Siv256::IV_LEN, NO_ROOM)?;
    input.check_complete()?;
    let guarded = [("input", input.identity()), ("key file", loaded.identity)];
    drop(input);

    let text = NONCE..NONCE + (message.len() - OVERHEAD);
    let nonce = if args.deterministic {
        [0; NONCE]
    } else {
        random_nonce()?
    };
    let iv = cipher(&loaded.key)?
        .seal_in_place_detached(&nonce, b"", &mut message[text.clone()])
        .expect("the length was checked when it was read");
    message[..NONCE].copy_from_slice(&nonce);
    message[text.end..].copy_from_slice(iv.as_bytes());

    let mut output = Output::open(target, &guarded)?;
    output
        .write_all(&message)
        .map_err(|error| Error::io(Role::Output, output.name(), error))?;
    output.commit(None)
}

fn random_nonce() -> Result<[u8; NONCE], Error> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce).map_err(|error| {
        let name = Name::System("random source");
        Error::io(Role::System, &name, io::Error::other(error))
    })?;
    Ok(nonce)
}

/// `IN.siv`, whatever bytes `IN` has.
fn add_suffix(input: &Path) -> PathBuf {
    let mut name = input.as_os_str().to_owned();
    name.push(OsStr::from_bytes(SUFFIX));
    name.into()
}
