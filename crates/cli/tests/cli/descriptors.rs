//! Descriptors under their many names, and pipes that somebody else reads or writes too.

use crate::support::{CommandExt, Run, Sandbox, pat, v2_parts};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::{
    io::{Read, Write, pipe},
    os::fd::AsFd,
    process::Stdio,
    thread,
};

/// `script` under bash, which has process substitution.
fn bash(sandbox: &Sandbox, script: &str) -> Run {
    let mut command = sandbox.shell("exec bash -c \"$SCRIPT\"");
    command.env("SCRIPT", script).run()
}

#[test]
fn an_open_descriptor_is_written_to_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.write("f", v2_parts(&[b"after"]).concat());
    std::os::unix::fs::symlink("/dev/fd/3", sandbox.path("link")).unwrap();
    for (output, redirection) in [
        ("/dev/fd/3", "3>>log"),
        ("/proc/self/fd/3", "3>>log"),
        ("link", "3>>log"),
        ("/dev/stderr", "2>>log"),
        ("/proc/thread-self/fd/1", ">>log"),
        ("//dev/stdout", ">>log"),
        ("/dev/../dev/fd/1", ">>log"),
    ] {
        sandbox.write("log", b"precious ");
        let script = format!("\"$SS55\" decrypt -k k f -o {output} {redirection}");
        sandbox.shell(&script).run().succeeds();
        assert_eq!(sandbox.read("log"), b"precious after", "{output}");
    }
    // It goes on where others stopped, and others go on behind it.
    let script = "{ printf 'be' >&3; \"$SS55\" decrypt -k k f -o /dev/fd/3; printf 'wards' >&3; }";
    sandbox.shell(&format!("{script} 3>log")).run().succeeds();
    assert_eq!(sandbox.read("log"), b"beafterwards");
}

#[test]
fn a_removed_file_is_not_made_again() {
    let sandbox = Sandbox::new();
    let before = sandbox.files();
    let script = "exec 3>gone; rm gone; \"$SS55\" encrypt -k k k -o /dev/fd/3";
    sandbox.shell(script).run().succeeds();
    assert_eq!(sandbox.files(), before);
}

#[test]
fn pipes_are_outputs() {
    let sandbox = Sandbox::new();
    sandbox.write("f", pat(300_000));
    let output = "\"$SS55\" encrypt -k k f -o";
    let reader = "\"$SS55\" decrypt -k k";
    for script in [
        format!("{output} >({reader} > out); wait $!"),
        format!("{output} /dev/fd/3 3> >({reader} > out); wait $!"),
        format!("{{ {output} /proc/self/fd/3 3>&1 >&2; }} | {reader} > out"),
    ] {
        sandbox.write("out", b"");
        bash(&sandbox, &script).succeeds();
        assert!(sandbox.read("out") == pat(300_000), "{script}");
    }
}

#[test]
fn a_descriptor_that_cannot_be_written_to_says_so() {
    let sandbox = Sandbox::new();
    for (output, redirection) in [("/dev/fd/9", "9>&-"), ("/dev/fd/3", "3<other")] {
        let script = format!("\"$SS55\" encrypt -k k k -o {output} {redirection}");
        sandbox.shell(&script).run().fails(1, &[output, "not open"]);
    }
    sandbox
        .shell("exec 3>log; sh -c '\"$SS55\" encrypt -k k k -o /proc/$PPID/fd/3' 3>&-; exit $?")
        .run()
        .fails(1, &["another process"]);
}

#[test]
fn a_descriptor_gives_the_output_no_name() {
    let sandbox = Sandbox::new();
    let words = ["/dev/fd/", "no name", "-o OUT"];
    bash(&sandbox, "\"$SS55\" encrypt -k k <(echo x)").fails(2, &words);
    let run = bash(
        &sandbox,
        "\"$SS55\" encrypt -k k <(echo x) -o - | \"$SS55\" decrypt -k k",
    );
    assert_eq!(run.succeeds().stdout, b"x\n");
}

#[test]
fn standard_input_is_read_for_one_purpose() {
    let sandbox = Sandbox::new();
    for (args, roles) in [
        ("--ad @/dev/stdin -k k", "ad and input"),
        ("--ad @/dev/fd/0 -k k", "ad and input"),
        ("--ad @- -k k", "ad and input"),
        ("-k /proc/thread-self/fd/0", "key and input"),
        ("-k - --ad @- k", "key and ad"),
    ] {
        for command in ["encrypt -o -", "decrypt -o -", "verify"] {
            let run = sandbox.pipe(&format!("{command} {args}"), b"data");
            assert!(run.stdout.is_empty());
            run.fails(2, &[roles, "both standard input"]);
        }
    }
    // The same pipe under another name.
    sandbox
        .shell("cat k | \"$SS55\" encrypt -k /dev/fd/3 3<&0")
        .run()
        .fails(2, &["key and input are one pipe"]);
    sandbox
        .shell("cat k | \"$SS55\" encrypt -k k --ad @/dev/fd/3 3<&0")
        .run()
        .fails(2, &["ad and input are one pipe"]);
}

#[test]
fn a_dash_is_standard_input_wherever_a_file_is_read() {
    let sandbox = Sandbox::new();
    let sealed = sandbox.run("encrypt -k k k --ad text -o -").succeeds();
    sandbox.write("f", &sealed.stdout);
    sandbox.pipe("verify -k k --ad @- f", b"text").succeeds();
    sandbox
        .command(["verify", "--ad", "text", "f"])
        .env("SS55_KEY_FILE", "-")
        .pipe(&sandbox.read("k"))
        .succeeds();
    sandbox
        .run("encrypt --new-key - k -o out")
        .fails(2, &["--new-key -", "./-"]);
    assert!(!sandbox.exists("-") && !sandbox.exists("out"));
}

#[test]
fn descriptors_that_do_not_wait_are_waited_for() {
    let not_waiting = |end: &dyn AsFd| {
        let flags = fcntl_getfl(end.as_fd()).unwrap();
        fcntl_setfl(end.as_fd(), flags | OFlags::NONBLOCK).unwrap();
    };
    let sandbox = Sandbox::new();
    let (input, mut to_input) = pipe().unwrap();
    let (mut from_output, output) = pipe().unwrap();
    not_waiting(&input);
    not_waiting(&output);
    let mut child = sandbox
        .command(["encrypt", "-k", "k"])
        .stdin(Stdio::from(input))
        .stdout(Stdio::from(output))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More than both pipes and all buffers hold, so that it finds the one empty or the other full.
    let writer = thread::spawn(move || to_input.write_all(&pat(2_000_000)));
    let mut sealed = Vec::new();
    let mut piece = vec![0; 1000];
    loop {
        let read = from_output.read(&mut piece).unwrap();
        if read == 0 {
            break;
        }
        sealed.extend(&piece[..read]);
    }
    let mut message = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut message).unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), message.as_str()),
        (Some(0), "")
    );
    writer.join().unwrap().unwrap();
    let opened = sandbox.pipe("decrypt -k k", &sealed).succeeds().stdout;
    assert!(opened == pat(2_000_000));
}
