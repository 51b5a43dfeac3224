//! Memory, whatever the input claims and however long it is.

use crate::support::{CommandExt, NONCE, Sandbox, v2_parts};
use std::{
    fs,
    io::Write,
    process::{Child, Stdio},
};

/// Few megabytes for everything: a claimed length of 2 GiB would not fit.
const SCRIPT: &str = "ulimit -v 300000; exec \"$SS55\" ";

#[test]
fn hostile_lengths_cost_no_memory() {
    let sandbox = Sandbox::new();
    let v2_header = v2_parts(&[])[0].clone();
    // With each length, whether v2 and v1 have frames of it.
    let lengths: [(u32, bool, bool); 12] = [
        (0xffffffff, false, false),
        (0x7fffffff, false, false),
        (0x80000000, false, false),
        (0, false, false),
        (1, false, false),
        (15, false, false),
        (16, false, true),
        (17, true, true),
        (65553, true, true),
        (65554, false, true),
        (65616, false, true),
        (65617, false, false),
    ];
    for (length, in_v2, in_v1) in lengths {
        for tail in [0, 16, 64] {
            for (format, header, known) in [("v2", &v2_header[..], in_v2), ("v1", &NONCE, in_v1)] {
                let stream = [header, &length.to_be_bytes(), &vec![0; tail]].concat();
                let is_whole = tail >= length as usize;
                let code = match (known, is_whole) {
                    (false, _) => 5,
                    (true, false) => 4,
                    (true, true) => 3,
                };
                for command in ["decrypt", "verify"] {
                    let script = format!("{SCRIPT} {command} -k k --format {format}");
                    sandbox.shell(&script).pipe(&stream).fails(code, &[]);
                }
                // Without the key a whole frame is believed, and the zeros behind it are no frame.
                let code = if code == 3 { 5 } else { code };
                // What begins like no v1 may be libsodium's, for all one knows.
                if format == "v2" {
                    let inspect = format!("{SCRIPT} inspect");
                    sandbox.shell(&inspect).pipe(&stream).fails(code, &[]);
                }
            }
        }
    }
}

#[test]
fn a_million_minimal_frames_are_read() {
    let sandbox = Sandbox::new();
    let frames = vec![&b""[..]; 1_000_000];
    sandbox.write("f", v2_parts(&frames).concat());
    let verify = format!("{SCRIPT} verify -k k f");
    sandbox.shell(&verify).run().succeeds();
    let inspect = format!("{SCRIPT} inspect --json f");
    let json = sandbox.shell(&inspect).run().succeeds().stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["frames"], 1_000_001);
}

/// The most memory that `child` ever had, in KiB.
fn peak(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_flat() {
    const MIB: usize = 1 << 20;
    let sandbox = Sandbox::new();
    let data = vec![7; MIB];
    for format in ["v2", "libsodium"] {
        let [small, large] = [8, 512].map(|mib| {
            let args = format!("encrypt -k k -o sealed --format {format}");
            let mut encrypt = sandbox
                .command(args.split_whitespace())
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            let mut stdin = encrypt.stdin.take().unwrap();
            for _ in 0..mib {
                stdin.write_all(&data).unwrap();
            }
            // All but a pipe's worth has been read, and it is still there.
            let encrypt_peak = peak(&encrypt);
            drop(stdin);
            assert!(encrypt.wait().unwrap().success());

            let peak_of = |args: &str| {
                let mut child = sandbox
                    .command(args.split_whitespace())
                    .stdin(Stdio::piped())
                    .spawn()
                    .unwrap();
                let mut stdin = child.stdin.take().unwrap();
                let mut sealed = fs::File::open(sandbox.path("sealed")).unwrap();
                std::io::copy(&mut sealed, &mut stdin).unwrap();
                let peak = peak(&child);
                drop(stdin);
                assert!(child.wait().unwrap().success(), "{args}");
                peak
            };
            [
                encrypt_peak,
                peak_of("decrypt -k k -o /dev/null"),
                peak_of("reencrypt -k k -o /dev/null"),
                peak_of("verify -k k"),
            ]
        });
        for (small, large) in small.into_iter().zip(large) {
            // 504 MiB more of input; what a page fault more or less explains.
            assert!(
                large < small + 1024,
                "{format}: {small} KiB, then {large} KiB"
            );
            assert!(large < 16 * 1024, "{format}: {large} KiB");
        }
    }
}

#[test]
fn too_little_memory_for_a_chunk_is_an_error_and_leaves_no_trace() {
    let sandbox = Sandbox::new();
    let mut refused = 0;
    for limit in (60_000..=360_000).step_by(20_000) {
        for args in [
            "encrypt --new-key new -o out --format libsodium k",
            "verify -k k k",
            "verify -k k k --format libsodium",
        ] {
            let script = format!("ulimit -v {limit}; exec \"$SS55\" {args} --chunk-size 67108864");
            let run = sandbox.shell(&script).run();
            match run.status.code() {
                Some(0) => fs::remove_file(sandbox.path("new")).unwrap(),
                // No such stream, but there was memory to find that out.
                Some(3 | 4) => {}
                _ => {
                    run.fails(2, &["--chunk-size", "memory"]);
                    refused += 1;
                }
            }
            assert!(!sandbox.exists("new"));
        }
    }
    assert!(refused > 0);
}
