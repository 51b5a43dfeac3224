//! The constants of the definitions against those of the code, in both directions.

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};
use std::fs;

/// Names every public constant of a module once; `bytes` are arrays, which CUE has in hexadecimal.
macro_rules! module {
    ($module:path { bytes: $($bytes:ident)*; numbers: $($number:ident)* }) => {{
        use $module as module;
        let mut constants = Map::new();
        $(constants.insert(stringify!($bytes).into(), crate::hexadecimal(&module::$bytes).into());)*
        $(constants.insert(stringify!($number).into(), module::$number.into());)*
        constants
    }};
}

/// The public constants of ss55-wire, by module.
fn of_the_code() -> [(&'static str, Map<String, Value>); 3] {
    [
        (
            "v2",
            module!(ss55_wire::v2 {
                bytes: MAGIC;
                numbers: VERSION FLAGS HEADER_LEN NONCE_LEN LENGTH_LEN TAG_LEN FRAME_HEADER_LEN
                    MAC_LEN MAX_PLAINTEXT FRAME_OVERHEAD MAX_FRAME_LEN FINAL_FRAME_LEN MIN_LENGTH
                    MAX_LENGTH TAG_MESSAGE TAG_FINAL AAD_PREFIX_LEN
            }),
        ),
        (
            "v1",
            module!(ss55_wire::v1 {
                bytes: ;
                numbers: HEADER_LEN LENGTH_LEN MAC_LEN MIN_LENGTH MAX_LENGTH MAX_PLAINTEXT
                    FRAME_OVERHEAD MAX_FRAME_LEN
            }),
        ),
        (
            "secretstream",
            module!(ss55_wire::secretstream {
                bytes: ;
                numbers: HEADER_LEN NONCE_LEN MAC_LEN OVERHEAD DEFAULT_CHUNK TAG_MESSAGE TAG_PUSH TAG_REKEY
                    TAG_FINAL
            }),
        ),
    ]
}

/// Compares the `constants` of the definitions; gives how many there are.
///
/// # Errors
/// If one differs or exists on one side only, or if ss55-wire has one that is not listed here.
pub fn compare(defined: &Value) -> Result<usize> {
    let code = of_the_code();
    let modules = defined.as_object().context("no constants")?;
    ensure!(
        modules.len() == code.len(),
        "the definitions have the modules {:?}",
        modules.keys()
    );
    let mut compared = 0;
    for (module, constants) in &code {
        compare_module(module, &defined[module], constants)?;
        all_listed(module, constants)?;
        compared += constants.len();
    }
    Ok(compared)
}

fn compare_module(module: &str, defined: &Value, code: &Map<String, Value>) -> Result<()> {
    let defined = defined
        .as_object()
        .with_context(|| format!("the definitions have no constants.{module}"))?;
    for (name, value) in code {
        let other = defined
            .get(name)
            .with_context(|| format!("the definitions have no constants.{module}.{name}"))?;
        ensure!(
            value == other,
            "{module}::{name} is {value} in ss55-wire, {other} in the definitions"
        );
    }
    for name in defined.keys() {
        ensure!(
            code.contains_key(name),
            "ss55-wire has no {module}::{name}, the definitions do"
        );
    }
    Ok(())
}

/// Every `pub const` of the module's source is in the list above.
fn all_listed(module: &str, listed: &Map<String, Value>) -> Result<()> {
    let path = crate::root().join(format!("crates/wire/src/{module}.rs"));
    let source = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let constants = source
        .lines()
        .filter_map(|line| line.strip_prefix("pub const "))
        .filter_map(|rest| rest.split_once(':'))
        .map(|(name, _)| name)
        .filter(|name| !name.contains('('));
    for name in constants {
        ensure!(
            listed.contains_key(name),
            "{module}::{name} is compared with nothing: list it in xtask/src/cue/constants.rs"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined() -> Value {
        of_the_code()
            .into_iter()
            .map(|(module, constants)| (module.to_owned(), Value::from(constants)))
            .collect()
    }

    #[test]
    fn equal_constants_pass() {
        assert_eq!(compare(&defined()).unwrap(), 18 + 8 + 9);
    }

    #[test]
    fn a_difference_is_named() {
        let mut other = defined();
        other["v1"]["MAX_LENGTH"] = 65615.into();
        let message = compare(&other).unwrap_err().to_string();
        assert!(message.starts_with("v1::MAX_LENGTH is 65616 in ss55-wire, 65615"));
    }

    #[test]
    fn a_constant_on_one_side_only_is_named() {
        let mut more = defined();
        more["v2"]["PADDING"] = 0.into();
        assert!(compare(&more).unwrap_err().to_string().contains("PADDING"));
        let mut fewer = defined();
        fewer["v2"].as_object_mut().unwrap().remove("MAGIC");
        assert!(compare(&fewer).unwrap_err().to_string().contains("MAGIC"));
        let mut module = defined();
        module["v3"] = Map::new().into();
        assert!(compare(&module).is_err());
    }

    #[test]
    fn a_constant_that_nobody_lists_is_named() {
        let message = all_listed("v2", &Map::new()).unwrap_err().to_string();
        assert!(message.contains("v2::MAGIC"));
    }
}
