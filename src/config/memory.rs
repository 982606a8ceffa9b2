//! Reinforcement, decay and association.

/// Reinforcement and decay: how verdicts and idle time move a note.
#[derive(Clone, Debug)]
pub struct MemoryConfig {
    /// Salience of a new note; default 0.5.
    pub initial_salience: f64,
    /// Added to salience by a citation; default 0.02.
    pub cited_salience: f64,
    /// Added to `spaced_rep_strength` by a citation; default 0.05.
    pub cited_strength: f64,
    /// Taken from salience by a misleading verdict; default 0.05.
    pub misleading_salience: f64,
    /// Taken from every incident asserted or learned edge by a misleading verdict, to 0 at least, and given back with it;
    /// default 0.05.
    pub misleading_edge: f64,
    /// Misleading verdicts that quarantine a note; default 3.
    pub quarantine_after: u64,
    /// Taken from salience per ignored verdict beyond the grace; default 0.02.
    pub ignored_salience: f64,
    /// Ignored verdicts that cost nothing; default 5.
    pub ignored_grace: u64,
    /// Weight of a `related_to` edge that co-citation creates; default 0.5.
    pub related_initial: f64,
    /// Added to it by each further co-citation; default 0.03.
    pub related_step: f64,
    /// `lcma.salience_floor`: what idle time erodes salience toward; default 0.3.
    pub salience_floor: f64,
    /// Decay per idle day, divided by `max(1, spaced_rep_strength)`; default 0.005.
    pub decay_rate: f64,
    /// Idle days that cost nothing; default 7.
    pub decay_grace_days: f64,
    /// Days after which an unseen entry leaves working memory; default 7.
    pub working_memory_days: f64,
    /// Coactivation pairs kept per note; default 32.
    pub coactivation_per_note: usize,
    /// Queries that led to cited notes.
    pub association: AssociationConfig,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            initial_salience: 0.5,
            cited_salience: 0.02,
            cited_strength: 0.05,
            misleading_salience: 0.05,
            misleading_edge: 0.05,
            quarantine_after: 3,
            ignored_salience: 0.02,
            ignored_grace: 5,
            related_initial: 0.5,
            related_step: 0.03,
            salience_floor: 0.3,
            decay_rate: 0.005,
            decay_grace_days: 7.0,
            working_memory_days: 7.0,
            coactivation_per_note: 32,
            association: AssociationConfig::default(),
        }
    }
}

/// Association: how a note is found again by the queries that ended up citing it.
///
/// How like a query is to a trace is `0.6·cosine of their vectors + 0.4·cosine of their terms`, terms weighted by idf. A
/// note scores as its best trace, for similarities above its floor f:
/// `strength · ((similarity − f)/(1 − f))^1.3 · trust / (1 + unlike/breadth)²`. The floor is τ, or higher where questions
/// that led to other notes are as much like the query (`rivals`). Trust is learned by
/// [`Engine::maintain`](crate::Engine::maintain): at similarities where callers seldom cited what was proposed, proposals
/// count less. The defaults were chosen by simulated feedback (`terrace eval --feedback`) on seven judged sets. A verdict of ignored makes no trace and moves
/// none: whoever reads a list leaves most of it unnamed, which says little of what those notes answer.
#[derive(Clone, Debug)]
pub struct AssociationConfig {
    /// τ: how like a trace a query has to be, 0 to 1; default 0.25.
    pub min_similarity: f32,
    /// How many questions that led to other notes, and not to this one, may be more like the query before the next one's
    /// similarity is the note's floor instead of τ; default 1.
    pub rivals: usize,
    /// Similarity from which a misleading verdict weakens a trace; default 0.5.
    pub misleading_similarity: f32,
    /// Similarity from which two queries are kept as one trace; default 0.95.
    pub merge_similarity: f32,
    /// Traces kept per note; default 16.
    pub per_note: usize,
    /// Citations, decayed, at which a trace has half of its full strength; default 0.25.
    pub half_strength: f64,
    /// Days in which a verdict's weight in a trace halves; default 90.
    pub half_life_days: f64,
    /// Days after which it is forgotten; default 365.
    pub forget_days: f64,
    /// The rate at which callers cite what it proposes from which a proposal counts in full; default 0.25.
    pub trusted_rate: f32,
    /// How many judged proposals, half of them cited, what is known of that rate is weighed against; default 8.
    pub trust_prior: f32,
    /// How many unlike traces beside it take a trace to a quarter: a note that is cited for everything answers nothing
    /// in particular. Default 2.
    pub breadth: f32,
}

impl Default for AssociationConfig {
    fn default() -> Self {
        Self {
            min_similarity: 0.25,
            rivals: 1,
            misleading_similarity: 0.5,
            merge_similarity: 0.95,
            per_note: 16,
            half_strength: 0.25,
            half_life_days: 90.0,
            forget_days: 365.0,
            trusted_rate: 0.25,
            trust_prior: 8.0,
            breadth: 2.0,
        }
    }
}
