//! XTS (IEEE 1619, NIST SP 800-38E) with Serpent-256: storage in data units of fixed places.
//!
//! A data unit is a run of at least 16 bytes with a number, such as a sector of a disk. Its blocks are
//! encrypted each under a tweak of its own: the first is the unit's number, a little-endian 128-bit
//! integer, encrypted under a second key; each further one is the one before times x in GF(2^128). If the
//! length is no multiple of 16, the last two blocks share their bytes (ciphertext stealing), and the
//! ciphertext is as long as the plaintext.
//!
//! ```
//! use ss55_serpent::SerpentXts;
//!
//! let xts = SerpentXts::new(&core::array::from_fn(|i| i as u8));
//! let mut sectors = [0; 4 * 512];
//! xts.encrypt_units(256, 512, &mut sectors)?; // units 256, 257, 258 and 259
//! xts.decrypt_unit(258, &mut sectors[1024..1536])?;
//! assert_eq!(sectors[1024..1536], [0; 512]);
//! # Ok::<(), ss55_serpent::xts::Error>(())
//! ```
//!
//! XTS hides contents from who finds the disk. It does not detect changes, and who sees a unit twice
//! sees which blocks have changed. The standard limits a unit to 2^20 blocks; nothing here does.

use crate::{BLOCK, Backend, Block, Serpent, backend::double};
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop, optimization_barrier};

/// Tweaks are made ahead for this many blocks: what the widest kernel takes at once, twice. (To begin takes
/// as long as thirty more.)
const AHEAD: usize = 128;
/// Unit numbers are encrypted ahead for this many units.
const UNITS: usize = 32;

/// Why a call did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A unit has fewer than 16 bytes: there is no block to steal from.
    UnitTooShort,
    /// The data are not whole units.
    PartialUnit,
    /// The last unit's number would be over 2^64 - 1.
    UnitOverflow,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::UnitTooShort => "a data unit has at least 16 bytes",
            Error::PartialUnit => "the data are not a whole number of data units",
            Error::UnitOverflow => "the data unit numbers end at 2^64 - 1",
        })
    }
}

impl core::error::Error for Error {}

/// Serpent-256 in XTS mode under one pair of keys. They are wiped on drop.
#[derive(Clone)]
pub struct SerpentXts {
    data: Serpent,
    tweak: Serpent,
}

/// By [`Serpent`]'s.
impl ZeroizeOnDrop for SerpentXts {}

impl fmt::Debug for SerpentXts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SerpentXts")
            .field("backend", &self.data.backend().name())
            .finish_non_exhaustive()
    }
}

impl SerpentXts {
    /// Prepares two keys, that of the data and that of the tweaks, for the fastest backend of this
    /// machine. Equal ones are accepted.
    #[inline]
    pub fn new(keys: &[u8; 64]) -> Self {
        Self::with_backend(Backend::detect(), keys)
    }

    /// Prepares two keys for a given backend.
    pub fn with_backend(backend: Backend, keys: &[u8; 64]) -> Self {
        let (data, tweak) = keys.split_at(32);
        SerpentXts {
            data: Serpent::from_checked(backend, data),
            tweak: Serpent::from_checked(backend, tweak),
        }
    }

    /// Encrypts one unit of at least 16 bytes.
    ///
    /// # Errors
    /// [`Error::UnitTooShort`]; `data` is then as before.
    pub fn encrypt_unit(&self, unit: u64, data: &mut [u8]) -> Result<(), Error> {
        self.run::<true>(unit, data.len(), data)
    }

    /// Decrypts one unit of at least 16 bytes.
    ///
    /// # Errors
    /// [`Error::UnitTooShort`]; `data` is then as before.
    pub fn decrypt_unit(&self, unit: u64, data: &mut [u8]) -> Result<(), Error> {
        self.run::<false>(unit, data.len(), data)
    }

    /// Encrypts a run of units of `unit_len` bytes each, of which `first` is the number of the first:
    /// faster than one call for each.
    ///
    /// # Errors
    /// [`Error::UnitTooShort`], [`Error::PartialUnit`] if the last unit is shorter than the others,
    /// [`Error::UnitOverflow`]; `data` are then as before. No data are no error.
    pub fn encrypt_units(&self, first: u64, unit_len: usize, data: &mut [u8]) -> Result<(), Error> {
        self.run::<true>(first, unit_len, data)
    }

    /// Decrypts a run of units of `unit_len` bytes each, of which `first` is the number of the first.
    ///
    /// # Errors
    /// As for [`encrypt_units`](Self::encrypt_units).
    pub fn decrypt_units(&self, first: u64, unit_len: usize, data: &mut [u8]) -> Result<(), Error> {
        self.run::<false>(first, unit_len, data)
    }

    fn run<const ENCRYPT: bool>(
        &self,
        first: u64,
        unit_len: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        if unit_len < BLOCK {
            return Err(Error::UnitTooShort);
        }
        if !data.len().is_multiple_of(unit_len) {
            return Err(Error::PartialUnit);
        }
        let count = data.len() / unit_len;
        if count > 0 && first.checked_add(count as u64 - 1).is_none() {
            return Err(Error::UnitOverflow);
        }
        let mut tweaks = Tweaks::new(&self.tweak, first, count, unit_len.div_ceil(BLOCK));
        if unit_len.is_multiple_of(BLOCK) {
            self.whole_blocks::<ENCRYPT>(data, &mut tweaks);
        } else {
            for unit in data.chunks_exact_mut(unit_len) {
                let (whole, last) = unit.split_at_mut((unit_len / BLOCK - 1) * BLOCK);
                self.whole_blocks::<ENCRYPT>(whole, &mut tweaks);
                self.stealing::<ENCRYPT>(last, &mut tweaks);
            }
        }
        Ok(())
    }

