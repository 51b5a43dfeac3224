//! What is in the archive's programs, for those who look for known faults: CycloneDX 1.6, as JSON.

use super::{Release, pages};
use crate::process;
use anyhow::{Context, Result, ensure};
use cargo_metadata::{Metadata, Package, Target};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What is compiled into the shipped programs, each crate with those that it depends on. What runs while they
/// are compiled is not there: build scripts' dependencies, and macros.
pub struct Tree(BTreeMap<Id, BTreeSet<Id>>);

/// A crate: name and version.
type Id = (String, String);

impl Tree {
    /// By cargo's own account, which turns on the features that the build turns on; `cargo metadata` would have
    /// those of the whole workspace.
    pub fn of(root: &Path, target: &str, shipped: &[&Package]) -> Result<Self> {
        let mut cargo = process::cargo();
        cargo
            .current_dir(root)
            .args(["tree", "--locked", "--edges", "normal,no-proc-macro"])
            .args(["--prefix", "depth", "--no-dedupe", "--format", " {p}"])
            .args(["--target", target]);
        for package in shipped {
            cargo.args(["--package", &*package.name]);
        }
        Tree::parse(&String::from_utf8(process::output(&mut cargo)?)?)
    }

    /// Lines of a depth, a name and a version, each below what depends on it: `2 digest v0.11.3`.
    fn parse(text: &str) -> Result<Self> {
        let mut tree = BTreeMap::<Id, BTreeSet<Id>>::new();
        let mut above = Vec::<Id>::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let mut words = line.split(' ');
            let mut word = || words.next().with_context(|| line.to_owned());
            let depth: usize = word()?.parse().with_context(|| line.to_owned())?;
            let name = word()?.to_owned();
            let version = word()?.strip_prefix('v').with_context(|| line.to_owned())?;
            let id = (name, version.to_owned());
            ensure!(depth <= above.len(), "below nothing: {line}");
            above.truncate(depth);
            if let Some(on) = above.last() {
                tree.entry(on.clone()).or_default().insert(id.clone());
            }
            tree.entry(id.clone()).or_default();
            above.push(id);
        }
        Ok(Tree(tree))
    }

    /// Its crates, in the order of their names.
    pub fn packages<'a>(&self, metadata: &'a Metadata) -> Result<Vec<&'a Package>> {
        let ids = self.0.keys().map(|wanted| {
            let mut packages = metadata.packages.iter();
            let found = packages.find(|package| id(package) == *wanted);
            found.with_context(|| format!("no crate {} {}", wanted.0, wanted.1))
        });
        ids.collect()
    }
}

fn id(package: &Package) -> Id {
    (package.name.to_string(), package.version.to_string())
}

/// Where a crate is, for whoever compares lists.
fn purl((name, version): &Id) -> String {
    format!("pkg:cargo/{name}@{version}")
}

/// The checksums of a lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let blocks = lock.split("[[package]]").skip(1);
    let mut sums = BTreeMap::new();
    for block in blocks {
        let field = |name: &str| {
            let mut lines = block.lines();
            lines.find_map(|line| {
                line.strip_prefix(name)?
                    .strip_prefix(" = \"")?
                    .strip_suffix('"')
            })
        };
        if let (Some(name), Some(version), Some(sum)) =
            (field("name"), field("version"), field("checksum"))
        {
            sums.insert((name, version), sum);
        }
    }
    sums
}

