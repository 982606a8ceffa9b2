//! The baseline of feedback: a cache of what was cited, by the query's exact words.

use rustc_hash::FxHashMap;

use super::session::{Question, Trained};
use crate::text;

/// What was cited, by the query's words without regard to case and punctuation.
pub(super) struct QueryCache(FxHashMap<Vec<String>, Vec<String>>);

impl QueryCache {
    /// What a pass of feedback leaves in it.
    pub fn of(questions: &[Question<'_>], trained: &[Trained]) -> Self {
        let mut cited: FxHashMap<Vec<String>, Vec<String>> = FxHashMap::default();
        for (question, trained) in questions.iter().zip(trained) {
            let known = cited.entry(text::words(question.text)).or_default();
            for id in trained.cited.iter().flatten() {
                if !known.contains(id) {
                    known.push(id.clone());
                }
            }
        }
        Self(cited)
    }

    /// The answer with what was cited for the same words before the rest; the first `k` of it.
    pub fn applied(&self, question: &Question<'_>, answer: &[(String, f64)], k: usize) -> Vec<(String, f64)> {
        let cited = self.0.get(&text::words(question.text)).map(Vec::as_slice).unwrap_or_default();
        let first = cited.iter().map(|id| (id.clone(), 1.0));
        let rest = answer.iter().filter(|(id, _)| !cited.contains(id)).cloned();
        first.chain(rest).take(k).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::judged;
    use super::*;

    #[test]
    fn only_a_query_of_the_same_words_gets_what_was_cited_for_them() {
        let judged = judged(&[]);
        let question = |text| Question { id: "q", text, judged: &judged };
        let trained = Trained { shown: vec!["a".into(), "b".into()], cited: Some(vec!["b".into()]) };
        let cache = QueryCache::of(&[question("Slugs in May?")], &[trained]);
        let answer = [("a".to_owned(), 0.9), ("b".to_owned(), 0.5)];
        let ids = |text| -> Vec<String> {
            cache.applied(&question(text), &answer, 2).into_iter().map(|(id, _)| id).collect()
        };
        assert_eq!(ids("slugs in may"), ["b", "a"]);
        assert_eq!(ids("slugs in june"), ["a", "b"]);
    }
}
