//! What holds for `encrypt` and `decrypt` on one thread holds for everything that came after them: for
//! `reencrypt`, `cat`, `verify --json`, several threads, several inputs and keys under a passphrase.

use crate::{
    failures::wait_for_temporary,
    support::{CommandExt, Run, Sandbox, pat, v2_parts},
};
use std::{
    ffi::OsStr,
    fs,
    io::Write,
    os::unix::{
        ffi::OsStrExt,
        fs::{FileTypeExt, PermissionsExt, symlink},
    },
    process::Command,
    thread,
};

/// Commands that read `f.ss55` under the key in KEY and write to OUT.
const READERS: [&str; 4] = [
    "decrypt -k KEY --threads 3 -o OUT f.ss55",
    "reencrypt -k KEY --threads 3 -o OUT f.ss55",
    "reencrypt -k KEY --threads 1 --to-key other -o OUT f.ss55",
    "cat -k KEY --range 5.. -o OUT f.ss55",
];
/// Commands that write to OUT whatever `f.ss55` is.
const WRITERS: [&str; 2] = [
    "encrypt -k KEY --threads 3 -o OUT f.ss55",
    "siv-encrypt -k KEY -o OUT f.ss55",
];

fn with(command: &str, key: &str, output: &str) -> String {
    command.replace("KEY", key).replace("OUT", output)
}

fn stream() -> Vec<u8> {
    let frames = [pat(65536), pat(65536), pat(65536), pat(65536), pat(9)];
    let slices: Vec<_> = frames.iter().map(Vec::as_slice).collect();
    v2_parts(&slices).concat()
}

#[test]
fn no_failure_leaves_a_trace_or_needs_a_flag() {
    let good = stream();
    let mut damaged = good.clone();
    damaged[36 + 2 * 65557 + 5] ^= 0x80;
    let cut = &good[..good.len() - 21];
    let longer = [&good[..], b"x"].concat();
    for command in READERS {
        for old in [None, Some(b"old output")] {
            let sandbox = Sandbox::new();
            if let Some(old) = old {
                sandbox.write("out", old);
            }
            for (input, key, code) in [
                (Some(&good[..]), "missing", 1),
                (Some(&good), "other", 3),
                (Some(&damaged), "k", 3),
                (Some(cut), "k", 4),
                (Some(&longer), "k", 5),
                (Some(b""), "k", 4),
                (None, "k", 1),
            ] {
                match input {
                    Some(input) => sandbox.write("f.ss55", input),
                    None => fs::remove_file(sandbox.path("f.ss55")).unwrap(),
                }
                let before = sandbox.files();
                let args = with(command, key, "out");
                sandbox.run(&args).fails(code, &[]);
                assert!(sandbox.files() == before, "{args}");
            }
            sandbox.write("f.ss55", &good);
            sandbox.run(&with(command, "k", "out")).succeeds();
            assert!(sandbox.read("out").len() > 4 * 65536);
        }
    }
}

