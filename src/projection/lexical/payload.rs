//! The line that travels with each commit: format, store and change sequence, guarded by a hash, since tantivy's own
//! checksums leave `meta.json` out.

use xxhash_rust::xxh3::xxh3_64;

/// The number of this layout of fields and terms; another number means the index is made anew.
pub(super) const FORMAT: u32 = 1;

/// The payload of a commit that has reached change `seq` of this store.
pub(super) fn write(store: u64, seq: u64) -> String {
    seal(FORMAT, store, seq)
}

/// The change sequence of this store's payload, or why it cannot be used.
pub(super) fn read(store: u64, payload: &str) -> Result<u64, String> {
    let mut parts = payload.split(' ');
    let (Some("terrace-lexical"), Some(format), Some(owner), Some(seq)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(format!("its commit is not terrace's: {payload:?}"));
    };
    let (Ok(format), Ok(owner), Ok(seq)) = (format.parse(), u64::from_str_radix(owner, 16), seq.parse()) else {
        return Err(format!("its commit line is damaged: {payload:?}"));
    };
    if payload != seal(format, owner, seq) {
        return Err(format!("its commit line is damaged: {payload:?}"));
    }
    if format != FORMAT {
        return Err(format!("it has format {format}, this release writes {FORMAT}"));
    }
    if owner != store {
        return Err("it belongs to another store".into());
    }
    Ok(seq)
}

/// The line with its hash, for any format.
pub(super) fn seal(format: u32, store: u64, seq: u64) -> String {
    let line = format!("terrace-lexical {format} {store:016x} {seq}");
    let hash = xxh3_64(line.as_bytes());
    format!("{line} {hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_gives_back_its_sequence_and_refuses_any_other_line() {
        assert_eq!(read(7, &write(7, 42)), Ok(42));
        assert!(read(7, &write(7, 42).replace(" 42 ", " 43 ")).unwrap_err().contains("damaged"));
        assert!(read(7, &seal(FORMAT + 1, 7, 42)).unwrap_err().contains("format"));
        assert!(read(8, &write(7, 42)).unwrap_err().contains("another store"));
        assert!(read(7, "something else").unwrap_err().contains("not terrace's"));
    }
}
