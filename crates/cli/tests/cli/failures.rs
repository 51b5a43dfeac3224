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
        // Without a trap, too: the signal must not end it before it has cleaned up.
        for trap in ["", "trap '' XFSZ;"] {
            let script = format!("ulimit -f 100; {trap} exec \"$SS55\" decrypt -k k f.ss55");
            let run = sandbox.shell(&script).run();
            run.fails(1, &["\"f\"", "large", "ulimit -f"]);
        }
    });
}

/// Wherever the disk ends: in the first frame, between two, before the last byte.
#[test]
fn a_disk_that_is_full_at_any_place_leaves_no_trace() {
    let sandbox = Sandbox::new();
    let (plaintext, sealed) = stream();
    sandbox.write("f", &plaintext);
    sandbox.write("f.ss55", &sealed);
    for old in [None, Some(b"old output")] {
        if let Some(old) = old {
            sandbox.write("out", old);
        }
        let before = sandbox.files();
        // In blocks of 512 bytes or 1 KiB: below the output's length in both. `encrypt` too has more
        // than 256 KiB to write.
        for limit in (1..=255).step_by(13).chain([64, 128, 192, 254, 255, 256]) {
            for args in ["encrypt -k k f -o out", "decrypt -k k f.ss55 -o out"] {
                let script = format!("ulimit -f {limit}; exec \"$SS55\" {args}");
                let run = sandbox.shell(&script).run();
                run.fails(1, &["\"out\"", "large", "ulimit -f"]);
                assert!(sandbox.files() == before, "{limit} {args}");
            }
        }
    }
}

/// Waits until `child` has written to its temporary file, and so is half way.
pub fn wait_for_temporary(sandbox: &Sandbox, child: &mut Child) {
    wait_for_temporary_while(sandbox, child, || true);
}

/// The same, as long as `nothing_else` has happened.
pub fn wait_for_temporary_while(
    sandbox: &Sandbox,
    child: &mut Child,
    nothing_else: impl Fn() -> bool,
) {
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
        assert!(nothing_else(), "written elsewhere");
        thread::yield_now();
    }
}

fn kill(child: &Child, signal: &str) {
    let status = Command::new("kill")
        .args(["-s", signal, &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

const SIGNALS: [(&str, i32); 11] = [
    ("INT", 2),
    ("TERM", 15),
    ("HUP", 1),
    ("QUIT", 3),
    ("ABRT", 6),
    ("ALRM", 14),
    ("USR1", 10),
    ("USR2", 12),
    ("PROF", 27),
    ("VTALRM", 26),
    ("XCPU", 24),
];

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
fn ignored_signals_stay_ignored() {
    for signal in ["HUP", "INT", "TERM", "QUIT"] {
        let sandbox = Sandbox::new();
        let script = format!("trap '' {signal}; exec \"$SS55\" encrypt -k k -o out");
        let mut child = sandbox.shell(&script).start();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&pat(300_000)).unwrap();
        wait_for_temporary(&sandbox, &mut child);
        kill(&child, signal);
        stdin.write_all(&pat(300_000)).unwrap();
        drop(stdin);
        Run::new(child.wait_with_output().unwrap()).succeeds();
        let run = sandbox.run("decrypt -k k out -o -").succeeds();
        assert!(run.stdout == [pat(300_000), pat(300_000)].concat());
    }
}

#[test]
fn a_name_that_is_another_s_by_now_is_left_alone() {
    for signal in [None, Some("TERM")] {
        let sandbox = Sandbox::new();
        let mut child = sandbox
            .command(["encrypt", "--new-key", "new", "-o", "out"])
            .start();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&pat(300_000)).unwrap();
        wait_for_temporary(&sandbox, &mut child);
        sandbox.write("another", b"precious");
        fs::rename(sandbox.path("another"), sandbox.path("new")).unwrap();
        if let Some(signal) = signal {
            kill(&child, signal);
        } else {
            // The last step fails: a folder has the output's name.
            fs::create_dir(sandbox.path("out")).unwrap();
            drop(stdin);
        }
        assert!(!child.wait().unwrap().success());
        assert_eq!(sandbox.read("new"), b"precious");
    }
}

#[test]
fn an_input_that_is_cut_meanwhile_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("f", pat(1_000_000));
    let mut child = sandbox
        .command(["encrypt", "-k", "k", "f", "-o", "-"])
        .start();
    // It has begun, and waits for room in the pipe.
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    let file = fs::OpenOptions::new().write(true).open(sandbox.path("f"));
    file.unwrap().set_len(1000).unwrap();
    let mut sealed = vec![b'S'];
    stdout.read_to_end(&mut sealed).unwrap();
    Run::new(child.wait_with_output().unwrap()).fails(1, &["\"f\"", "changed while it was read"]);
    // Nobody takes that for the whole.
    sandbox.pipe("verify -k k", &sealed).fails(4, &[]);
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
