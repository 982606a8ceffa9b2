//! Front matter: the YAML block before a note's body.

use serde_json::{Map, Value};

use super::dates::parse_date;
use super::fields::{Fields, scalar, strings, tag_list, wiki_links};

/// What a note's front matter says. A field is empty when the block does not name it; whatever is not picked as a field
/// stays in `metadata`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontMatter {
    /// `id`.
    pub id: Option<String>,
    /// `title`.
    pub title: Option<String>,
    /// `tags` and `tag`, without `#`, as written; a string is cut at commas and white space.
    pub tags: Vec<String>,
    /// `aliases` and `alias`; a string is one alias.
    pub aliases: Vec<String>,
    /// `note_type`, else `type`.
    pub note_type: Option<String>,
    /// `status`.
    pub status: Option<String>,
    /// `author`.
    pub author: Option<String>,
    /// `source`.
    pub source: Option<String>,
    /// `source_url`, else `url`.
    pub source_url: Option<String>,
    /// `created_at`, `created` or `date`, in microseconds since the Unix epoch, UTC.
    pub created_at: Option<i64>,
    /// `updated_at`, `updated` or `modified`, in microseconds since the Unix epoch, UTC.
    pub updated_at: Option<i64>,
    /// `expires_at`, else `expires`, in microseconds since the Unix epoch, UTC.
    pub expires_at: Option<i64>,
    /// `confidence`, in [0, 1]; what is outside stays in `metadata`.
    pub confidence: Option<f64>,
    /// `namespace`.
    pub namespace: Option<String>,
    /// `key`.
    pub key: Option<String>,
    /// `access_scope`; else `scope` where its word speaks of access, since others mean other things by it.
    pub access_scope: Option<String>,
    /// `derived_from_ids`, else `derived_from`; brackets of wiki-links are taken off.
    pub derived_from: Vec<String>,
    /// `supersedes`; brackets of wiki-links are taken off.
    pub supersedes: Option<String>,
    /// Targets of `[[wiki-links]]` in any value but title, aliases and tags, distinct, in order of the keys' names.
    pub links: Vec<String>,
    /// All other keys, and values of the keys above that could not be used.
    pub metadata: Map<String, Value>,
    /// The block's text where it could not be used, so that its words can be indexed.
    pub raw: Option<String>,
}

/// A note's text in its two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split<'a> {
    /// The lines between the fences, `None` where the text has no front matter.
    pub yaml: Option<&'a str>,
    /// What follows the closing fence, or the whole text, without a byte order mark.
    pub body: &'a str,
}

/// Splits front matter from body.
///
/// The block begins with a line `---` at the very beginning, a byte order mark aside, and ends with a line `---` or `...`;
/// white space may follow on either. A text in which that is not so, or the block is not closed, is all body.
///
/// ```
/// let parts = terrace::text::split("---\ntitle: A\n---\nbody");
/// assert_eq!((parts.yaml, parts.body), (Some("title: A\n"), "body"));
/// ```
pub fn split(text: &str) -> Split<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let all_body = Split { yaml: None, body: text };
    let Some(opening) = lines.next().filter(|line| line.ends_with('\n') && is_fence(line, false)) else {
        return all_body;
    };
    let mut at = opening.len();
    for line in lines {
        if is_fence(line, true) {
            return Split { yaml: text.get(opening.len()..at), body: text.get(at + line.len()..).unwrap_or_default() };
        }
        at += line.len();
    }
    all_body
}

