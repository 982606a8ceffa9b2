//! Writing notes: the store first, in one transaction, then every projection, then the snapshot that readers see.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::Engine;
use super::prepare::{Preparation, Prepared, Vectors, validate};
use super::snapshot::SnapshotNote;
use crate::error::{Error, Result};
use crate::model::{Note, Ordinal};
use crate::store::{derived, ids, notes, passages, vectors};
use crate::text;

/// Notes per transaction of a bulk write: about 10 ms, so that a receipt never waits long for the writer.
const SLICE: usize = 128;
/// Notes analysed and embedded at a time.
const PREPARE: usize = 4_096;

impl Engine {
    /// Writes a note, replacing the one of the same id, and answers its id. The next retrieve finds it.
    ///
    /// # Errors
    /// `invalid_input` when a field is outside its range; `read_only`; an embedder's own error. Nothing is written then.
    pub fn put(&self, note: Note) -> Result<String> {
        self.put_all(vec![(note, None)]).map(|mut ids| ids.pop().unwrap_or_default())
    }

    /// Writes a note with the caller's vector in place of the embedder's.
    ///
    /// # Errors
    /// As [`Engine::put`]; `invalid_input` for a vector with a component that is not finite, `dimension_mismatch` for
    /// one of the wrong width. A vector of zeros is no vector.
    pub fn put_with_vector(&self, note: Note, vector: Vec<f32>) -> Result<String> {
        self.put_all(vec![(note, Some(vector))]).map(|mut ids| ids.pop().unwrap_or_default())
    }

    /// Writes many notes and answers their ids in order. All are checked before the first is written; they are then
    /// written in slices, each whole, and a death between two slices keeps the earlier ones.
    ///
    /// # Errors
    /// As [`Engine::put`], naming the note; nothing is written when a check fails.
    pub fn put_many(&self, notes: Vec<Note>) -> Result<Vec<String>> {
        self.put_all(notes.into_iter().map(|note| (note, None)).collect())
    }

    /// [`Engine::put_many`] with a vector for some or all notes.
    ///
    /// # Errors
    /// As [`Engine::put_with_vector`].
    pub fn put_many_with_vectors(&self, notes: Vec<(Note, Option<Vec<f32>>)>) -> Result<Vec<String>> {
        self.put_all(notes)
    }

