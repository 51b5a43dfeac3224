use super::json_line;
use crate::{
    args::Inspect,
    detect::{self, by_magic},
    error::{Error, Known, Problem, Role},
    input::{Input, Name, Sources, file_json},
    stdio,
};
use serde_json::{Value, json};
use ss55_wire::{
    Error as Wire,
    secretstream::{self, DEFAULT_CHUNK},
    v1, v2,
};
use std::{fmt, io::Write};

pub fn run(args: &Inspect) -> Result<(), Error> {
    let chunk_size = args.chunk_size.map_or(DEFAULT_CHUNK, |size| size as usize);
    let mut input = Input::open(args.input.as_deref(), &mut Sources::default())?;
    let name = input.name().clone();
    let report = inspect(&mut input, chunk_size as u64)?;
    let text = if args.json {
        json_line(&report.to_json(&name))
    } else {
        format!("file: {name}\n{report}")
    };
    stdio::stdout()?
        .write_all(text.as_bytes())
        .map_err(|error| Error::io(Role::Output, &Name::Stdout, error))?;
    match report.problem {
        None => Ok(()),
        Some(problem) => Err(Error::stream(&name, problem, report.format.known())),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    V2,
    V1,
    /// Nothing but its size speaks for it.
    ProbablyLibsodium,
    Unknown,
}

impl Format {
    fn known(self) -> Known {
        Known::Lengths(match self {
            Format::V2 => Some(detect::Format::V2),
            Format::V1 => Some(detect::Format::V1),
            Format::ProbablyLibsodium => Some(detect::Format::Libsodium),
            Format::Unknown => None,
        })
    }
}

/// What can be seen without a key. Nothing of it is authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    format: Format,
    /// Bytes of the whole input.
    size: u64,
    /// Whole frames, the final one included.
    frames: u64,
    /// Bytes of plaintext in them.
    plaintext: u64,
    problem: Option<Problem>,
}

/// Looks at the whole input, or where it can be skipped at the heads of its frames.
pub fn inspect(input: &mut Input, chunk_size: u64) -> Result<Report, Error> {
    let mut source = Source::new(input);
    let mut start = [0; v1::HEADER_LEN];
    let len = source.read(&mut start)?;
    let mut report = match by_magic(&start[..len]) {
        _ if len == 0 => Report::unknown(Problem::Empty),
        Some(Ok(_)) => v2(&mut source, &start)?,
        Some(Err(problem)) => Report::unknown(problem),
        None if len < v1::HEADER_LEN => Report::unknown(Problem::Truncated { at: Some(0) }),
        None => v1_or_libsodium(&mut source, chunk_size)?,
    };
    report.size = source.size()?;
    Ok(report)
}

fn v2(source: &mut Source<'_>, start: &[u8; v1::HEADER_LEN]) -> Result<Report, Error> {
    let mut header = [0; v2::HEADER_LEN];
    header[..start.len()].copy_from_slice(start);
    let rest = &mut header[start.len()..];
    let problem = if source.read(rest)? < rest.len() {
        Some(Problem::Truncated { at: Some(0) })
    } else {
        v2::Header::parse(&header)
            .err()
            .map(|error| Problem::from_wire(error, 0, 0))
    };
    if let Some(problem) = problem {
        return Ok(Report {
            format: Format::V2,
            ..Report::unknown(problem)
        });
    }
    let frames = walk::<{ v2::FRAME_HEADER_LEN }>(source, true, |head| {
        let head = v2::FrameHeader::parse(head)?;
        Ok(head.map(|head| Frame {
            payload: head.payload_len(),
            plaintext: head.plaintext_len(),
            is_final: head.tag() == v2::FrameTag::Final,
        }))
    })?;
    Ok(frames.report(Format::V2))
}

/// v1, if the input begins with a length field as v1 has them: noise does so once in 65,000 times.
fn v1_or_libsodium(source: &mut Source<'_>, chunk_size: u64) -> Result<Report, Error> {
    let frames = walk::<{ v1::LENGTH_LEN }>(source, false, |head| {
        let head = v1::FrameHeader::parse(head)?;
        Ok(head.map(|head| Frame {
            payload: head.payload_len(),
            plaintext: head.plaintext_len(),
            is_final: false,
        }))
    })?;
    if frames.seen {
        return Ok(frames.report(Format::V1));
    }
    Ok(libsodium(source.size()?, chunk_size))
}

/// What the size says, if it is libsodium's layout.
fn libsodium(size: u64, chunk_size: u64) -> Report {
    const HEADER_LEN: u64 = secretstream::HEADER_LEN as u64;
    const OVERHEAD: u64 = secretstream::OVERHEAD as u64;
    let full = chunk_size + OVERHEAD;
    let chunks = (size - HEADER_LEN) / full;
    let last = (size - HEADER_LEN) % full;
    let mut report = Report {
        format: Format::ProbablyLibsodium,
        size,
        frames: chunks,
        plaintext: chunks * chunk_size,
        problem: None,
    };
    if size == HEADER_LEN {
        report = Report::unknown(Problem::BareHeader);
    } else if last >= OVERHEAD {
        report.frames += 1;
        report.plaintext += last - OVERHEAD;
    } else if last > 0 {
        let at = HEADER_LEN + chunks * full;
        report.problem = Some(Problem::Truncated { at: Some(at) });
    }
    report
}

