//! Synthetic corpora: notes whose words follow Zipf's law, with tags, paths and links, the same for the same seed.

use crate::clock::Timestamp;
use crate::model::Note;
use crate::random::Random;

/// What a synthetic corpus looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SyntheticOptions {
    /// How many notes.
    pub notes: usize,
    /// Words per note on average; lengths vary from half to one and a half of it. Default 120.
    pub words: usize,
    /// Distinct words. Default 50 000.
    pub vocabulary: usize,
    /// Seed of the generator. Default 1.
    pub seed: u64,
}

impl Default for SyntheticOptions {
    fn default() -> Self {
        Self { notes: 10_000, words: 120, vocabulary: 50_000, seed: 1 }
    }
}

/// A generator of notes and of queries over them.
///
/// ```
/// use terrace::eval::{SyntheticCorpus, SyntheticOptions};
/// let corpus = SyntheticCorpus::new(SyntheticOptions { notes: 3, ..SyntheticOptions::default() });
/// assert_eq!(corpus.note(1).body, corpus.note(1).body);
/// assert_eq!(corpus.notes(0..3).count(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct SyntheticCorpus {
    options: SyntheticOptions,
    words: Vec<String>,
    /// Cumulated `1 / rank` weights, scaled to end at 1.
    cumulated: Vec<f64>,
}

/// Words of a query on average.
const QUERY_WORDS: u64 = 4;
/// Notes per folder and per distinct topic tag.
const NOTES_PER_FOLDER: usize = 200;

impl SyntheticCorpus {
    /// Prepares the vocabulary.
    pub fn new(options: SyntheticOptions) -> Self {
        let size = options.vocabulary.max(1);
        let words = (0..size).map(word).collect();
        let mut cumulated: Vec<f64> = Vec::with_capacity(size);
        let mut sum = 0.0;
        for rank in 1..=size {
            sum += 1.0 / rank as f64;
            cumulated.push(sum);
        }
        cumulated.iter_mut().for_each(|weight| *weight /= sum);
        Self { options, words, cumulated }
    }

    /// Note number `at`.
    pub fn note(&self, at: usize) -> Note {
        let mut random = Random::new(self.options.seed, at as u64);
        let average = self.options.words.max(2) as u64;
        let length = average / 2 + random.below(average + 1);
        let text = |random: &mut Random, length: u64| {
            let mut text = String::new();
            for number in 0..length {
                if number > 0 {
                    text.push_str(if number % 14 == 0 { ". " } else { " " });
                }
                text.push_str(self.draw(random));
            }
            text
        };
        let title = text(&mut random, 4);
        let body = text(&mut random, length);
        let folder = at / NOTES_PER_FOLDER;
        let links =
            if at > 0 && random.below(3) == 0 { vec![id(random.below(at as u64) as usize)] } else { Vec::new() };
        Note {
            path: Some(format!("area-{}/topic-{folder}/{}.md", folder / 20, id(at))),
            namespace: format!("area-{}", folder / 20),
            tags: vec![format!("topic/{folder}"), format!("kind-{}", random.below(8))],
            links,
            updated_at: Some(Timestamp::from_seconds(1_700_000_000 + at as i64 * 60)),
            created_at: Some(Timestamp::from_seconds(1_700_000_000 + at as i64 * 60)),
            ..Note::new(title, body).with_id(id(at))
        }
    }

    /// Notes of a range, in order.
    pub fn notes(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = Note> + '_ {
        range.map(|at| self.note(at))
    }

    /// Query number `at`: words of one note, so that it has an answer.
    pub fn query(&self, at: usize) -> String {
        let mut random = Random::new(self.options.seed ^ 0x9e37_79b9_7f4a_7c15, at as u64);
        let note = self.note(random.below(self.options.notes.max(1) as u64) as usize);
        let words: Vec<&str> = note.body.split_whitespace().collect();
        let length = 2 + random.below(QUERY_WORDS);
        let mut query: Vec<&str> = Vec::new();
        for _ in 0..length {
            if let Some(word) = words.get(random.below(words.len().max(1) as u64) as usize) {
                query.push(word.trim_end_matches('.'));
            }
        }
        query.join(" ")
    }

    fn draw(&self, random: &mut Random) -> &str {
        let point = random.unit();
        let at = self.cumulated.partition_point(|weight| *weight < point);
        self.words.get(at).or(self.words.last()).map_or("word", String::as_str)
    }
}

fn id(at: usize) -> String {
    format!("syn-{at:07}")
}

/// Word number `at`: pronounceable, distinct, shorter for frequent words.
fn word(at: usize) -> String {
    const ONSETS: [&str; 16] = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl"];
    const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ai"];
    let mut rest = at + 1;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(ONSETS.get(rest % ONSETS.len()).copied().unwrap_or("b"));
        rest /= ONSETS.len();
        word.push_str(VOWELS.get(rest % VOWELS.len()).copied().unwrap_or("a"));
        rest /= VOWELS.len();
    }
    word.push('n');
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_vocabulary_is_distinct() {
        let words: std::collections::BTreeSet<String> = (0..50_000).map(word).collect();
        assert_eq!(words.len(), 50_000);
    }

    #[test]
    fn frequent_words_follow_zipf() {
        let corpus = SyntheticCorpus::new(SyntheticOptions { notes: 300, ..SyntheticOptions::default() });
        let text: String = corpus.notes(0..300).map(|note| note.body + " ").collect();
        let count = |of: &str| text.split([' ', '.']).filter(|word| *word == of).count() as f64;
        let ratio = count(&word(0)) / count(&word(9)).max(1.0);
        assert!((5.0..20.0).contains(&ratio), "rank 1 against rank 10: {ratio}");
    }

    #[test]
    fn another_seed_gives_another_corpus() {
        let of = |seed| SyntheticCorpus::new(SyntheticOptions { seed, ..SyntheticOptions::default() }).note(5).body;
        assert_ne!(of(1), of(2));
    }
}
