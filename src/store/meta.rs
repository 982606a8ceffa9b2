//! What the store knows of itself: a few named values.

use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

const EMBEDDER: &str = "embedder";
const ID_SEED: &str = "id_seed";
const STORE_NUMBER: &str = "store_number";
const FOLDED_RECEIPT: &str = "folded_receipt";
const LEARNED_WEIGHTS: &str = "learned_weights";
const ASSOCIATION_RATES: &str = "association_rates";

/// The value of `key`.
pub(crate) fn get(conn: &Connection, key: &str) -> Result<Option<String>> {
    let mut statement = conn.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}

/// Sets `key`, replacing what it had.
pub(crate) fn set(conn: &Connection, key: &str, value: &str) -> Result<()> {
    let mut statement =
        conn.prepare_cached("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2")?;
    statement.execute([key, value])?;
    Ok(())
}

/// The value of `key`, read as JSON.
pub(crate) fn get_json<T: DeserializeOwned>(conn: &Connection, key: &str) -> Result<Option<T>> {
    get(conn, key)?.map(|text| serde_json::from_str(&text).map_err(|reason| unreadable(key, &reason))).transpose()
}

/// Sets `key` to `value` as JSON.
pub(crate) fn set_json<T: Serialize>(conn: &Connection, key: &str, value: &T) -> Result<()> {
    let text = serde_json::to_string(value)
        .map_err(|reason| Error::invalid(format!("{key} cannot be written as JSON: {reason}")))?;
    set(conn, key, &text)
}

/// The embedder the store's vectors were made by.
pub(crate) fn embedder<T: DeserializeOwned>(conn: &Connection) -> Result<Option<T>> {
    get_json(conn, EMBEDDER)
}

/// States the embedder the store's vectors are made by.
pub(crate) fn set_embedder<T: Serialize>(conn: &Connection, identity: &T) -> Result<()> {
    set_json(conn, EMBEDDER, identity)
}

/// The weights that were trained last.
pub(crate) fn learned_weights<T: DeserializeOwned>(conn: &Connection) -> Result<Option<T>> {
    derived(conn, LEARNED_WEIGHTS)
}

/// The value of a key that training writes anew from receipts: one that cannot be read is as if it were not there, since
/// no store should stay shut for it.
fn derived<T: DeserializeOwned>(conn: &Connection, key: &str) -> Result<Option<T>> {
    match get_json(conn, key) {
        Err(Error::Corrupt(reason)) => {
            tracing::warn!(reason, "what training left does not count until `maintain` trains again");
            Ok(None)
        }
        read => read,
    }
}

/// Keeps trained weights in place of the last ones; `None`: forgets those.
pub(crate) fn set_learned_weights<T: Serialize>(conn: &Connection, weights: Option<&T>) -> Result<()> {
    match weights {
        Some(weights) => set_json(conn, LEARNED_WEIGHTS, weights),
        None => {
            conn.prepare_cached("DELETE FROM meta WHERE key = ?1")?.execute([LEARNED_WEIGHTS])?;
            Ok(())
        }
    }
}

/// What became of association's proposals, as of the last training; empty before the first.
pub(crate) fn association_rates<T: DeserializeOwned + Default>(conn: &Connection) -> Result<T> {
    Ok(derived(conn, ASSOCIATION_RATES)?.unwrap_or_default())
}

/// Keeps what became of association's proposals in place of what was known.
pub(crate) fn set_association_rates<T: Serialize>(conn: &Connection, rates: &T) -> Result<()> {
    set_json(conn, ASSOCIATION_RATES, rates)
}

/// Forgets what training left; answers whether there were trained weights.
pub(crate) fn forget_learned(conn: &Connection) -> Result<bool> {
    let mut statement = conn.prepare_cached("DELETE FROM meta WHERE key = ?1")?;
    statement.execute([ASSOCIATION_RATES])?;
    Ok(statement.execute([LEARNED_WEIGHTS])? > 0)
}

/// The seed of generated ids.
pub(crate) fn id_seed(conn: &Connection) -> Result<u64> {
    number(conn, ID_SEED)?.ok_or_else(|| Error::Corrupt("it has no seed for ids; restore it from a backup".into()))
}

/// The number by which its indexes know the store; 0 in a store that never took one.
pub(crate) fn store_number(conn: &Connection) -> Result<u64> {
    Ok(number(conn, STORE_NUMBER)?.unwrap_or(0))
}

/// The store's number, which is `fresh` from now on when it has none yet.
pub(crate) fn claim_store_number(conn: &Connection, fresh: u64) -> Result<u64> {
    match number(conn, STORE_NUMBER)? {
        Some(known) => Ok(known),
        None => set(conn, STORE_NUMBER, &fresh.to_string()).map(|()| fresh),
    }
}

/// The seed of generated ids, which is `fresh` from now on when the store has none yet.
pub(crate) fn claim_id_seed(conn: &Connection, fresh: u64) -> Result<u64> {
    match number(conn, ID_SEED)? {
        Some(seed) => Ok(seed),
        None => set(conn, ID_SEED, &fresh.to_string()).map(|()| fresh),
    }
}

/// The last receipt whose counters are in their tables; 0 before the first.
pub(crate) fn folded_receipt(conn: &Connection) -> Result<i64> {
    Ok(number(conn, FOLDED_RECEIPT)?.unwrap_or(0))
}

/// States the last receipt whose counters are in their tables.
pub(crate) fn set_folded_receipt(conn: &Connection, seq: i64) -> Result<()> {
    set(conn, FOLDED_RECEIPT, &seq.to_string())
}

/// The value of `key`, read as a whole number.
pub(crate) fn number<N: std::str::FromStr<Err = std::num::ParseIntError>>(
    conn: &Connection,
    key: &str,
) -> Result<Option<N>> {
    get(conn, key)?.map(|text| text.parse().map_err(|reason| unreadable(key, &reason))).transpose()
}

fn unreadable(key: &str, reason: &dyn std::fmt::Display) -> Error {
    Error::Corrupt(format!("its setting {key:?} cannot be read ({reason}); restore it from a backup"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::store;

    #[test]
    fn the_last_value_set_is_the_one_that_is_read() {
        let (_dir, store) = store();
        store.write(|conn| set(conn, "k", "1").and_then(|()| set(conn, "k", "2"))).unwrap();
        assert_eq!(store.read(|conn| get(conn, "k")).unwrap().as_deref(), Some("2"));
        assert_eq!(store.read(|conn| get(conn, "none")).unwrap(), None);
    }

    #[test]
    fn a_setting_that_is_not_a_number_is_damage_and_not_a_panic() {
        let (_dir, store) = store();
        store.write(|conn| set(conn, FOLDED_RECEIPT, "x")).unwrap();
        assert_eq!(store.read(folded_receipt).unwrap_err().code(), "corrupt");
    }

    #[test]
    fn nothing_is_folded_in_a_new_store() {
        let (_dir, store) = store();
        assert_eq!(store.read(folded_receipt).unwrap(), 0);
    }
}
