//! Receipts with their verdicts, as replay reads them.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, ToSql};

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::{FinalNode, Ordinal, ReplayRequest};
use crate::store::verdicts::{self, JudgedRow};
use crate::store::{column, ids};

/// A receipt, judged or not.
pub(crate) struct ReplayedRow {
    pub(crate) id: String,
    /// Whether the retrieve failed.
    pub(crate) failed: bool,
    pub(crate) row: JudgedRow,
}

/// Calls `each` with the receipts that the request admits, newest first. Ids are made with the store's `seed`.
///
/// # Errors
/// `corrupt`, naming the receipt, for one that does not read as it was written.
pub(crate) fn for_each(
    conn: &Connection,
    seed: u64,
    request: &ReplayRequest,
    mut each: impl FnMut(ReplayedRow),
) -> Result<()> {
    let mut sql = String::from(
        "SELECT seq, query, weights, final_nodes, final_ords, error IS NOT NULL AS failed FROM receipts WHERE 1",
    );
    let time = |time: Option<Timestamp>| time.map(|time| Value::from(time.micros()));
    let conditions = [
        (" AND task_id = :task", ":task", request.task_id.clone().map(Value::from)),
        (" AND agent_id = :agent", ":agent", request.agent_id.clone().map(Value::from)),
        (" AND ts >= :since", ":since", time(request.since)),
        (" AND ts < :until", ":until", time(request.until)),
        (" ORDER BY seq DESC LIMIT :limit", ":limit", Some(Value::from(column::stored(request.limit as u64)))),
    ];
    let mut values: Vec<(&str, &dyn ToSql)> = Vec::new();
    for (text, name, value) in &conditions {
        if let Some(value) = value {
            sql.push_str(text);
            values.push((name, value));
        }
    }
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query(values.as_slice())?;
    while let Some(row) = rows.next()? {
        let seq = row.get("seq")?;
        let id = ids::receipt_id(seed, seq);
        let (failed, row) = read(conn, row, seq).map_err(|error| naming(&id, error))?;
        each(ReplayedRow { id, failed, row });
    }
    Ok(())
}

fn read(conn: &Connection, row: &Row<'_>, seq: i64) -> Result<(bool, JudgedRow)> {
    let nodes: Vec<FinalNode> = column::json(row, "final_nodes")?;
    let ords: Vec<Ordinal> = column::from_blob(&row.get::<_, Vec<u8>>("final_ords")?);
    if nodes.len() != ords.len() {
        return Err(Error::Corrupt(format!(
            "expected as many ordinals as notes, found {} and {}; run `terrace check`",
            ords.len(),
            nodes.len()
        )));
    }
    let events = verdicts::of_receipt(conn, seq)?;
    let verdicts = events.into_iter().map(|event| (event.ord, event.verdict)).collect();
    let judged = JudgedRow { query: row.get("query")?, weights: column::json(row, "weights")?, nodes, ords, verdicts };
    Ok((row.get("failed")?, judged))
}

fn naming(id: &str, error: Error) -> Error {
    match error {
        Error::Corrupt(why) => Error::Corrupt(format!("receipt {id}: {why}")),
        // What is no failure of SQLite's own is a column that does not hold what was written.
        Error::Sqlite(why) if !matches!(why, rusqlite::Error::SqliteFailure(..)) => {
            Error::Corrupt(format!("receipt {id}: {why}; run `terrace check`"))
        }
        other => other,
    }
}
