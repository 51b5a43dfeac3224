//! Streams that others wrote, and streams that others read.

use anyhow::{Context, Result, bail, ensure};
use libsodium::{Pull, Push};
use ss55_aead::{Engine, Key, PortableEngine, SimdEngine, SodiumEngine};
use ss55_wire::secretstream::{PullState, PushState, Tag};
use std::io::{Read, Write};

mod clients;
mod libsodium;

const CHUNK: usize = 8192;

/// Around the chunks of the layout (8192) and the frames of v2 (65536).
const SIZES: [usize; 11] = [
    0, 1, 8191, 8192, 8193, 16384, 16385, 65535, 65536, 65537, 131_072,
];

const SECRET: [u8; 32] = {
    let mut key = [0; 32];
    let mut i = 0;
    while i < key.len() {
        key[i] = (0xa5 ^ (i * 11)) as u8;
        i += 1;
    }
    key
};

pub fn run(clients: bool) -> Result<()> {
    println!("interop: libsodium {}", libsodium::start()?);
    let fastest = SimdEngine::new();
    let simd = &*format!("SimdEngine ({})", fastest.name());
    layout(simd, || fastest)?;
    layout("portable", || PortableEngine)?;
    messages(simd, || fastest)?;
    messages("portable", || PortableEngine)?;
    v2(("libsodium", SodiumEngine::new), (simd, || fastest))?;
    v2((simd, || fastest), ("libsodium", SodiumEngine::new))?;
    v2(
        ("libsodium", SodiumEngine::new),
        ("portable", || PortableEngine),
    )?;
    v2(
        ("portable", || PortableEngine),
        ("libsodium", SodiumEngine::new),
    )?;
    if clients {
        clients::run()?;
    } else {
        println!("interop: PyNaCl, sodium-native, libsodium-wrappers: only with --clients");
    }
    Ok(())
}

fn key() -> Key {
    Key::from_bytes(SECRET)
}

/// `len` bytes, no two chunks or frames alike.
fn plaintext(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 251 + 3) as u8).collect()
}

/// WAL-G's layout between ss55-stream and the C library, both ways and in both shapes.
fn layout<E: Engine>(name: &str, engine: impl Fn() -> E) -> Result<()> {
    for size in SIZES {
        let plain = plaintext(size);
        let ours = seal_layout(engine(), &plain)?;
        let read = read_layout(&ours).with_context(|| format!("libsodium reads {size} bytes"))?;
        ensure!(read == plain, "libsodium reads {size} bytes differently");

        let mut shapes = vec![write_layout(&plain, Last::Short)];
        if size > 0 && size % CHUNK == 0 {
            shapes.push(write_layout(&plain, Last::Full));
        }
        for theirs in shapes {
            let read = open_layout(engine(), &theirs)
                .with_context(|| format!("{name} reads {size} bytes of libsodium"))?;
            ensure!(read == plain, "{name} reads {size} bytes differently");
        }
        refuse_forgery(&ours, read_layout)?;
        refuse_forgery(&ours, |stream| open_layout(engine(), stream))?;
    }
    println!(
        "interop: the layout in chunks of {CHUNK}, {name} <-> libsodium: {} sizes, short and full last chunk",
        SIZES.len()
    );
    Ok(())
}

/// A reader that takes a forged stream would agree with any writer.
fn refuse_forgery(stream: &[u8], read: impl Fn(&[u8]) -> Result<Vec<u8>>) -> Result<()> {
    let mut forged = stream.to_vec();
    *forged.last_mut().context("an empty stream")? ^= 1;
    ensure!(read(&forged).is_err(), "a forged stream was read");
    Ok(())
}

fn seal_layout<E: Engine>(engine: E, plain: &[u8]) -> Result<Vec<u8>> {
    let mut encryptor = ss55_stream::libsodium::Encryptor::builder()
        .engine(engine)
        .build(Vec::new(), &key());
    encryptor.write_all(plain)?;
    Ok(encryptor.finish()?)
}

fn open_layout<E: Engine>(engine: E, stream: &[u8]) -> Result<Vec<u8>> {
    let mut plain = Vec::new();
    ss55_stream::libsodium::Decryptor::builder()
        .engine(engine)
        .build(stream, &key())
        .read_to_end(&mut plain)?;
    Ok(plain)
}

/// The final chunk after a whole number of chunks: empty, or the last full one.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Short,
    Full,
}

/// The layout as the C library writes it.
fn write_layout(plain: &[u8], last: Last) -> Vec<u8> {
    let (mut push, header) = Push::new(&SECRET);
    let mut stream = header.to_vec();
    let mut rest = plain;
    while rest.len() > CHUNK || rest.len() == CHUNK && last == Last::Short {
        let (chunk, behind) = rest.split_at(CHUNK);
        stream.extend(push.push(libsodium::MESSAGE, b"", chunk));
        rest = behind;
    }
    stream.extend(push.push(libsodium::FINAL, b"", rest));
    stream
}

