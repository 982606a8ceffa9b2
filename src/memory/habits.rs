//! Habits: which notes are retrieved together, the strongest pairs of each note.

use rustc_hash::FxHashMap;

use crate::model::Ordinal;

/// For each note, the notes it was retrieved with and how often.
#[derive(Clone, Debug, Default)]
pub(crate) struct Habits {
    partners: FxHashMap<Ordinal, Vec<(Ordinal, f32)>>,
    keep: usize,
}

impl Habits {
    /// Habits that keep the `keep` strongest partners of each note.
    pub(crate) fn new(keep: usize) -> Self {
        Self { partners: FxHashMap::default(), keep }
    }

    /// Strengthens one unordered pair.
    pub(crate) fn add(&mut self, a: Ordinal, b: Ordinal, strength: f32) {
        if a != b && self.keep > 0 {
            self.add_half(a, b, strength);
            self.add_half(b, a, strength);
        }
    }

    fn add_half(&mut self, of: Ordinal, with: Ordinal, strength: f32) {
        let keep = self.keep;
        let partners = self.partners.entry(of).or_default();
        match partners.iter_mut().find(|(partner, _)| *partner == with) {
            Some((_, known)) => *known += strength,
            None => partners.push((with, strength)),
        }
        // Twice the number kept, so that a newcomer has time to grow before it is weighed.
        if partners.len() > keep * 2 {
            partners.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
            partners.truncate(keep);
        }
    }

    /// A note's partners, the strongest first.
    pub(crate) fn of(&self, ord: Ordinal) -> Vec<(Ordinal, f32)> {
        let mut partners = self.partners.get(&ord).cloned().unwrap_or_default();
        partners.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
        partners.truncate(self.keep);
        partners
    }

    /// Forgets a note.
    pub(crate) fn forget(&mut self, ord: Ordinal) {
        for (partner, _) in self.partners.remove(&ord).unwrap_or_default() {
            if let Some(partners) = self.partners.get_mut(&partner) {
                partners.retain(|(of, _)| *of != ord);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_strongest_partners_are_kept() {
        let mut habits = Habits::new(2);
        for partner in 1..=4 {
            for _ in 0..partner {
                habits.add(0, partner, 1.0);
            }
        }
        assert_eq!(habits.of(0), vec![(4, 4.0), (3, 3.0)]);
    }

    #[test]
    fn a_forgotten_note_is_nobodys_partner() {
        let mut habits = Habits::new(4);
        habits.add(1, 2, 1.0);
        habits.forget(1);
        assert!(habits.of(2).is_empty());
    }
}
