//! Documents with one fault each, as departures from valid ones.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;

/// A file of spec/broken.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broken {
    /// The file's name.
    #[serde(skip)]
    pub name: String,
    /// The definition of the valid document that it departs from.
    pub definition: String,
    /// That document's name.
    pub document: String,
    /// Another definition to be refused by.
    pub vet_as: Option<String>,
    /// New values by JSON pointer.
    #[serde(default)]
    edit: Map<String, Value>,
    /// The JSON pointer of what is taken away.
    remove: Option<String>,
    /// The path at which CUE must find the fault.
    pub refused: String,
}

impl Broken {
    /// All files of `folder`, by name.
    ///
    /// # Errors
    /// If one cannot be read, or there is none.
    pub fn read_all(folder: &Path) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
            let path = entry?.path();
            let text = fs::read(&path)?;
            let mut broken: Broken =
                serde_json::from_slice(&text).with_context(|| format!("{}", path.display()))?;
            let name = path.file_stem().and_then(|name| name.to_str());
            name.context("a file without a name")?
                .clone_into(&mut broken.name);
            all.push(broken);
        }
        ensure!(!all.is_empty(), "{} is empty", folder.display());
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// The broken document.
    ///
    /// # Errors
    /// If a place is not there, or the result is the valid document after all.
    pub fn apply(&self, valid: &Value) -> Result<Value> {
        let mut document = valid.clone();
        for (pointer, value) in &self.edit {
            set(&mut document, pointer, repeated(value)?)
                .with_context(|| format!("{}: nothing at {pointer}", self.name))?;
        }
        if let Some(pointer) = &self.remove {
            remove(&mut document, pointer)
                .with_context(|| format!("{}: nothing at {pointer}", self.name))?;
        }
        ensure!(
            document != *valid || self.vet_as.is_some(),
            "{} changes nothing",
            self.name
        );
        Ok(document)
    }
}

/// `{"repeat": text, "count": n}` stands for a text that is too long for a file.
fn repeated(value: &Value) -> Result<Value> {
    let Some(text) = value.get("repeat") else {
        return Ok(value.clone());
    };
    let text = text.as_str().context("repeat is not a text")?;
    let count = value["count"].as_u64().context("count is not a number")?;
    Ok(text.repeat(count.try_into()?).into())
}

/// Sets a field, new or old, or an item of a list (`-` is the place behind the last one).
fn set(document: &mut Value, pointer: &str, value: Value) -> Option<()> {
    let (parent, last) = pointer.rsplit_once('/')?;
    match document.pointer_mut(parent)? {
        Value::Object(fields) => {
            fields.insert(last.to_owned(), value);
        }
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => *items.get_mut(last.parse::<usize>().ok()?)? = value,
        _ => return None,
    }
    Some(())
}

fn remove(document: &mut Value, pointer: &str) -> Option<()> {
    let (parent, last) = pointer.rsplit_once('/')?;
    let fields = document.pointer_mut(parent)?.as_object_mut()?;
    fields.remove(last).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn broken(file: Value) -> Broken {
        serde_json::from_value(file).unwrap()
    }

    #[test]
    fn an_edit_changes_adds_and_removes() {
        let valid = json!({"a": {"b": 1}, "list": [1]});
        let case = broken(json!({
            "definition": "", "document": "", "refused": "",
            "edit": {"/a/c": {"repeat": "00", "count": 2}, "/list/0": 2, "/list/-": 3},
            "remove": "/a/b",
        }));
        let expected = json!({"a": {"c": "0000"}, "list": [2, 3]});
        assert_eq!(case.apply(&valid).unwrap(), expected);
    }

    #[test]
    fn a_case_that_changes_nothing_is_an_error() {
        let valid = json!({"a": 1});
        let same = json!({"definition": "", "document": "", "refused": "", "edit": {"/a": 1}});
        assert!(broken(same).apply(&valid).is_err());
        let absent = json!({"definition": "", "document": "", "refused": "", "remove": "/b"});
        assert!(broken(absent).apply(&valid).is_err());
        let lost = json!({"definition": "", "document": "", "refused": "", "edit": {"/b/c": 1}});
        assert!(broken(lost).apply(&valid).is_err());
    }
}
