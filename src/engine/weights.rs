//! The weights in force: the configured ones, and beside them what this store's callers have taught.

use std::collections::BTreeMap;

use super::Engine;
use super::retrieve::Purpose;
use crate::error::Result;
use crate::memory::weights::{FACTORS, JudgedNode, JudgedReceipt, Weights, fit, shadow};
use crate::model::LearnedWeights;
use crate::scouts::ScoutKind;
use crate::store::verdicts::{self, JudgedRow};
use crate::store::meta;
use crate::text;

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

    /// Brings the weights that were learned before into force.
    pub(super) fn load_weights(&self) -> Result<()> {
        let learned = self.store.read(meta::learned_weights)?;
        *self.weights.write() = self.blended(learned.as_ref());
        Ok(())
    }

    /// Trains on the newest judged receipts, decides whether what came of it counts, and keeps it. Answers how many
    /// receipts it was trained on; 0 where there is nothing new to learn from.
    ///
    /// The same receipts give the same weights.
    pub(super) fn train_weights(&self) -> Result<u64> {
        let config = &self.config.learning;
        if !config.enabled || !config.weights {
            return Ok(0);
        }
        let receipts = self.judged_receipts(config.max_receipts)?;
        if receipts.is_empty() {
            return Ok(0);
        }
        let shipped = Weights::shipped(&self.config.ranking);
        let trained = fit(receipts.iter(), &shipped, config);
        let seen = shadow(&receipts, &shipped, config);
        let learned = LearnedWeights {
            scouts: by_scout(&trained),
            factors: FACTORS.iter().map(|name| (*name).to_owned()).zip(trained.factors).collect(),
            shipped: by_scout(&shipped),
            receipts: seen.receipts,
            discordant: seen.discordant,
            wins: seen.wins,
            lower_bound: seen.lower_bound,
            blend: seen.blend,
            trained_at: self.now(),
        };
        if std::env::var_os("FBX").is_some() { eprintln!("{learned:?}"); }
        self.store.write(|conn| meta::set_learned_weights(conn, &learned))?;
        *self.weights.write() = self.blended(Some(&learned));
        Ok(seen.receipts as u64)
    }

    /// The newest judged receipts that say which notes belong above which, newest first.
    fn judged_receipts(&self, limit: usize) -> Result<Vec<JudgedReceipt>> {
        let shipped = Weights::shipped(&self.config.ranking);
        let mut receipts = Vec::new();
        self.store.read(|conn| {
            verdicts::for_each_judged(conn, limit, |row| {
                let receipt = judged(&row, &shipped);
                if receipt.compares() {
                    receipts.push(receipt);
                }
            })
        })?;
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

fn judged(row: &JudgedRow, shipped: &Weights) -> JudgedReceipt {
    let then = recorded(&row.weights, shipped);
    let verdict = |ord| row.verdicts.iter().find(|(of, _)| *of == ord).map(|(_, verdict)| *verdict);
    let nodes = row.nodes.iter().zip(&row.ords);
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
