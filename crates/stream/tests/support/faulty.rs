//! Inner readers and writers with faults at given offsets, and an engine for streams so long that at each of
//! their offsets only what is around the cipher can be tried.

use ss55_aead::{InOutBuf, Tag};
use ss55_stream::Engine;
use std::{
    cell::Cell,
    io::{self, ErrorKind, Read, Write},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The call before gave or took no more than up to here; nothing else.
    Short,
    Interrupted,
    WouldBlock,
    Reset,
    /// `Ok(0)`.
    Nothing,
}
use Fault::{Interrupted, Nothing, Reset, Short, WouldBlock};

pub const FAULTS: [Fault; 5] = [Short, Interrupted, WouldBlock, Reset, Nothing];

/// Faults, each once, in the order of their offsets.
pub type Faults = [(usize, Fault)];

/// What an inner side does when `gone` bytes are gone: fails, says `Ok(0)`, or does up to so many.
fn step(faults: &mut &Faults, gone: usize) -> io::Result<usize> {
    while let [(at, fault), rest @ ..] = *faults {
        if *at > gone {
            return Ok(at - gone);
        }
        *faults = rest;
        match fault {
            Short => {}
            Interrupted => return Err(ErrorKind::Interrupted.into()),
            WouldBlock => return Err(ErrorKind::WouldBlock.into()),
            Reset => return Err(ErrorKind::ConnectionReset.into()),
            Nothing => return Ok(0),
        }
    }
    Ok(usize::MAX)
}

pub struct FaultyReader<'a> {
    pub stream: &'a [u8],
    pub faults: &'a Faults,
    pub given: &'a Cell<usize>,
}

impl Read for FaultyReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let given = self.given.get();
        let rest = &self.stream[given..];
        let n = step(&mut self.faults, given)?
            .min(rest.len())
            .min(out.len());
        out[..n].copy_from_slice(&rest[..n]);
        self.given.set(given + n);
        Ok(n)
    }
}

pub struct FaultyWriter<'a> {
    pub bytes: Vec<u8>,
    pub faults: &'a Faults,
    pub flushes: usize,
    /// Of these faults the offset is the number of the flush.
    pub flush_faults: &'a Faults,
}

impl<'a> FaultyWriter<'a> {
    pub fn new(faults: &'a Faults) -> Self {
        FaultyWriter {
            bytes: Vec::new(),
            faults,
            flushes: 0,
            flush_faults: &[],
        }
    }
}

impl Write for FaultyWriter<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let n = step(&mut self.faults, self.bytes.len())?.min(data.len());
        self.bytes.extend_from_slice(&data[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        step(&mut self.flush_faults, self.flushes)?;
        self.flushes += 1;
        Ok(())
    }
}

/// No cipher: a sum as the mac, and nothing else.
#[derive(Clone, Copy)]
pub struct Toy;

impl Engine for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }
    fn hchacha20(&self, key: &[u8; 32], _: &[u8; 16]) -> [u8; 32] {
        *key
    }
    fn xor(&self, _: &[u8; 32], _: &[u8; 12], _: u32, buf: InOutBuf<'_, '_, u8>) {
        let _ = buf.into_out_with_copied_in();
    }
    fn mac(&self, _: &[u8; 32], parts: &[&[u8]]) -> Tag {
        let sum = |part: &[u8]| {
            let (words, rest) = part.as_chunks::<8>();
            let rest = rest.iter().map(|byte| u64::from(*byte));
            let words = words.iter().map(|word| u64::from_le_bytes(*word));
            words.chain(rest).fold(part.len() as u64, u64::wrapping_add)
        };
        let sum = parts
            .iter()
            .fold(1, |all: u64, part| all.wrapping_mul(31) ^ sum(part));
        let mut tag = [0; 16];
        tag[..8].copy_from_slice(&sum.to_le_bytes());
        tag.into()
    }
}
