//! Receipts: the log of retrieves, from which counters, feedback and replay follow.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, ToSql, named_params};

use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::{FinalNode, Ordinal, Receipt, ReceiptFilter};
use crate::store::{column, ids};

/// What a retrieve writes down.
#[derive(Clone, Debug)]
pub(crate) struct NewReceipt<'a> {
    pub(crate) ts: Timestamp,
    pub(crate) query: &'a str,
    pub(crate) agent_id: Option<&'a str>,
    pub(crate) task_id: Option<&'a str>,
    pub(crate) request: &'a serde_json::Value,
    pub(crate) weights: &'a BTreeMap<String, f64>,
    pub(crate) scouts_fired: &'a [String],
    pub(crate) failed_scouts: &'a [String],
    pub(crate) candidates_considered: usize,
    pub(crate) final_nodes: &'a [FinalNode],
    /// The ordinals of `final_nodes`, for folding.
    pub(crate) final_ords: &'a [Ordinal],
    pub(crate) conflicts_surfaced: &'a [String],
    pub(crate) temperature: f64,
    pub(crate) terrace_reached: u8,
    pub(crate) widening: Option<&'a serde_json::Value>,
    pub(crate) timings: &'a BTreeMap<String, u64>,
    pub(crate) error: Option<&'a serde_json::Value>,
    /// Codes of the query's vector, where the caller gave it.
    pub(crate) query_vector: Option<&'a [i8]>,
    /// Whether it counts as use: it does not when it repeats another within the hour.
    pub(crate) counted: bool,
}

/// What folding needs of a receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoldRow {
    pub(crate) seq: i64,
    pub(crate) ts: Timestamp,
    pub(crate) task_id: Option<String>,
    pub(crate) final_ords: Vec<Ordinal>,
    pub(crate) counted: bool,
}

/// What tells whether a retrieve repeats another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecentRow {
    pub(crate) query: String,
    pub(crate) agent_id: Option<String>,
    pub(crate) task_id: Option<String>,
    pub(crate) ts: Timestamp,
}

/// Which receipts to forget, and how many at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pruning {
    /// Those written before this instant,
    pub(crate) older_than: Timestamp,
    /// and those up to this number; see [`row_limit`].
    pub(crate) up_to: i64,
    /// But none beyond this number, which is how far folding has come.
    pub(crate) folded_up_to: i64,
    /// At most this many, so that a retrieve does not wait for all of it.
    pub(crate) limit: usize,
}

/// Writes a receipt and gives its number. One statement: it is all that a retrieve owes SQLite.
pub(crate) fn append(conn: &Connection, receipt: &NewReceipt<'_>) -> Result<i64> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO receipts (ts, query, agent_id, task_id, counted, final_ords, request, weights, scouts_fired,
             failed_scouts, candidates_considered, conflicts_surfaced, temperature, terrace_reached, widening, timings,
             error, query_vector, final_nodes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
    )?;
    // By position: looking 19 names up would be a fifth of the whole append.
    Ok(statement.insert(rusqlite::params![
        receipt.ts.micros(),
        receipt.query,
        receipt.agent_id,
        receipt.task_id,
        receipt.counted,
        column::to_blob(receipt.final_ords),
        column::to_json(receipt.request)?,
        column::to_json(receipt.weights)?,
        column::to_json(receipt.scouts_fired)?,
        column::to_json(receipt.failed_scouts)?,
        column::stored(receipt.candidates_considered as u64),
        column::to_json(receipt.conflicts_surfaced)?,
        receipt.temperature,
        receipt.terrace_reached,
        receipt.widening.map(column::to_json).transpose()?,
        column::to_json(receipt.timings)?,
        receipt.error.map(column::to_json).transpose()?,
        receipt.query_vector.map(column::to_codes),
        column::to_json(receipt.final_nodes)?,
    ])?)
}

