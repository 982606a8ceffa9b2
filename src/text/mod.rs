//! From bytes to terms: tokenising, passages, snippets, Markdown and front matter, tags, links, paths, URLs.

mod analyser;
mod class;
mod dates;
mod fields;
mod fold;
mod front_matter;
#[cfg(test)]
mod front_matter_tests;
mod html;
mod identifier;
mod inline;
mod links;
mod markdown;
#[cfg(test)]
mod markdown_tests;
mod names;
mod passages;
mod paths;
mod shingles;
mod snippet;
mod stem;
mod tags;
mod urls;

pub use analyser::{MAX_TERM_BYTES, QueryTerm, Term, for_each_term, query_terms, terms};
pub use dates::parse_date;
pub use fold::{fold_case, is_blank};
pub(crate) use front_matter::is_access_word;
pub use front_matter::{FrontMatter, Split, parse_front_matter, split};
pub use identifier::MAX_CAMEL_CHARS;
pub use markdown::{Parsed, parse_markdown};
pub use names::{name_key, words};
pub use passages::{Passage, passages};
pub use paths::{folder, normalise_path, normalise_prefix, path_in_prefix, stem, strip_note_extension};
pub use shingles::{Sketch, jaccard, shingles};
pub(crate) use snippet::matching_snippet;
pub use snippet::{best_passage, snippet};
pub use stem::is_stop_word;
pub use tags::{fold_tag, tag_matches};
pub use urls::normalise_url;
