//! The notes themselves. Every write of one takes the next number of the change sequence.

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, named_params};

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::{AccessScope, Note, Ordinal, Status};
use crate::store::changes::{self, Op};
use crate::store::column;

/// What a `put` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PutRow {
    /// The note's ordinal: kept from the note it replaces, else new.
    pub(crate) ord: Ordinal,
    /// The number of the change.
    pub(crate) seq: u64,
    /// Whether a note of that id was there.
    pub(crate) replaced: bool,
}

/// What a result shows of a note; no body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HydratedNote {
    pub(crate) ord: Ordinal,
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) path: Option<String>,
    pub(crate) source_url: Option<String>,
    pub(crate) updated_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) derived_from_ids: Vec<String>,
    pub(crate) status: Status,
    pub(crate) access_scope: AccessScope,
    pub(crate) author: Option<String>,
    pub(crate) source: Option<String>,
    /// The passage asked for, if it is there.
    pub(crate) passage: Option<String>,
}

/// Writes `note`, replacing the one of its id. Its id and its times must be filled.
pub(crate) fn put(conn: &Connection, note: &Note, content_hash: u64) -> Result<PutRow> {
    let (Some(created_at), Some(updated_at)) = (note.created_at, note.updated_at) else {
        return Err(Error::invalid(format!("note {:?} has no times; expected the engine to fill them", note.id)));
    };
    let replaced = ord_of(conn, &note.id)?.is_some();
    let mut statement = conn.prepare_cached(PUT)?;
    let row: i64 = statement.query_row(
        named_params! {
            ":id": note.id,
            ":title": note.title,
            ":path": note.path,
            ":namespace": note.namespace,
            ":note_type": note.note_type,
            ":status": note.status.as_str(),
            ":access_scope": note.access_scope.as_str(),
            ":author": note.author,
            ":source": note.source,
            ":source_url": note.source_url,
            ":confidence": note.confidence,
            ":created_at": created_at.micros(),
            ":updated_at": updated_at.micros(),
            ":expires_at": note.expires_at.map(Timestamp::micros),
            ":derived_from_ids": column::to_json(&note.derived_from_ids)?,
            ":supersedes": note.supersedes,
            ":key": note.key,
            ":content_hash": content_hash.cast_signed(),
            ":tags": column::to_json(&note.tags)?,
            ":aliases": column::to_json(&note.aliases)?,
            ":links": column::to_json(&note.links)?,
            ":metadata": note.metadata.as_ref().map(|raw| raw.get()),
            ":body": note.body,
        },
        |row| row.get(0),
    )?;
    let ord = Ordinal::try_from(row)
        .map_err(|_| Error::Unsupported(format!("a store holds {} notes in its life; start a new one", u32::MAX)))?;
    let seq = changes::record(conn, ord, Op::Put)?;
    Ok(PutRow { ord, seq, replaced })
}

/// Deletes a note with everything that hangs on it; gives the number of the change, `None` when it is not there.
pub(crate) fn delete(conn: &Connection, ord: Ordinal) -> Result<Option<u64>> {
    let deleted = conn.prepare_cached("DELETE FROM notes WHERE ord = ?1")?.execute([ord])?;
    if deleted == 0 { Ok(None) } else { changes::record(conn, ord, Op::Delete).map(Some) }
}

/// The note of this id.
pub(crate) fn get(conn: &Connection, id: &str) -> Result<Option<(Ordinal, Note)>> {
    let found = one(&mut conn.prepare_cached(BY_ID)?, [id])?;
    Ok(found.map(|(ord, note, _)| (ord, note)))
}

/// The note of this ordinal.
pub(crate) fn by_ord(conn: &Connection, ord: Ordinal) -> Result<Option<Note>> {
    Ok(with_hash(conn, ord)?.map(|(note, _)| note))
}

/// The note of this ordinal, and the hash of its content.
pub(crate) fn with_hash(conn: &Connection, ord: Ordinal) -> Result<Option<(Note, u64)>> {
    let found = one(&mut conn.prepare_cached(BY_ORD)?, [ord])?;
    Ok(found.map(|(_, note, hash)| (note, hash)))
}

