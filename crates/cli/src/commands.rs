//! What each command does, and what they share.

mod bench;
mod cat;
mod decrypt;
mod encrypt;
pub mod inspect;
mod keygen;
mod reencrypt;
mod siv;
mod verify;

use crate::{
    args::{Cli, Command, KeyArgs, ReadFormat, StreamArgs},
    engine,
    error::{Error, Role},
    input::{Identity, Name, Sources, named},
    place::{Place, folder_of},
};
use serde_json::Value;
use ss55_wire::secretstream::DEFAULT_CHUNK;
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    hint::black_box,
    io::Read,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

/// What an encrypted file's name ends with.
const SUFFIX: &[u8] = b".ss55";
/// Plaintext in a buffer: sixteen frames of v2, each of which is sealed where it was read. That is as much
/// as fits the second-level cache of the core that read it: what was read before has left that, and is
/// sooner in another core's from the third level.
const BUFFER: usize = 16 * 65536;
/// For everything else, generously: above all the heap of the thread that reads ahead, for which glibc takes
/// 128 MiB of addresses and gives back what it does not want.
pub const SPARE_MEMORY: usize = 160 << 20;
/// Longest ad: it is hashed again for every frame.
const MAX_AD: u64 = 1 << 24;

pub fn run(cli: Cli) -> Result<(), Error> {
    engine::chosen()?; // before anything is created that would have to be removed
    match cli.command {
        Command::Keygen(args) => keygen::run(&args),
        Command::Encrypt(args) => encrypt::run(&args),
        Command::Decrypt(args) => decrypt::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Reencrypt(args) => reencrypt::run(&args),
        Command::Cat(args) => cat::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::SivEncrypt(args) => siv::encrypt::run(&args),
        Command::SivDecrypt(args) => siv::decrypt::run(&args),
        Command::Bench => bench::run(),
    }
}

/// Makes an output's name of an input's.
type Derive<'a> = &'a dyn Fn(&Path) -> Result<PathBuf, Error>;

/// Does `work` with each of `inputs`, or with standard input if there are none. One that fails is told of at
/// once where others follow. `derive` is there if each has an output.
fn each(
    inputs: &[PathBuf],
    output: Option<&Path>,
    key: &KeyArgs,
    derive: Option<Derive<'_>>,
    mut work: impl FnMut(Option<&Path>) -> Result<(), Error>,
) -> Result<(), Error> {
    if let [] | [_] = inputs {
        return work(inputs.first().map(PathBuf::as_path));
    }
    if output.is_some() {
        return Err(Error::usage(
            "-o: one output, and several inputs",
            "leave it out: each input gives its output a name",
        ));
    }
    // Read anew for each of them, which a pipe gives only once.
    if key
        .key
        .as_deref()
        .and_then(|path| named(Some(path)))
        .is_none()
        && key.key.is_some()
    {
        return Err(Error::usage(
            "-k -: one key on standard input, and several inputs",
            "name a key file",
        ));
    }
    check_apart(inputs, derive)?;
    let mut worst = None;
    for input in inputs {
        match work(Some(input)) {
            Ok(()) => {}
            Err(Error::ClosedPipe) => return Err(Error::ClosedPipe),
            Err(error) => {
                error.report();
                worst = worst.max(Some(error.exit_status() as u8));
            }
        }
    }
    worst.map_or(Ok(()), |status| Err(Error::Reported(status)))
}

/// Refuses inputs of which one takes from another: standard input twice, and an output that is another's input
/// or output. Nothing has been done yet.
fn check_apart(inputs: &[PathBuf], derive: Option<Derive<'_>>) -> Result<(), Error> {
    let from_stdin = inputs.iter().filter(|path| named(Some(path)).is_none());
    if from_stdin.count() > 1 {
        return Err(Error::usage(
            "standard input: it is read once, and named twice",
            "name it once",
        ));
    }
    let Some(derive) = derive else {
        return Ok(());
    };
    let named_inputs = || inputs.iter().filter_map(|path| named(Some(path)));
    let read: Vec<PathBuf> = named_inputs().filter_map(entry).collect();
    let mut written = Vec::new();
    for input in named_inputs() {
        // One that gives no name is told of in its turn.
        let Ok(output) = derive(input) else {
            continue;
        };
        let Some(entry) = entry(&output) else {
            continue;
        };
        let name = Name::Path(output);
        if read.contains(&entry) {
            return Err(Error::usage(
                format!("{name}: an input, and the output of another one"),
                "leave one of the two out, or run them one by one with -o OUT",
            ));
        }
        if written.contains(&entry) {
            return Err(Error::usage(
                format!("{name}: the output of two inputs"),
                "name each input once, or run them one by one with -o OUT",
            ));
        }
        written.push(entry);
    }
    Ok(())
}

