//! Opening: the truth first, then every projection brought to its sequence.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use parking_lot::{Mutex, RwLock};
use rusqlite::Connection;

use super::Engine;
use super::embedding::Embedding;
use super::folder::Folder;
use super::graph_builder::GraphBuilder;
use super::prepare::lexical_doc;
use super::rows;
use super::snapshot::{Snapshot, SnapshotNote};
use crate::config::{Config, Durability};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::memory::weights::Weights;
use crate::model::{Note, Ordinal};
use crate::projection::graph::{DeclaredLink, declared_links};
use crate::projection::lexical::{LexicalIndex, LexicalParams, Opened};
use crate::projection::vector::VectorIndex;
use crate::projection::{Catalog, Entry, Graph};
use crate::scouts::Panel;
use crate::store::{
    Store, StoreOptions, changes, coactivation, derived, edges, meta, notes, receipts, stats, traces, vectors,
    working_memory,
};
use crate::text;

impl Engine {
    /// Opens the store in `dir`, making it when it is missing; `config.read_only` opens an existing one beside its owner.
    ///
    /// Projections that are behind the store catch up; those that are damaged, foreign, ahead or of another format are
    /// made anew, with the reason logged.
    ///
    /// # Errors
    /// `invalid_input` when a number of the configuration is out of its range ([`Config::check`]); `locked` when another process owns it; `unsupported_version` when a newer release wrote it; `corrupt` when the
    /// file is not a terrace store; `dimension_mismatch` or `conflict` when the configured embedder is not the store's;
    /// `not_found` when there is none to open read-only.
    pub fn open(dir: impl AsRef<Path>, config: Config) -> Result<Self> {
        Self::open_in_turn(dir.as_ref(), config, Arc::default())
    }

    /// [`Engine::open`], whose vector graphs are built by who holds `turn`: a test holds it back by it.
    pub(super) fn open_in_turn(dir: &Path, config: Config, turn: Arc<Mutex<()>>) -> Result<Self> {
        config.check()?;
        refuse_without_its_database(dir)?;
        let store = Store::open(
            dir,
            &StoreOptions {
                read_only: config.read_only,
                power_safe: config.durability == Durability::Full,
                seed: config.seed,
                now: config.clock.now(),
            },
        )?;
        let agree = |conn: &Connection| Embedding::agree(&config.embedder, conn, config.read_only);
        let embedding = if config.read_only { store.read(agree)? } else { store.write(agree)? };
        let snapshot = store.read(|conn| load_snapshot(conn, &embedding))?;
        let (lexical, opened) = open_lexical(dir, &store, snapshot.seq)?;
        lexical.set_params(LexicalParams { name_boost: config.ranking.name_boost });
        let (reached, mended) = catch_up_lexical(&store, &lexical, &opened, snapshot.seq)?;
        let panel = Panel::new(config.threads)?;
        let memory = Memory::new(&config.memory);
        let folded = store.read(meta::folded_receipt)?;
        let store = Arc::new(store);
        let snapshot = Arc::new(RwLock::new(Arc::new(snapshot)));
        let folder = Arc::new(Folder::new(Arc::clone(&store), Arc::clone(&snapshot), folded));
        let gate = Arc::new(Mutex::new(()));
        let graphs = GraphBuilder::new(config.vector.index, Arc::clone(&snapshot), Arc::clone(&gate), turn);
        let engine = Self {
            embedding,
            snapshot,
            gate,
            lexical,
            lexical_handed: AtomicU64::new(reached),
            lexical_broken: AtomicBool::new(false),
            mended,
            memory,
            weights: RwLock::new(Weights::shipped(&config.ranking)),
            resets: AtomicU64::new(0),
            training: Mutex::default(),
            folder,
            graphs: Arc::new(graphs),
            panel,
            store,
            config,
        };
        engine.load_memory()?;
        engine.load_trained()?;
        if !engine.store.is_read_only() {
            engine.embed_missing()?;
        }
        engine.graphs.nudge();
        Ok(engine)
    }

