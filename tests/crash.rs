//! A store whose process is killed in the middle of whatever it was doing.
//!
//! The test runs itself again as a child that writes, retrieves and judges in a loop, and says on stdout what was
//! acknowledged. The parent kills it (SIGKILL) after a random number of lines and a random moment more, opens the store
//! and looks: everything acknowledged is there, the projections are sound, and what is found equals what is found once
//! they are made anew. Then the next child goes on in the same store.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, clippy::panic)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use common::{START, Seeded, note};
use terrace::{
    Config, EmbedderChoice, Engine, Feedback, LearnedExport, LearnedNote, LearnedVerdict, ManualClock, Note,
    RetrieveRequest, SearchMode, SearchRequest, Verdict, Viewer,
};

/// Set in the child: the store's directory, the seed of what it does, and whether it embeds.
const CHILD: &str = "TERRACE_CRASH_CHILD";

const WORDS: [&str; 12] =
    ["pump", "valve", "riser", "seal", "gauge", "motor", "pipe", "filter", "tank", "meter", "leak", "water"];

fn config(embeds: bool) -> Config {
    let embedder = if embeds { EmbedderChoice::Stored } else { EmbedderChoice::None };
    Config { embedder, clock: Arc::new(ManualClock::at(START)), seed: Some(11), threads: 1, ..Config::default() }
}

