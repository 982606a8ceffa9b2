//! What the lexical index is given: notes and queries, both as terms.

/// One note as the index sees it, its texts already analysed into terms.
///
/// A term is any non-empty string without the unit separator U+001F; longer than 65 530 bytes it is left out.
#[derive(Debug, Clone, Default)]
pub struct LexicalDoc {
    /// The note's ordinal.
    pub ord: u32,
    /// The terms of title and aliases.
    pub name_terms: Vec<String>,
    /// The terms of title, aliases, tags and body.
    pub body_terms: Vec<String>,
}

/// One term of a query and how much it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryWeight {
    /// The analysed term.
    pub term: String,
    /// Its factor on the term's BM25 score; a weight that is not finite and positive leaves the term out.
    pub weight: f32,
}

/// How the two fields are put together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LexicalParams {
    /// The factor on the BM25 score of the name field, beside 1 for the body; not below 0.
    pub name_boost: f32,
}

impl Default for LexicalParams {
    /// `name_boost` 0.3.
    fn default() -> Self {
        Self { name_boost: 0.3 }
    }
}
