//! This project's contestants: the engine that a user gets, and every backend of this machine.

use crate::{
    Contestant, Operation,
    work::{
        self, Aead, Bare, Blocks, Cipher, FAR, HEADER, KEY, Mac, NEAR, ReadStream, Secretstream,
        UNIT_KEYS, Units, Work, WriteStream,
    },
};
use ss55_aead::{
    Aad, ChaCha20Poly1305, Engine, Key, PortableEngine, SimdEngine, XChaCha20Poly1305,
};
use ss55_chacha_simd::ChaCha20;
use ss55_poly1305::Poly1305;
use ss55_serpent::{Serpent, SerpentXts};
use ss55_wire::secretstream::{PullState, PushState, Tag};
use std::env;

/// What a user gets who chooses nothing.
pub const CHOSEN: &str = "ss55";
/// The bare AEAD, in the races of the streams.
pub const BARE: &str = "ss55, bare AEAD";

/// The bare cipher, in the race of its XTS mode.
pub const BARE_CIPHER: &str = "ss55, bare cipher";
/// The chosen engine reading a stream that no cache holds.
const FAR_READ: &str = "ss55, from 64 MiB";

/// What one backend offers.
#[derive(Clone, Copy)]
struct Kernels<E> {
    engine: E,
    chacha: ss55_chacha_simd::Backend,
    poly1305: ss55_poly1305::Backend,
    serpent: ss55_serpent::Backend,
}

/// The reference for everybody.
const PORTABLE: Kernels<PortableEngine> = Kernels {
    engine: PortableEngine,
    chacha: ss55_chacha_simd::Backend::PORTABLE,
    poly1305: ss55_poly1305::Backend::PORTABLE,
    serpent: ss55_serpent::Backend::PORTABLE,
};

impl Kernels<SimdEngine> {
    fn chosen() -> Self {
        Kernels {
            engine: SimdEngine::new(),
            chacha: ss55_chacha_simd::Backend::detect(),
            poly1305: ss55_poly1305::Backend::detect(),
            serpent: ss55_serpent::Backend::detect(),
        }
    }

    /// The backend of this name, if the machine has it for `operation`. What the operation does not
    /// touch is then the portable one.
    fn by_name(name: &str, operation: Operation) -> Option<Self> {
        let engine = SimdEngine::by_name(name);
        let chacha = ss55_chacha_simd::Backend::by_name(name);
        let poly1305 = ss55_poly1305::Backend::by_name(name);
        let serpent = ss55_serpent::Backend::by_name(name);
        let there = match operation {
            Operation::Chacha20 => chacha.is_some(),
            Operation::Poly1305 => poly1305.is_some(),
            Operation::SerpentEncrypt | Operation::SerpentDecrypt | Operation::SerpentXts => {
                serpent.is_some()
            }
            _ => engine.is_some(),
        };
        there.then(|| Kernels {
            engine: engine.unwrap_or_default(),
            chacha: chacha.unwrap_or(PORTABLE.chacha),
            poly1305: poly1305.unwrap_or(PORTABLE.poly1305),
            serpent: serpent.unwrap_or(PORTABLE.serpent),
        })
    }
}

impl<E: Engine + Copy + 'static> Kernels<E> {
    fn work(self, operation: Operation, size: usize) -> Box<dyn Work> {
        let short = ChaCha20Poly1305::with_engine(self.engine, &KEY);
        let long = XChaCha20Poly1305::with_engine(self.engine, &KEY);
        match operation {
            Operation::Seal => work::seal(size, short),
            Operation::Open => work::open(size, short),
            Operation::XSeal => work::seal(size, long),
            Operation::XOpen => work::open(size, long),
            Operation::Push => work::push(size, States::new(self.engine)),
            Operation::Pull => work::pull(size, States::new(self.engine)),
            Operation::Chacha20 => work::xor(size, self.chacha),
            Operation::Poly1305 => work::mac(size, self.poly1305),
            Operation::SerpentEncrypt => work::encrypt(size, serpent(self.serpent)),
            Operation::SerpentDecrypt => work::decrypt(size, serpent(self.serpent)),
            Operation::SerpentXts => {
                work::units(size, SerpentXts::with_backend(self.serpent, &UNIT_KEYS))
            }
            Operation::Write => Box::new(WriteStream::new(self.engine)),
            Operation::Read => Box::new(ReadStream::new(self.engine, NEAR)),
        }
    }
}

/// This project's contestants: the chosen engine, then each backend; of the backends only the one that
/// the environment variable `SS55_BACKEND` names, if it is set.
///
/// # Panics
/// If `SS55_BACKEND` names a backend that this machine cannot run.
pub fn contestants(operation: Operation, size: usize) -> Vec<Contestant> {
    let contestant = |name: String, kernels: Kernels<SimdEngine>| {
        let work = kernels.work(operation, size);
        Contestant::new(name, call(operation), operation, size, work)
    };
    let mut all = vec![contestant(CHOSEN.into(), Kernels::chosen())];
    all.extend(beside(operation, size));
    for name in backends() {
        let kernels = Kernels::by_name(name, operation);
        all.extend(kernels.map(|kernels| contestant(format!("ss55 {name}"), kernels)));
    }
    all
}

