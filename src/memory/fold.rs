//! Folding: what a batch of receipts adds up to.

use std::collections::BTreeMap;

use crate::clock::Timestamp;
use crate::model::Ordinal;

/// What one receipt moves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReceiptEffect {
    pub seq: i64,
    pub at: Timestamp,
    pub task_id: Option<String>,
    /// Its results, best first.
    pub ords: Vec<Ordinal>,
    /// Whether it counts, or repeats one within the hour.
    pub counted: bool,
}

/// Results beyond which pairs are not counted: a list of 1 000 has half a million, and says nothing about habit.
const MAX_PAIRED: usize = 20;

impl ReceiptEffect {
    /// The unordered pairs of results whose habit it strengthens; none for a repeat.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Ordinal, Ordinal)> + '_ {
        let paired = if self.counted { self.ords.get(..MAX_PAIRED).unwrap_or(&self.ords) } else { &[] };
        paired
            .iter()
            .enumerate()
            .flat_map(move |(at, &a)| paired.iter().skip(at + 1).map(move |&b| (a.min(b), a.max(b))))
    }
}

/// One entry of working memory, as a batch moves it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Activation {
    pub count: u64,
    pub first_seen_at: Timestamp,
    pub last_seen_at: Timestamp,
    pub last_receipt: i64,
}

/// One note's usage, as a batch moves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UsageChange {
    pub retrievals: u64,
    pub counted: u64,
    pub last_at: Timestamp,
}

/// What a batch of receipts adds up to, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fold {
    /// The last receipt taken in.
    pub up_to: i64,
    pub usage: BTreeMap<Ordinal, UsageChange>,
    pub working: BTreeMap<(String, Ordinal), Activation>,
    pub pairs: BTreeMap<(Ordinal, Ordinal), (f64, Timestamp)>,
}

impl Fold {
    /// Takes one receipt in.
    pub(crate) fn take(&mut self, effect: &ReceiptEffect) {
        self.up_to = self.up_to.max(effect.seq);
        for &ord in &effect.ords {
            let change = self.usage.entry(ord).or_insert(UsageChange { retrievals: 0, counted: 0, last_at: effect.at });
            change.retrievals += 1;
            change.counted += u64::from(effect.counted);
            change.last_at = change.last_at.max(effect.at);
            if let Some(task_id) = &effect.task_id {
                let entry = self.working.entry((task_id.clone(), ord)).or_insert(Activation {
                    count: 0,
                    first_seen_at: effect.at,
                    last_seen_at: effect.at,
                    last_receipt: effect.seq,
                });
                entry.count += 1;
                entry.first_seen_at = entry.first_seen_at.min(effect.at);
                entry.last_seen_at = entry.last_seen_at.max(effect.at);
                entry.last_receipt = entry.last_receipt.max(effect.seq);
            }
        }
        for pair in effect.pairs() {
            let (strength, at) = self.pairs.entry(pair).or_insert((0.0, effect.at));
            *strength += 1.0;
            *at = (*at).max(effect.at);
        }
    }
}
