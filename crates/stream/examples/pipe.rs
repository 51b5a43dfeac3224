//! Encrypts or decrypts standard input to standard output.
//!
//! ```text
//! SS55_KEY=$(head -c 32 /dev/urandom | base64); export SS55_KEY
//! tar c photos | cargo run --example pipe encrypt > photos.ss55
//! cargo run --example pipe decrypt < photos.ss55 | tar x
//! ```
//!
//! Whoever reads the decrypted pipe gets an authentic prefix until this program has succeeded: act on
//! its exit status, not on the data alone.

use ss55_stream::{Decryptor, Encryptor, Formats, Key};
use std::{
    env,
    error::Error,
    io::{self, Write},
    process::ExitCode,
};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pipe: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let key = env::var("SS55_KEY").map_err(|_| "SS55_KEY must hold the key in base64")?;
    let key = Key::from_base64(&key)?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    match env::args().nth(1).as_deref() {
        Some("encrypt") => {
            let mut encryptor = Encryptor::new(output, &key);
            io::copy(&mut input, &mut encryptor)?;
            encryptor.close()?;
        }
        Some("decrypt") => {
            let builder = Decryptor::builder().formats(Formats::V2);
            let mut decryptor = builder.build(input, &key);
            io::copy(&mut decryptor, &mut output)?;
            output.flush()?;
        }
        _ => return Err("usage: pipe encrypt|decrypt < INPUT > OUTPUT".into()),
    }
    Ok(())
}
