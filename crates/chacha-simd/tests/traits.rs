//! `RustCrypto`'s traits: what generic code does over its own chacha20, it does over these.
//!
//! chacha20 has no ChaCha12 and ChaCha8 with 64-bit nonces, and counts 32 bits under 192-bit ones. There
//! the methods of this crate, which other tests compare with other sources, are what is expected.

use ss55_chacha_simd::{
    ChaCha, ChaCha8, ChaCha8Legacy, ChaCha12, ChaCha12Legacy, ChaCha20, ChaCha20Legacy, Variant,
    XChaCha8, XChaCha12, XChaCha20,
    cipher::{
        BlockSizeUser, InOutBuf, Iv, Key, KeyIvInit, StreamCipher, StreamCipherError,
        StreamCipherSeek,
    },
};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

/// Under one key and nonce.
fn cipher<C: KeyIvInit>() -> C {
    let bytes = pat(56);
    C::new_from_slices(&bytes[..32], &bytes[32..32 + C::iv_size()]).expect("the sizes it names")
}

/// A trait for what the tests need, and what generic code would name.
trait Cipher: KeyIvInit + StreamCipher + StreamCipherSeek + BlockSizeUser {
    const LEN: u128;
    fn inherent(&mut self, buf: &mut [u8]) -> bool;
}

impl<V: Variant, const ROUNDS: usize> Cipher for ChaCha<V, ROUNDS>
where
    Self: KeyIvInit,
{
    const LEN: u128 = ChaCha::<V, ROUNDS>::KEYSTREAM_LEN;

    fn inherent(&mut self, buf: &mut [u8]) -> bool {
        ChaCha::apply_keystream(self, buf).is_ok()
    }
}

/// Every length up to more than the widest kernel takes at once, and some beyond, in every way there is.
fn same_bytes<Ours: Cipher, Theirs: KeyIvInit + StreamCipher>() {
    assert_eq!(
        (Ours::key_size(), Ours::iv_size(), Ours::block_size()),
        (Theirs::key_size(), Theirs::iv_size(), 64)
    );
    for len in (0..2 * 2048 + 70).step_by(3).chain([8192, 65_537]) {
        let data = pat(len);
        let mut expected = data.clone();
        cipher::<Theirs>().apply_keystream(&mut expected);
        let mut keystream = vec![0; len];
        cipher::<Theirs>().write_keystream(&mut keystream);

        let mut buf = data.clone();
        StreamCipher::apply_keystream(&mut cipher::<Ours>(), &mut buf);
        assert!(buf == expected, "in place, {len}");
        let mut out = vec![0xee; len];
        cipher::<Ours>().apply_keystream_b2b(&data, &mut out);
        assert!(out == expected, "two buffers, {len}");
        let mut out = vec![0xee; len];
        let both = InOutBuf::new(&data, &mut out).expect("one length");
        cipher::<Ours>()
            .try_apply_keystream_inout(both)
            .expect("not at the end");
        assert!(out == expected, "inout, {len}");
        let mut buf = vec![0xee; len];
        cipher::<Ours>().write_keystream(&mut buf);
        assert!(buf == keystream, "keystream, {len}");
    }
}

/// Pieces of all sizes, keystream written between them, positions asked for and sought on the way.
fn same_steps<Ours: Cipher, Theirs: KeyIvInit + StreamCipher + StreamCipherSeek>() {
    let (mut ours, mut theirs) = (cipher::<Ours>(), cipher::<Theirs>());
    let mut random = 1_u64;
    for step in 0..3000 {
        // Knuth's MMIX generator: the high bits are good enough to choose with.
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let (choice, size) = (random >> 62, (random >> 40) as usize % 700);
        let (mut a, mut b) = (pat(size), pat(size));
        match choice {
            0 => {
                // Below the last block of a 32-bit counter, where theirs ends.
                let position = (random >> 20) % (1 << 37);
                StreamCipherSeek::seek(&mut ours, position);
                theirs.seek(position);
            }
            1 => {
                ours.write_keystream(&mut a);
                theirs.write_keystream(&mut b);
            }
            _ => {
                StreamCipher::apply_keystream(&mut ours, &mut a);
                theirs.apply_keystream(&mut b);
            }
        }
        assert!(a == b, "step {step}");
        assert_eq!(ours.current_pos::<u64>(), theirs.current_pos(), "{step}");
        assert_eq!(ours.current_pos::<u128>(), theirs.current_pos(), "{step}");
    }
}