/// What the streams, and XTS, are to be compared with.
fn beside(operation: Operation, size: usize) -> Vec<Contestant> {
    let contestant =
        |name, call, operation, work| Contestant::new(name, call, operation, size, work);
    let engine = SimdEngine::new();
    match operation {
        Operation::Write => vec![contestant(
            BARE,
            "ChaCha20Poly1305::seal_to",
            Operation::Seal,
            Box::new(Bare::seal(engine)),
        )],
        Operation::Read => vec![
            contestant(
                BARE,
                "ChaCha20Poly1305::open_to",
                Operation::Open,
                Box::new(Bare::open(engine)),
            ),
            contestant(
                FAR_READ,
                call(operation),
                operation,
                Box::new(ReadStream::new(engine, FAR)),
            ),
        ],
        Operation::SerpentXts => vec![contestant(
            BARE_CIPHER,
            "Serpent::encrypt_blocks",
            Operation::SerpentEncrypt,
            work::encrypt(size, serpent(ss55_serpent::Backend::detect())),
        )],
        _ => Vec::new(),
    }
}

/// The names of this machine's backends, fastest first, or the one that is asked for.
fn backends() -> Vec<&'static str> {
    let chacha: Vec<_> = ss55_chacha_simd::Backend::available()
        .map(|backend| backend.name())
        .collect();
    let poly1305 = ss55_poly1305::Backend::available().map(|backend| backend.name());
    let serpent = ss55_serpent::Backend::available().map(|backend| backend.name());
    let mut names = chacha;
    for name in poly1305.chain(serpent) {
        if !names.contains(&name) {
            names.insert(names.len() - 1, name); // before portable, the slowest
        }
    }
    if let Ok(only) = env::var("SS55_BACKEND") {
        names.retain(|name| *name == only);
        assert!(
            !names.is_empty(),
            "SS55_BACKEND={only}: not on this machine"
        );
    }
    names
}

/// What the portable backend makes of a batch.
pub fn reference(operation: Operation, size: usize) -> Vec<u8> {
    if operation == Operation::Write {
        return work::sealed_stream(1); // by the codec, below the writer that is measured
    }
    let mut work = PORTABLE.work(operation, size);
    work.prepare();
    work.run();
    work.output()
}

fn call(operation: Operation) -> &'static str {
    match operation {
        Operation::Seal => "ChaCha20Poly1305::seal_in_place_detached",
        Operation::Open => "ChaCha20Poly1305::open_in_place_detached",
        Operation::XSeal => "XChaCha20Poly1305::seal_in_place_detached",
        Operation::XOpen => "XChaCha20Poly1305::open_in_place_detached",
        Operation::Push => "PushState::push_to",
        Operation::Pull => "PullState::pull_to",
        Operation::Chacha20 => "ChaCha20::new, apply_keystream",
        Operation::Poly1305 => "Poly1305::new, update, finalize",
        Operation::SerpentEncrypt => "Serpent::encrypt_blocks",
        Operation::SerpentDecrypt => "Serpent::decrypt_blocks",
        Operation::SerpentXts => "SerpentXts::encrypt_units",
        Operation::Write => "Encryptor::write_all",
        Operation::Read => "Decryptor::read_exact",
    }
}

/// [`Aead`] for both, which differ in the nonce.
macro_rules! aead {
    ($type:ident, $nonce_len:literal) => {
        impl<E: Engine> Aead<$nonce_len> for $type<E> {
            fn seal(
                &mut self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                message: &mut [u8],
            ) -> [u8; 16] {
                self.seal_in_place_detached(nonce, Aad::from(aad), message)
                    .into()
            }
            fn open(
                &mut self,
                nonce: &[u8; $nonce_len],
                aad: &[u8],
                message: &mut [u8],
                tag: &[u8; 16],
            ) -> bool {
                self.open_in_place_detached(nonce, Aad::from(aad), message, &(*tag).into())
                    .is_ok()
            }
        }
    };
}

aead!(ChaCha20Poly1305, 12);
aead!(XChaCha20Poly1305, 24);

impl Cipher for ss55_chacha_simd::Backend {
    fn xor(&mut self, nonce: &[u8; 12], message: &mut [u8]) {
        ChaCha20::with_backend(*self, &KEY, nonce)
            .apply_keystream(message)
            .expect("far from the end of the keystream");
    }
}

impl Mac for ss55_poly1305::Backend {
    fn mac(&mut self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        let mut mac = Poly1305::with_backend(*self, key);
        mac.update(message);
        mac.finalize().into()
    }
}

fn serpent(backend: ss55_serpent::Backend) -> Serpent {
    Serpent::with_backend(backend, &KEY).expect("32 bytes")
}

impl Blocks for Serpent {
    fn encrypt(&mut self, blocks: &mut [[u8; 16]]) {
        self.encrypt_blocks(blocks);
    }
    fn decrypt(&mut self, blocks: &mut [[u8; 16]]) {
        self.decrypt_blocks(blocks);
    }
}

impl Units for SerpentXts {
    fn encrypt(&mut self, first: u64, unit_len: usize, data: &mut [u8]) {
        self.encrypt_units(first, unit_len, data)
            .expect("whole units");
    }
}

/// Both ends of a secretstream.
struct States<E> {
    engine: E,
    push: PushState<E>,
    pull: PullState<E>,
}

impl<E: Engine + Copy> States<E> {
    fn new(engine: E) -> Self {
        let key = Key::from_bytes(KEY);
        States {
            engine,
            push: PushState::new(engine, &key, &HEADER),
            pull: PullState::new(engine, &key, &HEADER),
        }
    }
}

impl<E: Engine + Copy> Secretstream for States<E> {
    fn restart(&mut self) {
        *self = States::new(self.engine);
    }
    fn push(&mut self, message: &[u8], chunk: &mut [u8]) {
        self.push
            .push_to(Tag::MESSAGE, b"", message, chunk)
            .expect("the lengths fit");
    }
    fn pull(&mut self, chunk: &[u8], message: &mut [u8]) -> bool {
        self.pull.pull_to(b"", chunk, message) == Ok(Tag::MESSAGE)
    }
}
