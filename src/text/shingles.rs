//! Near-duplicates: word shingles, their overlap, and a sketch that is cheap to compare.

use xxhash_rust::xxh3::xxh3_64;

use super::class::{Class, class};
use super::names::{name_key, words};

/// Words in a shingle.
const WIDTH: usize = 5;

/// The sorted, distinct hashes of a text's runs of five folded words (see [`words`]); in a script without spaces each
/// character is a word. A shorter text is one shingle, a blank one none.
pub fn shingles(text: &str) -> Vec<u64> {
    let mut tokens = Vec::new();
    let mut character = [0; 4];
    for word in words(text) {
        if word.chars().next().is_some_and(|c| class(c) == Class::Unspaced) {
            tokens.extend(word.chars().map(|c| xxh3_64(c.encode_utf8(&mut character).as_bytes())));
        } else {
            tokens.push(xxh3_64(word.as_bytes()));
        }
    }
    let mut out: Vec<u64> = match tokens.len() {
        0 => {
            Some(name_key(text)).filter(|key| !key.is_empty()).map(|key| xxh3_64(key.as_bytes())).into_iter().collect()
        }
        1..WIDTH => vec![hash_run(&tokens)],
        _ => tokens.windows(WIDTH).map(hash_run).collect(),
    };
    out.sort_unstable();
    out.dedup();
    out
}

/// |a ∩ b| / |a ∪ b| of two results of [`shingles`], in [0, 1]; 0 when either is empty.
///
/// ```
/// use terrace::text::{jaccard, shingles};
/// let note = shingles("the quick brown fox jumps over the lazy dog");
/// assert_eq!(jaccard(&note, &note), 1.0);
/// assert_eq!(jaccard(&note, &[]), 0.0);
/// ```
pub fn jaccard(a: &[u64], b: &[u64]) -> f32 {
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    let mut both = 0_usize;
    while let (Some(x), Some(y)) = (left.peek(), right.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                both += 1;
                left.next();
                right.next();
            }
        }
    }
    let either = a.len() + b.len() - both;
    if either == 0 { 0.0 } else { both as f32 / either as f32 }
}

/// The low bytes of 32 min-hashes of a text's shingles: a prefilter for [`jaccard`].
///
/// Each byte of two sketches agrees with probability `J + (1 − J)/256` at Jaccard overlap `J` (Broder 1997, with the
/// chance collision of a byte). Asking for 18 or more of 32 to agree therefore passes, in expectation over hash
/// functions, pairs at
///
/// | J | .2 | .4 | .5 | .6 | .7 | .8 | .9 |
/// |---|---|---|---|---|---|---|---|
/// | passed | 0.00001 | 0.04901 | 0.30607 | 0.73838 | 0.96837 | 0.99946 | 1.00000 |
///
/// so it misses a pair at `J` = .8 with probability 0.00054; a pair passed must still be compared by [`jaccard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sketch(pub [u8; 32]);

impl Sketch {
    /// The sketch that these 32 bytes are; `None` for another number of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The sketch of a result of [`shingles`]; all zeros for no shingles.
    pub fn of(shingles: &[u64]) -> Self {
        if shingles.is_empty() {
            return Self([0; 32]);
        }
        let mut least = [u64::MAX; 32];
        for &shingle in shingles {
            for (least, &(mask, factor)) in least.iter_mut().zip(&HASHES) {
                *least = (*least).min((shingle ^ mask).wrapping_mul(factor));
            }
        }
        Self(least.map(|hash| (hash & 0xff) as u8))
    }

    /// How many of the 32 bytes agree.
    pub fn agreement(&self, other: &Self) -> u32 {
        self.0.iter().zip(&other.0).map(|(a, b)| u32::from(a == b)).sum()
    }
}

/// A mask and an odd factor per hash function; shingles are uniform already, so multiplying is enough to order them anew.
const HASHES: [(u64, u64); 32] = {
    let mut out = [(0, 0); 32];
    let mut state = 0x7465_7272_6163_6521;
    let mut at = 0;
    while at < 32 {
        let (mask, next) = split_mix(state);
        let (factor, after) = split_mix(next);
        #[allow(clippy::indexing_slicing)] // const evaluation: an index out of range would not compile
        {
            out[at] = (mask, factor | 1);
        }
        state = after;
        at += 1;
    }
    out
};

/// SplitMix64 (Steele, Lea and Flood 2014): the next number and the next state.
const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31), state)
}

fn hash_run(tokens: &[u64]) -> u64 {
    let mut bytes = [0; WIDTH * 8];
    for (place, token) in bytes.chunks_exact_mut(8).zip(tokens) {
        place.copy_from_slice(&token.to_le_bytes());
    }
    xxh3_64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_and_punctuation_do_not_tell_texts_apart() {
        assert_eq!(shingles("One two, three four: FIVE six"), shingles("one two three four five six"));
    }

    #[test]
    fn short_texts_are_one_shingle_and_blank_ones_none() {
        assert_eq!(shingles("two words").len(), 1);
        assert_ne!(shingles("two words"), shingles("words two"));
        assert_eq!(shingles("🔥").len(), 1);
        assert!(shingles(" \u{200b}").is_empty());
    }

    #[test]
    fn chinese_is_shingled_by_character() {
        assert_eq!(shingles("即适者生存等").len(), 2);
    }

    #[test]
    fn overlap_counts_shared_shingles() {
        assert_eq!(jaccard(&[1, 2, 3], &[2, 3, 4]), 0.5);
        assert_eq!(jaccard(&[], &[]), 0.0);
    }

    #[test]
    fn the_sketch_estimates_the_overlap() {
        // 200 pairs of sets at Jaccard .8: the mean agreement is 32 × .8008, and nearly all pairs reach 18.
        let mut state = 1;
        let mut total = 0;
        let mut missed = 0;
        for _ in 0..200 {
            let mut take = |count: usize| -> Vec<u64> {
                (0..count)
                    .map(|_| {
                        let (number, next) = split_mix(state);
                        state = next;
                        number
                    })
                    .collect()
            };
            let (shared, a, b) = (take(160), take(20), take(20));
            let agreement = Sketch::of(&[shared.clone(), a].concat()).agreement(&Sketch::of(&[shared, b].concat()));
            total += agreement;
            missed += u32::from(agreement < 18);
        }
        let mean = f64::from(total) / 200.0;
        assert!((mean - 32.0 * 0.8008).abs() < 0.6, "{mean}");
        assert!(missed <= 3, "{missed}");
    }

    proptest! {
        #[test]
        fn shingles_are_sorted_and_distinct(text in any::<String>()) {
            prop_assert!(shingles(&text).is_sorted_by(|a, b| a < b));
        }

        #[test]
        fn overlap_is_symmetric_and_bounded(a in any::<String>(), b in any::<String>()) {
            let (a, b) = (shingles(&a), shingles(&b));
            let overlap = jaccard(&a, &b);
            prop_assert!((0.0..=1.0).contains(&overlap));
            prop_assert_eq!(overlap, jaccard(&b, &a));
        }
    }
}
