//! The one error type. Every message says what was expected, what was found and what to do next.

use serde::ser::{Serialize, SerializeStruct, Serializer};

/// The result of every fallible call in terrace.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, apart by who can mend it: the caller, the store's owner, or the machine.
///
/// [`Error::code`] is the stable name of the kind; as JSON an error is
/// `{"status":"error","code":…,"message":…}`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is outside its documented range. Nothing was changed.
    #[error("{0}")]
    InvalidInput(String),
    /// No note has this id, or the caller cannot see it.
    #[error("no note {0:?} is visible to this caller; check the id, or put the note first")]
    DocNotFound(String),
    /// No task has this id, or it is not in the state the call needs.
    #[error("{0}")]
    TaskNotFound(String),
    /// No receipt has this id, or it does not belong to the task it was named for.
    #[error("no receipt {0:?} that fits this call; use the receipt_id that a retrieve returned")]
    ReceiptNotFound(String),
    /// `search` was asked for a mode it does not have.
    #[error("unknown search mode {0:?}; expected hybrid, fulltext, semantic or graph")]
    InvalidMode(String),
    /// Something other than a note, task or receipt does not exist.
    #[error("{0}")]
    NotFound(String),
    /// Cognitive retrieval is switched off in the configuration.
    #[error("retrieve is off: `lcma.enabled` is false in the configuration; set it to true, or use search")]
    LcmaDisabled,
    /// A search backend failed; the store itself is intact.
    #[error("a search backend failed: {0}; `terrace rebuild all` makes the indexes anew from the store")]
    SearchBackend(String),
    /// Another process owns the store.
    #[error("the store {path} is open in {owner}; close it there, or open this one read-only")]
    Locked {
        /// The store's directory.
        path: String,
        /// `process <pid>` where the lock file says it, else `another process`.
        owner: String,
    },
    /// A write was asked of a store opened read-only.
    #[error("{0} needs a writable store, and this one was opened read-only; `search` works on it")]
    ReadOnly(&'static str),
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// The store's files contradict themselves.
    #[error("the store is damaged: {0}")]
    Corrupt(String),
    /// A vector's width is not the store's.
    #[error(
        "vector has {got} dimensions, the store's embedder {embedder:?} has {expected}; embed with that model, or index into a new store"
    )]
    DimensionMismatch {
        /// The width stored with the store.
        expected: usize,
        /// The width that was given.
        got: usize,
        /// The stored embedder's name.
        embedder: String,
    },
    /// What the call was based on has changed meanwhile, or two names collide.
    #[error("{0}")]
    Conflict(String),
    /// terrace cannot do this with this input or build.
    #[error("{0}")]
    Unsupported(String),
    /// The store was written by another release.
    #[error(
        "the store has format {found}, this release reads up to {supported}; nothing was changed; use a release that knows format {found}"
    )]
    UnsupportedVersion {
        /// The format found.
        found: i64,
        /// The newest format this release reads.
        supported: i64,
    },
    /// The operating system refused a file operation.
    #[error("{what}: {source}")]
    Io {
        /// What was being done, with the path.
        what: String,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// SQLite refused an operation.
    #[error("SQLite failed: {0}; run `terrace check`")]
    Sqlite(#[from] rusqlite::Error),
}

impl Error {
    /// The stable name of this kind of error, as it stands in JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidInput(_) => "invalid_input",
            Self::DocNotFound(_) => "doc_not_found",
            Self::TaskNotFound(_) => "task_not_found",
            Self::ReceiptNotFound(_) => "receipt_not_found",
            Self::InvalidMode(_) => "invalid_mode",
            Self::NotFound(_) => "not_found",
            Self::LcmaDisabled => "lcma_disabled",
            Self::SearchBackend(_) => "search_backend_error",
            Self::Locked { .. } => "locked",
            Self::ReadOnly(_) => "read_only",
            Self::Forbidden(_) => "forbidden",
            Self::Corrupt(_) => "corrupt",
            Self::DimensionMismatch { .. } => "dimension_mismatch",
            Self::Conflict(_) => "conflict",
            Self::Unsupported(_) => "unsupported",
            Self::UnsupportedVersion { .. } => "unsupported_version",
            Self::Io { .. } => "io",
            Self::Sqlite(error) => sqlite_code(error),
        }
    }

    /// An [`Error::InvalidInput`] from anything that reads as a message.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::InvalidInput(message.into())
    }

    /// An [`Error::TaskNotFound`] about an id that stands for no task.
    pub(crate) fn no_task(id: &str) -> Self {
        Self::TaskNotFound(format!("there is no task {id:?}; list the tasks to find its id, or create it"))
    }

    /// An [`Error::Io`] that names what was being done.
    pub fn io(what: impl Into<String>, source: std::io::Error) -> Self {
        Self::Io { what: what.into(), source }
    }
}

fn sqlite_code(error: &rusqlite::Error) -> &'static str {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase, PermissionDenied, ReadOnly,
        SystemIoFailure,
    };
    match error.sqlite_error_code() {
        Some(DatabaseBusy | DatabaseLocked) => "locked",
        Some(DatabaseCorrupt | NotADatabase) => "corrupt",
        Some(CannotOpen | DiskFull | SystemIoFailure | PermissionDenied) => "io",
        Some(ReadOnly) => "read_only",
        _ => "search_backend_error",
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Error", 3)?;
        out.serialize_field("status", "error")?;
        out.serialize_field("code", self.code())?;
        out.serialize_field("message", &self.to_string())?;
        out.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_serialises_as_the_reference_envelope() {
        let json = serde_json::to_value(Error::DocNotFound("x".into())).unwrap();
        assert_eq!(json["status"], "error");
        assert_eq!(json["code"], "doc_not_found");
        assert!(json["message"].as_str().unwrap().contains("\"x\""));
    }
}
