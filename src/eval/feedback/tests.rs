use std::collections::BTreeMap;

use super::*;
use crate::clock::Timestamp;
use crate::eval::EvalQuery;
use crate::eval::metrics::Judgements;
use crate::model::{Note, ReceiptFilter, TaskStatus, Viewer};

pub(super) fn judged(relevant: &[&str]) -> Judgements {
    relevant.iter().map(|id| ((*id).to_owned(), 1.0)).collect()
}

/// Twelve notes on a garden, six queries.
pub(super) fn set() -> Dataset {
    let notes = [
        ("pump", "Priming the pump", "Open valve B, fill the riser, then switch the pump on at dawn."),
        ("riser", "The riser leaks", "A worn gasket lets water out of the riser; replace the gasket before spring."),
        ("gasket", "Gaskets in stock", "Rubber gasket for riser and valve, two sizes, in the shed."),
        ("slugs", "Keeping slugs off", "Wool pellets keep slugs off young lettuce for weeks."),
        ("wool", "Where wool comes from", "The neighbour shears sheep in spring and gives wool away."),
        ("lettuce", "Sowing lettuce", "Sow lettuce in spring under fleece; water at dawn."),
        ("seeds", "Seed swap", "Bring labelled seed packets to the shed on the first Sunday of spring."),
        ("labels", "Labels that last", "Pencil on zinc labels lasts for years; ink on packets fades."),
        ("wall", "Mending the wall", "Lay throughstones across the wall, and pack the heart with rubble."),
        ("stones", "Stones for the wall", "The quarry sells throughstones and rubble by weight."),
        ("bees", "Feeding bees", "Feed bees syrup in late winter, and water them in spring."),
        ("syrup", "Syrup", "Two parts sugar, one part water: syrup for bees."),
    ];
    let queries: [(&str, &str, &[&str]); 6] = [
        ("q1", "how is the pump switched on", &["pump"]),
        ("q2", "what stops slugs eating lettuce", &["slugs", "wool"]),
        ("q3", "leaking riser gasket", &["riser", "gasket"]),
        ("q4", "when to bring seed packets", &["seeds"]),
        ("q5", "rubble and throughstones for a wall", &["wall", "stones"]),
        ("q6", "sugar for hungry bees", &["syrup", "bees"]),
    ];
    Dataset {
        name: "garden".into(),
        notes: notes.map(|(id, title, body)| Note::new(title, body).with_id(id)).into(),
        queries: queries
            .map(|(id, text, _)| EvalQuery { id: id.into(), text: text.into(), ..EvalQuery::default() })
            .into(),
        qrels: queries.map(|(id, _, relevant)| (id.to_owned(), judged(relevant))).into(),
        now: Timestamp::from_seconds(1_767_225_600),
        links: BTreeMap::new(),
    }
}

fn questions(set: &Dataset) -> Vec<Question<'_>> {
    set.judged().map(|(query, judged)| Question { id: &query.id, text: &query.text, judged }).collect()
}

fn with_store<T>(set: &Dataset, f: impl FnOnce(&Stores<'_>) -> Result<T>) -> T {
    let dir = tempfile::tempdir().unwrap();
    let stores = Stores::new(dir.path(), &Config::default(), set, 1, &mut |_, _, _| {}).unwrap();
    f(&stores).unwrap()
}

fn simulate(set: &Dataset) -> FeedbackReport {
    let dir = tempfile::tempdir().unwrap();
    let options = FeedbackOptions { k: 3, resamples: 200, ..FeedbackOptions::default() };
    simulate_feedback(dir.path(), &Config::default(), set, &options, &mut |_, _, _| {}).unwrap()
}

#[test]
fn a_simulation_repeats_to_the_digit() {
    let set = set();
    let report = simulate(&set);
    assert_eq!(report, simulate(&set));
    assert_eq!((report.same_needs.noisy.queries, report.new_needs.noisy.queries), (6, 3));
    assert!(report.same_needs.clean.before > 0.0);
}

#[test]
fn the_report_has_the_shape_that_others_read() {
    let report = serde_json::to_value(simulate(&set())).unwrap();
    for regime in ["same_needs", "new_needs"] {
        for stream in ["clean", "noisy", "adversarial"] {
            for value in ["before", "after", "delta", "lo", "hi"] {
                assert!(report[regime][stream][value].is_f64(), "{regime}.{stream}.{value} of {report}");
            }
        }
    }
    assert!(report["same_needs_by_overlap"][0]["clean"]["delta"].is_f64(), "{report}");
    let back: FeedbackReport = serde_json::from_value(report.clone()).unwrap();
    assert_eq!(serde_json::to_value(back).unwrap(), report);
}

#[test]
fn the_frozen_twin_is_asked_the_same_and_told_nothing() {
    let set = set();
    let questions = questions(&set);
    let asked = |cite: bool| {
        with_store(&set, |stores| {
            stores.with_copy(|engine| {
                let clean = |question: &Question<'_>, shown: &[String]| {
                    cite.then(|| streams::Stream::Clean.cited(question, shown, &[], 1))
                };
                train(engine, &questions, 3, clean, || ())?;
                assert_eq!(engine.list_tasks(Some(TaskStatus::Completed))?.len(), questions.len());
                let verdicts: u64 = set
                    .notes
                    .iter()
                    .map(|note| {
                        engine
                            .node_stats(&note.id, &Viewer::owner())
                            .map(|stats| stats.cited_count + stats.ignored_count)
                    })
                    .sum::<Result<u64>>()?;
                let receipts = engine.receipts(&ReceiptFilter::default(), &Viewer::owner())?;
                let requests: Vec<_> =
                    receipts.into_iter().map(|it| (it.id, it.query, it.task_id, it.agent_id)).collect();
                Ok((requests, verdicts))
            })
        })
    };
    let (frozen, told) = (asked(false), asked(true));
    assert_eq!(frozen.0, told.0);
    assert_eq!((frozen.1, told.1), (0, 3 * questions.len() as u64));
}

