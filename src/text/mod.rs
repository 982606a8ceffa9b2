//! From bytes to terms: tokenising, passages, snippets, Markdown and front matter, tags, links, paths, URLs.

mod analyser;
mod fold;
mod names;
mod stem;

pub use analyser::{MAX_CAMEL_CHARS, MAX_TERM_BYTES, QueryTerm, Term, for_each_term, query_terms, terms};
pub use fold::{fold_case, is_blank};
pub use names::{name_key, words};
pub use stem::is_stop_word;