    /// Tables first, then the receipts that are not folded into them yet.
    fn load_memory(&self) -> Result<()> {
        let memory = &self.memory;
        self.store.read(|conn| {
            let mut nodes = memory.nodes.write();
            stats::load_all(conn, |ord, row| {
                nodes.insert(ord, rows::state(&row));
                Ok(())
            })?;
            let mut usage = memory.usage.write();
            stats::load_usage(conn, |ord, row| {
                usage.insert(ord, rows::usage(&row));
                Ok(())
            })?;
            let mut habits = memory.habits.write();
            coactivation::for_each(conn, |pair| {
                habits.add(pair.a_ord, pair.b_ord, pair.strength as f32);
                Ok(())
            })?;
            let mut association = memory.association.write();
            let mut known: Option<(Ordinal, crate::memory::NoteTraces)> = None;
            traces::for_each(conn, |ord, row| {
                match &mut known {
                    Some((of, traces)) if *of == ord => traces.push(rows::trace(row)),
                    _ => {
                        if let Some((of, traces)) = known.replace((ord, vec![rows::trace(row)])) {
                            association.set(of, traces);
                        }
                    }
                }
                Ok(())
            })?;
            if let Some((of, traces)) = known {
                association.set(of, traces);
            }
            drop(association);
            let mut working = memory.working.write();
            working_memory::for_each(conn, |entry| {
                working.entry(entry.task_id.clone()).or_default().insert(entry.ord, rows::working(&entry));
                Ok(())
            })
        })?;
        let mut repeats = memory.repeats.lock();
        let hour_ago = crate::clock::Timestamp::from_micros(
            self.now().micros().saturating_sub(crate::memory::REPEAT_WINDOW_MICROS),
        );
        for row in self.store.read(|conn| receipts::recent_counted(conn, hour_ago))? {
            repeats.remember(&row.query, row.agent_id.as_deref(), row.task_id.as_deref(), row.ts);
        }
        drop(repeats);
        let mut from = self.folder.folded();
        loop {
            let batch = self.store.read(|conn| receipts::since(conn, from, 1_000))?;
            let Some(last) = batch.last() else { break };
            from = last.seq;
            batch.into_iter().map(rows::effect).for_each(|effect| self.memory.retrieved(&effect));
        }
        if !self.store.is_read_only() {
            self.folder.fold()?;
        }
        Ok(())
    }
}

/// An index beside no database, or an empty one, is what is left of a store, not a new one: answering as an empty store
/// would hide the loss.
fn refuse_without_its_database(dir: &Path) -> Result<()> {
    let file = dir.join("terrace.db");
    let is_empty = file.metadata().map_or(true, |found| found.len() == 0);
    if is_empty && dir.join("lexical").join("meta.json").exists() {
        return Err(Error::Corrupt(format!(
            "{} is missing or empty, but an index of its notes lies beside it; restore the file from a backup, or remove {} to begin an empty store",
            file.display(),
            dir.join("lexical").display()
        )));
    }
    Ok(())
}

/// Catalog, graph and vectors from the store's rows.
pub(super) fn load_snapshot(conn: &Connection, embedding: &Embedding) -> Result<Snapshot> {
    let dims = embedding.identity.as_ref().map(|identity| identity.dims);
    let mut snapshot = Snapshot {
        catalog: Catalog::default(),
        graph: Graph::default(),
        vectors: dims.map(VectorIndex::new),
        seq: changes::latest(conn)?,
    };
    let mut known = rustc_hash::FxHashMap::default();
    derived::for_each(conn, |ord, row| {
        known.insert(ord, row);
    })?;
    let mut batch: Vec<SnapshotNote> = Vec::new();
    notes::for_each(conn, |ord, note, _| {
        let row = known.remove(&ord);
        batch.push(from_row(ord, &note, row));
        Ok(())
    })?;
    snapshot.put(batch);
    if let Some(index) = &mut snapshot.vectors {
        vectors::for_each(conn, |ord, rows| {
            let taken =
                rows.ok_or_else(|| Error::Corrupt("it is cut off".into())).and_then(|rows| index.insert(ord, &rows));
            if let Err(error) = taken {
                tracing::error!(ord, %error, "a stored vector is unusable and is left out; `terrace rebuild vector` makes it anew");
            }
            Ok(())
        })?;
    }
    edges::for_each(conn, |edge| {
        snapshot.graph.put_edge(&super::edges::graph_edge(&edge));
        Ok(())
    })?;
    stats::load_quarantine(conn, |ord, _| {
        snapshot.catalog.set_quarantined(ord, true);
        Ok(())
    })?;
    Ok(snapshot)
}

