//! Every file of a vault of hostile notes is read as its list of expectations says.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use terrace::text::{
    FrontMatter, Parsed, fold_tag, name_key, parse_front_matter, parse_markdown, passages, query_terms, shingles,
    snippet, stem, terms,
};

struct Read {
    front: FrontMatter,
    parsed: Parsed,
}

fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("TERRACE_SHARED")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")), PathBuf::from);
    folder.join("data/vaults/nasty-a.tar.gz").exists().then(|| folder.join("data/vaults"))
}

fn unpack(vaults: &Path) -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().ok()?;
    let done = Command::new("tar").arg("-xzf").arg(vaults.join("nasty-a.tar.gz")).arg("-C").arg(folder.path()).output();
    done.is_ok_and(|output| output.status.success()).then_some(folder)
}

#[cfg(unix)]
fn expected_path(root: &Path, line: &Value) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let hex = line["raw_path_hex"].as_str()?;
    let pairs = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok());
    let bytes = pairs.collect::<Option<Vec<u8>>>()?;
    Some(root.join("nasty-a").join(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn expected_path(root: &Path, line: &Value) -> Option<PathBuf> {
    Some(root.join("nasty-a").join(line["path"].as_str()?))
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// True when a link as written can mean the note that the expectation names by its path without extension.
fn means(written: &str, expected: &str) -> bool {
    let written = stem_path(written.trim_start_matches("./"));
    let expected = name_key(expected);
    expected == written || expected.ends_with(&format!(" {written}"))
}

fn stem_path(link: &str) -> String {
    let folder = terrace::text::folder(link).map(|folder| format!("{folder}/")).unwrap_or_default();
    name_key(&format!("{folder}{}", stem(link)))
}

#[test]
fn every_hostile_note_is_read_as_expected() {
    let Some((vaults, folder)) = shared().and_then(|vaults| unpack(&vaults).map(|folder| (vaults, folder))) else {
        println!("skipped: no shared/data/vaults/nasty-a.tar.gz beside the crate, or no tar");
        return;
    };
    let expectations = std::fs::read_to_string(vaults.join("nasty-a.EXPECT.jsonl")).unwrap();
    let mut read = 0;
    let mut faults = Vec::new();
    for line in expectations.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let Some(bytes) = expected_path(folder.path(), &line).and_then(|path| std::fs::read(path).ok()) else {
            continue;
        };
        let name = line["path"].as_str().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let begun = Instant::now();
        let note = read_all(&text);
        if begun.elapsed() > Duration::from_secs(5) {
            faults.push(format!("{name}: took {:?}", begun.elapsed()));
        }
        read += 1;
        if line["must"] == "index" {
            check(name, &text, &line, &note, &mut faults);
        }
    }
    assert!(read >= 80, "only {read} files of the vault were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Calls everything that reads a note.
fn read_all(text: &str) -> Read {
    let (front, body, _) = parse_front_matter(text);
    let parsed = parse_markdown(body);
    let query = query_terms("glacier zqatok");
    for passage in passages(&parsed.plain, 1_000) {
        assert!(passage.text.chars().count() <= 1_500);
        assert!(snippet(&passage.text, &query, 240).chars().count() <= 240);
    }
    shingles(&parsed.plain);
    terms(text);
    Read { front, parsed }
}

fn check(name: &str, text: &str, line: &Value, note: &Read, faults: &mut Vec<String>) {
    let token = line["token"].as_str().unwrap_or_default();
    let raw = note.front.raw.clone().unwrap_or_default();
    let found =
        [note.parsed.plain.as_str(), raw.as_str()].iter().any(|part| terms(part).iter().any(|t| t.text == token));
    if !token.is_empty() && !found {
        faults.push(format!("{name}: {token} is not findable"));
    }
    let parts = passages(&note.parsed.plain, 1_000);
    if text.contains(token)
        && raw.is_empty()
        && !parts.iter().any(|p| snippet(&p.text, &query_terms(token), 240).contains(token))
    {
        faults.push(format!("{name}: no snippet shows {token}"));
    }
    let tags: Vec<String> = note.front.tags.iter().chain(&note.parsed.tags).map(|tag| fold_tag(tag)).collect();
    for tag in strings(&line["tags"]) {
        if !tags.contains(&fold_tag(tag)) {
            faults.push(format!("{name}: tag {tag} is missing from {tags:?}"));
        }
    }
    for alias in strings(&line["aliases"]) {
        if !note.front.aliases.iter().any(|found| found == alias) {
            faults.push(format!("{name}: alias {alias} is missing from {:?}", note.front.aliases));
        }
    }
    let links: Vec<&String> = note.front.links.iter().chain(&note.parsed.links).collect();
    for expected in strings(&line["links"]) {
        if !links.iter().any(|link| means(link, expected)) {
            faults.push(format!("{name}: link to {expected} is missing from {links:?}"));
        }
    }
    if name == "links/in-code.md" && (links != ["Hub"] || tags != ["real"]) {
        faults.push(format!("{name}: found {links:?} and {tags:?} where only Hub and real are"));
    }
    if name == "links/fanout.md" && links.len() != 5_000 {
        faults.push(format!("{name}: {} links", links.len()));
    }
    if name == "tags/many.md" && tags.len() != 2_000 {
        faults.push(format!("{name}: {} tags", tags.len()));
    }
}