/// The last byte can be had, one more cannot, and then nothing has changed.
fn ends<C: Cipher>() {
    for left in [0, 1, 63, 64, 65, 127, 128, 200, 3000] {
        let start = C::LEN - left as u128;
        let mut expected = vec![0; left];
        let mut reference = cipher::<C>();
        StreamCipherSeek::seek(&mut reference, start);
        assert!(reference.inherent(&mut expected));
        assert!(!reference.inherent(&mut [0]));

        let at_start = || {
            let mut cipher = cipher::<C>();
            cipher.try_seek(start).expect("within the keystream");
            assert_eq!(cipher.current_pos::<u128>(), start);
            cipher
        };
        assert!(at_start().check_remaining(left).is_ok());
        for more in [left + 1, left + 64, left + 100_000] {
            let mut cipher = at_start();
            assert!(cipher.check_remaining(more).is_err());
            let data = pat(more);
            let mut buf = data.clone();
            assert!(cipher.try_apply_keystream(&mut buf).is_err());
            assert!(cipher.try_write_keystream(&mut buf).is_err());
            assert!(buf == data, "{left} left, {more} asked for");
            let mut out = data.clone();
            assert!(cipher.try_apply_keystream_b2b(&data, &mut out).is_err());
            assert!(out == data, "{left} left, {more} asked for");
            // Unchecked is not unsafe here.
            for call in [C::unchecked_apply_keystream, C::unchecked_write_keystream] {
                assert!(catch_unwind(AssertUnwindSafe(|| call(&mut cipher, &mut buf))).is_err());
                assert!(buf == data, "{left} left, {more} asked for unchecked");
            }
            assert_eq!(cipher.current_pos::<u128>(), start);
            // Nothing is lost: what is left can still be had.
            let mut rest = vec![0; left];
            StreamCipher::apply_keystream(&mut cipher, &mut rest);
            assert_eq!(rest, expected);
            assert_eq!(cipher.current_pos::<u128>(), C::LEN);
        }
        assert!(at_start().check_remaining(usize::MAX).is_err());
    }
    let lengths = cipher::<C>().try_apply_keystream_b2b(&[0; 5], &mut [0; 6]);
    assert!(lengths.is_err());
}

/// Positions in every type, to the edges of what it holds and of what the keystream has.
fn seeks<C: Cipher + Clone>() {
    fn unsigned(position: i32) -> u128 {
        position.try_into().expect("not negative")
    }
    fn reached<C: Cipher + Clone>(cipher: &C, position: u128) {
        let mut direct = cipher.clone();
        StreamCipherSeek::seek(&mut direct, position);
        assert_eq!(cipher.try_current_pos::<u128>().ok(), Some(position));
        let fits = |fits: bool, had: Option<u128>| assert_eq!(had, fits.then_some(position));
        let wide = |position: Option<u64>| position.map(u128::from);
        fits(
            position <= i32::MAX as u128,
            cipher.try_current_pos::<i32>().ok().map(unsigned),
        );
        fits(
            position <= u32::MAX.into(),
            cipher.try_current_pos::<u32>().ok().map(u128::from),
        );
        fits(
            position <= u64::MAX.into(),
            wide(cipher.try_current_pos().ok()),
        );
        fits(
            position <= usize::MAX as u128,
            cipher.try_current_pos::<usize>().ok().map(|p| p as u128),
        );
        if position < C::LEN {
            let (mut a, mut b) = ([0], [0]);
            assert!(direct.inherent(&mut a) && cipher.clone().inherent(&mut b));
            assert_eq!(a, b, "{position}");
        }
    }

    let mut cipher = cipher::<C>();
    for position in [0, 1, 63, 64, 65, i32::MAX - 1, i32::MAX] {
        cipher.try_seek(position).expect("within the keystream");
        reached(&cipher, unsigned(position));
    }
    for position in [1 << 31, u32::MAX - 63, u32::MAX - 1, u32::MAX] {
        cipher.try_seek(position).expect("within the keystream");
        reached(&cipher, position.into());
    }
    for position in [1_u64 << 32, (1 << 32) + 1, (1 << 38) - 1, 1 << 38] {
        cipher.try_seek(position).expect("within the keystream");
        reached(&cipher, position.into());
    }
    for position in [1, 70, usize::MAX >> 27] {
        cipher.try_seek(position).expect("within the keystream");
        reached(&cipher, position as u128);
    }
    for position in [C::LEN - 65, C::LEN - 1, C::LEN] {
        cipher.try_seek(position).expect("within the keystream");
        reached(&cipher, position);
    }
    for position in [u64::MAX - 1, u64::MAX] {
        let inside = u128::from(position) <= C::LEN;
        assert_eq!(cipher.try_seek(position).is_ok(), inside, "{position}");
    }

    // Refused, and where it was.
    StreamCipherSeek::seek(&mut cipher, 77_u32);
    for position in [C::LEN + 1, C::LEN + 64, C::LEN << 1, u128::MAX] {
        assert!(cipher.try_seek(position).is_err());
        reached(&cipher, 77);
    }
    for position in [-1, -64, i32::MIN] {
        let refused: Result<(), StreamCipherError> = cipher.try_seek(position);
        assert!(refused.is_err());
        reached(&cipher, 77);
    }
}

