//! Real vaults, and a hostile one, indexed and asked for their notes by name. Needs the shared data beside the crate
//! (or `TERRACE_SHARED`); says so and passes without it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use terrace::text::{fold_tag, normalise_path};
use terrace::vault::{IndexOptions, IndexReport, index_folder};
use terrace::{Config, EdgeFilter, EmbedderChoice, Engine, Note, SearchMode, SearchRequest, Viewer};

/// Names asked of each vault and kind in the test: every one of the small vaults, every n-th of the large one. All of
/// them with `TERRACE_ALL_KNOWN_ITEMS=1`.
const ASKED: usize = 400;

fn vaults() -> Option<PathBuf> {
    let shared = std::env::var_os("TERRACE_SHARED")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")), PathBuf::from);
    let vaults = shared.join("data/vaults");
    if !vaults.is_dir() {
        eprintln!("skipped: no shared/data/vaults beside the crate");
        return None;
    }
    Some(vaults)
}

/// The folder of a vault, unpacked when it is an archive.
fn folder(vaults: &Path, name: &str, unpacked: &Path) -> Option<PathBuf> {
    if vaults.join(name).is_dir() {
        return Some(vaults.join(name));
    }
    let archive = vaults.join(format!("{name}.tar.gz"));
    let done = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(unpacked).output();
    let done = done.is_ok_and(|output| output.status.success());
    if !done {
        eprintln!("skipped: {name} could not be unpacked");
    }
    done.then(|| unpacked.join(name))
}