/// Reads a note's front matter; gives it with the body and, where some of it could not be used, a warning that says why.
///
/// Fields are found by name in any case of letters, and taken in any type that makes sense: a string or a list, a number for a
/// string, a date in any form of [`parse_date`](super::parse_date). `null` is as if absent. YAML 1.1's words for
/// booleans are strings. Of repeated keys the last counts. A block that is broken YAML, or a scalar or list, or that is nested
/// too deeply or unfolds too far, gives no fields; its text is then in [`FrontMatter::raw`].
///
/// ```
/// let (front, body, warning) = terrace::text::parse_front_matter("---\ntags: red, green\ncreated: 1970-01-02\n---\nbody");
/// assert_eq!(front.tags, ["red", "green"]);
/// assert_eq!(front.created_at, Some(86_400_000_000));
/// assert_eq!((body, warning), ("body", None));
/// ```
pub fn parse_front_matter(text: &str) -> (FrontMatter, &str, Option<String>) {
    let Split { yaml, body } = split(text);
    let Some(yaml) = yaml else {
        return (FrontMatter::default(), body, None);
    };
    let yaml = yaml.replace("\r\n", "\n");
    let refused = |why: String| {
        let front = FrontMatter { raw: Some(yaml.clone()), ..FrontMatter::default() };
        (front, body, Some(why))
    };
    match parse_yaml(&yaml) {
        Ok(Value::Null) => (FrontMatter::default(), body, None),
        Ok(Value::Object(map)) => {
            let (front, warning) = pick(map);
            (front, body, warning)
        }
        Ok(Value::Array(_)) => refused("front matter is a list, expected `key: value` lines; not used".to_owned()),
        Ok(_) => refused("front matter is a scalar, expected `key: value` lines; not used".to_owned()),
        Err(why) => refused(format!("front matter is not valid YAML, not used: {why}")),
    }
}

fn is_fence(line: &str, closing: bool) -> bool {
    let line = line.trim_end();
    line == "---" || (closing && line == "...")
}

fn parse_yaml(yaml: &str) -> Result<Value, String> {
    use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
    if yaml.trim().is_empty() {
        return Ok(Value::Null);
    }
    let options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        // Far above what people write, far below what hurts.
        budget: serde_saphyr::budget! { max_depth: 64, max_nodes: 50_000, max_events: 200_000 },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 20_000 },
    };
    serde_saphyr::from_str_with_options(yaml, options).map_err(|error| {
        // The first line names the fault and its place; the lines after it quote the source.
        error.to_string().lines().next().unwrap_or_default().to_owned()
    })
}

fn pick(map: Map<String, Value>) -> (FrontMatter, Option<String>) {
    let mut links = Vec::new();
    for (key, value) in &map {
        if !["title", "alias", "aliases", "tag", "tags"].contains(&key.to_ascii_lowercase().as_str()) {
            wiki_links(value, &mut links);
        }
    }
    let mut fields = Fields::new(map);
    let mut tags = fields.take("tags", tag_list).unwrap_or_default();
    tags.extend(fields.take("tag", tag_list).unwrap_or_default());
    let mut aliases = fields.take("aliases", strings).unwrap_or_default();
    aliases.extend(fields.take("alias", strings).unwrap_or_default());
    let mut front = FrontMatter {
        id: fields.take("id", scalar),
        title: fields.take("title", scalar),
        tags: super::links::distinct(tags.into_iter()),
        aliases: super::links::distinct(aliases.into_iter()),
        note_type: fields.first(&["note_type", "type"], scalar),
        status: fields.take("status", scalar),
        author: fields.take("author", scalar),
        source: fields.take("source", scalar),
        source_url: fields.first(&["source_url", "url"], scalar),
        created_at: fields.date(&["created_at", "created", "date"]),
        updated_at: fields.date(&["updated_at", "updated", "modified"]),
        expires_at: fields.date(&["expires_at", "expires"]),
        confidence: fields.take("confidence", confidence),
        namespace: fields.take("namespace", scalar),
        key: fields.take("key", scalar),
        access_scope: fields
            .take("access_scope", scalar)
            .or_else(|| fields.take("scope", |value| scalar(value).filter(|word| is_access_word(word)))),
        derived_from: fields.first(&["derived_from_ids", "derived_from"], strings).unwrap_or_default(),
        supersedes: fields.take("supersedes", scalar),
        links: super::links::distinct(links.into_iter()),
        ..FrontMatter::default()
    };
    front.derived_from.iter_mut().chain(&mut front.supersedes).for_each(unwrap_link);
    let warning = fields.warning();
    front.metadata = fields.rest();
    (front, warning)
}

/// Whether a word says who may see a note: one of the access scopes, or a try at one that keeps others out.
pub(crate) fn is_access_word(word: &str) -> bool {
    let word = word.to_lowercase();
    matches!(word.as_str(), "shared" | "task") || word.contains("private")
}

fn confidence(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    (0.0..=1.0).contains(&number).then_some(number)
}

fn unwrap_link(text: &mut String) {
    if let Some(target) = super::inline::wiki_targets(text).into_iter().next() {
        *text = target;
    }
}

/// A date of any type that [`parse_date`] reads.
pub(super) fn date(value: &Value) -> Option<i64> {
    parse_date(&scalar(value)?)
}
