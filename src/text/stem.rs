//! English stems and stop words.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxHashSet, FxHasher};

/// True for the English words that say nothing about what a text is about, in the form that terms take: folded, and
/// not stemmed, since stop words are left whole (else `does` would become the surname `doe`).
///
/// ```
/// use terrace::text::is_stop_word;
/// assert!(is_stop_word("the") && !is_stop_word("doe"));
/// ```
pub fn is_stop_word(term: &str) -> bool {
    STOP_WORDS.contains(term)
}

/// Stems folded words, remembering the last ones: words recur, and a stem costs more than the rest of the analysis.
pub(super) struct Stems {
    stemmer: Stemmer,
    remembered: Vec<(String, String)>,
}

impl Stems {
    /// This thread's stemmer, or a new one when the thread's is in use further up the stack.
    pub fn borrow() -> Self {
        THREAD_STEMS.take().unwrap_or_else(|| Self {
            stemmer: Stemmer::create(Algorithm::English),
            remembered: vec![Default::default(); REMEMBERED],
        })
    }

    /// Hands the stemmer back to the thread.
    pub fn give_back(self) {
        THREAD_STEMS.set(Some(self));
    }

    /// The Porter2 stem of a word of ASCII lower-case letters; the word itself where it is a stop word.
    pub fn stem<'a>(&'a mut self, word: &'a str) -> &'a str {
        if word.len() <= 2 {
            return word;
        }
        let mut hasher = FxHasher::default();
        word.hash(&mut hasher);
        // The upper bits are the well mixed ones in this hash.
        let slot = (hasher.finish() >> 40) as usize % REMEMBERED;
        let Some((known, stem)) = self.remembered.get_mut(slot) else {
            return word;
        };
        if known != word {
            known.clear();
            known.push_str(word);
            stem.clear();
            if is_stop_word(word) {
                stem.push_str(word);
            } else {
                stem.push_str(&self.stemmer.stem(word));
            }
        }
        stem
    }
}

const REMEMBERED: usize = 4096;

thread_local! {
    static THREAD_STEMS: Cell<Option<Stems>> = const { Cell::new(None) };
}

static STOP_WORDS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "a about am an and any are arent as at be because been being but by can cant could couldnt did didnt do does \
     doesnt doing dont for from had hadnt has hasnt have havent having he her hers him his how i if in into is isnt \
     it its itself me my myself no nor not of on or our ours she should shouldnt so some such than that the their \
     theirs them then there these they this those to too us was wasnt we were werent what when where which while \
     who whom whose why will with wont would wouldnt you your yours"
        .split_whitespace()
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stemmed_and_stop_words_left_whole() {
        let mut stems = Stems::borrow();
        assert_eq!(stems.stem("running"), "run");
        assert_eq!(stems.stem("running"), "run");
        assert_eq!(stems.stem("does"), "does");
        assert_eq!(stems.stem("is"), "is");
        stems.give_back();
    }
}