/// The number of the newest receipt; 0 when there is none.
pub(crate) fn last_seq(conn: &Connection) -> Result<i64> {
    let mut statement = conn.prepare_cached("SELECT coalesce(max(seq), 0) FROM receipts")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// The receipt of this number, its id made with the store's `seed`.
pub(crate) fn get(conn: &Connection, seed: u64, seq: i64) -> Result<Option<Receipt>> {
    let mut statement = conn.prepare_cached("SELECT * FROM receipts WHERE seq = ?1")?;
    let mut rows = statement.query([seq])?;
    rows.next()?.map(|row| read(row, seed)).transpose()
}

/// The notes that the receipt of this number answered with, best first; `None` when there is no such receipt.
pub(crate) fn final_ords(conn: &Connection, seq: i64) -> Result<Option<Vec<Ordinal>>> {
    let mut statement = conn.prepare_cached("SELECT final_ords FROM receipts WHERE seq = ?1")?;
    let blob: Option<Vec<u8>> = statement.query_row([seq], |row| row.get(0)).optional()?;
    Ok(blob.map(|blob| column::from_blob(&blob)))
}

/// The codes of the vector that came with the query of this receipt; `None` when it came without one.
pub(crate) fn query_vector(conn: &Connection, seq: i64) -> Result<Option<Vec<i8>>> {
    let mut statement = conn.prepare_cached("SELECT query_vector FROM receipts WHERE seq = ?1")?;
    let blob: Option<Option<Vec<u8>>> = statement.query_row([seq], |row| row.get(0)).optional()?;
    Ok(blob.flatten().map(column::from_codes))
}

/// Whose receipts to list: an agent's own and its task's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owners<'a> {
    pub(crate) agent_id: Option<&'a str>,
    pub(crate) task_id: Option<&'a str>,
}

/// The receipts that `filter` admits, the newest first; `owners` narrows them before they are counted off.
pub(crate) fn list(
    conn: &Connection,
    seed: u64,
    filter: &ReceiptFilter,
    owners: Option<Owners<'_>>,
) -> Result<Vec<Receipt>> {
    let (since, until) = (filter.since.map(Timestamp::micros), filter.until.map(Timestamp::micros));
    let (limit, offset) = (column::stored(filter.limit as u64), column::stored(filter.offset as u64));
    let mut sql = String::from("SELECT * FROM receipts WHERE 1");
    let mut values: Vec<(&str, &dyn ToSql)> = vec![(":limit", &limit), (":offset", &offset)];
    let mut condition = |text: &str, name, value| {
        sql.push_str(text);
        values.push((name, value));
    };
    if let Some(task_id) = &filter.task_id {
        condition(" AND task_id = :task", ":task", task_id);
    }
    if let Some(agent_id) = &filter.agent_id {
        condition(" AND agent_id = :agent", ":agent", agent_id);
    }
    if let Some(owners) = &owners {
        condition(" AND (agent_id = :own_agent OR task_id = :own_task)", ":own_agent", &owners.agent_id);
        condition("", ":own_task", &owners.task_id);
    }
    if let Some(since) = &since {
        condition(" AND ts >= :since", ":since", since);
    }
    if let Some(until) = &until {
        condition(" AND ts < :until", ":until", until);
    }
    sql.push_str(" ORDER BY seq DESC LIMIT :limit OFFSET :offset");
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query(values.as_slice())?;
    let mut receipts = Vec::new();
    while let Some(row) = rows.next()? {
        receipts.push(read(row, seed)?);
    }
    Ok(receipts)
}

/// The number of the newest receipt of this task and agent. That of a retrieve that failed does not count: it answered
/// nothing that could be judged, and would hide the one that did.
pub(crate) fn newest_for(conn: &Connection, task_id: &str, agent_id: &str) -> Result<Option<i64>> {
    let mut statement = conn.prepare_cached(
        "SELECT seq FROM receipts WHERE task_id = ?1 AND agent_id = ?2 AND error IS NULL ORDER BY seq DESC LIMIT 1",
    )?;
    Ok(statement.query_row([task_id, agent_id], |row| row.get(0)).optional()?)
}

