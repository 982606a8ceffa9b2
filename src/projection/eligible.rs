//! The set of notes a request may return.

use roaring::RoaringBitmap;

/// The notes a request may return, by ordinal.
///
/// Kept as dense words, because the indexes ask about one ordinal after another: a membership test is one shift and
/// one mask, without the search through containers that a roaring bitmap needs.
#[derive(Debug, Clone, Default)]
pub struct Eligible {
    words: Vec<u64>,
    len: u32,
    live: u32,
}

impl Eligible {
    /// The eligible ordinals of a bitmap, among `live` notes in the store.
    pub fn from_bitmap(bitmap: &RoaringBitmap, live: u32) -> Self {
        let width = bitmap.max().map_or(0, |max| max as usize / 64 + 1);
        let mut words = vec![0_u64; width];
        // By runs: most of a store is eligible for most requests, and a word is then filled at once.
        let mut runs = bitmap.iter();
        while let Some(run) = runs.next_range() {
            let (first, last) = (*run.start(), *run.end());
            let (from, to) = (first as usize / 64, last as usize / 64);
            let touched = words.iter_mut().enumerate().take(to + 1).skip(from);
            for (at, word) in touched {
                let low = if at == from { first % 64 } else { 0 };
                let high = if at == to { last % 64 } else { 63 };
                *word |= u64::MAX >> (63 - (high - low)) << low;
            }
        }
        Self { words, len: u32::try_from(bitmap.len()).unwrap_or(u32::MAX), live }
    }

    /// Whether the note may be returned.
    #[inline]
    pub fn contains(&self, ord: u32) -> bool {
        self.words.get(ord as usize / 64).is_some_and(|word| word >> (ord % 64) & 1 == 1)
    }

    /// The number of eligible notes.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether nothing may be returned.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The share of live notes that is eligible, from 0 to 1; 0 in an empty store.
    pub fn fraction(&self) -> f32 {
        if self.live == 0 { 0.0 } else { (self.len as f32 / self.live as f32).min(1.0) }
    }

    /// The eligible ordinals, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().zip(0_u32..).flat_map(|(&word, index)| Bits(word).map(move |bit| index * 64 + bit))
    }
}

/// The positions of the set bits of a word, ascending.
pub(crate) struct Bits(pub(crate) u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_words_hold_exactly_the_bitmaps_ordinals() {
        let bitmap: RoaringBitmap = [0, 1, 63, 64, 65, 1000, 70_000].into_iter().collect();
        let eligible = Eligible::from_bitmap(&bitmap, 70_001);
        assert_eq!(eligible.iter().collect::<Vec<_>>(), bitmap.iter().collect::<Vec<_>>());
        assert!((0..71_000).all(|ord| eligible.contains(ord) == bitmap.contains(ord)));
        assert_eq!(eligible.len(), 7);
    }

    #[test]
    fn runs_that_begin_and_end_anywhere_are_filled_whole() {
        for (from, to) in [(0, 0), (0, 63), (1, 62), (63, 64), (5, 200), (64, 127), (65_530, 65_540), (0, 200_000)] {
            let bitmap: RoaringBitmap = (from..=to).collect();
            let eligible = Eligible::from_bitmap(&bitmap, to + 1);
            assert_eq!(eligible.iter().collect::<Vec<_>>(), (from..=to).collect::<Vec<_>>(), "{from} to {to}");
        }
    }

    #[test]
    fn the_fraction_counts_live_notes_only() {
        let bitmap: RoaringBitmap = [3, 9].into_iter().collect();
        assert!((Eligible::from_bitmap(&bitmap, 8).fraction() - 0.25).abs() < f32::EPSILON);
        assert!(Eligible::from_bitmap(&RoaringBitmap::new(), 0).fraction().abs() < f32::EPSILON);
        assert!(Eligible::from_bitmap(&RoaringBitmap::new(), 8).is_empty());
    }
}
