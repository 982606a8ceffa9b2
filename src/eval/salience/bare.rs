//! Whether asking alone, without a verdict, turns an order that feedback set.

use serde::{Deserialize, Serialize};

use super::report::NoteGroup;
use super::traffic::Traffic;
use crate::engine::Engine;
use crate::error::Result;
use crate::eval::run;
use crate::model::RetrieveRequest;

/// Queries whose rankings are watched.
const QUERIES: usize = 20;

/// What a loop of bare retrieves changed. The loop goes round the watched queries, each time as another agent so that
/// none counts as a repeat, while time stands still. Rankings before and after are read without leaving a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BareLoop {
    /// Bare retrieves.
    pub retrieves: usize,
    /// Watched queries: of notes that are cited, the most frequently cited groups first.
    pub queries: usize,
    /// Watched queries whose first ten notes, or their order, changed.
    pub rankings_changed: usize,
    /// Pairs of notes among the first ten whose order is not that of a fresh store: what feedback and time turned.
    pub turned: usize,
    /// Those of them that the loop turned back.
    pub turned_back: usize,
    /// Of all pairs among the first ten that the loop turned, the widest gap there was between their scores, as a share of
    /// the higher one; 0 where it turned none. Popularity may decide between notes that are this close, no further.
    pub widest_gap: f64,
    /// The largest change of a score, as a share of it.
    pub largest_change: f64,
}

type Ranking = Vec<(String, f64)>;

impl BareLoop {
    pub(super) fn run(used: &Engine, fresh: &Engine, traffic: &Traffic, retrieves: usize) -> Result<Self> {
        let cited = [NoteGroup::Frequent, NoteGroup::Regular, NoteGroup::Rare];
        let requests: Vec<RetrieveRequest> = cited
            .iter()
            .flat_map(|&group| traffic.of(group).take(QUERIES / 2))
            .take(QUERIES)
            .map(|target| RetrieveRequest::new(target.query.as_str()))
            .collect();
        let read = |engine: &Engine| -> Result<Vec<Ranking>> {
            requests.iter().map(|request| run::ask(engine, &request.query, request)).collect()
        };
        let (never, before) = (read(fresh)?, read(used)?);
        for (number, request) in requests.iter().cycle().take(retrieves).enumerate() {
            used.retrieve(&RetrieveRequest { agent_id: Some(format!("reader-{number}")), ..request.clone() })?;
        }
        let after = read(used)?;
        let mut outcome = Self { retrieves, queries: requests.len(), ..Self::default() };
        for ((never, before), after) in never.iter().zip(&before).zip(&after) {
            outcome.compare(never, before, after);
        }
        Ok(outcome)
    }

    fn compare(&mut self, never: &Ranking, before: &Ranking, after: &Ranking) {
        let ids = |ranking: &Ranking| ranking.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
        self.rankings_changed += usize::from(ids(before) != ids(after));
        for (id, then) in before {
            let now = after.iter().find(|(other, _)| other == id).map_or(0.0, |(_, score)| *score);
            self.largest_change = self.largest_change.max((now / then - 1.0).abs());
        }
        let place = |ranking: &Ranking, id: &str| ranking.iter().position(|(other, _)| other == id);
        for (at, (first, high)) in before.iter().enumerate() {
            for (second, low) in before.iter().skip(at + 1) {
                // A note that the fresh store does not show stands below all that it shows.
                let below = |ranking: &Ranking| {
                    let end = ranking.len();
                    place(ranking, first).unwrap_or(end) > place(ranking, second).unwrap_or(end)
                };
                if below(after) {
                    self.widest_gap = self.widest_gap.max(1.0 - low / high);
                }
                if below(never) {
                    self.turned += 1;
                    self.turned_back += usize::from(below(after));
                }
            }
        }
    }
}
