//! The streams of testdata/negative: each ends with the exit status of its error, after exactly the
//! plaintext that is authentic; and a file comes of the right ones alone.

use crate::{
    negative_vectors::{self as vectors, Vector},
    support::{CommandExt, Sandbox},
};
use ss55_wire::Error;

fn exit_status(vector: &Vector) -> i32 {
    match vector.end() {
        Ok(()) => 0,
        Err(Error::Authentication) => 3,
        Err(Error::Truncated) => 4,
        Err(_) => 5,
    }
}

fn check(vectors: &[Vector]) {
    let sandbox = Sandbox::new();
    for vector in vectors {
        let stream = vector.stream();
        sandbox.write("key", hex::encode(vector.key()));
        sandbox.write("ad", vector.ad());
        let run = |format: &str, output: &str| {
            let args = format!("decrypt -k key --format {format} -o {output}");
            let mut command = sandbox.command(args.split_whitespace());
            if vector.chunk_size != 0 {
                command.args(["--chunk-size", &vector.chunk_size.to_string()]);
            } else {
                command.args(["--ad", "@ad"]);
            }
            let run = command.pipe(&stream);
            let expected = exit_status(vector);
            assert_eq!(
                run.status.code(),
                Some(expected),
                "{}: {}",
                vector.name,
                run.stderr
            );
            if expected != 0 {
                return run.fails(expected, &[]);
            }
            let warned = run.stderr.starts_with("ss55: warning: ") && run.stderr.contains("v1");
            assert_eq!(
                warned,
                vector.accepts("v1"),
                "{}: {}",
                vector.name,
                run.stderr
            );
            run
        };
        let released = run(&vector.accept[0], "-").stdout;
        vector.assert_released(&released, "standard output");
        if vector.auto {
            run("auto", "out");
            assert_eq!(
                sandbox.exists("out"),
                vector.end().is_ok(),
                "{}",
                vector.name
            );
            if sandbox.exists("out") {
                vector.assert_released(&sandbox.read("out"), "a file");
                std::fs::remove_file(sandbox.path("out")).unwrap();
            }
        }
        // The two keys of every sandbox, and the two files of this vector.
        assert_eq!(sandbox.files().len(), 4, "{}", vector.name);
    }
}

#[test]
fn v2() {
    check(&vectors::v2());
}

#[test]
fn v1() {
    check(&vectors::v1());
}

#[test]
fn secretstream() {
    check(&vectors::secretstream());
}
