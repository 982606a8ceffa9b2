//! Twins of queries: the same need in other words.

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use crate::eval::dataset::{Dataset, EvalQuery};
use crate::eval::metrics::Judgements;
use crate::model::Note;
use crate::random::Random;
use crate::text;

/// How likely a content word is dropped, and how likely it is replaced.
const DROPPED: f64 = 0.3;
const REPLACED: f64 = 0.3;
/// Letters of the shortest word that replaces another.
const MIN_LETTERS: usize = 3;
/// Notes a word must stand in to replace another; what stands in one note alone would name it.
const MIN_NOTES: u32 = 2;

/// A judged query in other words; the notes that answer the query answer its twin.
#[derive(Clone, Debug, PartialEq)]
pub struct Twin {
    /// The query's id.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// Content words of the query.
    pub words: usize,
    /// How many of them were dropped.
    pub dropped: usize,
    /// How many of them gave way to another word.
    pub replaced: usize,
}

impl Twin {
    /// Share of the twin's content words that the query has too, from 0 to 1.
    pub fn overlap(&self) -> f64 {
        let left = self.words.saturating_sub(self.dropped);
        if left == 0 { 1.0 } else { left.saturating_sub(self.replaced) as f64 / left as f64 }
    }
}

/// A twin for every judged query, in the set's order.
///
/// Words are what white space parts. Each content word (one that is more than stop words) is dropped with probability
/// 0.3, replaced with probability 0.3, and kept otherwise; where that would change nothing or leave nothing, one word
/// is replaced. What replaces it is the rarest word of a relevant note that other notes have too and the query lacks;
/// where the relevant notes have none left, the word stays. Draws depend on the seed and the query's id alone.
///
/// ```
/// use terrace::eval::{Dataset, DatasetOptions, twins};
/// let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
/// let set = Dataset::load(&root.join("data/eval"), &DatasetOptions::default())?;
/// assert_eq!(twins(&set, 1).len(), set.judged().count());
/// assert_eq!(twins(&set, 1), twins(&set, 1));
/// # Ok::<(), terrace::Error>(())
/// ```
pub fn twins(set: &Dataset, seed: u64) -> Vec<Twin> {
    let corpus = Corpus::of(set);
    set.judged().map(|(query, judged)| corpus.reword(query, judged, seed)).collect()
}

/// What words are drawn from.
struct Corpus<'a> {
    notes: FxHashMap<&'a str, &'a Note>,
    /// In how many notes each term stands.
    spread: FxHashMap<String, u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Dropped,
    Replaced,
}

impl<'a> Corpus<'a> {
    fn of(set: &'a Dataset) -> Self {
        let mut spread: FxHashMap<String, u32> = FxHashMap::default();
        for note in &set.notes {
            let distinct: FxHashSet<String> = text::terms(&whole(note)).into_iter().map(|term| term.text).collect();
            for term in distinct {
                *spread.entry(term).or_default() += 1;
            }
        }
        let notes = set.notes.iter().map(|note| (note.id.as_str(), note)).collect();
        Self { notes, spread }
    }

    fn reword(&self, query: &EvalQuery, judged: &Judgements, seed: u64) -> Twin {
        let mut random = Random::new(seed, xxh3_64(query.id.as_bytes()));
        let words = query.text.split_whitespace().filter(|word| is_content(word)).count();
        let mut fates = fates(words, &mut random).into_iter();
        let mut supply = Supply::of(self, query, judged);
        let mut twin = Twin { id: query.id.clone(), text: String::new(), words, dropped: 0, replaced: 0 };
        for word in query.text.split_whitespace() {
            let fate = if is_content(word) { fates.next().unwrap_or(Fate::Kept) } else { Fate::Kept };
            let other = if fate == Fate::Replaced { supply.next(&mut random) } else { None };
            if fate == Fate::Dropped {
                twin.dropped += 1;
                continue;
            }
            twin.replaced += usize::from(other.is_some());
            if !twin.text.is_empty() {
                twin.text.push(' ');
            }
            twin.text.push_str(other.as_deref().unwrap_or(word));
        }
        twin
    }

    /// The words of a note that other notes have too, the rarest first, then the more frequent in the note, then the
    /// earlier; each with its term.
    fn salient(&self, note: &Note) -> Vec<(String, String)> {
        let whole = whole(note);
        let mut count: FxHashMap<String, usize> = FxHashMap::default();
        let mut found: Vec<(u32, String, String)> = Vec::new();
        for term in text::terms(&whole) {
            let seen = count.entry(term.text.clone()).or_default();
            *seen += 1;
            let word = whole.get(term.start..term.end).unwrap_or_default();
            let notes = self.spread.get(&term.text).copied().unwrap_or_default();
            let usable = notes >= MIN_NOTES && !text::is_stop_word(&term.text);
            if *seen == 1
                && usable
                && word.chars().all(char::is_alphabetic)
                && word.chars().nth(MIN_LETTERS - 1).is_some()
            {
                found.push((notes, term.text, word.to_lowercase()));
            }
        }
        let frequency = |term: &str| count.get(term).copied().unwrap_or_default();
        found.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| frequency(&b.1).cmp(&frequency(&a.1))));
        found.into_iter().map(|(_, term, word)| (term, word)).collect()
    }
}