/// The file that `path` leads to, which need not exist, under one of all the names that it may have.
fn entry(path: &Path) -> Option<PathBuf> {
    let Ok(Place::Path(path)) = Place::to_write(path) else {
        return None;
    };
    let folder = fs::canonicalize(folder_of(&path)).ok()?;
    Some(folder.join(path.file_name()?))
}

/// A line of JSON, its names in their order: that of the library's own objects is what any program that is built
/// with this one has asked it for.
fn json_line(report: &Value) -> String {
    let fields: Option<BTreeMap<_, _>> = report.as_object().map(|fields| fields.iter().collect());
    let line = serde_json::to_string(&fields).expect("names are strings");
    line + "\n"
}

/// The chunk size, if there are chunks.
///
/// # Errors
/// If the format has no such option, or there is no memory for `buffers` chunks.
fn chunk_size(
    args: &StreamArgs,
    has_ad: bool,
    has_chunk_size: bool,
    buffers: usize,
) -> Result<usize, Error> {
    if args.ad.is_some() && !has_ad {
        return Err(Error::usage(
            "--ad: the libsodium layout carries none",
            "leave --ad out, or choose another --format",
        ));
    }
    let Some(size) = args.chunk_size else {
        return Ok(DEFAULT_CHUNK);
    };
    if !has_chunk_size {
        return Err(Error::usage(
            "--chunk-size: only the libsodium layout has chunks of a fixed size",
            "leave it out, or add --format libsodium",
        ));
    }
    let size = size as usize;
    // Asked for and given back: afterwards, to run out of it would abort the program. The optimiser must
    // not see that nobody uses it, or it would not ask.
    let memory = buffers * size + SPARE_MEMORY;
    if black_box(&mut Vec::<u8>::new())
        .try_reserve_exact(memory)
        .is_err()
    {
        return Err(Error::usage(
            format!("--chunk-size {size}: no memory for {buffers} chunks of it"),
            "raise the limit on memory (ulimit -v); who reads must use the same size as who wrote",
        ));
    }
    Ok(size)
}

fn read_chunk_size(args: &StreamArgs, format: ReadFormat) -> Result<usize, Error> {
    chunk_size(
        args,
        format != ReadFormat::Libsodium,
        matches!(format, ReadFormat::Auto | ReadFormat::Libsodium),
        // What was read to find out the format, a chunk as it comes and one that was opened.
        3,
    )
}

/// The ad, and the file that it was read from.
#[derive(Default)]
struct Ad {
    bytes: Vec<u8>,
    identity: Option<Identity>,
}

/// The text itself, or what `@FILE` holds.
fn read_ad(ad: Option<&OsStr>, sources: &mut Sources) -> Result<Ad, Error> {
    let Some(ad) = ad else {
        return Ok(Ad::default());
    };
    let Some(path) = ad.as_bytes().strip_prefix(b"@") else {
        return Ok(Ad {
            bytes: ad.to_owned().into_vec(),
            identity: None,
        });
    };
    let path = Path::new(OsStr::from_bytes(path));
    let (name, file, metadata) = sources.open("ad", Role::Ad, path)?;
    let mut bytes = Vec::new();
    file.take(MAX_AD + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io(Role::Ad, &name, error))?;
    if bytes.len() as u64 > MAX_AD {
        return Err(Error::usage(
            format!("{name}: an ad of more than {MAX_AD} bytes"),
            "authenticate a digest of it instead",
        ));
    }
    Ok(Ad {
        bytes,
        identity: Identity::of(&metadata),
    })
}
