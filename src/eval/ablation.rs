//! What each scout is worth: its own ranking, and the engine without it.

use std::path::Path;

use super::dataset::Dataset;
use super::fill::{Filled, filled};
use super::metrics::DEEP;
use super::run::{EvalProgress, Run, ranked};
use crate::config::Config;
use crate::engine::Engine;
use crate::error::Result;
use crate::model::RetrieveRequest;
use crate::scouts::ScoutKind;

/// Each scout's proposals in the order of its own calibrated score, ties by id. The graph scout's second wave starts from
/// what the others found, as it always does.
pub(super) fn alone(engine: &Engine, set: &Dataset, progress: EvalProgress<'_>) -> Result<Vec<(String, Run)>> {
    let mut runs: Vec<(ScoutKind, Run)> = ScoutKind::ALL.map(|kind| (kind, Run::default())).into();
    let total = set.judged().count();
    for (done, (query, _)) in set.judged().enumerate() {
        progress("each scout alone", done, total);
        let request = RetrieveRequest { limit: DEEP, ..RetrieveRequest::new(query.text.as_str()) };
        // Every proposal is wanted, whatever its place among those of all scouts.
        let ranking = ranked(engine, &query.id, &request, usize::MAX)?;
        for (kind, run) in &mut runs {
            let proposed = ranking.ranked.iter().filter_map(|note| {
                let part = note.parts.get(*kind).as_ref()?;
                let id = ranking.snapshot.catalog.id(note.ord)?;
                (part.calibrated > 0.0).then(|| (id.to_owned(), f64::from(part.calibrated)))
            });
            let mut proposed: Vec<(String, f64)> = proposed.collect();
            proposed.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            proposed.truncate(DEEP);
            run.0.insert(query.id.clone(), proposed);
        }
    }
    Ok(runs.into_iter().map(|(kind, run)| (kind.name().to_owned(), run)).collect())
}

/// The engine with one scout's weight at 0 after another.
pub(super) fn without(
    dir: &Path,
    config: &Config,
    set: &Dataset,
    progress: EvalProgress<'_>,
) -> Result<Vec<(String, Run)>> {
    let mut runs = Vec::new();
    for kind in ScoutKind::ALL {
        let mut config = config.clone();
        if let Some(weight) = config.ranking.weights.get_mut(kind.name()) {
            *weight = 0.0;
        }
        let Filled { engine, .. } = filled(dir, &config, set, progress)?;
        runs.push((kind.name().to_owned(), Run::of(&engine, set, DEEP, progress)?));
    }
    Ok(runs)
}
