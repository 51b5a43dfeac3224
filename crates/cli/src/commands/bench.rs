use crate::{
    engine,
    error::{Error, Role},
    input::Name,
    stdio,
};
use ss55_aead::{Aad, Engine, InOutBuf, Key, SimdEngine};
use ss55_stream::{Decryptor, Encryptor, libsodium};
use std::{
    hint::black_box,
    io::{self, Read, Write},
    time::{Duration, Instant},
};

mod backends;

/// Bytes of a message or of a write.
const SIZES: [usize; 5] = [64, 1024, 8192, 65_536, 1 << 20];
/// How long a figure takes: slices of which the best counts, as the others were disturbed.
const SLICES: u32 = 12;
const SLICE: Duration = Duration::from_millis(4);
/// Plaintext of a stream that is written or read once; small enough for the second-level cache.
const STREAM: usize = 4 << 16;

/// A row's name, and what of a machine's time it takes to do `size` bytes.
type Row<'a> = (&'a str, &'a dyn Fn(usize) -> f64);

pub fn run() -> Result<(), Error> {
    let engine = engine::chosen()?;
    let rows: [Row<'_>; 8] = [
        ("ChaCha20-Poly1305, seal", &|size| seal(engine, size)),
        ("ChaCha20-Poly1305, open", &|size| open(engine, size)),
        ("secretstream, push", &|size| push(engine, size)),
        ("secretstream, pull", &|size| pull(engine, size)),
        ("v2 stream, write", &|size| write_v2(engine, size)),
        ("v2 stream, read", &|size| read_v2(engine, size)),
        ("libsodium layout, write", &|size| {
            write_libsodium(engine, size)
        }),
        ("libsodium layout, read", &|size| {
            read_libsodium(engine, size)
        }),
    ];
    let mut out = stdio::stdout()?;
    let mut print = |text: String| {
        out.write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .map_err(|error| Error::io(Role::Output, &Name::Stdout, error))
    };
    print(format!(
        "{}GB/s, one thread, in memory, by bytes a call:\n{:24}",
        backends::table(engine),
        ""
    ))?;
    for size in SIZES {
        print(format!("{size:>9}"))?;
    }
    for (name, measure) in rows {
        print(format!("\n{name:24}"))?;
        for size in SIZES {
            print(format!("{:>9.2}", measure(size)))?;
        }
    }
    print("\n".to_owned())
}

/// GB/s of `work`, which does `bytes` bytes.
#[allow(clippy::cast_precision_loss)] // three digits are shown
fn throughput(bytes: usize, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..SLICES {
        let (start, mut times) = (Instant::now(), 0);
        while start.elapsed() < SLICE {
            // Looking at the clock costs as much as a short message.
            for _ in 0..8 {
                work();
            }
            times += 8;
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(times));
    }
    bytes as f64 / best / 1e9
}

const KEY: [u8; 32] = [7; 32];
const NONCE: [u8; 12] = [9; 12];

fn seal(engine: SimdEngine, size: usize) -> f64 {
    let mut buf = vec![0; size];
    throughput(size, || {
        let _ = black_box(engine.seal_in_place(&KEY, &NONCE, Aad::EMPTY, black_box(&mut buf)));
    })
}

fn open(engine: SimdEngine, size: usize) -> f64 {
    let (mut ciphertext, mut plaintext) = (vec![0; size], vec![0; size]);
    let tag = engine.seal_in_place(&KEY, &NONCE, Aad::EMPTY, &mut ciphertext);
    throughput(size, || {
        let opened = engine.open_to(&KEY, &NONCE, Aad::EMPTY, &ciphertext, &mut plaintext, &tag);
        assert!(black_box(opened).is_ok());
    })
}

fn push(engine: SimdEngine, size: usize) -> f64 {
    let mut buf = vec![0; size];
    throughput(size, || {
        let mut frame_tag = 0;
        let buf = black_box(&mut buf[..]).into();
        let _ = black_box(engine.secretstream_seal(&KEY, &NONCE, &[], &mut frame_tag, buf));
    })
}

fn pull(engine: SimdEngine, size: usize) -> f64 {
    let (mut ciphertext, mut plaintext) = (vec![0; size], vec![0; size]);
    let mut sent = 0;
    let mac = engine.secretstream_seal(&KEY, &NONCE, &[], &mut sent, (&mut ciphertext[..]).into());
    throughput(size, || {
        let mut frame_tag = sent;
        let buf = InOutBuf::new(&ciphertext, &mut plaintext).expect("equal lengths");
        let opened = engine.secretstream_open(&KEY, &NONCE, &[], &mut frame_tag, buf, &mac);
        assert!(black_box(opened).is_ok());
    })
}

fn write_v2(engine: SimdEngine, size: usize) -> f64 {
    let (key, data) = (Key::from(KEY), vec![0; size]);
    let mut stream = Encryptor::builder().engine(engine).build(io::sink(), &key);
    throughput(size, || stream.write_all(&data).expect("a sink takes all"))
}

fn write_libsodium(engine: SimdEngine, size: usize) -> f64 {
    let (key, data) = (Key::from(KEY), vec![0; size]);
    let builder = libsodium::Encryptor::builder().engine(engine);
    let mut stream = builder.build(io::sink(), &key);
    throughput(size, || stream.write_all(&data).expect("a sink takes all"))
}

fn read_v2(engine: SimdEngine, size: usize) -> f64 {
    let key = Key::from(KEY);
    let mut writer = Encryptor::builder().engine(engine).build(Vec::new(), &key);
    writer
        .write_all(&vec![0; STREAM])
        .expect("memory takes all");
    let sealed = writer.finish().expect("memory takes all");
    let read = || Decryptor::builder().engine(engine).build(&sealed[..], &key);
    whole(size, read)
}

fn read_libsodium(engine: SimdEngine, size: usize) -> f64 {
    let key = Key::from(KEY);
    let builder = libsodium::Encryptor::builder().engine(engine);
    let mut writer = builder.build(Vec::new(), &key);
    writer
        .write_all(&vec![0; STREAM])
        .expect("memory takes all");
    let sealed = writer.finish().expect("memory takes all");
    let builder = libsodium::Decryptor::builder().engine(engine);
    whole(size, || builder.clone().build(&sealed[..], &key))
}

/// GB/s of reading a stream of `STREAM` bytes from its start to its end, `size` bytes a call.
fn whole<R: Read>(size: usize, start: impl Fn() -> R) -> f64 {
    let mut buf = vec![0; size];
    throughput(STREAM, || {
        let (mut reader, mut total) = (start(), 0);
        loop {
            match reader.read(&mut buf).expect("what was sealed opens") {
                0 => break,
                n => total += n,
            }
        }
        assert_eq!(total, STREAM);
    })
}
