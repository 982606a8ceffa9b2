//! Halves of a set's queries: one to tune on, one to report.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Which queries of a set. A query's half follows from its set's name and its id alone, so that no run, order or
/// selection of queries moves it.
///
/// ```
/// use terrace::eval::Half;
/// assert!(Half::All.has("scifact", "42"));
/// assert_ne!(Half::Train.has("scifact", "42"), Half::Test.has("scifact", "42"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Half {
    /// For choosing weights.
    Train,
    /// For reporting what was chosen.
    Test,
    /// Both. The default.
    #[default]
    All,
}

/// Chosen once; another seed is another split.
const SEED: u64 = 1;

impl Half {
    /// The half, [`Half::Train`] or [`Half::Test`], of a query (seeded XXH3 of set and id).
    pub fn of(dataset: &str, query: &str) -> Self {
        let hash = xxh3_64_with_seed(format!("{dataset}\u{1f}{query}").as_bytes(), SEED);
        if hash & 1 == 0 { Self::Train } else { Self::Test }
    }

    /// Whether a query belongs to it.
    pub fn has(self, dataset: &str, query: &str) -> bool {
        self == Self::All || self == Self::of(dataset, query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_halves_are_about_equal() {
        let train = (0..1_000).filter(|at| Half::Train.has("set", &format!("q{at}"))).count();
        assert!((450..550).contains(&train), "{train}");
    }

    #[test]
    fn a_query_stays_in_its_half_for_ever() {
        let halves: Vec<Half> = ["1", "2", "3", "4"].into_iter().map(|id| Half::of("scifact", id)).collect();
        assert_eq!(halves, [Half::Test, Half::Train, Half::Train, Half::Test]);
    }
}
