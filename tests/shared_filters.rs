//! On a real corpus, a filter returns what filtering the complete ranking returns, however little it passes.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::path::Path;

use terrace::eval::{Dataset, DatasetOptions};
use terrace::{Config, Engine, SearchMode, SearchRequest};

#[test]
fn filters_of_a_thousandth_a_hundredth_and_a_tenth_cost_no_result() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/ir/scifact");
    if !dir.exists() {
        println!("skipped: {} is not there", dir.display());
        return;
    }
    let set = Dataset::load(&dir, &DatasetOptions { limit_queries: Some(12), ..DatasetOptions::default() }).unwrap();
    let mut notes = set.notes.clone();
    for (at, note) in notes.iter_mut().enumerate() {
        for (every, tag) in [(1000, "thousandth"), (100, "hundredth"), (10, "tenth")] {
            if at % every == 7 {
                note.tags.push(tag.to_owned());
            }
        }
    }
    let store = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.lcma.max_limit = notes.len();
    let engine = Engine::open(store.path(), config).unwrap();
    engine.put_many(notes.clone()).unwrap();
    for (query, _) in set.judged() {
        for mode in [SearchMode::Fulltext, SearchMode::Semantic] {
            let ids = |request: &SearchRequest| -> Vec<String> {
                engine.search(request).unwrap().results.into_iter().map(|result| result.id).collect()
            };
            let whole = ids(&SearchRequest { mode, limit: notes.len(), ..SearchRequest::new(query.text.as_str()) });
            for tag in ["thousandth", "hundredth", "tenth"] {
                let tagged = notes.iter().filter(|note| note.tags.iter().any(|of| of == tag));
                let members: BTreeSet<&str> = tagged.map(|note| note.id.as_str()).collect();
                let expected: Vec<&String> = whole.iter().filter(|id| members.contains(id.as_str())).take(10).collect();
                let tags = vec![tag.to_owned()];
                let found = ids(&SearchRequest { mode, tags, limit: 10, ..SearchRequest::new(query.text.as_str()) });
                assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{mode:?}, {tag}: {}", query.text);
            }
        }
    }
}
