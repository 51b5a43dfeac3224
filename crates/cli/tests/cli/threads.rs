//! Any number of threads: the same bytes, and the same errors.

use crate::support::{CommandExt, Run, Sandbox, pat, v1_parts};
use signal_hook::consts::SIGPIPE;
use std::{
    fs,
    io::Write,
    os::unix::{fs::PermissionsExt, process::CommandExt as _},
};

/// More than a batch of three threads.
const LEN: usize = 3 * (1 << 20) + 70_000;
/// A user that nobody is.
const OTHER: u32 = 64_055;

#[test]
fn any_number_reads_what_any_number_wrote() {
    let sandbox = Sandbox::new();
    let plaintext = pat(LEN);
    sandbox.write("p", &plaintext);
    for write in [1, 2, 3] {
        sandbox
            .run(&format!("encrypt -k k --threads {write} -o c p"))
            .succeeds();
        let sealed = sandbox.read("c");
        assert_eq!(sealed.len(), LEN + 36 + LEN.div_ceil(65536) * 21 + 21);
        for read in [1, 2, 3] {
            let run = sandbox
                .pipe(&format!("decrypt -k k --threads {read}"), &sealed)
                .succeeds();
            assert!(run.stdout == plaintext, "{write} {read}");
        }
    }
    let v1 = v1_parts(&plaintext.chunks(65536).collect::<Vec<_>>()).concat();
    let run = sandbox.pipe("decrypt -k k --threads 2", &v1);
    assert!(run.stdout == plaintext);
}

/// What was authentic comes out before the error, on one thread and on several.
#[test]
fn damage_is_found_at_the_same_frame() {
    let sandbox = Sandbox::new();
    let plaintext = pat(LEN);
    sandbox.write("p", &plaintext);
    sandbox.run("encrypt -k k -o c p").succeeds();
    let mut sealed = sandbox.read("c");
    let frame = 36 + 20 * (65536 + 21);
    sealed[frame + 1000] ^= 1;
    sandbox.write("c", &sealed);
    let mut seen = Vec::new();
    for threads in [1, 2, 3] {
        let run = sandbox.run(&format!("decrypt -k k --threads {threads} -o - c"));
        assert!(run.stdout == plaintext[..20 * 65536], "{threads}");
        seen.push(run.stderr);
        sandbox
            .run(&format!("verify -k k --threads {threads} c"))
            .fails(3, &[&format!("damage in the frame at byte {frame}")]);
    }
    assert!(seen.iter().all(|stderr| *stderr == seen[0]));
}

#[test]
fn numbers_that_make_no_sense() {
    let sandbox = Sandbox::new();
    for threads in ["0", "257", "-1", "many"] {
        sandbox
            .run(&format!("encrypt -k k --threads={threads}"))
            .shows_misuse("--threads");
    }
    sandbox
        .pipe("encrypt -k k --format libsodium --threads 2", b"x")
        .fails(2, &["--threads: each chunk"]);
    let sealed = sandbox
        .pipe("encrypt -k k --format libsodium --threads 1", b"x")
        .succeeds();
    for command in ["decrypt", "verify", "reencrypt -o out"] {
        let command = format!("{command} -k k --threads");
        sandbox
            .pipe(&format!("{command} 2 --format libsodium"), &sealed.stdout)
            .fails(2, &["--threads: each chunk"]);
        sandbox
            .pipe(&format!("{command} 1 --format libsodium"), &sealed.stdout)
            .succeeds();
        // Which format it is was left to the stream.
        sandbox
            .pipe(&format!("{command} 2"), &sealed.stdout)
            .succeeds();
    }
}

/// As many as there is room for; and where a process may start none, the one that it has.
#[test]
fn fewer_threads_do_it_where_there_are_no_more() {
    let sandbox = Sandbox::new();
    sandbox.write("p", pat(LEN));
    sandbox.run("encrypt -k k p").succeeds();
    let limits = (60_000..=1_000_000)
        .step_by(94_000)
        .map(|kib| format!("ulimit -v {kib}"));
    for limit in limits.chain(["ulimit -d 100000".to_owned()]) {
        for args in [
            "encrypt -k k -o sealed p",
            "decrypt -k k -o opened p.ss55",
            "verify -k k p.ss55",
            "reencrypt -k k -o again p.ss55",
        ] {
            let script = format!("{limit}; exec \"$SS55\" {args} --threads 256");
            sandbox.shell(&script).run().succeeds();
        }
        assert!(sandbox.read("opened") == pat(LEN), "{limit}");
    }
    if !rustix::process::geteuid().is_root() {
        println!("skipped: no limit on processes, which needs another user to count for");
        return;
    }
    fs::set_permissions(sandbox.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    // Of a user with no other process; the second is the thread that waits for signals.
    for most in [2, 3, 10, 70] {
        for args in ["verify -k k p.ss55", "encrypt -k k p -o -"] {
            // Of the shells, bash has this limit.
            let script =
                format!("ulimit -u {most}; exec \"$SS55\" {args} --threads 64 > /dev/null");
            let mut command = sandbox.shell("exec bash -c \"$SCRIPT\"");
            command.env("SCRIPT", script).uid(OTHER).gid(OTHER);
            command.run().succeeds();
        }
    }
}

/// The thread that reads ahead waits for a pipe that nobody writes to: that the output is gone is an end
/// all the same.
#[test]
fn nobody_waits_for_the_input_when_the_output_is_gone() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command(["encrypt", "-k", "k", "--threads", "2"])
        .start();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // A batch and a half; the pipe stays open until the process has ended.
    let _ = stdin.write_all(&pat(3 << 20));
    let run = Run::new(child.wait_with_output().unwrap());
    drop(stdin);
    run.dies_of(SIGPIPE);
}
