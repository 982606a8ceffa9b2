//! How verdicts move edges. What an edge was stated as, and how often verdicts raised and weakened it since, are kept
//! apart: a verdict that is taken back then leaves nothing behind, not even by rounding or at the ends of the scale.

use rusqlite::{Connection, Row};

use super::{EdgeRow, delete, read, write};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::{EdgeOrigin, Ordinal};
use crate::store::{column, verdicts};

const RELATED: &str = "related_to";

/// By how much verdicts move edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    /// What two notes being cited together makes of no edge.
    pub(crate) initial: f64,
    /// Added whenever they are cited together with an edge between them.
    pub(crate) raise: f64,
    /// Taken by a misleading verdict on either end.
    pub(crate) take: f64,
}

/// What became of edges.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    pub(crate) kept: Vec<EdgeRow>,
    /// Learned edges with no ground left.
    pub(crate) removed: Vec<EdgeRow>,
}

/// What an edge's weight is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    /// `None` of a learned edge.
    pub(crate) stated: Option<f64>,
    /// The last verdict that says nothing of the edge, since it was there only later.
    pub(crate) since: i64,
    /// Receipts since then that cited both ends.
    pub(crate) raised: u64,
    /// Misleading verdicts on either end since then.
    pub(crate) taken: u64,
}

impl Standing {
    /// Of an edge that is stated now: what was said of its notes before is for whoever states it to weigh.
    pub(super) fn stated(conn: &Connection, weight: f64) -> Result<Self> {
        Ok(Self { stated: Some(weight), since: verdicts::latest(conn)?, raised: 0, taken: 0 })
    }

    /// `stated + raise · raised`, of a learned edge `initial + raise · (raised − 1)`; 1 at most, less `take · taken`,
    /// and 0 at least.
    pub(super) fn weight(&self, steps: Steps) -> f64 {
        let raised = match self.stated {
            Some(stated) => stated + steps.raise * self.raised as f64,
            None => steps.initial + steps.raise * self.raised.saturating_sub(1) as f64,
        };
        (raised.min(1.0) - steps.take * self.taken as f64).clamp(0.0, 1.0)
    }

    fn of(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            stated: row.get("stated")?,
            since: row.get("since")?,
            raised: column::count(row, "raised")?,
            taken: column::count(row, "taken")?,
        })
    }
}

/// Brings every edge that touches note `ord` to the misleading verdicts that stand; gives those that moved, by id.
pub(crate) fn misled(conn: &Connection, ord: Ordinal, steps: Steps, now: Timestamp) -> Result<Vec<EdgeRow>> {
    let known = many(conn, "from_ord = ?1 OR to_ord = ?1", [ord])?;
    let mut moved = Vec::new();
    for (edge, standing) in known {
        let taken = verdicts::misleading_since(conn, (edge.from_ord, edge.to_ord), standing.since)?;
        if taken != standing.taken {
            moved.push(settle(conn, &edge, Standing { taken, ..standing }, steps, now)?);
        }
    }
    Ok(moved)
}

