//! A folder, a key, and the binary.

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    flag::register_conditional_default,
};
use ss55_aead::{Key, SimdEngine};
use ss55_wire::{
    secretstream::{self, Tag},
    v1, v2,
};
use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    io::Write,
    os::unix::{fs::PermissionsExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::{Arc, LazyLock, Once},
    thread,
};
use tempfile::TempDir;

/// Where `SS55_TEST_BINARY` is set, what it names is tested instead: a script around an emulator.
static BINARY: LazyLock<OsString> = LazyLock::new(|| {
    env::var_os("SS55_TEST_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_ss55").into())
});
/// The key of [`Sandbox::new`], in its file `k`.
pub const KEY: [u8; 32] = [0x5a; 32];
pub const NONCE: [u8; 24] = [0x40; 24];
/// A second key, of nobody's.
pub const OTHER_KEY: [u8; 32] = [0xa5; 32];

/// A signal that was ignored when the tests were started (`nohup`, `&` in a script) would be ignored in every
/// child too. One that is caught is back at its default there: here it is caught to do what it would do anyway.
fn signals_by_default() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            register_conditional_default(signal, Arc::new(true.into())).unwrap();
        }
    });
}

/// Byte `i` is (7i + 3) mod 256.
pub fn pat(len: usize) -> Vec<u8> {
    (0..len).map(|i| (7 * i + 3) as u8).collect()
}

/// A folder with a key file `k` and another, `other`.
pub struct Sandbox(TempDir);

impl Sandbox {
    pub fn new() -> Self {
        let sandbox = Sandbox(tempfile::tempdir().unwrap());
        sandbox.write("k", hex::encode(KEY));
        sandbox.write("other", hex::encode(OTHER_KEY));
        sandbox
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn exists(&self, name: impl AsRef<Path>) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    pub fn mode(&self, name: impl AsRef<Path>) -> u32 {
        self.path(name).metadata().unwrap().permissions().mode() & 0o7777
    }

    /// The names and contents of all regular files.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files: Vec<_> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.symlink_metadata().unwrap().is_file())
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    }

    /// The binary, to be run in this folder with nothing on standard input.
    pub fn command(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(&*BINARY);
        command.args(args);
        self.prepare(&mut command);
        command
    }

    /// `script` in this folder; in it, `"$SS55"` is the binary.
    pub fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("SS55", &*BINARY);
        self.prepare(&mut command);
        command
    }

    fn prepare(&self, command: &mut Command) {
        signals_by_default();
        command
            .current_dir(self.0.path())
            .env_remove("SS55_KEY")
            .env_remove("SS55_KEY_FILE")
            .env_remove("SS55_PASSPHRASE")
            .env_remove("SS55_BACKEND")
            .env_remove("NO_COLOR")
            .env("TERM", "xterm")
            .stdin(Stdio::null());
    }

    /// Runs the binary with these arguments, separated by spaces.
    pub fn run(&self, args: &str) -> Run {
        self.command(args.split_whitespace()).run()
    }

    /// The same, with `input` through a pipe.
    pub fn pipe(&self, args: &str, input: &[u8]) -> Run {
        self.command(args.split_whitespace()).pipe(input)
    }
}

pub trait CommandExt {
    fn run(&mut self) -> Run;
    fn pipe(&mut self, input: &[u8]) -> Run;
    /// Starts it with pipes on all three streams.
    fn start(&mut self) -> Child;
}

impl CommandExt for Command {
    fn run(&mut self) -> Run {
        Run::new(self.output().unwrap())
    }

    fn pipe(&mut self, input: &[u8]) -> Run {
        let mut child = self.start();
        let mut stdin = child.stdin.take().unwrap();
        thread::scope(|scope| {
            // It may end before it has read everything.
            scope.spawn(move || drop(stdin.write_all(input)));
            Run::new(child.wait_with_output().unwrap())
        })
    }

    fn start(&mut self) -> Child {
        self.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

/// How a run went.
#[derive(Debug)]
pub struct Run {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    pub fn new(output: Output) -> Self {
        Run {
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Done, and nothing to say.
    #[track_caller]
    pub fn succeeds(self) -> Self {
        assert_eq!((self.status.code(), self.stderr.as_str()), (Some(0), ""));
        self
    }

    /// Failed with this code, saying all of `words`, with one line of message and one of hint.
    #[track_caller]
    pub fn fails(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.status.code(), Some(code), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {}", self.stderr);
        }
        let lines: Vec<_> = self.stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{}", self.stderr);
        assert!(lines[0].starts_with("ss55: "), "{}", self.stderr);
        assert!(lines[1].starts_with("hint: "), "{}", self.stderr);
        self
    }

    /// The command line is wrong, as these words say.
    #[track_caller]
    pub fn shows_misuse(self, words: &str) {
        assert_eq!(self.status.code(), Some(2), "{}", self.stderr);
        assert!(self.stderr.contains(words), "{}", self.stderr);
    }

    /// Ended by this signal, and said nothing.
    #[track_caller]
    pub fn dies_of(self, signal: i32) {
        assert_eq!(
            (self.status.signal(), self.stderr.as_str()),
            (Some(signal), "")
        );
    }
}

/// A v2 stream, frame by frame, the header first and the final frame last.
pub fn v2_parts(plaintexts: &[&[u8]]) -> Vec<Vec<u8>> {
    let header = v2::Header::new(NONCE);
    let mut sealer = v2::Sealer::new(SimdEngine::new(), &Key::from_bytes(KEY), &header);
    let mut parts = vec![header.to_bytes().to_vec()];
    for plaintext in plaintexts {
        let mut frame = vec![0; plaintext.len() + v2::FRAME_OVERHEAD];
        sealer.seal_to(b"", plaintext, &mut frame).unwrap();
        parts.push(frame);
    }
    parts.push(sealer.finish().unwrap().to_vec());
    parts
}

/// A v1 stream: the header, and the frames.
pub fn v1_parts(plaintexts: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut sealer = v1::Sealer::new(SimdEngine::new(), &Key::from_bytes(KEY), &NONCE);
    let mut parts = vec![NONCE.to_vec()];
    for plaintext in plaintexts {
        let mut frame = vec![0; plaintext.len() + v1::FRAME_OVERHEAD];
        sealer.seal_to(b"", plaintext, &mut frame).unwrap();
        parts.push(frame);
    }
    parts
}

/// A secretstream: the header, and chunks with these tags.
pub fn libsodium_parts(chunks: &[(Tag, &[u8])]) -> Vec<Vec<u8>> {
    let key = Key::from_bytes(KEY);
    let mut state = secretstream::PushState::new(SimdEngine::new(), &key, &NONCE);
    let mut parts = vec![NONCE.to_vec()];
    for (tag, plaintext) in chunks {
        let mut chunk = vec![0; plaintext.len() + secretstream::OVERHEAD];
        state.push_to(*tag, b"", plaintext, &mut chunk).unwrap();
        parts.push(chunk);
    }
    parts
}
