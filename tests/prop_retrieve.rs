//! What must hold of every answer, over random small stores.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::{START, Seeded};
use proptest::prelude::*;
use terrace::{
    AccessScope, Config, EdgeDraft, EmbedderChoice, Engine, LcmaConfig, ManualClock, Note, RankingConfig,
    ReceiptFilter, RetrieveRequest, RetrieveResponse, ScoutWeights, Status, Viewer,
};

const WORDS: [&str; 10] = ["pump", "valve", "riser", "seal", "gauge", "motor", "pipe", "filter", "tank", "latest"];
const TAGS: [&str; 4] = ["water", "water/pump", "field", "valve"];
const FOLDERS: [&str; 3] = ["house", "house/cellar", "field"];
const AGENTS: [&str; 2] = ["ann", "bob"];
const TASKS: [&str; 2] = ["task-one", "task-two"];
const DIMS: usize = 4;

/// A note as numbers, from which any store can make it.
#[derive(Clone, Debug)]
struct Spec {
    title: Vec<usize>,
    body: Vec<usize>,
    tags: Vec<usize>,
    folder: Option<usize>,
    links: Vec<usize>,
    access: (usize, usize),
    status: usize,
    age_days: u16,
    expires: Option<i8>,
    vector: u64,
    url: Option<usize>,
}

fn spec() -> impl Strategy<Value = Spec> {
    let words = |range| prop::collection::vec(0..WORDS.len(), range);
    (
        (words(0..3), words(0..12), prop::collection::vec(0..TAGS.len(), 0..3), prop::option::of(0..FOLDERS.len())),
        (prop::collection::vec(0..40_usize, 0..3), (0..6_usize, 0..2_usize), 0..16_usize, 0..400_u16),
        (prop::option::weighted(0.2, -20..20_i8), any::<u64>(), prop::option::weighted(0.2, 0..3_usize)),
    )
        .prop_map(|((title, body, tags, folder), (links, access, status, age_days), (expires, vector, url))| {
            Spec { title, body, tags, folder, links, access, status, age_days, expires, vector, url }
        })
}

fn store_specs(most: usize) -> impl Strategy<Value = Vec<Spec>> {
    prop::collection::vec(spec(), 1..most)
}

fn words(of: &[usize]) -> String {
    of.iter().map(|&at| WORDS[at]).collect::<Vec<_>>().join(" ")
}

impl Spec {
    fn note(&self, at: usize, count: usize) -> Note {
        let links: Vec<String> = self.links.iter().map(|to| format!("[[n{:02}]]", to % count)).collect();
        let (access_scope, author, source) = match self.access {
            (0, who) => (AccessScope::AgentPrivate, Some(AGENTS[who].to_owned()), None),
            (1, which) => (AccessScope::Task, None, Some(TASKS[which].to_owned())),
            _ => (AccessScope::Shared, None, None),
        };
        let updated = START.plus_days(-f64::from(self.age_days));
        Note {
            tags: self.tags.iter().map(|&tag| TAGS[tag].to_owned()).collect(),
            path: self.folder.map(|folder| format!("{}/f{at:02}.md", FOLDERS[folder])),
            status: *Status::ALL.get(self.status).unwrap_or(&Status::Active),
            access_scope,
            author,
            source,
            source_url: self.url.map(|url| format!("https://example.org/{url}")),
            created_at: Some(updated),
            updated_at: Some(updated),
            expires_at: self.expires.map(|days| START.plus_days(f64::from(days))),
            ..Note::new(words(&self.title), format!("{} {}", words(&self.body), links.join(" "))).with_id(id(at))
        }
    }

    fn vector(&self) -> Vec<f32> {
        Seeded(self.vector).vector(DIMS)
    }
}

fn id(at: usize) -> String {
    format!("n{at:02}")
}

/// One request, as numbers.
#[derive(Clone, Debug)]
struct Ask {
    words: Vec<usize>,
    agent: Option<usize>,
    task: Option<usize>,
    tag: Option<usize>,
    folder: Option<usize>,
    inactive: bool,
    vector: Option<u64>,
}

fn ask() -> impl Strategy<Value = Ask> {
    (
        prop::collection::vec(0..WORDS.len(), 1..4),
        prop::option::of(0..2_usize),
        prop::option::of(0..2_usize),
        prop::option::weighted(0.3, 0..TAGS.len()),
        prop::option::weighted(0.3, 0..FOLDERS.len()),
        any::<bool>(),
        prop::option::weighted(0.7, any::<u64>()),
    )
        .prop_map(|(words, agent, task, tag, folder, inactive, vector)| Ask {
            words,
            agent,
            task,
            tag,
            folder,
            inactive,
            vector,
        })
}

