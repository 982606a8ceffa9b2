//! What is rebuilt from the store: the catalog, the lexical and vector indexes, and how they catch up.

pub(crate) mod eligible;
pub(crate) mod lexical;
mod top;
pub(crate) mod vector;