    fn whole_blocks<const ENCRYPT: bool>(&self, data: &mut [u8], tweaks: &mut Tweaks) {
        let (blocks, _) = data.as_chunks_mut();
        let mut rest = Block::cast_slice_from_core_mut(blocks);
        while !rest.is_empty() {
            let tweaks = tweaks.next(rest.len());
            let blocks;
            (blocks, rest) = rest.split_at_mut(tweaks.len());
            self.add_and_crypt::<ENCRYPT>(tweaks, blocks);
        }
    }

    /// The last two blocks of a unit, the second of which is short. Encryption gives it the beginning of
    /// the first one's ciphertext, and the rest of that a second pass, behind the short block's bytes.
    fn stealing<const ENCRYPT: bool>(&self, last: &mut [u8], tweaks: &mut Tweaks) {
        let mut pair = [tweaks.next(1)[0], tweaks.next(1)[0]];
        // Decryption undoes the second pass first.
        if !ENCRYPT {
            pair.reverse();
        }
        let (block, short) = last
            .split_first_chunk_mut::<BLOCK>()
            .expect("over 16 bytes");
        let block: &mut Block = block.into();
        self.add_and_crypt::<ENCRYPT>(&pair[..1], core::slice::from_mut(block));
        block[..short.len()].swap_with_slice(short);
        self.add_and_crypt::<ENCRYPT>(&pair[1..], core::slice::from_mut(block));
        pair.zeroize();
    }

    fn add_and_crypt<const ENCRYPT: bool>(&self, tweaks: &[u128], blocks: &mut [Block]) {
        if ENCRYPT {
            self.data.encrypt(Some(tweaks), blocks.into());
        } else {
            self.data.decrypt(Some(tweaks), blocks.into());
        }
    }
}

/// The tweaks of a run of units, in the order of their blocks. Wiped on drop.
struct Tweaks<'k> {
    key: &'k Serpent,
    /// Blocks in a unit, a short one included.
    blocks: usize,
    /// The unit after those in `starts`, as the integer that is encrypted (it may be 2^64 at the end), and
    /// how many follow that are not there.
    unit: u128,
    units: usize,
    /// First tweaks of units: those from `started` to `starting` are to be used.
    starts: [Block; UNITS],
    started: usize,
    starting: usize,
    /// Of the unit that is begun: the next tweak, and blocks left.
    tweak: u128,
    left: usize,
    /// Tweaks that are made: those from `used` to `made` are to be used.
    ahead: Ahead,
    used: usize,
    made: usize,
    /// How much of the two arrays is to be wiped: a short call touches little of them.
    starts_touched: usize,
    ahead_touched: usize,
}

/// On a cache line, so that no vector is on two.
#[repr(align(64))]
struct Ahead([u128; AHEAD]);

impl<'k> Tweaks<'k> {
    fn new(key: &'k Serpent, first: u64, units: usize, blocks: usize) -> Self {
        Tweaks {
            key,
            blocks,
            unit: u128::from(first),
            units,
            starts: [Block::default(); UNITS],
            started: 0,
            starting: 0,
            tweak: 0,
            left: 0,
            ahead: Ahead([0; AHEAD]),
            used: 0,
            made: 0,
            starts_touched: 0,
            ahead_touched: 0,
        }
    }

    /// The next tweaks: at least one and at most `most`. There must be some left.
    #[inline]
    fn next(&mut self, most: usize) -> &[u128] {
        if self.used == self.made {
            self.make();
        }
        let start = self.used;
        self.used = (start + most).min(self.made);
        &self.ahead.0[start..self.used]
    }

    /// Makes tweaks as far as there is room, and units.
    fn make(&mut self) {
        (self.used, self.made) = (0, 0);
        while self.made < AHEAD {
            if self.left == 0 {
                let Some(start) = self.start() else { break };
                (self.tweak, self.left) = (start, self.blocks);
            }
            let here = (AHEAD - self.made).min(self.left);
            let tweaks = &mut self.ahead.0[self.made..self.made + here];
            self.key.backend().tweaks(self.tweak, tweaks);
            self.tweak = double(tweaks[here - 1]);
            self.left -= here;
            self.made += here;
        }
        self.ahead_touched = self.ahead_touched.max(self.made);
    }

    /// The first tweak of the next unit, if there is one.
    fn start(&mut self) -> Option<u128> {
        if self.started == self.starting {
            self.starting = self.units.min(UNITS);
            self.started = 0;
            let starts = &mut self.starts[..self.starting];
            for start in &mut *starts {
                *start = self.unit.to_le_bytes().into();
                self.unit += 1;
            }
            self.key.encrypt(None, starts.into());
            self.units -= self.starting;
            self.starts_touched = self.starts_touched.max(self.starting);
        }
        let start = self.starts[..self.starting].get(self.started)?;
        self.started += 1;
        Some(u128::from_le_bytes((*start).into()))
    }
}

impl Drop for Tweaks<'_> {
    fn drop(&mut self) {
        self.starts[..self.starts_touched].fill(Block::default());
        self.ahead.0[..self.ahead_touched].fill(0);
        self.tweak = 0;
        optimization_barrier(self);
    }
}
