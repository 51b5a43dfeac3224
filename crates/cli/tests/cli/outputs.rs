//! Where the output goes, and what it must not touch.

use crate::support::{CommandExt, Sandbox, pat, v2_parts};
use std::{
    ffi::OsStr,
    fs,
    os::unix::{
        ffi::OsStrExt,
        fs::{FileTypeExt, PermissionsExt, symlink},
        process::CommandExt as _,
    },
    process::Command,
    thread,
};

#[test]
fn input_and_output_that_are_one_file_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("f", b"precious");
    symlink("f", sandbox.path("link")).unwrap();
    fs::hard_link(sandbox.path("f"), sandbox.path("hard")).unwrap();
    for output in ["f", "./f", "link", "hard"] {
        for command in [
            format!("\"$SS55\" encrypt -k k -o {output} f"),
            format!("\"$SS55\" encrypt -k k -o {output} < f"),
            format!("\"$SS55\" encrypt -k k -o - f >> {output}"),
            format!("\"$SS55\" encrypt -k k < f >> {output}"),
        ] {
            sandbox.shell(&command).run().fails(2, &["one file"]);
            assert_eq!(sandbox.read("f"), b"precious", "{command}");
        }
    }
    sandbox.write("f", v2_parts(&[b"precious"]).concat());
    let sealed = sandbox.read("f");
    for output in ["f", "./f", "link", "hard"] {
        sandbox
            .run(&format!("decrypt -k k -o {output} f"))
            .fails(2, &["one file"]);
        assert_eq!(sandbox.read("f"), sealed);
    }
}

#[test]
fn the_key_file_is_no_output_either() {
    let sandbox = Sandbox::new();
    let key = sandbox.read("k");
    sandbox
        .run("encrypt -k k -o k other")
        .fails(2, &["key file"]);
    sandbox.write("f", v2_parts(&[b"x"]).concat());
    sandbox.run("decrypt -k k -o ./k f").fails(2, &["key file"]);
    assert_eq!(sandbox.read("k"), key);
}

#[test]
fn the_ad_file_is_no_output_either() {
    let sandbox = Sandbox::new();
    sandbox.write("meta", b"precious");
    sandbox.write("k.ss55", b"precious");
    for args in [
        "encrypt -k k --ad @meta other -o meta",
        "encrypt -k other --ad @k.ss55 k",
    ] {
        sandbox.run(args).fails(2, &["--ad file are one file"]);
    }
    assert_eq!(sandbox.read("meta"), b"precious");
    assert_eq!(sandbox.read("k.ss55"), b"precious");
}

#[test]
fn what_a_replaced_file_cannot_pass_on_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("out", b"old");
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(sandbox.path("out"), mode(0o4755)).unwrap();
    let run = sandbox.run("encrypt -k k -o out k");
    assert_eq!(run.status.code(), Some(0));
    assert_eq!(
        run.stderr,
        "ss55: warning: \"out\": its mode was 4755 and is 0755 now\n"
    );
    assert_eq!(sandbox.mode("out"), 0o755);
    if rustix::process::geteuid().is_root() {
        // Somebody else, who may write both the file and its folder.
        fs::set_permissions(sandbox.path("out"), mode(0o666)).unwrap();
        fs::set_permissions(sandbox.path(""), mode(0o777)).unwrap();
        let mut command = sandbox.command(["encrypt", "-k", "k", "-o", "out", "k"]);
        let run = command.uid(65534).gid(65534).run();
        assert_eq!(run.status.code(), Some(0), "{}", run.stderr);
        assert!(run.stderr.contains("owner and group could not be kept"));
        assert_eq!(sandbox.mode("out"), 0o600);
    }
}

#[test]
fn an_existing_output_is_replaced_and_keeps_its_mode() {
    for mode in [0o600, 0o640, 0o644, 0o400 | 0o200] {
        let sandbox = Sandbox::new();
        sandbox.write("out", b"old");
        fs::set_permissions(sandbox.path("out"), fs::Permissions::from_mode(mode)).unwrap();
        for umask in ["000", "077"] {
            let script = format!("umask {umask}; exec \"$SS55\" encrypt -k k -o out k");
            sandbox.shell(&script).run().succeeds();
            assert_eq!(sandbox.mode("out"), mode);
            assert_ne!(sandbox.read("out"), b"old");
        }
    }
}

#[test]
fn who_may_not_write_a_file_may_not_replace_it() {
    let sandbox = Sandbox::new();
    sandbox.write("out", b"old");
    fs::set_permissions(sandbox.path("out"), fs::Permissions::from_mode(0o400)).unwrap();
    let run = sandbox.run("encrypt -k k -o out k");
    if rustix::process::geteuid().is_root() {
        run.succeeds();
        assert_eq!(sandbox.mode("out"), 0o400);
    } else {
        run.fails(1, &["\"out\"", "denied"]);
        assert_eq!(sandbox.read("out"), b"old");
    }
}

