//! A trace: a query that led to a note, as the note remembers it.

use xxhash_rust::xxh3::xxh3_64;

use crate::clock::Timestamp;
use crate::config::AssociationConfig;
use crate::projection::vector::{PreparedQuery, Row, row_cosine};

/// Verdicts that a trace keeps, the newest ones: by then its strength is all but full.
const MAX_EVENTS: usize = 8;
/// Terms that a trace keeps, the rarest ones.
const MAX_TERMS: usize = 64;
/// What the vectors count in how like two queries are, the rest being their words. Meaning alone takes questions of one
/// form for one need; chosen with [`AssociationConfig`]'s constants.
const MEANING: f32 = 0.6;
/// Longest question that a trace keeps, in characters.
const MAX_QUESTION: usize = 240;

/// Whom a trace serves: whoever may read the receipt that it was made of. What nobody in particular asked serves all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TraceScope {
    Everyone,
    Agent(String),
    Task(String),
}

impl TraceScope {
    /// That of a receipt. An agent's is the agent's alone, also where it worked on a task.
    pub(crate) fn of(agent_id: Option<&str>, task_id: Option<&str>) -> Self {
        match (agent_id, task_id) {
            (Some(agent), _) => Self::Agent(agent.to_owned()),
            (None, Some(task)) => Self::Task(task.to_owned()),
            (None, None) => Self::Everyone,
        }
    }

    /// Whether it serves this agent on this task.
    pub(crate) fn serves(&self, agent_id: Option<&str>, task_id: Option<&str>) -> bool {
        match self {
            Self::Everyone => true,
            Self::Agent(agent) => agent_id == Some(agent),
            Self::Task(task) => task_id == Some(task),
        }
    }
}

impl TraceScope {
    /// Whether everyone it serves may read the receipt, and so its question.
    pub(crate) fn names_its_question(&self) -> bool {
        *self != Self::Everyone
    }
}

/// A query's terms, each with its weight: how rare it was among the notes when the query was asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WeightedTerms {
    /// Hash and weight, by hash, so that two lists are compared in one pass.
    hashed: Vec<(u64, f32)>,
    /// In the same order.
    texts: Vec<String>,
    /// A bit for each term: lists without a bit in common have no term in common.
    mask: u128,
    norm: f32,
}

impl WeightedTerms {
    pub(crate) fn new(terms: impl IntoIterator<Item = (String, f32)>) -> Self {
        let mut terms: Vec<(u64, f32, String)> =
            terms.into_iter().map(|(text, weight)| (xxh3_64(text.as_bytes()), weight, text)).collect();
        terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        terms.truncate(MAX_TERMS);
        terms.sort_by_key(|(hash, ..)| *hash);
        terms.dedup_by_key(|(hash, ..)| *hash);
        let norm = terms.iter().map(|(_, weight, _)| weight * weight).sum::<f32>().sqrt();
        let mask = terms.iter().fold(0, |mask, (hash, ..)| mask | 1 << (hash % 128));
        let hashed = terms.iter().map(|(hash, weight, _)| (*hash, *weight)).collect();
        Self { hashed, texts: terms.into_iter().map(|(.., text)| text).collect(), mask, norm }
    }

    /// The terms and their weights, in a fixed order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        self.texts.iter().map(String::as_str).zip(self.hashed.iter().map(|(_, weight)| *weight))
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.hashed.is_empty()
    }

    /// The cosine of the two as vectors over terms, from 0 to 1.
    pub(crate) fn cosine(&self, other: &Self) -> f32 {
        if self.mask & other.mask == 0 {
            return 0.0;
        }
        let (mut a, mut b) = (self.hashed.iter().peekable(), other.hashed.iter().peekable());
        let mut product = 0.0;
        while let (Some((x, of_x)), Some((y, of_y))) = (a.peek(), b.peek()) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => a.next(),
                std::cmp::Ordering::Greater => b.next(),
                std::cmp::Ordering::Equal => {
                    product += of_x * of_y;
                    a.next();
                    b.next()
                }
            };
        }
        let norms = self.norm * other.norm;
        if norms > 0.0 { (product / norms).min(1.0) } else { 0.0 }
    }
}

