//! An application that embeds the engine: open, put, retrieve, complete.

use terrace::{CompletionRequest, Config, Engine, Note, RetrieveRequest, TaskDraft};

fn main() -> terrace::Result<()> {
    let store = std::env::temp_dir().join(format!("terrace-application-{}", std::process::id()));
    let engine = Engine::open(&store, Config::default())?;
    engine.put_many(vec![
        Note::new("Priming the pump", "Open valve B, fill the riser, then switch the pump on.").with_id("priming"),
        Note::new("Valve map", "Valve B feeds the riser; valve F feeds the lower beds.").with_id("valves"),
        Note::new("Seed swap", "Bring labelled packets on the first Sunday of March.").with_id("swap"),
    ])?;

    let task = engine.create_task(&TaskDraft { title: "Start the pump".into(), ..TaskDraft::default() })?;
    let answer = engine.retrieve(&RetrieveRequest {
        agent_id: Some("gardener".into()),
        task_id: Some(task.id.clone()),
        ..RetrieveRequest::new("how do I get water up the riser?")
    })?;
    for note in &answer.results {
        println!("{:.2}  {}  ({})", note.result.score, note.result.title, note.reasons.join("; "));
    }

    let learned = engine.complete_task(&CompletionRequest {
        task_id: task.id,
        agent: "gardener".into(),
        cited_nodes: Some(vec!["priming".into(), "valves".into()]),
        receipt_id: Some(answer.receipt_id),
        ..CompletionRequest::default()
    })?;
    println!("cited {:?}, ignored {:?}", learned.feedback.applied.cited, learned.feedback.applied.ignored);

    drop(engine);
    std::fs::remove_dir_all(&store).ok();
    Ok(())
}
