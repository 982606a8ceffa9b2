//! What a simulation of salience says.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BareLoop, Reach};
use crate::model::NodeStats;

/// Salience from which a note counts as at the ceiling.
const CEILING: f64 = 0.95;
/// How near to the floor a note counts as at it.
const NEAR_FLOOR: f64 = 0.005;

/// What callers do with a note when they asked for it. Any note may also be shown beside another that was meant, and is
/// then ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteGroup {
    /// 1 % of the notes, 20 % of the retrieves: cited.
    Frequent,
    /// 3 % of the notes, 15 % of the retrieves: cited.
    Regular,
    /// 10 % of the notes, 10 % of the retrieves: cited.
    Rare,
    /// 5 % of the notes, 40 % of the retrieves: read without a verdict.
    LookedUp,
    /// 79 % of the notes, never asked for.
    Untouched,
    /// 1 % of the notes, 10 % of the retrieves: not cited.
    Ignored,
    /// 1 % of the notes, 5 % of the retrieves: called misleading.
    Misleading,
}

impl NoteGroup {
    /// Every group, in the order of the salience that they should end with.
    pub const ALL: [Self; 7] =
        [Self::Frequent, Self::Regular, Self::Rare, Self::LookedUp, Self::Untouched, Self::Ignored, Self::Misleading];

    /// Whether callers cite it.
    pub const fn is_cited(self) -> bool {
        matches!(self, Self::Frequent | Self::Regular | Self::Rare)
    }

    /// The name in tables and plots.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Frequent => "cited often",
            Self::Regular => "cited now and then",
            Self::Rare => "cited rarely",
            Self::LookedUp => "looked up, never judged",
            Self::Untouched => "never asked for",
            Self::Ignored => "asked for, ignored",
            Self::Misleading => "misleading",
        }
    }

    pub(super) const fn share_of_notes(self) -> f64 {
        match self {
            Self::Frequent | Self::Ignored | Self::Misleading => 0.01,
            Self::Regular => 0.03,
            Self::Rare => 0.10,
            Self::LookedUp => 0.05,
            Self::Untouched => 0.79,
        }
    }

    pub(super) const fn share_of_retrieves(self) -> f64 {
        match self {
            Self::Frequent => 0.20,
            Self::Regular => 0.15,
            Self::Rare | Self::Ignored => 0.10,
            Self::Misleading => 0.05,
            Self::LookedUp => 0.40,
            Self::Untouched => 0.0,
        }
    }
}

/// How values are spread: all of them lie from `least` to `most`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// The least.
    pub least: f64,
    /// 5 % are below.
    pub p05: f64,
    /// 25 % are below.
    pub p25: f64,
    /// Half are below.
    pub median: f64,
    /// 75 % are below.
    pub p75: f64,
    /// 95 % are below.
    pub p95: f64,
    /// The most.
    pub most: f64,
}

impl Quantiles {
    /// Those of some values, by nearest rank; zeros for none.
    pub(super) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let last = values.len().saturating_sub(1) as f64;
        let at = |share: f64| values.get((share * last).round() as usize).copied().unwrap_or_default();
        Self {
            least: at(0.0),
            p05: at(0.05),
            p25: at(0.25),
            median: at(0.5),
            p75: at(0.75),
            p95: at(0.95),
            most: at(1.0),
        }
    }
}

/// Salience on one day.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SalienceDay {
    /// Days since the first note could be asked for.
    pub day: u32,
    /// How each group's salience is spread.
    pub groups: BTreeMap<NoteGroup, Quantiles>,
}

/// Where a group ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupEnd {
    /// Notes in it.
    pub notes: usize,
    /// Citations per note.
    pub cited: f64,
    /// Times per note that it was shown, something else was judged, and it was not.
    pub ignored: f64,
    /// How its salience is spread.
    pub salience: Quantiles,
    /// Share of notes below the floor: only verdicts take a note there.
    pub below_floor: f64,
    /// Share within 0.005 of the floor.
    pub at_floor: f64,
    /// Share at .95 or above.
    pub at_ceiling: f64,
    /// Share in quarantine.
    pub quarantined: f64,
}

/// The outcome of [`simulate_salience`](super::simulate_salience).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SalienceReport {
    /// Notes in the store.
    pub notes: usize,
    /// Seed of notes and traffic.
    pub seed: u64,
    /// Retrieves over all days.
    pub retrieves: u64,
    /// Those that ended with verdicts.
    pub judged: u64,
    /// Readings: the first day, every tenth, and the last.
    pub days: Vec<SalienceDay>,
    /// Where each group ended.
    pub groups: BTreeMap<NoteGroup, GroupEnd>,
    /// Of all pairs of notes that were cited unequally often, the share in which the one cited more often ends with more
    /// salience; equal salience counts as wrong.
    pub ordered_pairs: f64,
    /// What bare retrieves changed.
    pub bare: BareLoop,
    /// How notes that nobody asked for are found.
    pub reach: Reach,
}

/// Where each group ended.
pub(super) fn ends<'a>(
    notes: impl Iterator<Item = (NoteGroup, &'a NodeStats)>,
    floor: f64,
) -> BTreeMap<NoteGroup, GroupEnd> {
    let mut by_group: BTreeMap<NoteGroup, Vec<&NodeStats>> = BTreeMap::new();
    notes.for_each(|(group, stats)| by_group.entry(group).or_default().push(stats));
    let end = |of: &Vec<&NodeStats>| {
        let mean =
            |value: &dyn Fn(&NodeStats) -> f64| of.iter().map(|stats| value(stats)).sum::<f64>() / of.len() as f64;
        let share = |holds: &dyn Fn(&NodeStats) -> bool| mean(&|stats| f64::from(u8::from(holds(stats))));
        GroupEnd {
            notes: of.len(),
            cited: mean(&|stats| stats.cited_count as f64),
            ignored: mean(&|stats| stats.ignored_count as f64),
            salience: Quantiles::of(of.iter().map(|stats| stats.salience).collect()),
            below_floor: share(&|stats| stats.salience < floor),
            at_floor: share(&|stats| (stats.salience - floor).abs() <= NEAR_FLOOR),
            at_ceiling: share(&|stats| stats.salience >= CEILING),
            quarantined: share(&|stats| stats.quarantine.is_some()),
        }
    };
    by_group.iter().map(|(group, of)| (*group, end(of))).collect()
}

/// The share of pairs, cited unequally often, whose salience says so.
pub(super) fn ordered_pairs(notes: &[NodeStats]) -> f64 {
    let (mut right, mut pairs) = (0_u64, 0_u64);
    for (at, a) in notes.iter().enumerate() {
        for b in notes.iter().skip(at + 1).filter(|b| b.cited_count != a.cited_count) {
            let (more, less) = if a.cited_count > b.cited_count { (a, b) } else { (b, a) };
            pairs += 1;
            right += u64::from(more.salience > less.salience);
        }
    }
    if pairs == 0 { 1.0 } else { right as f64 / pairs as f64 }
}
