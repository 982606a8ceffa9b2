//! A note that a query names, and how.

use std::fmt;

use crate::model::Ordinal;

/// In what way the query names a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NamedHow {
    Id,
    IdPrefix,
    Path,
    Title,
    Alias,
    FileName,
    Misspelt,
}

impl fmt::Display for NamedHow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Id => "id",
            Self::IdPrefix => "id by its beginning",
            Self::Path => "path",
            Self::Title => "title",
            Self::Alias => "alias",
            Self::FileName => "file name",
            Self::Misspelt => "name, misspelt",
        })
    }
}

/// A note that the query names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Named {
    pub ord: Ordinal,
    pub how: NamedHow,
    /// How much of the query the name accounts for, 0 to 1.
    pub share: f32,
}
