//! The tables of backends that people read name those that there are, on each architecture that the tests
//! are run on, in their order.

const README: &str = include_str!("../../../README.md");

/// Where each kernel crate has its table, and the names of its code.
const KERNELS: [(&str, &str, &[&str]); 9] = [
    (
        "chacha-simd/src/backend.rs",
        include_str!("../../chacha-simd/src/backend.rs"),
        ss55_chacha_simd::Backend::NAMES,
    ),
    (
        "chacha-simd/README.md",
        include_str!("../../chacha-simd/README.md"),
        ss55_chacha_simd::Backend::NAMES,
    ),
    (
        "chacha-simd/src/lib.rs",
        include_str!("../../chacha-simd/src/lib.rs"),
        ss55_chacha_simd::Backend::NAMES,
    ),
    (
        "poly1305/src/lib.rs",
        include_str!("../../poly1305/src/lib.rs"),
        ss55_poly1305::Backend::NAMES,
    ),
    (
        "poly1305/src/backend.rs",
        include_str!("../../poly1305/src/backend.rs"),
        ss55_poly1305::Backend::NAMES,
    ),
    (
        "poly1305/README.md",
        include_str!("../../poly1305/README.md"),
        ss55_poly1305::Backend::NAMES,
    ),
    (
        "serpent/src/lib.rs",
        include_str!("../../serpent/src/lib.rs"),
        ss55_serpent::Backend::NAMES,
    ),
    (
        "serpent/src/backend.rs",
        include_str!("../../serpent/src/backend.rs"),
        ss55_serpent::Backend::NAMES,
    ),
    (
        "serpent/README.md",
        include_str!("../../serpent/README.md"),
        ss55_serpent::Backend::NAMES,
    ),
];

#[test]
fn the_tables_name_the_backends_of_each_architecture() {
    let readme = of_this_architecture(README);
    for (place, text, names) in KERNELS {
        assert_eq!(of_this_architecture(text), names, "{place}");
        let of_both = readme.iter().filter(|name| names.contains(name));
        assert!(of_both.eq(names), "README.md and {place}: {readme:?}");
    }
    for name in readme {
        let found = KERNELS.iter().any(|(_, _, names)| names.contains(&name));
        assert!(found, "README.md: {name}");
    }
}

/// What the reader of one table sees in another: the same names, for all architectures at once.
#[test]
fn the_tables_agree() {
    let [
        chacha,
        chacha_readme,
        chacha_front,
        poly1305_front,
        poly1305,
        poly1305_readme,
        serpent @ ..,
    ] = KERNELS.map(|(_, text, _)| names(text));
    assert!(chacha == chacha_readme && chacha == chacha_front);
    assert!(poly1305 == poly1305_readme && poly1305 == poly1305_front);
    assert!(serpent.iter().all(|names| *names == serpent[0]));
    let [serpent, ..] = serpent;
    let mut all = [chacha, poly1305, serpent].concat();
    let mut readme = names(README);
    all.sort_unstable();
    all.dedup();
    readme.sort_unstable();
    assert_eq!(readme, all);
}

fn names(text: &str) -> Vec<&str> {
    rows(text).map(|(name, _)| name).collect()
}

fn of_this_architecture(text: &str) -> Vec<&str> {
    let here = rows(text).filter(|(name, condition)| is_here(name, condition));
    here.map(|(name, _)| name).collect()
}

/// The first two columns of the table of backends, also of one in a comment.
fn rows(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text
        .lines()
        .map(|line| line.trim_start_matches("/// ").trim_start_matches("//! "));
    let table = lines.skip_while(|line| !line.contains("| selected when |"));
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let mut cells = row.split('|').skip(1).map(str::trim);
        let name = cells.next().unwrap().trim_matches('`');
        (name, cells.next().expect("a second column"))
    })
}

/// A condition names the architectures. `x86` stands for both widths, as in "x86 with AVX2".
fn is_here(name: &str, condition: &str) -> bool {
    let words: Vec<_> = condition.split([' ', ',']).collect();
    let has = |architecture: &str| words.iter().any(|w| w.eq_ignore_ascii_case(architecture));
    let x86 = has("x86") && cfg!(any(target_arch = "x86", target_arch = "x86_64"));
    let x86_64 = has("x86-64") && cfg!(target_arch = "x86_64");
    let aarch64 = has("aarch64") && cfg!(target_arch = "aarch64");
    let wasm32 = has("wasm32") && cfg!(all(target_arch = "wasm32", target_feature = "simd128"));
    assert!(
        name == "portable" || has("x86") || has("x86-64") || has("aarch64") || has("wasm32"),
        "{name}: {condition:?} names no architecture"
    );
    name == "portable" || x86 || x86_64 || aarch64 || wasm32
}
