//! Vets the definitions in spec/ with CUE, and compares their constants with the code's.

use anyhow::{Context, Result, ensure};
use broken::Broken;
use runner::{Cue, Outcome};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

mod broken;
mod constants;
mod runner;

const DEFINITIONS: &[&str] = &[
    "bytes.cue",
    "v2.cue",
    "v1.cue",
    "libsodium.cue",
    "testdata.cue",
];

/// Makes of the vectors the documents that are vetted one by one; not loaded then, for speed.
const DOCUMENTS: &str = "documents.cue";

/// Files of vectors and the definition of each.
const VECTORS: [(&str, &str); 4] = [
    ("../testdata/v2.json", "#V2File"),
    ("../testdata/v1.json", "#V1File"),
    ("../testdata/secretstream.json", "#SecretstreamFile"),
    ("../testdata/walg_layout.json", "#LayoutFile"),
];

pub fn run() -> Result<()> {
    let cue = Cue::find()?;
    println!("cue: run {cue}");

    let mut commands = vec![consistent(), constants_of_spec(), documents()];
    commands.extend(VECTORS.map(vet));
    let outcomes = cue.run(&commands)?;
    let [consistent, constants, documents, vectors @ ..] = &outcomes[..] else {
        unreachable!("as many outcomes as commands");
    };
    consistent.accepted().context("spec/*.cue")?;
    println!("cue: the {} files are consistent", DEFINITIONS.len() + 1);
    for ((file, definition), outcome) in VECTORS.iter().zip(vectors) {
        outcome
            .accepted()
            .with_context(|| format!("{file} is not {definition}"))?;
    }
    println!("cue: the vectors of {} files satisfy them", VECTORS.len());

    let documents = documents.json().context("the documents of testdata")?;
    vet_documents(&cue, &documents)?;
    let compared = constants::compare(&constants.json().context("the constants")?)?;
    println!("cue: {compared} constants are those of ss55-wire");
    Ok(())
}

/// Every valid document is accepted, every departure from one refused.
fn vet_documents(cue: &Cue, valid: &Value) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = |name: String, document: &Value| -> Result<String> {
        let path = folder.path().join(name + ".json");
        fs::write(&path, document.to_string())?;
        Ok(path
            .to_str()
            .context("a path that is not UTF-8")?
            .to_owned())
    };
    let groups = valid.as_object().context("no documents")?;
    let broken = Broken::read_all(&spec().join("broken"))?;

    // A run takes a third of a second. The valid documents of a definition share one; of the broken
    // ones each has its own, so that none hides behind another's error.
    let mut commands = Vec::new();
    let mut documents = 0;
    for (definition, group) in groups {
        let mut arguments = command("vet", &["-d", definition]);
        for document in group.as_object().context("no group of documents")?.values() {
            arguments.push(file(format!("valid{documents}"), document)?);
            documents += 1;
        }
        commands.push(arguments);
    }
    for case in &broken {
        let document = valid
            .get(&case.definition)
            .and_then(|group| group.get(&case.document))
            .with_context(|| format!("{}: no document {}", case.name, case.document))?;
        let definition = case.vet_as.as_ref().unwrap_or(&case.definition);
        let path = file(case.name.clone(), &case.apply(document)?)?;
        commands.push(vet((&path, definition)));
    }

    let outcomes = cue.run(&commands)?;
    let (accepted, refused) = outcomes.split_at(groups.len());
    for (definition, outcome) in groups.keys().zip(accepted) {
        outcome.accepted().with_context(|| definition.clone())?;
    }
    println!("cue: {documents} valid documents are accepted");
    for (case, outcome) in broken.iter().zip(refused) {
        outcome
            .refused_at(&case.refused)
            .with_context(|| format!("spec/broken/{}.json", case.name))?;
    }
    println!("cue: {} broken documents are refused", refused.len());
    Ok(())
}

type Arguments = Vec<String>;

/// The definitions and the documents, by themselves.
fn consistent() -> Arguments {
    command("vet", &[DOCUMENTS])
}

/// A file by a definition.
fn vet((file, definition): (&str, &str)) -> Arguments {
    command("vet", &[file, "-d", definition])
}

fn constants_of_spec() -> Arguments {
    command("export", &["-e", "constants"])
}

/// The documents that the files of vectors give, each file at `testdata: NAME:`.
fn documents() -> Arguments {
    let mut arguments = command("export", &[DOCUMENTS, "-e", "documents"]);
    arguments.extend(VECTORS.map(|(file, _)| file.to_owned()));
    let name = r#"strings.TrimSuffix(path.Base(filename), ".json")"#;
    arguments.extend(["--with-context", "-l", "testdata:", "-l", name].map(String::from));
    arguments
}

/// A command about the definitions.
fn command(verb: &str, more: &[&str]) -> Arguments {
    [&[verb], DEFINITIONS, more]
        .concat()
        .into_iter()
        .map(String::from)
        .collect()
}

fn spec() -> PathBuf {
    crate::root().join("spec")
}

impl Outcome {
    fn accepted(&self) -> Result<()> {
        ensure!(self.code == 0, "CUE refuses it:\n{}", self.stderr.trim());
        Ok(())
    }

    /// Refused, with an error at `place`.
    fn refused_at(&self, place: &str) -> Result<()> {
        ensure!(self.code != 0, "CUE accepts it");
        ensure!(
            self.stderr.lines().any(|line| is_error_at(line, place)),
            "CUE refuses it, but not at {place}:\n{}",
            self.stderr.trim()
        );
        Ok(())
    }

    fn json(&self) -> Result<Value> {
        self.accepted()?;
        Ok(serde_json::from_str(&self.stdout)?)
    }
}

/// Whether a line of CUE's errors, `path: reason`, is about `place`. About a field that no one
/// defined, versions differ: `a: field b not allowed`, `a.b: field not allowed`.
fn is_error_at(line: &str, place: &str) -> bool {
    let (parent, field) = place.rsplit_once('.').unwrap_or(("", place));
    let (path, reason) = line.split_once(": ").unwrap_or(("", line));
    let at = |place: &str| path == place || path.ends_with(&format!(".{place}"));
    at(place)
        || reason.starts_with(&format!("field {field} not allowed"))
            && (path == parent || at(parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_at_its_path_alone() {
        assert!(is_error_at(
            "final.tag: conflicting values 3 and 0:",
            "final.tag"
        ));
        assert!(is_error_at("#V2Stream.final.tag: conflict", "final.tag"));
        assert!(is_error_at("field magic not allowed:", "magic"));
        assert!(is_error_at(
            "header: field magic not allowed:",
            "header.magic"
        ));
        assert!(is_error_at(
            "header.magic: field not allowed:",
            "header.magic"
        ));
        assert!(!is_error_at("final.tagged: conflict", "final.tag"));
        assert!(!is_error_at(
            "final: field magic not allowed:",
            "header.magic"
        ));
        assert!(!is_error_at("field magic not allowed:", "header.magic"));
        assert!(!is_error_at("    ./v2.cue:39:14", "final.tag"));
    }
}
