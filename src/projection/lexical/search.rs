//! Three ways through the postings, all with the same result.

use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

use super::faults::backend;
use super::query::Compiled;
use super::segment::{SegmentNotes, Snapshot};
use crate::Result;
use crate::projection::eligible::{Bits, Eligible};
use crate::projection::top::{Tie, Top};

/// From this eligible share on, pruning pays: below, too few of the documents it stops at may raise the bar.
const PRUNING_SHARE: f32 = 0.3;
/// A jump in a postings list costs about as much as reading this many postings.
const JUMP: u64 = 8;
/// Documents whose scores are added up together; 16 kB of scores stay in the fastest cache.
const WINDOW: u32 = 4096;

/// How a search walks. Chosen by cost alone; the results do not differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// tantivy proposes what can still enter the top k.
    Pruning,
    /// Every posting is read.
    Exhaustive,
    /// Each eligible note is looked up in the postings.
    ByNote,
}

impl Way {
    pub(super) fn choose(query: &Compiled, eligible: &Eligible) -> Self {
        if u64::from(eligible.len()) * query.len() as u64 * JUMP < query.postings() {
            Self::ByNote
        } else if eligible.fraction() >= PRUNING_SHARE {
            Self::Pruning
        } else {
            Self::Exhaustive
        }
    }
}

/// The best `k` eligible notes.
pub(super) fn top(
    snapshot: &Snapshot,
    query: &Compiled,
    eligible: &Eligible,
    k: usize,
    tie: Tie<'_>,
    way: Way,
) -> Result<Vec<(u32, f32)>> {
    let mut top = Top::new(k, tie);
    match way {
        Way::Pruning => pruning(snapshot, query, eligible, &mut top)?,
        Way::Exhaustive => exhaustive(snapshot, query, eligible, &mut top)?,
        Way::ByNote => {
            let ords: Vec<u32> = eligible.iter().collect();
            for (reader, notes) in snapshot.segments() {
                let mut scorer = query.scorer(reader)?;
                for (doc, place) in located(&ords, reader, notes) {
                    let score = scorer.score(doc);
                    if let Some(&ord) = ords.get(place).filter(|_| score > 0.0) {
                        top.offer((ord, score));
                    }
                }
            }
        }
    }
    Ok(top.into_sorted())
}

fn pruning(snapshot: &Snapshot, query: &Compiled, eligible: &Eligible, top: &mut Top<'_, (u32, f32)>) -> Result<()> {
    let (weight, unit) = query.weight(&snapshot.searcher, &snapshot.statistics)?;
    for (reader, notes) in snapshot.segments() {
        let mut scorer = query.scorer(reader)?;
        // tantivy passes over everything at or below the threshold. Lowered by the slack, the threshold lets through
        // whatever could equal the bar, so that exact ties reach the tie order.
        let lowered = unit / query.slack(reader)?;
        let threshold = |top: &Top<'_, (u32, f32)>| top.bar().map_or(0.0, |bar| bar * lowered);
        let start = threshold(top);
        let mut now = start;
        let mut propose = |doc: DocId, _score: f32| {
            if let Some(ord) = admitted(doc, reader, notes, eligible) {
                let score = scorer.score(doc);
                if score > 0.0 {
                    top.offer((ord, score));
                    now = threshold(top);
                }
            }
            now
        };
        weight.for_each_pruning(start, reader, &mut propose).map_err(backend)?;
    }
    Ok(())
}

fn exhaustive(snapshot: &Snapshot, query: &Compiled, eligible: &Eligible, top: &mut Top<'_, (u32, f32)>) -> Result<()> {
    let mut scores = vec![0.0_f32; WINDOW as usize];
    let mut touched = vec![0_u64; WINDOW as usize / 64];
    for (reader, notes) in snapshot.segments() {
        let mut scorer = query.scorer(reader)?;
        loop {
            let base = scorer.cursors().iter().map(|cursor| cursor.postings.doc()).min().unwrap_or(TERMINATED);
            if base == TERMINATED {
                break;
            }
            let end = base.saturating_add(WINDOW).min(TERMINATED);
            for cursor in scorer.cursors() {
                let mut doc = cursor.postings.doc();
                while doc < end {
                    if admitted(doc, reader, notes, eligible).is_some() {
                        let slot = (doc - base) as usize;
                        if let (Some(sum), Some(word)) = (scores.get_mut(slot), touched.get_mut(slot / 64)) {
                            *sum += cursor.score();
                            *word |= 1 << (slot % 64);
                        }
                    }
                    doc = cursor.postings.advance();
                }
            }
            for (word, index) in touched.iter_mut().zip(0_u32..) {
                for bit in Bits(std::mem::take(word)) {
                    let slot = index * 64 + bit;
                    let score = scores.get_mut(slot as usize).map_or(0.0, std::mem::take);
                    if let Some(ord) = notes.ord(base + slot).filter(|_| score > 0.0) {
                        top.offer((ord, score));
                    }
                }
            }
        }
    }
    Ok(())
}

/// The note of a living, eligible document.
#[inline]
fn admitted(doc: DocId, reader: &SegmentReader, notes: &SegmentNotes, eligible: &Eligible) -> Option<u32> {
    let ord = notes.ord(doc)?;
    (eligible.contains(ord) && !reader.is_deleted(doc)).then_some(ord)
}

/// The documents of those notes that live in a segment, ascending, each with the note's place in `ords`.
fn located(ords: &[u32], reader: &SegmentReader, notes: &SegmentNotes) -> Vec<(DocId, usize)> {
    let mut found: Vec<(DocId, usize)> =
        ords.iter().enumerate().filter_map(|(place, &ord)| notes.doc(ord, reader).map(|doc| (doc, place))).collect();
    found.sort_unstable();
    found
}
