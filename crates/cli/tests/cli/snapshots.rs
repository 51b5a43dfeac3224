//! What the command says, word for word: `snapshots/` has every help, every message with its hint and exit
//! status, and every report. `UPDATE_EXPECT=1 cargo test` writes them anew; `messages.rs` sees to it that none
//! is missing.
//!
//! The texts of the operating system are left out, since they are not ours: `[ENOENT]` stands for what it says
//! of that.

use crate::{
    support::{CommandExt, NONCE, Run, Sandbox, libsodium_parts, pat, v1_parts, v2_parts},
    terminal::terminal,
};
use expect_test::{ExpectFile, expect_file};
use rustix::{
    io::Errno,
    termios::{LocalModes, tcgetattr},
};
use ss55_wire::{secretstream::Tag, v2};
use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::symlink,
    thread,
};

/// Those of the texts below.
const ERRNOS: [(&str, Errno); 12] = [
    ("EACCES", Errno::ACCESS),
    ("EBADF", Errno::BADF),
    ("EEXIST", Errno::EXIST),
    ("EFBIG", Errno::FBIG),
    ("EIO", Errno::IO),
    ("EISDIR", Errno::ISDIR),
    ("ELOOP", Errno::LOOP),
    ("ENAMETOOLONG", Errno::NAMETOOLONG),
    ("ENOENT", Errno::NOENT),
    ("ENOSPC", Errno::NOSPC),
    ("ENOTDIR", Errno::NOTDIR),
    ("ENXIO", Errno::NXIO),
];

/// `text` without what the operating system and the standard library say.
fn ours(text: &str) -> String {
    let mut text = text.to_owned();
    for (name, errno) in ERRNOS {
        let error = io::Error::from(errno);
        let number = format!(" (os error {})", errno.raw_os_error());
        let theirs = error.to_string();
        let theirs = theirs.strip_suffix(&number).unwrap();
        let general = io::Error::from(error.kind()).to_string();
        for said in [theirs, &general] {
            for end in ["\n", &format!("{number}\n")] {
                text = text.replace(&format!(": {said}{end}"), &format!(": [{name}]\n"));
            }
        }
    }
    text
}

/// Adds a run to a transcript: the script, what it prints, and its status if that is not 0.
fn record(transcript: &mut String, script: &str, run: &Run) {
    let out = String::from_utf8(run.stdout.clone()).unwrap();
    let status = match run.status.code() {
        Some(0) => String::new(),
        Some(code) => format!("? {code}\n"),
        None => panic!("{script}: {:?}", run.status),
    };
    let said = ours(&run.stderr);
    writeln!(transcript, "$ {script}\n{out}{said}{status}").unwrap();
}

/// The transcript of these scripts, each a line.
fn transcript(sandbox: &Sandbox, scripts: &str) -> String {
    let mut transcript = String::new();
    for script in scripts
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let defined = format!("ss55() {{ \"$SS55\" \"$@\"; }}\n{script}");
        record(&mut transcript, script, &sandbox.shell(&defined).run());
    }
    transcript
}

fn check(sandbox: &Sandbox, scripts: &str, expected: &ExpectFile) {
    expected.assert_eq(&transcript(sandbox, scripts));
}

#[test]
fn help() {
    let sandbox = Sandbox::new();
    check(
        &sandbox,
        "
        ss55 --help
        ss55 keygen --help
        ss55 encrypt --help
        ss55 decrypt --help
        ss55 verify --help
        ss55 cat --help
        ss55 reencrypt --help
        ss55 inspect --help
        ss55 siv-encrypt --help
        ss55 siv-decrypt --help
        ss55 bench --help
        ",
        &expect_file!["snapshots/help.txt"],
    );
}

/// Neither the width of a terminal nor what kind it is changes a line.
#[test]
fn help_is_the_same_on_every_terminal() {
    let sandbox = Sandbox::new();
    let help = |name, value| {
        let mut command = sandbox.command(["encrypt", "--help"]);
        command.env(name, value).run().succeeds().stdout
    };
    let plain = help("TERM", "dumb");
    for (name, value) in [
        ("TERM", "xterm-256color"),
        ("COLUMNS", "40"),
        ("COLUMNS", "300"),
        ("CLICOLOR_FORCE", "1"),
        ("LC_ALL", "de_DE.UTF-8"),
    ] {
        assert!(help(name, value) == plain, "{name}={value}");
    }
}