fn text(random: &mut Seeded, words: usize) -> String {
    (0..words).map(|_| WORDS[random.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
}

fn random_note(random: &mut Seeded, id: String) -> Note {
    let other = random.below(200);
    Note {
        tags: vec![WORDS[random.below(4)].to_owned()],
        path: Some(format!("{}/{id}.md", WORDS[random.below(3)])),
        ..note(&id, &text(random, 2), &format!("{} [[n{other}]]", text(random, 20)))
    }
}

/// What the child does until it is killed. Says `put ID BODY-LENGTH`, `del ID`, `rcpt ID`, `cite RECEIPT NOTE` once the
/// call has returned; `may-del ID` and `may-put ID` before, since a kill between a commit and its line leaves either.
fn child(dir: &Path, seed: u64, embeds: bool) {
    let engine = Engine::open(dir, config(embeds)).unwrap();
    let mut random = Seeded(seed);
    let say = |line: String| {
        // The harness leaves its own line open, hence the newline before.
        let mut out = std::io::stdout().lock();
        out.write_all(b"\n").unwrap();
        out.write_all(format!("@{line}\n").as_bytes()).unwrap();
        out.flush().unwrap();
    };
    say("open".to_owned());
    loop {
        match random.below(10) {
            0..=3 => {
                let id = format!("n{}", random.below(200));
                let note = random_note(&mut random, id);
                say(format!("may-put {}", note.id));
                let (id, length) = (note.id.clone(), note.body.len());
                engine.put(note).unwrap();
                say(format!("put {id} {length}"));
            }
            4 => {
                let ids: Vec<String> = (0..5).map(|at| format!("n{}", 40 * at + random.below(40))).collect();
                let notes: Vec<Note> = ids.into_iter().map(|id| random_note(&mut random, id)).collect();
                let notes: BTreeMap<String, Note> = notes.into_iter().map(|note| (note.id.clone(), note)).collect();
                notes.keys().for_each(|id| say(format!("may-put {id}")));
                let said: Vec<(String, usize)> =
                    notes.values().map(|note| (note.id.clone(), note.body.len())).collect();
                engine.put_many(notes.into_values().collect()).unwrap();
                said.into_iter().for_each(|(id, length)| say(format!("put {id} {length}")));
            }
            5 => {
                let id = format!("n{}", random.below(200));
                say(format!("may-del {id}"));
                if engine.delete(&id).is_ok() {
                    say(format!("del {id}"));
                }
            }
            6 if random.below(6) == 0 => drop(engine.maintain().unwrap()),
            6 if random.below(6) == 0 => drop(engine.reset_learned().unwrap()),
            _ => {
                let answer = engine.retrieve(&RetrieveRequest::new(text(&mut random, 2))).unwrap();
                say(format!("rcpt {}", answer.receipt_id));
                if let Some(best) = answer.results.first().filter(|_| random.below(3) == 0) {
                    let cited = best.result.id.clone();
                    let feedback = Feedback {
                        receipt_id: answer.receipt_id.clone(),
                        cited: Some(vec![cited.clone()]),
                        misleading: None,
                        ..Feedback::default()
                    };
                    engine.feedback(&feedback).unwrap();
                    say(format!("cite {} {cited}", answer.receipt_id));
                }
            }
        }
    }
}

/// What was acknowledged over all rounds.
#[derive(Default)]
struct Known {
    /// Body length by id; `None`: deleted.
    notes: BTreeMap<String, Option<usize>>,
    /// Ids whose last call was announced and not acknowledged.
    unsure: BTreeSet<String>,
    receipts: Vec<String>,
}

impl Known {
    fn take(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["put", id, length] => {
                self.notes.insert((*id).to_owned(), Some(length.parse().unwrap()));
                self.unsure.remove(*id);
            }
            ["del", id] => {
                self.notes.insert((*id).to_owned(), None);
                self.unsure.remove(*id);
            }
            ["may-put" | "may-del", id] => drop(self.unsure.insert((*id).to_owned())),
            ["rcpt", id] => self.receipts.push((*id).to_owned()),
            ["open"] | ["cite", ..] => {}
            other => panic!("the child said {other:?}"),
        }
    }
}

/// Starts a child on the store and kills it after some acknowledged lines and a random moment more.
fn killed_child(dir: &Path, seed: u64, embeds: bool, known: &mut Known) {
    let mut random = Seeded(seed ^ 0x00C0_FFEE);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "what_was_acknowledged_survives_being_killed_at_any_moment", "--nocapture"])
        .env(CHILD, format!("{seed} {} {}", u8::from(embeds), dir.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // A share of the kills falls into opening itself.
    let until = if random.below(8) == 0 { 0 } else { 1 + random.below(60) };
    let mut said = 0;
    while said < until {
        let Some(line) = lines.next() else { panic!("the child ended by itself after {said} lines") };
        if let Some(line) = line.unwrap().strip_prefix('@') {
            known.take(line);
            said += 1;
        }
    }
    let mut spun = 0_u64;
    for _ in 0..random.below(400_000) {
        spun = std::hint::black_box(spun.wrapping_add(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What it still said before it died was acknowledged too. Each line is one write to the pipe, so none is cut.
    for line in lines {
        if let Some(line) = line.unwrap().strip_prefix('@') {
            known.take(line);
        }
    }
}

type Answers = Vec<(String, SearchMode, Vec<(String, f64)>)>;

fn answers(engine: &Engine) -> Answers {
    let mut found = Vec::new();
    for query in ["pump", "valve seal", "water leak in the tank", "n17"] {
        for mode in [SearchMode::Hybrid, SearchMode::Fulltext, SearchMode::Semantic, SearchMode::Graph] {
            let request = SearchRequest { mode, limit: 30, ..SearchRequest::new(query) };
            let results = engine.search(&request).unwrap().results;
            found.push((query.to_owned(), mode, results.into_iter().map(|hit| (hit.id, hit.score)).collect()));
        }
    }
    found
}

fn check(dir: &Path, embeds: bool, known: &mut Known, round: usize, rebuild: bool) {
    let engine = Engine::open(dir, config(embeds)).unwrap();
    let owner = Viewer::owner();
    for (id, length) in &known.notes {
        let found = engine.get(id, &owner).ok().map(|note| note.body.len());
        assert!(found == *length || known.unsure.contains(id), "round {round}: {id} is {found:?}, not {length:?}");
    }
    for id in std::mem::take(&mut known.unsure) {
        let found = engine.get(&id, &owner).ok().map(|note| note.body.len());
        known.notes.insert(id, found);
    }
    for id in &known.receipts {
        assert!(engine.receipt(id, &owner).is_ok(), "round {round}: receipt {id} is gone");
    }
    assert_coherent(&engine.export_learned().unwrap(), round);
    let live = known.notes.values().flatten().count() as u64;
    for state in engine.projections().unwrap() {
        assert!(state.problems.is_empty(), "round {round}: {state:?}");
        assert!(state.name == "vector" || state.entries == live, "round {round}: {live} notes, {state:?}");
    }
    if rebuild {
        let before = answers(&engine);
        engine.rebuild("all").unwrap();
        let after = answers(&engine);
        for ((query, mode, before), (.., after)) in before.into_iter().zip(after) {
            let ids = |found: &[(String, f64)]| found.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
            assert_eq!(ids(&before), ids(&after), "round {round}: {query} {mode:?}");
            for ((id, a), (_, b)) in before.iter().zip(&after) {
                assert!((a - b).abs() < 1e-6, "round {round}: {query} {mode:?} {id}: {a} and {b}");
            }
        }
    }
}

/// Verdicts and what they taught are all there or, forgotten, all gone.
fn assert_coherent(learned: &LearnedExport, round: usize) {
    let mut counts: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for said in &learned.verdicts {
        let kind = [Verdict::Cited, Verdict::Ignored, Verdict::Misleading].iter().position(|v| *v == said.verdict);
        counts.entry(&said.note_id).or_default()[kind.unwrap()] += 1;
    }
    let of_note = |note: &LearnedNote| [note.cited_count, note.ignored_count, note.misleading_count];
    let stored: BTreeMap<&str, [u64; 3]> =
        learned.notes.iter().map(|note| (note.note_id.as_str(), of_note(note))).collect();
    assert_eq!(stored, counts, "round {round}");
    for trace in &learned.traces {
        for event in &trace.events {
            let rests_on = |said: &LearnedVerdict| {
                (&said.receipt_id, &said.note_id, said.verdict) == (&event.receipt_id, &trace.note_id, event.verdict)
            };
            assert!(learned.verdicts.iter().any(rests_on), "round {round}: {trace:?}");
        }
    }
}

fn rounds(rounds: usize, embeds: bool, seed: u64) {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    let mut known = Known::default();
    for round in 0..rounds {
        killed_child(&store, seed + round as u64, embeds, &mut known);
        check(&store, embeds, &mut known, round, round % 4 == 3);
    }
    assert!(
        known.receipts.len() > rounds && known.notes.len() > rounds,
        "the children did too little to show anything"
    );
    counters_match_receipts(&store, embeds, &known);
}

/// Folding after so many deaths counted every receipt once.
fn counters_match_receipts(dir: &Path, embeds: bool, known: &Known) {
    let engine = Engine::open(dir, config(embeds)).unwrap();
    let conn = rusqlite::Connection::open(dir.join("terrace.db")).unwrap();
    let receipts: Vec<Vec<u8>> = {
        let mut statement = conn.prepare("SELECT final_ords FROM receipts").unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    assert!(receipts.len() >= known.receipts.len());
    let mut counted: BTreeMap<u32, u64> = BTreeMap::new();
    for ord in receipts.iter().flat_map(|blob| blob.chunks_exact(4)) {
        *counted.entry(u32::from_le_bytes(ord.try_into().unwrap())).or_default() += 1;
    }
    for (id, _) in known.notes.iter().filter(|(_, length)| length.is_some()) {
        let ord: u32 = conn.query_row("SELECT ord FROM notes WHERE id = ?1", [id], |row| row.get(0)).unwrap();
        let stats = engine.node_stats(id, &Viewer::owner()).unwrap();
        assert_eq!(stats.retrieval_count, counted.get(&ord).copied().unwrap_or(0), "{id}");
    }
}

#[test]
fn what_was_acknowledged_survives_being_killed_at_any_moment() {
    if let Ok(job) = std::env::var(CHILD) {
        let mut parts = job.splitn(3, ' ');
        let (seed, embeds) = (parts.next().unwrap().parse().unwrap(), parts.next().unwrap() == "1");
        return child(Path::new(parts.next().unwrap()), seed, embeds);
    }
    rounds(44, false, 1);
}

#[cfg(feature = "builtin-embedder")]
#[test]
fn so_do_vectors() {
    rounds(6, true, 1000);
}
