//! A request, validated: what the pipeline runs on, whether it came from `retrieve`, `search` or the cache.

use crate::clock::Timestamp;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::{NamespacePattern, RetrieveRequest, SearchMode, SearchRequest, Viewer};
use crate::projection::Filter;
use crate::scouts::{PerScout, ScoutKind};
use crate::store::tasks;
use crate::text;

/// Longest query, in bytes.
const MAX_QUERY_BYTES: usize = 8 * 1024;
/// Limit up to which the pools have one depth, so that a shorter list begins a longer one.
pub(super) const STEADY_LIMIT: usize = 100;
/// Most seeds of the second wave.
const MAX_CONTEXT_NODES: usize = 1000;

/// What a ranking is for, which decides the scouts, their weights, and whether memory plays a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// `retrieve`: all seven scouts, memory.
    Retrieve,
    /// `search`: no task, no memory.
    Search(SearchMode),
}

/// A validated request.
#[derive(Clone, Debug)]
pub(crate) struct Ask<'a> {
    pub purpose: Purpose,
    pub query: &'a str,
    pub vector: Option<&'a [f32]>,
    pub viewer: Viewer,
    pub filter: Filter,
    pub limit: usize,
    pub context_nodes: usize,
    pub include_inactive: bool,
    pub diversity: f64,
    pub explain: bool,
    pub now: Timestamp,
    /// How many notes each scout proposes at most.
    pub depth: usize,
    /// How many ranked notes are kept: `limit`, unless the last place is yet to be drawn.
    pub window: Option<usize>,
}

impl<'a> Ask<'a> {
    /// Checks a retrieve.
    pub(crate) fn from_retrieve(engine: &Engine, request: &'a RetrieveRequest, now: Timestamp) -> Result<Self> {
        let task_id = engine.resolve_task_id(request.task_id.as_deref())?;
        let context_nodes = request.max_context_nodes.unwrap_or(engine.config().lcma.context_nodes);
        if context_nodes > MAX_CONTEXT_NODES {
            return Err(Error::invalid(format!(
                "expected max_context_nodes of at most {MAX_CONTEXT_NODES}, found {context_nodes}"
            )));
        }
        if !(0.0..=1.0).contains(&request.diversity) {
            return Err(Error::invalid(format!("expected a diversity from 0 to 1, found {}", request.diversity)));
        }
        let mut viewer = Viewer::anyone();
        viewer.agent_id = request.agent_id.clone();
        viewer.task_id = task_id;
        let has_task = viewer.task_id.is_some();
        let mut ask = Self {
            purpose: Purpose::Retrieve,
            query: &request.query,
            vector: request.vector.as_deref(),
            viewer,
            filter: filter(request.namespace_filter.as_deref(), &request.tags, request.path_prefix.as_deref())?,
            limit: request.limit,
            context_nodes,
            include_inactive: request.include_inactive,
            diversity: request.diversity,
            explain: request.explain,
            now,
            depth: 0,
            window: None,
        };
        ask.finish(engine, has_task)?;
        Ok(ask)
    }

    /// Checks a search.
    pub(crate) fn from_search(engine: &Engine, request: &'a SearchRequest, now: Timestamp) -> Result<Self> {
        if !(0.0..=1.0).contains(&request.threshold) {
            return Err(Error::invalid(format!("expected a threshold from 0 to 1, found {}", request.threshold)));
        }
        let mut viewer = Viewer::anyone();
        viewer.agent_id = request.agent_id.clone();
        viewer.task_id = engine.resolve_task_id(request.task_id.as_deref())?;
        let mut ask = Self {
            purpose: Purpose::Search(request.mode),
            query: &request.query,
            vector: request.vector.as_deref(),
            viewer,
            filter: filter(request.namespace_filter.as_deref(), &request.tags, request.path_prefix.as_deref())?,
            limit: request.limit,
            context_nodes: engine.config().lcma.context_nodes,
            include_inactive: request.include_inactive,
            diversity: 0.0,
            explain: false,
            now,
            depth: 0,
            window: None,
        };
        ask.finish(engine, false)?;
        Ok(ask)
    }

