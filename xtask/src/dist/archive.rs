//! A compressed archive that depends on its files alone.

use super::Entries;
use anyhow::Result;
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use tar::{Builder, EntryType, Header};

/// The archive's bytes. `name` is the folder that all is in.
pub fn write(name: &str, entries: &Entries, time: u64) -> Result<Vec<u8>> {
    // Its header has neither a name nor a time.
    let gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    let mut archive = Builder::new(gzip);
    for (path, entry) in entries {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(if entry.is_program { 0o755 } else { 0o644 });
        header.set_uid(0);
        header.set_gid(0);
        header.set_username("root")?;
        header.set_groupname("root")?;
        header.set_mtime(time);
        header.set_size(entry.content.len() as u64);
        archive.append_data(&mut header, format!("{name}/{path}"), &entry.content[..])?;
    }
    Ok(archive.into_inner()?.finish()?)
}

/// A line for each file, as `sha256sum --check` reads it in the archive's first folder.
pub fn sums(entries: &Entries) -> String {
    entries
        .iter()
        .fold(String::new(), |mut text, (path, entry)| {
            writeln!(text, "{}  {path}", sha256(&entry.content)).expect("a String takes all");
            text
        })
}

pub fn sha256(bytes: &[u8]) -> String {
    crate::hexadecimal(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::super::Entry;
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn what_is_read_back_is_what_was_written() {
        let entry = |content: &str, is_program| Entry {
            content: content.into(),
            is_program,
        };
        let entries = Entries::from([
            ("share/doc".to_owned(), entry("text", false)),
            ("bin/it".to_owned(), entry("program", true)),
        ]);
        let bytes = write("it-1", &entries, 1_234_567_890).unwrap();
        assert_eq!(bytes, write("it-1", &entries, 1_234_567_890).unwrap());
        // Of the gzip header, what a build could leave a trace in: flags and time.
        assert_eq!(bytes[3..8], [0; 5]);

        let mut archive = tar::Archive::new(GzDecoder::new(&bytes[..]));
        let mut seen = Vec::new();
        for file in archive.entries().unwrap() {
            let mut file = file.unwrap();
            let header = file.header().clone();
            let owner = (header.uid().unwrap(), header.gid().unwrap());
            assert_eq!((owner, header.mtime().unwrap()), ((0, 0), 1_234_567_890));
            let mut content = String::new();
            file.read_to_string(&mut content).unwrap();
            let path = file.path().unwrap().to_str().unwrap().to_owned();
            seen.push((path, header.mode().unwrap(), content));
        }
        let expected = [
            ("it-1/bin/it", 0o755, "program"),
            ("it-1/share/doc", 0o644, "text"),
        ];
        let expected = expected.map(|(path, mode, text)| (path.to_owned(), mode, text.to_owned()));
        assert_eq!(seen, expected);
    }

    #[test]
    fn sums_are_those_of_sha256sum() {
        let entry = Entry {
            content: b"abc".into(),
            is_program: false,
        };
        // FIPS 180-2, B.1.
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let entries = Entries::from([("a".to_owned(), entry)]);
        assert_eq!(sums(&entries), format!("{sum}  a\n"));
    }
}
