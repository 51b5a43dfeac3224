//! No message without a snapshot: every text in the command's sources stands in one, or is excused here.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::{
    fs,
    path::{Path, PathBuf},
    str::FromStr,
};

/// Texts that no snapshot can have, and why.
const EXCUSED: &[(&str, &str)] = &[
    ("some inputs failed", "each of them was told of"),
    ("the reader of the output is gone", "it ends by a signal"),
    ("(os error", "it is left out of messages"),
    (
        "For more information, try",
        "clap's, for which another one is put",
    ),
    (
        "as a value, use '-- -",
        "clap's, for which another one is put",
    ),
    (
        "this stream cannot be read here",
        "no input of today's causes it",
    ),
    ("no hex", "the digits were looked at before"),
    ("signal handlers", "the system must have no thread left"),
    ("random source", "the system must have no random source"),
    (
        "the system has no random bytes",
        "the system must have no random source",
    ),
    (
        "the system is short of something; try again",
        "the system must have no random source, or no thread left",
    ),
    (
        "nothing can be written there: write elsewhere with -o",
        "it takes a file system that is mounted for reading",
    ),
    (
        "it changed while it was read: {} of its {} bytes were there",
        "it takes somebody who cuts a file meanwhile: failures.rs does",
    ),
    (
        "run it again when nobody else writes to the file",
        "it takes somebody who cuts a file meanwhile: failures.rs does",
    ),
    (
        "not there: this machine lacks {}",
        "each machine has its own: backend.rs tests it",
    ),
    (
        "selected by {VARIABLE}",
        "each machine has its own: backend.rs tests it",
    ),
    (
        "selected: the fastest of this machine",
        "each machine has its own: backend.rs tests it",
    ),
    ("selected when ss55 was built", "it takes another build"),
    (
        "ss55: warning: {name}: its owner and group could not be kept; its mode is {mode:04o} now",
        "it takes two users: outputs.rs has them, where it may",
    ),
];

/// Macros and methods whose texts are for whoever reads the source.
const INTERNAL: &[&str] = &[
    "assert",
    "compile_error",
    "expect",
    "panic",
    "with_template",
];

/// All files below `folder` whose names end so.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The string literals of `tokens`, but for those of tests, of attributes and of what is internal.
fn literals(tokens: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let before = |steps: usize| at.checked_sub(steps).map(|at| tokens[at].to_string());
        match token {
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.push(text.value());
                }
            }
            TokenTree::Group(group) if is_read(group, &before) => {
                literals(group.stream(), found);
            }
            _ => {}
        }
    }
}

/// Whether somebody who runs the command may read what stands in `group`. `before` are the tokens before it.
fn is_read(group: &Group, before: &impl Fn(usize) -> Option<String>) -> bool {
    let is = |steps: usize, text: &str| before(steps).is_some_and(|token| token == text);
    match group.delimiter() {
        Delimiter::Bracket if is(1, "#") || is(2, "#") && is(1, "!") => {
            group.stream().to_string().starts_with("error")
        }
        Delimiter::Brace => !(is(2, "mod") && is(1, "tests")),
        _ => {
            let caller = if is(1, "!") { before(2) } else { before(1) };
            !caller.is_some_and(|name| INTERNAL.contains(&&*name))
        }
    }
}

/// Whether it is a sentence, or a part of one, rather than a name or a layout.
fn is_prose(text: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphabetic());
        word.len() > 1 && word.chars().all(char::is_alphabetic)
    };
    let words = text.split_whitespace().filter(|word| !word.contains('{'));
    words.filter(|word| is_word(word)).count() > 1
}

/// The texts of the sources, each with its file.
fn texts() -> Vec<(PathBuf, String)> {
    let mut texts = Vec::new();
    for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "rs") {
        let source = fs::read_to_string(&file).unwrap();
        let mut found = Vec::new();
        literals(TokenStream::from_str(&source).unwrap(), &mut found);
        let lines = found.iter().flat_map(|literal| literal.lines());
        let prose = lines.filter(|line| is_prose(line));
        texts.extend(prose.map(|line| (file.clone(), line.trim().to_owned())));
    }
    texts
}

/// Whether a line of a snapshot could have been made of `text`, where anything stands for `{...}`.
fn is_in(line: &str, text: &str) -> bool {
    let mut rest = line;
    let mut text = text;
    loop {
        let (fragment, after) = text.split_once('{').unwrap_or((text, ""));
        let Some(at) = rest.find(fragment) else {
            return false;
        };
        rest = &rest[at + fragment.len()..];
        match after.split_once('}') {
            Some((_, after)) => text = after,
            None => return true,
        }
    }
}

fn snapshots() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/snapshots");
    let snapshots = files(&folder, "txt");
    assert!(!snapshots.is_empty());
    let read = |path| fs::read_to_string(path).unwrap();
    let all: String = snapshots.into_iter().map(read).collect();
    all.lines().map(str::to_owned).collect()
}

#[test]
fn every_text_is_in_a_snapshot() {
    let (texts, snapshots) = (texts(), snapshots());
    assert!(texts.len() > 200, "only {} texts were found", texts.len());
    let is_excused = |text: &str| EXCUSED.iter().any(|(excused, _)| text == *excused);
    let missing: Vec<_> = texts
        .iter()
        .filter(|(_, text)| !is_excused(text))
        .filter(|(_, text)| !snapshots.iter().any(|line| is_in(line, text)))
        .collect();
    assert!(missing.is_empty(), "in no snapshot: {missing:#?}");
}

#[test]
fn nothing_is_excused_without_need() {
    let (texts, snapshots) = (texts(), snapshots());
    for (excused, why) in EXCUSED {
        assert!(texts.iter().any(|(_, text)| text == excused), "{excused}");
        assert!(
            !snapshots.iter().any(|line| is_in(line, excused)),
            "{excused}: it is in a snapshot, though {why}"
        );
    }
}

#[test]
fn texts_are_found_and_compared() {
    let source = r#"
        #[doc = "not this one"] #[error("of an attribute")]
        fn f() { say(format!("made with {} of it", 3)); x.expect("not this one"); panic!("nor this one"); }
        mod tests { const T: &str = "not of tests"; }
    "#;
    let mut found = Vec::new();
    literals(TokenStream::from_str(source).unwrap(), &mut found);
    assert_eq!(found, ["of an attribute", "made with {} of it"]);
    assert!(is_in("x: made with 5 of it, all", "made with {} of it"));
    assert!(!is_in("x: of it made with 5", "made with {} of it"));
    assert!(is_in("byte 7", "byte {at}"));
    assert!(is_prose("no key") && !is_prose("SS55_KEY") && !is_prose("{name}: {problem}"));
}
