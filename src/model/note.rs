//! The note: what a store holds.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::clock::Timestamp;

/// Who may see a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessScope {
    /// Everyone. The default.
    #[default]
    Shared,
    /// Callers whose task is the note's `source`.
    Task,
    /// The caller whose `agent_id` is the note's `author`.
    AgentPrivate,
}

/// Where a note stands. Only [`Status::Active`], [`Status::Proposed`] and [`Status::Accepted`] are retrieved by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// In use. The default.
    #[default]
    Active,
    /// Knowledge that awaits a decision.
    Proposed,
    /// Knowledge that a decision accepted; it outranks proposed knowledge at equal evidence.
    Accepted,
    /// Knowledge that a decision refused; retrieved only with `include_inactive`.
    Rejected,
    /// Replaced by another note; retrieved only with `include_inactive`.
    Superseded,
    /// Knowledge whose ground has gone; retrieved only with `include_inactive`.
    Stale,
    /// Put away: never retrieved.
    Archived,
    /// Kept out because it misled: never retrieved.
    Quarantined,
}

impl Status {
    /// Every status, in the order of this enum.
    pub const ALL: [Self; 8] = [
        Self::Active,
        Self::Proposed,
        Self::Accepted,
        Self::Rejected,
        Self::Superseded,
        Self::Stale,
        Self::Archived,
        Self::Quarantined,
    ];

    /// The name in JSON and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Proposed => "proposed",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Superseded => "superseded",
            Self::Stale => "stale",
            Self::Archived => "archived",
            Self::Quarantined => "quarantined",
        }
    }

    /// The status of this name, exactly as [`Status::as_str`] writes it.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

impl AccessScope {
    /// The name in JSON and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Task => "task",
            Self::AgentPrivate => "agent_private",
        }
    }

    /// The access scope of this name, exactly as [`AccessScope::as_str`] writes it.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Shared, Self::Task, Self::AgentPrivate].into_iter().find(|scope| scope.as_str() == name)
    }
}

/// One note. Every field comes back from [`Engine::get`](crate::Engine::get) as it was put.
///
/// An empty `id` asks the engine to make one; absent times are filled from the engine's clock at `put`.
///
/// ```
/// use terrace::Note;
/// let note = Note { tags: vec!["water/pump".into()], ..Note::new("Priming the pump", "Open valve B first.") };
/// assert_eq!(note.namespace, "default");
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// Unique in the store. Empty in a `put`: made by the engine. At most 512 bytes.
    #[serde(alias = "_id")]
    pub id: String,
    /// What the note is called. Any text, also empty; never used as a file name.
    pub title: String,
    /// Markdown or plain text, kept byte for byte.
    #[serde(alias = "text", alias = "content")]
    pub body: String,
    /// Where it lives, relative, segments by `/`, normalised at `put` (`a/./b` becomes `a/b`).
    pub path: Option<String>,
    /// The branch of the tree it belongs to, `default` unless given: `project/lithos`.
    pub namespace: String,
    /// Tags as the author wrote them; compared without regard to case. `a/b` lies below `a`.
    pub tags: Vec<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// Targets of its links, as written: a path, a title, an alias or an id.
    pub links: Vec<String>,
    /// What kind of note it is; any word, `note` unless given.
    #[serde(rename = "type", alias = "note_type")]
    pub note_type: String,
    /// Where it stands.
    pub status: Status,
    /// Who may see it.
    pub access_scope: AccessScope,
    /// Who wrote it: an agent's or a person's id.
    pub author: Option<String>,
    /// What it came from: the id of the task that made it, or any text.
    pub source: Option<String>,
    /// The page it was taken from.
    pub source_url: Option<String>,
    /// How sure its author is, 0 to 1. Absent counts as 1.
    pub confidence: Option<f64>,
    /// When it was made. Absent in a `put`: kept from the note it replaces, else now.
    pub created_at: Option<Timestamp>,
    /// When it last changed. Absent in a `put`: now.
    pub updated_at: Option<Timestamp>,
    /// When it stops being fresh; it is stale from then on, and still retrieved.
    pub expires_at: Option<Timestamp>,
    /// Ids of the notes it was derived from; they need not exist.
    pub derived_from_ids: Vec<String>,
    /// Id of the note it replaces; it need not exist.
    pub supersedes: Option<String>,
    /// Its stable key inside its scope; having one makes it part of scope bundles.
    pub key: Option<String>,
    /// Any JSON, kept as the text that was given.
    pub metadata: Option<Box<RawValue>>,
}

impl Default for Note {
    fn default() -> Self {
        Self::new("", "")
    }
}

impl Note {
    /// A shared, active note in namespace `default` with everything else absent.
    pub fn new(title: impl Into<String>, body: impl Into<String>) -> Self {
        Self {
            id: String::new(),
            title: title.into(),
            body: body.into(),
            path: None,
            namespace: "default".into(),
            tags: Vec::new(),
            aliases: Vec::new(),
            links: Vec::new(),
            note_type: "note".into(),
            status: Status::Active,
            access_scope: AccessScope::Shared,
            author: None,
            source: None,
            source_url: None,
            confidence: None,
            created_at: None,
            updated_at: None,
            expires_at: None,
            derived_from_ids: Vec::new(),
            supersedes: None,
            key: None,
            metadata: None,
        }
    }

    /// The same note under an id of the caller's choice.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }
}

/// Equality of what is stored: metadata by its text.
impl PartialEq for Note {
    fn eq(&self, other: &Self) -> bool {
        let metadata = |note: &Self| note.metadata.as_ref().map(|raw| raw.get().to_owned());
        self.id == other.id
            && self.title == other.title
            && self.body == other.body
            && self.path == other.path
            && self.namespace == other.namespace
            && self.tags == other.tags
            && self.aliases == other.aliases
            && self.links == other.links
            && self.note_type == other.note_type
            && self.status == other.status
            && self.access_scope == other.access_scope
            && self.author == other.author
            && self.source == other.source
            && self.source_url == other.source_url
            && self.confidence == other.confidence
            && self.created_at == other.created_at
            && self.updated_at == other.updated_at
            && self.expires_at == other.expires_at
            && self.derived_from_ids == other.derived_from_ids
            && self.supersedes == other.supersedes
            && self.key == other.key
            && metadata(self) == metadata(other)
    }
}
