//! Tasks, findings, and the verdicts that close the loop.

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;

/// Where a task stands: open → completed | cancelled → (reopen) open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Being worked on.
    Open,
    /// Done.
    Completed,
    /// Given up.
    Cancelled,
}

impl TaskStatus {
    /// The name in JSON and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of this name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Open, Self::Completed, Self::Cancelled].into_iter().find(|status| status.as_str() == name)
    }
}

/// What a caller says of a new task.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskDraft {
    /// Chosen by the caller; empty: made by the engine (`task_` and 12 hex digits).
    pub id: String,
    /// What is to be done, in a line.
    pub title: String,
    /// More about it.
    pub description: String,
    /// Who works on it.
    pub agent: Option<String>,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Unique in the store.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// More about it.
    pub description: String,
    /// Who works on it.
    pub agent: Option<String>,
    /// Where it stands.
    pub status: TaskStatus,
    /// What came of it.
    pub outcome: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was completed or cancelled.
    pub closed_at: Option<Timestamp>,
}

/// Something an agent found out while working on a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its number in the store.
    pub id: i64,
    /// The task.
    pub task_id: String,
    /// Who found it.
    pub agent: String,
    /// What was found.
    pub summary: String,
    /// The note that holds it.
    pub note_id: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

/// What an agent says of a note that a retrieve gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It helped.
    Cited,
    /// It led astray.
    Misleading,
    /// Neither was said of it.
    Ignored,
}

impl Verdict {
    /// The name in JSON and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cited => "cited",
            Self::Misleading => "misleading",
            Self::Ignored => "ignored",
        }
    }

    /// The verdict of this name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Cited, Self::Misleading, Self::Ignored].into_iter().find(|verdict| verdict.as_str() == name)
    }
}

/// How a task ended, and which of the retrieved notes helped.
///
/// With neither list the task just closes. With a list given, every other note of the receipt was ignored.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompletionRequest {
    /// The task; it must be open.
    pub task_id: String,
    /// Who completes it.
    pub agent: String,
    /// What came of it.
    pub outcome: Option<String>,
    /// Ids of the notes that helped.
    pub cited_nodes: Option<Vec<String>>,
    /// Ids of the notes that led astray; a note in both lists is misleading.
    pub misleading_nodes: Option<Vec<String>>,
    /// Which retrieve is meant; absent: the newest of this task and agent.
    pub receipt_id: Option<String>,
}

/// The same judgement for callers without tasks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Feedback {
    /// The retrieve that is judged.
    pub receipt_id: String,
    /// Who judges: what it may not see is not judged. Absent: the store's owner, who sees everything.
    pub agent_id: Option<String>,
    /// Ids of the notes that helped.
    pub cited: Option<Vec<String>>,
    /// Ids of the notes that led astray.
    pub misleading: Option<Vec<String>>,
}

/// Which verdicts were applied, by note id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// Notes now cited by this receipt.
    pub cited: Vec<String>,
    /// Notes now misleading by this receipt.
    pub misleading: Vec<String>,
    /// Notes ignored by this receipt.
    pub ignored: Vec<String>,
}

/// An id that feedback named and that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedNode {
    /// The id as given.
    pub id: String,
    /// Why it was left out.
    pub why: String,
}

/// What feedback did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackOutcome {
    /// Whether anything was learned from it.
    pub feedback_applied: bool,
    /// The verdicts.
    pub applied: Applied,
    /// Ids left out, each with the reason.
    pub dropped: Vec<DroppedNode>,
}

/// The answer of `complete_task`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// Always true: a failure is an error.
    pub success: bool,
    /// Tasks that waited for this one; terrace's tasks do not wait, so it is empty.
    pub unblocked: Vec<String>,
    /// What was learned.
    #[serde(flatten)]
    pub feedback: FeedbackOutcome,
}