/// The layout as the C library reads it, when its reader is as strict as WAL-G's writer.
fn read_layout(stream: &[u8]) -> Result<Vec<u8>> {
    let (header, chunks) = stream.split_first_chunk().context("no header")?;
    let mut pull = Pull::new(&SECRET, header);
    let mut plain = Vec::new();
    let mut chunks = chunks.chunks(CHUNK + libsodium::OVERHEAD).peekable();
    while let Some(chunk) = chunks.next() {
        let (tag, message) = pull.pull(b"", chunk).context("not authentic")?;
        let last = chunks.peek().is_none();
        ensure!(
            tag == if last {
                libsodium::FINAL
            } else {
                libsodium::MESSAGE
            },
            "a chunk with the tag {tag}"
        );
        ensure!(
            last == (message.len() < CHUNK),
            "the last chunk, and no other, is short"
        );
        plain.extend(message);
    }
    Ok(plain)
}

/// One chunk, or a change of the key without one.
enum Step {
    Chunk(u8, &'static [u8], usize),
    Rekey,
    Counter(u32),
}

/// Every tag, with and without ad, every residue of the padding, and each of the ways to a new key:
/// the tags REKEY and FINAL, a call, the end of the counter.
fn steps() -> Vec<Step> {
    use Step::{Chunk, Counter, Rekey};
    use libsodium::{FINAL, MESSAGE, PUSH, REKEY};
    let mut steps = vec![
        Chunk(MESSAGE, b"", 3),
        Chunk(REKEY, b"", 3),
        Chunk(PUSH, b"bound", 5),
        Chunk(MESSAGE, b"", 0),
        Rekey,
        Chunk(MESSAGE, b"sixteen bytes ad", 100),
        Rekey,
        Rekey,
        Chunk(PUSH, b"", 64),
        Counter(u32::MAX),
        Chunk(MESSAGE, b"", 10),
        Chunk(MESSAGE, b"", 11),
        Counter(u32::MAX - 1),
        Chunk(PUSH, b"x", 12),
        Chunk(REKEY, b"y", 13),
        Chunk(MESSAGE, b"z", 14),
    ];
    steps.extend((0..=80).map(|len| Chunk(MESSAGE, b"ad", len)));
    steps.extend([1023, 1024, 1025, 8192, 65537].map(|len| Chunk(REKEY, b"", len)));
    // FINAL ends nothing in the library itself; its key changes, and more may follow.
    steps.extend([Chunk(FINAL, b"", 4), Chunk(FINAL, b"end", 0)]);
    steps
}

/// Single chunks between ss55-wire and the C library, both ways.
fn messages<E: Engine>(name: &str, engine: impl Fn() -> E) -> Result<()> {
    let (mut theirs, header) = Push::new(&SECRET);
    let mut pull = PullState::new(engine(), &key(), &header);
    let mut push = PushState::new(engine(), &key(), &header);
    let mut reader = Pull::new(&SECRET, &header);

    let mut chunks = 0;
    for step in steps() {
        let (tag, ad, message) = match step {
            Step::Chunk(tag, ad, len) => (tag, ad, plaintext(len)),
            Step::Rekey => {
                theirs.rekey();
                pull.rekey();
                push.rekey();
                reader.rekey();
                continue;
            }
            Step::Counter(counter) => {
                theirs.set_counter(counter);
                pull.set_counter(counter);
                push.set_counter(counter);
                reader.set_counter(counter);
                continue;
            }
        };
        chunks += 1;
        let len = message.len();
        let what = format!("chunk {chunks}, tag {tag}, {len} bytes");

        let chunk = theirs.push(tag, ad, &message);
        let mut opened = vec![0; len];
        let read = pull
            .pull_to(ad, &chunk, &mut opened)
            .with_context(|| format!("{name} reads {what}"))?;
        ensure!(
            (read, &opened) == (Tag(tag), &message),
            "{name} reads {what} differently"
        );

        let mut sealed = vec![0; len + libsodium::OVERHEAD];
        push.push_to(Tag(tag), ad, &message, &mut sealed)?;
        ensure!(sealed == chunk, "{name} writes {what} differently");
        let Some(read) = reader.pull(ad, &sealed) else {
            bail!("libsodium refuses {what}");
        };
        ensure!(read == (tag, message), "libsodium reads {what} differently");
    }
    println!("interop: single chunks, {name} <-> libsodium: {chunks}, with every tag and rekey");
    Ok(())
}

/// SS55 v2 by one engine, read by another.
fn v2<A: Engine, B: Engine>(
    (writer, sealer): (&str, impl Fn() -> A),
    (reader, opener): (&str, impl Fn() -> B),
) -> Result<()> {
    for size in SIZES {
        let plain = plaintext(size);
        for ad in [&b""[..], b"bound to the stream"] {
            let mut encryptor = ss55_stream::Encryptor::builder()
                .engine(sealer())
                .ad(ad)
                .build(Vec::new(), &key());
            encryptor.write_all(&plain)?;
            let stream = encryptor.finish()?;
            let read = |stream: &[u8]| {
                let mut read = Vec::new();
                ss55_stream::Decryptor::builder()
                    .engine(opener())
                    .ad(ad)
                    .build(stream, &key())
                    .read_to_end(&mut read)?;
                Ok(read)
            };
            ensure!(
                read(&stream)? == plain,
                "{reader} reads {size} bytes of {writer} differently"
            );
            refuse_forgery(&stream, read)?;
        }
    }
    println!("interop: v2, {writer} -> {reader}: {} sizes", SIZES.len());
    Ok(())
}
