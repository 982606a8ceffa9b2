//! An agent that closes the loop: it works through tasks over the vault in `data/`, cites what it used, calls out what
//! led it astray, and at the end reads from the receipts and statistics what the store made of it.

use std::path::Path;

use terrace::vault::{IndexOptions, index_folder};
use terrace::{CompletionRequest, Config, Engine, ReceiptFilter, RetrieveRequest, TaskDraft, Viewer};

/// A task, the path of the note that settles it, and of one that would lead astray.
const TASKS: [(&str, &str, Option<&str>); 4] = [
    (
        "which valve may I open to water terraces 5 to 7 at dawn",
        "irrigation/valve-b-standing-order.md",
        Some("irrigation/dawn-watering-lower-terraces.md"),
    ),
    ("how do I prime the PX-40", "irrigation/pumps/px-40-priming.md", None),
    ("do I have to pay for seed packets", "decisions/0007-seed-loans.md", Some("decisions/0004-seed-deposit.md")),
    ("why did the wall of terrace 5 come down", "irrigation/incidents/2025-07-terrace-5-slip.md", None),
];

fn main() -> terrace::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let store = root.join("target/agent-store");
    if let Err(error) = std::fs::remove_dir_all(&store)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(terrace::Error::io(format!("removing {}", store.display()), error));
    }
    let engine = Engine::open(&store, Config::default())?;
    index_folder(&engine, &root.join("data/vault"), &IndexOptions::default(), &mut |_| {})?;

    for (question, useful, astray) in TASKS {
        let task = engine.create_task(&TaskDraft { title: question.into(), ..TaskDraft::default() })?;
        let answer = engine.retrieve(&RetrieveRequest {
            agent_id: Some("agent-1".into()),
            task_id: Some(task.id.clone()),
            ..RetrieveRequest::new(question)
        })?;
        let id_of =
            |path: &str| answer.results.iter().find(|note| note.result.path == path).map(|note| note.result.id.clone());
        let rank = answer.results.iter().position(|note| note.result.path == useful).map(|at| at + 1);
        let done = engine.complete_task(&CompletionRequest {
            task_id: task.id,
            agent: "agent-1".into(),
            cited_nodes: Some(id_of(useful).into_iter().collect()),
            misleading_nodes: Some(astray.and_then(id_of).into_iter().collect()),
            receipt_id: Some(answer.receipt_id),
            ..CompletionRequest::default()
        })?;
        println!(
            "{question}\n   {useful} at rank {}; {} cited, {} misleading, {} ignored",
            rank.map_or("none".into(), |rank| rank.to_string()),
            done.feedback.applied.cited.len(),
            done.feedback.applied.misleading.len(),
            done.feedback.applied.ignored.len()
        );
    }

    let viewer = Viewer::agent("agent-1");
    println!("\nWhat the agent left behind:");
    for receipt in engine.receipts(&ReceiptFilter::default(), &viewer)? {
        println!("   {}  {:<60} {} notes", receipt.id, receipt.query, receipt.final_nodes.len());
    }
    let learned = engine.learned()?;
    println!("   {} receipts judged, {} edges learned", learned.judged_receipts, learned.learned_edges);
    Ok(())
}
