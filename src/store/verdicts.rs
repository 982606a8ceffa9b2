//! Verdicts: one per receipt and note, in the order they were first given.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::{FinalNode, Ordinal, Verdict};
use crate::store::column;

/// What setting a verdict did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is the first on this receipt and note.
    New,
    /// It was given before; nothing changed.
    Same,
    /// It took the place of this one.
    Replaced(Verdict),
}

/// What is said of a note of a receipt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    pub(crate) receipt_seq: i64,
    pub(crate) ord: Ordinal,
    /// Of the note among the receipt's results, from 0.
    pub(crate) place: u32,
    /// The note's own.
    pub(crate) namespace: &'a str,
    pub(crate) verdict: Verdict,
    pub(crate) at: Timestamp,
}

/// Results of a receipt beyond which notes that are cited together are not taken as related: whoever cites a list of 1 000
/// names half a million pairs, and says nothing of any of them.
pub(crate) const PAIRED_PLACES: u32 = 100;

/// A verdict as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its place among all verdicts of the store.
    pub(crate) event: i64,
    pub(crate) receipt_seq: i64,
    pub(crate) ord: Ordinal,
    /// Of the note among the receipt's results, from 0.
    pub(crate) place: u32,
    /// That of the note when it was first judged here.
    pub(crate) namespace: String,
    pub(crate) verdict: Verdict,
    /// When the first verdict on this receipt and note was given.
    pub(crate) at: Timestamp,
}

/// States the verdict on a note of a receipt. One that replaces another takes over its number, its time and its
/// namespace, so that replaying a note's events gives what it would have been had the last verdict been the first.
pub(crate) fn set(conn: &Connection, given: Given<'_>) -> Result<Change> {
    let Given { receipt_seq, ord, place, namespace, verdict, at } = given;
    match get(conn, receipt_seq, ord)? {
        None => {
            let mut statement = conn.prepare_cached(
                "INSERT INTO verdicts (receipt_seq, ord, place, namespace, verdict, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            statement.execute((receipt_seq, ord, place, namespace, verdict.as_str(), at.micros()))?;
            Ok(Change::New)
        }
        Some(known) if known.verdict == verdict => Ok(Change::Same),
        Some(known) => {
            let mut statement = conn.prepare_cached("UPDATE verdicts SET verdict = ?2 WHERE event = ?1")?;
            statement.execute((known.event, verdict.as_str()))?;
            Ok(Change::Replaced(known.verdict))
        }
    }
}

/// The verdict on a note of a receipt.
pub(crate) fn get(conn: &Connection, receipt_seq: i64, ord: Ordinal) -> Result<Option<Event>> {
    let mut statement = conn.prepare_cached("SELECT * FROM verdicts WHERE receipt_seq = ?1 AND ord = ?2")?;
    let mut rows = statement.query((receipt_seq, ord))?;
    rows.next()?.map(read).transpose()
}

/// The verdicts on a note, in the order of their events.
pub(crate) fn of_note(conn: &Connection, ord: Ordinal) -> Result<Vec<Event>> {
    events(conn, "SELECT * FROM verdicts WHERE ord = ?1 ORDER BY event", i64::from(ord))
}

/// The verdicts on a receipt, in the order of their events.
pub(crate) fn of_receipt(conn: &Connection, receipt_seq: i64) -> Result<Vec<Event>> {
    events(conn, "SELECT * FROM verdicts WHERE receipt_seq = ?1 ORDER BY event", receipt_seq)
}

/// Calls `f` with every verdict, in the order of their events.
pub(crate) fn for_each(conn: &Connection, mut f: impl FnMut(Event) -> Result<()>) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT * FROM verdicts ORDER BY event")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        f(read(row)?)?;
    }
    Ok(())
}

/// Deletes every verdict; answers how many there were. Events go on counting from where they were.
pub(crate) fn clear(conn: &Connection) -> Result<u64> {
    Ok(conn.execute("DELETE FROM verdicts", [])? as u64)
}

