//! Rows that SQLite finds sound and that still do not fit what they were made from.

use rusqlite::Connection;

use super::{CheckProblem, CheckSeverity, problem};
use crate::engine::Engine;
use crate::error::Result;
use crate::model::Ordinal;
use crate::store::{notes, passages, receipts, vectors};

/// Ids that a problem names.
const NAMED: usize = 5;

/// The ids of notes with something wrong.
#[derive(Default)]
struct Faults {
    /// Their content is not what was put.
    altered: Vec<String>,
    /// They have text and no passages.
    uncut: Vec<String>,
    /// They have vectors that cannot be used.
    vectors: Vec<String>,
    /// Receipts that cannot be read.
    receipts: Vec<String>,
}

impl Engine {
    /// Reads every note, vector and receipt.
    pub(super) fn check_contents(&self) -> Result<Vec<CheckProblem>> {
        let faults = self.store.read(|conn| self.faults(conn))?;
        let kinds = [
            (
                "notes",
                faults.altered,
                "notes have a content that is not the one that was put, or was put under another `passage_chars`",
                "put them again, or index their files again; what was written past terrace is in no index",
            ),
            (
                "notes",
                faults.uncut,
                "notes have a text and no passages, so no snippets, and vectors by their titles at most",
                "put them again, or index their files again",
            ),
            (
                "vector",
                faults.vectors,
                "notes have vectors that are cut off, not finite or of the wrong width; they are left out",
                "terrace rebuild vector; where callers give the vectors, put the notes again with theirs",
            ),
            (
                "receipts",
                faults.receipts,
                "receipts cannot be read, so nothing can be learned from them",
                "restore a backup if they matter; retention removes them otherwise",
            ),
        ];
        let found = kinds.into_iter().filter(|(_, ids, _, _)| !ids.is_empty());
        Ok(found
            .map(|(check, ids, what, remedy)| {
                problem(check, CheckSeverity::Error, format!("{} {what}: {}", ids.len(), some(&ids)), remedy)
            })
            .collect())
    }

    fn faults(&self, conn: &Connection) -> Result<Faults> {
        let mut faults = Faults::default();
        let preparation = self.preparation();
        notes::for_each(conn, |ord, note, hash| {
            let expected = preparation.content_hash(&note);
            if hash != expected && hash != expected ^ notes::vector_hash(conn, ord)? {
                faults.altered.push(note.id.clone());
            }
            if !note.body.is_empty() && passages::get(conn, ord, 0)?.is_none() {
                let id = note.id.clone();
                if !preparation.analyse(note).passages.is_empty() {
                    faults.uncut.push(id);
                }
            }
            Ok(())
        })?;
        if let Some(identity) = &self.embedding.identity {
            faults.vectors = ids(conn, &vectors::unusable(conn, identity.dims)?)?;
        }
        faults.receipts = receipts::unreadable(conn, self.store.seed())?;
        Ok(faults)
    }
}

fn ids(conn: &Connection, ords: &[Ordinal]) -> Result<Vec<String>> {
    let id = |&ord: &Ordinal| Ok(notes::id_of(conn, ord)?.unwrap_or_else(|| format!("number {ord}")));
    ords.iter().map(id).collect()
}

/// The first few ids.
fn some(ids: &[String]) -> String {
    let named = ids.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    if ids.len() > NAMED { format!("{named}, …") } else { named }
}
