//! The main job, from a folder of Markdown to results that learned: indexes the vault in `data/`, retrieves, completes a
//! task that cites two notes, and shows what changed.
//!
//! Run it with `cargo run --release --example quickstart`. Everything it writes is under `target/`.

use std::path::Path;
use std::time::Instant;

use terrace::vault::{IndexOptions, index_folder};
use terrace::{CompletionRequest, Config, EdgeFilter, Engine, RetrieveRequest, RetrieveResponse, TaskDraft, Viewer};

const QUESTION: &str = "which valve may I open to water terraces 5 to 7, and what forbids the other";
const AGENT: &str = "newcomer";

fn main() -> terrace::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let store = root.join("target/quickstart-store");
    if let Err(error) = std::fs::remove_dir_all(&store)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(terrace::Error::io(format!("removing {}", store.display()), error));
    }

    let started = Instant::now();
    let engine = Engine::open(&store, Config::default())?;
    let report = index_folder(&engine, &root.join("data/vault"), &IndexOptions::default(), &mut |_| {})?;
    println!("Indexed {} notes of data/vault in {:.0?}.\n", report.added, started.elapsed());

    let task = engine.create_task(&TaskDraft { title: "Water the lower terraces".into(), ..TaskDraft::default() })?;
    let request = RetrieveRequest {
        agent_id: Some(AGENT.into()),
        task_id: Some(task.id.clone()),
        limit: 5,
        ..RetrieveRequest::new(QUESTION)
    };
    let before = engine.retrieve(&request)?;
    println!("“{QUESTION}”");
    show(&before);

    let cited: Vec<String> = ["irrigation/valve-b-standing-order.md", "irrigation/valve-map.md"]
        .iter()
        .filter_map(|path| before.results.iter().find(|note| note.result.path == *path))
        .map(|note| note.result.id.clone())
        .collect();
    let done = engine.complete_task(&CompletionRequest {
        task_id: task.id,
        agent: AGENT.into(),
        outcome: Some("opened valve F".into()),
        cited_nodes: Some(cited.clone()),
        receipt_id: Some(before.receipt_id.clone()),
        ..CompletionRequest::default()
    })?;
    println!(
        "The task is completed: {} notes cited, {} ignored.\n",
        done.feedback.applied.cited.len(),
        done.feedback.applied.ignored.len()
    );

    let after = engine.retrieve(&RetrieveRequest { task_id: None, ..request })?;
    println!("The same question again:");
    show(&after);
    changes(&before, &after);
    if let Some(first) = cited.first() {
        let filter = EdgeFilter { node_id: Some(first.clone()), ..EdgeFilter::default() };
        for edge in engine.edge_list(&filter, &Viewer::owner())? {
            println!("learned edge: {} {} {}, weight {:.2}", edge.from_id, edge.edge_type, edge.to_id, edge.weight);
        }
        let stats = engine.node_stats(first, &Viewer::owner())?;
        println!(
            "{first}: cited {}×, retrieved {}×, salience {:.2}",
            stats.cited_count, stats.retrieval_count, stats.salience
        );
    }
    Ok(())
}

fn show(answer: &RetrieveResponse) {
    for (rank, note) in (1..).zip(&answer.results) {
        println!("{rank}. {:.3}  {}  [{}]", note.result.score, note.result.title, note.result.path);
        println!("          {}", note.result.snippet);
        for reason in &note.reasons {
            println!("          · {reason}");
        }
    }
    println!("   receipt {}, temperature {:.2}\n", answer.receipt_id, answer.temperature);
}

fn changes(before: &RetrieveResponse, after: &RetrieveResponse) {
    println!("What was learned:");
    for note in &after.results {
        let Some(then) = before.results.iter().find(|then| then.result.id == note.result.id) else { continue };
        println!(
            "  {:<42} salience {:.2} → {:.2}, score {:.3} → {:.3}",
            note.result.title, then.salience, note.salience, then.result.score, note.result.score
        );
    }
}