/// The ordinal of the note of this id.
pub(crate) fn ord_of(conn: &Connection, id: &str) -> Result<Option<Ordinal>> {
    let mut statement = conn.prepare_cached("SELECT ord FROM notes WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}

/// The id of the note of this ordinal.
pub(crate) fn id_of(conn: &Connection, ord: Ordinal) -> Result<Option<String>> {
    let mut statement = conn.prepare_cached("SELECT id FROM notes WHERE ord = ?1")?;
    Ok(statement.query_row([ord], |row| row.get(0)).optional()?)
}

/// What results show of these notes, each with one of its passages (the first by default), in the order asked; those that
/// are gone are left out.
pub(crate) fn hydrate(conn: &Connection, asked: &[(Ordinal, Option<u32>)]) -> Result<Vec<HydratedNote>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, title, path, source_url, updated_at, expires_at, author, source, derived_from_ids, status,
             access_scope, text
         FROM notes LEFT JOIN passages ON passages.ord = notes.ord AND idx = ?2 WHERE notes.ord = ?1",
    )?;
    let mut notes = Vec::with_capacity(asked.len());
    for &(ord, passage) in asked {
        let mut rows = statement.query((ord, passage.unwrap_or(0)))?;
        if let Some(row) = rows.next()? {
            // By position, since this is in the path of every retrieve.
            notes.push(HydratedNote {
                ord,
                id: row.get(0)?,
                title: row.get(1)?,
                path: row.get(2)?,
                source_url: row.get(3)?,
                updated_at: Timestamp::from_micros(row.get(4)?),
                expires_at: row.get::<_, Option<i64>>(5)?.map(Timestamp::from_micros),
                author: row.get(6)?,
                source: row.get(7)?,
                derived_from_ids: column::json(row, "derived_from_ids")?,
                status: column::named(row, "status", Status::parse)?,
                access_scope: column::named(row, "access_scope", AccessScope::parse)?,
                passage: row.get(11)?,
            });
        }
    }
    Ok(notes)
}

/// Calls `f` with every note and the hash of its content, in the order of their ordinals.
pub(crate) fn for_each(conn: &Connection, mut f: impl FnMut(Ordinal, Note, u64) -> Result<()>) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT * FROM notes ORDER BY ord")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (ord, note, hash) = read(row)?;
        f(ord, note, hash)?;
    }
    Ok(())
}

