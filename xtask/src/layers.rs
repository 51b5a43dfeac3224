//! Arrows between the crates point downwards.

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::BTreeSet;

/// Each crate and what it may depend on, from top to bottom.
const TABLE: &[(&str, &[&str])] = &[
    (
        "ss55-cli",
        &["ss55-stream", "ss55-wire", "ss55-aead", "ss55-siv"],
    ),
    ("ss55-capi", &["ss55-stream", "ss55-wire", "ss55-aead"]),
    ("ss55-stream", &["ss55-wire", "ss55-aead"]),
    ("ss55-wire", &["ss55-aead"]),
    ("ss55-aead", &["ss55-chacha-simd", "ss55-poly1305"]),
    ("ss55-siv", &["ss55-chacha-simd"]),
    ("ss55-chacha-simd", &[]),
    ("ss55-poly1305", &[]),
    ("ss55-serpent", &[]),
];

/// May depend on anything; nobody depends on them.
const TOOLS: &[&str] = &["xtask", "ss55-benches"];

/// A dependency of one workspace crate on another.
#[derive(Clone, Debug)]
struct Arrow {
    from: String,
    to: String,
    kind: DependencyKind,
}

pub fn run() -> Result<()> {
    let metadata = MetadataCommand::new()
        .manifest_path(crate::root().join("Cargo.toml"))
        .no_deps()
        .exec()?;
    let packages = metadata.workspace_packages();
    let crates: BTreeSet<&str> = packages.iter().map(|package| &**package.name).collect();
    let arrows: Vec<Arrow> = packages
        .iter()
        .flat_map(|package| {
            package.dependencies.iter().map(|dependency| Arrow {
                from: package.name.to_string(),
                to: dependency.name.clone(),
                kind: dependency.kind,
            })
        })
        .filter(|arrow| crates.contains(&*arrow.to))
        .collect();

    check(crates.iter().copied(), &arrows)?;
    for arrow in &arrows {
        let kind = match arrow.kind {
            DependencyKind::Development => " (tests)",
            DependencyKind::Build => " (build)",
            _ => "",
        };
        println!("layers: {} -> {}{kind}", arrow.from, arrow.to);
    }
    println!(
        "layers: {} crates, {} arrows, all of them allowed",
        crates.len(),
        arrows.len()
    );
    Ok(())
}

/// Fails on the first crate that the table does not know and the first arrow that it does not allow.
fn check<'a>(crates: impl IntoIterator<Item = &'a str>, arrows: &[Arrow]) -> Result<()> {
    for name in crates {
        ensure!(
            TOOLS.contains(&name) || allowed(name).is_some(),
            "{name} is not in the table of layers"
        );
    }
    for arrow in arrows {
        let Arrow { from, to, kind } = arrow;
        if TOOLS.contains(&&**to) {
            bail!("{from} depends on {to}, on which nobody may depend");
        }
        if TOOLS.contains(&&**from) {
            continue;
        }
        let below = allowed(from).with_context(|| format!("{from} is not in the table"))?;
        // Tests may look at anything but what stands on their own crate: that would be a circle,
        // with which neither of the two can be published first. The crate itself is no other: its
        // tests turn on its features.
        if *kind == DependencyKind::Development {
            ensure!(
                from == to || !reaches(to, from),
                "the tests of {from} depend on {to}, which stands on {from}"
            );
        } else {
            ensure!(
                below.contains(&&**to),
                "{from} depends on {to}; it may depend on {below:?}"
            );
        }
    }
    Ok(())
}

fn allowed(name: &str) -> Option<&'static [&'static str]> {
    TABLE
        .iter()
        .find(|(from, _)| *from == name)
        .map(|(_, below)| *below)
}

/// Whether `from` stands on `to`, directly or not. The table has no circles, so this ends.
fn reaches(from: &str, to: &str) -> bool {
    from == to
        || allowed(from)
            .unwrap_or_default()
            .iter()
            .any(|next| reaches(next, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(from: &str, to: &str, kind: DependencyKind) -> Option<String> {
        let arrow = Arrow {
            from: from.into(),
            to: to.into(),
            kind,
        };
        check([], &[arrow]).err().map(|error| error.to_string())
    }

    use DependencyKind::{Build, Development, Normal};

    #[test]
    fn every_arrow_of_the_table_is_allowed_and_its_reverse_is_not() {
        for (from, below) in TABLE {
            for to in *below {
                assert_eq!(refused(from, to, Normal), None);
                for kind in [Normal, Build, Development] {
                    assert!(refused(to, from, kind).is_some(), "{to} -> {from}");
                }
            }
        }
    }

    #[test]
    fn an_arrow_that_skips_the_table_is_refused() {
        let message = refused("ss55-stream", "ss55-poly1305", Normal).unwrap();
        assert!(message.contains("ss55-stream depends on ss55-poly1305"));
        assert!(refused("ss55-serpent", "ss55-aead", Build).is_some());
        assert!(refused("ss55-siv", "ss55-poly1305", Normal).is_some());
    }

    #[test]
    fn tests_may_look_sideways_but_not_at_what_stands_on_them() {
        assert_eq!(refused("ss55-siv", "ss55-poly1305", Development), None);
        assert_eq!(refused("ss55-aead", "ss55-aead", Development), None);
        assert!(refused("ss55-aead", "ss55-aead", Normal).is_some());
        let message = refused("ss55-poly1305", "ss55-cli", Development).unwrap();
        assert!(message.contains("stands on ss55-poly1305"));
    }

    #[test]
    fn nobody_depends_on_a_tool() {
        for kind in [Normal, Build, Development] {
            for tool in TOOLS {
                assert!(refused("ss55-cli", tool, kind).is_some());
                assert!(refused("xtask", tool, kind).is_some());
            }
        }
        assert_eq!(refused("xtask", "ss55-cli", Normal), None);
    }

    #[test]
    fn an_unknown_crate_is_refused() {
        assert!(check(["ss55-new"], &[]).is_err());
        assert!(check(["ss55-wire", "ss55-benches"], &[]).is_ok());
        assert!(refused("ss55-new", "ss55-wire", Normal).is_some());
    }
}
