//! Valid streams made from a script, and what becomes of them when they are damaged.

use crate::{KEY, SharedEngine, engines, script::Script};
use ss55_stream::{Decryptor, Formats, Key, libsodium};
use ss55_wire::{
    secretstream::{OVERHEAD, PushState, Tag, layout},
    v1, v2,
};
use std::io::{self, BufRead, Read};

/// Plaintext bytes of one stream, so that a run stays short.
const MAX_PLAINTEXT: usize = 200_000;

pub fn key() -> Key {
    Key::from_bytes(KEY)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    V2,
    V1,
    Libsodium,
}

/// A stream as it was written.
#[derive(Clone, Debug)]
pub struct Stream {
    pub format: Format,
    /// The header, then every frame.
    pub pieces: Vec<Vec<u8>>,
    /// What the message frames hold.
    pub plaintexts: Vec<Box<[u8]>>,
    pub ad: Vec<u8>,
    pub chunk_size: usize,
}

impl Stream {
    pub fn write(format: Format, script: &mut Script<'_>) -> Self {
        let engine = script.choose(engines());
        let mut stream = Stream {
            format,
            pieces: Vec::new(),
            plaintexts: Vec::new(),
            ad: Vec::new(),
            chunk_size: 1,
        };
        match format {
            Format::V2 => stream.write_v2(engine, script),
            Format::V1 => stream.write_v1(engine, script),
            Format::Libsodium => stream.write_libsodium(engine, script),
        }
        stream
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    pub fn plaintext(&self) -> Vec<u8> {
        self.plaintexts.concat()
    }

    fn write_v2(&mut self, engine: SharedEngine, script: &mut Script<'_>) {
        self.choose_frames(script, v2::MAX_PLAINTEXT);
        let header = v2::Header::new(script.array());
        let mut sealer = v2::Sealer::new(engine, &key(), &header);
        self.pieces.push(header.to_bytes().to_vec());
        for plaintext in &self.plaintexts {
            let mut frame = vec![0; plaintext.len() + v2::FRAME_OVERHEAD];
            sealer.seal_to(&self.ad, plaintext, &mut frame).unwrap();
            self.pieces.push(frame);
        }
        self.pieces.push(sealer.finish().unwrap().to_vec());
    }

    fn write_v1(&mut self, engine: SharedEngine, script: &mut Script<'_>) {
        self.choose_frames(script, v1::MAX_PLAINTEXT);
        let header = script.array();
        let mut sealer = v1::Sealer::new(engine, &key(), &header);
        self.pieces.push(header.to_vec());
        for plaintext in &self.plaintexts {
            let mut frame = vec![0; plaintext.len() + v1::FRAME_OVERHEAD];
            sealer.seal_to(&self.ad, plaintext, &mut frame).unwrap();
            self.pieces.push(frame);
        }
    }

    fn write_libsodium(&mut self, engine: SharedEngine, script: &mut Script<'_>) {
        self.chunk_size = script.size(20_000).max(1);
        let header = script.array();
        let len = script.size(MAX_PLAINTEXT.min(16 * self.chunk_size));
        let all = script.message(len);
        self.plaintexts = all.chunks(self.chunk_size).map(Box::from).collect();
        let mut sealer = layout::Sealer::new(engine, &key(), &header, self.chunk_size);
        self.pieces.push(header.to_vec());
        let full = all.chunks_exact(self.chunk_size);
        let rest = full.remainder();
        for plaintext in full {
            let mut chunk = vec![0; plaintext.len() + OVERHEAD];
            sealer.seal_to(plaintext, &mut chunk).unwrap();
            self.pieces.push(chunk);
        }
        let mut last = vec![0; rest.len() + OVERHEAD];
        last[1..=rest.len()].copy_from_slice(rest);
        sealer.finish_in_place(&mut last).unwrap();
        self.pieces.push(last);
    }

    fn choose_frames(&mut self, script: &mut Script<'_>, max: usize) {
        let ad = script.below(40);
        self.ad = script.bytes(ad).to_vec();
        let mut left = MAX_PLAINTEXT;
        for _ in 0..script.below(6) {
            let len = script.size(max.min(left));
            left -= len;
            self.plaintexts.push(script.message(len));
        }
    }

    /// Frames of libsodium's layout with whatever tags and lengths, all of them authentic.
    pub fn write_nonsense(script: &mut Script<'_>) -> (Self, Vec<Tag>) {
        let engine = script.choose(engines());
        let header = script.array();
        let mut stream = Stream {
            format: Format::Libsodium,
            pieces: vec![header.to_vec()],
            plaintexts: Vec::new(),
            ad: Vec::new(),
            chunk_size: script.size(1000).max(1),
        };
        let mut tags = Vec::new();
        let mut push = PushState::new(engine, &key(), &header);
        for _ in 0..script.below(8) {
            let choice = script.byte();
            let len = match choice >> 6 {
                0 | 1 => stream.chunk_size,
                _ => script.size(stream.chunk_size),
            };
            let plaintext = script.message(len);
            let tag = Tag(choice & 7);
            let mut chunk = vec![0; len + OVERHEAD];
            push.push_to(tag, &[], &plaintext, &mut chunk).unwrap();
            stream.pieces.push(chunk);
            stream.plaintexts.push(plaintext);
            tags.push(tag);
        }
        (stream, tags)
    }

    /// The stream after some damage, or after none.
    pub fn damaged(&self, script: &mut Script<'_>) -> Vec<u8> {
        let mut pieces = self.pieces.clone();
        let mut cut = None;
        for _ in 0..script.below(5) {
            if pieces.is_empty() {
                break;
            }
            let at = script.below(pieces.len());
            match script.below(10) {
                // A bit, near either end or anywhere.
                0..=2 => {
                    let bit = script.byte();
                    let len = pieces[at].len();
                    let offset = match bit >> 6 {
                        0 => usize::from(bit >> 3 & 7),
                        1 => len.saturating_sub(1 + usize::from(bit >> 3 & 7)),
                        _ => script.below(len),
                    };
                    if let Some(byte) = pieces[at].get_mut(offset) {
                        *byte ^= 1 << (bit & 7);
                    }
                }
                3 => drop(pieces.remove(at)),
                4 => pieces.insert(at, pieces[at].clone()),
                5 => {
                    let other = script.below(pieces.len());
                    pieces.swap(at, other);
                }
                // A length field, or what stands there.
                6 => {
                    let field = script.array::<4>();
                    if let Some(start) = pieces[at].first_chunk_mut() {
                        *start = field;
                    }
                }
                7 => cut = Some(u32::from_le_bytes(script.array()) as usize),
                8 => {
                    let len = script.below(pieces[at].len() + 1);
                    pieces[at].truncate(len);
                }
                _ => {
                    let len = script.below(64);
                    pieces.insert(at + 1, script.bytes(len).to_vec());
                }
            }
        }
        let mut bytes = pieces.concat();
        if let Some(cut) = cut {
            bytes.truncate(cut % (bytes.len() + 1));
        }
        bytes
    }

    /// Whether `plaintext` is that of the first few frames.
    pub fn has_prefix(&self, plaintext: &[u8]) -> bool {
        let mut end = 0;
        let mut edges = vec![0];
        for frame in &self.plaintexts {
            end += frame.len();
            edges.push(end);
        }
        edges.contains(&plaintext.len()) && self.plaintext().starts_with(plaintext)
    }
}

/// What reading gave before it ended, and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub plaintext: Vec<u8>,
    pub end: Result<(), io::ErrorKind>,
}