/// How many notes there are: what the tests of the file itself look at.
#[cfg(test)]
pub(crate) fn count(conn: &Connection) -> Result<u64> {
    let count: i64 = conn.prepare_cached("SELECT count(*) FROM notes")?.query_row([], |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

/// Moves a note; gives the number of the change, `None` when the note is not there.
pub(crate) fn set_path(
    conn: &Connection,
    ord: Ordinal,
    path: Option<&str>,
    updated_at: Timestamp,
) -> Result<Option<u64>> {
    let mut statement = conn.prepare_cached("UPDATE notes SET path = ?2, updated_at = ?3 WHERE ord = ?1")?;
    let moved = statement.execute((ord, path, updated_at.micros()))?;
    // A put, not a change of state: names and links follow the path.
    if moved == 0 { Ok(None) } else { changes::record(conn, ord, Op::Put).map(Some) }
}

/// Changes where a note stands, not its times; gives the number of the change, `None` when the note is not there.
pub(crate) fn set_status(conn: &Connection, ord: Ordinal, status: Status) -> Result<Option<u64>> {
    let mut statement = conn.prepare_cached("UPDATE notes SET status = ?2 WHERE ord = ?1")?;
    let changed = statement.execute((ord, status.as_str()))?;
    if changed == 0 { Ok(None) } else { changes::record(conn, ord, Op::State).map(Some) }
}

/// States what a note supersedes; gives the number of the change, `None` when the note is not there.
pub(crate) fn set_supersedes(conn: &Connection, ord: Ordinal, loser: &str) -> Result<Option<u64>> {
    let mut statement = conn.prepare_cached("UPDATE notes SET supersedes = ?2 WHERE ord = ?1")?;
    let changed = statement.execute((ord, loser))?;
    if changed == 0 { Ok(None) } else { changes::record(conn, ord, Op::State).map(Some) }
}

/// The hash of what the passages and vectors of the note of this id were made from; `None` when it is not there.
pub(crate) fn content_hash(conn: &Connection, id: &str) -> Result<Option<u64>> {
    let mut statement = conn.prepare_cached("SELECT content_hash FROM notes WHERE id = ?1")?;
    let found = statement.query_row([id], |row| row.get::<_, i64>(0)).optional()?;
    Ok(found.map(i64::cast_unsigned))
}

/// States the hash of the vector that came with a note; `put` forgets it.
pub(crate) fn set_vector_hash(conn: &Connection, ord: Ordinal, hash: u64) -> Result<()> {
    let mut statement = conn.prepare_cached("UPDATE notes SET vector_hash = ?2 WHERE ord = ?1")?;
    statement.execute((ord, hash.cast_signed()))?;
    Ok(())
}

/// The hash of the vector that came with a note; 0 when none did.
pub(crate) fn vector_hash(conn: &Connection, ord: Ordinal) -> Result<u64> {
    let mut statement = conn.prepare_cached("SELECT vector_hash FROM notes WHERE ord = ?1")?;
    let found: Option<Option<i64>> = statement.query_row([ord], |row| row.get(0)).optional()?;
    Ok(found.flatten().unwrap_or(0).cast_unsigned())
}

/// When the note of this id was made, `None` when it is not there.
pub(crate) fn created_at(conn: &Connection, id: &str) -> Result<Option<Timestamp>> {
    let mut statement = conn.prepare_cached("SELECT created_at FROM notes WHERE id = ?1")?;
    let found = statement.query_row([id], |row| row.get(0)).optional()?;
    Ok(found.map(Timestamp::from_micros))
}

const BY_ID: &str = "SELECT * FROM notes WHERE id = ?1";
const BY_ORD: &str = "SELECT * FROM notes WHERE ord = ?1";
const PUT: &str = "
INSERT INTO notes (id, title, path, namespace, note_type, status, access_scope, author, source, source_url,
    confidence, created_at, updated_at, expires_at, derived_from_ids, supersedes, key, content_hash,
    tags, aliases, links, metadata, body)
VALUES (:id, :title, :path, :namespace, :note_type, :status, :access_scope, :author, :source, :source_url,
    :confidence, :created_at, :updated_at, :expires_at, :derived_from_ids, :supersedes, :key,
    :content_hash, :tags, :aliases, :links, :metadata, :body)
ON CONFLICT (id) DO UPDATE SET title = excluded.title, path = excluded.path, namespace = excluded.namespace,
    note_type = excluded.note_type, status = excluded.status, access_scope = excluded.access_scope,
    author = excluded.author, source = excluded.source, source_url = excluded.source_url,
    confidence = excluded.confidence, created_at = excluded.created_at,
    updated_at = excluded.updated_at, expires_at = excluded.expires_at, derived_from_ids = excluded.derived_from_ids,
    supersedes = excluded.supersedes, key = excluded.key, content_hash = excluded.content_hash, vector_hash = NULL, tags = excluded.tags,
    aliases = excluded.aliases, links = excluded.links, metadata = excluded.metadata, body = excluded.body
RETURNING ord";

fn one(statement: &mut CachedStatement<'_>, params: impl rusqlite::Params) -> Result<Option<(Ordinal, Note, u64)>> {
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

fn read(row: &Row<'_>) -> Result<(Ordinal, Note, u64)> {
    let note = Note {
        id: row.get("id")?,
        title: row.get("title")?,
        body: row.get("body")?,
        path: row.get("path")?,
        namespace: row.get("namespace")?,
        tags: column::json(row, "tags")?,
        aliases: column::json(row, "aliases")?,
        links: column::json(row, "links")?,
        note_type: row.get("note_type")?,
        status: column::named(row, "status", Status::parse)?,
        access_scope: column::named(row, "access_scope", AccessScope::parse)?,
        author: row.get("author")?,
        source: row.get("source")?,
        source_url: row.get("source_url")?,
        confidence: row.get("confidence")?,
        created_at: Some(column::time(row, "created_at")?),
        updated_at: Some(column::time(row, "updated_at")?),
        expires_at: column::optional_time(row, "expires_at")?,
        derived_from_ids: column::json(row, "derived_from_ids")?,
        supersedes: row.get("supersedes")?,
        key: row.get("key")?,
        metadata: column::raw_json(row, "metadata")?,
    };
    Ok((row.get("ord")?, note, row.get::<_, i64>("content_hash")?.cast_unsigned()))
}

#[cfg(test)]
mod tests;