/// A frame, as its head describes it.
struct Frame {
    payload: usize,
    plaintext: usize,
    is_final: bool,
}

/// A chain of frames.
#[derive(Default)]
struct Frames {
    /// Whether there is a head that the format may have.
    seen: bool,
    count: u64,
    plaintext: u64,
    problem: Option<Problem>,
}

impl Frames {
    fn report(self, format: Format) -> Report {
        Report {
            format,
            size: 0,
            frames: self.count,
            plaintext: self.plaintext,
            problem: self.problem,
        }
    }
}

/// Follows the lengths from frame to frame, to the end or to the first that is wrong.
fn walk<const HEAD: usize>(
    source: &mut Source<'_>,
    has_final: bool,
    parse: impl Fn(&[u8]) -> Result<Option<Frame>, Wire>,
) -> Result<Frames, Error> {
    let mut frames = Frames::default();
    let mut is_finished = false;
    loop {
        let at = source.offset;
        let mut head = [0; HEAD];
        let len = source.read(&mut head)?;
        if len == 0 && (is_finished || !has_final) {
            return Ok(frames);
        }
        let parsed = if is_finished {
            Err(Wire::TrailingData)
        } else {
            parse(&head[..len]).and_then(|frame| frame.ok_or(Wire::Truncated))
        };
        let skipped = match parsed {
            Ok(frame) => {
                frames.seen = true;
                let is_whole = source.skip(frame.payload as u64)?;
                is_finished = frame.is_final;
                is_whole.then_some(frame).ok_or(Wire::Truncated)
            }
            Err(error) => Err(error),
        };
        match skipped {
            Ok(frame) => {
                frames.count += 1;
                frames.plaintext += frame.plaintext as u64;
            }
            Err(error) => {
                frames.problem = Some(Problem::from_wire(error, at, 0));
                return Ok(frames);
            }
        }
    }
}

/// An input in which one can skip.
struct Source<'a> {
    input: &'a mut Input,
    /// Of a file that is read by offset. Others, and those of the system that say 0, are read through.
    len: Option<u64>,
    offset: u64,
}

impl<'a> Source<'a> {
    fn new(input: &'a mut Input) -> Self {
        Source {
            len: input.len().filter(|len| *len > 0),
            input,
            offset: 0,
        }
    }

    /// Fills `buf`; less than all of it is the end.
    fn read(&mut self, buf: &mut [u8]) -> Result<usize, Error> {
        let read = match self.len {
            Some(_) => self.input.fill_at(buf, self.offset)?,
            None => self.input.fill(buf)?,
        };
        self.offset += read as u64;
        Ok(read)
    }

    /// Whether so many bytes were there.
    fn skip(&mut self, bytes: u64) -> Result<bool, Error> {
        let skipped = match self.len {
            Some(len) => bytes.min(len.saturating_sub(self.offset)),
            None => self.input.discard(bytes)?,
        };
        self.offset += skipped;
        Ok(skipped == bytes)
    }

    /// Bytes of the whole input. The offset is its end then.
    fn size(&mut self) -> Result<u64, Error> {
        self.skip(u64::MAX)?;
        Ok(self.offset)
    }
}

impl Report {
    fn unknown(problem: Problem) -> Self {
        Report {
            format: Format::Unknown,
            size: 0,
            frames: 0,
            plaintext: 0,
            problem: Some(problem),
        }
    }

    /// `None`: it may.
    fn ends_properly(&self) -> Option<bool> {
        match (self.problem, self.format) {
            (Some(_), _) => Some(false),
            (None, Format::ProbablyLibsodium) => None,
            (None, _) => Some(true),
        }
    }

    pub fn to_json(self, name: &Name) -> Value {
        let [file, file_hex] = file_json(name);
        json!({
            file.0: file.1,
            file_hex.0: file_hex.1,
            "format": match self.format {
                Format::V2 => "v2",
                Format::V1 => "v1",
                Format::ProbablyLibsodium => "probably libsodium",
                Format::Unknown => "unknown",
            },
            "certain": self.format == Format::V2,
            "size": self.size,
            "frames": self.frames,
            "plaintext_size": self.plaintext,
            "ends_properly": self.ends_properly(),
            "problem_code": self.problem.map(Problem::code),
            "problem": self.problem.map(|problem| problem.to_string()),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = match self.format {
            Format::V2 => "SS55 v2",
            Format::V1 => "SS55 v1",
            Format::ProbablyLibsodium => "probably libsodium, or not an encrypted stream at all",
            Format::Unknown => "unknown",
        };
        writeln!(f, "format: {format}")?;
        writeln!(f, "size: {} bytes", self.size)?;
        writeln!(f, "frames: {}", self.frames)?;
        writeln!(f, "plaintext: {} bytes", self.plaintext)?;
        match (self.problem, self.format) {
            (Some(problem), _) => writeln!(f, "end: {problem}"),
            (None, Format::V2) => writeln!(f, "end: final frame, nothing behind it"),
            (None, Format::V1) => writeln!(f, "end: on the edge of a frame, as of any cut there"),
            (None, _) => writeln!(f, "end: may be whole; only the key can tell"),
        }
    }
}