pub fn document(
    release: &Release,
    shipped: &[&Package],
    tree: &Tree,
    components: &[&Package],
    lock: &str,
) -> Result<Value> {
    let sums = checksums(lock);
    let root = format!("pkg:github/ss55/ss55@{}", release.version);
    let mut listed = Vec::new();
    let mut graph = vec![json!({
        "ref": root,
        "dependsOn": shipped.iter().map(|package| purl(&id(package))).collect::<Vec<_>>(),
    })];
    for package in components {
        let licence = package.license.as_deref().context("no licence")?;
        let mut component = json!({
            "type": if package.targets.iter().any(Target::is_bin) { "application" } else { "library" },
            "bom-ref": purl(&id(package)),
            "name": *package.name,
            "version": package.version.to_string(),
            "scope": "required",
            // Some write a slash for OR, as cargo once did.
            "licenses": [{ "expression": licence.replace('/', " OR ") }],
            "purl": purl(&id(package)),
        });
        if package.source.is_some() {
            let version = package.version.to_string();
            let sum = sums.get(&(&**package.name, &*version));
            let sum = sum.with_context(|| format!("no checksum of {}", package.name))?;
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        if let Some(repository) = &package.repository {
            component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
        }
        listed.push(component);
        let on: Vec<String> = tree.0[&id(package)].iter().map(purl).collect();
        graph.push(json!({ "ref": purl(&id(package)), "dependsOn": on }));
    }
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": pages::timestamp(release.time),
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": "ss55",
                "version": release.version,
                "licenses": [{ "expression": "Apache-2.0 OR MIT" }],
                "purl": root,
            },
            "properties": [{ "name": "target", "value": release.target }],
        },
        "components": listed,
        "dependencies": graph,
    }))
}

