//! `scout_graph`: spreading activation over links, typed edges, lineage and what was cited or retrieved together.

use rustc_hash::FxHashMap;

use super::{Answer, Candidate, Query, Reason, Scout, ScoutKind, Sources, Via};
use crate::error::Result;
use crate::model::Ordinal;

/// What is left of an activation after each hop beyond the first.
const HOP_DECAY: f32 = 0.5;
/// Hops from a seed.
const MAX_HOPS: u8 = 2;
/// Activation below this is not carried further.
const MIN_ACTIVATION: f32 = 0.01;
/// Notes that one spread may reach.
const MAX_REACHED: usize = 5_000;
/// Neighbours above which a note's activation thins out by the root of their number.
const FREE_DEGREE: f32 = 2.0;
/// Having been retrieved together is a trace of retrieval, not of use: enough to be proposed, too little to move
/// any score above 1e-7 by 0.5 %.
const COACTIVATION: f32 = 1e-9;

/// The first wave: from the notes that the query names. The second, from the first wave's best, is [`spread`] again.
pub(crate) struct GraphScout;

impl Scout for GraphScout {
    fn kind(&self) -> ScoutKind {
        ScoutKind::Graph
    }

    fn search(&self, query: &Query<'_>, sources: &Sources<'_>) -> Result<Answer> {
        let named = sources.named(query).iter().take(query.depth);
        let seeds: Vec<(Ordinal, f32)> = named.map(|named| (named.ord, named.share)).collect();
        Ok(Answer::Found(spread(&seeds, query.depth, sources)))
    }
}

/// Spreads the seeds' activation (0 to 1) through visible notes and proposes the eligible ones that it reaches.
///
/// A note's activation is the best over its paths of `seed · Π weight / √(degree / 2)`, halved per further hop: the
/// maximum, not the sum, so that a crowd of weak links does not outweigh a strong one, and thinned by the degree so
/// that a hub passes little to each of its many neighbours.
pub(crate) fn spread(seeds: &[(Ordinal, f32)], depth: usize, sources: &Sources<'_>) -> Vec<Candidate> {
    let mut reached: FxHashMap<Ordinal, Via> = FxHashMap::default();
    for &(seed, activation) in seeds {
        if sources.visible.contains(seed) && activation > 0.0 {
            from_seed(seed, activation.min(1.0), sources, &mut reached);
        }
    }
    let mut found: FxHashMap<Ordinal, Candidate> = reached
        .into_iter()
        .filter(|(ord, _)| sources.eligible.contains(*ord))
        .map(|(ord, via)| (ord, candidate(ord, via)))
        .collect();
    for &(seed, _) in seeds.iter().filter(|(seed, _)| sources.visible.contains(*seed)) {
        for (ord, strength) in sources.links.coactivated(seed) {
            if sources.eligible.contains(ord) && !found.contains_key(&ord) {
                let raw = COACTIVATION * strength / (strength + 1.0);
                let reason = Reason::Coactivated { times: strength, from: seed };
                found.insert(ord, Candidate { ord, raw, reason, passage: None });
            }
        }
    }
    sources.best(found.into_values().collect(), depth)
}

fn candidate(ord: Ordinal, via: Via) -> Candidate {
    let reason = Reason::Graph { activation: via.activation, kind: via.kind, from: via.seed, hops: via.hops };
    Candidate { ord, raw: via.activation, reason, passage: None }
}

fn from_seed(seed: Ordinal, activation: f32, sources: &Sources<'_>, reached: &mut FxHashMap<Ordinal, Via>) {
    let mut frontier = vec![(seed, activation)];
    for hops in 1..=MAX_HOPS {
        let mut next = Vec::new();
        for (ord, activation) in frontier {
            let mut neighbours = sources.links.neighbours(ord, sources.visible);
            neighbours.retain(|neighbour| neighbour.ord != seed);
            let thinning = (neighbours.len() as f32 / FREE_DEGREE).sqrt().max(1.0);
            let decay = if hops == 1 { 1.0 } else { HOP_DECAY };
            for neighbour in neighbours {
                let passed = activation * neighbour.weight * decay / thinning;
                if passed < MIN_ACTIVATION {
                    continue;
                }
                let full = reached.len() >= MAX_REACHED;
                let via = Via { seed, kind: neighbour.kind, hops, activation: passed };
                match reached.get_mut(&neighbour.ord) {
                    Some(known) if known.activation >= passed => continue,
                    Some(known) => *known = via,
                    None if full => continue,
                    None => {
                        reached.insert(neighbour.ord, via);
                    }
                }
                next.push((neighbour.ord, passed));
            }
        }
        frontier = next;
    }
}