#[test]
fn usage() {
    let sandbox = Sandbox::new();
    check(
        &sandbox,
        "
        ss55
        ss55 frobnicate
        ss55 encrpyt
        ss55 encrypt --unknown
        ss55 encrypt -k
        ss55 encrypt -k k -o -y k
        ss55 encrypt -k k --new-key new k
        ss55 encrypt -k k --key-format hex --key-transform hex k
        ss55 encrypt -k k --format v1 k
        ss55 encrypt -k k --threads 0 k
        ss55 encrypt -k k --format libsodium --chunk-size 67108865 k
        ss55 decrypt -k k --format v3 k
        ss55 cat -k k k
        ss55 cat -k k --range 5 k
        ss55 cat -k k --range 5..4 k
        ss55 cat -k k --range 0..18446744073709551616 k
        ss55 reencrypt -k k --to-key other --new-key new -o out k
        ss55 inspect a b
        ss55 keygen --passphrase
        SS55_BACKEND=abacus ss55 bench 2>&1 | sed 's/it has .*;/it has ...;/'
        ",
        &expect_file!["snapshots/usage.txt"],
    );
}

#[test]
fn keys() {
    let sandbox = Sandbox::new();
    let text = fs::read_to_string(sandbox.path("k")).unwrap();
    sandbox.write("short", &text[1..]);
    sandbox.write("half", &text[32..]);
    sandbox.write("odd", text.replace('5', "x"));
    sandbox.write("empty", "");
    sandbox.write("blank", " \n");
    sandbox.write("binary", [0xff; 33]);
    sandbox.write("utf16", [&b"\xff\xfe"[..], text.as_bytes()].concat());
    sandbox.write("long", "a".repeat(5000));
    sandbox.write("base64", "Wlpa".repeat(10) + "Wlo=");
    sandbox.write("pads", "=".repeat(44));
    sandbox.write("typed", "a sentence that one can type");
    sandbox.write("sealed", v2_parts(&[b"text"]).concat());
    check(
        &sandbox,
        "
        ss55 verify sealed
        SS55_KEY=x SS55_KEY_FILE=k ss55 verify sealed
        SS55_KEY=x ss55 verify sealed
        SS55_KEY=x ss55 verify --key-format raw sealed
        SS55_KEY=x ss55 verify --key-transform hex sealed
        ss55 verify -k short sealed
        ss55 verify -k half sealed
        ss55 verify -k odd sealed
        ss55 verify -k empty sealed
        ss55 verify -k blank sealed
        ss55 verify -k binary sealed
        ss55 verify -k utf16 sealed
        ss55 verify -k long sealed
        ss55 verify -k k --key-format raw sealed
        ss55 verify -k k --key-format base64 sealed
        ss55 verify -k base64 --key-format hex sealed
        ss55 verify -k odd --key-format base64 sealed
        ss55 verify -k base64 --key-transform hex sealed
        ss55 verify -k odd --key-transform base64 sealed
        ss55 verify -k pads --key-transform base64 sealed
        ss55 verify -k empty --key-transform none sealed
        ss55 encrypt -k typed --key-transform none k -o out
        ss55 verify -k missing sealed
        ss55 verify -k . sealed
        ss55 verify -k $(cat k) sealed
        cat k | ss55 verify -k -
        cat k | ss55 verify -k /dev/fd/3 3<&0
        ss55 verify -k - sealed sealed < k
        ss55 keygen -o k
        ss55 keygen -o no/key
        ss55 keygen -o folder/
        ss55 keygen -o ''
        ss55 keygen > /dev/full
        ss55 keygen --passphrase -o -
        ss55 encrypt --new-key - k -o out
        ss55 encrypt --new-key new k sealed
        ss55 encrypt --new-key new k -o new
        ",
        &expect_file!["snapshots/keys.txt"],
    );
}

