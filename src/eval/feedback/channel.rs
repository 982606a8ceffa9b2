//! The ways in which feedback teaches, each alone.

use serde::{Deserialize, Serialize};

use crate::config::Config;

/// One way in which a verdict bears on later answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Queries kept with the notes that they cited.
    Association,
    /// Weights of scouts and rerank factors.
    Weights,
    /// Salience of cited, ignored and misleading notes.
    Salience,
    /// Edges between notes that were cited together.
    Links,
}

impl Channel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Association, Self::Weights, Self::Salience, Self::Links];

    /// Its name, as in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Association => "association",
            Self::Weights => "weights",
            Self::Salience => "salience",
            Self::Links => "links",
        }
    }

    /// A configuration under which feedback teaches by it alone.
    pub(super) fn alone(self, config: &Config) -> Config {
        let mut alone = config.clone();
        alone.learning.association &= self == Self::Association;
        alone.learning.weights &= self == Self::Weights;
        if self != Self::Salience {
            alone.ranking.salience_delta = 0.0;
        }
        if self != Self::Links {
            alone.memory.related_initial = 0.0;
            alone.memory.related_step = 0.0;
        }
        alone
    }
}