    fn put_all(&self, notes: Vec<(Note, Option<Vec<f32>>)>) -> Result<Vec<String>> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("put"));
        }
        let mut valid = Vec::with_capacity(notes.len());
        for (note, vector) in notes {
            valid.push((validate(note)?, vector));
        }
        self.check_vectors(&valid)?;
        let mut ids = Vec::with_capacity(valid.len());
        let mut rest = valid.into_iter();
        loop {
            let chunk: Vec<_> = rest.by_ref().take(PREPARE).collect();
            if chunk.is_empty() {
                return Ok(ids);
            }
            let prepared = self.prepare_all(chunk)?;
            let mut rest = prepared.into_iter();
            loop {
                let slice: Vec<Prepared> = rest.by_ref().take(SLICE).collect();
                if slice.is_empty() {
                    break;
                }
                ids.extend(self.write_slice(slice)?);
            }
        }
    }

    fn check_vectors(&self, notes: &[(Note, Option<Vec<f32>>)]) -> Result<()> {
        for vector in notes.iter().filter_map(|(_, vector)| vector.as_deref()) {
            match &self.embedding.identity {
                Some(identity) => crate::embed::check_vector(vector, identity).map(|_| ())?,
                None => {
                    return Err(Error::invalid(
                        "this store has no vectors, and a note came with one; open a new store with EmbedderChoice::Supplied",
                    ));
                }
            }
        }
        Ok(())
    }

    fn prepare_all(&self, notes: Vec<(Note, Option<Vec<f32>>)>) -> Result<Vec<Prepared>> {
        let preparation = self.preparation();
        let stored_hash = |id: &str| self.store.read(|conn| notes::content_hash(conn, id));
        let prepare =
            |(note, vector): (Note, Option<Vec<f32>>)| preparation.prepare(note, vector.as_deref(), stored_hash);
        if notes.len() < 8 {
            notes.into_iter().map(prepare).collect()
        } else {
            notes.into_par_iter().map(prepare).collect()
        }
    }

    pub(super) fn preparation(&self) -> Preparation<'_> {
        Preparation {
            embedder: self.embedding.embedder.as_ref(),
            identity: self.embedding.identity.as_ref(),
            vector: &self.config.vector,
        }
    }

    /// One slice: one transaction, then the projections.
    fn write_slice(&self, mut slice: Vec<Prepared>) -> Result<Vec<String>> {
        let now = self.now();
        let _gate = self.gate.lock();
        let rows = self.store.write(|conn| {
            let mut rows = Vec::with_capacity(slice.len());
            for prepared in &mut slice {
                if prepared.note.id.is_empty() {
                    prepared.note.id = ids::next(conn, ids::Kind::Note)?;
                }
                let replaced = notes::created_at(conn, &prepared.note.id)?;
                prepared.fill_times(replaced, now);
                self.embed_if_changed(conn, prepared)?;
                rows.push(write_rows(conn, prepared)?);
            }
            Ok(rows)
        })?;
        let seq = rows.iter().map(|row| row.seq).max().unwrap_or_default();
        let mut indexed = Ok(());
        for (prepared, row) in slice.iter().zip(&rows) {
            indexed = indexed.and_then(|()| self.lexical.upsert(prepared.lexical(row.ord)));
        }
        self.lexical_took(seq, indexed);
        // A note that came twice in one slice is as its last one.
        let mut last: std::collections::BTreeMap<Ordinal, SnapshotNote> = std::collections::BTreeMap::new();
        let mut ids = Vec::with_capacity(slice.len());
        for (prepared, row) in slice.into_iter().zip(&rows) {
            ids.push(prepared.note.id.clone());
            let note = SnapshotNote {
                entry: prepared.entry(row.ord),
                declared: prepared.declared(),
                // None in the store now means none here: a note put again without its vector has lost it.
                vectors: match prepared.vectors {
                    Vectors::New(rows) => Some(rows),
                    Vectors::None => Some(Vec::new()),
                    Vectors::Kept => None,
                },
            };
            last.insert(row.ord, note);
        }
        let mut next = (*self.snapshot()).clone();
        next.put(last.into_values().collect());
        next.seq = seq;
        self.publish(next);
        Ok(ids)
    }

    /// Vectors that were to be kept are made after all when the note was written over since it was prepared.
    fn embed_if_changed(&self, conn: &rusqlite::Connection, prepared: &mut Prepared) -> Result<()> {
        let unchanged = || Ok::<_, Error>(notes::content_hash(conn, &prepared.note.id)? == Some(prepared.content_hash));
        if prepared.vectors != Vectors::Kept || unchanged()? {
            return Ok(());
        }
        prepared.vectors = match &self.embedding.embedder {
            Some(embedder) => Vectors::New(self.preparation().embed(embedder, prepared)?),
            None => Vectors::None,
        };
        Ok(())
    }

    /// Deletes a note with its statistics, edges and vectors. Receipts keep its id.
    ///
    /// # Errors
    /// `doc_not_found`; `read_only`.
    pub fn delete(&self, id: &str) -> Result<()> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("delete"));
        }
        let _gate = self.gate.lock();
        let missing = || Error::DocNotFound(id.to_owned());
        let ord = self.snapshot().catalog.ord(id).ok_or_else(missing)?;
        let seq = self.store.write(|conn| notes::delete(conn, ord))?.ok_or_else(missing)?;
        self.lexical_took(seq, self.lexical.delete(ord));
        let mut next = (*self.snapshot()).clone();
        next.remove(ord);
        next.seq = seq;
        self.publish(next);
        self.memory.forget(ord);
        Ok(())
    }

    /// Moves a note to another path; id, statistics, edges and vectors stay. Its `updated_at` stays too: what it says
    /// has not changed.
    ///
    /// # Errors
    /// `doc_not_found`; `invalid_input` for a path that is absolute or leaves the root; `read_only`.
    pub fn rename(&self, id: &str, path: &str) -> Result<()> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("rename"));
        }
        let path = text::normalise_path(path)?;
        let _gate = self.gate.lock();
        let missing = || Error::DocNotFound(id.to_owned());
        let ord = self.snapshot().catalog.ord(id).ok_or_else(missing)?;
        let (note, seq) = self.store.write(|conn| {
            let before = notes::by_ord(conn, ord)?.ok_or_else(missing)?;
            let updated_at = before.updated_at.unwrap_or_else(|| self.now());
            let seq = notes::set_path(conn, ord, Some(&path), updated_at)?.ok_or_else(missing)?;
            Ok((crate::model::Note { path: Some(path.clone()), ..before }, seq))
        })?;
        self.refresh(ord, note, seq);
        Ok(())
    }

    /// Puts a note's changed columns into the snapshot; its text and vectors stay.
    pub(super) fn refresh(&self, ord: Ordinal, note: Note, seq: u64) {
        let prepared = self.preparation().analyse(note);
        let mut next = (*self.snapshot()).clone();
        next.put(vec![SnapshotNote { entry: prepared.entry(ord), declared: prepared.declared(), vectors: None }]);
        next.seq = seq;
        self.lexical_took(seq, Ok(()));
        self.publish(next);
    }

    /// Notes that everything up to `seq` was handed to the lexical index; or that it failed, so that it is made anew
    /// before the next search.
    pub(super) fn lexical_took(&self, seq: u64, outcome: Result<()>) {
        match outcome {
            Ok(()) => {
                self.lexical_handed.fetch_max(seq, Ordering::SeqCst);
            }
            Err(error) => {
                tracing::error!(%error, "the lexical index did not take a note; it is made anew");
                self.lexical_broken.store(true, Ordering::SeqCst);
            }
        }
    }
}

/// Every row of one note.
pub(super) fn write_rows(conn: &rusqlite::Connection, prepared: &Prepared) -> Result<notes::PutRow> {
    let row = notes::put(conn, &prepared.note, prepared.content_hash)?;
    if let Some(hash) = prepared.vector_hash {
        notes::set_vector_hash(conn, row.ord, hash)?;
    }
    let texts: Vec<&str> = prepared.passages.iter().map(String::as_str).collect();
    passages::put(conn, row.ord, &texts)?;
    match &prepared.vectors {
        Vectors::New(rows) => vectors::put(conn, row.ord, rows)?,
        Vectors::None => vectors::delete(conn, row.ord)?,
        Vectors::Kept => {}
    }
    let links = serde_json::to_string(&prepared.declared())
        .map_err(|error| Error::invalid(format!("the links of note {:?}: {error}", prepared.note.id)))?;
    let sketch = prepared.entry(row.ord).sketch.map(|sketch| sketch.0.to_vec()).unwrap_or_default();
    derived::put(conn, row.ord, &derived::Derived { sketch, links })?;
    Ok(row)
}
