//! What a caller asks of retrieval.

use serde::{Deserialize, Serialize};

/// A `retrieve`: the fields and defaults of `lithos_retrieve`, with terrace's own after them.
///
/// ```
/// use terrace::RetrieveRequest;
/// let request = RetrieveRequest { tags: vec!["water".into()], limit: 5, ..RetrieveRequest::new("why is pressure low") };
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetrieveRequest {
    /// Free text, at most 8 KiB, never parsed as query syntax. Blank only together with tags, a path prefix or a task.
    pub query: String,
    /// How many results at most: 1 to 1000, default 10.
    pub limit: usize,
    /// `None`: every namespace. `[]`: none. Else the namespaces, `x/**` for x and all below.
    pub namespace_filter: Option<Vec<String>>,
    /// Who asks: also sees notes private to this agent.
    pub agent_id: Option<String>,
    /// The task being worked on: also sees its notes, fills its working memory. A unique prefix of at least
    /// 6 characters resolves; anything else is kept as a correlation key.
    pub task_id: Option<String>,
    /// Report unresolved contradictions that touch the seeds. Default false.
    pub surface_conflicts: bool,
    /// How many of the first wave's best notes seed the graph scout's second wave; default 10.
    pub max_context_nodes: Option<usize>,
    /// Notes must carry all of them; `a` admits `a/b`. Empty: no filter.
    #[serde(deserialize_with = "super::null::or_default")]
    pub tags: Vec<String>,
    /// Whole path segments: `proj` admits `proj/x.md` and `proj.md`.
    pub path_prefix: Option<String>,
    /// Also retrieve rejected, superseded and stale knowledge. Default false.
    pub include_inactive: bool,
    /// Full MMR strength, 0 (default: near-duplicate demotion only) to 1. It costs relevance.
    pub diversity: f64,
    /// Add per-scout scores, weights and every rerank factor to each result. Default false.
    pub explain: bool,
    /// The query's vector, for stores whose vectors the caller supplies.
    pub vector: Option<Vec<f32>>,
}

impl Default for RetrieveRequest {
    fn default() -> Self {
        Self {
            query: String::new(),
            limit: 10,
            namespace_filter: None,
            agent_id: None,
            task_id: None,
            surface_conflicts: false,
            max_context_nodes: None,
            tags: Vec::new(),
            path_prefix: None,
            include_inactive: false,
            diversity: 0.0,
            explain: false,
            vector: None,
        }
    }
}

impl RetrieveRequest {
    /// A request for the ten best notes with every default.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), ..Self::default() }
    }
}

/// How `search` looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// Everything that retrieve uses but task, feedback and statistics. The default.
    #[default]
    Hybrid,
    /// Words alone.
    Fulltext,
    /// Vectors alone.
    Semantic,
    /// The graph from the notes that the query names or matches.
    Graph,
}

impl std::str::FromStr for SearchMode {
    type Err = crate::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "hybrid" => Ok(Self::Hybrid),
            "fulltext" => Ok(Self::Fulltext),
            "semantic" => Ok(Self::Semantic),
            "graph" => Ok(Self::Graph),
            other => Err(crate::Error::InvalidMode(other.to_owned())),
        }
    }
}

/// A `search`: no receipt, no statistics, also on a read-only store.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// As in [`RetrieveRequest::query`].
    pub query: String,
    /// How many results at most: 1 to 1000, default 10.
    pub limit: usize,
    /// How to look.
    pub mode: SearchMode,
    /// Results below this score are left out; 0 to 1, default 0.
    pub threshold: f64,
    /// As in [`RetrieveRequest::namespace_filter`].
    pub namespace_filter: Option<Vec<String>>,
    /// As in [`RetrieveRequest::agent_id`].
    pub agent_id: Option<String>,
    /// Who may be seen only; searching fills no working memory.
    pub task_id: Option<String>,
    /// As in [`RetrieveRequest::tags`].
    #[serde(deserialize_with = "super::null::or_default")]
    pub tags: Vec<String>,
    /// As in [`RetrieveRequest::path_prefix`].
    pub path_prefix: Option<String>,
    /// As in [`RetrieveRequest::include_inactive`].
    pub include_inactive: bool,
    /// As in [`RetrieveRequest::vector`].
    pub vector: Option<Vec<f32>>,
}

impl Default for SearchRequest {
    fn default() -> Self {
        Self {
            query: String::new(),
            limit: 10,
            mode: SearchMode::Hybrid,
            threshold: 0.0,
            namespace_filter: None,
            agent_id: None,
            task_id: None,
            tags: Vec::new(),
            path_prefix: None,
            include_inactive: false,
            vector: None,
        }
    }
}

impl SearchRequest {
    /// A hybrid search for the ten best notes.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), ..Self::default() }
    }
}
