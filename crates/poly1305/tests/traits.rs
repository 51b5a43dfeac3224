//! `RustCrypto`'s traits: what generic code does over its own poly1305, it does over this one.

use ss55_poly1305::{
    Poly1305,
    universal_hash::{
        Block, Key, KeyInit, UhfBackend, UhfClosure, UniversalHash,
        array::Array,
        common::{BlockSizeUser, KeySizeUser},
        consts::U16,
        typenum::Unsigned,
    },
};

#[path = "support/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use oracle::{LARGEST_R, pat};

fn blocks(bytes: &[u8]) -> &[Array<u8, U16>] {
    let (blocks, rest) = Array::slice_as_chunks(bytes);
    assert!(rest.is_empty());
    blocks
}

fn keys() -> [[u8; 32]; 3] {
    let mut random = [0; 32];
    for (i, byte) in random.iter_mut().enumerate() {
        *byte = (i * 73 + 41) as u8;
    }
    [random, LARGEST_R, [0xff; 32]]
}

#[test]
fn sizes() {
    assert_eq!((Poly1305::key_size(), Poly1305::block_size()), (32, 16));
    for len in 0..70 {
        let made = <Poly1305 as KeyInit>::new_from_slice(&pat(len));
        assert_eq!(made.is_ok(), len == 32, "{len}");
    }
}

/// Whole blocks in one call, in two, and block by block.
#[test]
fn whole_blocks() {
    for key in keys() {
        for message in [pat(16 * 150), vec![0xff; 16 * 150]] {
            for count in 0..=150 {
                let message = &message[..16 * count];
                let mut theirs = poly1305::Poly1305::new(&key.into());
                theirs.update(blocks(message));
                let expected = theirs.finalize();
                for first in [0, 1, count / 3, count.saturating_sub(1), count] {
                    let (head, tail) = message.split_at(16 * first.min(count));
                    let mut mac = <Poly1305 as KeyInit>::new(&key.into());
                    UniversalHash::update(&mut mac, blocks(head));
                    UniversalHash::update(&mut mac, blocks(tail));
                    assert_eq!(UniversalHash::finalize(mac), expected, "{first} of {count}");
                }
                let mut mac = <Poly1305 as KeyInit>::new(&key.into());
                for block in blocks(message) {
                    UniversalHash::update(&mut mac, core::slice::from_ref(block));
                }
                assert_eq!(UniversalHash::finalize(mac), expected, "{count} by one");
            }
        }
    }
}

/// `update_padded` fills the last block with zeros, and that block counts as a whole one: not the tag of
/// the message without them.
#[test]
fn padding() {
    for key in keys() {
        for len in 0..2200 {
            let (ad, message) = (pat(len % 40), pat(len));
            let mut theirs = poly1305::Poly1305::new(&key.into());
            theirs.update_padded(&ad);
            theirs.update_padded(&message);
            let expected = theirs.finalize();
            let mut mac = <Poly1305 as KeyInit>::new(&key.into());
            mac.update_padded(&ad);
            mac.update_padded(&message);
            assert_eq!(UniversalHash::finalize(mac), expected, "{len}");

            let mut mac = Poly1305::new(&key);
            mac.update(&ad);
            mac.pad16();
            mac.update(&message);
            mac.pad16();
            assert_eq!(mac.finalize().as_bytes()[..], expected[..], "{len}");

            // What poly1305 calls unpadded is `mac`.
            let theirs = poly1305::Poly1305::new(&key.into()).compute_unpadded(&message);
            assert_eq!(Poly1305::mac(&key, &message).as_bytes()[..], theirs[..]);
        }
    }
}

#[test]
fn verification() {
    let key = keys()[0];
    let message = pat(333);
    let hashed = || {
        let mut mac = <Poly1305 as KeyInit>::new(&key.into());
        mac.update_padded(&message);
        mac
    };
    let mut tag = UniversalHash::finalize(hashed());
    hashed().verify(&tag).expect("its own tag");
    for bit in 0..128 {
        tag[bit / 8] ^= 1 << (bit % 8);
        hashed().verify(&tag).expect_err("another tag");
        tag[bit / 8] ^= 1 << (bit % 8);
    }
}

/// Hands over one block, then a whole group, then one block, as a mode of its own might.
struct Groups<'a>(&'a [u8], &'a mut usize);

impl BlockSizeUser for Groups<'_> {
    type BlockSize = U16;
}

impl UhfClosure for Groups<'_> {
    fn call<B: UhfBackend<BlockSize = U16>>(self, backend: &mut B) {
        let (first, rest) = blocks(self.0).split_first().expect("a block");
        let (groups, rest) = Array::<_, B::ParBlocksSize>::slice_as_chunks(rest);
        assert!(backend.blocks_needed_to_align() < B::ParBlocksSize::USIZE);
        backend.proc_block(first);
        for group in groups {
            backend.proc_par_blocks(group);
            *self.1 += 1;
        }
        for block in rest {
            backend.proc_block(block);
        }
    }
}

#[test]
fn groups_of_blocks() {
    for key in keys() {
        for count in [1, 2, 64, 65, 66, 200] {
            let message = pat(16 * count);
            let mut groups = 0;
            let mut mac = <Poly1305 as KeyInit>::new(&key.into());
            mac.update_with_backend(Groups(&message, &mut groups));
            assert_eq!(groups, (count - 1) / 64);
            let mut theirs = poly1305::Poly1305::new(&key.into());
            theirs.update(blocks(&message));
            assert_eq!(UniversalHash::finalize(mac), theirs.finalize(), "{count}");
        }
    }
}

/// Generic code, instantiated with either.
#[test]
fn generic() {
    fn tag<H: UniversalHash<BlockSize = U16> + KeyInit>(key: &Key<H>, data: &[u8]) -> Block<H> {
        let mut hash = H::new(key);
        hash.update_padded(data);
        hash.finalize()
    }
    let (key, data) = (keys()[0], pat(1000));
    let theirs = tag::<poly1305::Poly1305>(&key.into(), &data);
    assert_eq!(tag::<Poly1305>(&key.into(), &data), theirs);
}
