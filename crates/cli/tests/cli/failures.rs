//! A run that fails leaves everything as it was, and the next one needs no flag.

use crate::support::{CommandExt, Run, Sandbox, pat, v2_parts};
use std::{
    fs,
    io::{Read, Write},
    os::unix::process::ExitStatusExt,
    process::{Child, Command},
    thread,
};

/// Three good frames, and the whole stream.
fn stream() -> (Vec<u8>, Vec<u8>) {
    let frames = [pat(65536), pat(65536), pat(65536), pat(65536), pat(9)];
    let slices: Vec<_> = frames.iter().map(Vec::as_slice).collect();
    (frames.concat(), v2_parts(&slices).concat())
}

/// What each failure does to a folder that has the old output, and to one that has none.
fn leaves_no_trace(fail: impl Fn(&Sandbox)) {
    for old in [None, Some(b"old output")] {
        let sandbox = Sandbox::new();
        let (plaintext, sealed) = stream();
        if let Some(old) = old {
            sandbox.write("f", old);
        }
        sandbox.write("f.ss55", &sealed);
        let before = sandbox.files();
        fail(&sandbox);
        sandbox.write("f.ss55", &sealed);
        assert!(sandbox.files() == before);
        sandbox.run("decrypt -k k f.ss55").succeeds();
        assert!(sandbox.read("f") == plaintext);
    }
}

#[test]
fn a_missing_key_leaves_no_trace() {
    leaves_no_trace(|sandbox| drop(sandbox.run("decrypt f.ss55").fails(2, &["no key"])));
    leaves_no_trace(|sandbox| drop(sandbox.run("decrypt -k no f.ss55").fails(1, &["\"no\""])));
}

#[test]
fn a_wrong_key_leaves_no_trace() {
    leaves_no_trace(|sandbox| drop(sandbox.run("decrypt -k other f.ss55").fails(3, &[])));
}

#[test]
fn a_bad_frame_leaves_no_trace() {
    leaves_no_trace(|sandbox| {
        let mut sealed = sandbox.read("f.ss55");
        sealed[36 + 2 * 65557 + 5] ^= 0x80;
        sandbox.write("f.ss55", sealed);
        sandbox.run("decrypt -k k f.ss55").fails(3, &["damage"]);
    });
}

#[test]
fn a_cut_stream_leaves_no_trace() {
    leaves_no_trace(|sandbox| {
        let sealed = sandbox.read("f.ss55");
        sandbox.write("f.ss55", &sealed[..sealed.len() - 21]);
        sandbox.run("decrypt -k k f.ss55").fails(4, &["truncated"]);
    });
}

#[test]
fn a_full_disk_leaves_no_trace() {
    // The limit on file sizes stands in for it: in blocks of 512 bytes or 1 KiB, below 256 KiB.
    leaves_no_trace(|sandbox| {
        let script = "ulimit -f 100; trap '' XFSZ; exec \"$SS55\" decrypt -k k f.ss55";
        sandbox.shell(script).run().fails(1, &["\"f\"", "large"]);
    });
}

/// Waits until `child` has written to its temporary file, and so is half way.
fn wait_for_temporary(sandbox: &Sandbox, child: &mut Child) {
    let is_there = || {
        fs::read_dir(sandbox.path("")).unwrap().any(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            // Between listing and looking it may not vanish: nobody ends it but this test.
            name.starts_with(".ss55-") && entry.metadata().unwrap().len() > 0
        })
    };
    while !is_there() {
        assert!(child.try_wait().unwrap().is_none(), "ended too early");
        thread::yield_now();
    }
}

fn kill(child: &Child, signal: &str) {
    let status = Command::new("kill")
        .args(["-s", signal, &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

const SIGNALS: [(&str, i32); 3] = [("INT", 2), ("TERM", 15), ("HUP", 1)];

#[test]
fn a_signal_half_way_through_decryption_leaves_no_trace() {
    for (name, number) in SIGNALS {
        leaves_no_trace(|sandbox| {
            let sealed = sandbox.read("f.ss55");
            let mut child = sandbox.command(["decrypt", "-k", "k", "-o", "f"]).start();
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(&sealed[..200_000]).unwrap();
            wait_for_temporary(sandbox, &mut child);
            kill(&child, name);
            // Standard input stays open: it must not wait for that.
            Run::new(child.wait_with_output().unwrap()).dies_of(number);
            drop(stdin);
        });
    }
}

#[test]
fn a_signal_half_way_through_encryption_takes_the_new_key_too() {
    for (name, number) in SIGNALS {
        let sandbox = Sandbox::new();
        sandbox.write("out", b"old");
        let before = sandbox.files();
        let mut child = sandbox
            .command(["encrypt", "--new-key", "new", "-o", "out"])
            .start();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&pat(300_000)).unwrap();
        wait_for_temporary(&sandbox, &mut child);
        assert!(sandbox.exists("new"));
        kill(&child, name);
        Run::new(child.wait_with_output().unwrap()).dies_of(number);
        drop(stdin);
        assert_eq!(sandbox.files(), before);
        sandbox
            .pipe("encrypt --new-key new -o out", &pat(300_000))
            .succeeds();
        sandbox.run("verify -k new out").succeeds();
    }
}

#[test]
fn nohup_is_respected() {
    let sandbox = Sandbox::new();
    let script = "trap '' HUP; exec \"$SS55\" encrypt -k k -o out";
    let mut child = sandbox.shell(script).start();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&pat(300_000)).unwrap();
    wait_for_temporary(&sandbox, &mut child);
    kill(&child, "HUP");
    stdin.write_all(&pat(300_000)).unwrap();
    drop(stdin);
    Run::new(child.wait_with_output().unwrap()).succeeds();
    let run = sandbox.run("decrypt -k k out -o -").succeeds();
    assert!(run.stdout == [pat(300_000), pat(300_000)].concat());
}

#[test]
fn a_pipe_that_is_closed_ends_it_quietly() {
    let sandbox = Sandbox::new();
    let (_, sealed) = stream();
    sandbox.write("f.ss55", sealed);
    sandbox.write("f", pat(1_000_000));
    for args in ["decrypt -k k f.ss55 -o -", "encrypt -k k f -o -"] {
        let mut child = sandbox.command(args.split_whitespace()).start();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        drop(stdout);
        Run::new(child.wait_with_output().unwrap()).dies_of(13);
    }
    let before = sandbox.files();
    let mut child = sandbox
        .command(["encrypt", "--new-key", "new", "f", "-o", "-"])
        .start();
    drop(child.stdout.take());
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(13));
    assert!(sandbox.files() == before);
}
