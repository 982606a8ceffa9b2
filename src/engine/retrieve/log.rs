//! The receipt of one retrieve: one row, and what it moves in memory.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Ask, Ranking, Shown, Stopwatch};
use crate::clock::Timestamp;
use crate::engine::{Engine, weights};
use crate::error::{Error, Result};
use crate::memory::ReceiptEffect;
use crate::memory::weights::ASSOCIATION_SIMILARITY;
use crate::model::{Conflict, FinalNode, Ordinal, RetrieveRequest};
use crate::projection::vector::Row;
use crate::rank::Ranked;
use crate::scouts::{PanelOutcome, Reason, ScoutKind};
use crate::store::{ids, receipts};

/// Longest query that a failed retrieve leaves in its receipt, in bytes: as long as one that does not fail may be.
const MAX_LOGGED_QUERY: usize = 8 * 1024;

impl Engine {
    /// Appends the receipt and takes it into memory; answers its id.
    pub(super) fn log(
        &self,
        ask: &Ask<'_>,
        request: &RetrieveRequest,
        ranking: &Ranking,
        shown: &[Shown],
        conflicts: Option<&[Conflict]>,
        watch: &mut Stopwatch,
    ) -> Result<String> {
        let (agent, task) = (ask.viewer.agent_id(), ask.viewer.task_id());
        let counted = self.memory().repeats.lock().count(ask.query, agent, task, ask.now);
        let final_nodes = final_nodes(ranking, shown);
        let ords: Vec<Ordinal> = shown.iter().map(|shown| shown.ord).collect();
        let surfaced: Vec<String> =
            conflicts.unwrap_or_default().iter().map(|conflict| conflict.edge_id.clone()).collect();
        let widening = ranking.widening.as_ref().and_then(|widening| serde_json::to_value(widening).ok());
        let vector = self.given_codes(ask)?;
        watch.lap("log");
        let seq = self.store().write(|conn| {
            receipts::append(
                conn,
                &receipts::NewReceipt {
                    ts: ask.now,
                    query: ask.query,
                    agent_id: agent,
                    task_id: task,
                    request: &request_fields(request),
                    weights: &weights::to_record(&ranking.weights),
                    scouts_fired: &ranking.fired,
                    failed_scouts: &ranking.failed,
                    candidates_considered: ranking.candidates,
                    final_nodes: &final_nodes,
                    final_ords: &ords,
                    conflicts_surfaced: &surfaced,
                    temperature: ranking.temperature,
                    terrace_reached: ranking.terrace,
                    widening: widening.as_ref(),
                    timings: &watch.laps(),
                    error: None,
                    query_vector: vector.as_deref(),
                    counted,
                },
            )
        })?;
        watch.lap("receipt");
        let effect = ReceiptEffect { seq, at: ask.now, task_id: task.map(str::to_owned), ords, counted };
        self.memory().retrieved(&effect);
        self.folder.wrote(seq);
        Ok(ids::receipt_id(self.store().seed(), seq))
    }

    /// The vector that came with the request, as it is kept: whoever cites the receipt teaches by it.
    fn given_codes(&self, ask: &Ask<'_>) -> Result<Option<Vec<i8>>> {
        let Some(given) = ask.vector else { return Ok(None) };
        let vector = self.embedding().query_vector(ask.query, Some(given))?;
        let row = vector.map(|vector| Row::new(&vector, vector.len())).transpose()?;
        Ok(row.flatten().map(|row| row.codes))
    }

