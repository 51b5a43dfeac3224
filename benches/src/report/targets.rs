//! What this project asks of itself: ratios that one run must show.

use super::Report;
use crate::{
    Operation::{
        self, Chacha20, Open, Poly1305, Pull, Push, Read, Seal, SerpentDecrypt, SerpentEncrypt,
        SerpentXts, Write,
    },
    operation::{FRAME, PAGE},
    ours, serpent_peers,
};

/// A ratio between two contestants.
pub(super) struct Target {
    /// What is asked, for people.
    pub what: &'static str,
    /// In which races.
    pub operations: &'static [Operation],
    /// At which message lengths.
    pub sizes: &'static [usize],
    /// Who is measured.
    pub subject: &'static str,
    /// Against whom.
    pub against: &'static str,
    /// Below this ratio the target is missed.
    pub must: f64,
    /// What is aimed at, if more is.
    pub aim: Option<f64>,
}

const AEAD: &[Operation] = &[Seal, Open];
const SERPENT: &[Operation] = &[SerpentEncrypt, SerpentDecrypt];
const AVX2: &str = "ss55 avx2";

/// The targets for what `compare` measures.
pub(super) const TARGETS: [Target; 16] = [
    target("AEAD, long", AEAD, &[FRAME, 1 << 20], "OpenSSL", 1.3, 1.5),
    target("AEAD, 8 KiB", AEAD, &[8192], "OpenSSL", 1.25, 1.45),
    target("AEAD, 1 KiB", AEAD, &[1024], "ring", 1.25, 1.6),
    target("AEAD, 64 B", AEAD, &[64], "ring", 1.2, 1.5),
    Target {
        subject: AVX2,
        ..target("AEAD on AVX2", AEAD, &[FRAME], "ring", 1.15, 1.4)
    },
    target("secretstream", &[Push, Pull], &[8192], "dryoc", 1.25, 1.5),
    Target {
        aim: None,
        ..target(
            "secretstream",
            &[Push, Pull],
            &[8192],
            "libsodium",
            1.8,
            1.8,
        )
    },
    target("ChaCha20", &[Chacha20], &[FRAME], "OpenSSL", 1.0, 1.2),
    target("Poly1305", &[Poly1305], &[FRAME], "OpenSSL", 0.9, 1.2),
    Target {
        aim: None,
        ..target(
            "Serpent",
            SERPENT,
            &[PAGE],
            serpent_peers::RUSTCRYPTO,
            5.0,
            5.0,
        )
    },
    Target {
        aim: None,
        ..target("Serpent", SERPENT, &[PAGE], serpent_peers::BOTAN, 2.5, 2.5)
    },
    Target {
        subject: AVX2,
        aim: None,
        ..target(
            "Serpent on AVX2",
            SERPENT,
            &[PAGE],
            serpent_peers::RUSTCRYPTO,
            2.5,
            2.5,
        )
    },
    Target {
        subject: AVX2,
        ..target(
            "Serpent on AVX2",
            SERPENT,
            &[PAGE],
            serpent_peers::BOTAN,
            1.3,
            1.6,
        )
    },
    target(
        "Serpent-XTS",
        &[SerpentXts],
        &[PAGE, FRAME],
        ours::BARE_CIPHER,
        0.88,
        0.95,
    ),
    target("v2 writer", &[Write], &[FRAME], ours::BARE, 0.9, 0.97),
    target("v2 reader", &[Read], &[FRAME], ours::BARE, 0.9, 0.97),
];

const fn target(
    what: &'static str,
    operations: &'static [Operation],
    sizes: &'static [usize],
    against: &'static str,
    must: f64,
    aim: f64,
) -> Target {
    Target {
        what,
        operations,
        sizes,
        subject: ours::CHOSEN,
        against,
        must,
        aim: Some(aim),
    }
}

/// A target in one race.
pub(super) struct Measured {
    pub operation: Operation,
    pub size: usize,
    /// By the best slices.
    pub best: f64,
    /// By the median slices.
    pub median: f64,
}

impl Target {
    /// Its ratio in every race that has both contestants.
    pub fn measured(&self, report: &Report) -> Vec<Measured> {
        let mut all = Vec::new();
        for &operation in self.operations {
            for &size in self.sizes {
                let ratio = report.race(operation, size).and_then(|race| {
                    let (ours, theirs) = (race.outcome(self.subject)?, race.outcome(self.against)?);
                    Some(Measured {
                        operation,
                        size,
                        best: ours.best / theirs.best,
                        median: ours.median / theirs.median,
                    })
                });
                all.extend(ratio);
            }
        }
        all
    }

    /// The word for a ratio.
    pub fn verdict(&self, ratio: f64) -> &'static str {
        if ratio < self.must {
            "missed"
        } else if self.aim.is_some_and(|aim| ratio >= aim) {
            "aim reached"
        } else {
            "met"
        }
    }
}
