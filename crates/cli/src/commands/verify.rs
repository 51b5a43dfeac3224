use super::{each, json_line, read_ad, read_chunk_size};
use crate::{
    args::Verify,
    detect::Format,
    error::{Error, Role, say},
    input::{Input, Name, Sources, file_json, named},
    key,
    reader::Reader,
    stdio, threads,
};
use serde_json::{Value, json};
use std::{io::Write, path::Path};

pub fn run(args: &Verify) -> Result<(), Error> {
    threads::check(&args.threads, args.format.format)?;
    each(&args.inputs, None, &args.key, None, |path| {
        verify(args, path)
    })
}

fn verify(args: &Verify, path: Option<&Path>) -> Result<(), Error> {
    let mut report = Report::default();
    let verified = read_all(args, path, &mut report);
    if args.json {
        let name = named(path).map_or(Name::Stdin, |path| Name::Path(path.to_owned()));
        let text = json_line(&report.to_json(&name, verified.as_ref().err()));
        stdio::stdout()?
            .write_all(text.as_bytes())
            .map_err(|error| Error::io(Role::Output, &Name::Stdout, error))?;
    }
    if let Some(warning) = verified? {
        say(warning);
    }
    Ok(())
}

/// Reads an input to its end, and gives what must be said of it then.
fn read_all(
    args: &Verify,
    path: Option<&Path>,
    report: &mut Report,
) -> Result<Option<String>, Error> {
    let wanted = args.format.format;
    let chunk_size = read_chunk_size(&args.stream, wanted)?;
    let mut sources = Sources::default();
    let mut input = Input::open(path, &mut sources)?;
    let ad = read_ad(args.stream.ad.as_deref(), &mut sources)?;
    let loaded = key::load(&args.key, &mut sources)?;
    input.show_progress(args.progress.quiet);
    // It goes before an error is told of, wherever the input is then.
    let _bar = input.progress();
    let threads = threads::wanted(&args.threads, 1);
    let mut reader = Reader::open(input, &loaded.key, wanted, ad.bytes, chunk_size, threads)?;
    report.format = Some(reader.format());
    while let len @ 1.. = reader.plaintext()?.len() {
        report.plaintext += len as u64;
        reader.consume(len);
    }
    Ok(reader.warning())
}

/// What was found, up to an error.
#[derive(Default)]
struct Report {
    format: Option<Format>,
    /// Authentic bytes of plaintext.
    plaintext: u64,
}

impl Report {
    fn to_json(&self, name: &Name, error: Option<&Error>) -> Value {
        let problem = match error {
            Some(Error::Stream { problem, .. }) => Some(*problem),
            _ => None,
        };
        let mut report = json!({
            "format": self.format.map(Format::name),
            "authentic": error.is_none(),
            "end_authenticated": error.is_none() && self.format != Some(Format::V1),
            "authentic_plaintext_size": self.plaintext,
            "problem_code": error.map(|error| match error {
                Error::Stream { problem, .. } => problem.code(),
                Error::Key { .. } => "key",
                Error::Usage { .. } => "usage",
                Error::Io { .. } | Error::Reported(_) | Error::ClosedPipe => "io",
            }),
            "problem": error.map(|error| match problem {
                Some(problem) => problem.to_string(),
                None => error.to_string(),
            }),
        });
        for (key, value) in file_json(name) {
            report[key] = value;
        }
        report
    }
}