/// Reads SS55 in the manner that the script says.
pub fn read_ss55(bytes: &[u8], formats: Formats, ad: &[u8], script: &mut Script<'_>) -> Outcome {
    let engine = script.choose(engines());
    let mut reader = Decryptor::builder()
        .engine(engine)
        .ad(ad)
        .formats(formats)
        .build(Choppy::new(bytes, script), &key());
    if script.byte() & 1 == 0 {
        return read(reader, script);
    }
    let mut outcome = Outcome {
        plaintext: Vec::new(),
        end: Ok(()),
    };
    let mut frame = Vec::new();
    loop {
        match reader.read_frame(&mut frame, ad) {
            Ok(true) => outcome.plaintext.extend_from_slice(&frame),
            Ok(false) => break,
            Err(error) => {
                assert!(frame.is_empty(), "a frame that failed was given out");
                outcome.end = Err(io::Error::from(error).kind());
                break;
            }
        }
    }
    let again = reader
        .read_frame(&mut frame, ad)
        .map_err(|error| io::Error::from(error).kind());
    assert_eq!(
        again,
        outcome.end.map(|()| false),
        "the first answer is not the last"
    );
    outcome
}

/// Reads libsodium's layout in the manner that the script says.
pub fn read_libsodium(bytes: &[u8], chunk_size: usize, script: &mut Script<'_>) -> Outcome {
    let engine = script.choose(engines());
    let reader = libsodium::Decryptor::builder()
        .engine(engine)
        .chunk_size(chunk_size)
        .build(Choppy::new(bytes, script), &key());
    read(reader, script)
}

fn read(mut reader: impl BufRead, script: &mut Script<'_>) -> Outcome {
    let mut plaintext = Vec::new();
    let (buffered, size) = (script.byte() & 1 == 0, script.size(70_000).max(1));
    let mut buf = vec![0; size];
    let mut next = |reader: &mut dyn BufRead| -> io::Result<usize> {
        if buffered {
            let available = reader.fill_buf()?;
            let taken = available.len().min(size);
            plaintext.extend_from_slice(&available[..taken]);
            reader.consume(taken);
            return Ok(taken);
        }
        let taken = reader.read(&mut buf)?;
        plaintext.extend_from_slice(&buf[..taken]);
        Ok(taken)
    };
    let end = loop {
        match next(&mut reader) {
            Ok(0) => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error.kind()),
        }
    };
    let again = next(&mut reader).map(drop).map_err(|error| error.kind());
    assert_eq!(again, end, "the first answer is not the last");
    Outcome { plaintext, end }
}

/// A reader that gives less than it is asked for, and is interrupted at times.
struct Choppy<'a> {
    bytes: &'a [u8],
    most: usize,
    interrupts: bool,
    turn: u8,
}

impl<'a> Choppy<'a> {
    fn new(bytes: &'a [u8], script: &mut Script<'_>) -> Self {
        let choice = script.byte();
        // One byte at a time would take the time of a whole run for a long stream.
        let least = 1 + bytes.len() / 1000;
        let most = if choice.is_multiple_of(4) {
            usize::MAX
        } else {
            script.size(70_000)
        };
        Choppy {
            bytes,
            most: most.max(least),
            interrupts: choice & 4 != 0,
            turn: 0,
        }
    }
}

impl Read for Choppy<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.turn = self.turn.wrapping_add(1);
        if self.interrupts && self.turn.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = buf.len().min(self.most);
        self.bytes.read(&mut buf[..len])
    }
}
