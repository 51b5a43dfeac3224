//! Standard streams that are full or closed.

use crate::support::{CommandExt, Sandbox, pat, v2_parts};

#[test]
fn a_full_device_is_an_error_whatever_the_size() {
    for size in [0, 1, 100_000] {
        let sandbox = Sandbox::new();
        sandbox.write("f", pat(size));
        for format in ["v2", "libsodium"] {
            let to_device = format!("encrypt -k k --format {format} -o /dev/full f");
            sandbox
                .run(&to_device)
                .fails(1, &["\"/dev/full\"", "space"]);
            let script = format!("\"$SS55\" encrypt -k k --format {format} < f > /dev/full");
            let run = sandbox.shell(&script).run();
            run.fails(1, &["standard output", "space"]);
        }
        sandbox.run("encrypt -k k f").succeeds();
        let script = "\"$SS55\" decrypt -k k < f.ss55 > /dev/full";
        let run = sandbox.shell(script).run();
        if size == 0 {
            // Nothing was to be written, and nothing was lost.
            run.succeeds();
        } else {
            run.fails(1, &["standard output", "space"]);
        }
    }
}

#[test]
fn short_texts_are_lost_in_a_full_device_with_an_error_too() {
    let sandbox = Sandbox::new();
    sandbox.write("f", v2_parts(&[]).concat());
    for args in [
        "keygen",
        "inspect f",
        "inspect --json f",
        "--help",
        "--version",
        "help encrypt",
    ] {
        let script = format!("\"$SS55\" {args} > /dev/full");
        sandbox
            .shell(&script)
            .run()
            .fails(1, &["standard output", "space"]);
    }
}

#[test]
fn a_closed_output_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("f", v2_parts(&[b"x"]).concat());
    for args in [
        "encrypt -k k -o - k",
        "encrypt -k k < k",
        "decrypt -k k -o - f",
        "keygen",
        "inspect f",
        "--help",
    ] {
        let script = format!("\"$SS55\" {args} >&-");
        sandbox
            .shell(&script)
            .run()
            .fails(1, &["standard output", "closed"]);
    }
    // These write nothing there.
    for args in ["verify -k k f", "encrypt -k k -o out k", "keygen -o new"] {
        sandbox
            .shell(&format!("\"$SS55\" {args} >&-"))
            .run()
            .succeeds();
    }
}

#[test]
fn a_closed_input_is_an_error_and_no_empty_one() {
    let sandbox = Sandbox::new();
    for args in [
        "encrypt -k k -o out",
        "decrypt -k k",
        "verify -k k",
        "inspect",
        "verify -k - k",
    ] {
        let script = format!("\"$SS55\" {args} <&-");
        sandbox
            .shell(&script)
            .run()
            .fails(1, &["standard input", "closed"]);
    }
    assert!(!sandbox.exists("out"));
    // An empty one is fine.
    let sealed = sandbox.run("encrypt -k k").succeeds().stdout;
    assert_eq!(sealed.len(), 57);
}

#[test]
fn a_closed_error_stream_changes_nothing() {
    let sandbox = Sandbox::new();
    let script = "\"$SS55\" encrypt -k k -o out k 2>&-";
    sandbox.shell(script).run().succeeds();
    sandbox.run("verify -k k out").succeeds();
    let run = sandbox.shell("\"$SS55\" verify -k other out 2>&-").run();
    assert_eq!(run.status.code(), Some(3));
    let run = sandbox
        .shell("\"$SS55\" verify -k other out 2> /dev/full")
        .run();
    assert_eq!(run.status.code(), Some(3));
}

#[test]
fn a_pipeline_carries_data_through() {
    let sandbox = Sandbox::new();
    sandbox.write("f", pat(3_000_000));
    let script = "\"$SS55\" encrypt -k k < f | \"$SS55\" decrypt -k k | cmp - f";
    sandbox.shell(script).run().succeeds();
}

#[test]
fn a_folder_is_no_input_and_no_output() {
    let sandbox = Sandbox::new();
    for args in [
        "encrypt -k k .",
        "decrypt -k k . -o x",
        "inspect .",
        "encrypt -k k k -o .",
    ] {
        sandbox.run(args).fails(1, &["\".\"", "directory"]);
    }
    sandbox
        .run("encrypt -k k k -o new/")
        .fails(1, &["\"new/\"", "directory"]);
    sandbox
        .shell("\"$SS55\" encrypt -k k < .")
        .run()
        .fails(1, &["standard input", "directory"]);
}
