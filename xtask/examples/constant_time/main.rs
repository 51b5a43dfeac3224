//! The AEAD's engines, the streams' codecs, the ciphers and MACs of the kernel crates, SIV, and keys read from
//! text: what touches a secret, for `cargo xtask constant-time` to run under valgrind's memcheck.
//!
//! Keys and plaintexts are hidden from memcheck. What an attacker sees anyway is published: ciphertexts, tags,
//! lengths. A verdict on a tag or on a key's text is public too, but it is a jump in the middle of the code:
//! they are counted, and one more than is said here is a fault, and so is one fewer.

use ss55_aead::{Aad, AuthenticationError, Engine, InOutBuf, Key, SimdEngine, Tag};
use ss55_stream::{Decryptor, Encryptor, libsodium};
use ss55_wire::{
    secretstream::{OVERHEAD, PullState, PushState, Tag as FrameTag},
    v1, v2,
};
use std::hint::black_box;
use std::io::{Read, Write};
use std::process::ExitCode;

mod kernels;
mod memcheck;

use memcheck::{hide, is_secret, publish};

/// About the edges of what kernels do at once, and a frame of libsodium's layout.
const LENGTHS: [usize; 22] = [
    0, 1, 15, 16, 17, 63, 64, 65, 128, 191, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2049,
    4096, 8192,
];
const AD: &[u8] = b"public";

