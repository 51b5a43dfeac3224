//! Streams at scale: one thread against several, and reads at random places of a file.
//!
//! ```text
//! cargo run --release -p ss55-benches --bin scale [MIB]
//! ```
//!
//! Everything interleaved, round by round: a figure is the median of its rounds.
#![allow(clippy::cast_precision_loss)] // of bytes and reads: a dozen digits are more than anybody reads

use ss55_stream::{
    Decryptor, Encryptor, Key, SeekableDecryptor,
    parallel::{FRAMES_PER_THREAD, available_threads},
};
use std::{
    cell::Cell,
    env, fs,
    fs::File,
    hint::black_box,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    time::{Duration, Instant},
};

const ROUNDS: usize = 9;
/// Plaintext of a round: 128 MiB.
const ROUND: usize = 128 << 20;
/// A stream that no cache holds.
const STREAM: usize = 64 << 20;
/// Bytes of a random read, and how long they are made.
const READ: usize = 4096;
const SEEKING: Duration = Duration::from_millis(1500);

fn key() -> Key {
    Key::from_bytes([7; 32])
}

fn main() -> io::Result<()> {
    let mib: u64 = env::args()
        .nth(1)
        .map_or(1024, |mib| mib.parse().expect("MiB"));
    threads();
    seeking(mib << 20)
}

/// GB/s of `work`, which moves so many bytes.
fn speed(bytes: usize, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    bytes as f64 / start.elapsed().as_secs_f64() / 1e9
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn threads() {
    let most = available_threads();
    let batch = vec![0x5a; most * FRAMES_PER_THREAD * 65536];
    let mut encryptor = Encryptor::new(Vec::with_capacity(STREAM + STREAM / 1000), &key());
    for _ in 0..STREAM / batch.len() {
        encryptor.write_all(&batch).expect("memory");
    }
    let sealed = encryptor.finish().expect("memory");
    let plain = STREAM / batch.len() * batch.len();
    let mut room = vec![0; batch.len()];

    let mut figures = vec![Vec::new(); 4];
    let rounds = ROUND / batch.len();
    for _ in 0..ROUNDS {
        figures[0].push(speed(rounds * batch.len(), || {
            write(Encryptor::new(io::sink(), &key()), &batch, rounds);
        }));
        figures[1].push(speed(rounds * batch.len(), || {
            let stream = Encryptor::builder().build_parallel(io::sink(), &key(), most);
            write(stream, &batch, rounds);
        }));
        figures[2].push(speed(2 * plain, || {
            for _ in 0..2 {
                read(Decryptor::new(&sealed[..], &key()), &mut room);
            }
        }));
        figures[3].push(speed(2 * plain, || {
            for _ in 0..2 {
                let stream = Decryptor::builder().build_parallel(&sealed[..], &key(), most);
                read(stream, &mut room);
            }
        }));
    }
    let medians: Vec<f64> = figures.iter_mut().map(|figures| median(figures)).collect();
    println!("GB/s in memory        1 thread  {most} threads   ratio");
    for (name, pair) in ["v2 stream, write", "v2 stream, read "]
        .iter()
        .zip(medians.chunks(2))
    {
        let (one, many) = (pair[0], pair[1]);
        println!("{name} {one:>12.2} {many:>10.2} {:>7.2}", many / one);
    }
}

fn write(mut stream: impl Write, batch: &[u8], rounds: usize) {
    for _ in 0..rounds {
        stream
            .write_all(black_box(batch))
            .expect("a sink takes all");
    }
}

fn read(mut stream: impl Read, room: &mut [u8]) {
    while stream.read(black_box(room)).expect("authentic") > 0 {}
}

/// Counts what it gives.
struct Counting<'a, R>(R, &'a Cell<u64>);

impl<R: Read> Read for Counting<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(out)?;
        self.1.set(self.1.get() + n as u64);
        Ok(n)
    }
}

impl<R: Seek> Seek for Counting<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

fn seeking(len: u64) -> io::Result<()> {
    let path = env::temp_dir().join(format!("ss55-scale-{}", std::process::id()));
    let result = seek_in(&path, len);
    fs::remove_file(&path)?;
    result
}

fn seek_in(path: &Path, len: u64) -> io::Result<()> {
    let mut encryptor =
        Encryptor::builder().build_parallel(File::create_new(path)?, &key(), available_threads());
    io::copy(&mut io::repeat(0x5a).take(len), &mut encryptor)?;
    encryptor.finish()?;
    let touched = Cell::new(0);
    let start = Instant::now();
    let mut stream = SeekableDecryptor::new(Counting(File::open(path)?, &touched), &key())?;
    let opened = start.elapsed();
    println!(
        "\n{len} bytes of plaintext, opened in {} microseconds with {} bytes read",
        opened.as_micros(),
        touched.replace(0)
    );
    let (mut state, mut out, mut reads) = (1_u64, [0; READ], 0_u64);
    let start = Instant::now();
    while start.elapsed() < SEEKING {
        // Knuth's multiplier for 64 bits.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        stream.seek(SeekFrom::Start((state >> 20) % (len - READ as u64)))?;
        stream.read_exact(black_box(&mut out))?;
        reads += 1;
    }
    println!(
        "random reads of {READ} bytes: {:.0} a second, {} bytes read for each",
        reads as f64 / start.elapsed().as_secs_f64(),
        touched.get() / reads
    );
    Ok(())
}
