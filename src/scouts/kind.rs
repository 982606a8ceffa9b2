//! The seven names, in the order in which receipts and results list them.

/// Which scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ScoutKind {
    Lexical,
    Vector,
    Graph,
    Tag,
    Path,
    TaskContext,
    Recency,
}

impl ScoutKind {
    /// All seven, in canonical order.
    pub(crate) const ALL: [Self; 7] =
        [Self::Lexical, Self::Vector, Self::Graph, Self::Tag, Self::Path, Self::TaskContext, Self::Recency];

    /// The canonical name in receipts and results.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Lexical => "scout_lexical",
            Self::Vector => "scout_vector",
            Self::Graph => "scout_graph",
            Self::Tag => "scout_tag",
            Self::Path => "scout_path",
            Self::TaskContext => "scout_task_context",
            Self::Recency => "scout_recency",
        }
    }
}

/// One value per scout, addressed without an index that could fail.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PerScout<T> {
    pub lexical: T,
    pub vector: T,
    pub graph: T,
    pub tag: T,
    pub path: T,
    pub task_context: T,
    pub recency: T,
}

impl<T> PerScout<T> {
    pub(crate) fn get(&self, kind: ScoutKind) -> &T {
        match kind {
            ScoutKind::Lexical => &self.lexical,
            ScoutKind::Vector => &self.vector,
            ScoutKind::Graph => &self.graph,
            ScoutKind::Tag => &self.tag,
            ScoutKind::Path => &self.path,
            ScoutKind::TaskContext => &self.task_context,
            ScoutKind::Recency => &self.recency,
        }
    }

    pub(crate) fn get_mut(&mut self, kind: ScoutKind) -> &mut T {
        match kind {
            ScoutKind::Lexical => &mut self.lexical,
            ScoutKind::Vector => &mut self.vector,
            ScoutKind::Graph => &mut self.graph,
            ScoutKind::Tag => &mut self.tag,
            ScoutKind::Path => &mut self.path,
            ScoutKind::TaskContext => &mut self.task_context,
            ScoutKind::Recency => &mut self.recency,
        }
    }

    /// Scout and value, in canonical order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ScoutKind, &T)> {
        ScoutKind::ALL.into_iter().map(|kind| (kind, self.get(kind)))
    }
}
