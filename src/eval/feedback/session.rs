//! One store through one pass of feedback, and what it answers then.

use crate::engine::Engine;
use crate::error::Result;
use crate::eval::metrics::Judgements;
use crate::eval::run::{self, named};
use crate::model::{CompletionRequest, RetrieveRequest, TaskDraft};

/// Who asks.
const AGENT: &str = "simulated-caller";

/// A query and the notes that answer it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    pub id: &'a str,
    pub text: &'a str,
    pub judged: &'a Judgements,
}

/// One task of the pass.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trained {
    /// What the caller was shown, best first.
    pub shown: Vec<String>,
    /// What it cited; `None` where it closed the task without a word.
    pub cited: Option<Vec<String>>,
}

/// Opens a task for each question in turn, retrieves `k` notes for it, and completes it with what `cite` names.
pub(super) fn train<'a>(
    engine: &Engine,
    questions: &[Question<'a>],
    k: usize,
    mut cite: impl FnMut(&Question<'a>, &[String]) -> Option<Vec<String>>,
    mut step: impl FnMut(),
) -> Result<Vec<Trained>> {
    let mut trained = Vec::with_capacity(questions.len());
    for question in questions {
        step();
        let title = format!("query {}", question.id);
        let task = engine.create_task(&TaskDraft { title, agent: Some(AGENT.to_owned()), ..TaskDraft::default() })?;
        let answer = engine
            .retrieve(&RetrieveRequest {
                limit: k,
                agent_id: Some(AGENT.to_owned()),
                task_id: Some(task.id.clone()),
                ..RetrieveRequest::new(question.text)
            })
            .map_err(|error| named(question.id, error))?;
        let shown: Vec<String> = answer.results.into_iter().map(|note| note.result.id).collect();
        let cited = cite(question, &shown);
        engine.complete_task(&CompletionRequest {
            task_id: task.id,
            agent: AGENT.to_owned(),
            cited_nodes: cited.clone(),
            receipt_id: Some(answer.receipt_id),
            ..CompletionRequest::default()
        })?;
        trained.push(Trained { shown, cited });
    }
    engine.maintain()?;
    Ok(trained)
}

/// What a retrieve of `k` notes would answer to each question. Nothing is left of it, no receipt either, so that no
/// question bears on another.
pub(super) fn ask(
    engine: &Engine,
    questions: &[Question<'_>],
    k: usize,
    mut step: impl FnMut(),
) -> Result<Vec<Vec<(String, f64)>>> {
    let answer = |question: &Question<'_>| {
        step();
        let agent_id = Some(AGENT.to_owned());
        let request = RetrieveRequest { limit: k, agent_id, ..RetrieveRequest::new(question.text) };
        run::ask(engine, question.id, &request)
    };
    questions.iter().map(answer).collect()
}
