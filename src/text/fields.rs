//! Values of front matter, tolerant of their types.

use serde_json::{Map, Value};

use super::front_matter::date;
use super::inline::wiki_targets;

/// A mapping from which fields are taken; what is not taken remains.
pub(super) struct Fields {
    map: Map<String, Value>,
    faults: Vec<String>,
}

impl Fields {
    pub fn new(map: Map<String, Value>) -> Self {
        Self { map, faults: Vec::new() }
    }

    /// Takes the value of `name`, in any case of letters, when `read` can use it. A null is taken and is nothing.
    pub fn take<T>(&mut self, name: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let key = match self.map.contains_key(name) {
            true => name.to_owned(),
            false => self.map.keys().find(|key| key.eq_ignore_ascii_case(name))?.clone(),
        };
        let value = self.map.get(&key)?;
        if value.is_null() {
            self.map.remove(&key);
            return None;
        }
        match read(value) {
            Some(read) => {
                self.map.remove(&key);
                Some(read)
            }
            None => {
                let shown: String = value.to_string().chars().take(60).collect();
                self.faults.push(format!("{key} = {shown}"));
                None
            }
        }
    }

    /// The first usable of several names; the others stay.
    pub fn first<T>(&mut self, names: &[&str], read: impl Fn(&Value) -> Option<T> + Copy) -> Option<T> {
        names.iter().find_map(|name| self.take(name, read))
    }

    pub fn date(&mut self, names: &[&str]) -> Option<i64> {
        self.first(names, date)
    }

    /// Names the values that could not be used.
    pub fn warning(&self) -> Option<String> {
        (!self.faults.is_empty()).then(|| {
            format!("front matter values of the wrong form, kept as metadata only: {}", self.faults.join(", "))
        })
    }

    pub fn rest(self) -> Map<String, Value> {
        self.map
    }
}

/// A scalar as text; blank text is none. A `[[wiki-link]]`, which YAML reads as a nested list, is its target in brackets.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Array(_) => bare_link(value).map(|target| format!("[[{target}]]")),
        Value::Null | Value::Object(_) => None,
    }
}

/// One text, or a list of them.
pub(super) fn strings(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(items) if bare_link(value).is_none() => Some(items.iter().filter_map(scalar).collect()),
        _ => Some(vec![scalar(value)?]),
    }
}

/// Tags as a list, or as one string with commas or white space between; each loses its `#`.
pub(super) fn tag_list(value: &Value) -> Option<Vec<String>> {
    let clean = |tag: &str| {
        let tag = tag.trim().trim_start_matches('#').trim_matches('/').trim();
        (!tag.is_empty()).then(|| tag.to_owned())
    };
    match value {
        Value::Array(items) => Some(items.iter().filter_map(scalar).filter_map(|tag| clean(&tag)).collect()),
        _ => {
            let text = scalar(value)?;
            Some(text.split(|c: char| c == ',' || c.is_whitespace()).filter_map(clean).collect())
        }
    }
}

/// Collects the targets of wiki-links in a value, quoted or not.
pub(super) fn wiki_links(value: &Value, out: &mut Vec<String>) {
    if let Some(target) = bare_link(value) {
        out.extend(wiki_targets(&format!("[[{target}]]")));
        return;
    }
    match value {
        Value::String(text) => out.extend(wiki_targets(text)),
        Value::Array(items) => items.iter().for_each(|item| wiki_links(item, out)),
        Value::Object(map) => map.values().for_each(|item| wiki_links(item, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The text of `[[text]]`, which YAML reads as a list in a list.
fn bare_link(value: &Value) -> Option<String> {
    let [inner] = value.as_array()?.as_slice() else { return None };
    let [text] = inner.as_array()?.as_slice() else { return None };
    match text {
        Value::Array(_) => None,
        text => scalar(text),
    }
}
