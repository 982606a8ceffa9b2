//! A query in tantivy's terms, and the score it gives one document.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{Bm25Weight, BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, Term};

use super::faults::backend;
use super::schema::Fields;
use super::statistics::Statistics;
use super::{LexicalParams, QueryWeight};
use crate::Result;

/// The clauses of a query that occur in the index, in an order that depends on the terms alone.
///
/// Float addition is not associative, so two notes with the same words have the same score only if their terms are
/// added in the same order. tantivy's own union adds them in the order of the documents that each term stands on;
/// therefore it only proposes candidates here, and [`Scorer`] decides.
pub(super) struct Compiled {
    clauses: Vec<Clause>,
}

struct Clause {
    field: Field,
    term: Term,
    boost: f32,
    doc_freq: u64,
    mean_length: f32,
    bm25: Bm25Weight,
}

impl Compiled {
    pub(super) fn new(
        statistics: &Statistics,
        fields: Fields,
        params: LexicalParams,
        terms: &[QueryWeight],
    ) -> Result<Self> {
        let total = statistics.docs();
        let mut clauses = Vec::with_capacity(terms.len() * 2);
        if total == 0 {
            return Ok(Self { clauses });
        }
        let terms = merged(terms);
        for (field, factor) in [(fields.body, 1.0), (fields.name, params.name_boost)] {
            let mean_length = statistics.mean_length(field);
            for (text, weight) in &terms {
                let term = Term::from_field_text(field, text);
                let boost = weight * factor;
                let doc_freq = statistics.frequency(&term)?;
                if doc_freq == 0 || !usable(boost) {
                    continue;
                }
                let bm25 = Bm25Weight::for_one_term_without_explain(doc_freq, total, mean_length).boost_by(boost);
                clauses.push(Clause { field, term, boost, doc_freq, mean_length, bm25 });
            }
        }
        Ok(Self { clauses })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.clauses.len()
    }

    /// The postings an exhaustive search reads.
    pub(super) fn postings(&self) -> u64 {
        self.clauses.iter().map(|clause| clause.doc_freq).sum()
    }

    /// The exact scorer for one segment.
    pub(super) fn scorer(&self, reader: &SegmentReader) -> Result<Scorer> {
        let mut cursors = Vec::with_capacity(self.clauses.len());
        for clause in &self.clauses {
            let inverted = reader.inverted_index(clause.field).map_err(backend)?;
            let postings = inverted.read_postings(&clause.term, IndexRecordOption::WithFreqs).map_err(backend)?;
            if let Some(postings) = postings {
                let norms = reader.get_fieldnorms_reader(clause.field).map_err(backend)?;
                cursors.push(Cursor { postings, norms, bm25: clause.bm25.clone() });
            }
        }
        Ok(Scorer { cursors })
    }

    /// The same query as one of tantivy's, and the factor from the exact score to its score.
    ///
    /// A union of term scorers under pure boosts keeps tantivy's block-max pruning. A single clause has to go
    /// without its boost, since neither a boost nor a union of one passes pruning on.
    pub(super) fn weight(&self, searcher: &Searcher, statistics: &Statistics) -> Result<(Box<dyn Weight>, f32)> {
        let scoring = EnableScoring::Enabled { searcher, statistics_provider: statistics };
        let query = |clause: &Clause| TermQuery::new(clause.term.clone(), IndexRecordOption::WithFreqs);
        if let [clause] = self.clauses.as_slice() {
            return Ok((query(clause).weight(scoring).map_err(backend)?, clause.boost.recip()));
        }
        let clauses = self.clauses.iter().map(|clause| -> (Occur, Box<dyn Query>) {
            (Occur::Should, Box::new(BoostQuery::new(Box::new(query(clause)), clause.boost)))
        });
        let union = BooleanQuery::new(clauses.collect());
        Ok((union.weight(scoring).map_err(backend)?, 1.0))
    }

    /// By how much tantivy's upper bounds may fall short of a score in this segment, as a factor of at least 1.
    ///
    /// * A block's bound is the score of the document that was best under the *segment's* mean length `a`; under the
    ///   index's mean length `b` another document of the block may be better. With `r = (¼ + ¾ l/mean)/tf` a score is
    ///   `1/(1 + 1.2 r)`, and changing the mean from `a` to `b` changes no two `r` against each other by more than
    ///   `max(a/b, b/a)`, hence no two scores.
    /// * A term's bound takes a document of nothing but that term, and lengths are rounded down by up to 1/8: such a
    ///   document can exceed it by `(b + 0.9)/(b + 0.8)`.
    /// * Sums are rounded: 2⁻²⁴ for each addition.
    pub(super) fn slack(&self, reader: &SegmentReader) -> Result<f32> {
        let mut factor = 1.0_f32;
        for clause in &self.clauses {
            let tokens = reader.inverted_index(clause.field).map_err(backend)?.total_num_tokens();
            let (here, all) = (tokens as f32 / reader.max_doc() as f32, clause.mean_length);
            if here > 0.0 && all > 0.0 {
                factor = factor.max(here / all).max(all / here).max((all + 0.9) / (all + 0.79));
            }
        }
        Ok(factor * (1.0 + (self.clauses.len() + 8) as f32 * 4.0 * f32::EPSILON))
    }
}

/// Scores the documents of one segment, which must be asked for in ascending order.
pub(super) struct Scorer {
    cursors: Vec<Cursor>,
}

impl Scorer {
    /// The exact score; 0 where no term occurs.
    pub(super) fn score(&mut self, doc: DocId) -> f32 {
        self.cursors.iter_mut().fold(0.0, |sum, cursor| sum + cursor.score_at(doc))
    }

    /// The postings lists, in the order in which scores are added.
    pub(super) fn cursors(&mut self) -> &mut [Cursor] {
        &mut self.cursors
    }
}

/// One term's place in its postings.
pub(super) struct Cursor {
    pub(super) postings: SegmentPostings,
    norms: FieldNormReader,
    bm25: Bm25Weight,
}

impl Cursor {
    /// The term's part in the score of the document it stands on.
    #[inline]
    pub(super) fn score(&self) -> f32 {
        self.bm25.score(self.norms.fieldnorm_id(self.postings.doc()), self.postings.term_freq())
    }

    fn score_at(&mut self, doc: DocId) -> f32 {
        if self.postings.doc() < doc {
            self.postings.seek(doc);
        }
        if self.postings.doc() == doc { self.score() } else { 0.0 }
    }
}

/// Equal terms added up, unusable ones left out, in alphabetical order.
pub(super) fn merged(terms: &[QueryWeight]) -> Vec<(&str, f32)> {
    let mut sorted: Vec<&QueryWeight> = terms.iter().filter(|term| usable(term.weight)).collect();
    sorted.sort_by(|a, b| a.term.cmp(&b.term).then(a.weight.total_cmp(&b.weight)));
    let mut out: Vec<(&str, f32)> = Vec::with_capacity(sorted.len());
    for term in sorted {
        match out.last_mut() {
            Some((last, weight)) if *last == term.term => *weight += term.weight,
            _ => out.push((&term.term, term.weight)),
        }
    }
    out
}

fn usable(weight: f32) -> bool {
    weight.is_finite() && weight > 0.0
}
