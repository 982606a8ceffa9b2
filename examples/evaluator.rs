//! An evaluator that measures recall: the judged queries of `data/eval` over the vault in `data/`, by kind of query,
//! the whole engine beside words alone and vectors alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use terrace::vault::{IndexOptions, index_folder};
use terrace::{Config, Engine, ManualClock, SearchMode, SearchRequest};

const K: usize = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let store = root.join("target/evaluator-store");
    if let Err(error) = std::fs::remove_dir_all(&store)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error.into());
    }
    // "Latest" and "this October" are judged as of this day.
    let clock = ManualClock::at("2026-10-20T12:00:00Z".parse()?);
    let engine = Engine::open(&store, Config { clock: Arc::new(clock), ..Config::default() })?;
    index_folder(&engine, &root.join("data/vault"), &IndexOptions::default(), &mut |_| {})?;

    let mut relevant: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in std::fs::read_to_string(root.join("data/eval/qrels.tsv"))?.lines().skip(1) {
        let mut columns = line.split('\t');
        if let (Some(query), Some(note)) = (columns.next(), columns.next()) {
            relevant.entry(query.to_owned()).or_default().insert(note.to_owned());
        }
    }

    let modes =
        [("whole engine", SearchMode::Hybrid), ("words", SearchMode::Fulltext), ("vectors", SearchMode::Semantic)];
    // kind → for each mode the summed recall, and the number of queries.
    let mut recall: BTreeMap<String, ([f64; 3], f64)> = BTreeMap::new();
    for line in std::fs::read_to_string(root.join("data/eval/queries.jsonl"))?.lines() {
        let query: serde_json::Value = serde_json::from_str(line)?;
        let field = |pointer| query.pointer(pointer).and_then(serde_json::Value::as_str);
        let (id, text) = (field("/_id").unwrap_or_default(), field("/text").unwrap_or_default());
        let kind = field("/metadata/kind").unwrap_or("other").to_owned();
        let Some(wanted) = relevant.get(id) else { continue };
        for kind in [kind, "all".to_owned()] {
            let (sums, queries) = recall.entry(kind).or_default();
            *queries += 1.0;
            for (sum, (_, mode)) in sums.iter_mut().zip(modes) {
                let answer = engine.search(&SearchRequest { mode, limit: K, ..SearchRequest::new(text) })?;
                let found = answer.results.iter().filter(|result| wanted.contains(&result.path)).count();
                *sum += found as f64 / wanted.len().min(K) as f64;
            }
        }
    }

    println!("recall@{K} over data/vault\n");
    println!("{:<16}{:>9}{:>15}{:>9}{:>9}", "kind of query", "queries", modes[0].0, modes[1].0, modes[2].0);
    for (kind, (sums, queries)) in &recall {
        let [whole, words, vectors] = sums.map(|sum| sum / queries);
        println!("{kind:<16}{queries:>9}{whole:>15.3}{words:>9.3}{vectors:>9.3}");
    }
    Ok(())
}
