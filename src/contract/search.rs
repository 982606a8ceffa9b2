//! `search`, as `lithos_search` answers: no receipt, no statistics, also on a read-only store.

use crate::engine::{Ask, Engine};
use crate::error::Result;
use crate::model::{SearchRequest, SearchResponse, SearchResult};

impl Engine {
    /// Finds notes without leaving a trace.
    ///
    /// ```
    /// use terrace::{Engine, Note, SearchMode, SearchRequest};
    /// # let dir = std::env::temp_dir().join(format!("terrace-doc-search-{}", std::process::id()));
    /// let engine = Engine::open(&dir, terrace::Config::default())?;
    /// engine.put(Note::new("Slugs", "Wool pellets keep slugs off lettuce."))?;
    /// let request = SearchRequest { mode: SearchMode::Fulltext, ..SearchRequest::new("slugs") };
    /// assert_eq!(engine.search(&request)?.results.len(), 1);
    /// # drop(engine); std::fs::remove_dir_all(&dir).ok();
    /// # Ok::<(), terrace::Error>(())
    /// ```
    ///
    /// # Errors
    /// `invalid_input` when a field is outside its range; `dimension_mismatch` for a query vector of the wrong width.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse> {
        let ask = Ask::from_search(self, request, self.now())?;
        let mut watch = crate::engine::Stopwatch::start();
        let ranking = self.rank(&ask, &mut watch)?;
        let shown = self.hydrate(&ask, &ranking)?;
        let results: Vec<SearchResult> = shown
            .into_iter()
            .map(|shown| shown.note.result)
            .filter(|result| result.score >= request.threshold)
            .collect();
        Ok(SearchResponse { results, degraded: !ranking.failed.is_empty(), failed_scouts: ranking.failed })
    }
}
