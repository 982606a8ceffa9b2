//! The passages' vectors, whole: one row per note, so that a large store opens with one statement.
//!
//! `passages` holds the indexes of the passages that have a vector, `data` their vectors in that order, both
//! little-endian. Values are not judged here: a number that is not finite comes back as it is stored.

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::model::Ordinal;
use crate::store::column;

/// The vectors of one note, each with the index of its passage.
pub(crate) type PassageVectors = Vec<(u32, Vec<f32>)>;

/// Replaces the vectors of note `ord`; no vectors forgets them.
///
/// # Errors
/// `invalid_input` when the vectors differ in width or have none.
pub(crate) fn put<V: AsRef<[f32]>>(conn: &Connection, ord: Ordinal, vectors: &[(u32, V)]) -> Result<()> {
    // A note without a vector has an empty row: it was embedded, and there was nothing to keep.
    let width = vectors.first().map_or(1, |(_, first)| first.as_ref().len());
    if width == 0 || vectors.iter().any(|(_, vector)| vector.as_ref().len() != width) {
        return Err(Error::invalid("the vectors of a note differ in width or are empty; expected one model's vectors"));
    }
    let passages: Vec<u32> = vectors.iter().map(|(passage, _)| *passage).collect();
    let mut data = Vec::with_capacity(vectors.len() * width * 4);
    for value in vectors.iter().flat_map(|(_, vector)| vector.as_ref()) {
        data.extend_from_slice(&value.to_le_bytes());
    }
    let mut statement = conn.prepare_cached(
        "INSERT INTO vectors (ord, passages, data) VALUES (?1, ?2, ?3)
         ON CONFLICT (ord) DO UPDATE SET passages = excluded.passages, data = excluded.data",
    )?;
    statement.execute((ord, column::to_blob(&passages), data))?;
    Ok(())
}

/// Forgets the vectors of note `ord`.
pub(crate) fn delete(conn: &Connection, ord: Ordinal) -> Result<()> {
    conn.prepare_cached("DELETE FROM vectors WHERE ord = ?1")?.execute([ord])?;
    Ok(())
}

/// Notes that have passages and no vectors, in order.
pub(crate) fn missing(conn: &Connection) -> Result<Vec<Ordinal>> {
    let mut statement = conn.prepare(
        "SELECT ord FROM notes WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.ord = notes.ord)
         AND EXISTS (SELECT 1 FROM passages p WHERE p.ord = notes.ord) ORDER BY ord",
    )?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Calls `f` with the vectors of every note that has some, in the order of their ordinals; `None` for a row whose
/// two parts do not fit each other.
pub(crate) fn for_each(
    conn: &Connection,
    mut f: impl FnMut(Ordinal, Option<PassageVectors>) -> Result<()>,
) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT ord, passages, data FROM vectors ORDER BY ord")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let blob = |index: usize| -> rusqlite::Result<_> { Ok(row.get_ref(index)?.as_blob()?) };
        f(row.get(0)?, decode(blob(1)?, blob(2)?))?;
    }
    Ok(())
}

/// Notes whose vectors are cut off, not finite or not `dims` wide, in order.
pub(crate) fn unusable(conn: &Connection, dims: usize) -> Result<Vec<Ordinal>> {
    let mut found = Vec::new();
    for_each(conn, |ord, rows| {
        let sound = |row: &[f32]| row.len() == dims && row.iter().all(|value| value.is_finite());
        let sound = rows.is_some_and(|rows| rows.iter().all(|(_, row)| sound(row)));
        if !sound {
            found.push(ord);
        }
        Ok(())
    })?;
    Ok(found)
}

fn decode(passages: &[u8], data: &[u8]) -> Option<PassageVectors> {
    if passages.is_empty() && data.is_empty() {
        return Some(Vec::new());
    }
    let (passages, left_over) = passages.as_chunks::<4>();
    let (values, cut_off) = data.as_chunks::<4>();
    if !left_over.is_empty() || !cut_off.is_empty() || values.len().checked_rem(passages.len()) != Some(0) {
        return None;
    }
    let width = values.len() / passages.len();
    if width == 0 {
        return None;
    }
    let rows = passages.iter().zip(values.chunks_exact(width));
    Some(
        rows.map(|(passage, row)| {
            (u32::from_le_bytes(*passage), row.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
        })
        .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::store_with_notes;

    fn all(store: &crate::store::Store) -> Vec<(Ordinal, Option<PassageVectors>)> {
        let mut seen = Vec::new();
        store
            .read(|conn| {
                for_each(conn, |ord, vectors| {
                    seen.push((ord, vectors));
                    Ok(())
                })
            })
            .unwrap();
        seen
    }

    #[test]
    fn vectors_come_back_bit_for_bit() {
        let (_dir, store) = store_with_notes(1);
        let vectors = vec![(0, vec![0.1, -0.0, f32::MIN_POSITIVE]), (4, vec![1.0, f32::MAX, 3.0])];
        store.write(|conn| put(conn, 1, &vectors)).unwrap();
        let found = all(&store);
        let bits = |vectors: &PassageVectors| -> Vec<_> {
            vectors.iter().map(|(p, v)| (*p, v.iter().map(|x| x.to_bits()).collect::<Vec<_>>())).collect()
        };
        assert_eq!((found.len(), found[0].0), (1, 1));
        assert_eq!(bits(found[0].1.as_ref().unwrap()), bits(&vectors));
    }

    #[test]
    fn a_note_put_without_vectors_loses_those_it_had_and_is_not_missing_any() {
        let (_dir, store) = store_with_notes(1);
        store.write(|conn| crate::store::passages::put(conn, 1, &["text"])).unwrap();
        assert_eq!(store.read(missing).unwrap(), [1]);
        store.write(|conn| put(conn, 1, &[(0, [1.0])])).unwrap();
        store.write(|conn| put::<Vec<f32>>(conn, 1, &[])).unwrap();
        assert_eq!(all(&store), [(1, Some(Vec::new()))]);
        assert!(store.read(missing).unwrap().is_empty());
    }

    #[test]
    fn vectors_of_unequal_width_are_refused() {
        let (_dir, store) = store_with_notes(1);
        let error = store.write(|conn| put(conn, 1, &[(0, vec![1.0]), (1, vec![1.0, 2.0])])).unwrap_err();
        assert_eq!(error.code(), "invalid_input");
    }

    #[test]
    fn a_number_that_is_not_finite_comes_back_for_the_caller_to_judge() {
        let (_dir, store) = store_with_notes(1);
        store.write(|conn| put(conn, 1, &[(0, [f32::NAN, 1.0])])).unwrap();
        let found = all(&store);
        assert!(found[0].1.as_ref().unwrap()[0].1[0].is_nan());
    }

    #[test]
    fn a_row_that_was_cut_off_is_told_apart_and_the_others_are_read() {
        for (passages, data) in [(4, 7), (4, 0), (3, 8), (0, 8), (12, 8)] {
            let (_dir, store) = store_with_notes(2);
            store
                .write(|conn| {
                    put(conn, 2, &[(0, [1.0])])?;
                    let blobs = (vec![0_u8; passages], vec![0_u8; data]);
                    Ok(conn.execute("INSERT INTO vectors VALUES (1, ?1, ?2)", blobs)?)
                })
                .unwrap();
            assert_eq!(all(&store), [(1, None), (2, Some(vec![(0, vec![1.0])]))], "{passages} and {data} bytes");
        }
    }
}
