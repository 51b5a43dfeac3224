//! Opens the header of a VeraCrypt volume of Serpent and SHA-512, and decrypts its first sector.
//!
//! ```text
//! echo -n PASSWORD | cargo run --release --example veracrypt_header -- VOLUME [PIM]
//! ```
//!
//! The layout is that of VeraCrypt's documentation, "VeraCrypt Volume Format Specification": 64 bytes of
//! salt, 448 bytes of header encrypted as XTS data unit 0 under keys from the password, a hidden volume's
//! header or random bytes up to 131072, and there the data, in units of 512 bytes numbered from the
//! beginning of the volume: the first is 256.

use pbkdf2::pbkdf2_hmac;
use sha2::Sha512;
use ss55_serpent::SerpentXts;
use std::{
    env,
    error::Error,
    fmt,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    process::ExitCode,
};

const SALT: usize = 64;
/// Salt and encrypted part.
const HEADER: usize = 512;
const SECTOR: usize = 512;

/// What the header says of a volume. Offsets in it count from its encrypted part, as here; the
/// documentation counts from the salt.
struct Volume {
    version: u16,
    size: u64,
    /// Where the data begin, and how many bytes they are.
    data: u64,
    data_len: u64,
    cipher: SerpentXts,
}

#[derive(Debug, PartialEq)]
enum Refused {
    /// Wrong password, other algorithms, or no volume: there is no telling.
    NotOpened,
    KeyChecksum,
    HeaderChecksum,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::NotOpened => "wrong password or PIM, or no volume of Serpent and SHA-512",
            Refused::KeyChecksum => "the checksum of the keys is wrong",
            Refused::HeaderChecksum => "the checksum of the header is wrong",
        })
    }
}

impl Error for Refused {}

/// Iterations of PBKDF2: the default's 500,000, or by the user's PIM.
fn iterations(pim: Option<u32>) -> u32 {
    pim.map_or(500_000, |pim| 15_000 + 1000 * pim)
}

/// The cipher of the header itself.
fn header_cipher(password: &[u8], salt: &[u8], iterations: u32) -> SerpentXts {
    let mut keys = [0; 64];
    pbkdf2_hmac::<Sha512>(password, salt, iterations, &mut keys);
    SerpentXts::new(&keys)
}

impl Volume {
    fn open(header: &[u8; HEADER], password: &[u8], iterations: u32) -> Result<Self, Refused> {
        let (salt, encrypted) = header.split_at(SALT);
        let mut fields = encrypted.to_vec();
        header_cipher(password, salt, iterations)
            .decrypt_unit(0, &mut fields)
            .expect("448 bytes");
        let be32 = |at: usize| u32::from_be_bytes(array(&fields, at));
        let be64 = |at: usize| u64::from_be_bytes(array(&fields, at));
        if &fields[..4] != b"VERA" {
            return Err(Refused::NotOpened);
        }
        if be32(8) != crc32(&fields[192..448]) {
            return Err(Refused::KeyChecksum);
        }
        if be32(188) != crc32(&fields[..188]) {
            return Err(Refused::HeaderChecksum);
        }
        Ok(Volume {
            version: u16::from_be_bytes(array(&fields, 4)),
            size: be64(36),
            data: be64(44),
            data_len: be64(52),
            // Both keys of a cipher, that of the data first.
            cipher: SerpentXts::new(&array(&fields, 192)),
        })
    }

    /// Decrypts sectors that begin at a byte of the volume.
    fn decrypt(&self, at: u64, sectors: &mut [u8]) -> Result<(), ss55_serpent::xts::Error> {
        self.cipher
            .decrypt_units(at / SECTOR as u64, SECTOR, sectors)
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("N bytes")
}

/// CRC-32 of IEEE 802.3, bit by bit: it is called on 444 bytes.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    })
}

fn run(path: &str, pim: Option<u32>) -> Result<(), Box<dyn Error>> {
    let mut password = Vec::new();
    io::stdin().read_to_end(&mut password)?;
    let mut file = File::open(path)?;
    let mut header = [0; HEADER];
    file.read_exact(&mut header)?;
    let volume = Volume::open(&header, &password, iterations(pim))?;
    println!(
        "header version {}, volume of {} bytes, {} bytes of data from byte {} on",
        volume.version, volume.size, volume.data_len, volume.data
    );
    let mut sector = [0; SECTOR];
    file.seek(SeekFrom::Start(volume.data))?;
    file.read_exact(&mut sector)?;
    volume.decrypt(volume.data, &mut sector)?;
    println!("the first sector begins {:02x?}", &sector[..16]);
    Ok(())
}

