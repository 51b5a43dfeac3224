//! The streams of SS55 v2 over memory, one frame at a time, and the bare AEAD to compare them with.

use super::{AAD, Aligned, KEY, Work, nonces, plaintext};
use crate::operation::FRAME;
use ss55_aead::{Aad, ChaCha20Poly1305, Tag};
use ss55_stream::{Decryptor, Encryptor, Engine, Formats, Key, PortableEngine};
use ss55_wire::v2::{FRAME_OVERHEAD, HEADER_LEN, Header, Sealer};
use std::{
    hint::black_box,
    io::{self, Cursor, Read, Write},
    sync::Arc,
};

/// Frames written before a stream ends and the next begins: 1 GiB.
const WRITTEN: usize = (1 << 30) / FRAME;
/// Frames in the stream that is read again and again: 512 KiB, which lies in the second-level cache as
/// the buffers of the bare AEAD do.
pub const NEAR: usize = (512 << 10) / FRAME;
/// Frames in a stream that hardly any cache holds: 64 MiB.
pub const FAR: usize = (64 << 20) / FRAME;
/// The nonce of every stream.
const NONCE: [u8; 24] = [0x55; 24];

/// A stream of `frames` full frames without its end, sealed by the portable engine.
pub fn sealed_stream(frames: usize) -> Vec<u8> {
    sealed(frames, false)
}

fn sealed(frames: usize, end: bool) -> Vec<u8> {
    let header = Header::new(NONCE);
    let mut sealer = Sealer::new(PortableEngine, &Key::from_bytes(KEY), &header);
    let plain = frame();
    let mut stream = header.to_bytes().to_vec();
    for _ in 0..frames {
        let start = stream.len();
        stream.resize(start + FRAME + FRAME_OVERHEAD, 0);
        sealer
            .seal_to(b"", &plain, &mut stream[start..])
            .expect("a full frame fits");
    }
    if end {
        stream.extend(sealer.finish().expect("the first end"));
    }
    stream
}

/// The plaintext of every frame.
fn frame() -> Aligned {
    let mut frame = Aligned::new(FRAME);
    for (offset, byte) in frame.iter_mut().enumerate() {
        *byte = plaintext(offset);
    }
    frame
}

/// Takes everything, keeps the first frame for the comparison.
struct Sink {
    kept: Vec<u8>,
}

impl Write for Sink {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let room = HEADER_LEN + FRAME + FRAME_OVERHEAD - self.kept.len();
        self.kept.extend(&data[..room.min(data.len())]);
        Ok(black_box(data).len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes streams of 1 GiB, 64 KiB a run.
pub struct WriteStream<E> {
    engine: E,
    stream: Encryptor<Sink, E>,
    frames: usize,
    plain: Aligned,
}

impl<E: Engine + Copy> WriteStream<E> {
    /// At the start of the first stream.
    pub fn new(engine: E) -> Self {
        WriteStream {
            engine,
            stream: Self::open(engine),
            frames: 0,
            plain: frame(),
        }
    }

    fn open(engine: E) -> Encryptor<Sink, E> {
        let kept = Vec::with_capacity(HEADER_LEN + FRAME + FRAME_OVERHEAD);
        Encryptor::builder()
            .engine(engine)
            .header(Header::new(NONCE))
            .build(Sink { kept }, &Key::from_bytes(KEY))
    }
}

impl<E: Engine + Copy> Work for WriteStream<E> {
    fn bytes(&self) -> usize {
        FRAME
    }
    fn prepare(&mut self) {
        if self.frames == WRITTEN {
            self.stream.close().expect("a sink takes everything");
            self.stream = Self::open(self.engine);
            self.frames = 0;
        }
    }
    fn run(&mut self) {
        self.stream
            .write_all(black_box(&self.plain))
            .expect("a sink takes everything");
        self.frames += 1;
    }
    fn output(&self) -> Vec<u8> {
        self.stream.inner().kept.clone()
    }
}

/// Reads a stream in memory again and again, 64 KiB a run.
pub struct ReadStream<E> {
    engine: E,
    sealed: Arc<[u8]>,
    stream: Decryptor<Cursor<Arc<[u8]>>, E>,
    /// How many there are, and how many were read.
    frames: usize,
    read: usize,
    plain: Aligned,
}

impl<E: Engine + Copy> ReadStream<E> {
    /// At the start of a stream of this many frames.
    pub fn new(engine: E, frames: usize) -> Self {
        let sealed = Arc::from(sealed(frames, true));
        ReadStream {
            engine,
            stream: Self::open(engine, &sealed),
            sealed,
            frames,
            read: 0,
            plain: Aligned::new(FRAME),
        }
    }

    fn open(engine: E, sealed: &Arc<[u8]>) -> Decryptor<Cursor<Arc<[u8]>>, E> {
        Decryptor::builder()
            .engine(engine)
            .formats(Formats::V2)
            .build(Cursor::new(Arc::clone(sealed)), &Key::from_bytes(KEY))
    }
}

impl<E: Engine + Copy> Work for ReadStream<E> {
    fn bytes(&self) -> usize {
        FRAME
    }
    fn prepare(&mut self) {
        if self.read == self.frames {
            let rest = self.stream.read(&mut self.plain).expect("the end");
            assert_eq!(rest, 0, "the stream goes on");
            self.stream = Self::open(self.engine, &self.sealed);
            self.read = 0;
        }
    }
    fn run(&mut self) {
        self.stream
            .read_exact(black_box(&mut self.plain))
            .expect("an authentic frame");
        self.read += 1;
    }
    fn output(&self) -> Vec<u8> {
        self.plain.to_vec()
    }
}

/// Seals or opens 64 KiB from buffer to buffer with nothing around it.
pub struct Bare<E> {
    aead: ChaCha20Poly1305<E>,
    direction: Direction,
    nonce: [u8; 12],
    input: Aligned,
    tag: Tag,
    output: Aligned,
}

#[derive(Clone, Copy)]
enum Direction {
    Seal,
    Open,
}

impl<E: Engine> Bare<E> {
    /// What a writer does to a frame.
    pub fn seal(engine: E) -> Self {
        Bare {
            aead: ChaCha20Poly1305::with_engine(engine, &KEY),
            direction: Direction::Seal,
            nonce: nonces(FRAME)[0],
            input: frame(),
            tag: [0; 16].into(),
            output: Aligned::new(FRAME),
        }
    }

    /// What a reader does to a frame.
    pub fn open(engine: E) -> Self {
        let mut bare = Bare::seal(engine);
        bare.run();
        std::mem::swap(&mut bare.input, &mut bare.output);
        bare.direction = Direction::Open;
        bare
    }
}

impl<E: Engine> Work for Bare<E> {
    fn bytes(&self) -> usize {
        FRAME
    }
    fn prepare(&mut self) {}
    fn run(&mut self) {
        let (nonce, aad) = (&self.nonce, Aad::from(&AAD));
        let (input, output) = (black_box(&self.input), black_box(&mut self.output));
        match self.direction {
            Direction::Seal => self.tag = self.aead.seal_to(nonce, aad, input, output),
            Direction::Open => self
                .aead
                .open_to(nonce, aad, input, output, &self.tag)
                .expect("an authentic frame"),
        }
    }
    fn output(&self) -> Vec<u8> {
        [&*self.output, self.tag.as_bytes()].concat()
    }
}