impl Ask {
    fn request(&self, limit: usize) -> RetrieveRequest {
        RetrieveRequest {
            agent_id: self.agent.map(|agent| AGENTS[agent].to_owned()),
            task_id: self.task.map(|task| TASKS[task].to_owned()),
            tags: self.tag.map(|tag| TAGS[tag].to_owned()).into_iter().collect(),
            path_prefix: self.folder.map(|folder| FOLDERS[folder].to_owned()),
            include_inactive: self.inactive,
            vector: self.vector.map(|seed| Seeded(seed).vector(DIMS)),
            surface_conflicts: true,
            explain: true,
            limit,
            ..RetrieveRequest::new(words(&self.words))
        }
    }

    /// Whether the request may return this note: the specification's conditions, said once more.
    fn admits(&self, note: &Note) -> bool {
        let status = match note.status {
            Status::Active | Status::Proposed | Status::Accepted => true,
            Status::Rejected | Status::Superseded | Status::Stale => self.inactive,
            Status::Archived | Status::Quarantined => false,
        };
        let tag = self.tag.is_none_or(|tag| {
            let below = format!("{}/", TAGS[tag]);
            note.tags.iter().any(|of_note| of_note == TAGS[tag] || of_note.starts_with(&below))
        });
        let folder = self.folder.is_none_or(|folder| {
            let below = format!("{}/", FOLDERS[folder]);
            note.path.as_deref().is_some_and(|path| path.starts_with(&below))
        });
        status && tag && folder && self.sees(note)
    }

    fn sees(&self, note: &Note) -> bool {
        match note.access_scope {
            AccessScope::Shared => true,
            AccessScope::AgentPrivate => self.agent.is_some_and(|agent| note.author.as_deref() == Some(AGENTS[agent])),
            AccessScope::Task => self.task.is_some_and(|task| note.source.as_deref() == Some(TASKS[task])),
        }
    }
}

fn config() -> Config {
    let clock = ManualClock::at(START);
    Config { embedder: common::supplied(DIMS), clock: Arc::new(clock), seed: Some(7), threads: 1, ..Config::default() }
}

/// A closed store of these notes, with contradictions and relations between neighbours.
fn stored(specs: &[Spec], keep: impl Fn(&Note) -> bool) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::open(dir.path(), config()).unwrap();
    let notes: Vec<(Note, Option<Vec<f32>>)> = specs
        .iter()
        .enumerate()
        .map(|(at, spec)| (spec.note(at, specs.len()), Some(spec.vector())))
        .filter(|(note, _)| keep(note))
        .collect();
    let there: BTreeSet<String> = notes.iter().map(|(note, _)| note.id.clone()).collect();
    engine.put_many_with_vectors(notes).unwrap();
    for at in 0..specs.len().saturating_sub(1) {
        let kind = if at % 3 == 0 { "contradicts" } else { "related_to" };
        if at % 3 != 2 && there.contains(&id(at)) && there.contains(&id(at + 1)) {
            engine.edge_upsert(&EdgeDraft::new(id(at), kind, id(at + 1))).unwrap();
        }
    }
    dir
}

/// A copy of a closed store, opened: retrieves leave traces, and each question is to find the same store.
fn copy(of: &std::path::Path, config: Config) -> (Engine, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    copy_dir(of, dir.path());
    (Engine::open(dir.path(), config).unwrap(), dir)
}

