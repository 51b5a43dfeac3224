//! Encrypts a file on several workers that share nothing but a plan, each a part of the one stream:
//! threads here, machines elsewhere. Each worker could be started anew, with the same file.
//!
//! ```text
//! head -c 32 /dev/urandom > key
//! cargo run --example parts key backup.tar backup.tar.ss55
//! ```

use ss55_stream::{
    Key, SimdEngine,
    wire::v2::{Header, StreamPlan},
};
use std::{
    env,
    error::Error,
    fs::{self, File},
    io::{Read, Seek, SeekFrom, Write},
    num::NonZeroU64,
    process::ExitCode,
    thread,
};

const WORKERS: u64 = 4;
/// Frames in a part: 16 MiB of plaintext.
const FRAMES: NonZeroU64 = NonZeroU64::new(256).unwrap();

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let [key, input, output] = &args[..] else {
        eprintln!("usage: parts KEY INPUT OUTPUT");
        return ExitCode::FAILURE;
    };
    match run(key, input, output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("parts: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(key: &str, input: &str, output: &str) -> Result<(), Box<dyn Error>> {
    let key = read_key(key)?;
    // What all workers are told. Random, and never for two plaintexts.
    let mut nonce = [0; 24];
    getrandom::fill(&mut nonce)?;
    let len = fs::metadata(input)?.len();
    let plan = StreamPlan::new(Header::new(nonce), len)?;
    // A file that is there stays; one that is begun goes if it cannot be ended.
    let file = File::create_new(output)?;
    seal(&file, &plan, nonce, len, &key, input, output).inspect_err(|_| {
        let _ = fs::remove_file(output);
    })
}

fn seal(
    file: &File,
    plan: &StreamPlan,
    nonce: [u8; 24],
    len: u64,
    key: &Key,
    input: &str,
    output: &str,
) -> Result<(), Box<dyn Error>> {
    file.set_len(plan.sealed_len())?;
    thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                scope.spawn(move || {
                    work(worker, nonce, len, key, input, output).map_err(|error| error.to_string())
                })
            })
            .collect();
        for worker in workers {
            worker.join().expect("a worker that does not panic")?;
        }
        file.sync_all()?;
        Ok(())
    })
}

/// The key that a file holds: 32 bytes, or two hex digits for each, as `ss55 keygen` writes them.
fn read_key(path: &str) -> Result<Key, Box<dyn Error>> {
    let content = fs::read(path)?;
    if let Ok(key) = Key::try_from(&content[..]) {
        return Ok(key);
    }
    Ok(Key::from_hex(str::from_utf8(&content)?.trim())?)
}

/// Every worker splits the same plan, and seals the parts that are its own.
fn work(
    worker: u64,
    nonce: [u8; 24],
    len: u64,
    key: &Key,
    input: &str,
    output: &str,
) -> Result<(), Box<dyn Error>> {
    let (mut input, mut output) = (
        File::open(input)?,
        File::options().write(true).open(output)?,
    );
    let plan = StreamPlan::new(Header::new(nonce), len)?;
    let parts = plan.split(SimdEngine::new(), key, FRAMES);
    for (_, part) in (0..)
        .zip(parts)
        .filter(|(index, _)| index % WORKERS == worker)
    {
        let (from, to) = (part.plaintext(), part.sealed());
        let mut plaintext = vec![0; usize::try_from(from.end - from.start)?];
        let mut sealed = vec![0; usize::try_from(to.end - to.start)?];
        input.seek(SeekFrom::Start(from.start))?;
        input.read_exact(&mut plaintext)?;
        part.seal(b"", &plaintext, &mut sealed)?;
        output.seek(SeekFrom::Start(to.start))?;
        output.write_all(&sealed)?;
    }
    Ok(())
}
