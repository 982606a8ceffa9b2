//! One retrieve: `request → eligibility → scouts ∥ → calibrate → fuse → graph wave 2 → rerank → diversify → hydrate →
//! receipt → response`. Each step is a function of the last step's value. Where exploration is on, the last place is drawn
//! before hydration.

mod ask;
mod explore;
mod hydrate;
mod log;
mod pipeline;
mod respond;
mod stopwatch;

pub(crate) use ask::{Ask, Purpose};
pub(crate) use hydrate::Shown;
pub(crate) use pipeline::Ranking;
pub(crate) use stopwatch::Stopwatch;

use std::collections::BTreeMap;

use super::Engine;
use crate::error::{Error, Result};
use crate::model::{RetrieveRequest, RetrieveResponse};

impl Engine {
    /// Finds, ranks and explains the notes that answer a query, and leaves a receipt.
    ///
    /// Same store, request and clock: same results, on any number of threads. Only where
    /// [`Config::exploration`](crate::Config) is set is the last place drawn, and then reproducibly.
    ///
    /// # Errors
    /// `invalid_input` when a field is outside its range; `dimension_mismatch` for a query vector of the wrong width;
    /// `lcma_disabled`; `read_only` on a store opened so (use [`Engine::search`]). A scout that fails is no error: it
    /// is named in `failed_scouts`. A failed retrieve leaves a receipt too, with the error.
    pub fn retrieve(&self, request: &RetrieveRequest) -> Result<RetrieveResponse> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("retrieve"));
        }
        self.retrieve_timed(request).map(|(response, _)| response)
    }

    /// [`Engine::retrieve`], with the microseconds of each stage, the receipt's own included.
    pub(crate) fn retrieve_timed(
        &self,
        request: &RetrieveRequest,
    ) -> Result<(RetrieveResponse, BTreeMap<String, u64>)> {
        let now = self.now();
        let mut watch = Stopwatch::start();
        match self.retrieve_logged(request, now, &mut watch) {
            Ok(response) => Ok((response, watch.laps())),
            Err(error) => {
                if let Err(unlogged) = self.log_failure(request, now, &error, &watch) {
                    tracing::error!(%unlogged, "a failed retrieve left no receipt");
                }
                Err(error)
            }
        }
    }

    fn retrieve_logged(
        &self,
        request: &RetrieveRequest,
        now: crate::clock::Timestamp,
        watch: &mut Stopwatch,
    ) -> Result<RetrieveResponse> {
        if !self.config.lcma.enabled {
            return Err(Error::LcmaDisabled);
        }
        let mut ask = Ask::from_retrieve(self, request, now)?;
        ask.window = self.window(ask.limit);
        let mut ranking = self.rank(&ask, watch)?;
        self.explore(&ask, &mut ranking)?;
        let shown = self.hydrate(&ask, &ranking)?;
        let conflicts = if request.surface_conflicts { Some(self.conflicts(&ask, &ranking)?) } else { None };
        watch.lap("hydrate");
        let receipt = self.log(&ask, request, &ranking, &shown, conflicts.as_deref(), watch)?;
        Ok(respond::response(ranking, shown, conflicts, receipt))
    }
}
