//! `RustCrypto`'s traits: what generic code does over its own chacha20poly1305, it does over these.

#[path = "support/engines.rs"]
#[allow(dead_code)]
mod engines;

use aead_stream::{DecryptorBE32, DecryptorLE31, EncryptorBE32, EncryptorLE31};
use engines::engines;
use ss55_aead::{
    Aad, ChaCha20Poly1305, Engine, PortableEngine, SodiumEngine, XChaCha20Poly1305,
    aead::{
        self, Aead, AeadCore, AeadInOut, Key, KeyInit, KeySizeUser, Nonce, Payload, Tag,
        TagPosition, array::ArraySize, consts::U16, inout::InOutBuf,
    },
};

const KEY: [u8; 32] = *b"32 bytes, as KeySizeUser says.  ";

fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

fn nonce<A: AeadCore>() -> Nonce<A> {
    Nonce::<A>::try_from(&pat(size_of::<Nonce<A>>())[..]).expect("its size")
}

/// Each of ours opens what theirs sealed, and the other way round, in every way there is.
fn same_bytes<Ours, Theirs>(name: &str, ours: &Ours)
where
    Ours: Aead + AeadInOut + AeadCore<TagSize = U16>,
    Theirs: Aead + AeadInOut + KeyInit + AeadCore<TagSize = U16, NonceSize = Ours::NonceSize>,
{
    assert_eq!(Ours::TAG_POSITION, TagPosition::Postfix);
    let theirs = Theirs::new_from_slice(&KEY).expect("32 bytes");
    let lengths = (0..600).chain([1000, 1024, 4096, 8191, 65_536, 65_537]);
    for len in lengths {
        let (message, ad) = (pat(len), pat(len % 37));
        let payload = || Payload {
            msg: &message,
            aad: &ad,
        };
        let sealed = theirs.encrypt(&nonce::<Theirs>(), payload());
        let sealed = sealed.expect("short");
        assert_eq!(
            ours.encrypt(&nonce::<Ours>(), payload()).as_ref(),
            Ok(&sealed),
            "{name}, {len}"
        );
        let (ciphertext, tag) = sealed.split_at(len);
        let mut buf = message.clone();
        let made = ours.encrypt_inout_detached(&nonce::<Ours>(), &ad, (&mut buf[..]).into());
        assert!(
            buf == ciphertext && made.expect("short")[..] == *tag,
            "{name}, {len}"
        );
        let mut out = vec![0xee; len];
        let between = InOutBuf::new(&message, &mut out).expect("one length");
        let made = ours.encrypt_inout_detached(&nonce::<Ours>(), &ad, between);
        assert!(
            out == ciphertext && made.expect("short")[..] == *tag,
            "{name}, {len}"
        );

        let mut buf = sealed.clone();
        ours.decrypt_in_place(&nonce::<Ours>(), &ad, &mut buf)
            .expect("authentic");
        assert!(buf == message, "{name}, {len}");
        let tag = Tag::<Ours>::try_from(tag).expect("16 bytes");
        let mut out = vec![0xee; len];
        let between = InOutBuf::new(ciphertext, &mut out).expect("one length");
        ours.decrypt_inout_detached(&nonce::<Ours>(), &ad, between, &tag)
            .expect("authentic");
        assert!(out == message, "{name}, {len}");

        refuses(name, ours, &sealed, &ad);
    }
}

/// A bit of the tag, of the ciphertext, of the nonce, of the ad: no plaintext, and zeros where it would be.
fn refuses<A>(name: &str, aead: &A, sealed: &[u8], ad: &[u8])
where
    A: Aead + AeadInOut + AeadCore<TagSize = U16>,
{
    let len = sealed.len() - 16;
    let good = nonce::<A>();
    let mut other_nonce = good.clone();
    *other_nonce.last_mut().expect("not empty") ^= 0x80;
    let other_ad = [ad, b"x"].concat();
    let mut other_tag = sealed.to_vec();
    other_tag[len + 15] ^= 1;
    let mut other_text = sealed.to_vec();
    other_text[len / 2] ^= 0x40;
    for (nonce, ad, sealed) in [
        (&other_nonce, ad, sealed),
        (&good, &other_ad[..], sealed),
        (&good, ad, &other_tag),
        (&good, ad, &other_text),
    ] {
        let payload = Payload {
            msg: sealed,
            aad: ad,
        };
        assert_eq!(aead.decrypt(nonce, payload), Err(aead::Error), "{name}");
        let mut buf = sealed.to_vec();
        let refused = aead.decrypt_in_place(nonce, ad, &mut buf);
        assert_eq!(refused, Err(aead::Error), "{name}");
        assert_eq!(buf.len(), len + 16, "{name}");
        assert!(buf[..len].iter().all(|byte| *byte == 0), "{name}");
        assert_eq!(buf[len..], sealed[len..], "{name}");
        let (ciphertext, tag) = sealed.split_at(len);
        let mut out = vec![0xee; len];
        let between = InOutBuf::new(ciphertext, &mut out).expect("one length");
        let tag = Tag::<A>::try_from(tag).expect("16 bytes");
        let refused = aead.decrypt_inout_detached(nonce, ad, between, &tag);
        assert_eq!(refused, Err(aead::Error), "{name}");
        assert!(out.iter().all(|byte| *byte == 0), "{name}");
    }
}

#[test]
fn every_engine_is_chacha20poly1305() {
    for engine in engines() {
        let name = engine.name();
        same_bytes::<_, chacha20poly1305::ChaCha20Poly1305>(
            name,
            &ChaCha20Poly1305::with_engine(*engine, &KEY),
        );
        same_bytes::<_, chacha20poly1305::XChaCha20Poly1305>(
            name,
            &XChaCha20Poly1305::with_engine(*engine, &KEY),
        );
    }
}