#[test]
fn passphrases() {
    let sandbox = Sandbox::new();
    sandbox.write("sealed", v2_parts(&[b"text"]).concat());
    let script = "SS55_PASSPHRASE=right \"$SS55\" keygen --passphrase -o protected";
    sandbox.shell(script).run().succeeds();
    let file = sandbox.read("protected");
    let changed = |at: usize, value: u32| {
        let mut file = file.clone();
        file[at..at + 4].copy_from_slice(&value.to_be_bytes());
        file
    };
    sandbox.write("short", &file[1..]);
    sandbox.write("short", &file[..file.len() - 1]);
    sandbox.write("newer", changed(8, 2 << 16));
    sandbox.write("greedy", changed(12, u32::MAX));
    sandbox.write("idle", changed(16, 0));
    sandbox.write("damaged", changed(file.len() - 4, 0));
    check(
        &sandbox,
        "
        SS55_PASSPHRASE=wrong ss55 verify -k protected sealed
        SS55_PASSPHRASE=right ss55 verify -k short sealed
        SS55_PASSPHRASE=right ss55 verify -k newer sealed
        SS55_PASSPHRASE=right ss55 verify -k greedy sealed
        SS55_PASSPHRASE=right ss55 verify -k idle sealed
        SS55_PASSPHRASE=right ss55 verify -k damaged sealed
        SS55_PASSPHRASE=$(printf '\\377') ss55 verify -k protected sealed
        setsid -w \"$SS55\" verify -k protected sealed
        ",
        &expect_file!["snapshots/passphrases.txt"],
    );
}

#[test]
fn files() {
    let sandbox = Sandbox::new();
    sandbox.write("sealed", v2_parts(&[b"text"]).concat());
    sandbox.write("mode", "");
    fs::create_dir(sandbox.path("folder")).unwrap();
    symlink("loop", sandbox.path("loop")).unwrap();
    check(
        &sandbox,
        "
        ss55 encrypt -k k missing
        ss55 encrypt -k k folder
        ss55 encrypt -k k /proc/self/mem -o out
        ss55 encrypt -k k k --ad @missing -o out
        ss55 encrypt -k k k --ad @folder -o out
        head -c 16777217 /dev/zero | ss55 encrypt -k k k --ad @- -o out
        ss55 encrypt -k k k -o folder
        ss55 encrypt -k k k -o folder/
        ss55 encrypt -k k k -o no/out
        ss55 encrypt -k k k -o loop
        ss55 encrypt -k k k -o /dev/full
        ss55 encrypt -k k k -o - > /dev/full
        ss55 encrypt -k k k -o /dev/fd/9
        ss55 encrypt -k k k -o /proc/sys/kernel/ostype
        ss55 encrypt -k k k -o $(printf 'long.%.0s' $(seq 60))
        ss55 encrypt -k k -o out <&-
        ss55 encrypt -k k k -o - >&-
        ss55 encrypt -k k k -o k
        ss55 encrypt -k k other -o k
        ss55 encrypt -k k other --ad @sealed -o sealed
        ss55 reencrypt -k k --to-key other sealed -o other
        ss55 encrypt -k k /dev/fd/3 3< other
        ss55 encrypt -k k k other -o out
        ss55 encrypt -k k k other k
        ss55 encrypt -k k other other.ss55
        ss55 encrypt -k k - -
        ss55 encrypt -k k $(cat k)
        ss55 decrypt -k k sealed
        ss55 siv-decrypt -k k sealed
        ss55 reencrypt -k k sealed
        cat sealed | ss55 cat -k k --range .. /dev/stdin
        ss55 cat -k k --range 0..5 sealed
        ss55 cat -k k --range 5.. sealed
        chmod 4755 mode; ss55 encrypt -k k k -o mode
        sh -c 'cd /proc/$$/fd; \"$SS55\" encrypt -k \"$OLDPWD/k\" -o 1; true'
        ss55 encrypt -k k k --format libsodium --ad x -o out
        ss55 encrypt -k k k --chunk-size 100 -o out
        ss55 encrypt -k k k --format libsodium --threads 2 -o out
        ss55 verify -k k sealed missing; ls
        ",
        &expect_file!["snapshots/files.txt"],
    );
}

