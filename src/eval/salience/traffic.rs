//! Who is asked for, how often, and by which words.

use super::report::NoteGroup;
use crate::model::Note;
use crate::random::Random;

/// Words of the body in a query, beside the title.
const RARE_WORDS: usize = 4;

/// A note as the simulation sees it.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub id: String,
    pub group: NoteGroup,
    /// Its title and its rarest words.
    pub query: String,
}

/// The notes by group, and how often each group is asked for.
pub(super) struct Traffic(Vec<Target>);

impl Traffic {
    /// Deals notes out to groups, in an order that the seed decides.
    pub fn new(notes: &[Note], seed: u64) -> Self {
        let mut random = Random::new(seed, 0);
        let mut order: Vec<usize> = (0..notes.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at as u64 + 1) as usize);
        }
        let mut groups = NoteGroup::ALL.iter().flat_map(|&group| {
            let count = (group.share_of_notes() * notes.len() as f64).round().max(1.0) as usize;
            std::iter::repeat_n(group, count)
        });
        let targets = order.into_iter().filter_map(|at| {
            let note = notes.get(at)?;
            let group = groups.next().unwrap_or(NoteGroup::Untouched);
            Some(Target { id: note.id.clone(), group, query: known_item(note) })
        });
        Self(targets.collect())
    }

    /// The note that the next retrieve is meant for.
    pub fn draw(&self, random: &mut Random) -> Option<&Target> {
        let mut left = random.unit();
        let group = NoteGroup::ALL.into_iter().find(|group| {
            left -= group.share_of_retrieves();
            left < 0.0
        });
        let of_group: Vec<&Target> = self.of(group.unwrap_or(NoteGroup::LookedUp)).collect();
        of_group.get(random.below(of_group.len() as u64) as usize).copied()
    }

    /// The notes of a group.
    pub fn of(&self, group: NoteGroup) -> impl Iterator<Item = &Target> {
        self.0.iter().filter(move |target| target.group == group)
    }

    /// Every note, with its group.
    pub fn ids(&self) -> impl Iterator<Item = (NoteGroup, &str)> {
        self.0.iter().map(|target| (target.group, target.id.as_str()))
    }
}

/// The title and the longest words of the body: in a synthetic corpus the longest are the rarest.
fn known_item(note: &Note) -> String {
    let mut words: Vec<&str> = note.body.split_whitespace().map(|word| word.trim_end_matches('.')).collect();
    words.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    words.dedup();
    words.truncate(RARE_WORDS);
    std::iter::once(note.title.as_str()).chain(words).collect::<Vec<_>>().join(" ")
}
