use super::{BUFFER, SUFFIX, chunk_size, read_ad};
use crate::{
    args::{Encrypt, WriteFormat},
    error::{Error, Role},
    input::{Input, Sources},
    key::{self, Loaded},
    output::{Output, Target},
    unfinished::Unfinished,
    writer::Writer,
};
use ss55_wire::v2;
use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

pub fn run(args: &Encrypt) -> Result<(), Error> {
    let path = args.input.as_deref();
    let new_key = args.new_key.as_deref();
    if new_key.is_some_and(|path| path.as_os_str() == "-") {
        return Err(Error::usage(
            "--new-key -: a new key goes to a file",
            "name one; `./-` is a file of that name",
        ));
    }
    let is_libsodium = args.format == WriteFormat::Libsodium;
    // What was read, and what is sealed.
    let chunk_size = chunk_size(&args.stream, !is_libsodium, is_libsodium, 2)?;
    let target = Target::choose(args.output.as_deref(), path, |input| Ok(add_suffix(input)))?;
    let mut sources = Sources::default();
    let mut input = Input::open(path, &mut sources)?;
    let ad = read_ad(args.stream.ad.as_deref(), &mut sources)?;
    let loaded = if new_key.is_some() {
        Loaded::from(key::generate()?)
    } else {
        key::load(&args.key, &mut sources)?
    };

    input.show_progress(args.progress.quiet);
    let frame = if is_libsodium {
        chunk_size
    } else {
        v2::MAX_PLAINTEXT
    };
    // Whole frames: each is sealed where it was read.
    let mut buf = Zeroizing::new(vec![0; frame * (BUFFER / frame).max(1)]);
    // Nothing is created for an input that cannot be read.
    let mut len = input.fill(&mut buf)?;

    let new_key = match new_key {
        Some(path) => Some(key::create(path, &loaded.key)?),
        None => None,
    };
    let guarded = [
        ("input", input.identity()),
        ("key file", loaded.identity),
        ("--ad file", ad.identity),
        (
            "new key file",
            new_key.as_ref().and_then(Unfinished::identity),
        ),
    ];
    let output = Output::open(target, &guarded)?;
    let name = output.name().clone();
    let mut writer = if is_libsodium {
        Writer::libsodium(output, &loaded.key, chunk_size)?
    } else {
        Writer::v2(output, &loaded.key, ad.bytes)?
    };
    loop {
        writer
            .write_all(&buf[..len])
            .map_err(|error| Error::io(Role::Output, &name, error))?;
        if len < buf.len() {
            break;
        }
        len = input.fill(&mut buf)?;
    }
    // A stream that ends properly is a promise that all is in it.
    input.check_complete()?;
    drop(input);
    let output = writer
        .finish()
        .map_err(|error| Error::io(Role::Output, &name, error))?;
    output.commit(new_key)
}

/// `IN.ss55`, whatever bytes `IN` has.
fn add_suffix(input: &Path) -> PathBuf {
    let mut name = input.as_os_str().to_owned();
    name.push(OsStr::from_bytes(SUFFIX));
    name.into()
}
