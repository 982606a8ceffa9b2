//! The weights in force: the configured ones, and beside them what this store's callers have taught.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use super::Engine;
use super::retrieve::Purpose;
use crate::error::Result;
use crate::memory::Trust;
use crate::memory::weights::{FACTORS, JudgedNode, JudgedReceipt, Weights, fit, shadow};
use crate::model::{AssociationRate, LearnedWeights, Verdict};
use crate::scouts::ScoutKind;
use crate::store::meta;
use crate::store::verdicts::{self, JudgedRow};
use crate::text;

/// Results of a receipt that training looks at.
const TRAINED_PLACES: usize = 100;

impl Engine {
    /// What a ranking goes by: a search remembers nothing.
    pub(crate) fn weights_for(&self, purpose: Purpose) -> Weights {
        match purpose {
            Purpose::Retrieve => self.weights_in_force(),
            Purpose::Search(_) => Weights::shipped(&self.config.ranking),
        }
    }

    /// The weights of a retrieve.
    pub(crate) fn weights_in_force(&self) -> Weights {
        *self.weights.read()
    }

    /// Brings what was trained before into force.
    pub(super) fn load_trained(&self) -> Result<()> {
        let (weights, rates): (_, Vec<AssociationRate>) =
            self.store.read(|conn| Ok((meta::learned_weights(conn)?, meta::association_rates(conn)?)))?;
        *self.weights.write() = self.blended(weights.as_ref());
        *self.memory.trust.write() = Trust::from_rates(&rates);
        Ok(())
    }

    /// Learns from the newest judged receipts: how far association is to be trusted, and weights, where what came of
    /// them passes the gate. Answers how many receipts it learned from; 0 where learning is off.
    ///
    /// The same receipts give the same answer. Retrieves and verdicts go on meanwhile; where verdicts came in between, what
    /// was trained holds without them until the next training.
    pub(super) fn train(&self) -> Result<u64> {
        let config = &self.config.learning;
        if !config.enabled || !(config.weights || config.association) {
            return Ok(0);
        }
        // Of two trainings at once the one that read less must not be the one that stays.
        let _training = self.training.lock();
        let resets = self.resets.load(Ordering::Acquire);
        let receipts = self.judged_receipts(config.max_receipts)?;
        let trust = config.association.then(|| trust(&receipts));
        let comparing: Vec<JudgedReceipt> = receipts.into_iter().filter(JudgedReceipt::compares).collect();
        // With the last receipt that compared anything goes what was learned from it.
        let weights = config.weights.then(|| (!comparing.is_empty()).then(|| self.trained(&comparing)));
        let _gate = self.gate.lock();
        // What was forgotten meanwhile must not come back.
        if self.resets.load(Ordering::Acquire) != resets {
            return Ok(0);
        }
        self.store.write(|conn| {
            trust.map_or(Ok(()), |trust| meta::set_association_rates(conn, &trust.rates()))?;
            weights.as_ref().map_or(Ok(()), |weights| meta::set_learned_weights(conn, weights.as_ref()))
        })?;
        if let Some(trust) = trust {
            *self.memory.trust.write() = trust;
        }
        if let Some(weights) = weights {
            *self.weights.write() = self.blended(weights.as_ref());
        }
        Ok(comparing.len() as u64)
    }

    fn trained(&self, receipts: &[JudgedReceipt]) -> LearnedWeights {
        let (config, shipped) = (&self.config.learning, Weights::shipped(&self.config.ranking));
        let trained = fit(receipts.iter(), &shipped, config);
        let seen = shadow(receipts, &shipped, config);
        LearnedWeights {
            scouts: by_scout(&trained),
            factors: FACTORS.iter().map(|name| (*name).to_owned()).zip(trained.factors).collect(),
            shipped: by_scout(&shipped),
            receipts: seen.receipts,
            discordant: seen.discordant,
            wins: seen.wins,
            lower_bound: seen.lower_bound,
            blend: seen.blend,
            trained_at: self.now(),
        }
    }

    /// The newest judged receipts, newest first.
    fn judged_receipts(&self, limit: usize) -> Result<Vec<JudgedReceipt>> {
        let shipped = Weights::shipped(&self.config.ranking);
        let mut receipts = Vec::new();
        self.store.read(|conn| verdicts::for_each_judged(conn, limit, |row| receipts.push(judged(&row, &shipped))))?;
        Ok(receipts)
    }

    fn blended(&self, learned: Option<&LearnedWeights>) -> Weights {
        let shipped = Weights::shipped(&self.config.ranking);
        match learned {
            Some(learned) if learned.blend > 0.0 && learned.shipped == by_scout(&shipped) => {
                named(&learned.scouts, &learned.factors, &shipped).blended(&shipped, learned.blend)
            }
            _ => shipped,
        }
    }
}

/// How callers took what association proposed.
fn trust(receipts: &[JudgedReceipt]) -> Trust {
    let mut trust = Trust::default();
    for node in receipts.iter().flat_map(|receipt| &receipt.nodes) {
        if let (Some(similarity), Some(verdict)) = (node.association, node.verdict) {
            trust.judged(similarity, verdict == Verdict::Cited);
        }
    }
    trust
}

fn judged(row: &JudgedRow, shipped: &Weights) -> JudgedReceipt {
    let then = recorded(&row.weights, shipped);
    let verdict = |ord| row.verdicts.iter().find(|(of, _)| *of == ord).map(|(_, verdict)| *verdict);
    let nodes = row.nodes.iter().zip(&row.ords).take(TRAINED_PLACES);
    JudgedReceipt {
        question: xxhash_rust::xxh3::xxh3_64(text::words(&row.query).join(" ").as_bytes()),
        nodes: nodes.map(|(node, ord)| JudgedNode::new(node, &then, verdict(*ord))).collect(),
    }
}

/// The weights as a receipt records them: each scout's by its name, and each factor's as `delta_` and its name where it is
/// not the configured one.
pub(super) fn recorded(weights: &BTreeMap<String, f64>, shipped: &Weights) -> Weights {
    let factors = weights.iter().filter_map(|(name, value)| Some((name.strip_prefix("delta_")?.to_owned(), *value)));
    named(weights, &factors.collect(), shipped)
}

/// What a receipt records of the weights in force.
pub(super) fn to_record(weights: &Weights) -> BTreeMap<String, f64> {
    let mut record = by_scout(weights);
    let learned = FACTORS.iter().zip(weights.factors).filter(|(_, factor)| *factor != 1.0);
    record.extend(learned.map(|(name, factor)| (format!("delta_{name}"), factor)));
    record
}

fn by_scout(weights: &Weights) -> BTreeMap<String, f64> {
    ScoutKind::ALL.iter().map(|kind| kind.name().to_owned()).zip(weights.scouts).collect()
}

fn named(scouts: &BTreeMap<String, f64>, factors: &BTreeMap<String, f64>, otherwise: &Weights) -> Weights {
    let mut weights = *otherwise;
    for (kind, weight) in ScoutKind::ALL.iter().zip(&mut weights.scouts) {
        *weight = scouts.get(kind.name()).copied().unwrap_or(*weight);
    }
    for (name, factor) in FACTORS.iter().zip(&mut weights.factors) {
        *factor = factors.get(*name).copied().unwrap_or(*factor);
    }
    weights
}
