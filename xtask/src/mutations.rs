//! Plants bugs, one at a time, in a copy of the sources, and runs the tests that must find each.
//!
//! `xtask/mutations/` has the table: what a bug is, the lines that it replaces, and the tests that are to fail.
//! A bug that no test finds is a gap in the tests. So is one that only another test finds than the one that is
//! named: the table says what holds down what.

use crate::process;
use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::Message;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

mod table;

use table::{Mutation, Target};

/// Longer than this no test takes: a bug may make one wait for ever, and is not found then.
const PATIENCE: Duration = Duration::from_secs(120);
/// What a test writes is read to the end of its run, and looked at by this.
const TICK: Duration = Duration::from_millis(10);

const DOCUMENT: &str = "docs/verification.md";

/// Plants the named bugs, or all of them.
pub fn run(names: &[String]) -> Result<()> {
    let start = Instant::now();
    let mutations = choose(table::read()?, names)?;
    let copy = Copy::new()?;
    let tests = tests_of(&mutations);
    for (target, tests) in &tests {
        let verdicts = copy.run(target, tests)?;
        let lost: Vec<_> = tests
            .iter()
            .zip(verdicts)
            .filter(|(_, v)| *v != Verdict::Passed)
            .collect();
        ensure!(lost.is_empty(), "without a bug, in {target}: {lost:?}");
    }
    let count: usize = tests.values().map(BTreeSet::len).sum();
    println!(
        "mutations: without a bug all {count} tests pass, {} s",
        start.elapsed().as_secs()
    );

    let mut faults = Vec::new();
    for mutation in &mutations {
        let start = Instant::now();
        let (name, target) = (&mutation.name, &mutation.target);
        let verdicts = copy.with(mutation, || copy.run(target, &mutation.tests));
        let found =
            match verdicts {
                Err(error) => Err(format!("{error:#}")),
                Ok(verdicts) => mutation.tests.iter().zip(verdicts).try_for_each(
                    |(test, verdict)| match verdict {
                        Verdict::Failed => Ok(()),
                        Verdict::Passed => Err(format!("{target}: {test} does not find it")),
                        Verdict::Absent => Err(format!("{target}: {test} did not come to an end")),
                    },
                ),
            };
        let seconds = start.elapsed().as_secs_f64();
        match found {
            Ok(()) => println!("mutations: {seconds:5.1} s  {name}: found"),
            Err(fault) => {
                println!("mutations: {seconds:5.1} s  {name}: NOT FOUND");
                faults.push(format!("{name} ({}): {fault}", mutation.what));
            }
        }
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    println!(
        "mutations: {} bugs planted, each found by the tests that are named, {} s",
        mutations.len(),
        start.elapsed().as_secs()
    );
    Ok(())
}

/// Writes the table into the document.
pub fn write() -> Result<()> {
    let path = crate::root().join(DOCUMENT);
    let text = fs::read_to_string(&path)?;
    let (before, after) = around_table(&text)?;
    let table = table::markdown(&table::read()?);
    fs::write(&path, format!("{before}{table}{after}"))?;
    Ok(())
}

/// What comes before and behind the table of bugs.
fn around_table(text: &str) -> Result<(&str, &str)> {
    let start = text
        .find(table::HEADER)
        .with_context(|| format!("{DOCUMENT} has no table of bugs"))?;
    let (before, rest) = text.split_at(start);
    let lines = rest.split_inclusive('\n');
    let len = lines
        .take_while(|line| line.starts_with('|'))
        .map(str::len)
        .sum();
    Ok((before, &rest[len..]))
}

fn choose(all: Vec<Mutation>, names: &[String]) -> Result<Vec<Mutation>> {
    for name in names {
        ensure!(
            all.iter().any(|mutation| mutation.name == *name),
            "there is no {name}; xtask/mutations/ has them all"
        );
    }
    let chosen = |mutation: &Mutation| names.is_empty() || names.contains(&mutation.name);
    Ok(all.into_iter().filter(chosen).collect())
}

/// The tests that are named, each once.
fn tests_of(mutations: &[Mutation]) -> BTreeMap<Target, BTreeSet<String>> {
    let mut tests = BTreeMap::<_, BTreeSet<_>>::new();
    for mutation in mutations {
        let entry = tests.entry(mutation.target.clone()).or_default();
        entry.extend(mutation.tests.iter().cloned());
    }
    tests
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    /// It is not there, or was never told of: the program ended before, or had to be ended.
    Absent,
}

impl Verdict {
    /// From the lines of the test program.
    fn read(log: &str, test: &str) -> Self {
        let result = log.lines().find_map(|line| {
            let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
            // A test that must panic says so behind its name.
            let name = name.strip_suffix(" - should panic").unwrap_or(name);
            (name == test).then_some(result)
        });
        match result {
            Some("ok") => Verdict::Passed,
            Some("FAILED") => Verdict::Failed,
            _ => Verdict::Absent,
        }
    }
}

/// The copy of the sources, and what is built of it.
struct Copy {
    sources: PathBuf,
    built: PathBuf,
}

impl Copy {
    /// As the sources are now. What has not changed is left alone, and not built again.
    fn new() -> Result<Self> {
        let folder = crate::root().join("target/mutations");
        let copy = Copy {
            sources: folder.join("tree"),
            built: folder.join("build"),
        };
        let mut git = Command::new("git");
        git.current_dir(crate::root()).args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let listed = String::from_utf8(process::output(&mut git)?)?;
        let files: BTreeSet<_> = listed
            .split_terminator('\0')
            .map(PathBuf::from)
            .filter(|file| crate::root().join(file).is_file())
            .collect();
        for file in &files {
            copy.update(file)?;
        }
        copy.remove_others(Path::new(""), &files)?;
        Ok(copy)
    }

    fn update(&self, file: &Path) -> Result<()> {
        let (from, to) = (crate::root().join(file), self.sources.join(file));
        if fs::read(&from)? != fs::read(&to).unwrap_or_default() || !to.exists() {
            fs::create_dir_all(to.parent().expect("a file has a folder"))?;
            fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        }
        Ok(())
    }

    fn remove_others(&self, folder: &Path, files: &BTreeSet<PathBuf>) -> Result<()> {
        for entry in fs::read_dir(self.sources.join(folder))? {
            let path = folder.join(entry?.file_name());
            let there = self.sources.join(&path);
            if there.is_dir() {
                self.remove_others(&path, files)?;
            } else if !files.contains(&path) {
                fs::remove_file(there)?;
            }
        }
        Ok(())
    }

    /// Does `work` while the bug is planted.
    fn with<T>(&self, mutation: &Mutation, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let path = self.sources.join(&mutation.file);
        let text = fs::read_to_string(&path)?;
        fs::write(&path, mutation.plant(&text)?)?;
        let result = work();
        fs::write(&path, text)?;
        result
    }

    /// Builds a test program and runs these tests of it.
    fn run<'a>(
        &self,
        target: &Target,
        tests: impl IntoIterator<Item = &'a String> + Clone,
    ) -> Result<Vec<Verdict>> {
        let program = self.build(target)?;
        let child = Command::new(&program)
            // As cargo does.
            .current_dir(self.sources.join("crates").join(target.folder()))
            .args(tests.clone())
            .args(["--exact", "--test-threads=2"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let log = listen(child)?;
        Ok(tests
            .into_iter()
            .map(|test| Verdict::read(&log, test))
            .collect())
    }

    /// # Errors
    /// If it cannot be built: then it is no bug that a test could find.
    fn build(&self, target: &Target) -> Result<PathBuf> {
        let mut build = process::cargo();
        build
            .current_dir(&self.sources)
            .args([
                "test",
                "--no-run",
                "--locked",
                "--quiet",
                "--message-format=json",
            ])
            .args([
                "--package",
                &target.package,
                "--features",
                target.features(),
            ])
            .arg("--target-dir")
            .arg(&self.built)
            // A crate is compiled many times over, with little changed.
            .env("CARGO_INCREMENTAL", "1")
            .env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only")
            .env("CARGO_PROFILE_TEST_DEBUG", "line-tables-only")
            .env_remove("RUSTFLAGS");
        match &*target.test {
            "lib" => build.arg("--lib"),
            test => build.args(["--test", test]),
        };
        // A library may have another name than its package; it is the only one then.
        let is_it = |name: &str| target.test == "lib" || name == target.test;
        let mut child = build
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdout = child.stdout.take().expect("stdout is piped");
        let (mut program, mut errors) = (None, String::new());
        for message in Message::parse_stream(BufReader::new(stdout)) {
            match message? {
                Message::CompilerArtifact(made)
                    if made.profile.test && is_it(&made.target.name) =>
                {
                    program = made.executable;
                }
                Message::CompilerMessage(text) => {
                    errors += text.message.rendered.as_deref().unwrap_or_default();
                }
                _ => {}
            }
        }
        if !child.wait()?.success() {
            bail!("{target} does not compile:\n{errors}");
        }
        Ok(program
            .with_context(|| format!("no program of {target}"))?
            .into())
    }
}

/// What a program prints until it ends, or has to be ended.
fn listen(mut child: Child) -> Result<String> {
    let mut stdout = child.stdout.take().expect("stdout is piped");
    let start = Instant::now();
    thread::scope(|scope| {
        let log = scope.spawn(move || {
            let mut log = Vec::new();
            stdout.read_to_end(&mut log).map(|_| log)
        });
        while child.try_wait()?.is_none() {
            if start.elapsed() > PATIENCE {
                child.kill()?;
            }
            thread::sleep(TICK);
        }
        let log = log.join().expect("reading does not panic")?;
        Ok(String::from_utf8_lossy(&log).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_is_where_it_was() {
        let mutations = table::read().unwrap();
        let names: BTreeSet<_> = mutations.iter().map(|mutation| &mutation.name).collect();
        assert_eq!(names.len(), mutations.len(), "two of one name");
        assert!(mutations.len() >= 32);
        for mutation in mutations {
            let text = fs::read_to_string(crate::root().join(&mutation.file)).unwrap();
            let planted = mutation.plant(&text).unwrap();
            assert_ne!(planted, text, "{}", mutation.name);
        }
    }

    #[test]
    fn the_document_has_the_table() {
        let text = fs::read_to_string(crate::root().join(DOCUMENT)).unwrap();
        let (before, after) = around_table(&text).unwrap();
        let table = &text[before.len()..text.len() - after.len()];
        let expected = table::markdown(&table::read().unwrap());
        assert!(table == expected, "run `cargo xtask mutations --write`");
    }

    #[test]
    fn only_a_test_that_was_told_of_has_failed() {
        let log = "\nrunning 3 tests\ntest a::b ... ok\ntest b ... FAILED\ntest c - should panic ... ok\ntest d ... ";
        assert_eq!(Verdict::read(log, "a::b"), Verdict::Passed);
        assert_eq!(Verdict::read(log, "b"), Verdict::Failed);
        assert_eq!(Verdict::read(log, "c"), Verdict::Passed);
        assert_eq!(Verdict::read(log, "d"), Verdict::Absent);
        assert_eq!(Verdict::read(log, "a"), Verdict::Absent);
        assert_eq!(Verdict::read("", "a"), Verdict::Absent);
    }

    #[test]
    fn bugs_are_chosen_by_name() {
        let all = || table::read().unwrap();
        let first = all()[0].name.clone();
        assert_eq!(choose(all(), &[]).unwrap().len(), all().len());
        assert_eq!(choose(all(), &[first]).unwrap().len(), 1);
        assert!(choose(all(), &["none".to_owned()]).is_err());
    }
}
