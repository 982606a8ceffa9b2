//! The projections as things of their own: committing and rebuilding.

use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use super::Engine;
use super::open::{load_snapshot, rebuild_lexical};
use super::sources::Words;
use crate::error::{Error, Result};
use crate::model::Ordinal;
use crate::projection::Eligible;
use crate::scouts::LexicalSource;
use crate::store::{changes, notes, vectors};
use crate::text::QueryTerm;

/// Notes embedded per transaction of a rebuild.
const SLICE: usize = 256;

/// What state a projection is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectionState {
    /// `catalog`, `graph`, `vector` or `lexical`.
    pub name: String,
    /// The change it has reached.
    pub sequence: u64,
    /// Notes (for `vector`: passages; for `graph`: links and edges are those of its notes) that it holds.
    pub entries: u64,
    /// What is wrong with it; empty when it is sound and at the store's sequence.
    pub problems: Vec<String>,
}

impl Engine {
    /// Commits what the lexical index has taken, so that the next search finds it; makes it anew when it failed.
    pub(super) fn commit_lexical(&self) -> Result<()> {
        if self.store.is_read_only() {
            return Ok(());
        }
        if self.lexical_broken.load(Ordering::SeqCst) {
            return self.rebuild_lexical_index();
        }
        let handed = self.lexical_handed.load(Ordering::SeqCst);
        if self.lexical.pending() > 0 { self.lexical.commit(handed) } else { Ok(()) }
    }

    fn rebuild_lexical_index(&self) -> Result<()> {
        let _gate = self.gate.lock();
        let latest = self.store.read(changes::latest)?;
        rebuild_lexical(&self.store, &self.lexical, latest)?;
        self.lexical_handed.store(latest, Ordering::SeqCst);
        self.lexical_broken.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// The words to search, or, where they could not be brought up to date, what says so.
    pub(super) fn words(&self, state: Result<()>) -> Box<dyn LexicalSource + '_> {
        match state {
            Ok(()) => Box::new(Words(&self.lexical)),
            Err(error) => Box::new(Broken(error.to_string())),
        }
    }

    /// The projections and how far they have come.
    ///
    /// Every file of the lexical index is read and compared with its checksum; writes wait meanwhile.
    ///
    /// # Errors
    /// SQLite's own.
    pub fn projections(&self) -> Result<Vec<ProjectionState>> {
        let _gate = self.gate.lock();
        let snapshot = self.snapshot();
        let latest = self.store.read(changes::latest)?;
        let behind = |sequence: u64| {
            if sequence == latest {
                Vec::new()
            } else {
                vec![format!("at change {sequence}, the store is at {latest}")]
            }
        };
        let held = u64::from(snapshot.catalog.len());
        // What it was handed, not what it committed: a change that leaves a note's words alone, as a rename does, is not
        // worth a commit.
        let lexical_at = self.lexical_handed.load(Ordering::SeqCst);
        let mut lexical_problems = self.lexical.verify()?;
        if lexical_at < latest {
            lexical_problems.extend(behind(lexical_at));
        }
        let state = |name: &str, entries, problems| ProjectionState {
            name: name.to_owned(),
            sequence: snapshot.seq,
            entries,
            problems,
        };
        let passages = snapshot.vectors.as_ref().map_or(0, |index| index.rows() as u64);
        Ok(vec![
            state("catalog", held, behind(snapshot.seq)),
            state("graph", held, behind(snapshot.seq)),
            state("vector", passages, behind(snapshot.seq)),
            ProjectionState {
                name: "lexical".to_owned(),
                sequence: lexical_at,
                entries: self.lexical.num_docs(),
                problems: lexical_problems,
            },
        ])
    }

    /// Makes a projection anew from the store: `lexical`, `vector` (embedding, where an embedder is at hand, the notes
    /// whose vectors are missing or unusable; a vector graph that is wanted is built before it returns), or `all`.
    ///
    /// # Errors
    /// `invalid_input` for another name; `read_only`; an embedder's own error.
    pub fn rebuild(&self, projection: &str) -> Result<()> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("rebuild"));
        }
        match projection {
            "lexical" => self.rebuild_lexical_index(),
            "vector" => self.rebuild_vectors(),
            "all" => {
                self.rebuild_lexical_index()?;
                self.rebuild_vectors()
            }
            other => Err(Error::invalid(format!("expected a projection (lexical, vector or all), found {other:?}"))),
        }
    }

    fn rebuild_vectors(&self) -> Result<()> {
        self.embed_missing()?;
        if let Some(identity) = &self.embedding.identity {
            let unusable = self.store.read(|conn| vectors::unusable(conn, identity.dims))?;
            self.embed_notes(&unusable)?;
        }
        let gate = self.gate.lock();
        let next = self.store.read(|conn| load_snapshot(conn, &self.embedding))?;
        self.publish(next);
        drop(gate);
        self.graphs.build();
        Ok(())
    }

    /// Embeds notes that were written while the embedder was not at hand.
    pub(super) fn embed_missing(&self) -> Result<()> {
        if self.embedding.embedder.is_none() {
            return Ok(());
        }
        let missing = self.store.read(vectors::missing)?;
        if missing.is_empty() {
            return Ok(());
        }
        tracing::info!(notes = missing.len(), "embedding notes that have no vectors yet");
        self.embed_notes(&missing)
    }

    fn embed_notes(&self, ords: &[Ordinal]) -> Result<()> {
        let Some(embedder) = self.embedding.embedder.as_ref() else { return Ok(()) };
        let preparation = self.preparation();
        for slice in ords.chunks(SLICE) {
            let _gate = self.gate.lock();
            let mut embedded = Vec::with_capacity(slice.len());
            for &ord in slice {
                let Some(note) = self.store.read(|conn| notes::by_ord(conn, ord))? else { continue };
                let prepared = preparation.analyse(note);
                embedded.push((ord, preparation.embed(embedder, &prepared)?));
            }
            self.store.write(|conn| embedded.iter().try_for_each(|(ord, rows)| vectors::put(conn, *ord, rows)))?;
            let mut next = (*self.snapshot()).clone();
            if let Some(index) = &mut next.vectors {
                for (ord, rows) in &embedded {
                    index.insert(*ord, rows)?;
                }
            }
            self.publish(next);
        }
        Ok(())
    }
}

/// Stands in for an index that could not be brought up to date.
struct Broken(String);

impl LexicalSource for Broken {
    fn search(
        &self,
        _: &[QueryTerm],
        _: &Eligible,
        _: usize,
        _: &dyn Fn(Ordinal, Ordinal) -> std::cmp::Ordering,
    ) -> Result<Vec<(Ordinal, f32)>> {
        Err(Error::SearchBackend(self.0.clone()))
    }

    fn idf_sum(&self, _: &[QueryTerm]) -> Result<f32> {
        Err(Error::SearchBackend(self.0.clone()))
    }
}
