//! A run: what was found for each query, in which order.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

use super::dataset::Dataset;
use super::metrics::{self, Judgements};
use crate::engine::{Ask, Engine, Ranking, Stopwatch};
use crate::error::{Error, Result};
use crate::model::RetrieveRequest;

/// How far an evaluation has come: the stage, what of it is done, and of how much.
pub type EvalProgress<'a> = &'a mut dyn FnMut(&'static str, usize, usize);

/// Notes and scores by query, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run(pub BTreeMap<String, Vec<(String, f64)>>);

/// Metrics by query: each query's values under [`metrics::all`]'s names.
pub type QueryScores = BTreeMap<String, BTreeMap<String, f64>>;

impl Run {
    /// Asks the engine every judged query of the set for `limit` notes. It leaves no receipts, so that no query sees what
    /// an earlier one left.
    ///
    /// # Errors
    /// The engine's, naming the query.
    pub fn of(engine: &Engine, set: &Dataset, limit: usize, progress: EvalProgress<'_>) -> Result<Self> {
        let total = set.judged().count();
        let mut run = Self::default();
        for (done, (query, _)) in set.judged().enumerate() {
            progress("queries", done, total);
            run.0.insert(query.id.clone(), ask(engine, &query.id, &of_text(&query.text, limit))?);
        }
        Ok(run)
    }

    /// The metrics of every judged query; one that the run lacks found nothing.
    pub fn scores(&self, set: &Dataset, k: usize) -> QueryScores {
        let of = |id: &str, judged: &Judgements| {
            metrics::all(self.0.get(id).map(Vec::as_slice).unwrap_or_default(), judged, k)
        };
        set.judged().map(|(query, judged)| (query.id.clone(), of(&query.id, judged))).collect()
    }

    /// TREC's format: query, `Q0`, note, rank from 1, score, `terrace`, a line each. White space in ids, which the
    /// format has no room for, is percent-encoded.
    ///
    /// ```
    /// use terrace::eval::Run;
    /// let run = Run([("q 1".to_owned(), vec![("a".to_owned(), 0.5)])].into());
    /// assert_eq!(run.to_trec(), "q%201 Q0 a 1 0.5 terrace\n");
    /// ```
    pub fn to_trec(&self) -> String {
        let mut text = String::new();
        for (query, notes) in &self.0 {
            let query = spaceless(query);
            for (at, (note, score)) in notes.iter().enumerate() {
                // Writing into a string does not fail.
                let _ = writeln!(text, "{query} Q0 {} {} {score} terrace", spaceless(note), at + 1);
            }
        }
        text
    }
}

/// Milliseconds of each query's whole retrieve of `limit` notes, receipt included; of one that comes with its vector
/// where `embedded`, so that embedding is not part of it.
pub(super) fn retrieve_millis(
    engine: &Engine,
    set: &Dataset,
    limit: usize,
    embedded: bool,
    progress: EvalProgress<'_>,
) -> Result<Vec<f64>> {
    let total = set.judged().count();
    let mut millis = Vec::with_capacity(total);
    for (done, (query, _)) in set.judged().enumerate() {
        progress("latency", done, total);
        let vector = if embedded { engine.embedding().query_vector(&query.text, None)? } else { None };
        let request = RetrieveRequest { limit, vector, ..RetrieveRequest::new(query.text.as_str()) };
        let started = Instant::now();
        engine.retrieve(&request)?;
        millis.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(millis)
}

/// A retrieve of a query's text.
fn of_text(text: &str, limit: usize) -> RetrieveRequest {
    RetrieveRequest { limit, ..RetrieveRequest::new(text) }
}

/// What a retrieve ranks, before it is logged.
pub(super) fn ask(engine: &Engine, query: &str, request: &RetrieveRequest) -> Result<Vec<(String, f64)>> {
    let ranking = ranked(engine, query, request, request.limit)?;
    let notes = ranking.ranked.iter();
    Ok(notes.filter_map(|note| Some((ranking.snapshot.catalog.id(note.ord)?.to_owned(), note.score))).collect())
}

/// The ranking of a query's retrieve, cut off at `limit`, which may be more than the request's own.
pub(super) fn ranked(engine: &Engine, query: &str, request: &RetrieveRequest, limit: usize) -> Result<Ranking> {
    let mut ask = Ask::from_retrieve(engine, request, engine.now()).map_err(|error| named(query, error))?;
    ask.limit = limit;
    engine.rank(&ask, &mut Stopwatch::start())
}

/// Says which query could not be asked.
pub(super) fn named(query: &str, error: Error) -> Error {
    match error {
        Error::InvalidInput(reason) => Error::invalid(format!("query {query:?}: {reason}")),
        other => other,
    }
}

fn spaceless(id: &str) -> String {
    let mut text = String::with_capacity(id.len());
    for c in id.chars() {
        if c.is_whitespace() {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| {
                let _ = write!(text, "%{byte:02X}");
            });
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::{ManualClock, Timestamp};
    use crate::config::Config;
    use crate::model::Note;

    #[test]
    fn a_run_is_what_a_retrieve_of_a_store_that_learned_nothing_returns() {
        let dir = tempfile::tempdir().unwrap();
        // Between the two answers a moment passes, and recency would see it.
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(0)));
        let engine = Engine::open(dir.path(), Config { clock, ..Config::default() }).unwrap();
        let texts = ["wool keeps slugs off", "slugs eat lettuce", "sharpen the shears"];
        let notes = texts.iter().zip(["a", "b", "c"]).map(|(text, id)| Note::new("", *text).with_id(id));
        engine.put_many(notes.collect()).unwrap();
        let found = ask(&engine, "q", &of_text("keep slugs away", 10)).unwrap();
        assert_eq!(ask(&engine, "q", &of_text("keep slugs away", 1)).unwrap(), found[..1]);
        let answer = engine.retrieve(&RetrieveRequest::new("keep slugs away")).unwrap();
        let expected: Vec<(String, f64)> =
            answer.results.into_iter().map(|note| (note.result.id, note.result.score)).collect();
        assert_eq!(found, expected);
    }
}