fn main() -> ExitCode {
    let mut words = env::args().skip(1);
    let (path, pim) = (words.next(), words.next().map(|pim| pim.parse()));
    let (Some(path), Ok(pim)) = (path, pim.transpose()) else {
        eprintln!("usage: veracrypt_header VOLUME [PIM], password on standard input");
        return ExitCode::from(2);
    };
    match run(&path, pim) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWORD: &[u8] = b"correct horse battery staple";
    /// A small PIM: the tests are of the layout.
    const PIM: Option<u32> = Some(1);
    const DATA: usize = 131_072;
    const DATA_LEN: usize = 64 * SECTOR;
    /// What follows the data: the backup headers.
    const END: usize = 131_072;

    fn plaintext() -> Vec<u8> {
        (0..DATA_LEN)
            .map(|i| (7 * i + 3) as u8 ^ (i >> 9) as u8)
            .collect()
    }

    /// A volume by the published layout; `change` has the header before it is encrypted.
    fn volume(change: impl Fn(&mut [u8])) -> Vec<u8> {
        let keys: [u8; 64] = core::array::from_fn(|i| (i * 37 + 5) as u8);
        let mut fields = [0; HEADER - SALT];
        fields[..4].copy_from_slice(b"VERA");
        fields[4..6].copy_from_slice(&5_u16.to_be_bytes()); // of the header
        fields[6..8].copy_from_slice(&0x010b_u16.to_be_bytes()); // of the program, at least
        fields[36..44].copy_from_slice(&(DATA_LEN as u64).to_be_bytes());
        fields[44..52].copy_from_slice(&(DATA as u64).to_be_bytes());
        fields[52..60].copy_from_slice(&(DATA_LEN as u64).to_be_bytes());
        fields[64..68].copy_from_slice(&(SECTOR as u32).to_be_bytes());
        fields[192..256].copy_from_slice(&keys);
        let sum = crc32(&fields[192..448]).to_be_bytes();
        fields[8..12].copy_from_slice(&sum);
        let sum = crc32(&fields[..188]).to_be_bytes();
        fields[188..192].copy_from_slice(&sum);
        change(&mut fields);

        let salt: [u8; SALT] = core::array::from_fn(|i| (i * 91 + 17) as u8);
        header_cipher(PASSWORD, &salt, iterations(PIM))
            .encrypt_unit(0, &mut fields)
            .expect("448 bytes");
        let mut volume = [&salt[..], &fields].concat();
        volume.resize(DATA, 0xd1);
        volume.extend(plaintext());
        let first = (DATA / SECTOR) as u64;
        for (unit, sector) in (first..).zip(volume[DATA..].chunks_mut(SECTOR)) {
            SerpentXts::new(&keys)
                .encrypt_unit(unit, sector)
                .expect("512 bytes");
        }
        volume.resize(DATA + DATA_LEN + END, 0xd1);
        volume
    }

    fn open(volume: &[u8], password: &[u8]) -> Result<Volume, Refused> {
        Volume::open(&array(volume, 0), password, iterations(PIM))
    }

    #[test]
    fn a_volume_opens_and_its_data_come_back() {
        let bytes = volume(|_| {});
        let volume = open(&bytes, PASSWORD).expect("the password");
        assert_eq!((volume.version, volume.size), (5, DATA_LEN as u64));
        assert_eq!(
            (volume.data, volume.data_len),
            (DATA as u64, DATA_LEN as u64)
        );
        let mut data = bytes[DATA..DATA + DATA_LEN].to_vec();
        volume
            .decrypt(volume.data, &mut data)
            .expect("whole sectors");
        assert!(data == plaintext());
        let mut one = bytes[DATA + 5 * SECTOR..DATA + 6 * SECTOR].to_vec();
        volume
            .decrypt(volume.data + 5 * SECTOR as u64, &mut one)
            .expect("a sector");
        assert!(one == plaintext()[5 * SECTOR..6 * SECTOR]);
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let refused = |change: fn(&mut [u8]), password| open(&volume(change), password).err();
        assert_eq!(refused(|_| {}, b"wrong"), Some(Refused::NotOpened));
        assert_eq!(
            refused(|f| f[..4].copy_from_slice(b"TRUE"), PASSWORD),
            Some(Refused::NotOpened)
        );
        assert_eq!(
            refused(|f| f[447] ^= 1, PASSWORD),
            Some(Refused::KeyChecksum)
        );
        assert_eq!(
            refused(|f| f[36] ^= 1, PASSWORD),
            Some(Refused::HeaderChecksum)
        );
    }

    #[test]
    fn checksums_are_those_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn the_default_takes_longer() {
        assert_eq!(iterations(None), 500_000);
        assert_eq!(iterations(Some(485)), 500_000);
    }
}