/// Streams with each of the faults there are.
fn write_streams(sandbox: &Sandbox) {
    let frames = [pat(1000), pat(2000), pat(3000)];
    let slices: Vec<_> = frames.iter().map(Vec::as_slice).collect();
    let parts = v2_parts(&slices);
    let whole = parts.concat();
    let first = v2::HEADER_LEN;
    let last = whole.len() - v2::FINAL_FRAME_LEN;
    let changed = |at: usize, byte: u8| {
        let mut stream = whole.clone();
        stream[at] = byte;
        stream
    };
    let joined = |more: &[u8]| [&whole[..], more].concat();
    let length = |length: u32| [&parts[0][..], &length.to_be_bytes(), &[0; 64]].concat();
    let utf16: Vec<u8> = [0xfe, 0xff]
        .into_iter()
        .chain(whole.iter().flat_map(|b| [0, *b]))
        .collect();
    sandbox.write("whole", &whole);
    sandbox.write("empty", "");
    sandbox.write("cut-header", &whole[..20]);
    sandbox.write("cut-first", &whole[..first + 100]);
    sandbox.write("cut-second", &whole[..first + 1500]);
    sandbox.write("bare", NONCE);
    sandbox.write("damaged-first", changed(first + 50, 0));
    sandbox.write("damaged-second", changed(first + 1500, 0));
    sandbox.write("more", joined(b"x"));
    sandbox.write("magic", changed(6, b'9'));
    sandbox.write("version", changed(9, 3));
    sandbox.write("flags", changed(11, 1));
    sandbox.write("utf16", utf16);
    sandbox.write("length", length(u32::MAX));
    sandbox.write("final", changed(first + 4, 3));
    sandbox.write("tag", changed(last + 4, 7));
    sandbox.write("noise", pat(100));
    sandbox.write("noises", pat(70_000));

    let full = pat(8192);
    let chunks = libsodium_parts(&[(Tag::MESSAGE, &full), (Tag::FINAL, b"end")]);
    let layout = chunks.concat();
    let mut damaged = layout.clone();
    damaged[100] ^= 1;
    let after = libsodium_parts(&[(Tag::FINAL, &full), (Tag::MESSAGE, b"x")]);
    sandbox.write("layout", &layout);
    sandbox.write("layout-cut", &layout[..layout.len() - 1]);
    sandbox.write("layout-cut-first", &layout[..100]);
    sandbox.write("layout-damaged", damaged);
    sandbox.write("layout-more", after.concat());
    sandbox.write("v1", v1_parts(&[b"old"]).concat());
    let forged = [&parts[0][..], &parts[4][..]].concat();
    sandbox.write("forged", forged);
}

#[test]
fn streams() {
    let sandbox = Sandbox::new();
    write_streams(&sandbox);
    check(
        &sandbox,
        "
        ss55 verify -k k empty
        ss55 verify -k k cut-header
        ss55 verify -k k cut-first
        ss55 verify -k k cut-second
        ss55 verify -k k bare
        ss55 verify -k other whole
        ss55 verify -k k damaged-first
        ss55 verify -k k damaged-second
        ss55 verify -k k --ad x whole
        ss55 verify -k k more
        ss55 verify -k k magic
        ss55 verify -k k version
        ss55 verify -k k flags
        ss55 verify -k k utf16
        ss55 verify -k k length
        ss55 verify -k k final
        ss55 verify -k k tag
        ss55 verify -k k noise
        ss55 verify -k k noises
        ss55 verify -k k --format v2 noise
        ss55 verify -k k --format v1 whole
        ss55 verify -k k layout
        ss55 verify -k k layout-cut
        ss55 verify -k k layout-cut-first
        ss55 verify -k k --format libsodium layout-cut-first
        ss55 verify -k k --format libsodium layout-damaged
        ss55 verify -k k --format libsodium layout-more
        ss55 verify -k k --ad x layout
        ss55 verify -k k v1
        ss55 reencrypt -k k v1 -o out
        ss55 cat -k k --range 0..1 empty
        ss55 cat -k k --range 0..1 cut-header
        ss55 cat -k k --range 0..1 cut-second
        ss55 cat -k k --range 0..1 more
        ss55 cat -k k --range 0..1 v1
        ss55 cat -k k --range 0..1 version
        ss55 cat -k k --range 0..1 tag
        ss55 cat -k k --range 0..1 length
        ss55 cat -k other --range 0..1 whole
        ss55 cat -k k --range 0..1 damaged-first
        ss55 cat -k k --range 1000..1001 damaged-second
        ss55 siv-decrypt -k k empty -o out
        ss55 siv-decrypt -k k bare -o out
        ss55 siv-decrypt -k k noise -o out
        ss55 siv-decrypt -k k whole -o out
        ",
        &expect_file!["snapshots/streams.txt"],
    );
}