fn index(root: &Path, store: &Path, embedder: EmbedderChoice) -> (Engine, IndexReport) {
    let engine = Engine::open(store, Config { embedder, ..Config::default() }).unwrap();
    let report = index_folder(&engine, root, &IndexOptions::default(), &mut |_| {}).unwrap();
    (engine, report)
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn json_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_hostile_vault_is_indexed_as_expected() {
    let Some(vaults) = vaults() else { return };
    let dir = tempfile::tempdir().unwrap();
    let Some(root) = folder(&vaults, "nasty-a", dir.path()) else { return };
    let (engine, report) = index(&root, &dir.path().join("store"), EmbedderChoice::None);
    let mut faults = Vec::new();
    let mut checked = 0;
    for line in json_lines(&vaults.join("nasty-a.EXPECT.jsonl")) {
        if line["must"] == "index" {
            checked += 1;
            check(&engine, &line, &mut faults);
        }
    }
    assert!(checked > 70, "only {checked} lines were checked");
    assert!(faults.is_empty(), "{}\n{:#?}", faults.join("\n"), report.skipped);
    let again = index_folder(&engine, &root, &IndexOptions::default(), &mut |_| {}).unwrap();
    assert_eq!((again.added, again.updated, again.missing), (0, 0, 0));
    assert_eq!(again.skipped, report.skipped);
}

/// The notes whose text has the token, as a search for words finds them.
fn holders(engine: &Engine, token: &str) -> Vec<Note> {
    let request = SearchRequest { mode: SearchMode::Fulltext, ..SearchRequest::new(token) };
    let found = engine.search(&request).unwrap().results;
    found.iter().filter_map(|result| engine.get(&result.id, &Viewer::anyone()).ok()).collect()
}

fn check(engine: &Engine, line: &Value, faults: &mut Vec<String>) {
    let name = line["path"].as_str().unwrap();
    let path = normalise_path(name).unwrap();
    let token = line["token"].as_str().unwrap();
    let Some(note) = holders(engine, token).into_iter().find(|note| note.path.as_deref() == Some(&path)) else {
        faults.push(format!("{name}: {token} is not found"));
        return;
    };
    let tags: Vec<String> = note.tags.iter().map(|tag| fold_tag(tag)).collect();
    for tag in strings(&line["tags"]) {
        if !tags.contains(&fold_tag(tag)) {
            faults.push(format!("{name}: tag {tag} is missing from {tags:?}"));
        }
    }
    for alias in strings(&line["aliases"]) {
        if !note.aliases.iter().any(|known| known == alias) {
            faults.push(format!("{name}: alias {alias} is missing from {:?}", note.aliases));
        }
    }
    let filter = EdgeFilter { from_id: Some(note.id.clone()), include_derived: true, ..EdgeFilter::default() };
    let edges = engine.edge_list(&filter, &Viewer::anyone()).unwrap();
    let linked: Vec<String> =
        edges.iter().filter_map(|edge| engine.get(&edge.to_id, &Viewer::anyone()).ok()?.path).collect();
    for link in strings(&line["links"]) {
        if !linked.contains(&format!("{link}.md")) {
            faults.push(format!("{name}: no link to {link} among {linked:?}"));
        }
    }
}

/// Names asked and names found among the first ten, by vault and kind.
type Tally = BTreeMap<(String, String), (usize, usize)>;

#[test]
fn notes_of_real_vaults_are_found_by_their_names() {
    let Some(vaults) = vaults() else { return };
    let all = std::env::var_os("TERRACE_ALL_KNOWN_ITEMS").is_some();
    let mut tally = Tally::new();
    let mut missed = Vec::new();
    for name in ["dendron-site", "kepano-obsidian", "nasty-a", "obsidian-tasks", "silverbullet-docs", "wiki2-6119"] {
        let dir = tempfile::tempdir().unwrap();
        let Some(root) = folder(&vaults, name, dir.path()) else { continue };
        let begun = std::time::Instant::now();
        let (engine, report) = index(&root, &dir.path().join("store"), EmbedderChoice::Stored);
        eprintln!(
            "{name}: {} files, {} notes, {} skipped, {} warnings, {:.1?}",
            report.files,
            report.added,
            report.skipped.len(),
            report.warnings.len(),
            begun.elapsed()
        );
        let mut by_kind: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for item in json_lines(&vaults.join(format!("{name}.derived/known_items.jsonl"))) {
            by_kind.entry(item["metadata"]["kind"].as_str().unwrap().to_owned()).or_default().push(item);
        }
        for (kind, items) in by_kind {
            let step = if all { 1 } else { items.len().div_ceil(ASKED).max(1) };
            let counts = tally.entry((name.to_owned(), kind.clone())).or_default();
            for item in items.iter().step_by(step) {
                counts.0 += 1;
                if found(&engine, item) {
                    counts.1 += 1;
                } else {
                    missed.push(format!("{name} {kind}: {:?} -> {}", item["text"], item["relevant"]));
                }
            }
        }
    }
    for ((vault, kind), (asked, found)) in &tally {
        eprintln!("{vault:18} {kind:7} success@10 {:.3} of {asked}", *found as f64 / *asked as f64);
    }
    let mut overall: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ((_, kind), (asked, found)) in &tally {
        let sum = overall.entry(kind).or_default();
        (sum.0, sum.1) = (sum.0 + asked, sum.1 + found);
    }
    let share = |kind: &str| {
        let (asked, found) = overall.get(kind).copied().unwrap_or_default();
        eprintln!("all {kind}: success@10 {:.3} of {asked}", found as f64 / asked.max(1) as f64);
        found as f64 / asked.max(1) as f64
    };
    share("anchor");
    for line in missed.iter().filter(|line| !line.contains(" anchor: ")) {
        eprintln!("missed {line}");
    }
    assert!(share("title") >= 0.95);
    assert!(share("alias") >= 0.9);
}

fn found(engine: &Engine, item: &Value) -> bool {
    let relevant = strings(&item["relevant"]);
    let request = SearchRequest::new(item["text"].as_str().unwrap());
    // A name of nothing but white space or invisible characters is no query.
    let Ok(answer) = engine.search(&request) else { return false };
    answer.results.iter().any(|result| relevant.contains(&result.path.as_str()))
}