/// A note from its rows; one without a derived row (written by hand) is parsed again.
fn from_row(ord: Ordinal, note: &Note, row: Option<derived::Derived>) -> SnapshotNote {
    let links: Option<Vec<DeclaredLink>> = row.as_ref().and_then(|row| serde_json::from_str(&row.links).ok());
    match (row, links) {
        (Some(row), Some(declared)) => {
            let entry = Entry::from_columns(ord, note, text::Sketch::from_bytes(&row.sketch));
            SnapshotNote { entry, declared, vectors: None }
        }
        _ => {
            let parsed = text::parse_markdown(&note.body);
            SnapshotNote {
                entry: Entry::of(ord, note, &parsed.plain),
                declared: declared_links(note, &parsed),
                vectors: None,
            }
        }
    }
}

/// The index on disk. A reader may not bring it up to date, so one that is not at the store's change is left to its
/// owner, and the reader makes its own in memory.
fn open_lexical(dir: &Path, store: &Store, latest: u64) -> Result<(LexicalIndex, Opened)> {
    let dir = dir.join("lexical");
    if !store.is_read_only() {
        return LexicalIndex::open(&dir, store.number());
    }
    match LexicalIndex::open_read_only(&dir, store.number())? {
        Some((index, Opened::At(seq))) if seq == latest => Ok((index, Opened::At(seq))),
        Some((index, Opened::Discarded(why))) => Ok((index, Opened::Discarded(why))),
        _ => Ok((LexicalIndex::in_memory()?, Opened::Fresh)),
    }
}

/// Brings the lexical index to the store's sequence; answers the change it has reached, and what was wrong with it if it
/// was damaged.
fn catch_up_lexical(
    store: &Store,
    index: &LexicalIndex,
    opened: &Opened,
    latest: u64,
) -> Result<(u64, Option<String>)> {
    let mut mended = None;
    let at = match opened {
        Opened::Fresh => 0,
        Opened::At(seq) => *seq,
        Opened::Discarded(why) => {
            tracing::warn!(why, "the lexical index was discarded and is made anew");
            mended = Some(why.clone());
            0
        }
    };
    if at == latest && latest > 0 {
        return Ok((at, mended));
    }
    let oldest = store.read(changes::oldest)?;
    let gap = oldest.is_some_and(|oldest| oldest > at + 1) || (oldest.is_none() && at != latest);
    if at > latest || at == 0 || gap {
        if at > latest {
            tracing::warn!(at, latest, "the lexical index is ahead of the store and is made anew");
            mended = Some(format!("it was at change {at}, and the store at {latest}"));
        }
        rebuild_lexical(store, index, latest)?;
    } else {
        let missed = store.read(|conn| changes::since(conn, at))?;
        let mut ords: Vec<Ordinal> = missed.into_iter().map(|(_, ord, _)| ord).collect();
        ords.sort_unstable();
        ords.dedup();
        tracing::info!(notes = ords.len(), at, latest, "the lexical index catches up");
        for ord in ords {
            match store.read(|conn| notes::by_ord(conn, ord))? {
                Some(note) => index.upsert(lexical_doc(ord, &note, &text::parse_markdown(&note.body).plain))?,
                None => index.delete(ord)?,
            }
        }
        index.commit(latest)?;
    }
    Ok((latest, mended))
}

/// Makes the lexical index anew from the store's notes.
pub(super) fn rebuild_lexical(store: &Store, index: &LexicalIndex, latest: u64) -> Result<()> {
    index.clear()?;
    index.set_bulk(true);
    let filled = store.read(|conn| {
        notes::for_each(conn, |ord, note, _| {
            index.upsert(lexical_doc(ord, &note, &text::parse_markdown(&note.body).plain))
        })
    });
    index.set_bulk(false);
    filled?;
    index.commit(latest)?;
    index.merge()
}