    fn finish(&mut self, engine: &Engine, has_task: bool) -> Result<()> {
        let lcma = &engine.config().lcma;
        if self.limit == 0 || self.limit > lcma.max_limit {
            return Err(Error::invalid(format!("expected a limit from 1 to {}, found {}", lcma.max_limit, self.limit)));
        }
        if self.query.len() > MAX_QUERY_BYTES {
            return Err(Error::invalid(format!(
                "expected a query of at most {MAX_QUERY_BYTES} bytes, found {}; ask for less at once",
                self.query.len()
            )));
        }
        let has_condition = !self.filter.tags.is_empty() || self.filter.path_prefix.is_some() || has_task;
        if text::is_blank(self.query) && self.vector.is_none() && !has_condition {
            return Err(Error::invalid(
                "the query is blank; give it words, or leave it blank together with tags, path_prefix or task_id",
            ));
        }
        let depth = lcma.pool_depth.max(STEADY_LIMIT);
        self.depth = if self.limit <= STEADY_LIMIT { depth } else { depth * self.limit / STEADY_LIMIT };
        Ok(())
    }

    /// The scouts that run.
    pub(crate) fn scouts(&self) -> &'static [ScoutKind] {
        use ScoutKind::{Graph, Lexical, Path, Recency, Tag, Vector};
        match self.purpose {
            Purpose::Retrieve => &ScoutKind::ALL,
            Purpose::Search(SearchMode::Hybrid) => &[Lexical, Vector, Graph, Tag, Path, Recency],
            Purpose::Search(SearchMode::Fulltext) => &[Lexical],
            Purpose::Search(SearchMode::Semantic) => &[Vector],
            Purpose::Search(SearchMode::Graph) => &[Lexical, Vector, Graph, Path],
        }
    }

    /// The weights in force. A search has no task context, so the others share its weight; a single-scout search is
    /// scored by that scout alone.
    pub(crate) fn weights(&self, in_force: [f32; 7]) -> PerScout<f32> {
        let mut weights = PerScout::default();
        let [.., task_context, _] = in_force;
        let others = (1.0 - task_context).max(f32::EPSILON);
        for (kind, weight) in ScoutKind::ALL.into_iter().zip(in_force) {
            *weights.get_mut(kind) = match self.purpose {
                Purpose::Search(SearchMode::Fulltext) => f32::from(u8::from(kind == ScoutKind::Lexical)),
                Purpose::Search(SearchMode::Semantic) => f32::from(u8::from(kind == ScoutKind::Vector)),
                Purpose::Search(_) if kind == ScoutKind::TaskContext => 0.0,
                Purpose::Search(_) => weight / others,
                Purpose::Retrieve => weight,
            };
        }
        weights
    }
}

fn filter(namespaces: Option<&[String]>, tags: &[String], prefix: Option<&str>) -> Result<Filter> {
    let namespaces = namespaces
        .map(|patterns| patterns.iter().map(|text| NamespacePattern::parse(text)).collect::<Result<Vec<_>>>())
        .transpose()?;
    let mut folded = Vec::with_capacity(tags.len());
    for tag in tags {
        let tag_folded = text::fold_tag(tag);
        if tag_folded.is_empty() {
            return Err(Error::invalid(format!("expected a tag to filter by, found {tag:?}; leave it out of `tags`")));
        }
        folded.push(tag_folded);
    }
    let path_prefix = prefix.map(text::normalise_prefix).transpose()?;
    Ok(Filter { namespaces, tags: folded, path_prefix })
}

impl Engine {
    /// A task id as given, or the one existing task that it begins; anything else is kept as a correlation key.
    ///
    /// Resolving by prefix shows nothing of tasks the caller does not know the beginning of.
    pub(crate) fn resolve_task_id(&self, given: Option<&str>) -> Result<Option<String>> {
        let Some(given) = given else { return Ok(None) };
        if text::is_blank(given) {
            return Err(Error::invalid("the task_id is blank; leave it out, or name the task"));
        }
        let resolved = self.store().read(|conn| tasks::resolve_prefix(conn, given))?;
        Ok(Some(resolved.unwrap_or_else(|| given.to_owned())))
    }
}
