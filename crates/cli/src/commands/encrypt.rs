use super::{BUFFER, SUFFIX, stream_options};
use crate::{
    args::{Encrypt, WriteFormat},
    error::Error,
    input::{Input, named},
    key::{self, Loaded, NewKeyFile},
    output::{Output, Target},
    writer::Writer,
};
use ss55_wire::v2;
use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

pub fn run(args: Encrypt, quiet: bool) -> Result<(), Error> {
    let path = args.input.as_deref();
    let is_libsodium = args.format == WriteFormat::Libsodium;
    let (ad, chunk_size) = stream_options(&args.stream, !is_libsodium, is_libsodium)?;
    let target = Target::choose(args.output, path, |input| Ok(add_suffix(input)))?;
    let loaded = if args.new_key.is_some() {
        Loaded::from(key::generate()?)
    } else {
        key::load(&args.key, named(path).is_none())?
    };

    let mut input = Input::open(path)?;
    input.show_progress(quiet);
    let frame = if is_libsodium {
        chunk_size
    } else {
        v2::MAX_PLAINTEXT
    };
    // Whole frames: each is sealed where it was read.
    let mut buf = Zeroizing::new(vec![0; frame * (BUFFER / frame).max(1)]);
    // Nothing is created for an input that cannot be read.
    let mut len = input.fill(&mut buf)?;

    let new_key = match &args.new_key {
        Some(path) => Some(NewKeyFile::create(path, &loaded.key)?),
        None => None,
    };
    let new_key_identity = new_key.as_ref().and_then(|file| file.identity);
    let guarded = [
        ("input", input.identity()),
        ("key file", loaded.identity),
        ("new key file", new_key_identity),
    ];
    let output = Output::open(&target, &guarded)?;
    let name = output.name().clone();
    let mut writer = if is_libsodium {
        Writer::libsodium(output, &loaded.key, chunk_size)?
    } else {
        Writer::v2(output, &loaded.key, ad)?
    };
    loop {
        writer
            .write_all(&buf[..len])
            .map_err(|error| Error::writing(&name, error))?;
        if len < buf.len() {
            break;
        }
        len = input.fill(&mut buf)?;
    }
    let output = writer
        .finish()
        .map_err(|error| Error::writing(&name, error))?;
    output.commit(new_key.map(|file| file.unfinished))
}

/// `IN.ss55`, whatever bytes `IN` has.
fn add_suffix(input: &Path) -> PathBuf {
    let mut name = input.as_os_str().to_owned();
    name.push(OsStr::from_bytes(SUFFIX));
    name.into()
}
