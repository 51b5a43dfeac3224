//! Two tasks and a pipe of 1000 bytes between them: one encrypts into it, the other decrypts what comes.
//!
//! ```text
//! cargo run --example async_pipe --features tokio
//! ```

use ss55_stream::{Decryptor, Encryptor, Formats, Key};
use tokio::io::{self, AsyncReadExt, AsyncWriteExt};

const LEN: usize = 1_000_000;

#[tokio::main]
async fn main() -> io::Result<()> {
    let key = Key::from_bytes([7; 32]);
    let (near, far) = io::duplex(1000);

    let mut encryptor = Encryptor::builder().build_tokio(near, &key);
    let writer = tokio::spawn(async move {
        for block in (0..LEN).step_by(1000) {
            encryptor.write_all(&[(block / 1000) as u8; 1000]).await?;
        }
        encryptor.shutdown().await // the final frame: without it the stream is truncated
    });

    let builder = Decryptor::builder().formats(Formats::V2);
    let mut decryptor = builder.build_tokio(far, &key);
    let mut plaintext = Vec::new();
    decryptor.read_to_end(&mut plaintext).await?;
    writer.await.expect("the writer does not panic")?;

    let blocks = plaintext.chunks(1000).enumerate();
    let intact = blocks.fold(0, |intact, (n, block)| {
        intact + usize::from(block == [n as u8; 1000])
    });
    println!(
        "{} bytes came through, {intact} blocks of 1000 intact",
        plaintext.len()
    );
    Ok(())
}
