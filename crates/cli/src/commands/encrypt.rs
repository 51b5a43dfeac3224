use super::{BUFFER, SUFFIX, chunk_size, each, read_ad};
use crate::{
    ahead::pump,
    args::{Encrypt, WriteFormat},
    error::{Error, Role},
    input::{Input, Sources},
    key::{self, Loaded},
    output::{Output, Target},
    threads,
    unfinished::Unfinished,
    writer::Writer,
};
use ss55_stream::parallel::FRAMES_PER_THREAD;
use ss55_wire::v2;
use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// So much is read before the output is opened, and written at once: whole frames of v2.
const FIRST: usize = 4 * v2::MAX_PLAINTEXT;

pub fn run(args: &Encrypt) -> Result<(), Error> {
    if args.new_key.is_some() && args.inputs.len() > 1 {
        return Err(Error::usage(
            "--new-key: one key is made for one input",
            "make it first with `ss55 keygen -o FILE`, and say -k FILE",
        ));
    }
    let derive = |input: &Path| Ok(add_suffix(input));
    let output = args.output.as_deref();
    each(&args.inputs, output, &args.key, Some(&derive), |path| {
        encrypt(args, path)
    })
}

fn encrypt(args: &Encrypt, path: Option<&Path>) -> Result<(), Error> {
    let new_key = args.new_key.as_deref();
    if new_key.is_some_and(|path| path.as_os_str() == "-") {
        return Err(Error::usage(
            "--new-key -: a new key goes to a file",
            "name one; `./-` is a file of that name",
        ));
    }
    let is_libsodium = args.format == WriteFormat::Libsodium;
    threads::refuse_if(&args.threads, is_libsodium)?;
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
    let (frame, threads) = if is_libsodium {
        (chunk_size, 1)
    } else {
        (v2::MAX_PLAINTEXT, threads::wanted(&args.threads, 1))
    };
    // Whole frames, or batches of them: each is sealed where it was read.
    let batch = match threads {
        1 => frame,
        _ => frame * FRAMES_PER_THREAD * threads,
    };
    let most = batch * (BUFFER / batch).max(1);
    let mut buf = Zeroizing::new(vec![0; most]);
    // Nothing is created for an input that cannot be read.
    let first = FIRST.min(buf.len());
    let mut len = input.fill(&mut buf[..first])?;

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
        Writer::v2(output, &loaded.key, ad.bytes, threads)?
    };
    let writing = |error| Error::io(Role::Output, &name, error);
    if len == first {
        // Whole frames: to flush them makes no shorter one.
        writer.write_all(&buf[..len]).map_err(writing)?;
        writer.flush().map_err(writing)?;
        len = input.fill(&mut buf)?;
    }
    writer.write_all(&buf[..len]).map_err(writing)?;
    if len == buf.len() {
        let progress = input.take_progress();
        input = pump(input, buf, |plaintext| {
            progress.advance(plaintext.len() as u64);
            writer.write_all(plaintext).map_err(writing)
        })?;
    }
    // A stream that ends properly is a promise that all is in it.
    input.check_complete()?;
    let output = writer.finish().map_err(writing)?;
    output.commit(new_key)
}

/// `IN.ss55`, whatever bytes `IN` has.
fn add_suffix(input: &Path) -> PathBuf {
    let mut name = input.as_os_str().to_owned();
    name.push(OsStr::from_bytes(SUFFIX));
    name.into()
}
