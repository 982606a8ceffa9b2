//! Streams of feedback: what a caller cites of what it was shown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::session::Question;
use crate::error::Result;
use crate::eval::metrics::Judgements;
use crate::random::Random;

/// How likely a citation of the noisy stream is wrong.
pub(super) const NOISE: f64 = 0.2;
/// Notes that the adversarial stream cites.
const POPULAR: usize = 5;

/// How callers cite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// The relevant notes.
    Clean,
    /// The relevant notes, but for every fifth an irrelevant one in its place.
    Noisy,
    /// A few popular notes wherever they are irrelevant, and nothing else.
    Adversarial,
}

/// One value for each stream of feedback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PerStream<T> {
    /// Callers cite the relevant notes among the results and ignore the rest.
    pub clean: T,
    /// As clean, but each citation is, with probability 0.2, of an irrelevant result instead.
    pub noisy: T,
    /// Callers cite, of the five notes that are most often shown without being relevant, those among the results that
    /// are not relevant to the query, and ignore the rest.
    pub adversarial: T,
}

impl<T> PerStream<T> {
    pub(super) fn try_from_fn(mut of: impl FnMut(Stream) -> Result<T>) -> Result<Self> {
        let (clean, noisy) = (of(Stream::Clean)?, of(Stream::Noisy)?);
        Ok(Self { clean, noisy, adversarial: of(Stream::Adversarial)? })
    }

    pub(super) fn map<U>(&self, mut of: impl FnMut(&T) -> U) -> PerStream<U> {
        PerStream { clean: of(&self.clean), noisy: of(&self.noisy), adversarial: of(&self.adversarial) }
    }
}

impl Stream {
    /// What is cited of the notes shown for a question, best first. Draws depend on the seed and the question alone.
    pub(super) fn cited(self, question: &Question<'_>, shown: &[String], popular: &[String], seed: u64) -> Vec<String> {
        let is_relevant = |id: &String| relevant(question.judged, id);
        let of = |wanted: &dyn Fn(&String) -> bool| -> Vec<String> {
            shown.iter().filter(|id| wanted(id)).cloned().collect()
        };
        match self {
            Self::Clean => of(&is_relevant),
            Self::Noisy => {
                // Another stream of numbers than the one that rewords the question.
                let mut random = Random::new(!seed, xxh3_64(question.id.as_bytes()));
                let mut wrong = of(&|id| !is_relevant(id));
                let mut cited = of(&is_relevant);
                for id in &mut cited {
                    if random.unit() < NOISE && !wrong.is_empty() {
                        *id = wrong.swap_remove(random.below(wrong.len() as u64) as usize);
                    }
                }
                cited
            }
            Self::Adversarial => of(&|id| popular.contains(id) && !is_relevant(id)),
        }
    }
}

/// The notes most often shown without being relevant; ties by id.
pub(super) fn popular<'a>(shown: impl Iterator<Item = (&'a Judgements, &'a [String])>) -> Vec<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for (judged, notes) in shown {
        for id in notes.iter().filter(|id| !relevant(judged, id)) {
            *times.entry(id).or_default() += 1;
        }
    }
    let mut most: Vec<(&str, usize)> = times.into_iter().collect();
    most.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    most.into_iter().take(POPULAR).map(|(id, _)| id.to_owned()).collect()
}

pub(super) fn relevant(judged: &Judgements, id: &str) -> bool {
    judged.get(id).is_some_and(|&score| score > 0.0)
}

#[cfg(test)]
mod tests {
    use super::super::tests::judged;
    use super::*;

    fn ids(of: &[&str]) -> Vec<String> {
        of.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn the_clean_stream_cites_the_relevant_among_the_shown() {
        let judged = judged(&["a", "c", "unseen"]);
        let question = Question { id: "q", text: "", judged: &judged };
        assert_eq!(Stream::Clean.cited(&question, &ids(&["c", "b", "a"]), &[], 1), ["c", "a"]);
    }

    #[test]
    fn the_noisy_stream_is_wrong_about_one_time_in_five() {
        let judged = judged(&["a", "b"]);
        let shown = ids(&["a", "b", "x", "y", "z"]);
        let mut wrong = 0;
        for at in 0..1_000 {
            let id = format!("q{at}");
            let question = Question { id: &id, text: "", judged: &judged };
            let cited = Stream::Noisy.cited(&question, &shown, &[], 1);
            assert!(cited.len() == 2 && cited[0] != cited[1], "{cited:?}");
            wrong += cited.iter().filter(|id| !judged.contains_key(*id)).count();
        }
        assert!((340..460).contains(&wrong), "{wrong} of 2000");
    }

    #[test]
    fn the_adversarial_stream_cites_popular_notes_only_where_they_are_irrelevant() {
        let judged = judged(&["a", "b"]);
        let question = Question { id: "q", text: "", judged: &judged };
        let popular = ids(&["x", "a", "absent"]);
        assert_eq!(Stream::Adversarial.cited(&question, &ids(&["a", "b", "x", "y"]), &popular, 1), ["x"]);
    }

    #[test]
    fn popular_are_the_notes_shown_most_often_without_being_relevant() {
        let (first, second) = (judged(&["a"]), judged(&["b"]));
        let shown = [(&first, ids(&["a", "x", "y"])), (&second, ids(&["a", "b", "x"])), (&second, ids(&["b"]))];
        let popular = popular(shown.iter().map(|(judged, shown)| (*judged, shown.as_slice())));
        assert_eq!(popular, ["x", "a", "y"]);
    }
}