/// How many receipts have a verdict.
pub(crate) fn judged_receipts(conn: &Connection) -> Result<u64> {
    let mut statement = conn.prepare_cached("SELECT count(DISTINCT receipt_seq) FROM verdicts")?;
    let count: Option<i64> = statement.query_row([], |row| row.get(0)).optional()?;
    Ok(count.unwrap_or(0).cast_unsigned())
}

/// The last of all verdicts; 0 when there is none.
pub(crate) fn latest(conn: &Connection) -> Result<i64> {
    let mut statement = conn.prepare_cached("SELECT max(event) FROM verdicts")?;
    let latest: Option<i64> = statement.query_row([], |row| row.get(0))?;
    Ok(latest.unwrap_or(0))
}

/// Receipts that cited both of two notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CoCited {
    pub(crate) count: u64,
    /// The event by which the first of them did.
    pub(crate) oldest: Option<i64>,
}

/// The receipts that cited both notes, then of this namespace, among their first [`PAIRED_PLACES`], by an event after
/// `since`.
pub(crate) fn co_cited_since(
    conn: &Connection,
    (a, b): (Ordinal, Ordinal),
    namespace: &str,
    since: i64,
) -> Result<CoCited> {
    let mut statement = conn.prepare_cached(
        "SELECT count(*), min(max(x.event, y.event)) FROM verdicts x JOIN verdicts y ON y.receipt_seq = x.receipt_seq
         WHERE x.ord = ?1 AND y.ord = ?2 AND x.verdict = 'cited' AND y.verdict = 'cited'
             AND x.namespace = ?3 AND y.namespace = ?3 AND x.place < ?4 AND y.place < ?4
             AND max(x.event, y.event) > ?5",
    )?;
    let key = (a, b, namespace, PAIRED_PLACES, since);
    let (count, oldest): (i64, _) = statement.query_row(key, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(CoCited { count: count.cast_unsigned(), oldest })
}

/// How many verdicts after `since` call one of these notes misleading.
pub(crate) fn misleading_since(conn: &Connection, (a, b): (Ordinal, Ordinal), since: i64) -> Result<u64> {
    let mut statement = conn.prepare_cached(
        "SELECT count(*) FROM verdicts WHERE ord IN (?1, ?2) AND verdict = 'misleading' AND event > ?3",
    )?;
    let count: i64 = statement.query_row((a, b, since), |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

/// A judged receipt, as training reads it.
pub(crate) struct JudgedRow {
    pub(crate) query: String,
    pub(crate) weights: BTreeMap<String, f64>,
    pub(crate) nodes: Vec<FinalNode>,
    /// The ordinals of `nodes`.
    pub(crate) ords: Vec<Ordinal>,
    pub(crate) verdicts: Vec<(Ordinal, Verdict)>,
}

/// Calls `each` with the newest `limit` receipts that have a verdict, newest first.
pub(crate) fn for_each_judged(conn: &Connection, limit: usize, mut each: impl FnMut(JudgedRow)) -> Result<()> {
    let mut statement = conn.prepare_cached(
        "SELECT seq, query, weights, final_nodes, final_ords FROM receipts
         WHERE seq IN (SELECT receipt_seq FROM verdicts) ORDER BY seq DESC LIMIT ?1",
    )?;
    let mut rows = statement.query([column::stored(limit as u64)])?;
    while let Some(row) = rows.next()? {
        match judged(conn, row) {
            Ok(judged) => each(judged),
            // One damaged receipt must not keep all others from being learned from; `check` names it.
            Err(Error::Corrupt(reason)) => tracing::warn!(reason, "a judged receipt is not learned from"),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn judged(conn: &Connection, row: &Row<'_>) -> Result<JudgedRow> {
    let events = of_receipt(conn, row.get("seq")?)?;
    Ok(JudgedRow {
        query: row.get("query")?,
        weights: column::json(row, "weights")?,
        nodes: column::json(row, "final_nodes")?,
        ords: column::from_blob(&row.get::<_, Vec<u8>>("final_ords")?),
        verdicts: events.into_iter().map(|event| (event.ord, event.verdict)).collect(),
    })
}

fn events(conn: &Connection, sql: &str, key: i64) -> Result<Vec<Event>> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([key])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        events.push(read(row)?);
    }
    Ok(events)
}

fn read(row: &Row<'_>) -> Result<Event> {
    Ok(Event {
        event: row.get("event")?,
        receipt_seq: row.get("receipt_seq")?,
        ord: row.get("ord")?,
        place: row.get("place")?,
        namespace: row.get("namespace")?,
        verdict: column::named(row, "verdict", Verdict::parse)?,
        at: column::time(row, "at")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::notes;
    use crate::store::testing::{NOW, store_with_notes};

    fn say(conn: &Connection, receipt_seq: i64, ord: Ordinal, verdict: Verdict, at: Timestamp) -> Result<Change> {
        set(conn, Given { receipt_seq, ord, place: 0, namespace: "default", verdict, at })
    }

    #[test]
    fn a_repeated_verdict_changes_nothing() {
        let (_dir, store) = store_with_notes(1);
        let cite = || store.write(|conn| say(conn, 5, 1, Verdict::Cited, NOW)).unwrap();
        assert_eq!(cite(), Change::New);
        assert_eq!(cite(), Change::Same);
        assert_eq!(store.read(|conn| of_receipt(conn, 5)).unwrap().len(), 1);
    }

    #[test]
    fn a_changed_verdict_keeps_its_place_and_its_time() {
        let (_dir, store) = store_with_notes(1);
        let later = NOW.plus_days(1.0);
        let change = store
            .write(|conn| {
                say(conn, 1, 1, Verdict::Cited, NOW)?;
                say(conn, 2, 1, Verdict::Ignored, NOW)?;
                say(conn, 1, 1, Verdict::Misleading, later)
            })
            .unwrap();
        assert_eq!(change, Change::Replaced(Verdict::Cited));
        let events = store.read(|conn| of_note(conn, 1)).unwrap();
        let seen: Vec<_> = events.iter().map(|event| (event.receipt_seq, event.verdict, event.at)).collect();
        assert_eq!(seen, [(1, Verdict::Misleading, NOW), (2, Verdict::Ignored, NOW)]);
    }

    #[test]
    fn two_notes_are_cited_together_in_one_namespace_and_high_up() {
        let (_dir, store) = store_with_notes(3);
        let cite = |receipt_seq, ord, place, namespace| {
            let given = Given { receipt_seq, ord, place, namespace, verdict: Verdict::Cited, at: NOW };
            store.write(|conn| set(conn, given)).unwrap();
        };
        let together = |namespace| store.read(|conn| co_cited_since(conn, (1, 2), namespace, 0)).unwrap().count;
        cite(1, 1, 0, "old");
        cite(1, 2, 1, "old");
        cite(2, 1, 0, "new");
        cite(2, 2, 1, "old");
        cite(3, 1, 0, "new");
        cite(3, 2, PAIRED_PLACES, "new");
        assert_eq!((together("old"), together("new")), (1, 0));
    }

    #[test]
    fn judged_receipts_are_counted_once() {
        let (_dir, store) = store_with_notes(2);
        store
            .write(|conn| {
                say(conn, 1, 1, Verdict::Cited, NOW)?;
                say(conn, 1, 2, Verdict::Ignored, NOW)
            })
            .unwrap();
        assert_eq!(store.read(judged_receipts).unwrap(), 1);
        assert_eq!(store.read(|conn| of_receipt(conn, 1)).unwrap().len(), 2);
    }

    #[test]
    fn a_verdict_goes_with_its_note() {
        let (_dir, store) = store_with_notes(1);
        store.write(|conn| say(conn, 1, 1, Verdict::Cited, NOW)).unwrap();
        store.write(|conn| notes::delete(conn, 1)).unwrap();
        assert!(store.read(|conn| of_receipt(conn, 1)).unwrap().is_empty());
    }
}