/// Words that the relevant notes offer and the query lacks.
struct Supply {
    /// By relevant note.
    offers: Vec<std::vec::IntoIter<(String, String)>>,
    taken: FxHashSet<String>,
}

impl Supply {
    fn of(corpus: &Corpus<'_>, query: &EvalQuery, judged: &Judgements) -> Self {
        let relevant = judged.iter().filter(|(_, score)| **score > 0.0);
        let notes = relevant.filter_map(|(id, _)| corpus.notes.get(id.as_str()));
        Self {
            offers: notes.map(|note| corpus.salient(note).into_iter()).collect(),
            taken: text::terms(&query.text).into_iter().map(|term| term.text).collect(),
        }
    }

    /// The best word left of a note drawn at random, or of those after it.
    fn next(&mut self, random: &mut Random) -> Option<String> {
        let count = self.offers.len();
        let first = random.below(count as u64) as usize;
        for at in (first..count).chain(0..first) {
            let offer = self.offers.get_mut(at)?;
            if let Some((_, word)) = offer.find(|(term, _)| self.taken.insert(term.clone())) {
                return Some(word);
            }
        }
        None
    }
}

fn fates(words: usize, random: &mut Random) -> Vec<Fate> {
    let mut draw = || match random.unit() {
        unit if unit < DROPPED => Fate::Dropped,
        unit if unit < DROPPED + REPLACED => Fate::Replaced,
        _ => Fate::Kept,
    };
    let mut fates: Vec<Fate> = (0..words).map(|_| draw()).collect();
    let all = |fate| fates.iter().all(|other| *other == fate);
    if all(Fate::Kept) || all(Fate::Dropped) {
        let at = random.below(words as u64) as usize;
        fates.iter_mut().skip(at).take(1).for_each(|fate| *fate = Fate::Replaced);
    }
    fates
}

fn is_content(word: &str) -> bool {
    text::terms(word).iter().any(|term| !text::is_stop_word(&term.text))
}

fn whole(note: &Note) -> String {
    format!("{}\n{}", note.title, note.body)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{judged, set};
    use super::*;

    fn long_query(words: usize) -> EvalQuery {
        let words: Vec<String> = (0..words).map(|at| format!("w{at}x")).collect();
        EvalQuery { id: "long".into(), text: words.join(" "), ..EvalQuery::default() }
    }

    /// Letters only, another word for each number.
    fn name(at: usize) -> String {
        let letter = |digit: usize| char::from(b'a' + digit as u8);
        ["zq".to_owned(), [letter(at / 26), letter(at % 26)].iter().collect(), "k".into()].concat()
    }

    #[test]
    fn about_three_words_in_ten_are_dropped_and_as_many_replaced() {
        let words = 600;
        let offered: Vec<String> = (0..words).map(name).collect();
        let note = |id: &str| Note::new("", offered.join(" ")).with_id(id);
        let mut set = set();
        set.notes = vec![note("a"), note("b")];
        set.queries = vec![long_query(words)];
        set.qrels = [("long".to_owned(), judged(&["a"]))].into();
        let [twin] = &twins(&set, 1)[..] else { panic!("expected one twin") };
        assert!((150..210).contains(&twin.dropped), "{}", twin.dropped);
        assert!((150..210).contains(&twin.replaced), "{}", twin.replaced);
        assert_eq!(twin.text.split(' ').count(), words - twin.dropped);
        assert_eq!(
            twin.text.split(' ').filter(|word| offered.iter().any(|other| other == word)).count(),
            twin.replaced
        );
        assert!((twin.overlap() - 0.4 / 0.7).abs() < 0.06, "{}", twin.overlap());
    }

    #[test]
    fn the_rarest_word_that_another_note_shares_takes_the_place() {
        let mut set = set();
        set.notes = vec![
            Note::new("", "common rare lonely asked").with_id("a"),
            Note::new("", "common rare").with_id("b"),
            Note::new("", "common asked").with_id("c"),
        ];
        set.queries = vec![EvalQuery { id: "q".into(), text: "what was asked".into(), ..EvalQuery::default() }];
        set.qrels = [("q".to_owned(), judged(&["a"]))].into();
        assert_eq!(twins(&set, 1)[0].text, "what was rare");
    }

    #[test]
    fn a_twin_follows_from_the_seed_and_its_own_query() {
        let mut set = set();
        let all = twins(&set, 1);
        set.queries.reverse();
        let mut again = twins(&set, 1);
        again.reverse();
        assert_eq!(all, again);
        assert_ne!(all, twins(&set, 2));
    }

    #[test]
    fn a_word_stays_where_the_relevant_notes_offer_none() {
        let mut set = set();
        set.notes = vec![Note::new("", "asked").with_id("a"), Note::new("", "asked").with_id("b")];
        set.queries = vec![EvalQuery { id: "q".into(), text: "asked".into(), ..EvalQuery::default() }];
        set.qrels = [("q".to_owned(), judged(&["a"]))].into();
        let twin = &twins(&set, 1)[0];
        assert_eq!((twin.text.as_str(), twin.replaced, twin.overlap()), ("asked", 0, 1.0));
    }
}
