//! The best k of a stream of scored notes, in one total order.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Which of two notes with the same score comes first; `Less` when it is the first argument.
pub(crate) type Tie<'a> = &'a dyn Fn(u32, u32) -> Ordering;

/// Something that competes for a place: a note and its score.
pub(crate) trait Scored: Copy {
    /// The note.
    fn ord(&self) -> u32;
    /// The higher the better.
    fn score(&self) -> f32;
}

impl Scored for (u32, f32) {
    fn ord(&self) -> u32 {
        self.0
    }

    fn score(&self) -> f32 {
        self.1
    }
}

/// Best first: by score, then by `tie`, then by ordinal, so that no two notes are ever equal.
pub(crate) fn rank<S: Scored>(a: &S, b: &S, tie: Tie<'_>) -> Ordering {
    b.score().total_cmp(&a.score()).then_with(|| tie(a.ord(), b.ord())).then_with(|| a.ord().cmp(&b.ord()))
}

/// A heap of the best `k` seen so far, the worst of them on top.
///
/// The order is total, so the result depends neither on the order of arrival nor on how the stream was split.
pub(crate) struct Top<'a, S> {
    heap: BinaryHeap<Entry<'a, S>>,
    k: usize,
    tie: Tie<'a>,
}

impl<'a, S: Scored> Top<'a, S> {
    pub(crate) fn new(k: usize, tie: Tie<'a>) -> Self {
        Self { heap: BinaryHeap::with_capacity(k.min(1024) + 1), k, tie }
    }

    /// Takes the candidate if it is among the best `k`. Each note must be offered at most once.
    #[inline]
    pub(crate) fn offer(&mut self, item: S) {
        if self.heap.len() < self.k {
            self.heap.push(Entry { item, tie: self.tie });
        } else if let Some(mut worst) = self.heap.peek_mut() {
            let entry = Entry { item, tie: self.tie };
            if entry < *worst {
                *worst = entry;
            }
        }
    }

    /// The score below which nothing can enter any more; `None` while there is room. A candidate with exactly this
    /// score may still enter by its tie order.
    #[inline]
    pub(crate) fn bar(&self) -> Option<f32> {
        if self.heap.len() < self.k { None } else { self.heap.peek().map(|worst| worst.item.score()) }
    }

    /// Best first.
    pub(crate) fn into_sorted(self) -> Vec<S> {
        self.heap.into_sorted_vec().into_iter().map(|entry| entry.item).collect()
    }
}

struct Entry<'a, S> {
    item: S,
    tie: Tie<'a>,
}

impl<S: Scored> Ord for Entry<'_, S> {
    fn cmp(&self, other: &Self) -> Ordering {
        rank(&self.item, &other.item, self.tie)
    }
}

impl<S: Scored> PartialOrd for Entry<'_, S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: Scored> PartialEq for Entry<'_, S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<S: Scored> Eq for Entry<'_, S> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_k_are_the_head_of_the_sorted_list(scores in prop::collection::vec(0_u8..5, 0..40), k in 0_usize..12) {
            let tie = |a: u32, b: u32| b.cmp(&a);
            let mut all: Vec<(u32, f32)> = (0..).zip(scores.iter().map(|&s| f32::from(s))).collect();
            let mut top = Top::new(k, &tie);
            for &item in &all {
                top.offer(item);
            }
            all.sort_by(|a, b| rank(a, b, &tie));
            all.truncate(k);
            prop_assert_eq!(top.into_sorted(), all);
        }
    }
}