    /// Appends the receipt of a retrieve that failed.
    pub(super) fn log_failure(
        &self,
        request: &RetrieveRequest,
        now: Timestamp,
        error: &Error,
        watch: &Stopwatch,
    ) -> Result<()> {
        let query = request.query.get(..request.query.floor_char_boundary(MAX_LOGGED_QUERY)).unwrap_or_default();
        let task_id = self.resolve_task_id(request.task_id.as_deref()).unwrap_or_else(|_| request.task_id.clone());
        let seq = self.store().write(|conn| {
            receipts::append(
                conn,
                &receipts::NewReceipt {
                    ts: now,
                    query,
                    agent_id: request.agent_id.as_deref(),
                    task_id: task_id.as_deref(),
                    request: &request_fields(request),
                    weights: &BTreeMap::new(),
                    scouts_fired: &[],
                    failed_scouts: &[],
                    candidates_considered: 0,
                    final_nodes: &[],
                    final_ords: &[],
                    conflicts_surfaced: &[],
                    temperature: 0.5,
                    terrace_reached: 0,
                    widening: None,
                    timings: &watch.laps(),
                    error: serde_json::to_value(error).ok().as_ref(),
                    query_vector: None,
                    counted: false,
                },
            )
        })?;
        self.folder.wrote(seq);
        Ok(())
    }
}

/// The request's fields that differ from their defaults, but for those with columns of their own. A vector leaves its
/// width only.
fn request_fields(request: &RetrieveRequest) -> Value {
    let default = RetrieveRequest::default();
    let mut fields = Map::new();
    let mut keep = |name: &str, differs: bool, value: Value| {
        if differs {
            fields.insert(name.to_owned(), value);
        }
    };
    keep("limit", request.limit != default.limit, Value::from(request.limit));
    keep(
        "namespace_filter",
        request.namespace_filter.is_some(),
        Value::from(request.namespace_filter.clone().unwrap_or_default()),
    );
    keep("surface_conflicts", request.surface_conflicts, Value::from(true));
    keep("max_context_nodes", request.max_context_nodes.is_some(), Value::from(request.max_context_nodes));
    keep("tags", !request.tags.is_empty(), Value::from(request.tags.clone()));
    keep("path_prefix", request.path_prefix.is_some(), Value::from(request.path_prefix.clone()));
    keep("include_inactive", request.include_inactive, Value::from(true));
    keep("diversity", request.diversity != default.diversity, Value::from(request.diversity));
    keep("vector_dims", request.vector.is_some(), Value::from(request.vector.as_ref().map(Vec::len)));
    Value::Object(fields)
}

fn final_nodes(ranking: &Ranking, shown: &[Shown]) -> Vec<FinalNode> {
    let mut ranked = ranking.ranked.iter();
    let mut nodes = Vec::with_capacity(shown.len());
    for shown in shown {
        let candidate = ranked.by_ref().find(|candidate| candidate.ord == shown.ord);
        nodes.push(FinalNode {
            id: shown.note.result.id.clone(),
            score: shown.note.result.score,
            reasons: shown.note.reasons.clone(),
            scouts: shown.note.scouts.clone(),
            features: candidate.map(|candidate| features(candidate, &ranking.panel)).unwrap_or_default(),
        });
    }
    nodes
}

/// What the reranker saw: calibrated scout scores, δs, and the factors after them.
fn features(candidate: &Ranked, panel: &PanelOutcome) -> BTreeMap<String, f64> {
    let scouts = candidate
        .parts
        .iter()
        .filter_map(|(kind, part)| part.as_ref().map(|part| (kind.name().to_owned(), f64::from(part.calibrated))));
    let deltas = candidate.deltas.iter().map(|(name, delta)| (format!("delta_{name}"), delta));
    let mut features: BTreeMap<String, f64> = scouts.chain(deltas).collect();
    if let Some(Reason::Associated { similarity, .. }) = panel.reason(ScoutKind::TaskContext, candidate.ord) {
        features.insert(ASSOCIATION_SIMILARITY.to_owned(), f64::from(*similarity));
    }
    features.insert("fused".to_owned(), candidate.fused);
    features.insert("near_duplicate".to_owned(), candidate.near_duplicate);
    if candidate.diversity < 1.0 {
        features.insert("diversity".to_owned(), candidate.diversity);
    }
    if let Some(propensity) = candidate.propensity {
        features.insert("propensity".to_owned(), propensity);
    }
    features
}