#[test]
fn a_signal_half_way_through_reencryption_takes_the_new_key_too() {
    let sandbox = Sandbox::new();
    sandbox.write("out", b"old");
    let before = sandbox.files();
    let args = "reencrypt -k k --new-key new --threads 2 -o out";
    let sealed = stream();
    let mut child = sandbox.command(args.split(' ')).start();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&sealed[..sealed.len() - 30]).unwrap();
    // On several threads it writes a batch at a time, which may never come: what was created is enough.
    while !sandbox.exists("new") {
        assert!(child.try_wait().unwrap().is_none(), "ended too early");
        thread::yield_now();
    }
    let status = Command::new("kill")
        .args(["-s", "INT", &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
    Run::new(child.wait_with_output().unwrap()).dies_of(2);
    drop(stdin);
    assert!(sandbox.files() == before);
    sandbox.pipe(args, &sealed).succeeds();
    sandbox.run("verify -k new out").succeeds();
}

/// Of several inputs, the one that is in work goes, and those that are done stay.
#[test]
fn a_signal_between_two_inputs_keeps_what_is_done() {
    let sandbox = Sandbox::new();
    sandbox.write("a", pat(1000));
    let status = Command::new("mkfifo").arg(sandbox.path("b")).status();
    assert!(status.unwrap().success());
    let before = sandbox.files();
    let mut child = sandbox.command(["encrypt", "-k", "k", "a", "b"]).start();
    let mut fifo = fs::File::options()
        .write(true)
        .open(sandbox.path("b"))
        .unwrap();
    fifo.write_all(&pat(400_000)).unwrap();
    wait_for_temporary(&sandbox, &mut child);
    let status = Command::new("kill")
        .args(["-s", "TERM", &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
    Run::new(child.wait_with_output().unwrap()).dies_of(15);
    drop(fifo);
    let after = sandbox.files();
    assert_eq!(after.len(), before.len() + 1, "a.ss55 and no other");
    sandbox.run("verify -k k a.ss55").succeeds();
}

#[test]
fn no_input_or_key_is_an_output_under_any_name() {
    let sandbox = Sandbox::new();
    let sealed = stream();
    for name in ["f.ss55", "k", "other"] {
        symlink(name, sandbox.path(format!("link-{name}"))).unwrap();
    }
    for command in READERS.iter().chain(&WRITERS) {
        sandbox.write("f.ss55", &sealed);
        let _ = fs::remove_file(sandbox.path("hard"));
        fs::hard_link(sandbox.path("f.ss55"), sandbox.path("hard")).unwrap();
        let before = sandbox.files();
        let outputs = ["f.ss55", "./f.ss55", "link-f.ss55", "hard", "k", "link-k"];
        for output in outputs {
            let args = with(command, "k", output);
            sandbox.run(&args).fails(2, &["are one file"]);
            assert!(sandbox.files() == before, "{args}");
        }
        // And where the shell has opened it.
        let args = with(command, "k", "-");
        let script = format!("\"$SS55\" {args} >> f.ss55");
        sandbox.shell(&script).run().fails(2, &["are one file"]);
        assert!(sandbox.files() == before, "{script}");
    }
    let args = "reencrypt -k k --to-key other -o link-other f.ss55";
    sandbox.run(args).fails(2, &["are one file"]);
    sandbox.write("meta", "precious");
    sandbox
        .run("encrypt -k k --ad @meta -o sealed k")
        .succeeds();
    for command in ["cat --range ..", "reencrypt", "decrypt --threads 3"] {
        let args = format!("{command} -k k --ad @meta -o meta sealed");
        sandbox.run(&args).fails(2, &["--ad file are one file"]);
    }
    assert_eq!(sandbox.read("meta"), b"precious");
}

#[test]
fn full_closed_and_broken_outputs_are_told_of() {
    let sandbox = Sandbox::new();
    sandbox.write("f.ss55", stream());
    for command in READERS.iter().chain(&WRITERS) {
        let args = with(command, "k", "/dev/full");
        sandbox.run(&args).fails(1, &["\"/dev/full\"", "space"]);
        let to = |redirection: &str| {
            let script = format!("\"$SS55\" {} {redirection}", with(command, "k", "-"));
            sandbox.shell(&script).run()
        };
        to("> /dev/full").fails(1, &["standard output", "space"]);
        to(">&-").fails(1, &["standard output", "closed"]);
        // The shell tells of SIGPIPE, and the command says nothing.
        let script = format!(
            "exec bash -c '{{ \"$SS55\" {}; echo $? >&2; }} | head -c 1 > /dev/null'",
            with(command, "k", "-")
        );
        let run = sandbox.shell(&script).run();
        assert_eq!(run.stderr, "141\n", "{command}");
    }
    let verify = "\"$SS55\" verify --json -k k f.ss55 f.ss55";
    for (redirection, words) in [("> /dev/full", "space"), (">&-", "closed")] {
        let run = sandbox.shell(&format!("{verify} {redirection}")).run();
        assert_eq!(run.status.code(), Some(1));
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
}

#[test]
fn pipes_and_devices_are_written_to_and_never_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("f.ss55", stream());
    let status = Command::new("mkfifo").arg(sandbox.path("fifo")).status();
    assert!(status.unwrap().success());
    let kind = |path: &str| fs::metadata(sandbox.path(path)).unwrap().file_type();
    for command in READERS.iter().chain(&WRITERS) {
        sandbox.run(&with(command, "k", "/dev/null")).succeeds();
        assert!(kind("/dev/null").is_char_device());
        let fifo = sandbox.path("fifo");
        let reader = thread::spawn(move || fs::read(fifo).unwrap());
        sandbox.run(&with(command, "k", "fifo")).succeeds();
        assert!(reader.join().unwrap().len() > 4 * 65536);
        assert!(kind("fifo").is_fifo());
    }
}

#[test]
fn every_new_key_file_is_its_owner_s_alone() {
    for umask in ["000", "022", "077"] {
        let sandbox = Sandbox::new();
        sandbox.write("f.ss55", v2_parts(&[b"text"]).concat());
        sandbox.write("out", "old");
        fs::set_permissions(sandbox.path("out"), fs::Permissions::from_mode(0o600)).unwrap();
        for (args, made) in [
            ("keygen --passphrase -o under", "under"),
            ("reencrypt -k k --new-key made -o out f.ss55", "made"),
        ] {
            let script = format!("umask {umask}; SS55_PASSPHRASE=p exec \"$SS55\" {args}");
            sandbox.shell(&script).run().succeeds();
            assert_eq!(sandbox.mode(made), 0o600, "{umask}");
            let key = sandbox.read(made);
            sandbox
                .shell(&script)
                .run()
                .fails(1, &["never overwritten"]);
            assert_eq!(sandbox.read(made), key);
        }
        // One that was closed to others stays so.
        assert_eq!(sandbox.mode("out"), 0o600, "{umask}");
        sandbox.run("verify -k made out").succeeds();
    }
}

#[test]
fn a_key_under_a_passphrase_goes_wherever_a_key_does() {
    let sandbox = Sandbox::new();
    sandbox.write("f", pat(100));
    let run = |script: &str| {
        let mut command = sandbox.shell(script);
        command.env("SS55_PASSPHRASE", "correct horse").run()
    };
    run("\"$SS55\" keygen --passphrase -o p").succeeds();
    run("\"$SS55\" encrypt -k - f < p").succeeds();
    run("SS55_KEY_FILE=p \"$SS55\" verify f.ss55").succeeds();
    run("\"$SS55\" reencrypt -k p --to-key k -o plain f.ss55").succeeds();
    sandbox.run("verify -k k plain").succeeds();
    run("\"$SS55\" reencrypt -k k --to-key p -o back plain").succeeds();
    let cat = run("\"$SS55\" cat -k p --range 7..9 back").succeeds();
    assert_eq!(cat.stdout, &pat(100)[7..9]);
    run("\"$SS55\" siv-encrypt -k p f && \"$SS55\" siv-decrypt -k p -o - f.siv").succeeds();
    run("\"$SS55\" verify -k p f.ss55 back").succeeds();
    // It is 144 bytes of its own form, whatever else is said of it.
    for option in [
        "--key-format raw",
        "--key-format hex",
        "--key-transform hex",
    ] {
        run(&format!("\"$SS55\" verify -k p {option} f.ss55")).fails(2, &["key from \"p\""]);
    }
    // And never text: what a text editor makes of it is no key.
    sandbox.write("crlf", [&sandbox.read("p")[..], b"\r\n"].concat());
    run("\"$SS55\" verify -k crlf f.ss55").fails(2, &["wrong length"]);
    sandbox.write("bom", [b"\xef\xbb\xbf", &sandbox.read("p")[..]].concat());
    run("\"$SS55\" verify -k bom f.ss55").fails(2, &["not text"]);
    let mut command = sandbox.shell("exec setsid -w \"$SS55\" verify -k p f.ss55");
    let unset = command.env("SS55_PASSPHRASE", "").run();
    unset.fails(2, &["no terminal to ask"]);
}

#[test]
fn names_may_hold_any_byte() {
    let sandbox = Sandbox::new();
    let odd = OsStr::from_bytes(b"o\xffd \n");
    for name in [odd, OsStr::new("-x")] {
        sandbox.write(name, pat(100));
    }
    let run = |args: &[&OsStr]| sandbox.command(args).run();
    let word = OsStr::new;
    let common = ["encrypt", "-k", "k", "--"].map(word);
    run(&[&common[..], &[odd, word("-x")]].concat()).succeeds();
    let sealed = OsStr::from_bytes(b"o\xffd \n.ss55");
    let common = ["verify", "--json", "-k", "k", "--"].map(word);
    let out = run(&[&common[..], &[sealed, word("-x.ss55")]].concat())
        .succeeds()
        .stdout;
    let reports: Vec<serde_json::Value> = String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(reports[0]["file_hex"], hex::encode(sealed.as_bytes()));
    assert_eq!(reports[0]["file"], "o\u{fffd}d \n.ss55");
    assert_eq!(
        (&reports[1]["file"], &reports[1]["file_hex"]),
        (&"-x.ss55".into(), &serde_json::Value::Null)
    );
    let common = ["cat", "-k", "k", "--range", "1..3", "--"].map(word);
    for name in [sealed, word("-x.ss55")] {
        let cat = run(&[&common[..], &[name]].concat()).succeeds();
        assert_eq!(cat.stdout, &pat(100)[1..3]);
    }
    let common = ["reencrypt", "-k", "k", "-o", "./-y", "--"].map(word);
    run(&[&common[..], &[sealed]].concat()).succeeds();
    sandbox.run("verify -k k -- -y").succeeds();
}

/// The codes of `verify --json` for everything that can be wrong with a stream, and exit codes that differ.
#[test]
fn json_says_which_thing_is_wrong() {
    let sandbox = Sandbox::new();
    let good = stream();
    let changed = |at: usize, byte: u8| {
        let mut stream = good.clone();
        stream[at] = byte;
        stream
    };
    let mut utf16 = vec![0xff, 0xfe];
    utf16.extend(good[..100].iter().flat_map(|byte| [*byte, 0]));
    for (content, exit, code) in [
        (good.clone(), 0, None),
        (vec![], 4, Some("empty")),
        (good[..24].to_vec(), 4, Some("truncated")),
        (pat(24), 4, Some("bare-header")),
        (good[..good.len() - 1].to_vec(), 4, Some("truncated")),
        (changed(50, 0xee), 3, Some("first-frame")),
        (changed(36 + 65557 + 50, 0xee), 3, Some("damaged")),
        (pat(70_000), 3, Some("neither-format")),
        ([&good[..], b"x"].concat(), 5, Some("trailing-data")),
        (changed(6, b'7'), 5, Some("other-magic")),
        (utf16, 5, Some("converted-text")),
        (changed(9, 9), 5, Some("unsupported-version")),
        (changed(11, 9), 5, Some("unsupported-flags")),
        (changed(36, 9), 5, Some("bad-length")),
        (changed(40, 9), 5, Some("unknown-tag")),
    ] {
        let run = sandbox.pipe("verify --json -k k", &content);
        let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        let found = report["problem_code"].as_str();
        assert_eq!((run.status.code(), found), (Some(exit), code));
        assert_eq!(report["authentic"], code.is_none());
        assert_eq!(report["problem"].is_null(), code.is_none());
    }
    sandbox.write("f", &good);
    for (args, exit, code) in [
        ("-k missing f", 1, "io"),
        ("-k f f", 2, "key"),
        ("f", 2, "usage"),
        ("-k k missing", 1, "io"),
        ("-k k --format v2 k", 5, "not-v2"),
        ("-k k --chunk-size 5 --format v2 f", 2, "usage"),
    ] {
        let run = sandbox.run(&format!("verify --json {args}"));
        let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(run.status.code(), Some(exit), "{args}");
        assert_eq!(report["problem_code"], code, "{args}");
    }
}