#[test]
fn a_copy_has_learned_nothing_from_the_one_before() {
    let set = set();
    let questions = questions(&set);
    with_store(&set, |stores| {
        let answers = || stores.with_copy(|engine| ask(engine, &questions, 3, || ()));
        let before = answers()?;
        stores.with_copy(|engine| train(engine, &questions, 3, |_, shown| Some(shown.to_vec()), || ()))?;
        assert_eq!(before, answers()?);
        Ok(())
    });
}

#[test]
fn scoring_leaves_no_trace() {
    let set = set();
    with_store(&set, |stores| {
        stores.with_copy(|engine| {
            ask(engine, &questions(&set), 3, || ())?;
            assert!(engine.receipts(&ReceiptFilter::default(), &Viewer::owner())?.is_empty());
            Ok(())
        })
    });
}

#[test]
fn halves_are_disjoint_and_hold_every_query() {
    let set = set();
    let questions = questions(&set);
    let (taught, asked) = halves(&questions[..5], 1);
    assert_eq!((taught.len(), asked.len()), (2, 3));
    assert!(taught.iter().all(|one| asked.iter().all(|other| one.id != other.id)));
}

#[test]
fn progress_ends_at_its_total() {
    let dir = tempfile::tempdir().unwrap();
    let mut last = BTreeMap::new();
    let options = FeedbackOptions { resamples: 1, ..FeedbackOptions::default() };
    let mut progress = |stage: &'static str, done: usize, total: usize| {
        last.insert(stage, (done + 1, total));
    };
    simulate_feedback(dir.path(), &Config::default(), &set(), &options, &mut progress).unwrap();
    assert_eq!((last["same needs"], last["new needs"]), ((54, 54), (27, 27)));
}

#[test]
fn a_cutoff_out_of_range_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let options = FeedbackOptions { k: 0, ..FeedbackOptions::default() };
    let refused = simulate_feedback(dir.path(), &Config::default(), &set(), &options, &mut |_, _, _| {});
    assert_eq!(refused.unwrap_err().to_string(), Error::invalid("expected k from 1 to 100, found 0").to_string());
}

#[test]
fn each_way_of_learning_is_measured_alone_where_that_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let options = FeedbackOptions { k: 3, resamples: 100, ablate: true, ..FeedbackOptions::default() };
    let report = simulate_feedback(dir.path(), &Config::default(), &set(), &options, &mut |_, _, _| {}).unwrap();
    let shifts: BTreeMap<&str, f64> =
        report.channels.iter().map(|alone| (alone.channel.name(), alone.same_needs.delta)).collect();
    assert_eq!(shifts.keys().copied().collect::<Vec<_>>(), ["association", "links", "salience", "weights"]);
    // Six receipts are too few for weights to be adopted.
    assert_eq!(shifts["weights"], 0.0);
}

fn log(lines: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.jsonl");
    std::fs::write(&path, lines).unwrap();
    (dir, path)
}

const HEADER: &str = r#"{"kind":"header","synthetic":true,"train_queries":["q1","q4"],"heldback_queries":["q6"]}"#;

#[test]
fn clicks_are_cited_where_they_were_shown_and_counted_where_they_were_not() {
    let search = r#"{"kind":"search","query_id":"q1","query":"how is the pump switched on","clicks":[{"id":"pump"},{"id":"nowhere"}]}"#;
    let (dir, path) = log(&format!("{HEADER}\n{search}\n"));
    let log = ClickLog::load(&path).unwrap();
    let options = FeedbackOptions { k: 3, resamples: 100, ..FeedbackOptions::default() };
    let stores = dir.path().join("stores");
    let report = replay_clicks(&stores, &Config::default(), &set(), &log, &options, &mut |_, _, _| {}).unwrap();
    assert_eq!((report.searches, report.clicks, report.not_shown, report.synthetic), (1, 2, 1, true));
    assert_eq!(report.taught.len(), 5);
    let all = &report.taught[0];
    assert_eq!((all.by.as_str(), all.same_queries.queries, all.new_needs.queries), ("all", 2, 1));
}

#[test]
fn a_line_that_is_no_search_is_refused_with_its_number() {
    let (_dir, path) = log(&format!("{HEADER}\n{{\"kind\":\"sale\"}}\n"));
    let refused = ClickLog::load(&path).unwrap_err().to_string();
    assert!(refused.contains("log.jsonl:2: expected a line of kind header or search"), "{refused}");
}

#[test]
fn a_log_that_names_a_query_of_another_set_is_refused() {
    let (dir, path) = log(r#"{"kind":"search","query_id":"q99","query":"x","clicks":[]}"#);
    let log = ClickLog::load(&path).unwrap();
    let options = FeedbackOptions::default();
    let refused = replay_clicks(dir.path(), &Config::default(), &set(), &log, &options, &mut |_, _, _| {});
    assert!(refused.unwrap_err().to_string().contains("q99"));
}