fn main() -> ExitCode {
    if !memcheck::is_watching() {
        eprintln!("valgrind is not there: `cargo xtask constant-time` runs this program");
        return ExitCode::FAILURE;
    }
    let mut run = Run::default();
    plants(&mut run);
    for engine in SimdEngine::available() {
        engine_rows(&mut run, engine);
        stream_rows(&mut run, engine);
    }
    for backend in ss55_chacha_simd::Backend::available() {
        kernels::chacha(&mut run, backend);
        kernels::siv::<16>(&mut run, backend);
        kernels::siv::<32>(&mut run, backend);
    }
    for backend in ss55_poly1305::Backend::available() {
        kernels::poly1305(&mut run, backend);
    }
    for backend in ss55_serpent::Backend::available() {
        kernels::serpent(&mut run, backend);
    }
    common_rows(&mut run);
    if run.faults > 0 {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

#[derive(Default)]
struct Run {
    faults: usize,
}

impl Run {
    /// Does `work`, in which so many jumps depend on a secret: those on public verdicts, as often as the
    /// compiler asks for each. One more is a fault, and so is one fewer: the number is of other code then.
    /// What `work` gives must be secret, all of it, or the secrets were lost on the way.
    fn row<const N: usize>(
        &mut self,
        name: &str,
        jumps: usize,
        work: impl FnOnce() -> [Vec<u8>; N],
    ) {
        let (found, secrets) = counted(name, work);
        let kept = secrets.iter().all(|secret| is_secret(secret));
        let verdict = match (found == jumps, kept) {
            (true, true) => "ok",
            (false, _) => "FAULT: it depends on a secret",
            (true, false) => "FAULT: its result does not",
        };
        self.faults += usize::from(verdict != "ok");
        println!("{name}: {found} dependencies, {jumps} on verdicts: {verdict}");
    }

    /// Faults that memcheck must see beside so many on verdicts, or nothing that it does not see means anything.
    fn plant(&mut self, name: &str, jumps: usize, work: impl FnOnce()) {
        let (found, ()) = counted(name, work);
        let verdict = if found > jumps {
            "ok"
        } else {
            "FAULT: not reported"
        };
        self.faults += usize::from(verdict != "ok");
        println!("{name}: {found} dependencies, {jumps} on verdicts: {verdict}");
    }
}

/// How many dependencies memcheck reports of `work`, and what that gives.
fn counted<T>(name: &str, work: impl FnOnce() -> T) -> (usize, T) {
    // Between memcheck's reports on standard error.
    eprintln!("row {name}");
    let before = memcheck::reports();
    let result = work();
    (memcheck::reports() - before, result)
}

fn plants(run: &mut Run) {
    run.plant("planted branch", 0, || {
        let secret = hidden([0x5a; 32]);
        if secret[7] & 2 == 0 {
            black_box(one as fn())();
        }
    });
    run.plant("planted index", 0, || {
        let secret = hidden([0x5a; 32]);
        let table: [u32; 256] = black_box([3; 256]);
        black_box(table[usize::from(secret[7])]);
    });
    run.plant("planted comparison that stops early", 0, || {
        let (secret, other) = (hidden([0x5a; 16]), black_box([0x5a; 16]));
        if secret.iter().zip(&other).all(|(a, b)| a == b) {
            black_box(one as fn())();
        }
    });
    // A row of opening has verdicts, and among them a jump too many must not be lost.
    let engine = SimdEngine::new();
    let (sealed, tag) = sealed(engine, 64);
    run.plant("planted branch beside a verdict", 1, || {
        let mut buf = sealed.clone();
        assert_eq!(
            Ok(()),
            published(engine.open_in_place(&key(), &NONCE, aad(), &mut buf, &tag))
        );
        if buf[7] & 2 == 0 {
            black_box(one as fn())();
        }
    });
}

fn one() {
    black_box(1);
}

fn hidden<const N: usize>(mut secret: [u8; N]) -> [u8; N] {
    hide(&mut secret);
    secret
}

fn key() -> [u8; 32] {
    hidden([0xa7; 32])
}

fn plaintext(len: usize) -> Vec<u8> {
    let mut plaintext: Vec<u8> = (0..len).map(|i| (7 * i + 3) as u8).collect();
    hide(&mut plaintext[..]);
    plaintext
}

fn aad() -> Aad<'static> {
    Aad {
        prefix: b"21 bytes of a header.",
        ad: AD,
    }
}

const NONCE: [u8; 12] = [9; 12];

/// A verdict, where it comes out.
fn published<E>(mut result: Result<(), E>) -> Result<(), E> {
    publish(&mut result);
    result
}

fn engine_rows(run: &mut Run, engine: SimdEngine) {
    let name = engine.name();
    println!("engine {name}");
    for len in LENGTHS {
        run.row(&format!("{name}: seal {len}"), 0, || {
            let mut buf = plaintext(len);
            let tag = engine.seal_in_place(&key(), &NONCE, aad(), &mut buf);
            [buf, tag.as_bytes().to_vec()]
        });
        let (sealed, tag) = sealed(engine, len);
        run.row(&format!("{name}: open {len}"), 1, || {
            let mut buf = sealed.clone();
            assert_eq!(
                Ok(()),
                published(engine.open_in_place(&key(), &NONCE, aad(), &mut buf, &tag))
            );
            [buf]
        });
        run.row(&format!("{name}: open {len}, forged"), 1, || {
            let mut bytes = *tag.as_bytes();
            bytes[15] ^= 1;
            let mut buf = sealed.clone();
            assert_eq!(
                Err(AuthenticationError),
                published(engine.open_in_place(&key(), &NONCE, aad(), &mut buf, &bytes.into()))
            );
            assert!(buf.iter().all(|byte| *byte == 0));
            []
        });
        secretstream_rows(run, engine, len);
    }
    run.row(&format!("{name}: hchacha20"), 0, || {
        [engine.hchacha20(&key(), &[1; 16]).to_vec()]
    });
    run.row(&format!("{name}: xor up to the last block"), 0, || {
        let mut buf = plaintext(64 * 37);
        engine.xor(&key(), &NONCE, u32::MAX - 36, (&mut buf[..]).into());
        [buf]
    });
    run.row(&format!("{name}: mac"), 0, || {
        let message = plaintext(1000);
        let tag = engine.mac(&key(), &[&message[..1], &message[1..40], &message[40..]]);
        [tag.as_bytes().to_vec()]
    });
}

fn sealed(engine: SimdEngine, len: usize) -> (Vec<u8>, Tag) {
    let mut buf = plaintext(len);
    let mut tag = engine.seal_in_place(&key(), &NONCE, aad(), &mut buf);
    publish(&mut buf[..]);
    publish(&mut tag);
    (buf, tag)
}

/// Jumps on one verdict on a secretstream's chunk. A fused kernel asks for it, to wipe, and its caller, for the
/// frame tag.
fn asked(engine: SimdEngine) -> usize {
    1 + usize::from(engine.name() != "portable")
}

fn secretstream_rows(run: &mut Run, engine: SimdEngine, len: usize) {
    let (name, asked) = (engine.name(), asked(engine));
    let (mut sealed, mut mac, mut sealed_tag) = (Vec::new(), None, 0);
    run.row(&format!("{name}: secretstream seal {len}"), 0, || {
        let mut buf = plaintext(len);
        let mut tag = hidden([3]);
        let tagged =
            engine.secretstream_seal(&key(), &NONCE, AD, &mut tag[0], (&mut buf[..]).into());
        (sealed, mac, sealed_tag) = (buf.clone(), Some(tagged), tag[0]);
        [buf, tag.to_vec(), tagged.as_bytes().to_vec()]
    });
    let mut mac = mac.expect("the row was run");
    publish(&mut sealed[..]);
    publish(&mut mac);
    publish(&mut sealed_tag);
    run.row(&format!("{name}: secretstream open {len}"), asked, || {
        let (mut buf, mut tag) = (sealed.clone(), sealed_tag);
        let io = (&mut buf[..]).into();
        assert_eq!(
            Ok(()),
            published(engine.secretstream_open(&key(), &NONCE, AD, &mut tag, io, &mac))
        );
        [buf, vec![tag]]
    });
    run.row(
        &format!("{name}: secretstream open {len}, forged"),
        asked,
        || {
            let mut bytes = *mac.as_bytes();
            bytes[0] ^= 0x80;
            let (mut buf, mut tag) = (sealed.clone(), sealed_tag);
            let io = (&mut buf[..]).into();
            assert_eq!(
                Err(AuthenticationError),
                published(engine.secretstream_open(
                    &key(),
                    &NONCE,
                    AD,
                    &mut tag,
                    io,
                    &bytes.into()
                ))
            );
            []
        },
    );
}

/// An engine whose verdicts are public, and frame tags that are authentic: a reader has to go by them.
struct Public(SimdEngine);

impl Engine for Public {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn hchacha20(&self, key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
        self.0.hchacha20(key, input)
    }
    fn xor(&self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, buf: InOutBuf<'_, '_, u8>) {
        self.0.xor(key, nonce, counter, buf);
    }
    fn mac(&self, key: &[u8; 32], parts: &[&[u8]]) -> Tag {
        self.0.mac(key, parts)
    }
    fn seal(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        self.0.seal(key, nonce, aad, buf)
    }
    fn open(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        aad: Aad<'_>,
        buf: InOutBuf<'_, '_, u8>,
        tag: &Tag,
    ) -> Result<(), AuthenticationError> {
        published(self.0.open(key, nonce, aad, buf, tag))
    }
    fn secretstream_seal(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        buf: InOutBuf<'_, '_, u8>,
    ) -> Tag {
        self.0.secretstream_seal(key, nonce, ad, frame_tag, buf)
    }
    fn secretstream_open(
        &self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        ad: &[u8],
        frame_tag: &mut u8,
        buf: InOutBuf<'_, '_, u8>,
        mac: &Tag,
    ) -> Result<(), AuthenticationError> {
        self.0
            .secretstream_open(key, nonce, ad, frame_tag, buf, mac)?;
        publish(frame_tag);
        Ok(())
    }
}

fn stream_rows(run: &mut Run, engine: SimdEngine) {
    let (name, asked) = (engine.name(), asked(engine));
    let secret = || Key::from_bytes(key());
    let text = plaintext(70_000);

    let mut stream = Vec::new();
    run.row(&format!("{name}: v2 stream, written"), 0, || {
        let header = v2::Header::new([5; 24]);
        let builder = Encryptor::builder().engine(engine).header(header).ad(AD);
        let mut encryptor = builder.build(Vec::new(), &secret());
        encryptor.write_all(&text[..1000]).expect("memory");
        encryptor.flush().expect("memory");
        encryptor.write_all(&text[1000..]).expect("memory");
        stream = encryptor.finish().expect("memory");
        []
    });
    publish(&mut stream[..]);
    // Three messages and the final frame.
    run.row(&format!("{name}: v2 stream, read"), 4, || {
        let builder = Decryptor::builder().engine(Public(engine)).ad(AD);
        let mut read = vec![0; text.len()];
        let mut decryptor = builder.build(&stream[..], &secret());
        decryptor.read_exact(&mut read).expect("the right key");
        assert_eq!(decryptor.read(&mut [0]).expect("the right key"), 0);
        [read]
    });

    run.row(&format!("{name}: libsodium stream, written"), 0, || {
        let builder = libsodium::Encryptor::builder()
            .engine(engine)
            .header([5; 24]);
        let mut encryptor = builder.build(Vec::new(), &secret());
        encryptor.write_all(&text[..20_000]).expect("memory");
        stream = encryptor.finish().expect("memory");
        []
    });
    publish(&mut stream[..]);
    run.row(
        &format!("{name}: libsodium stream, read"),
        3 * asked,
        || {
            let builder = libsodium::Decryptor::builder().engine(Public(engine));
            let mut read = vec![0; 20_000];
            let mut decryptor = builder.build(&stream[..], &secret());
            decryptor.read_exact(&mut read).expect("the right key");
            assert_eq!(decryptor.read(&mut [0]).expect("the right key"), 0);
            [read]
        },
    );

    let mut chunks = [vec![0; 100 + OVERHEAD], vec![0; 20 + OVERHEAD]];
    run.row(
        &format!("{name}: secretstream with a rekey, pushed"),
        0,
        || {
            let mut push = PushState::new(engine, &secret(), &[5; 24]);
            push.push_to(FrameTag::REKEY, AD, &text[..100], &mut chunks[0])
                .expect("short");
            push.push_to(FrameTag::MESSAGE, AD, &text[..20], &mut chunks[1])
                .expect("short");
            chunks.clone()
        },
    );
    for chunk in &mut chunks {
        publish(&mut chunk[..]);
    }
    run.row(
        &format!("{name}: secretstream with a rekey, pulled"),
        2 * asked,
        || {
            let mut pull = PullState::new(Public(engine), &secret(), &[5; 24]);
            let mut opened = [vec![0; 100], vec![0; 20]];
            for (chunk, opened) in chunks.iter().zip(&mut opened) {
                pull.pull_to(AD, chunk, opened).expect("the right key");
            }
            opened
        },
    );

    let mut frame = vec![0; 300 + v1::FRAME_OVERHEAD];
    run.row(&format!("{name}: v1 frame, sealed"), 0, || {
        let mut sealer = v1::Sealer::new(engine, &secret(), &[5; 24]);
        sealer.seal_to(AD, &text[..300], &mut frame).expect("short");
        [frame[v1::LENGTH_LEN..].to_vec()]
    });
    publish(&mut frame[..]);
    run.row(&format!("{name}: v1 frame, opened"), 1, || {
        let mut opener = v1::Opener::new(Public(engine), &secret(), &[5; 24]);
        let head = opener
            .frame_header(&frame)
            .expect("a head")
            .expect("a frame");
        let mut opened = vec![0; 300];
        opener
            .open_to(head, AD, &frame[v1::LENGTH_LEN..], &mut opened)
            .expect("the right key");
        [opened]
    });
}

fn common_rows(run: &mut Run) {
    run.row("tags, compared", 0, || {
        let tag = Tag::from(hidden([4; 16]));
        let mut equal = tag == Tag::from([4; 16]);
        publish(&mut equal);
        assert!(black_box(equal));
        []
    });
    let hex = *b"a5aeb3848992e7e8fdc6cbdc212a3f00151e637479425758ADB6BB8C919AEFF0";
    // Whether all characters are digits.
    text_row(run, "key of hex", 1, hex, Key::from_hex);
    // That, and twice whether the last one has a bit too many. The digits themselves, four at a time, would be
    // eleven more.
    let standard = *b"pa6zhImS5+j9xsvcISo/ABUeY3R5QldYrba7jJGa7/A";
    text_row(run, "key of base64", 3, standard, Key::from_base64);
    let url = standard.map(|c| match c {
        b'+' => b'-',
        b'/' => b'_',
        c => c,
    });
    // The first question is of the other alphabet; the last one is asked once.
    text_row(run, "key of base64, URL alphabet", 3, url, Key::from_base64);
    let mut padded = [b'='; 44];
    padded[..43].copy_from_slice(&standard);
    text_row(run, "key of base64, padded", 3, padded, Key::from_base64);
}

fn text_row<const N: usize, E: std::fmt::Debug>(
    run: &mut Run,
    name: &str,
    jumps: usize,
    text: [u8; N],
    parse: fn(&str) -> Result<Key, E>,
) {
    run.row(name, jumps, || {
        let mut text = text;
        let text = str::from_utf8_mut(&mut text).expect("ASCII");
        // Of the padding everybody knows.
        hide(&mut text[..N - usize::from(N == 44)]);
        let key = parse(text).expect("a key");
        [key.as_bytes().to_vec()]
    });
}
