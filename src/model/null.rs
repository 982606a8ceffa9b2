//! `null` where a list may be left out.

use serde::{Deserialize, Deserializer};

/// The value, or its default for `null`.
pub(super) fn or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crate::model::{CacheLookup, RetrieveRequest, SearchRequest};

    #[test]
    fn null_tags_are_no_tags() {
        let json = r#"{"query": "q", "tags": null}"#;
        assert!(serde_json::from_str::<RetrieveRequest>(json).unwrap().tags.is_empty());
        assert!(serde_json::from_str::<SearchRequest>(json).unwrap().tags.is_empty());
        assert!(serde_json::from_str::<CacheLookup>(json).unwrap().tags.is_empty());
    }
}
