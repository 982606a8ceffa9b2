//! Edges that callers assert and feedback learns. Those of links and lineage follow the notes and are not here.

mod standing;

use rusqlite::{CachedStatement, Connection, Params, Row, ToSql, named_params};
use serde_json::value::RawValue;

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::{EdgeOrigin, Ordinal};
use crate::store::{column, ids};

pub(crate) use standing::{Moved, Standing, Steps, cited_together, misled, moved, unlearn};

/// An edge as it is stored, its ends by ordinal.
#[derive(Clone, Debug)]
pub(crate) struct EdgeRow {
    /// Empty in an `upsert`: made by the store.
    pub(crate) edge_id: String,
    pub(crate) from_ord: Ordinal,
    pub(crate) to_ord: Ordinal,
    pub(crate) edge_type: String,
    pub(crate) namespace: String,
    /// In force: what verdicts did to it is in it.
    pub(crate) weight: f64,
    /// Asserted or learned.
    pub(crate) origin: EdgeOrigin,
    pub(crate) provenance: Option<String>,
    pub(crate) evidence: Option<Box<RawValue>>,
    pub(crate) conflict_state: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// Which edges to list; conditions AND together.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeQuery {
    /// Edges that touch this note at either end.
    pub(crate) node: Option<Ordinal>,
    pub(crate) from: Option<Ordinal>,
    pub(crate) to: Option<Ordinal>,
    pub(crate) edge_type: Option<String>,
    pub(crate) namespace: Option<String>,
}

/// Writes an edge as a caller states it, and gives it as it now stands. One with the same ends, type and namespace keeps
/// its id, its making time and its conflict state, and takes the rest: what verdicts did to it until now is forgotten.
pub(crate) fn upsert(conn: &Connection, edge: &EdgeRow) -> Result<EdgeRow> {
    if edge.origin != EdgeOrigin::Asserted {
        return Err(Error::invalid(format!(
            "edges of origin {} follow notes or verdicts and cannot be stated; change the note, or judge the receipt",
            edge.origin.as_str()
        )));
    }
    // A weight of -0 would come back from its verdicts as 0.
    let edge = EdgeRow { weight: edge.weight.abs(), ..edge.clone() };
    write(conn, &edge, Standing::stated(conn, edge.weight)?)
}

fn write(conn: &Connection, edge: &EdgeRow, standing: Standing) -> Result<EdgeRow> {
    let known = find(conn, edge.from_ord, edge.to_ord, &edge.edge_type, &edge.namespace)?;
    let edge_id = match known {
        Some(known) => known.edge_id,
        None if edge.edge_id.is_empty() => ids::next(conn, ids::Kind::Edge)?,
        None => edge.edge_id.clone(),
    };
    let mut statement = conn.prepare_cached(
        "INSERT INTO edges (edge_id, from_ord, to_ord, type, namespace, weight, stated, since, raised, taken, origin,
             provenance, evidence, conflict_state, created_at, updated_at)
         VALUES (:edge_id, :from, :to, :type, :namespace, :weight, :stated, :since, :raised, :taken, :origin,
             :provenance, :evidence, :conflict_state, :created_at, :updated_at)
         ON CONFLICT (from_ord, to_ord, type, namespace) DO UPDATE SET weight = excluded.weight,
             stated = excluded.stated, since = excluded.since, raised = excluded.raised, taken = excluded.taken,
             origin = excluded.origin, provenance = excluded.provenance, evidence = excluded.evidence,
             updated_at = excluded.updated_at
         RETURNING *",
    )?;
    let written = one(
        &mut statement,
        named_params! {
            ":edge_id": edge_id,
            ":from": edge.from_ord,
            ":to": edge.to_ord,
            ":type": edge.edge_type,
            ":namespace": edge.namespace,
            ":weight": edge.weight,
            ":stated": standing.stated,
            ":since": standing.since,
            ":raised": column::stored(standing.raised),
            ":taken": column::stored(standing.taken),
            ":origin": edge.origin.as_str(),
            ":provenance": edge.provenance,
            ":evidence": edge.evidence.as_ref().map(|raw| raw.get()),
            ":conflict_state": edge.conflict_state,
            ":created_at": edge.created_at.micros(),
            ":updated_at": edge.updated_at.micros(),
        },
    )?;
    written.ok_or_else(|| Error::Corrupt("an edge that was written is not there; run `terrace check`".into()))
}

/// The edge of this id.
pub(crate) fn get(conn: &Connection, edge_id: &str) -> Result<Option<EdgeRow>> {
    one(&mut conn.prepare_cached("SELECT * FROM edges WHERE edge_id = ?1")?, [edge_id])
}