/// By its key alone an AEAD is made on any engine that has a default.
#[test]
fn keys() {
    fn made<A: Aead + KeyInit>() -> Vec<u8> {
        assert_eq!(A::key_size(), 32);
        for len in 0..70 {
            assert_eq!(A::new_from_slice(&pat(len)).is_ok(), len == 32, "{len}");
        }
        let aead = A::new_from_slice(&KEY).expect("32 bytes");
        aead.encrypt(&nonce::<A>(), &b"message"[..]).expect("short")
    }
    let expected = made::<chacha20poly1305::ChaCha20Poly1305>();
    assert_eq!(made::<ChaCha20Poly1305>(), expected);
    assert_eq!(made::<ChaCha20Poly1305<PortableEngine>>(), expected);
    assert_eq!(made::<ChaCha20Poly1305<SodiumEngine>>(), expected);
    let expected = made::<chacha20poly1305::XChaCha20Poly1305>();
    assert_eq!(made::<XChaCha20Poly1305>(), expected);
    assert_eq!(made::<XChaCha20Poly1305<PortableEngine>>(), expected);
    assert_eq!(made::<XChaCha20Poly1305<SodiumEngine>>(), expected);
}

/// Shorter than a tag, or a bare one of zeros: an error, not a panic.
#[test]
fn short_messages() {
    fn refuses<A: Aead + KeyInit>() {
        let aead = A::new_from_slice(&KEY).expect("32 bytes");
        for len in 0..=16 {
            let refused = aead.decrypt(&nonce::<A>(), &vec![0; len][..]);
            assert_eq!(refused, Err(aead::Error), "{len} bytes");
        }
    }
    refuses::<ChaCha20Poly1305>();
    refuses::<XChaCha20Poly1305>();
}

/// A message that the methods would panic over is an error here. None is so long in memory: address space
/// that cannot be read stands for it, and whoever looked at it would be stopped.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
fn too_long_is_an_error() {
    let len = usize::try_from(ss55_aead::MAX_MESSAGE_LEN + 1).expect("64 bits");
    // SAFETY: a fresh private mapping at an address of the kernel's choice.
    let memory = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        use std::io::Write;
        let _ = writeln!(
            std::io::stderr(),
            "skipped: no address space for a message of 2^38 bytes"
        );
        return;
    }
    let p = memory.cast::<u8>();
    // SAFETY: nothing else refers to the mapping, and the callee reads no byte of it.
    let buf = unsafe { InOutBuf::from_raw(p, p, len) };
    let aead = ChaCha20Poly1305::new(&KEY);
    let refused = aead.encrypt_inout_detached(&[0; 12].into(), &[], buf);
    assert_eq!(refused, Err(aead::Error));
    // SAFETY: the mapping made above; nothing refers to it any more.
    assert_eq!(unsafe { libc::munmap(memory, len) }, 0);
}

/// STREAM as the crate aead-stream has it, over theirs and ours: the same segments.
macro_rules! streams {
    ($test:ident, $encryptor:ident, $decryptor:ident, $ours:ty, $theirs:ty, $nonce:literal) => {
        #[test]
        fn $test() {
            let (key, nonce) = (KEY, [5; $nonce]);
            let mut ours = $encryptor::<$ours>::new(&key.into(), &nonce.into());
            let mut theirs = $encryptor::<$theirs>::new(&key.into(), &nonce.into());
            let mut reader = $decryptor::<$ours>::new(&key.into(), &nonce.into());
            for len in [0, 1, 64, 1000, 4096] {
                let segment = ours.encrypt_next(&pat(len)[..]).expect("short");
                assert_eq!(theirs.encrypt_next(&pat(len)[..]).as_ref(), Ok(&segment));
                assert_eq!(reader.decrypt_next(&segment[..]), Ok(pat(len)));
            }
            let last = ours.encrypt_last(&b"end"[..]).expect("short");
            assert_eq!(theirs.encrypt_last(&b"end"[..]).as_ref(), Ok(&last));
            // The last segment taken for one of many, then for what it is.
            let mut cut = $decryptor::<$ours>::new(&key.into(), &nonce.into());
            assert_eq!(cut.decrypt_next(&last[..]), Err(aead::Error));
            assert_eq!(reader.decrypt_last(&last[..]).as_deref(), Ok(&b"end"[..]));
        }
    };
}

streams!(
    stream_be32,
    EncryptorBE32,
    DecryptorBE32,
    XChaCha20Poly1305,
    chacha20poly1305::XChaCha20Poly1305,
    19
);
streams!(
    stream_le31,
    EncryptorLE31,
    DecryptorLE31,
    ChaCha20Poly1305,
    chacha20poly1305::ChaCha20Poly1305,
    8
);

/// Generic code, instantiated with either; and the trait's tag is the methods'.
#[test]
fn traits_and_methods() {
    fn seal<A: AeadInOut<NonceSize: ArraySize> + KeyInit + KeySizeUser>(
        key: &Key<A>,
        buf: &mut [u8],
    ) -> Tag<A> {
        A::new(key)
            .encrypt_inout_detached(&nonce::<A>(), b"ad", buf.into())
            .expect("short")
    }
    let mut expected = pat(500);
    let nonce: [u8; 12] = nonce::<ChaCha20Poly1305>().0;
    let aead = ChaCha20Poly1305::new(&KEY);
    let tag = aead.seal_in_place_detached(&nonce, Aad::from(b"ad"), &mut expected);
    let mut buf = pat(500);
    let by_trait = seal::<ChaCha20Poly1305>(&KEY.into(), &mut buf);
    assert_eq!(
        (&by_trait[..], &buf),
        (&tag.as_bytes()[..], &expected),
        "{}",
        aead.engine().name()
    );
}
