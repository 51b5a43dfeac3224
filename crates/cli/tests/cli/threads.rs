//! Any number of threads: the same bytes, and the same errors.

use crate::support::{CommandExt, Run, Sandbox, pat, v1_parts};
use signal_hook::consts::SIGPIPE;
use std::io::Write;

/// More than a batch of three threads.
const LEN: usize = 3 * (1 << 20) + 70_000;

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
            .misused("--threads");
    }
    sandbox
        .pipe("encrypt -k k --format libsodium --threads 2", b"x")
        .fails(2, &["--threads: each chunk"]);
    sandbox
        .pipe("encrypt -k k --format libsodium --threads 1", b"x")
        .succeeds();
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
