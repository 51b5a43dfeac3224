//! What each command does, and what they share.

mod bench;
mod decrypt;
mod encrypt;
mod inspect;
mod keygen;
mod verify;

use crate::{
    args::{Cli, Command, ReadFormat, StreamArgs},
    engine,
    error::Error,
    input::Name,
};
use ss55_wire::secretstream::DEFAULT_CHUNK;
use std::{
    ffi::OsStr,
    fs::File,
    io::Read,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::Path,
};

/// What an encrypted file's name ends with.
const SUFFIX: &[u8] = b".ss55";
/// Plaintext in memory at a time: four frames of v2, so that a pipe is read less often, and each frame
/// is sealed where it was read.
const BUFFER: usize = 4 * 65536;
/// Longest ad: it is hashed again for every frame.
const MAX_AD: u64 = 1 << 24;

pub fn run(cli: Cli) -> Result<(), Error> {
    engine::chosen()?; // before anything is created that would have to be removed
    match cli.command {
        Command::Keygen(args) => keygen::run(args),
        Command::Encrypt(args) => encrypt::run(args, cli.quiet),
        Command::Decrypt(args) => decrypt::run(args, cli.quiet),
        Command::Verify(args) => verify::run(&args, cli.quiet),
        Command::Inspect(args) => inspect::run(&args),
        Command::Bench => bench::run(),
    }
}

/// The ad and the chunk size, if the format has such a thing.
fn stream_options(
    args: &StreamArgs,
    has_ad: bool,
    has_chunk_size: bool,
) -> Result<(Vec<u8>, usize), Error> {
    if args.ad.is_some() && !has_ad {
        return Err(Error::usage(
            "--ad: the libsodium layout carries none",
            "leave --ad out, or choose another --format",
        ));
    }
    if args.chunk_size.is_some() && !has_chunk_size {
        return Err(Error::usage(
            "--chunk-size: only the libsodium layout has chunks of a fixed size",
            "leave it out, or add --format libsodium",
        ));
    }
    let ad = args.ad.as_deref().map_or(Ok(Vec::new()), read_ad)?;
    let chunk_size = args.chunk_size.map_or(DEFAULT_CHUNK, |size| size as usize);
    Ok((ad, chunk_size))
}

fn read_stream_options(args: &StreamArgs, format: ReadFormat) -> Result<(Vec<u8>, usize), Error> {
    stream_options(
        args,
        format != ReadFormat::Libsodium,
        matches!(format, ReadFormat::Auto | ReadFormat::Libsodium),
    )
}

/// The text itself, or what `@FILE` holds.
fn read_ad(ad: &OsStr) -> Result<Vec<u8>, Error> {
    let Some(path) = ad.as_bytes().strip_prefix(b"@") else {
        return Ok(ad.to_owned().into_vec());
    };
    let path = Path::new(OsStr::from_bytes(path));
    let name = Name::Path(path.to_owned());
    let reading = |error| Error::io(&name, error, "--ad @FILE names a file; check it");
    let mut ad = Vec::new();
    File::open(path)
        .map_err(reading)?
        .take(MAX_AD + 1)
        .read_to_end(&mut ad)
        .map_err(reading)?;
    if ad.len() as u64 > MAX_AD {
        return Err(Error::usage(
            format!("{name}: an ad of more than {MAX_AD} bytes"),
            "authenticate a digest of it instead",
        ));
    }
    Ok(ad)
}
