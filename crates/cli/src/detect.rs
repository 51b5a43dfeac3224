//! Which format an input has. Whatever is read for that is kept and read again.

use crate::{
    args::ReadFormat,
    engine,
    error::{Error, Known, Problem, Role},
    input::Input,
};
use ss55_aead::Key;
use ss55_wire::{
    Error as Wire,
    secretstream::{self, OVERHEAD, layout},
    v1, v2,
};
use std::io::{self, Read};
use zeroize::Zeroizing;

/// The first bytes of v2's magic, which other versions would have too.
const MAGIC_STEM: &[u8] = b"SS55-v";
/// v1 and the libsodium layout begin with 24 random bytes.
const HEADER_LEN: usize = v1::HEADER_LEN;
const _: () = assert!(secretstream::HEADER_LEN == HEADER_LEN);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    V2,
    V1,
    Libsodium,
}

impl Format {
    /// What it is to a program.
    pub fn name(self) -> &'static str {
        match self {
            Format::V2 => "v2",
            Format::V1 => "v1",
            Format::Libsodium => "libsodium",
        }
    }
}

/// An input of which the start may have been seen already.
#[derive(Debug)]
pub struct Replay {
    seen: Vec<u8>,
    /// How much of `seen` has been given out.
    given: usize,
    input: Input,
}

impl Replay {
    pub fn new(input: Input) -> Self {
        Replay {
            seen: Vec::new(),
            given: 0,
            input,
        }
    }

    pub fn input(&self) -> &Input {
        &self.input
    }

    /// The first `len` bytes, or all that there are. They will be read again.
    pub fn peek(&mut self, len: usize) -> Result<&[u8], Error> {
        let more = len.saturating_sub(self.seen.len());
        // All at once: growing by halves would take twice the memory.
        self.seen.reserve_exact(more);
        (&mut self.input)
            .take(more as u64)
            .read_to_end(&mut self.seen)
            .map_err(|error| Error::io(Role::Input, self.input.name(), error))?;
        Ok(&self.seen[..len.min(self.seen.len())])
    }
}

impl Read for Replay {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.given == self.seen.len() {
            (self.seen, self.given) = (Vec::new(), 0);
            return self.input.read(buf);
        }
        let read = (&self.seen[self.given..]).read(buf)?;
        self.given += read;
        Ok(read)
    }
}

/// Finds the format out, or checks that the input may have the one that is wanted.
pub fn detect(
    replay: &mut Replay,
    wanted: ReadFormat,
    key: &Key,
    ad: &[u8],
    chunk_size: usize,
) -> Result<Format, Error> {
    let found = match wanted {
        _ if replay.peek(1)?.is_empty() => Err(Problem::Empty),
        ReadFormat::V1 => Ok(Format::V1),
        ReadFormat::Libsodium => Ok(Format::Libsodium),
        ReadFormat::V2 => by_magic(replay.peek(HEADER_LEN)?).unwrap_or(Err(Problem::NotV2)),
        ReadFormat::Auto => match by_magic(replay.peek(HEADER_LEN)?) {
            Some(found) => found,
            None => by_first_frame(replay, key, ad, chunk_size)?,
        },
    };
    let known = Known::NoFrame(match wanted {
        ReadFormat::V2 => Some(Format::V2),
        _ => None,
    });
    found.map_err(|problem| Error::stream(replay.input().name(), problem, known))
}

/// What the first 24 bytes, or all that there are, say of v2: that it is that, or was; or nothing.
pub fn by_magic(start: &[u8]) -> Option<Result<Format, Problem>> {
    let magic = &start[..start.len().min(v2::MAGIC.len())];
    if magic == v2::MAGIC {
        Some(Ok(Format::V2))
    } else if v2::MAGIC.starts_with(magic) {
        Some(Err(Problem::Truncated { at: Some(0) }))
    } else if magic.starts_with(MAGIC_STEM) {
        Some(Err(Problem::OtherMagic))
    } else if is_converted(start) {
        Some(Err(Problem::ConvertedText))
    } else {
        None
    }
}

