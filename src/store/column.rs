//! Reading and writing the columns that SQLite has no type for. What does not read as it was written is damage.

use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::clock::Timestamp;
use crate::error::{Error, Result};

/// A list or map as JSON text.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|reason| Error::invalid(format!("cannot be written as JSON: {reason}")))
}

/// A column of JSON text.
pub(crate) fn json<T: DeserializeOwned>(row: &Row<'_>, name: &str) -> Result<T> {
    let text = row.get_ref(name)?.as_str().map_err(|reason| damaged(name, &reason))?;
    serde_json::from_str(text).map_err(|reason| damaged(name, &reason))
}

/// A column of JSON text that may be NULL.
pub(crate) fn optional_json<T: DeserializeOwned>(row: &Row<'_>, name: &str) -> Result<Option<T>> {
    let text = row.get_ref(name)?.as_str_or_null().map_err(|reason| damaged(name, &reason))?;
    text.map(|text| serde_json::from_str(text).map_err(|reason| damaged(name, &reason))).transpose()
}

/// A column of JSON that is kept as the text that was given.
pub(crate) fn raw_json(row: &Row<'_>, name: &str) -> Result<Option<Box<RawValue>>> {
    let text: Option<String> = row.get(name)?;
    text.map(|text| RawValue::from_string(text).map_err(|reason| damaged(name, &reason))).transpose()
}

/// A column that names one of a few things.
pub(crate) fn named<T>(row: &Row<'_>, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T> {
    let text = row.get_ref(name)?.as_str().map_err(|reason| damaged(name, &reason))?;
    parse(text).ok_or_else(|| damaged(name, &format!("unknown value {text:?}")))
}

/// A column of time.
pub(crate) fn time(row: &Row<'_>, name: &str) -> Result<Timestamp> {
    Ok(Timestamp::from_micros(row.get(name)?))
}

/// A column of time that may be NULL.
pub(crate) fn optional_time(row: &Row<'_>, name: &str) -> Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(name)?.map(Timestamp::from_micros))
}

/// A column that counts; a negative count, which nothing writes, reads as 0.
pub(crate) fn count(row: &Row<'_>, name: &str) -> Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(name)?).unwrap_or(0))
}

/// A count for a column; what SQLite cannot hold saturates.
pub(crate) fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Little-endian numbers one after the other.
pub(crate) fn to_blob(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The numbers of such a blob; bytes left over at its end are dropped.
pub(crate) fn from_blob(blob: &[u8]) -> Vec<u32> {
    blob.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// int8 codes, one byte each.
pub(crate) fn to_codes(codes: &[i8]) -> Vec<u8> {
    codes.iter().map(|code| code.cast_unsigned()).collect()
}

/// The codes of such a blob.
pub(crate) fn from_codes(blob: Vec<u8>) -> Vec<i8> {
    blob.into_iter().map(u8::cast_signed).collect()
}

fn damaged(name: &str, reason: &dyn std::fmt::Display) -> Error {
    Error::Corrupt(format!("column {name} cannot be read ({reason}); run `terrace check`"))
}