/// Up to `limit` receipts after number `watermark`, oldest first, for folding.
pub(crate) fn since(conn: &Connection, watermark: i64, limit: usize) -> Result<Vec<FoldRow>> {
    let mut statement = conn.prepare_cached(
        "SELECT seq, ts, task_id, final_ords, counted FROM receipts WHERE seq > ?1 ORDER BY seq LIMIT ?2",
    )?;
    let rows = statement.query_map((watermark, column::stored(limit as u64)), |row| {
        Ok(FoldRow {
            seq: row.get(0)?,
            ts: Timestamp::from_micros(row.get(1)?),
            task_id: row.get(2)?,
            final_ords: column::from_blob(row.get_ref(3)?.as_blob()?),
            counted: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The receipts since `since` that counted as use, oldest first.
pub(crate) fn recent_counted(conn: &Connection, since: Timestamp) -> Result<Vec<RecentRow>> {
    let mut statement = conn.prepare_cached(
        "SELECT query, agent_id, task_id, ts FROM receipts WHERE ts >= ?1 AND counted = 1 ORDER BY ts, seq",
    )?;
    let rows = statement.query_map([since.micros()], |row| {
        Ok(RecentRow {
            query: row.get(0)?,
            agent_id: row.get(1)?,
            task_id: row.get(2)?,
            ts: Timestamp::from_micros(row.get(3)?),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The number up to which receipts are to go so that the newest `keep_rows` stay; 0 when there are no more.
pub(crate) fn row_limit(conn: &Connection, keep_rows: u64) -> Result<i64> {
    let excess = count(conn)?.saturating_sub(keep_rows);
    if excess == 0 {
        return Ok(0);
    }
    let mut statement = conn.prepare_cached("SELECT seq FROM receipts ORDER BY seq LIMIT 1 OFFSET ?1")?;
    Ok(statement.query_row([column::stored(excess - 1)], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// Forgets receipts, never one whose task is open or that is not folded yet, nor the newest of all, so that no number
/// is given twice. Answers how many: fewer than the limit when no more are left.
pub(crate) fn prune(conn: &Connection, pruning: &Pruning) -> Result<u64> {
    // Two statements, each along its own index, where one with OR would read every receipt.
    let by_age = delete(conn, "ts < :bound", "ts", pruning.older_than.micros(), pruning.limit, pruning)?;
    let left = pruning.limit.saturating_sub(by_age);
    let by_number = delete(conn, "seq <= :bound", "seq", pruning.up_to, left, pruning)?;
    Ok((by_age + by_number) as u64)
}

/// The ids of receipts whose columns do not read as they were written, in the order of their numbers.
pub(crate) fn unreadable(conn: &Connection, seed: u64) -> Result<Vec<String>> {
    let mut statement = conn.prepare("SELECT * FROM receipts ORDER BY seq")?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let whole = row.get_ref("final_ords")?.as_blob().is_ok_and(|blob| blob.len().is_multiple_of(4));
        if !whole || read(row, seed).is_err() {
            found.push(ids::receipt_id(seed, row.get("seq")?));
        }
    }
    Ok(found)
}

/// How many receipts there are.
pub(crate) fn count(conn: &Connection) -> Result<u64> {
    let count: i64 = conn.prepare_cached("SELECT count(*) FROM receipts")?.query_row([], |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

fn delete(
    conn: &Connection,
    condition: &str,
    order: &str,
    bound: i64,
    limit: usize,
    pruning: &Pruning,
) -> Result<usize> {
    let mut statement = conn.prepare_cached(&format!(
        "DELETE FROM receipts WHERE seq IN (
             SELECT seq FROM receipts r WHERE {condition} AND seq <= :folded AND seq < (SELECT max(seq) FROM receipts)
             AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.id = r.task_id AND tasks.status = 'open')
             ORDER BY {order} LIMIT :limit)"
    ))?;
    Ok(statement.execute(named_params! {
        ":bound": bound,
        ":folded": pruning.folded_up_to,
        ":limit": column::stored(limit as u64),
    })?)
}

fn read(row: &Row<'_>, seed: u64) -> Result<Receipt> {
    Ok(Receipt {
        id: ids::receipt_id(seed, row.get("seq")?),
        ts: column::time(row, "ts")?,
        query: row.get("query")?,
        agent_id: row.get("agent_id")?,
        task_id: row.get("task_id")?,
        request: column::json(row, "request")?,
        weights: column::json(row, "weights")?,
        scouts_fired: column::json(row, "scouts_fired")?,
        failed_scouts: column::json(row, "failed_scouts")?,
        candidates_considered: usize::try_from(row.get::<_, i64>("candidates_considered")?).unwrap_or(0),
        final_nodes: column::json(row, "final_nodes")?,
        conflicts_surfaced: column::json(row, "conflicts_surfaced")?,
        temperature: row.get("temperature")?,
        terrace_reached: row.get("terrace_reached")?,
        widening: column::optional_json(row, "widening")?,
        timings: column::json(row, "timings")?,
        error: column::optional_json(row, "error")?,
    })
}

#[cfg(test)]
mod tests;