/// The edges that `query` admits, in the order of their ids.
pub(crate) fn list(conn: &Connection, query: &EdgeQuery) -> Result<Vec<EdgeRow>> {
    let mut sql = String::from("SELECT * FROM edges WHERE 1");
    let mut values: Vec<(&str, &dyn ToSql)> = Vec::new();
    let mut condition = |text: &str, name, value| {
        sql.push_str(text);
        values.push((name, value));
    };
    if let Some(node) = &query.node {
        condition(" AND (from_ord = :node OR to_ord = :node)", ":node", node);
    }
    if let Some(from) = &query.from {
        condition(" AND from_ord = :from", ":from", from);
    }
    if let Some(to) = &query.to {
        condition(" AND to_ord = :to", ":to", to);
    }
    if let Some(edge_type) = &query.edge_type {
        condition(" AND type = :type", ":type", edge_type);
    }
    if let Some(namespace) = &query.namespace {
        condition(" AND namespace = :namespace", ":namespace", namespace);
    }
    sql.push_str(" ORDER BY edge_id");
    many(&mut conn.prepare_cached(&sql)?, values.as_slice())
}

/// Deletes an edge; answers whether it was there.
pub(crate) fn delete(conn: &Connection, edge_id: &str) -> Result<bool> {
    Ok(conn.prepare_cached("DELETE FROM edges WHERE edge_id = ?1")?.execute([edge_id])? > 0)
}

/// States how a contradiction stands; gives the edge, `None` when it is not there.
pub(crate) fn set_conflict_state(
    conn: &Connection,
    edge_id: &str,
    state: Option<&str>,
    now: Timestamp,
) -> Result<Option<EdgeRow>> {
    let mut statement =
        conn.prepare_cached("UPDATE edges SET conflict_state = ?2, updated_at = ?3 WHERE edge_id = ?1 RETURNING *")?;
    one(&mut statement, (edge_id, state, now.micros()))
}

/// The unresolved contradictions that touch any of these notes, each once, in the order of their ids.
pub(crate) fn unresolved_contradictions(conn: &Connection, ords: &[Ordinal]) -> Result<Vec<EdgeRow>> {
    let mut by_from = conn.prepare_cached(&contradictions("from_ord"))?;
    let mut by_to = conn.prepare_cached(&contradictions("to_ord"))?;
    let mut found = Vec::new();
    for ord in ords {
        found.append(&mut many(&mut by_from, [ord])?);
        found.append(&mut many(&mut by_to, [ord])?);
    }
    found.sort_by(|a, b| a.edge_id.cmp(&b.edge_id));
    found.dedup_by(|a, b| a.edge_id == b.edge_id);
    Ok(found)
}

/// Calls `f` with every edge, in the order of their ids.
pub(crate) fn for_each(conn: &Connection, mut f: impl FnMut(EdgeRow) -> Result<()>) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT * FROM edges ORDER BY edge_id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        f(read(row)?)?;
    }
    Ok(())
}

/// Every learned edge, in the order of their ids.
pub(crate) fn learned(conn: &Connection) -> Result<Vec<EdgeRow>> {
    many(&mut conn.prepare_cached("SELECT * FROM edges WHERE origin = 'learned' ORDER BY edge_id")?, [])
}

/// How many edges there are.
pub(crate) fn count(conn: &Connection) -> Result<u64> {
    let count: i64 = conn.prepare_cached("SELECT count(*) FROM edges")?.query_row([], |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

/// How many edges of this origin there are.
pub(crate) fn count_of(conn: &Connection, origin: EdgeOrigin) -> Result<u64> {
    let mut statement = conn.prepare_cached("SELECT count(*) FROM edges WHERE origin = ?1")?;
    let count: i64 = statement.query_row([origin.as_str()], |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

fn contradictions(end: &str) -> String {
    format!(
        "SELECT * FROM edges WHERE {end} = ?1 AND type = 'contradicts'
         AND (conflict_state IS NULL OR conflict_state IN ('unreviewed', 'accepted_dual'))"
    )
}

fn find(conn: &Connection, from: Ordinal, to: Ordinal, edge_type: &str, namespace: &str) -> Result<Option<EdgeRow>> {
    let mut statement = conn
        .prepare_cached("SELECT * FROM edges WHERE from_ord = ?1 AND to_ord = ?2 AND type = ?3 AND namespace = ?4")?;
    one(&mut statement, (from, to, edge_type, namespace))
}

fn one(statement: &mut CachedStatement<'_>, params: impl Params) -> Result<Option<EdgeRow>> {
    Ok(many(statement, params)?.into_iter().next())
}

fn many(statement: &mut CachedStatement<'_>, params: impl Params) -> Result<Vec<EdgeRow>> {
    let mut rows = statement.query(params)?;
    let mut edges = Vec::new();
    while let Some(row) = rows.next()? {
        edges.push(read(row)?);
    }
    Ok(edges)
}

fn read(row: &Row<'_>) -> Result<EdgeRow> {
    let origin = |name: &str| [EdgeOrigin::Asserted, EdgeOrigin::Learned].into_iter().find(|o| o.as_str() == name);
    Ok(EdgeRow {
        edge_id: row.get("edge_id")?,
        from_ord: row.get("from_ord")?,
        to_ord: row.get("to_ord")?,
        edge_type: row.get("type")?,
        namespace: row.get("namespace")?,
        weight: row.get("weight")?,
        origin: column::named(row, "origin", origin)?,
        provenance: row.get("provenance")?,
        evidence: column::raw_json(row, "evidence")?,
        conflict_state: row.get("conflict_state")?,
        created_at: column::time(row, "created_at")?,
        updated_at: column::time(row, "updated_at")?,
    })
}

#[cfg(test)]
mod tests;
