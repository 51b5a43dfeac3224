//! Key files under a passphrase, which the environment holds here: nobody sits at these tests.

use crate::support::{CommandExt, Run, Sandbox};

fn run(sandbox: &Sandbox, passphrase: &str, args: &str) -> Run {
    let mut command = sandbox.command(args.split_whitespace());
    command.env("SS55_PASSPHRASE", passphrase).run()
}

#[test]
fn protected_keys() {
    let sandbox = Sandbox::new();
    sandbox.write("p", "text");
    run(&sandbox, "correct horse", "keygen --passphrase -o key").succeeds();
    assert_eq!(sandbox.mode("key"), 0o600);
    let file = sandbox.read("key");
    assert_eq!((file.len(), &file[..8]), (144, &b"SS55-key"[..]));
    run(&sandbox, "correct horse", "encrypt -k key p").succeeds();
    let whole = run(&sandbox, "correct horse", "decrypt -k key -o - p.ss55");
    assert_eq!(whole.succeeds().stdout, b"text");
    run(&sandbox, "wrong", "decrypt -k key -o - p.ss55").fails(2, &["wrong passphrase"]);
    // It is never overwritten, and nobody can be asked without a terminal.
    run(&sandbox, "other", "keygen --passphrase -o key").fails(1, &["\"key\""]);
    assert_eq!(sandbox.read("key"), file);

    for (at, found) in [
        (9, "a version that is not known here"),
        (12, "more than 1 GiB"),
        (30, "wrong passphrase, or damage"),
        (100, "damaged"),
    ] {
        let mut damaged = file.clone();
        damaged[at] ^= 0x80;
        sandbox.write("damaged", damaged);
        let run = run(&sandbox, "correct horse", "decrypt -k damaged -o - p.ss55");
        run.fails(2, &["key from \"damaged\"", found]);
    }
    sandbox.write("short", &file[..143]);
    run(&sandbox, "correct horse", "decrypt -k short -o - p.ss55").fails(2, &["wrong length"]);
    run(&sandbox, "x", "keygen --passphrase").misused("--output");
    run(&sandbox, "x", "keygen --passphrase -o -").fails(2, &["goes to a file"]);
}
