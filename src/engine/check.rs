//! Looking for damage: in SQLite's file, and between the store and what is projected from it.

mod contents;

use serde::{Deserialize, Serialize};

use super::Engine;
use crate::error::Result;
use crate::store::vectors;

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckSeverity {
    /// Answers are poorer than they could be, and none is wrong.
    Warning,
    /// Something is damaged.
    Error,
}

impl CheckSeverity {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Something that a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckProblem {
    /// Which check: `sqlite`, `catalog`, `graph`, `vector`, `lexical`, `notes` or `receipts`.
    pub check: String,
    /// How much it matters.
    pub severity: CheckSeverity,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

/// What [`Engine::check`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// In the order of the checks; empty when all is well.
    pub problems: Vec<CheckProblem>,
}

impl Engine {
    /// Checks SQLite's file, the bytes of the lexical index, that every projection is at the store's sequence, and that the
    /// rows of notes, passages, vectors and receipts fit each other.
    /// Changes nothing; but what opening the store found damaged and made anew is reported. The time it takes grows with
    /// the size of the files.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("terrace-doc-check-{}", std::process::id()));
    /// let engine = terrace::Engine::open(&dir, terrace::Config::default())?;
    /// assert!(engine.check()?.problems.is_empty());
    /// # drop(engine); std::fs::remove_dir_all(&dir).ok();
    /// # Ok::<(), terrace::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLite's own, where the file is too damaged to be checked.
    pub fn check(&self) -> Result<CheckReport> {
        let mut problems = Vec::new();
        for what in self.store.integrity_check()? {
            let remedy = "copy the store's directory, then restore a backup, or index the sources into a new store";
            problems.push(problem("sqlite", CheckSeverity::Error, what, remedy));
        }
        problems.extend(self.mended.as_deref().map(|why| self.mended_at_open(why)));
        for state in self.projections()? {
            let remedy = match state.name.as_str() {
                "lexical" => "terrace rebuild lexical",
                "vector" => "terrace rebuild vector",
                _ => "open the store again: it is read anew from its rows",
            };
            for what in state.problems {
                problems.push(problem(&state.name, CheckSeverity::Error, what, remedy));
            }
        }
        problems.extend(self.check_contents()?);
        if self.embedding.identity.is_some() {
            let missing = self.store.read(vectors::missing)?.len();
            if missing > 0 {
                let what = format!("{missing} notes have passages and no vectors; the vector scout cannot find them");
                let remedy = "open the store with the embedder it was made with; the notes are embedded then";
                problems.push(problem("vector", CheckSeverity::Warning, what, remedy));
            }
        }
        Ok(CheckReport { problems })
    }

    fn mended_at_open(&self, why: &str) -> CheckProblem {
        let (done, remedy) = if self.store.is_read_only() {
            ("this process reads one of its own", "run it again where the store can be written to; it is mended then")
        } else {
            ("it was made anew from the store's notes at open", "nothing to do; if it comes back, look at the disk")
        };
        problem("lexical", CheckSeverity::Warning, format!("the index was damaged ({why}); {done}"), remedy)
    }
}

fn problem(check: &str, severity: CheckSeverity, what: String, remedy: &str) -> CheckProblem {
    CheckProblem { check: check.to_owned(), severity, what, remedy: remedy.to_owned() }
}
