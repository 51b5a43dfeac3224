//! The table of bugs, as `xtask/mutations/*.txt` have it.
//!
//! ```text
//! name-of-the-bug
//! What it is, in a sentence.
//! crates/wire/src/v2.rs
//!      a line that stays, which says where
//! -    a line that goes
//! +    a line that comes
//! ss55-wire v2: a_test, another
//! ```
//!
//! An empty line ends a bug. Lines are whole, and as they are in the file behind the first character. All
//! tests that are named must fail. For unit tests the name of the program is `lib`.

use anyhow::{Context, Result, bail, ensure};
use std::fmt;

/// The files, in the order of the layers.
const FILES: [(&str, &str); 10] = [
    ("chacha", include_str!("../../mutations/chacha.txt")),
    ("poly1305", include_str!("../../mutations/poly1305.txt")),
    ("aead", include_str!("../../mutations/aead.txt")),
    ("wire", include_str!("../../mutations/wire.txt")),
    ("stream", include_str!("../../mutations/stream.txt")),
    ("cli", include_str!("../../mutations/cli.txt")),
    ("capi", include_str!("../../mutations/capi.txt")),
    ("siv", include_str!("../../mutations/siv.txt")),
    ("serpent", include_str!("../../mutations/serpent.txt")),
    ("wiping", include_str!("../../mutations/wiping.txt")),
];

/// A bug.
pub struct Mutation {
    pub name: String,
    pub what: String,
    pub file: String,
    /// Whole lines, each with its end.
    from: String,
    to: String,
    pub target: Target,
    pub tests: Vec<String>,
}

/// A test program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    pub package: String,
    /// A file of `tests/`, or `lib`.
    pub test: String,
}

impl Target {
    /// Of the package, in `crates/`.
    pub fn folder(&self) -> &str {
        self.package.trim_start_matches("ss55-")
    }

    /// What its tests need that is not on by default.
    pub fn features(&self) -> &str {
        match &*self.package {
            "ss55-stream" => "parallel,tokio",
            _ => "",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.package, self.test)
    }
}

pub fn read() -> Result<Vec<Mutation>> {
    let mut all = Vec::new();
    for (file, text) in FILES {
        for bug in text.split("\n\n").filter(|bug| !bug.trim().is_empty()) {
            let parsed = Mutation::parse(bug.trim_matches('\n'));
            all.push(parsed.with_context(|| format!("xtask/mutations/{file}.txt:\n{bug}"))?);
        }
    }
    Ok(all)
}

impl Mutation {
    fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        let mut line = |what| lines.next().with_context(|| format!("no {what}"));
        let (name, what, file) = (line("name")?, line("sentence")?, line("file")?);
        let (mut from, mut to) = (String::new(), String::new());
        let tests = loop {
            let line = line("line of tests")?;
            let (common, gone, come) = match line.split_at_checked(1) {
                Some((" ", rest)) => (rest, None, None),
                Some(("-", rest)) => ("", Some(rest), None),
                Some(("+", rest)) => ("", None, Some(rest)),
                _ => break line,
            };
            for (text, own) in [(&mut from, gone), (&mut to, come)] {
                let line = if gone.or(come).is_none() {
                    Some(common)
                } else {
                    own
                };
                if let Some(line) = line {
                    *text += line;
                    text.push('\n');
                }
            }
        };
        ensure!(!from.is_empty() && from != to, "nothing is replaced");
        let (target, tests) = tests.split_once(": ").context("no tests")?;
        let (package, test) = target.split_once(' ').context("no test program")?;
        ensure!(lines.next().is_none(), "a line behind the tests");
        Ok(Mutation {
            name: name.to_owned(),
            what: what.to_owned(),
            file: file.to_owned(),
            from,
            to,
            target: Target {
                package: package.to_owned(),
                test: test.to_owned(),
            },
            tests: tests.split(", ").map(str::to_owned).collect(),
        })
    }

    /// The file with the bug in it.
    ///
    /// # Errors
    /// If the lines that it replaces are not there once.
    pub fn plant(&self, text: &str) -> Result<String> {
        let is_whole = |at: usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
        let places: Vec<_> = text
            .match_indices(&self.from)
            .map(|(at, _)| at)
            .filter(|at| is_whole(*at))
            .collect();
        let [at] = places[..] else {
            bail!(
                "{}: its lines are {} times in {}: follow the source, in xtask/mutations",
                self.name,
                places.len(),
                self.file
            );
        };
        let (before, rest) = text.split_at(at);
        Ok([before, &self.to, &rest[self.from.len()..]].concat())
    }
}

pub const HEADER: &str = "| bug | what it is | found by |\n";

/// The table as the document has it.
pub fn markdown(mutations: &[Mutation]) -> String {
    let rows = mutations.iter().map(|mutation| {
        let tests: Vec<_> = mutation
            .tests
            .iter()
            .map(|test| format!("`{test}`"))
            .collect();
        format!(
            "| `{}` | {} | {}: {} |\n",
            mutation.name,
            mutation.what.trim_end_matches('.').replace('|', "\\|"),
            mutation.target,
            tests.join(", ")
        )
    });
    [HEADER.to_owned(), "|---|---|---|\n".to_owned()]
        .into_iter()
        .chain(rows)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUG: &str = "\
name
What it is.
crates/wire/src/v2.rs
 {
-    gone
+    come
 }
ss55-wire v2: a, b::c";

    #[test]
    fn a_bug_is_read_and_planted() {
        let bug = Mutation::parse(BUG).unwrap();
        assert_eq!(bug.tests, ["a", "b::c"]);
        assert_eq!(
            (&*bug.target.package, &*bug.target.test),
            ("ss55-wire", "v2")
        );
        assert_eq!(bug.target.folder(), "wire");
        assert_eq!(
            bug.plant("{\n    gone\n}\nend").unwrap(),
            "{\n    come\n}\nend"
        );
        // Not there, there twice, and not whole lines.
        for text in [
            "{\n    gone",
            "{\n    gone\n}\n{\n    gone\n}\n",
            " {\n    gone\n}\n",
        ] {
            assert!(bug.plant(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_bug_is_refused() {
        for (from, to) in [
            ("+    come", "+    gone"),
            ("ss55-wire v2: a, b::c", ""),
            ("ss55-wire v2: a, b::c", "ss55-wire: a"),
            ("b::c", "b::c\nmore"),
        ] {
            assert!(Mutation::parse(&BUG.replace(from, to)).is_err(), "{from}");
        }
    }

    #[test]
    fn a_line_a_bug() {
        let bug = Mutation::parse(BUG).unwrap();
        let row = "| `name` | What it is | ss55-wire v2: `a`, `b::c` |\n";
        assert!(markdown(&[bug]).ends_with(row));
    }
}
