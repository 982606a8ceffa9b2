//! Greedy longest-match WordPiece over a vocabulary without special tokens (step 4 of
//! data/static-en-256/FORMAT.md).

use std::borrow::Cow;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::words::visit_words;
use crate::{Error, Result};

/// The row of `[UNK]`, the token of every word that the pieces do not make up.
const UNKNOWN: u32 = 0;

/// The pieces that words are made of, each with its row.
pub(super) struct Vocabulary {
    starts: Pieces,
    continuations: Pieces,
}

impl Vocabulary {
    /// Reads one piece a line, its row being the line's number from 0; `##` marks the continuations.
    pub(super) fn read(lines: impl Iterator<Item = Cow<'static, str>>) -> Result<Self> {
        let (mut starts, mut continuations) = (Pieces::default(), Pieces::default());
        for (row, line) in (0u32..).zip(lines) {
            let (continues, piece) = without_marker(line);
            let pieces = if continues { &mut continuations } else { &mut starts };
            if !pieces.insert(piece, row) {
                return Err(Error::InvalidInput(format!(
                    "line {} of the vocabulary repeats an earlier piece, expected each once; copy vocab.txt anew",
                    row + 1
                )));
            }
        }
        Ok(Self { starts, continuations })
    }

    /// The number of pieces.
    pub(super) fn len(&self) -> usize {
        self.starts.rows.len() + self.continuations.rows.len()
    }

    /// The rows of the first `limit` tokens of a text.
    pub(super) fn tokens(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut rows = Vec::with_capacity(limit.min(text.len() / 4 + 4));
        visit_words(text, |word| {
            match word {
                Some(word) => self.split(word, &mut rows),
                None => rows.push(UNKNOWN),
            }
            if rows.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        rows.truncate(limit);
        rows
    }

    /// Appends the rows of a word's pieces, or that of `[UNK]` if they do not make up the whole word.
    fn split(&self, word: &str, rows: &mut Vec<u32>) {
        let before = rows.len();
        let (mut rest, mut pieces) = (word, &self.starts);
        while !rest.is_empty() {
            let Some((row, tail)) = pieces.longest_prefix(rest) else {
                rows.truncate(before);
                rows.push(UNKNOWN);
                return;
            };
            rows.push(row);
            (rest, pieces) = (tail, &self.continuations);
        }
    }
}

/// Pieces that may stand at one kind of place.
#[derive(Default)]
struct Pieces {
    rows: FxHashMap<Cow<'static, str>, u32>,
    /// The bytes of the longest, beyond which no prefix is worth looking up.
    longest: usize,
}

impl Pieces {
    fn insert(&mut self, piece: Cow<'static, str>, row: u32) -> bool {
        self.longest = self.longest.max(piece.len());
        self.rows.insert(piece, row).is_none()
    }

    fn longest_prefix<'a>(&self, text: &'a str) -> Option<(u32, &'a str)> {
        (1..=self.longest.min(text.len())).rev().find_map(|end| {
            let (piece, tail) = text.split_at_checked(end)?;
            Some((*self.rows.get(piece)?, tail))
        })
    }
}

/// Whether a line is a continuation, and its text without the marker, still borrowed where the line was.
fn without_marker(line: Cow<'static, str>) -> (bool, Cow<'static, str>) {
    match line.strip_prefix("##") {
        None | Some("") => (false, line),
        Some(piece) => match line {
            Cow::Borrowed(line) => (true, Cow::Borrowed(line.get(2..).unwrap_or_default())),
            Cow::Owned(_) => (true, Cow::Owned(piece.to_owned())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(lines: &[&'static str]) -> Vocabulary {
        Vocabulary::read(lines.iter().map(|line| Cow::Borrowed(*line))).unwrap()
    }

    #[test]
    fn the_longest_piece_wins_and_continuations_have_their_own_rows() {
        let vocabulary = vocabulary(&["[UNK]", "un", "una", "##aff", "##able", "able", "##é"]);
        assert_eq!(vocabulary.tokens("unable able", 9), [UNKNOWN, 5], "`una` is taken, and leaves `ble`");
        assert_eq!(vocabulary.tokens("unaffable un", 9), [UNKNOWN, 1]);
        assert_eq!(vocabulary.tokens("unaable", 9), [2, 4]);
    }

    #[test]
    fn a_limit_cuts_within_a_word() {
        let vocabulary = vocabulary(&["[UNK]", "a", "##b"]);
        assert_eq!(vocabulary.tokens("a abbb a", 3), [1, 1, 2]);
    }

    #[test]
    fn a_piece_listed_twice_is_refused() {
        let lines = ["[UNK]", "a", "a"].map(Cow::Borrowed);
        let Err(error) = Vocabulary::read(lines.into_iter()) else { panic!("accepted") };
        assert!(error.to_string().contains("line 3"), "{error}");
    }
}
