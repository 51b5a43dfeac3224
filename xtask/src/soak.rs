//! Many streams through the command's own pipes: all that goes in comes out, and nothing is kept.
//!
//! A stream is pseudorandom bytes of an odd length under a key of its own, in one of the shapes of
//! `Shape`. Both ends are hashed, by Poly1305 under a key of the stream. Meanwhile the processes are
//! watched: their memory and their descriptors must stay below bounds, and the memory must not grow.

use crate::process;
use anyhow::{Context, Result, bail, ensure};
use source::Source;
use ss55_aead::Key;
use ss55_poly1305::Poly1305;
use ss55_stream::{Encryptor, libsodium};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Instant, SystemTime};
use watch::Watched;

mod source;
mod watch;

const GIB: u64 = 1 << 30;
/// Streams that pass 2^32 bytes, where there is enough to send.
const LARGEST: u64 = 4 * GIB + GIB / 8;
/// Has no divisor in common with the sizes of pipes and buffers.
const ODD_CHUNK: usize = 30_011;

/// Who writes a stream, and in which format. `ss55 decrypt` reads it.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// `ss55 encrypt`
    V2,
    /// `ss55 encrypt --format libsodium`
    Libsodium,
    /// `ss55_stream::Encryptor`, flushed now and then: frames of all lengths
    Flushed,
    /// `ss55_stream::libsodium::Encryptor` with chunks of `ODD_CHUNK`
    OddChunks,
}

const SHAPES: [Shape; 4] = [
    Shape::V2,
    Shape::Libsodium,
    Shape::Flushed,
    Shape::OddChunks,
];

/// Around the ends of frames and chunks; they come first.
const SMALL: [u64; 8] = [0, 1, 8191, 8192, 8193, 65_535, 65_536, 65_537];

/// # Errors
/// If a stream comes out different or not at all, or if a process holds more than it may.
#[allow(clippy::cast_precision_loss)] // three digits are shown
pub fn run(gib: u64, seconds: Option<u64>, seed: Option<u64>) -> Result<()> {
    let binary = build()?;
    let seed = match seed {
        Some(seed) => seed,
        None => SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)?
            .as_secs(),
    };
    println!("soak: {gib} GiB from seed {seed}");
    let mut source = Source::new(seed);
    let descriptors = watch::descriptors("self")?;
    let start = Instant::now();

    for len in SMALL {
        for shape in SHAPES {
            stream(&binary, &mut source, shape, len, descriptors)
                .with_context(|| format!("{shape:?}, {len} bytes"))?;
        }
    }
    println!("soak: {} small streams", SMALL.len() * SHAPES.len());

    let (mut done, mut streams) = (0, 0);
    // As many of each shape, all of about one length.
    let total = gib * GIB;
    let count = total
        .div_ceil(LARGEST)
        .next_multiple_of(SHAPES.len() as u64);
    for shape in SHAPES.into_iter().cycle().take(count as usize) {
        if seconds.is_some_and(|limit| start.elapsed().as_secs() >= limit) {
            break;
        }
        let len = total.div_ceil(count) + source.below(3 << 16);
        let began = Instant::now();
        let watched = stream(&binary, &mut source, shape, len, descriptors)
            .with_context(|| format!("{shape:?}, {len} bytes"))?;
        let holds: Vec<_> = watched.iter().map(ToString::to_string).collect();
        println!(
            "soak: {shape:?}: {len} bytes, {:.2} GB/s; {}",
            rate(len, began),
            holds.join("; ")
        );
        done += len;
        streams += 1;
    }
    let now = watch::descriptors("self")?;
    ensure!(
        now == descriptors,
        "this program had {descriptors} descriptors and has {now}"
    );
    println!(
        "soak: {streams} streams, {:.2} GiB in {} s, {:.2} GB/s; every byte came out",
        done as f64 / GIB as f64,
        start.elapsed().as_secs(),
        rate(done, start)
    );
    Ok(())
}

/// GB/s since then.
#[allow(clippy::cast_precision_loss)] // three digits are shown
fn rate(bytes: u64, since: Instant) -> f64 {
    bytes as f64 / 1e9 / since.elapsed().as_secs_f64()
}

fn build() -> Result<PathBuf> {
    let mut build = process::cargo();
    build
        .current_dir(crate::root())
        .args(["build", "--quiet", "--locked", "--release"])
        .args(["--package", "ss55-cli", "--target-dir"])
        // Where `codegen` builds it, too.
        .arg(crate::root().join("target/codegen"))
        .env("RUSTFLAGS", "-C symbol-mangling-version=v0");
    process::succeed(&mut build)?;
    Ok(crate::root().join("target/codegen/release/ss55"))
}

