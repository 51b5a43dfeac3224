use super::read_ad;
use crate::{
    args::{Cat, Span},
    engine,
    error::{Error, Known, Problem, Role},
    input::{Input, Sources, named},
    key,
    output::{Output, Target},
};
use ss55_stream::{Decryptor, Error as StreamError};
use ss55_wire::{Error as Wire, v2};
use std::io::{self, Read, Seek, SeekFrom, Write};
use zeroize::Zeroizing;

pub fn run(args: &Cat) -> Result<(), Error> {
    let mut sources = Sources::default();
    let input = Input::open(Some(&args.input), &mut sources)?;
    let name = input.name().clone();
    if named(Some(&args.input)).is_none() || input.len().is_none() {
        return Err(Error::usage(
            format!("{name}: a range is read from a named file, in which one can seek"),
            "name a file; `ss55 decrypt | tail -c +N | head -c M` reads a pipe",
        ));
    }
    if input.len() == Some(0) {
        return Err(Error::stream(&name, Problem::Empty, Known::Part));
    }
    let is_cut_header = input.len() < Some(v2::HEADER_LEN as u64);
    let target = Target::choose(args.output.as_deref(), None, |input| Ok(input.to_owned()))?;
    let ad = read_ad(args.ad.as_deref(), &mut sources)?;
    let loaded = key::load(&args.key, &mut sources)?;
    let guarded = [
        ("input", input.identity()),
        ("key file", loaded.identity),
        ("--ad file", ad.identity),
    ];

    let builder = Decryptor::builder().engine(engine::chosen()?).ad(ad.bytes);
    let mut reader = builder
        .build_seekable(input.into_file(), &loaded.key)
        .map_err(|error| match error {
            StreamError::Wire(Wire::Truncated) if is_cut_header => {
                Error::stream(&name, Problem::Truncated { at: Some(0) }, Known::Part)
            }
            StreamError::Wire(wire) => Error::stream(&name, Problem::at_opening(wire), Known::Part),
            error => Error::io(Role::Input, &name, error.into()),
        })?;
    let len = reader.len().bytes();
    let Span { from, to } = args.range;
    let to = to.unwrap_or(len);
    if from > len || to > len {
        return Err(Error::usage(
            format!("--range: {name} has {len} bytes of plaintext"),
            if from > len {
                "a range begins at this number at most, where it is empty"
            } else {
                "leave the second number out to read up to the end"
            },
        ));
    }

    let mut left = to - from;
    let mut buf = Zeroizing::new(vec![0; v2::MAX_PLAINTEXT]);
    let mut output = None;
    let mut target = Some(target);
    loop {
        let most = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = reader
            .seek(SeekFrom::Start(to - left))
            .and_then(|_| reader.read(&mut buf[..most]));
        let read = match read {
            Ok(0) if left > 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => read,
        }
        .map_err(|error| {
            let wire = match error.get_ref().and_then(|inner| inner.downcast_ref()) {
                Some(StreamError::Wire(wire)) => *wire,
                _ => return Error::io(Role::Input, &name, error),
            };
            let problem = Problem::from_wire(wire, reader.frame_offset(), 0);
            Error::stream(&name, problem, Known::Part)
        })?;
        // Opened late: a damaged frame is found out before that.
        if let Some(target) = target.take() {
            output = Some(Output::open(target, &guarded)?);
        }
        let output = output.as_mut().expect("opened at the first turn");
        output
            .write_all(&buf[..read])
            .map_err(|error| Error::io(Role::Output, output.name(), error))?;
        left -= read as u64;
        if left == 0 {
            break;
        }
    }
    output.expect("opened at the first turn").commit(None)
}