/// Those that chacha20 has too.
macro_rules! theirs {
    ($($test:ident: $ours:ty),*) => {$(
        #[test]
        fn $test() {
            type Theirs = chacha20_types::$test;
            same_bytes::<$ours, Theirs>();
            same_steps::<$ours, Theirs>();
        }
    )*};
}

mod chacha20_types {
    #![allow(non_camel_case_types)] // each is called as its test
    pub type ietf_20 = chacha20::ChaCha20;
    pub type ietf_12 = chacha20::ChaCha12;
    pub type ietf_8 = chacha20::ChaCha8;
    pub type legacy_20 = chacha20::ChaCha20Legacy;
    pub type extended_20 = chacha20::XChaCha20;
    pub type extended_12 = chacha20::XChaCha12;
    pub type extended_8 = chacha20::XChaCha8;
}

theirs!(
    ietf_20: ChaCha20,
    ietf_12: ChaCha12,
    ietf_8: ChaCha8,
    legacy_20: ChaCha20Legacy,
    extended_20: XChaCha20,
    extended_12: XChaCha12,
    extended_8: XChaCha8
);

/// All nine.
macro_rules! all {
    ($run:ident) => {
        $run::<ChaCha20>();
        $run::<ChaCha12>();
        $run::<ChaCha8>();
        $run::<ChaCha20Legacy>();
        $run::<ChaCha12Legacy>();
        $run::<ChaCha8Legacy>();
        $run::<XChaCha20>();
        $run::<XChaCha12>();
        $run::<XChaCha8>();
    };
}

#[test]
fn the_end_of_the_keystream() {
    all!(ends);
}

#[test]
fn positions() {
    all!(seeks);
}

/// The traits give what the methods give, for the types that chacha20 lacks as well.
#[test]
fn traits_and_methods() {
    fn agree<C: Cipher>() {
        for len in [0, 1, 64, 300, 5000] {
            let (mut a, mut b) = (pat(len), pat(len));
            StreamCipher::apply_keystream(&mut cipher::<C>(), &mut a);
            assert!(cipher::<C>().inherent(&mut b));
            assert!(a == b && (len < 64 || a != pat(len)), "{len}");
        }
    }
    all!(agree);
}

/// A program that had chacha20 needs no other change than its name.
#[test]
#[allow(clippy::useless_conversion)] // there they make arrays of another kind
fn the_calls_of_chacha20_compile() {
    fn generic<C: KeyIvInit + StreamCipher>(key: &Key<C>, nonce: &Iv<C>, buf: &mut [u8]) {
        C::new(key, nonce).apply_keystream(buf);
    }
    let (key, nonce) = ([7; 32], [9; 12]);
    let mut cipher = ChaCha20::new(&key.into(), &nonce.into());
    let mut buf = [0; 100];
    cipher.try_apply_keystream(&mut buf).expect("100 bytes");
    cipher.try_seek(0_u64).expect("the start");
    cipher.try_apply_keystream(&mut buf).expect("100 bytes");
    assert_eq!(buf, [0; 100]);

    let mut theirs = buf;
    generic::<ChaCha20>(&key.into(), &nonce.into(), &mut buf);
    generic::<chacha20::ChaCha20>(&key.into(), &nonce.into(), &mut theirs);
    assert_eq!(buf, theirs);
    let _: &dyn Debug = &cipher;
}
