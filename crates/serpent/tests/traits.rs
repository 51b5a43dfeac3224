//! `RustCrypto`'s traits: modes over them give what they give over its own Serpent, many blocks at once.

use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, StreamCipher};
use core::cell::Cell;
use ss55_serpent::{
    Backend, Serpent, SerpentXts,
    cipher::{
        AlgorithmName, Array, Block, BlockCipherDecBackend, BlockCipherDecClosure,
        BlockCipherDecrypt, BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt,
        BlockSizeUser, KeyInit, KeySizeUser, consts::U16, typenum::Unsigned,
    },
};
use std::fmt;
use xts_mode::{Xts128, get_tweak_default};

const KEY: [u8; 32] = *b"32 bytes, just as KeySize says. ";

fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

/// The cipher's name, as a mode would print it.
struct Name;
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Serpent::write_alg_name(f)
    }
}

#[test]
fn keys() {
    assert_eq!(<Serpent as KeySizeUser>::key_size(), 32);
    for len in 0..=64 {
        let cipher = <Serpent as KeyInit>::new_from_slice(&pat(len));
        assert_eq!(cipher.is_ok(), [16, 24, 32].contains(&len), "{len}");
    }
    assert_eq!(Name.to_string(), "Serpent");
}

/// Counter mode, at all kinds of lengths over two trips of the widest loop: whole groups and tails. The
/// counter wraps after the first block.
#[test]
fn counter_mode() {
    let theirs = serpent::Serpent::new_from_slice(&KEY).expect("it takes 32 bytes");
    let iv = [0xff; 16];
    for len in (0..2 * 1024 + 100).step_by(7) {
        let mut data = pat(len);
        ctr::Ctr128BE::<Serpent>::new(&KEY.into(), &iv.into()).apply_keystream(&mut data);
        let mut expected = pat(len);
        let mut counter = u128::from_be_bytes(iv);
        for bytes in expected.chunks_mut(16) {
            let mut block = counter.to_be_bytes().into();
            BlockCipherEncrypt::encrypt_block(&theirs, &mut block);
            bytes
                .iter_mut()
                .zip(block)
                .for_each(|(byte, key)| *byte ^= key);
            counter = counter.wrapping_add(1);
        }
        assert!(data == expected, "{len}");
    }
}

/// Chaining: encryption goes block by block, decryption in groups.
#[test]
fn chaining_mode() {
    let iv = [0x5a; 16];
    for count in (0..70).chain([128, 200]) {
        let mut data = pat(16 * count);
        let (blocks, _) = Array::slice_as_chunks_mut(&mut data);
        serpent_cbc_encrypt(&iv, blocks);
        cbc::Decryptor::<Serpent>::new(&KEY.into(), &iv.into()).decrypt_blocks(blocks);
        assert!(data == pat(16 * count), "{count}");

        let mut expected = pat(16 * count);
        let (blocks, _) = Array::slice_as_chunks_mut(&mut data);
        cbc::Encryptor::<Serpent>::new(&KEY.into(), &iv.into()).encrypt_blocks(blocks);
        serpent_cbc_encrypt(&iv, Array::slice_as_chunks_mut(&mut expected).0);
        assert!(data == expected, "{count}");
    }
}

fn serpent_cbc_encrypt(iv: &[u8; 16], blocks: &mut [Block<Serpent>]) {
    cbc::Encryptor::<serpent::Serpent>::new_from_slices(&KEY, iv)
        .expect("it takes 32 bytes")
        .encrypt_blocks(blocks);
}

/// A mode that only looks at how it is called.
struct Asks<'a>(&'a Cell<usize>);

impl BlockSizeUser for Asks<'_> {
    type BlockSize = U16;
}

/// A whole group, a group less one, and one block: through the backend as a mode would.
macro_rules! ask {
    ($self:ident, $size:ty, $backend:ident, $one:ident, $group:ident, $tail:ident) => {{
        $self.0.set(<$size as Unsigned>::USIZE);
        let mut group = Array::<Block<Serpent>, $size>::default();
        $backend.$group(&mut group);
        let mut block = Block::<Serpent>::default();
        $backend.$one(&mut block);
        assert!(group.iter().all(|other| *other == block));
        let mut tail = Array::<Block<Serpent>, $size>::default();
        let len = tail.len() - 1;
        $backend.$tail(&mut tail[..len]);
        assert!(tail[..len].iter().all(|other| *other == block));
    }};
}

impl BlockCipherEncClosure for Asks<'_> {
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        ask!(
            self,
            B::ParBlocksSize,
            backend,
            encrypt_block_inplace,
            encrypt_par_blocks_inplace,
            encrypt_tail_blocks_inplace
        );
    }
}

impl BlockCipherDecClosure for Asks<'_> {
    fn call<B: BlockCipherDecBackend<BlockSize = U16>>(self, backend: &B) {
        ask!(
            self,
            B::ParBlocksSize,
            backend,
            decrypt_block_inplace,
            decrypt_par_blocks_inplace,
            decrypt_tail_blocks_inplace
        );
    }
}

#[test]
fn modes_are_given_as_many_blocks_as_the_backend_takes() {
    for backend in Backend::available() {
        let cipher = Serpent::with_backend(backend, &KEY).expect("32 bytes");
        let expected = match backend.name() {
            "avx512" => 64,
            "avx2" => 16,
            "sse2" | "neon" => 4,
            _ => 1,
        };
        let width = Cell::new(0);
        cipher.encrypt_with_backend(Asks(&width));
        assert_eq!(width.take(), expected);
        cipher.decrypt_with_backend(Asks(&width));
        assert_eq!(width.take(), expected);
    }
}

/// XTS as another crate makes it of any block cipher, here of ours: units of each length up to a pass of the
/// widest kernel and more, and a run of units.
#[test]
fn xts_mode_over_this_cipher() {
    let keys: [u8; 64] = std::array::from_fn(|i| (73 * i + 11) as u8);
    for backend in Backend::available() {
        let cipher = |key| Serpent::with_backend(backend, key).expect("32 bytes");
        let theirs = Xts128::new(cipher(&keys[..32]), cipher(&keys[32..]));
        let ours = SerpentXts::with_backend(backend, &keys);
        let name = backend.name();
        for len in 16..1100 {
            let unit = u64::MAX / 3 * (len as u64 % 4);
            let (mut data, mut expected) = (pat(len), pat(len));
            theirs.encrypt_sector(&mut expected, get_tweak_default(unit.into()));
            ours.encrypt_unit(unit, &mut data).expect("long enough");
            assert!(data == expected, "{name}: {len} bytes");
            // What is decrypted is no ciphertext of either: stealing is not undone by itself.
            let (mut data, mut expected) = (pat(len), pat(len));
            theirs.decrypt_sector(&mut expected, get_tweak_default(unit.into()));
            ours.decrypt_unit(unit, &mut data).expect("long enough");
            assert!(data == expected, "{name}: {len} bytes, decrypted");
        }
        for len in [16, 17, 512, 520, 4096] {
            let (mut data, mut expected) = (pat(40 * len), pat(40 * len));
            theirs.encrypt_area(&mut expected, len, 250, get_tweak_default);
            ours.encrypt_units(250, len, &mut data)
                .expect("whole units");
            assert!(data == expected, "{name}: units of {len} bytes");
            theirs.decrypt_area(&mut expected, len, 250, get_tweak_default);
            ours.decrypt_units(250, len, &mut data)
                .expect("whole units");
            assert!(data == expected && data == pat(40 * len), "{name}: {len}");
        }
    }
}
