//! The last place of an answer, drawn: see [`Exploration`].

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{Ask, Ranking};
use crate::config::Exploration;
use crate::engine::Engine;
use crate::error::Result;
use crate::memory::NodeState;
use crate::rank::{Arm, Ranked, pick, propensities};
use crate::store::receipts;

impl Engine {
    /// How many ranked notes a retrieve keeps until its last place is drawn; `None` where nothing is drawn.
    pub(super) fn window(&self, limit: usize) -> Option<usize> {
        let exploration = self.config().exploration.as_ref().filter(|_| limit >= 2)?;
        Some(limit.saturating_mul(exploration.reach.max(1)))
    }

    /// Fills the last place by a draw among the notes ranked from there on, and lets the others go.
    pub(super) fn explore(&self, ask: &Ask<'_>, ranking: &mut Ranking) -> Result<()> {
        let ranked = &mut ranking.ranked;
        if let Some(exploration) = &self.config().exploration
            && ask.limit >= 2
            && ranked.len() > ask.limit
        {
            let candidates = ranked.split_off(ask.limit - 1);
            let unit = self.unit(ask, exploration)?;
            ranked.extend(self.draw(candidates, exploration, unit));
        }
        ranked.truncate(ask.limit);
        Ok(())
    }

    /// The drawn candidate, with the probability it was drawn with.
    fn draw(&self, candidates: Vec<Ranked>, exploration: &Exploration, unit: f64) -> Option<Ranked> {
        let nodes = self.memory().nodes.read();
        let arms: Vec<Arm> =
            candidates.iter().map(|candidate| arm(candidate.score, nodes.get(&candidate.ord), exploration)).collect();
        drop(nodes);
        let chances = propensities(&arms);
        // Where no score is above 0 there is nothing to weigh by, and the first of them stands as it would have.
        let Some(at) = pick(&chances, unit) else { return candidates.into_iter().next() };
        let mut shown = candidates.into_iter().nth(at)?;
        shown.propensity = chances.get(at).copied();
        Some(shown)
    }

    /// A number in [0, 1) that follows from what is asked, by whom, and how many receipts there are.
    fn unit(&self, ask: &Ask<'_>, exploration: &Exploration) -> Result<f64> {
        let seq = self.store().read(receipts::last_seq)?;
        let viewer = &ask.viewer;
        // Lengths keep the parts apart: no two requests run together into one.
        let mut key = Vec::with_capacity(ask.query.len() + 64);
        key.extend_from_slice(&self.store().seed().to_le_bytes());
        key.extend_from_slice(&seq.to_le_bytes());
        for part in [Some(ask.query), viewer.agent_id(), viewer.task_id()] {
            key.extend_from_slice(&part.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
            key.extend_from_slice(part.unwrap_or_default().as_bytes());
        }
        let hash = xxh3_64_with_seed(&key, exploration.seed);
        Ok((hash >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

fn arm(score: f64, node: Option<&NodeState>, exploration: &Exploration) -> Arm {
    let (cited, misleading, ignored) = node.map_or((0, 0, 0), |node| (node.cited, node.misleading, node.ignored));
    let weigh = |weight: f64, count: u64| if weight.is_finite() { weight.max(0.0) * count as f64 } else { 0.0 };
    Arm {
        score,
        successes: cited,
        failures: weigh(exploration.misleading_weight, misleading) + weigh(exploration.ignored_weight, ignored),
    }
}
