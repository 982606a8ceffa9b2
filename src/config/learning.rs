//! Learning: what callers' verdicts may teach retrieval, and how sure it has to be.

/// What verdicts teach retrieval beyond the notes' own statistics: associations, and the weights of fusion and reranking.
///
/// Weights are trained by [`Engine::maintain`](crate::Engine::maintain) on the receipts that callers judged: a pairwise
/// logistic model, cited above not cited, in which a citation at rank r weighs `min(√r, max_position_weight)`, since what
/// stands lower is looked at less (Joachims, Swaminathan and Schnabel, arXiv 1608.04468, with exponent ½). Each receipt
/// counts once, however many notes it cites. The shipped weights are the prior: Gaussian, of the two spreads below.
///
/// They are adopted behind a gate. The receipts, grouped by question, are dealt into folds; each fold is ranked by weights
/// trained on the others and by the shipped ones, and compared by the nDCG of its citations. With enough judged receipts,
/// enough discordant questions, and a Wilson lower bound of the share of them that gained above `min_lower_bound`, the
/// learned weights are blended in by `min(max_blend, blend_slope · (bound − min_lower_bound))`; else the shipped ones stand. The next
/// training decides anew.
#[derive(Clone, Debug)]
pub struct LearningConfig {
    /// Whether verdicts still teach associations and weights. What was learned before stays in force; see
    /// [`Engine::reset_learned`](crate::Engine::reset_learned) to drop it. Default true.
    pub enabled: bool,
    /// Whether verdicts teach associations; default true.
    pub association: bool,
    /// Whether verdicts teach weights; default true.
    pub weights: bool,
    /// Judged receipts that are trained on, the newest ones; default 2000.
    pub max_receipts: usize,
    /// Judged receipts without which nothing is adopted; default 100.
    pub min_receipts: usize,
    /// Discordant questions without which nothing is adopted: those whose citations the two weightings rank differently.
    /// Receipts that asked the same count as one: they say the same of other questions. Default 20.
    pub min_discordant: usize,
    /// z of the Wilson bound; default 2.
    pub wilson_z: f64,
    /// Lower bound of the share of discordant questions that gain, above which weights are adopted; default 0.52.
    pub min_lower_bound: f64,
    /// The most that learned weights count beside the shipped ones; default 0.7.
    pub max_blend: f64,
    /// How fast they count for more with the bound; default 5.
    pub blend_slope: f64,
    /// Clip of a citation's position weight; default 5.
    pub max_position_weight: f64,
    /// How much a pair with a misleading note counts, against 1 for an ignored one; default 3.
    pub misleading_weight: f64,
    /// Slope of the logistic model per unit of score; default 20.
    pub slope: f64,
    /// Spread of the prior of a scout's weight, all of them being 1 in sum; default 0.1.
    pub scout_spread: f64,
    /// Spread of the prior of a rerank factor, as a multiple of the shipped one; default 0.5.
    pub factor_spread: f64,
}

impl Default for LearningConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            association: true,
            weights: true,
            max_receipts: 2000,
            min_receipts: 100,
            min_discordant: 20,
            wilson_z: 2.0,
            min_lower_bound: 0.52,
            max_blend: 0.7,
            blend_slope: 5.0,
            max_position_weight: 5.0,
            misleading_weight: 3.0,
            slope: 20.0,
            scout_spread: 0.1,
            factor_spread: 0.5,
        }
    }
}
