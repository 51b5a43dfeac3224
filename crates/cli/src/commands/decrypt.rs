use super::{BUFFER, SUFFIX, read_stream_options};
use crate::{
    args::Decrypt,
    error::{Error, say},
    input::{Input, Name, named},
    key,
    output::{Output, Target},
    reader::Reader,
};
use std::{
    ffi::OsStr,
    io::Write,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

pub fn run(args: Decrypt, quiet: bool) -> Result<(), Error> {
    let path = args.input.as_deref();
    let wanted = args.format.format;
    let (ad, chunk_size) = read_stream_options(&args.stream, wanted)?;
    let target = Target::choose(args.output, path, strip_suffix)?;
    let loaded = key::load(&args.key, named(path).is_none())?;

    let mut input = Input::open(path)?;
    input.show_progress(quiet);
    let guarded = [("input", input.identity()), ("key file", loaded.identity)];
    let mut reader = Reader::open(input, &loaded.key, wanted, ad, chunk_size)?;
    let mut buf = Zeroizing::new(vec![0; BUFFER]);
    // The output is opened late: a wrong key is found out before that.
    let mut len = reader.read(&mut buf)?;
    let mut output = Output::open(&target, &guarded)?;
    while len > 0 {
        output
            .write_all(&buf[..len])
            .map_err(|error| Error::writing(output.name(), error))?;
        len = reader.read(&mut buf)?;
    }
    let warning = reader.warning();
    drop(reader);
    output.commit(None)?;
    if let Some(warning) = warning {
        say(warning);
    }
    Ok(())
}

/// `IN` without `.ss55`.
fn strip_suffix(input: &Path) -> Result<PathBuf, Error> {
    let stem = input
        .file_name()
        .and_then(|name| name.as_bytes().strip_suffix(SUFFIX))
        .filter(|stem| !stem.is_empty());
    match stem {
        Some(stem) => Ok(input.with_file_name(OsStr::from_bytes(stem))),
        None => Err(Error::usage(
            format!(
                "{}: no name to write to, since this one does not end with .ss55",
                Name::Path(input.to_owned())
            ),
            "name the output with -o OUT; -o - is standard output",
        )),
    }
}