/// Whether the magic is there as UTF-16 text, which is what some shells make of a stream.
fn is_converted(start: &[u8]) -> bool {
    let Some((mark, text)) = start.split_first_chunk() else {
        return false;
    };
    let text = text.iter().take(2 * MAGIC_STEM.len());
    match mark {
        b"\xff\xfe" => text.eq(MAGIC_STEM.iter().flat_map(|byte| [byte, &0])),
        b"\xfe\xff" => text.eq(MAGIC_STEM.iter().flat_map(|byte| [&0, byte])),
        _ => false,
    }
}

/// What opening the first frame of a copy says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    /// Authentic, or an end that was found with something behind it: it is this format.
    Yes,
    /// It may be, but the input ends within the frame.
    Cut,
    /// The frame is whole, by its length, and not authentic.
    Refused,
    /// No frame of this format begins so.
    No,
}

/// Tells v1 and the libsodium layout apart, which look like noise both, under the key.
fn by_first_frame(
    replay: &mut Replay,
    key: &Key,
    ad: &[u8],
    chunk_size: usize,
) -> Result<Result<Format, Problem>, Error> {
    let start = replay.peek(HEADER_LEN + 1)?;
    let Some(header) = start.first_chunk().copied() else {
        return Ok(Err(Problem::Truncated { at: Some(0) }));
    };
    if start.len() == HEADER_LEN {
        return Ok(Err(Problem::BareHeader));
    }
    let v1 = try_v1(replay, key, ad, &header)?;
    if v1 == Trial::Yes {
        return Ok(Ok(Format::V1));
    }
    // The layout carries no ad: where one is demanded, nothing but an authentic chunk speaks for it.
    let libsodium = match try_libsodium(replay, key, chunk_size, &header)? {
        Trial::Cut | Trial::Refused if !ad.is_empty() => Trial::No,
        trial => trial,
    };
    let at = HEADER_LEN as u64;
    Ok(match (v1, libsodium) {
        (_, Trial::Yes) if !ad.is_empty() => Err(Problem::SuperfluousAd),
        (_, Trial::Yes) => Ok(Format::Libsodium),
        (Trial::Cut, _) | (Trial::No, Trial::Cut) => Err(Problem::Truncated { at: Some(at) }),
        _ => Err(Problem::NeitherFormat),
    })
}

fn try_v1(
    replay: &mut Replay,
    key: &Key,
    ad: &[u8],
    header: &[u8; HEADER_LEN],
) -> Result<Trial, Error> {
    let start = HEADER_LEN + v1::LENGTH_LEN;
    let head = match v1::FrameHeader::parse(&replay.peek(start)?[HEADER_LEN..]) {
        Ok(Some(head)) => head,
        Ok(None) => return Ok(Trial::Cut),
        Err(_) => return Ok(Trial::No),
    };
    let payload = &replay.peek(start + head.payload_len())?[start..];
    if payload.len() < head.payload_len() {
        return Ok(Trial::Cut);
    }
    let mut plaintext = Zeroizing::new(vec![0; head.plaintext_len()]);
    let opened =
        v1::Opener::new(engine::chosen()?, key, header).open_to(head, ad, payload, &mut plaintext);
    Ok(match opened {
        Ok(()) => Trial::Yes,
        Err(_) => Trial::Refused,
    })
}

fn try_libsodium(
    replay: &mut Replay,
    key: &Key,
    chunk_size: usize,
    header: &[u8; HEADER_LEN],
) -> Result<Trial, Error> {
    let mut opener = layout::Opener::new(engine::chosen()?, key, header, chunk_size);
    let chunk = &replay.peek(HEADER_LEN + opener.full_len())?[HEADER_LEN..];
    let mut plaintext = Zeroizing::new(vec![0; chunk.len().saturating_sub(OVERHEAD)]);
    Ok(match opener.open_to(chunk, &mut plaintext) {
        Ok(()) | Err(Wire::TrailingData) => Trial::Yes,
        Err(Wire::Truncated) => Trial::Cut,
        Err(_) => Trial::Refused,
    })
}
