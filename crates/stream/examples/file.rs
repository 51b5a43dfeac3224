//! Encrypts or decrypts a file. The output has its name only once it is whole.
//!
//! ```text
//! head -c 32 /dev/urandom > key
//! cargo run --example file encrypt key backup.tar backup.tar.ss55
//! cargo run --example file decrypt key backup.tar.ss55 restored.tar
//! ```

use ss55_stream::{Decryptor, Encryptor, Formats, Key};
use std::{
    env,
    error::Error,
    fs::{self, File},
    io,
    process::ExitCode,
};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args[..] {
        ["encrypt", key, input, output] => run(encrypt, key, input, output),
        ["decrypt", key, input, output] => run(decrypt, key, input, output),
        _ => Err("usage: file encrypt|decrypt KEY INPUT OUTPUT".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("file: {error}");
            ExitCode::FAILURE
        }
    }
}

fn encrypt(key: &Key, mut input: File, output: File) -> io::Result<File> {
    let mut encryptor = Encryptor::new(output, key);
    io::copy(&mut input, &mut encryptor)?;
    Ok(encryptor.finish()?)
}

/// What has been written when this fails is an authentic prefix, but not the file.
fn decrypt(key: &Key, input: File, mut output: File) -> io::Result<File> {
    let builder = Decryptor::builder().formats(Formats::V2);
    io::copy(&mut builder.build(input, key), &mut output)?;
    Ok(output)
}

type Work = fn(&Key, File, File) -> io::Result<File>;

/// Works on a neighbour of `output`, which takes its name at the end, or goes away.
fn run(work: Work, key: &str, input: &str, output: &str) -> Result<(), Box<dyn Error>> {
    let key = read_key(key)?;
    let input = File::open(input)?;
    let partial = format!("{output}.partial");
    // Never one that is there: it may be somebody else's.
    let file = File::create_new(&partial)?;
    let result = work(&key, input, file)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&partial, output));
    if result.is_err() {
        fs::remove_file(&partial)?;
    }
    Ok(result?)
}

/// The key that a file holds: 32 bytes, or two hex digits for each, as `ss55 keygen` writes them.
fn read_key(path: &str) -> Result<Key, Box<dyn Error>> {
    let content = fs::read(path)?;
    if let Ok(key) = Key::try_from(&content[..]) {
        return Ok(key);
    }
    Ok(Key::from_hex(str::from_utf8(&content)?.trim())?)
}