fn copy_dir(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy_dir(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn answer(store: &std::path::Path, config: Config, request: &RetrieveRequest) -> RetrieveResponse {
    copy(store, config).0.retrieve(request).unwrap()
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        max_shrink_iters: 200,
        failure_persistence: common::regressions(),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn a_shorter_list_is_the_beginning_of_a_longer_one_with_the_same_scores(specs in store_specs(60), ask in ask()) {
        let store = stored(&specs, |_| true);
        let longest = answer(store.path(), config(), &ask.request(100));
        for limit in [3, 10, 50] {
            let shorter = answer(store.path(), config(), &ask.request(limit));
            let beginning = &longest.results[..limit.min(longest.results.len())];
            prop_assert_eq!(&shorter.results[..], beginning, "limit {}", limit);
            prop_assert_eq!(shorter.temperature, longest.temperature);
        }
    }

    #[test]
    fn scores_lie_between_0_and_1_never_increase_and_follow_from_their_explanation(
        specs in store_specs(40), ask in ask(), diversity in prop_oneof![Just(0.0), 0.0..=1.0_f64],
    ) {
        let store = stored(&specs, |_| true);
        let results = answer(store.path(), config(), &RetrieveRequest { diversity, ..ask.request(50) }).results;
        for pair in results.windows(2) {
            let (above, below) = (&pair[0].result, &pair[1].result);
            prop_assert!(above.score > below.score || (above.score == below.score && above.id < below.id));
        }
        for hit in &results {
            let explanation = hit.explanation.as_ref().unwrap();
            let fused: f64 = explanation.scouts.iter().map(|scout| scout.weight * scout.calibrated).sum();
            let deltas: f64 = explanation.deltas.iter().map(|(_, delta)| delta).sum();
            let score = explanation.fused * (1.0 + deltas) / 1.15 * explanation.near_duplicate * explanation.diversity;
            prop_assert!((0.0..=1.0).contains(&hit.result.score));
            prop_assert!((score - hit.result.score).abs() < 1e-9, "{} explained as {score}", hit.result.score);
            prop_assert!((fused - explanation.fused).abs() < 1e-6);
            prop_assert!(deltas.abs() <= 0.15);
            let named: Vec<_> = explanation.scouts.iter().map(|scout| scout.scout.clone()).collect();
            prop_assert_eq!(&named, &hit.scouts);
            prop_assert!(hit.reasons.len() >= hit.scouts.len());
        }
    }

    #[test]
    fn what_comes_back_is_eligible_and_all_that_matches_by_words_comes_back(specs in store_specs(60), ask in ask()) {
        let store = stored(&specs, |_| true);
        let (engine, _dir) = copy(store.path(), config());
        let response = engine.retrieve(&ask.request(100)).unwrap();
        let found: BTreeSet<String> = response.results.iter().map(|hit| hit.result.id.clone()).collect();
        for (at, spec) in specs.iter().enumerate() {
            let note = spec.note(at, specs.len());
            let matches = ask.words.iter().any(|word| spec.title.contains(word) || spec.body.contains(word));
            if ask.admits(&note) {
                prop_assert!(!matches || found.contains(&note.id), "{} matches and is missing", note.id);
            } else {
                prop_assert!(!found.contains(&note.id), "{} is not eligible", note.id);
            }
        }
        let receipt = engine.receipt(&response.receipt_id, &Viewer::owner()).unwrap();
        prop_assert_eq!(receipt.candidates_considered, response.results.len());
    }

    #[test]
    fn an_inactive_note_comes_back_only_when_asked_for_and_says_so(specs in store_specs(40), ask in ask()) {
        let store = stored(&specs, |_| true);
        for inactive in [false, true] {
            let ask = Ask { inactive, ..ask.clone() };
            for hit in answer(store.path(), config(), &ask.request(100)).results {
                let at: usize = hit.result.id[1..].parse().unwrap();
                let status = specs[at].note(at, specs.len()).status;
                prop_assert!(inactive || matches!(status, Status::Active | Status::Proposed | Status::Accepted));
                let said = hit.reasons.iter().any(|reason| reason.contains(status.as_str()));
                prop_assert!(status == Status::Active || said, "{:?}", hit.reasons);
            }
        }
    }

    #[test]
    fn the_same_question_to_the_same_store_has_the_same_answer(specs in store_specs(40), ask in ask()) {
        let store = stored(&specs, |_| true);
        let request = ask.request(50);
        let first = answer(store.path(), config(), &request);
        prop_assert_eq!(&answer(store.path(), Config { threads: 4, ..config() }, &request), &first);
        let (engine, dir) = copy(store.path(), config());
        drop(engine);
        prop_assert_eq!(&answer(dir.path(), config(), &request), &first);
    }

    #[test]
    fn diversity_keeps_the_first_thirty_the_first_thirty(
        specs in store_specs(60), ask in ask(), diversity in 0.01..=1.0_f64,
    ) {
        let store = stored(&specs, |_| true);
        let first = |diversity| {
            let request = RetrieveRequest { diversity, ..ask.request(30) };
            answer(store.path(), config(), &request).results.into_iter().map(|hit| hit.result.id).collect::<BTreeSet<_>>()
        };
        prop_assert_eq!(first(diversity), first(0.0));
    }

    #[test]
    fn a_note_that_cannot_be_seen_leaves_no_trace(specs in store_specs(50), ask in ask()) {
        // Statistics of words may include it, so words are given no weight and their scores are left out.
        let blind = || Config {
            ranking: RankingConfig {
                weights: ScoutWeights { lexical: 0.0, ..ScoutWeights::default() },
                ..RankingConfig::default()
            },
            ..config()
        };
        let ask = Ask { inactive: true, ..ask };
        let kept = |note: &Note| {
            ask.sees(note) && !matches!(note.status, Status::Archived | Status::Quarantined)
        };
        let all = stored(&specs, |_| true);
        let without = stored(&specs, kept);
        let seen = |store: &std::path::Path| {
            let (engine, _dir) = copy(store, blind());
            let mut response = engine.retrieve(&ask.request(100)).unwrap();
            for hit in &mut response.results {
                hit.reasons.retain(|reason| !reason.starts_with("lexical"));
                let explanation = hit.explanation.as_mut().unwrap();
                explanation.scouts.retain(|scout| scout.scout != "scout_lexical");
            }
            let viewer = Viewer::owner();
            let receipt = &engine.receipts(&ReceiptFilter::default(), &viewer).unwrap()[0];
            let conflicts: Vec<_> = response.conflicts.take().unwrap().into_iter().map(|c| (c.from_id, c.to_id)).collect();
            response.receipt_id.clear();
            let conflicts: BTreeSet<_> = conflicts.into_iter().collect();
            (response, conflicts, receipt.candidates_considered)
        };
        prop_assert_eq!(seen(all.path()), seen(without.path()));
    }
}

/// What this agent's retrieve of these words says of each note by the path scout.
fn named(store: &common::TestStore, agent: &str, query: &str) -> Vec<String> {
    let request = RetrieveRequest { agent_id: Some(agent.into()), ..RetrieveRequest::new(query) };
    let results = store.retrieve(&request).unwrap().results.into_iter();
    results.filter(|hit| hit.scouts.iter().any(|scout| scout == "scout_path")).map(|hit| hit.result.id).collect()
}

#[test]
fn the_beginning_of_an_id_stays_unique_whatever_others_call_their_private_notes() {
    let store = common::TestStore::text_only();
    store.put(common::note("rotation-plan", "Beds", "")).unwrap();
    store.put(common::private("bob", common::note("rotation", "Hidden", ""))).unwrap();
    store.put(common::private("bob", common::note("rotation-other", "Hidden too", ""))).unwrap();
    assert_eq!(named(&store, "ann", "rotation"), ["rotation-plan"]);
}

#[test]
fn a_name_keeps_its_meaning_however_many_private_notes_bear_it() {
    let store = common::TestStore::text_only();
    store.put(common::note("mine", "Pump", "")).unwrap();
    store.put_all((0..100).map(|at| common::private("bob", common::note(&format!("b{at}"), "Pump", ""))));
    assert_eq!(named(&store, "ann", "pump"), ["mine"]);
}

#[test]
fn a_misspelling_is_one_even_where_a_private_note_is_called_so() {
    let store = common::TestStore::text_only();
    store.put(common::note("mine", "Gauge", "")).unwrap();
    store.put(common::private("bob", common::note("hidden", "Gaugee", ""))).unwrap();
    assert_eq!(named(&store, "ann", "gaugee"), ["mine"]);
}

#[test]
fn many_notes_are_answered_alike_by_one_thread_and_by_four() {
    // Fewer are always searched on the caller's thread.
    let mut random = Seeded(3);
    let notes: Vec<Note> = (0..20_500)
        .map(|at| {
            let body: Vec<&str> = (0..6).map(|_| WORDS[random.below(WORDS.len())]).collect();
            Note {
                tags: vec![TAGS[random.below(TAGS.len())].to_owned()],
                updated_at: Some(START.plus_days(-random.unit() * 300.0)),
                ..Note::new(body[..2].join(" "), body.join(" ")).with_id(format!("n{at:05}"))
            }
        })
        .collect();
    let dir = tempfile::tempdir().unwrap();
    let config = |threads| Config {
        embedder: EmbedderChoice::None,
        threads,
        lcma: LcmaConfig::default(),
        clock: Arc::new(ManualClock::at(START)),
        seed: Some(1),
        ..Config::default()
    };
    Engine::open(dir.path(), config(1)).unwrap().put_many(notes).unwrap();
    let mut answers = Vec::new();
    for threads in [1, 4] {
        let engine = Engine::open(dir.path(), config(threads)).unwrap();
        let of_threads: Vec<_> = ["pump valve", "latest seal", "water tank n00017"]
            .map(|query| {
                engine.search(&terrace::SearchRequest { limit: 100, ..terrace::SearchRequest::new(query) }).unwrap()
            })
            .into();
        assert!(of_threads.iter().all(|answer| answer.results.len() == 100));
        answers.push(of_threads);
    }
    assert_eq!(answers[0], answers[1]);
}
