//! A process that is killed, so that it can clean nothing up: 200 of them.
//!
//! Half are killed when they are known to be half way, since their input has stopped; the others at
//! times spread over a whole run. Under the output's name there is then the old content, or nothing, or
//! all of the new one; the next run needs no flag; and what is left has a name that says whose it is.

use crate::{
    failures::wait_for_temporary_while,
    support::{CommandExt, Sandbox, pat, v2_parts},
};
use std::{fs, io::Write, path::PathBuf, process::Stdio, thread, time::Instant};

/// Of each command, in each manner.
const KILLS: u64 = 50;

/// Numbers that look random, the same ones every time (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        (z ^ (z >> 31)) % bound
    }
}

struct Job {
    sandbox: Sandbox,
    command: &'static str,
    plaintext: Vec<u8>,
    input: Vec<u8>,
    /// What was there before, if anything was.
    old: Option<&'static [u8]>,
}

impl Job {
    fn new(command: &'static str) -> Self {
        let plaintext = pat(1 << 20);
        let frames: Vec<_> = plaintext.chunks(1 << 16).collect();
        let input = match command {
            "encrypt" => plaintext.clone(),
            _ => v2_parts(&frames).concat(),
        };
        let sandbox = Sandbox::new();
        sandbox.write("in", &input);
        Job {
            sandbox,
            command,
            plaintext,
            input,
            old: None,
        }
    }

    /// A folder as it was before: with an old output at every second time.
    fn reset(&mut self, n: u64) {
        self.old = n.is_multiple_of(2).then_some(b"old");
        match self.old {
            Some(old) => self.sandbox.write("out", old),
            None => drop(fs::remove_file(self.sandbox.path("out"))),
        }
        for name in self.left_over() {
            fs::remove_file(name).unwrap();
        }
    }

    /// Files that are neither the keys, the input nor the output. Their names say what they are.
    fn left_over(&self) -> Vec<PathBuf> {
        let files = self.sandbox.files().into_iter().map(|(path, _)| path);
        let known = ["k", "other", "in", "out"].map(|name| self.sandbox.path(name));
        let left: Vec<_> = files.filter(|path| !known.contains(path)).collect();
        for path in &left {
            let name = path.file_name().unwrap().to_str().unwrap();
            let random = name.strip_prefix(".ss55-");
            let random = random.and_then(|rest| rest.strip_suffix(".tmp"));
            assert!(random.is_some(), "{name}");
        }
        left
    }

    /// Whether the output is there, and then it is all there.
    fn is_complete(&self) -> bool {
        let out = fs::read(self.sandbox.path("out")).ok();
        if out.as_deref() == self.old {
            return false;
        }
        if self.command == "encrypt" {
            let run = self.sandbox.run("decrypt -k k out -o -").succeeds();
            assert!(run.stdout == self.plaintext);
        } else {
            assert!(out.unwrap() == self.plaintext);
        }
        true
    }

    fn run(&self) {
        let command = self.command;
        self.sandbox
            .run(&format!("{command} -k k in -o out"))
            .succeeds();
    }

    /// The next run finds whatever the killed one has left.
    fn a_later_run_succeeds(&self) {
        let before = self.left_over();
        self.run();
        assert!(self.is_complete());
        assert_eq!(self.left_over(), before);
    }

    /// Kills it when it has written something, and waits for more.
    fn kill_half_way(&mut self, numbers: &mut Numbers) {
        for n in 0..KILLS {
            self.reset(n);
            // More than is read before the first is written (256 KiB); never all of the input.
            let len = 300_000 + numbers.below(self.input.len() as u64 - 300_001) as usize;
            let args = [self.command, "-k", "k", "-o", "out"];
            let mut child = self.sandbox.command(args).start();
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(&self.input[..len]).unwrap();
            // One that writes under the output's own name never makes a temporary file.
            let out = self.sandbox.path("out");
            let is_old = || fs::read(&out).ok().as_deref() == self.old;
            wait_for_temporary_while(&self.sandbox, &mut child, is_old);
            child.kill().unwrap();
            assert_eq!(child.wait().unwrap().code(), None);
            assert!(!self.is_complete());
            assert_eq!(self.left_over().len(), 1);
            self.a_later_run_succeeds();
        }
    }

    /// Kills it at any time of a run, and some runs not at all.
    fn kill_at_any_time(&mut self, numbers: &mut Numbers) {
        let start = Instant::now();
        self.run();
        let whole = start.elapsed();
        for n in 0..KILLS {
            self.reset(n);
            // In equal steps, each at another place within its step.
            let part = (n * 1000 + numbers.below(1000)) as u32;
            let delay = whole * part / (KILLS as u32 * 1000) * 5 / 4;
            let args = [self.command, "-k", "k", "in", "-o", "out"];
            let mut child = self
                .sandbox
                .command(args)
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            thread::sleep(delay);
            child.kill().unwrap();
            let status = child.wait().unwrap();
            let complete = self.is_complete();
            assert!(complete || status.code().is_none(), "{status}");
            assert!(self.left_over().len() <= usize::from(!complete));
            self.a_later_run_succeeds();
        }
    }
}

#[test]
fn encryption_killed_half_way() {
    Job::new("encrypt").kill_half_way(&mut Numbers(1));
}

#[test]
fn decryption_killed_half_way() {
    Job::new("decrypt").kill_half_way(&mut Numbers(2));
}

#[test]
fn encryption_killed_at_any_time() {
    Job::new("encrypt").kill_at_any_time(&mut Numbers(3));
}

#[test]
fn decryption_killed_at_any_time() {
    Job::new("decrypt").kill_at_any_time(&mut Numbers(4));
}
