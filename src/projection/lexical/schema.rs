//! The fields, and the tokenizer that only takes apart what was joined.

use tantivy::schema::{Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{Index, TantivyDocument, Term};

use super::LexicalDoc;

/// Stands between terms on their way into tantivy; text analysis never leaves a control character in a term.
const SEPARATOR: char = '\u{1f}';
const TOKENIZER: &str = "terrace-terms";

/// The field of the note's ordinal: a fast column to read it, and indexed so that a note can be deleted by it.
pub(super) const ORD: &str = "ord";

/// The handles of the three fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    pub(super) ord: Field,
    pub(super) name: Field,
    pub(super) body: Field,
}

/// The schema this release writes.
pub(super) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let terms = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    let text = TextOptions::default().set_indexing_options(terms);
    let fields = Fields {
        ord: builder.add_u64_field(ORD, NumericOptions::default().set_fast().set_indexed()),
        name: builder.add_text_field("name", text.clone()),
        body: builder.add_text_field("body", text),
    };
    (builder.build(), fields)
}

/// Makes the tokenizer known to an index that was opened or made.
pub(super) fn register(index: &Index) {
    index.tokenizers().register(TOKENIZER, Terms::default());
}

impl Fields {
    /// The note as tantivy takes it.
    pub(super) fn document(&self, doc: &LexicalDoc) -> TantivyDocument {
        let mut out = TantivyDocument::default();
        out.add_u64(self.ord, u64::from(doc.ord));
        out.add_text(self.name, joined(&doc.name_terms));
        out.add_text(self.body, joined(&doc.body_terms));
        out
    }

    /// The term by which a note is deleted.
    pub(super) fn key(&self, ord: u32) -> Term {
        Term::from_field_u64(self.ord, u64::from(ord))
    }
}

fn joined(terms: &[String]) -> String {
    let mut out = String::with_capacity(terms.iter().map(|term| term.len() + 1).sum());
    for term in terms {
        out.push_str(term);
        out.push(SEPARATOR);
    }
    out
}

#[derive(Clone, Default)]
struct Terms {
    token: Token,
}

struct TermStream<'a> {
    rest: &'a str,
    offset: usize,
    token: &'a mut Token,
}

impl Tokenizer for Terms {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream<'a> {
        self.token.reset();
        TermStream { rest: text, offset: 0, token: &mut self.token }
    }
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        while !self.rest.is_empty() {
            let (term, rest) = self.rest.split_once(SEPARATOR).unwrap_or((self.rest, ""));
            let start = self.offset;
            self.offset += self.rest.len() - rest.len();
            self.rest = rest;
            if !term.is_empty() {
                self.token.text.clear();
                self.token.text.push_str(term);
                self.token.offset_from = start;
                self.token.offset_to = start + term.len();
                self.token.position = self.token.position.wrapping_add(1);
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
