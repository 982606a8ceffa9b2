use std::sync::Arc;

use super::*;
use crate::clock::{ManualClock, Timestamp};
use crate::config::{Config, EmbedderChoice};
use crate::model::{EdgeDraft, Feedback, Note, ReceiptFilter, RetrieveRequest, Status, TaskDraft, Viewer};
use crate::rank::MAX_DELTA;

const WORDS: [&str; 8] = ["pump", "valve", "riser", "seal", "pressure", "night", "gauge", "drips"];
const QUERIES: [&str; 5] = ["pump valve at night", "the riser drips", "seal of the riser", "pressure gauge", "log 3"];

/// Linked, tagged notes of every type and standing, some of them near-duplicates, with edges and a task.
fn filled(dir: &std::path::Path, change: impl FnOnce(&mut Config)) -> Engine {
    let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_772_366_400)));
    let mut config = Config { clock, seed: Some(7), threads: 1, embedder: EmbedderChoice::Stored, ..Config::default() };
    change(&mut config);
    let engine = Engine::open(dir, config).unwrap();
    let word = |at: usize| WORDS[at % WORDS.len()];
    let notes = (0..24).map(|at| {
        let of = at - usize::from(at % 6 == 5);
        let body = format!(
            "The {} and the {} were seen to by the {}, who wrote it up at length that day. [[log {}]]",
            word(of),
            word(of * 3 + 1),
            word(of / 2),
            (of + 5) % 24
        );
        Note {
            tags: vec![word(at + 2).to_owned()],
            note_type: ["note", "moc", "decision"][at % 3].to_owned(),
            status: [Status::Active, Status::Accepted, Status::Proposed][at % 3],
            ..Note::new(format!("log {of}"), body).with_id(format!("n{at:02}"))
        }
    });
    engine.put_many(notes.collect()).unwrap();
    for (from, to) in [("n00", "n01"), ("n02", "n00"), ("n03", "n04"), ("n05", "n09")] {
        engine.edge_upsert(&EdgeDraft { weight: 0.7, ..EdgeDraft::new(from, "related_to", to) }).unwrap();
    }
    engine.create_task(&TaskDraft { id: "leak".into(), title: "leak".into(), ..TaskDraft::default() }).unwrap();
    engine
}

/// Every query, in all the ways that a ranking depends on, with verdicts that move what memory holds.
fn ask_and_judge(engine: &Engine, round: usize) {
    for (at, query) in QUERIES.iter().enumerate() {
        let request = RetrieveRequest {
            task_id: (at % 2 == 0).then(|| "leak".to_owned()),
            tags: if at == 1 { vec!["pressure".into()] } else { Vec::new() },
            diversity: if at == 2 { 0.4 } else { 0.0 },
            limit: 12 + round,
            ..RetrieveRequest::new(*query)
        };
        let answer = engine.retrieve(&request).unwrap();
        let id = |at: usize| answer.results.get(at).map(|hit| hit.result.id.clone());
        let feedback = Feedback {
            receipt_id: answer.receipt_id.clone(),
            cited: Some(id(round + 1).into_iter().chain(id(3)).collect()),
            misleading: Some(id(5 + round).into_iter().collect()),
            ..Feedback::default()
        };
        engine.feedback(&feedback).unwrap();
    }
}

/// Each receipt's stored scores against those that follow from its features and `recorded(receipt.weights)`.
fn assert_scores_follow(engine: &Engine) {
    let shipped = Weights::shipped(&engine.config.ranking);
    let receipts =
        engine.receipts(&ReceiptFilter { limit: 100, ..ReceiptFilter::default() }, &Viewer::owner()).unwrap();
    assert!(receipts.len() >= QUERIES.len());
    for receipt in &receipts {
        let then = recorded(&receipt.weights, &shipped);
        let nodes: Vec<JudgedNode> =
            receipt.final_nodes.iter().map(|node| JudgedNode::new(node, &then, None)).collect();
        for (node, stored) in nodes.iter().zip(&receipt.final_nodes) {
            assert!((node.score(&then) - stored.score).abs() < 1e-6, "{}: {stored:?}", receipt.query);
        }
        let order = crate::memory::weights::order(&nodes, &then);
        assert!(order.iter().copied().eq(0..nodes.len()), "{}: {order:?}", receipt.query);
    }
    let features = |name: &str, below: f64| {
        let mut nodes = receipts.iter().flat_map(|receipt| &receipt.final_nodes);
        nodes.any(|node| node.features.get(name).is_some_and(|value| *value < below))
    };
    // Else the receipts say less than they should.
    assert!(features("near_duplicate", 1.0) && features("diversity", 1.0) && features("delta_note_type", 0.0));
    for scout in ["scout_lexical", "scout_vector", "scout_graph", "scout_tag", "scout_task_context"] {
        assert!(features(scout, 2.0), "{scout}");
    }
}

#[test]
fn a_receipts_scores_follow_from_its_weights_and_features() {
    let dir = tempfile::tempdir().unwrap();
    let engine = filled(dir.path(), |_| {});
    (0..3).for_each(|round| ask_and_judge(&engine, round));
    assert_scores_follow(&engine);
}

#[test]
fn they_do_under_learned_weights() {
    let dir = tempfile::tempdir().unwrap();
    let engine = filled(dir.path(), |_| {});
    ask_and_judge(&engine, 0);
    let mut learned = Weights::shipped(&engine.config.ranking);
    learned.scouts = [0.31, 0.17, 0.13, 0.11, 0.09, 0.12, 0.07];
    learned.factors = [1.7, 0.25, 0.6, 2.0, 1.3];
    *engine.weights.write() = learned;
    (1..3).for_each(|round| ask_and_judge(&engine, round));
    assert_scores_follow(&engine);
}

#[test]
fn they_do_where_factors_pass_their_bound_together() {
    let dir = tempfile::tempdir().unwrap();
    let engine = filled(dir.path(), |config| {
        config.ranking.status_delta = 0.2;
        config.ranking.graph_delta = 0.2;
    });
    (0..3).for_each(|round| ask_and_judge(&engine, round));
    let receipts = engine.receipts(&ReceiptFilter::default(), &Viewer::owner()).unwrap();
    let sum = |node: &crate::model::FinalNode| -> f64 {
        node.features.iter().filter(|(name, _)| name.starts_with("delta_")).map(|(_, delta)| delta).sum()
    };
    let mut nodes = receipts.iter().flat_map(|receipt| &receipt.final_nodes);
    assert!(nodes.any(|node| (sum(node) - MAX_DELTA).abs() < 1e-9), "else nothing was scaled back");
    assert_scores_follow(&engine);
}
