//! Puts an encrypted object into an object store, part by part, and reads a range of its plaintext, for
//! which it fetches the frames that hold it and no others: from memory, and from a folder.
//!
//! ```text
//! cargo run --example object_store
//! ```

use object_store::{
    MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload, local::LocalFileSystem,
    memory::InMemory, path::Path,
};
use ss55_stream::{
    Key, SeekableDecryptor, SimdEngine,
    wire::v2::{Header, StreamPlan},
};
use std::{
    error::Error,
    io::{self, Read, Seek, SeekFrom},
    num::NonZeroU64,
    sync::Arc,
};
use tokio::{runtime::Handle, task};

/// Frames in a part: 8 MiB. Stores want 5 MiB at least, but for the last part.
const FRAMES: NonZeroU64 = NonZeroU64::new(128).unwrap();

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let stores: [Arc<dyn ObjectStore>; 2] = [
        Arc::new(InMemory::new()),
        Arc::new(LocalFileSystem::new_with_prefix(folder.path())?),
    ];
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    let key = Key::from_bytes(bytes);
    let plaintext: Arc<[u8]> = (0..20_000_000_u32).map(|i| (i % 251) as u8).collect();
    for store in stores {
        let path = Path::from("backups/today.ss55");
        let size = put(&*store, &path, &key, Arc::clone(&plaintext)).await?;
        let object = Object {
            store: Arc::clone(&store),
            runtime: Handle::current(),
            path,
            size,
            position: 0,
            fetched: 0,
        };
        let (key, expected) = (key.clone(), Arc::clone(&plaintext));
        // Reading waits for the store, which no task of the runtime may do.
        let fetched = task::spawn_blocking(move || -> io::Result<u64> {
            let mut reader = SeekableDecryptor::new(object, &key)?;
            let mut range = [0; 4096];
            reader.seek(SeekFrom::Start(12_345_678))?;
            reader.read_exact(&mut range)?;
            assert!(range == expected[12_345_678..][..4096]);
            Ok(reader.inner().fetched)
        })
        .await??;
        println!("{store}: 4096 bytes of {size}, for which {fetched} were fetched");
        // The header, the final frame, the last one, and the one with the range.
        assert!(fetched < 3 * 65_557);
    }
    Ok(())
}

/// Seals the parts of one stream, several at a time, and uploads them.
async fn put(
    store: &dyn ObjectStore,
    path: &Path,
    key: &Key,
    plaintext: Arc<[u8]>,
) -> Result<u64, Box<dyn Error>> {
    let mut nonce = [0; 24];
    getrandom::fill(&mut nonce)?;
    let plan = StreamPlan::new(Header::new(nonce), plaintext.len() as u64)?;
    let size = plan.sealed_len();
    let sealing: Vec<_> = plan
        .split(SimdEngine::new(), key, FRAMES)
        .map(|part| {
            let plaintext = Arc::clone(&plaintext);
            task::spawn_blocking(move || {
                let (from, to) = (part.plaintext(), part.sealed());
                let mut sealed = vec![0; (to.end - to.start) as usize];
                let plaintext = &plaintext[from.start as usize..from.end as usize];
                part.seal(b"", plaintext, &mut sealed).map(|()| sealed)
            })
        })
        .collect();
    let mut upload = store.put_multipart(path).await?;
    let mut uploading = Vec::new();
    // A part has the number of its call, whenever it arrives.
    for sealed in sealing {
        uploading.push(upload.put_part(PutPayload::from(sealed.await??)));
    }
    for part in uploading {
        part.await?;
    }
    upload.complete().await?;
    Ok(size)
}

/// An object, read by ranges.
struct Object {
    store: Arc<dyn ObjectStore>,
    runtime: Handle,
    path: Path,
    size: u64,
    position: u64,
    fetched: u64,
}

impl Read for Object {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let end = self.size.min(self.position + out.len() as u64);
        if self.position >= end {
            return Ok(0);
        }
        let range = self.position..end;
        let bytes = self
            .runtime
            .block_on(self.store.get_range(&self.path, range))
            .map_err(io::Error::other)?;
        out[..bytes.len()].copy_from_slice(&bytes);
        self.position += bytes.len() as u64;
        self.fetched += bytes.len() as u64;
        Ok(bytes.len())
    }
}

impl Seek for Object {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::End(offset) => self.size.saturating_add_signed(offset),
            SeekFrom::Current(offset) => self.position.saturating_add_signed(offset),
        };
        Ok(self.position)
    }
}