#[test]
fn reports() {
    let sandbox = Sandbox::new();
    write_streams(&sandbox);
    sandbox.write("libsodium", libsodium_parts(&[(Tag::FINAL, b"x")]).concat());
    let scripts = "
        ss55 inspect whole
        ss55 inspect cut-header
        ss55 inspect cut-second
        ss55 inspect empty
        ss55 inspect more
        ss55 inspect v1
        ss55 inspect bare
        ss55 inspect layout
        ss55 inspect --chunk-size 8200 layout
        ss55 inspect --json whole
        ss55 inspect --json tag
        ss55 verify -k k --json whole v1 layout damaged-second noise missing
        ss55 verify -k k --json < more
        ss55 --version
        ";
    check(&sandbox, scripts, &expect_file!["snapshots/reports.txt"]);
}

/// Its figures, and the backends above them, are each machine's own.
#[test]
fn bench() {
    check(
        &Sandbox::new(),
        "ss55 bench | sed -n '/GB/,$p' | sed -E 's/ +[0-9]+[.][0-9]+/ N/g'",
        &expect_file!["snapshots/bench.txt"],
    );
}

/// What is said where memory, disk and threads end.
#[test]
fn limits() {
    let sandbox = Sandbox::new();
    let keygen = "SS55_PASSPHRASE=right \"$SS55\" keygen --passphrase -o protected";
    sandbox.shell(keygen).run().succeeds();
    let scripts = "
        ulimit -v 60000; SS55_PASSPHRASE=right ss55 verify -k protected k
        ulimit -v 100000; ss55 encrypt -k k k --format libsodium --chunk-size 67108864 -o out
        ulimit -v 200000; head -c 300000000 /dev/zero | ss55 siv-encrypt -k k -o out
        ulimit -v 200000; head -c 300000000 /dev/zero | ss55 siv-decrypt -k k -o out
        ulimit -f 1; head -c 100000 /dev/zero | ss55 encrypt -k k -o out
        ";
    check(&sandbox, scripts, &expect_file!["snapshots/limits.txt"]);
}

fn is_echoing(terminal: &File) -> bool {
    tcgetattr(terminal)
        .unwrap()
        .local_modes
        .contains(LocalModes::ECHO)
}

/// What a person sees at a terminal, who types these lines.
fn typed(sandbox: &Sandbox, transcript: &mut String, script: &str, lines: &[&str]) {
    let (mut person, program) = terminal();
    // A session of its own, whose terminal is the one that it reads from.
    let defined = format!("ss55() {{ exec setsid -c -w \"$SS55\" \"$@\"; }}\n{script}");
    let mut command = sandbox.shell(&defined);
    command
        .stdin(program.try_clone().unwrap())
        .stdout(program.try_clone().unwrap())
        .stderr(program);
    let mut child = command.spawn().unwrap();
    drop(command);
    let (mut seen, mut lines, mut byte) = (Vec::new(), lines.iter(), [0]);
    // When all others have gone, reading ends with an error, as terminals do.
    while person.read(&mut byte).is_ok_and(|read| read == 1) {
        seen.push(byte[0]);
        if seen.ends_with(b": ")
            && let Some(line) = lines.next()
        {
            // The prompt comes first.
            while is_echoing(&person) {
                thread::yield_now();
            }
            writeln!(person, "{line}").unwrap();
        }
    }
    let run = Run {
        status: child.wait().unwrap(),
        stdout: Vec::new(),
        stderr: String::from_utf8(seen).unwrap().replace("\r\n", "\n"),
    };
    record(transcript, script, &run);
}

#[test]
fn terminals() {
    let sandbox = Sandbox::new();
    let mut transcript = String::new();
    let keygen = "ss55 keygen --passphrase -o protected";
    typed(&sandbox, &mut transcript, keygen, &["right", "wrong"]);
    assert!(!sandbox.exists("protected"));
    typed(&sandbox, &mut transcript, keygen, &[""]);
    assert!(!sandbox.exists("protected"));
    typed(&sandbox, &mut transcript, keygen, &["right", "right"]);
    sandbox.write("sealed", v2_parts(&[b"text"]).concat());
    let encrypt = "ss55 encrypt -q -k protected sealed";
    typed(&sandbox, &mut transcript, encrypt, &["right"]);
    assert!(sandbox.exists("sealed.ss55"));
    let verify = "ss55 verify -q -k protected sealed.ss55";
    typed(&sandbox, &mut transcript, verify, &["right"]);
    typed(&sandbox, &mut transcript, verify, &["wrong"]);
    typed(&sandbox, &mut transcript, verify, &[""]);
    typed(&sandbox, &mut transcript, "ss55 decrypt -k k", &[]);
    expect_file!["snapshots/terminals.txt"].assert_eq(&transcript);
}