/// A query as traces are compared with it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub vector: Option<PreparedQuery>,
    pub terms: WeightedTerms,
}

/// One verdict in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceEvent {
    pub receipt_seq: i64,
    pub at: Timestamp,
    /// Cited, or else misleading.
    pub cited: bool,
}

/// A query that led to a note.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    pub scope: TraceScope,
    /// The query's text, cut off where it is long.
    pub question: String,
    /// Equal for traces of one query.
    pub key: u64,
    pub terms: WeightedTerms,
    /// The query's vector as codes; `None` in a store without vectors.
    pub vector: Option<Row>,
    /// By time, then by receipt.
    pub events: Vec<TraceEvent>,
}

impl Trace {
    pub(crate) fn new(scope: TraceScope, question: &str, terms: WeightedTerms, vector: Option<Row>) -> Self {
        let question: String = question.chars().take(MAX_QUESTION).collect();
        let codes = vector.iter().flat_map(|row| &row.codes).map(|code| code.cast_unsigned());
        let key = xxh3_64(&question.bytes().chain(codes).collect::<Vec<u8>>());
        Self { scope, question, key, terms, vector, events: Vec::new() }
    }

    /// Takes a verdict in; beyond the eighth, the oldest is dropped.
    pub(crate) fn add(&mut self, event: TraceEvent) {
        self.events.push(event);
        self.events.sort_by_key(|event| (event.at, event.receipt_seq));
        if self.events.len() > MAX_EVENTS {
            self.events.remove(0);
        }
    }

    /// How much citations and misleading verdicts still weigh at `now`: each halves with every half-life that passes,
    /// and is forgotten in the end.
    fn weights(&self, now: Timestamp, config: &AssociationConfig) -> (f64, f64) {
        let (mut cited, mut misleading) = (0.0, 0.0);
        for event in &self.events {
            let age = now.days_since(event.at);
            if age > config.forget_days {
                continue;
            }
            let weight = 0.5_f64.powf(age / config.half_life_days);
            *(if event.cited { &mut cited } else { &mut misleading }) += weight;
        }
        (cited, misleading)
    }

    /// From 0 to 1: `c / (c + half_strength) · ½^m`, c and m the decayed numbers of citations and misleading verdicts.
    pub(crate) fn strength(&self, now: Timestamp, config: &AssociationConfig) -> f32 {
        let (cited, misleading) = self.weights(now, config);
        if cited <= 0.0 {
            return 0.0;
        }
        (cited / (cited + config.half_strength.max(0.0)) * 0.5_f64.powf(misleading)) as f32
    }

    /// Whether a citation is still remembered.
    pub(crate) fn is_live(&self, now: Timestamp, config: &AssociationConfig) -> bool {
        self.events.iter().any(|event| event.cited && now.days_since(event.at) <= config.forget_days)
    }

    /// Citations it keeps.
    pub(crate) fn citations(&self) -> usize {
        self.events.iter().filter(|event| event.cited).count()
    }

    /// How like the query is, 0 to 1: the cosines of the vectors and of the weighted terms, mixed; one of them where
    /// either side lacks the other.
    pub(crate) fn similarity_to(&self, asked: &Asked) -> f32 {
        let meaning = match (&asked.vector, &self.vector) {
            (Some(query), Some(row)) if query.width() == row.codes.len() => Some(query.cosine(&row.codes, row.factor)),
            _ => None,
        };
        mixed(meaning, &self.terms, &asked.terms)
    }

    /// The same between two traces.
    pub(crate) fn similarity(&self, other: &Self) -> f32 {
        let meaning = match (&self.vector, &other.vector) {
            (Some(a), Some(b)) if a.codes.len() == b.codes.len() => Some(row_cosine(a, b)),
            _ => None,
        };
        mixed(meaning, &self.terms, &other.terms)
    }
}

fn mixed(meaning: Option<f32>, a: &WeightedTerms, b: &WeightedTerms) -> f32 {
    match meaning.map(|cosine| cosine.max(0.0)) {
        Some(meaning) if a.is_empty() || b.is_empty() => meaning,
        Some(meaning) => MEANING * meaning + (1.0 - MEANING) * a.cosine(b),
        None => a.cosine(b),
    }
}
