use super::{SUFFIX, each, read_ad, read_chunk_size};
use crate::{
    args::Decrypt,
    error::{Error, Role, say},
    input::{Input, Name, Sources},
    key,
    output::{Output, Target},
    reader::{Reader, copy},
    threads,
};
use std::{
    ffi::OsStr,
    io::Write,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

pub fn run(args: &Decrypt) -> Result<(), Error> {
    threads::check(&args.threads, args.format.format)?;
    let output = args.output.as_deref();
    each(
        &args.inputs,
        output,
        &args.key,
        Some(&strip_suffix),
        |path| decrypt(args, path),
    )
}

fn decrypt(args: &Decrypt, path: Option<&Path>) -> Result<(), Error> {
    let wanted = args.format.format;
    let chunk_size = read_chunk_size(&args.stream, wanted)?;
    let target = Target::choose(args.output.as_deref(), path, strip_suffix)?;
    let mut sources = Sources::default();
    let mut input = Input::open(path, &mut sources)?;
    let ad = read_ad(args.stream.ad.as_deref(), &mut sources)?;
    let loaded = key::load(&args.key, &mut sources)?;

    input.show_progress(args.progress.quiet);
    // It goes before an error is told of, wherever the input is then.
    let _bar = input.progress();
    let guarded = [
        ("input", input.identity()),
        ("key file", loaded.identity),
        ("--ad file", ad.identity),
    ];
    let threads = threads::wanted(&args.threads, 1);
    let mut reader = Reader::open(input, &loaded.key, wanted, ad.bytes, chunk_size, threads)?;
    // The output is opened late: a wrong key is found out before that.
    reader.plaintext()?;
    let mut output = Output::open(target, &guarded)?;
    let name = output.name().clone();
    let reader = copy(reader, |plaintext| {
        output
            .write_all(plaintext)
            .map_err(|error| Error::io(Role::Output, &name, error))
    })?;
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
                "{}: no name to write to, since this one is not NAME.ss55",
                Name::Path(input.to_owned())
            ),
            "name the output with -o OUT; -o - is standard output",
        )),
    }
}
