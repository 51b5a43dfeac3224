//! Readers and writers that do as they are told.
#![allow(dead_code)] // each test file takes what it needs

use std::io::{self, ErrorKind, Read, Write};

/// What one call does.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Takes or gives so many bytes, or fewer if fewer are there.
    Take(usize),
    /// Fails with an error of this kind.
    Fail(ErrorKind),
}

/// The text of every error made here.
pub const TOLD: &str = "as told";

/// Gives `data` as its plan says, which is asked at every call and told how many bytes are gone.
pub struct Source<'a> {
    data: &'a [u8],
    plan: Box<dyn FnMut(usize) -> Step + Send + 'a>,
    pub given: usize,
    pub calls: usize,
}

impl<'a> Source<'a> {
    pub fn new(data: &'a [u8], plan: impl FnMut(usize) -> Step + Send + 'a) -> Self {
        Source {
            data,
            plan: Box::new(plan),
            given: 0,
            calls: 0,
        }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        match (self.plan)(self.given) {
            Step::Take(n) => {
                let n = n.min(out.len()).min(self.data.len() - self.given);
                out[..n].copy_from_slice(&self.data[self.given..][..n]);
                self.given += n;
                Ok(n)
            }
            Step::Fail(kind) => Err(io::Error::new(kind, TOLD)),
        }
    }
}

/// Takes bytes as its plan says, which is asked at every call and told how many are there.
pub struct Target<'a> {
    plan: Box<dyn FnMut(usize) -> Step + Send + 'a>,
    pub bytes: Vec<u8>,
    pub calls: usize,
    pub flushes: usize,
    /// Errors of the next flushes, the last one first.
    pub flush_errors: Vec<ErrorKind>,
}

impl<'a> Target<'a> {
    pub fn new(plan: impl FnMut(usize) -> Step + Send + 'a) -> Self {
        Target {
            plan: Box::new(plan),
            bytes: Vec::new(),
            calls: 0,
            flushes: 0,
            flush_errors: Vec::new(),
        }
    }
}

impl Write for Target<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        match (self.plan)(self.bytes.len()) {
            Step::Take(n) => {
                let n = n.min(data.len());
                self.bytes.extend_from_slice(&data[..n]);
                Ok(n)
            }
            Step::Fail(kind) => Err(io::Error::new(kind, TOLD)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushes += 1;
        match self.flush_errors.pop() {
            Some(kind) => Err(io::Error::new(kind, TOLD)),
            None => Ok(()),
        }
    }
}

/// All that is asked for.
pub fn freely() -> impl FnMut(usize) -> Step + Send {
    |_| Step::Take(usize::MAX)
}

/// These numbers of bytes, over and over.
pub fn by(sizes: &[usize]) -> impl FnMut(usize) -> Step + Send + use<> {
    let sizes = sizes.to_vec();
    let mut calls = 0;
    move |_| {
        calls += 1;
        Step::Take(sizes[(calls - 1) % sizes.len()])
    }
}

/// `step` bytes at every second call; the others fail.
pub fn stuttering(kind: ErrorKind, step: usize) -> impl FnMut(usize) -> Step + Send {
    let mut fails = false;
    move |_| {
        fails = !fails;
        if fails {
            Step::Fail(kind)
        } else {
            Step::Take(step)
        }
    }
}

/// Fails once with `offset` bytes gone, where it stops in any case.
pub fn failing_once_at(offset: usize, kind: ErrorKind) -> impl FnMut(usize) -> Step + Send {
    let mut failed = false;
    move |gone| match offset.checked_sub(gone) {
        Some(0) if !failed => {
            failed = true;
            Step::Fail(kind)
        }
        Some(left @ 1..) => Step::Take(left),
        _ => Step::Take(usize::MAX),
    }
}

/// Fails with `offset` bytes gone, again and again.
pub fn failing_at(offset: usize, kind: ErrorKind) -> impl FnMut(usize) -> Step + Send {
    move |gone| match offset - gone {
        0 => Step::Fail(kind),
        left => Step::Take(left),
    }
}

/// Repeats a call while it says `WouldBlock`: the last answer, and how often it was said.
///
/// # Panics
/// If it is said 200,000 times: more than before every byte of the longest call here.
pub fn insist<T, E: Into<io::Error>>(
    mut call: impl FnMut() -> Result<T, E>,
) -> (io::Result<T>, usize) {
    for blocked in 0..200_000 {
        match call().map_err(Into::into) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            answer => return (answer, blocked),
        }
    }
    panic!("no way forward");
}