/// Children that do not outlive this program's interest in them.
struct Children(Vec<(&'static str, Child)>);

impl Drop for Children {
    fn drop(&mut self) {
        for (_, child) in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Sends `len` bytes through the pipes.
fn stream(
    binary: &Path,
    source: &mut Source,
    shape: Shape,
    len: u64,
    inherited: usize,
) -> Result<Vec<Watched>> {
    let (key, hash_key) = (source.key(), source.key());
    let command = |arguments: &[&str]| {
        let mut command = Command::new(binary);
        command
            .args(arguments)
            .env_remove("SS55_KEY_FILE")
            .env("SS55_KEY", crate::hexadecimal(&key))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        command
    };
    let odd = ODD_CHUNK.to_string();
    let (writer, reader): (Option<&[&str]>, &[&str]) = match shape {
        Shape::V2 => (Some(&["encrypt"]), &["decrypt"]),
        Shape::Libsodium => (
            Some(&["encrypt", "--format", "libsodium"]),
            &["decrypt", "--format", "libsodium"],
        ),
        Shape::Flushed => (None, &["decrypt"]),
        Shape::OddChunks => (
            None,
            &["decrypt", "--format", "libsodium", "--chunk-size", &odd],
        ),
    };

    let mut children = Children(Vec::new());
    let mut reader = command(reader);
    let mut plain_in = None;
    if let Some(writer) = writer {
        let mut child = command(writer).spawn().context("ss55 encrypt")?;
        plain_in = child.stdin.take();
        reader.stdin(child.stdout.take().context("its output is piped")?);
        children.0.push(("encrypt", child));
    }
    let mut child = reader.spawn().context("ss55 decrypt")?;
    // The pipe's other end is in this program as long as the command is.
    drop(reader);
    let sealed_in = child.stdin.take();
    let out = child.stdout.take().context("its output is piped")?;
    children.0.push(("decrypt", child));

    let received = AtomicU64::new(0);
    let over = AtomicBool::new(false);
    let (sent, hashed, watched) = thread::scope(|scope| {
        let hashed = scope.spawn(|| hash(out, &hash_key, &received));
        let watched = scope.spawn(|| watch::until(&over, &children.0, &received, len, inherited));
        let key = Key::from_bytes(key);
        let sent = match (shape, plain_in, sealed_in) {
            (_, Some(pipe), _) => source
                .send(pipe, len, &hash_key, |_| Ok(()))
                .map(|(hash, _)| hash),
            (Shape::OddChunks, None, Some(pipe)) => {
                let builder = libsodium::Encryptor::builder().chunk_size(ODD_CHUNK);
                let sent = source.send(builder.build(pipe, &key), len, &hash_key, |_| Ok(()));
                sent.and_then(|(hash, stream)| Ok(stream.finish().map(|_| hash)?))
            }
            (_, None, Some(pipe)) => {
                let stream = Encryptor::new(pipe, &key);
                let sent = source.send(stream, len, &hash_key, Write::flush);
                sent.and_then(|(hash, stream)| Ok(stream.finish().map(|_| hash)?))
            }
            (_, None, None) => unreachable!("one of the two commands reads from this program"),
        };
        let hashed = hashed.join().expect("reading does not panic");
        over.store(true, Ordering::Relaxed);
        (
            sent,
            hashed,
            watched.join().expect("watching does not panic"),
        )
    });
    // A child's own word comes first: a broken pipe here is the consequence.
    for (name, child) in &mut children.0 {
        let status = child.wait()?;
        if !status.success() {
            bail!("ss55 {name}: {status}");
        }
    }
    let (sent, hashed) = (sent?, hashed?);
    let received = received.load(Ordering::Relaxed);
    ensure!(received == len, "{received} bytes came out");
    ensure!(sent == hashed, "other bytes came out");
    watched
}

/// The hash of all that comes.
fn hash(mut from: ChildStdout, key: &[u8; 32], received: &AtomicU64) -> Result<[u8; 16]> {
    let mut hash = Poly1305::new(key);
    let mut buf = vec![0; 1 << 20];
    loop {
        match from.read(&mut buf)? {
            0 => return Ok(*hash.finalize().as_bytes()),
            n => {
                hash.update(&buf[..n]);
                received.fetch_add(n as u64, Ordering::Relaxed);
            }
        }
    }
}
