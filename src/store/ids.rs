//! Ids the engine makes: reproducible for a seed, unlike a count to look at, and never twice the same.
//!
//! An id is a prefix and 12 hex digits: a 48-bit number sent through a four-round Feistel network keyed by the
//! store's seed. A Feistel network is a permutation whatever its round function, so distinct numbers give
//! distinct ids, and the number can be read back from the id: receipts need no column and no index for theirs.

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::store::meta;

const HALF_BITS: u32 = 24;
const HALF: u64 = (1 << HALF_BITS) - 1;
const LARGEST: i64 = (1 << (2 * HALF_BITS)) - 1;
const ROUNDS: [u64; 4] = [0, 1, 2, 3];

/// What an id is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Receipt,
    Note,
    Task,
    Edge,
}

impl Kind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Receipt => "rcpt_",
            Self::Note => "note_",
            Self::Task => "task_",
            Self::Edge => "edge_",
        }
    }
}

/// The id of receipt number `seq`.
pub(crate) fn receipt_id(seed: u64, seq: i64) -> String {
    id(Kind::Receipt, seed, seq)
}

/// The number of the receipt of this id; `None` when no receipt of this store can have it.
pub(crate) fn receipt_seq(seed: u64, id: &str) -> Option<i64> {
    number(Kind::Receipt, seed, id)
}

/// Makes the next id of `kind`, passing over those a caller has chosen already.
///
/// Every call takes a number from the store's counter, so it belongs in the transaction that uses the id.
pub(crate) fn next(conn: &Connection, kind: Kind) -> Result<String> {
    let seed = meta::id_seed(conn)?;
    let (counter, taken) = match kind {
        Kind::Note => ("last_note_number", "SELECT 1 FROM notes WHERE id = ?1"),
        Kind::Task => ("last_task_number", "SELECT 1 FROM tasks WHERE id = ?1"),
        Kind::Edge => ("last_edge_number", "SELECT 1 FROM edges WHERE edge_id = ?1"),
        Kind::Receipt => return Err(Error::invalid("a receipt's id follows from its number; expected another kind")),
    };
    let mut last: i64 = meta::number(conn, counter)?.unwrap_or(0);
    let mut taken = conn.prepare_cached(taken)?;
    loop {
        last += 1;
        if last > LARGEST {
            return Err(Error::Unsupported(format!(
                "this store has made all {LARGEST} ids of its kind; choose your own"
            )));
        }
        let id = id(kind, seed, last);
        if !taken.exists([&id])? {
            meta::set(conn, counter, &last.to_string())?;
            return Ok(id);
        }
    }
}

fn id(kind: Kind, seed: u64, number: i64) -> String {
    // Numbers beyond 48 bits cannot come up: a store would write for 9 years at a million rows a second.
    let number = number.cast_unsigned() & (LARGEST.cast_unsigned());
    let (mut left, mut right) = (number >> HALF_BITS, number & HALF);
    for round in ROUNDS {
        (left, right) = (right, left ^ scramble(kind, seed, round, right));
    }
    format!("{}{:012x}", kind.prefix(), (left << HALF_BITS) | right)
}

fn number(kind: Kind, seed: u64, id: &str) -> Option<i64> {
    let digits = id.strip_prefix(kind.prefix())?;
    let lower_hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    if digits.len() != 12 || !digits.bytes().all(lower_hex) {
        return None;
    }
    let mixed = u64::from_str_radix(digits, 16).ok()?;
    let (mut left, mut right) = (mixed >> HALF_BITS, mixed & HALF);
    for round in ROUNDS.into_iter().rev() {
        (left, right) = (right ^ scramble(kind, seed, round, left), left);
    }
    Some(((left << HALF_BITS) | right).cast_signed())
}

fn scramble(kind: Kind, seed: u64, round: u64, half: u64) -> u64 {
    let salt = ((kind as u64) << 32) | (round << 24) | half;
    xxhash_rust::xxh3::xxh3_64_with_seed(&salt.to_le_bytes(), seed) & HALF
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::{note, store};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_receipts_number_comes_back_from_its_id(seed: u64, seq in 0..=LARGEST) {
            let id = receipt_id(seed, seq);
            prop_assert_eq!(id.len(), "rcpt_".len() + 12);
            prop_assert_eq!(receipt_seq(seed, &id), Some(seq));
        }

        #[test]
        fn every_well_formed_id_is_the_id_of_its_number(seed: u64, digits in "[0-9a-f]{12}") {
            let id = format!("rcpt_{digits}");
            let seq = receipt_seq(seed, &id).unwrap();
            prop_assert_eq!(receipt_id(seed, seq), id);
        }

        #[test]
        fn any_other_text_has_no_number(seed: u64, text in ".*") {
            prop_assume!(text.len() != 17);
            prop_assert_eq!(receipt_seq(seed, &text), None);
        }
    }

    #[test]
    fn an_id_in_upper_case_or_of_another_kind_has_no_number() {
        assert_eq!(receipt_seq(1, "rcpt_00000000000A"), None);
        assert_eq!(receipt_seq(1, "note_00000000000a"), None);
    }

    #[test]
    fn the_same_seed_makes_the_same_ids_and_another_seed_others() {
        assert_eq!(receipt_id(7, 1), receipt_id(7, 1));
        assert_ne!(receipt_id(7, 1), receipt_id(8, 1));
    }

    #[test]
    fn an_id_that_a_caller_took_is_passed_over() {
        let (_dir, store) = store();
        let taken = id(Kind::Note, store.seed(), 1);
        let made = store
            .write(|conn| {
                crate::store::notes::put(conn, &note(&taken), 0)?;
                next(conn, Kind::Note)
            })
            .unwrap();
        assert_eq!(made, id(Kind::Note, store.seed(), 2));
    }

    #[test]
    fn an_id_is_not_made_twice_though_its_note_was_deleted() {
        let (_dir, store) = store();
        let first = store.write(|conn| next(conn, Kind::Note)).unwrap();
        let second = store.write(|conn| next(conn, Kind::Note)).unwrap();
        assert_ne!(first, second);
    }
}
