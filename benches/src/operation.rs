//! What is measured, at which lengths.

use serde::{Deserialize, Serialize};

/// Message lengths in bytes.
pub const SIZES: [usize; 6] = [64, 256, 1024, 8192, FRAME, 1 << 20];
/// Bytes of plaintext in a full frame of SS55 v2, and in one write or read of its streams here.
pub const FRAME: usize = 65_536;

/// Bytes of a page of memory, and of a sector of today's disks.
pub const PAGE: usize = 4096;

/// One thing that every contestant of a race does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// ChaCha20-Poly1305: encrypt in place, give the tag.
    Seal,
    /// ChaCha20-Poly1305: check the tag, decrypt in place.
    Open,
    /// XChaCha20-Poly1305: encrypt in place, give the tag.
    XSeal,
    /// XChaCha20-Poly1305: check the tag, decrypt in place.
    XOpen,
    /// libsodium's secretstream: one chunk, from buffer to buffer.
    Push,
    /// libsodium's secretstream: one chunk back.
    Pull,
    /// ChaCha20: XOR in place.
    Chacha20,
    /// Poly1305: the tag of a message.
    Poly1305,
    /// Serpent-256: encrypt blocks in place, each alone.
    SerpentEncrypt,
    /// Serpent-256: decrypt blocks in place.
    SerpentDecrypt,
    /// Serpent-256-XTS: encrypt a run of data units of 4096 bytes, or one shorter unit.
    SerpentXts,
    /// SS55 v2 through `Write`, into a sink.
    Write,
    /// SS55 v2 through `Read`, from memory.
    Read,
}

impl Operation {
    /// All of them, in the order of the tables.
    pub const ALL: [Operation; 13] = [
        Operation::Seal,
        Operation::Open,
        Operation::XSeal,
        Operation::XOpen,
        Operation::Push,
        Operation::Pull,
        Operation::Chacha20,
        Operation::Poly1305,
        Operation::SerpentEncrypt,
        Operation::SerpentDecrypt,
        Operation::SerpentXts,
        Operation::Write,
        Operation::Read,
    ];

    /// The name for a command line.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Seal => "seal",
            Operation::Open => "open",
            Operation::XSeal => "x-seal",
            Operation::XOpen => "x-open",
            Operation::Push => "push",
            Operation::Pull => "pull",
            Operation::Chacha20 => "chacha20",
            Operation::Poly1305 => "poly1305",
            Operation::SerpentEncrypt => "serpent-encrypt",
            Operation::SerpentDecrypt => "serpent-decrypt",
            Operation::SerpentXts => "serpent-xts",
            Operation::Write => "write",
            Operation::Read => "read",
        }
    }

    /// The operation of this [`name`](Self::name).
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }

    /// The heading of its tables.
    pub fn title(self) -> &'static str {
        match self {
            Operation::Seal => "ChaCha20-Poly1305, seal",
            Operation::Open => "ChaCha20-Poly1305, open",
            Operation::XSeal => "XChaCha20-Poly1305, seal",
            Operation::XOpen => "XChaCha20-Poly1305, open",
            Operation::Push => "secretstream, push",
            Operation::Pull => "secretstream, pull",
            Operation::Chacha20 => "ChaCha20",
            Operation::Poly1305 => "Poly1305",
            Operation::SerpentEncrypt => "Serpent-256, encryption of blocks",
            Operation::SerpentDecrypt => "Serpent-256, decryption of blocks",
            Operation::SerpentXts => "Serpent-256-XTS, encryption of units of at most 4 KiB",
            Operation::Write => "SS55 v2 stream, writing",
            Operation::Read => "SS55 v2 stream, reading",
        }
    }

    /// The lengths at which it is measured.
    pub fn sizes(self) -> &'static [usize] {
        match self {
            Operation::Write | Operation::Read => &[FRAME],
            Operation::SerpentEncrypt | Operation::SerpentDecrypt => &[16, 512, PAGE, FRAME],
            Operation::SerpentXts => &[512, PAGE, FRAME],
            _ => &SIZES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_on_the_command_line_are_those_in_the_report() {
        for op in Operation::ALL {
            assert_eq!(Operation::by_name(op.name()), Some(op));
            assert_eq!(
                serde_json::to_value(op).expect("an enum is JSON"),
                op.name()
            );
        }
    }
}