#[test]
fn a_new_output_has_the_mode_that_the_umask_leaves() {
    for (umask, mode) in [("000", 0o666), ("022", 0o644), ("077", 0o600)] {
        let sandbox = Sandbox::new();
        let script = format!("umask {umask}; exec \"$SS55\" encrypt -k k -o out k");
        sandbox.shell(&script).run().succeeds();
        assert_eq!(sandbox.mode("out"), mode);
    }
}

#[test]
fn a_symbolic_link_stays_and_its_target_is_replaced() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("there")).unwrap();
    sandbox.write("there/out", b"old");
    symlink("there/out", sandbox.path("link")).unwrap();
    symlink("link", sandbox.path("second")).unwrap();
    symlink("there/new", sandbox.path("dangling")).unwrap();
    symlink("loop", sandbox.path("loop")).unwrap();
    for (link, target) in [("second", "there/out"), ("dangling", "there/new")] {
        sandbox.run(&format!("encrypt -k k k -o {link}")).succeeds();
        assert!(sandbox.path(link).symlink_metadata().unwrap().is_symlink());
        sandbox.run(&format!("verify -k k {target}")).succeeds();
    }
    assert_eq!(fs::read_dir(sandbox.path("there")).unwrap().count(), 2);
    sandbox
        .run("encrypt -k k k -o loop")
        .fails(1, &["\"loop\"", "symbolic links"]);
}

#[test]
fn devices_and_pipes_are_written_to_and_never_replaced() {
    let sandbox = Sandbox::new();
    sandbox.run("encrypt -k k -o /dev/null k").succeeds();
    assert!(
        fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );

    let status = Command::new("mkfifo").arg(sandbox.path("fifo")).status();
    assert!(status.unwrap().success());
    let fifo = sandbox.path("fifo");
    let reader = thread::spawn(move || fs::read(fifo).unwrap());
    sandbox.run("encrypt -k k -o fifo other").succeeds();
    let sealed = reader.join().unwrap();
    assert!(
        sandbox
            .path("fifo")
            .metadata()
            .unwrap()
            .file_type()
            .is_fifo()
    );
    sandbox.pipe("verify -k k", &sealed).succeeds();

    let mut script = sandbox.shell("cat k > fifo & \"$SS55\" encrypt -k k -o out fifo; wait");
    script.run().succeeds();
    let run = sandbox.run("decrypt -k k -o /dev/stdout out").succeeds();
    assert_eq!(run.stdout, sandbox.read("k"));
}

#[test]
fn standard_output_is_appended_to_where_the_shell_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("log", b"before ");
    sandbox.write("f", v2_parts(&[b"after"]).concat());
    for output in ["-", "/dev/stdout"] {
        let script = format!("exec \"$SS55\" decrypt -k k f -o {output} >> log");
        sandbox.shell(&script).run().succeeds();
    }
    assert_eq!(sandbox.read("log"), b"before afterafter");
}

#[test]
fn names_may_hold_any_byte() {
    let sandbox = Sandbox::new();
    let name = OsStr::from_bytes(b"\xff\xfe \n\x1b[31m");
    let sealed = OsStr::from_bytes(b"\xff\xfe \n\x1b[31m.ss55");
    sandbox.write(name, pat(10));
    let encrypt = [
        OsStr::new("encrypt"),
        OsStr::new("-k"),
        OsStr::new("k"),
        name,
    ];
    sandbox.command(encrypt).run().succeeds();
    fs::remove_file(sandbox.path(name)).unwrap();
    let decrypt = [
        OsStr::new("decrypt"),
        OsStr::new("-k"),
        OsStr::new("k"),
        sealed,
    ];
    sandbox.command(decrypt).run().succeeds();
    assert_eq!(sandbox.read(name), pat(10));
    // In a message they are escaped: no line break, no control sequence.
    let wrong = [
        OsStr::new("decrypt"),
        OsStr::new("-k"),
        OsStr::new("other"),
        sealed,
    ];
    let run = sandbox.command(wrong).run().fails(3, &[".ss55"]);
    assert!(!run.stderr.contains('\x1b'), "{}", run.stderr);
    let json = [OsStr::new("inspect"), OsStr::new("--json"), sealed];
    let json = sandbox.command(json).run().succeeds().stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["frames"], 2);
    assert_eq!(json["file_hex"], hex::encode(sealed.as_bytes()));
}

#[test]
fn a_name_with_a_dash_follows_two_of_them() {
    let sandbox = Sandbox::new();
    sandbox.write("-x", b"text");
    sandbox.run("encrypt -k k -- -x").succeeds();
    fs::remove_file(sandbox.path("-x")).unwrap();
    sandbox.run("decrypt -k k -- -x.ss55").succeeds();
    assert_eq!(sandbox.read("-x"), b"text");
    let run = sandbox.run("encrypt -k k -x");
    assert_eq!(run.status.code(), Some(2));
    assert!(run.stderr.contains("hint: "), "{}", run.stderr);
}