/// Brings the `related_to` edges between two notes, stated in whichever direction, to the receipts that cite both.
/// `event` is the later of the two citations that now hold on the receipt being judged, `None` when they no longer do.
/// `namespace` is the one in which both are cited there; without one, no learned edge is made. An edge counts the receipts
/// that cite both in its own namespace.
pub(crate) fn cited_together(
    conn: &Connection,
    pair: (Ordinal, Ordinal),
    namespace: Option<&str>,
    event: Option<i64>,
    steps: Steps,
    now: Timestamp,
) -> Result<Moved> {
    let (a, b) = (pair.0.min(pair.1), pair.0.max(pair.1));
    let known = between(conn, a, b)?;
    let mut moved = Moved::default();
    let mut there = false;
    for (edge, mut standing) in known {
        let here = Some(edge.namespace.as_str()) == namespace;
        there |= here;
        let learned = edge.origin == EdgeOrigin::Learned;
        if !learned && !here && standing.raised == 0 {
            continue;
        }
        if learned
            && here
            && let Some(event) = event
        {
            // It is as old as the oldest citation that it rests on.
            standing.since = standing.since.min(event - 1);
        }
        let grounds = verdicts::co_cited_since(conn, (a, b), &edge.namespace, standing.since)?;
        match grounds.oldest {
            None if learned => {
                delete(conn, &edge.edge_id)?;
                moved.removed.push(edge);
                continue;
            }
            Some(oldest) if learned => standing.since = oldest - 1,
            _ => {}
        }
        standing.raised = grounds.count;
        standing.taken = verdicts::misleading_since(conn, (a, b), standing.since)?;
        moved.kept.push(settle(conn, &edge, standing, steps, now)?);
    }
    if let (Some(namespace), Some(event), false) = (namespace, event, there) {
        let since = event - 1;
        let raised = verdicts::co_cited_since(conn, (a, b), namespace, since)?.count;
        let taken = verdicts::misleading_since(conn, (a, b), since)?;
        let standing = Standing { stated: None, since, raised, taken };
        let made = EdgeRow {
            edge_id: String::new(),
            from_ord: a,
            to_ord: b,
            edge_type: RELATED.into(),
            namespace: namespace.into(),
            weight: standing.weight(steps),
            origin: EdgeOrigin::Learned,
            provenance: None,
            evidence: None,
            conflict_state: None,
            created_at: now,
            updated_at: now,
        };
        moved.kept.push(write(conn, &made, standing)?);
    }
    Ok(moved)
}

/// The stated edges that verdicts moved, by id, with how they stand.
pub(crate) fn moved(conn: &Connection) -> Result<Vec<(EdgeRow, Standing)>> {
    many(conn, "stated IS NOT NULL AND (raised > 0 OR taken > 0)", [])
}

/// Takes everything that verdicts did to edges back: learned ones go, stated ones weigh what they were stated as.
pub(crate) fn unlearn(conn: &Connection, now: Timestamp) -> Result<Moved> {
    let removed = super::many(&mut conn.prepare_cached("DELETE FROM edges WHERE origin = 'learned' RETURNING *")?, [])?;
    let mut statement = conn.prepare_cached(
        "UPDATE edges SET weight = stated, raised = 0, taken = 0, updated_at = ?1
         WHERE stated IS NOT NULL AND (raised > 0 OR taken > 0) RETURNING *",
    )?;
    let kept = super::many(&mut statement, [now.micros()])?;
    Ok(Moved { kept, removed })
}

/// Writes how an edge stands, and gives it so.
fn settle(conn: &Connection, edge: &EdgeRow, standing: Standing, steps: Steps, now: Timestamp) -> Result<EdgeRow> {
    let mut statement = conn.prepare_cached(
        "UPDATE edges SET weight = ?2, since = ?3, raised = ?4, taken = ?5, updated_at = ?6 WHERE edge_id = ?1
         RETURNING *",
    )?;
    let settled = super::one(
        &mut statement,
        (
            &edge.edge_id,
            standing.weight(steps),
            standing.since,
            column::stored(standing.raised),
            column::stored(standing.taken),
            now.micros(),
        ),
    )?;
    settled.ok_or_else(|| Error::Corrupt(format!("edge {} is not there any more; run `terrace check`", edge.edge_id)))
}

/// The `related_to` edges between two notes, in both directions, by id. Two lookups: as one condition, SQLite walks all
/// edges of the type.
fn between(conn: &Connection, a: Ordinal, b: Ordinal) -> Result<Vec<(EdgeRow, Standing)>> {
    let direction = "SELECT * FROM edges WHERE from_ord = ?1 AND to_ord = ?2 AND type = 'related_to'";
    let mut found = collect(conn, direction, [a, b])?;
    found.extend(collect(conn, direction, [b, a])?);
    found.sort_by(|(a, _), (b, _)| a.edge_id.cmp(&b.edge_id));
    Ok(found)
}

/// The edges of this condition by id, with how they stand.
fn many(conn: &Connection, condition: &str, params: impl rusqlite::Params) -> Result<Vec<(EdgeRow, Standing)>> {
    collect(conn, &format!("SELECT * FROM edges WHERE {condition} ORDER BY edge_id"), params)
}

fn collect(conn: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<(EdgeRow, Standing)>> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((read(row)?, Standing::of(row)?));
    }
    Ok(found)
}
