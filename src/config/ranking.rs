//! Fusion and reranking.

use serde::Serialize;

/// Weights of the scouts in the convex combination, in canonical order; used in proportion to their sum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoutWeights {
    /// `scout_lexical`.
    pub lexical: f32,
    /// `scout_vector`.
    pub vector: f32,
    /// `scout_graph`.
    pub graph: f32,
    /// `scout_tag`.
    pub tag: f32,
    /// `scout_path`.
    pub path: f32,
    /// `scout_task_context`. Most of what it can say is what earlier queries ended up citing; where it says nothing, all
    /// scores are lower by one factor and stand in the same order.
    pub task_context: f32,
    /// `scout_recency`.
    pub recency: f32,
}

impl Default for ScoutWeights {
    fn default() -> Self {
        Self { lexical: 0.47, vector: 0.16, graph: 0.12, tag: 0.03, path: 0.14, task_context: 0.6, recency: 0.02 }
    }
}

impl ScoutWeights {
    /// No scout counts.
    pub const ZERO: Self =
        Self { lexical: 0.0, vector: 0.0, graph: 0.0, tag: 0.0, path: 0.0, task_context: 0.0, recency: 0.0 };

    /// The weight of a scout by its canonical name, such as `scout_lexical`; `None` for a name that no scout has.
    ///
    /// ```
    /// let mut weights = terrace::ScoutWeights::default();
    /// *weights.get_mut("scout_vector").unwrap() = 0.0;
    /// assert_eq!(weights.vector, 0.0);
    /// assert!(weights.get_mut("vector").is_none());
    /// ```
    pub fn get_mut(&mut self, scout: &str) -> Option<&mut f32> {
        match scout {
            "scout_lexical" => Some(&mut self.lexical),
            "scout_vector" => Some(&mut self.vector),
            "scout_graph" => Some(&mut self.graph),
            "scout_tag" => Some(&mut self.tag),
            "scout_path" => Some(&mut self.path),
            "scout_task_context" => Some(&mut self.task_context),
            "scout_recency" => Some(&mut self.recency),
            _ => None,
        }
    }

    /// The weights in canonical order, scaled to sum to 1; all zero when none is positive.
    pub fn normalised(&self) -> [f32; 7] {
        let raw = [self.lexical, self.vector, self.graph, self.tag, self.path, self.task_context, self.recency]
            .map(|weight| if weight.is_finite() { weight.max(0.0) } else { 0.0 });
        let sum: f32 = raw.iter().sum();
        if sum > 0.0 { raw.map(|weight| weight / sum) } else { raw }
    }
}

/// Fusion and reranking.
#[derive(Clone, Debug, Serialize)]
pub struct RankingConfig {
    /// Scout weights before anything is learned.
    pub weights: ScoutWeights,
    /// Boost of title and aliases over the body in BM25; default 0.3.
    pub name_boost: f32,
    /// BM25 calibration: `s / (s + κ·Σ idf)`; default 0.7.
    pub lexical_kappa: f32,
    /// Largest |δ| of salience; default 0.05.
    pub salience_delta: f64,
    /// Largest δ of usage; at most 0.0025, so that popularity moves no score by more than 0.5 %. Default 0.0025.
    pub usage_delta: f64,
    /// Largest δ of recency; default 0.01.
    pub recency_delta: f64,
    /// Largest |δ| of the note type's prior; default 0.01.
    pub note_type_delta: f64,
    /// Largest δ of graph affinity; default 0.03.
    pub graph_delta: f64,
    /// Largest |δ| of the knowledge status; default 0.02.
    pub status_delta: f64,
    /// Factor on a note that nearly repeats a better one; default 0.85.
    pub near_duplicate_factor: f64,
    /// Jaccard similarity of content shingles from which two notes nearly repeat each other; default 0.8.
    pub near_duplicate_jaccard: f64,
}

impl Default for RankingConfig {
    fn default() -> Self {
        Self {
            weights: ScoutWeights::default(),
            name_boost: 0.3,
            lexical_kappa: 0.7,
            salience_delta: 0.05,
            usage_delta: 0.0025,
            recency_delta: 0.01,
            note_type_delta: 0.01,
            graph_delta: 0.03,
            status_delta: 0.02,
            near_duplicate_factor: 0.85,
            near_duplicate_jaccard: 0.8,
        }
    }
}