/// Whether a document has what CycloneDX asks for, and its graph is one: no name twice, none that is unknown,
/// and all can be reached.
///
/// # Errors
/// Says what it has not.
pub fn check(document: &Value) -> Result<()> {
    ensure!(document["bomFormat"] == "CycloneDX", "bomFormat");
    ensure!(document["specVersion"] == "1.6", "specVersion");
    ensure!(document["version"].as_u64() >= Some(1), "version");
    let time = document["metadata"]["timestamp"].as_str();
    let time = time.context("metadata.timestamp")?;
    ensure!(time.len() == 20 && time.ends_with('Z'), "timestamp {time}");
    let root = &document["metadata"]["component"];
    let listed = document["components"].as_array().context("components")?;
    let mut names = BTreeSet::new();
    for component in listed.iter().chain([root]) {
        let text = |field: &str| {
            let text = component[field].as_str().filter(|text| !text.is_empty());
            text.with_context(|| format!("{field} of {component}"))
        };
        ensure!(
            ["application", "library"].contains(&text("type")?),
            "type of {component}"
        );
        text("name")?;
        text("version")?;
        ensure!(text("purl")?.starts_with("pkg:"), "purl of {component}");
        let expression = &component["licenses"][0]["expression"];
        let expression = expression.as_str().unwrap_or_default();
        ensure!(
            !expression.is_empty() && !expression.contains('/'),
            "licence of {component}"
        );
        let name = text("bom-ref")?;
        ensure!(names.insert(name), "{name} is there twice");
        for hash in component["hashes"].as_array().into_iter().flatten() {
            let sum = hash["content"].as_str().unwrap_or_default();
            let is_hex = sum.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
            ensure!(
                hash["alg"] == "SHA-256" && sum.len() == 64 && is_hex,
                "hash of {name}"
            );
        }
    }
    let mut graph = BTreeMap::new();
    for node in document["dependencies"]
        .as_array()
        .context("dependencies")?
    {
        let name = node["ref"].as_str().context("ref")?;
        let on = node["dependsOn"].as_array().context("dependsOn")?;
        let on: Vec<&str> = on.iter().filter_map(Value::as_str).collect();
        ensure!(graph.insert(name, on).is_none(), "{name} depends twice");
    }
    ensure!(
        names.iter().eq(graph.keys()),
        "not all that is listed is in the graph, or more"
    );
    let mut reached = BTreeSet::new();
    let mut left = vec![root["bom-ref"].as_str().context("bom-ref")?];
    while let Some(name) = left.pop() {
        if reached.insert(name) {
            left.extend(
                graph
                    .get(name)
                    .with_context(|| format!("{name} is not listed"))?,
            );
        }
    }
    ensure!(reached == names, "nothing depends on a component");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cargo_metadata::MetadataCommand;

    fn metadata() -> Metadata {
        MetadataCommand::new()
            .current_dir(crate::root())
            .exec()
            .unwrap()
    }

    fn made(metadata: &Metadata) -> (Vec<&Package>, Value) {
        let command = super::super::package(metadata, "ss55-cli").unwrap();
        let tree = Tree::of(&crate::root(), &super::super::host().unwrap(), &[command]).unwrap();
        let components = tree.packages(metadata).unwrap();
        let release = Release {
            version: "0.1.0".into(),
            target: "here".into(),
            time: 0,
        };
        let lock = std::fs::read_to_string(crate::root().join("Cargo.lock")).unwrap();
        let document = document(&release, &[command], &tree, &components, &lock).unwrap();
        (components, document)
    }

    #[test]
    fn what_is_compiled_in_is_listed_and_nothing_else() {
        let metadata = metadata();
        let (components, document) = made(&metadata);
        check(&document).unwrap();
        let is_there = |name: &str| components.iter().any(|package| *package.name == *name);
        for name in [
            "ss55-chacha-simd",
            "ss55-siv",
            "clap_builder",
            "zeroize",
            "rayon-core",
        ] {
            assert!(is_there(name), "{name}");
        }
        // Macros, what they are made of, and what only tests, tools and features that are off have.
        for name in [
            "libsodium-sys-stable",
            "cipher",
            "indexmap",
            "clap_derive",
            "syn",
            "proptest",
            "hex",
            "ss55-serpent",
            "expect-test",
            "xtask",
        ] {
            assert!(!is_there(name), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_found() {
        let metadata = metadata();
        let (_, good) = made(&metadata);
        let bad = |change: &dyn Fn(&mut Value)| {
            let mut document = good.clone();
            change(&mut document);
            check(&document).unwrap_err().to_string()
        };
        bad(&|document| document["specVersion"] = "1.7".into());
        bad(&|document| document["metadata"]["timestamp"] = "today".into());
        bad(&|document| document["components"][3]["version"] = Value::Null);
        bad(&|document| document["components"][3]["licenses"] = json!([]));
        bad(&|document| {
            document["components"][3]["hashes"] = json!([{ "alg": "SHA-256", "content": "0" }]);
        });
        let twice = bad(&|document| document["components"][3] = document["components"][4].clone());
        assert!(twice.ends_with("is there twice"), "{twice}");
        bad(&|document| drop(document["components"].as_array_mut().unwrap().pop()));
        bad(&|document| drop(document["dependencies"].as_array_mut().unwrap().pop()));
        let alone = bad(&|document| document["dependencies"][0]["dependsOn"] = json!([]));
        assert!(alone.starts_with("nothing depends"), "{alone}");
    }

    #[test]
    fn every_licence_has_its_text() {
        let metadata = metadata();
        let (components, _) = made(&metadata);
        let text = super::super::licences::text(&components).unwrap();
        for package in components.iter().filter(|package| package.source.is_some()) {
            let name = format!("{} {}", package.name, package.version);
            // In the list, and above a text.
            assert!(text.matches(&name).count() > 1, "{name}");
        }
        assert!(text.contains("Permission is hereby granted") && text.contains("Apache License"));
        assert!(!text.contains("ss55-"), "our own");
    }

    #[test]
    fn a_tree_is_read_line_by_line() {
        let text = "0 a v1.0.0 (/here)\n1 b v2.0.0\n2 c v3.0.0\n1 c v3.0.0\n\n0 d v4.0.0\n1 b v2.0.0\n2 c v3.0.0\n";
        let id = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        let [a, b, c, d] = [
            ("a", "1.0.0"),
            ("b", "2.0.0"),
            ("c", "3.0.0"),
            ("d", "4.0.0"),
        ]
        .map(|(name, version)| id(name, version));
        let expected = BTreeMap::from([
            (a, BTreeSet::from([b.clone(), c.clone()])),
            (b.clone(), BTreeSet::from([c.clone()])),
            (c, BTreeSet::new()),
            (d, BTreeSet::from([b])),
        ]);
        assert_eq!(Tree::parse(text).unwrap().0, expected);
        for bad in ["a v1", "1 a v1.0.0", "0 a", "0 a 1.0.0"] {
            assert!(Tree::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn checksums_are_read_of_the_lock_file() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"x\"\n\
                    checksum = \"00ff\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n";
        assert_eq!(checksums(lock), BTreeMap::from([(("a", "1.0.0"), "00ff")]));
    }
}
