use super::{read_ad, read_chunk_size};
use crate::{
    args::{KeyArgs, Reencrypt},
    error::{Error, Role, say},
    input::{Input, Sources},
    key::{self, Loaded},
    output::{Output, Target},
    reader::{Reader, copy},
    threads,
    unfinished::Unfinished,
    writer::Writer,
};
use std::path::PathBuf;

pub fn run(args: &Reencrypt) -> Result<(), Error> {
    let path = args.input.as_deref();
    let wanted = args.format.format;
    threads::check(&args.threads, wanted)?;
    let chunk_size = read_chunk_size(&args.stream, wanted)?;
    let target = Target::choose(args.output.as_deref(), path, |_| {
        Err::<PathBuf, _>(Error::usage(
            "reencrypt: no name to write to",
            "name the output with -o OUT; -o - is standard output",
        ))
    })?;
    let mut sources = Sources::default();
    let mut input = Input::open(path, &mut sources)?;
    let ad = read_ad(args.stream.ad.as_deref(), &mut sources)?;
    let loaded = key::load(&args.key, &mut sources)?;
    let new_key = args.new_key.as_deref();
    let to = match &args.to_key {
        _ if new_key.is_some() => Loaded::from(key::generate()?),
        None => Loaded::from(loaded.key.clone()),
        Some(path) => {
            let args = KeyArgs {
                key: Some(path.clone()),
                key_format: None,
                key_transform: None,
            };
            key::load(&args, &mut sources)?
        }
    };

    input.show_progress(args.progress.quiet);
    // It goes before an error is told of, wherever the input is then.
    let _bar = input.progress();
    let mut guarded = vec![
        ("input", input.identity()),
        ("key file", loaded.identity),
        ("new key file", to.identity),
        ("--ad file", ad.identity),
    ];
    let threads = threads::wanted(&args.threads, 2);
    let mut reader = Reader::open(
        input,
        &loaded.key,
        wanted,
        ad.bytes.clone(),
        chunk_size,
        threads,
    )?;
    // A wrong key is found out before anything is created.
    reader.plaintext()?;
    if reader.warning().is_some() && !args.accept_unauthenticated_end {
        return Err(Error::usage(
            "reencrypt: SS55 v1 has no final frame, and the new stream would vouch for an end that \
             nobody has authenticated",
            "say --accept-unauthenticated-end if you know by other means that nothing is missing",
        ));
    }
    let new_key = match new_key {
        Some(path) => Some(key::create(path, &to.key)?),
        None => None,
    };
    let created = new_key.as_ref().and_then(Unfinished::identity);
    guarded.push(("new key file", created));
    let output = Output::open(target, &guarded)?;
    let name = output.name().clone();
    let writing = |error| Error::io(Role::Output, &name, error);
    let mut writer = Writer::v2(output, &to.key, ad.bytes, threads)?;
    let reader = copy(reader, |plaintext| {
        writer.write_all(plaintext).map_err(writing)
    })?;
    let warning = reader.warning();
    drop(reader);
    writer.finish().map_err(writing)?.commit(new_key)?;
    if let Some(warning) = warning {
        say(warning);
    }
    Ok(())
}
