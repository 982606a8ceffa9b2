//! What a configuration has to hold before a store is opened with it: one number out of its range would otherwise be
//! computed with, and written into the store.

use std::ops::RangeInclusive;

use super::{
    AssociationConfig, CacheConfig, Config, Exploration, LcmaConfig, LearningConfig, MemoryConfig, RankingConfig,
    RetentionConfig, ScoutWeights, VectorConfig,
};
use crate::error::{Error, Result};

/// A share, a probability, a score.
const UNIT: RangeInclusive<f64> = 0.0..=1.0;
/// A factor, or a count that is not whole.
const FACTOR: RangeInclusive<f64> = 0.0..=1e6;
/// What is divided by.
const POSITIVE: RangeInclusive<f64> = 1e-6..=1e6;
/// Up to 27 thousand years.
const DAYS: RangeInclusive<f64> = 0.0..=1e7;
/// Entries of a list that every note has.
const PER_NOTE: RangeInclusive<f64> = 0.0..=10_000.0;
/// Any count.
const COUNT: RangeInclusive<f64> = 0.0..=f64::MAX;

type Field = (&'static str, f64, RangeInclusive<f64>);

impl Config {
    /// Whether every number is within its range; [`Engine::open`](crate::Engine::open) asks it first.
    ///
    /// ```
    /// use terrace::{Config, MemoryConfig};
    /// let memory = MemoryConfig { initial_salience: f64::NAN, ..MemoryConfig::default() };
    /// let error = Config { memory, ..Config::default() }.check().unwrap_err();
    /// assert!(error.to_string().contains("memory.initial_salience"));
    /// ```
    ///
    /// # Errors
    /// `invalid_input` that names the field, what it may be and what it is.
    pub fn check(&self) -> Result<()> {
        let parts = [
            lcma(&self.lcma),
            vector(&self.vector),
            weights(&self.ranking.weights),
            ranking(&self.ranking),
            memory(&self.memory),
            association(&self.memory.association),
            learning(&self.learning),
            self.exploration.as_ref().map(exploration).unwrap_or_default(),
            retention(&self.retention),
            cache(&self.cache),
        ];
        for (name, value, range) in parts.into_iter().flatten() {
            if !range.contains(&value) {
                let (least, most) = (range.start(), range.end());
                let bounds =
                    if *most == f64::MAX { format!("at least {least}") } else { format!("from {least} to {most}") };
                return Err(Error::invalid(format!(
                    "expected {name} {bounds}, found {value}; correct the configuration"
                )));
            }
        }
        Ok(())
    }
}

fn lcma(config: &LcmaConfig) -> Vec<Field> {
    vec![
        ("lcma.max_limit", config.max_limit as f64, 1.0..=f64::MAX),
        ("lcma.pool_depth", config.pool_depth as f64, 1.0..=f64::MAX),
        ("lcma.widen_above", config.widen_above, FACTOR),
    ]
}

fn vector(config: &VectorConfig) -> Vec<Field> {
    vec![("vector.passage_chars", config.passage_chars as f64, 1.0..=f64::MAX)]
}

fn weights(config: &ScoutWeights) -> Vec<Field> {
    [
        ("ranking.weights.lexical", config.lexical),
        ("ranking.weights.vector", config.vector),
        ("ranking.weights.graph", config.graph),
        ("ranking.weights.tag", config.tag),
        ("ranking.weights.path", config.path),
        ("ranking.weights.task_context", config.task_context),
        ("ranking.weights.recency", config.recency),
    ]
    .map(|(name, weight)| (name, weight.into(), FACTOR))
    .to_vec()
}

fn ranking(config: &RankingConfig) -> Vec<Field> {
    vec![
        ("ranking.name_boost", config.name_boost.into(), FACTOR),
        ("ranking.lexical_kappa", config.lexical_kappa.into(), FACTOR),
        ("ranking.salience_delta", config.salience_delta, UNIT),
        ("ranking.usage_delta", config.usage_delta, UNIT),
        ("ranking.recency_delta", config.recency_delta, UNIT),
        ("ranking.note_type_delta", config.note_type_delta, UNIT),
        ("ranking.graph_delta", config.graph_delta, UNIT),
        ("ranking.status_delta", config.status_delta, UNIT),
        ("ranking.near_duplicate_factor", config.near_duplicate_factor, UNIT),
        // Above 1: nothing is a near duplicate.
        ("ranking.near_duplicate_jaccard", config.near_duplicate_jaccard, FACTOR),
    ]
}

fn memory(config: &MemoryConfig) -> Vec<Field> {
    vec![
        ("memory.initial_salience", config.initial_salience, UNIT),
        ("memory.cited_salience", config.cited_salience, UNIT),
        ("memory.cited_strength", config.cited_strength, FACTOR),
        ("memory.misleading_salience", config.misleading_salience, UNIT),
        ("memory.misleading_edge", config.misleading_edge, UNIT),
        ("memory.quarantine_after", config.quarantine_after as f64, 1.0..=f64::MAX),
        ("memory.ignored_salience", config.ignored_salience, UNIT),
        ("memory.ignored_grace", config.ignored_grace as f64, COUNT),
        ("memory.related_initial", config.related_initial, UNIT),
        ("memory.related_step", config.related_step, UNIT),
        ("memory.salience_floor", config.salience_floor, UNIT),
        ("memory.decay_rate", config.decay_rate, FACTOR),
        ("memory.decay_grace_days", config.decay_grace_days, DAYS),
        ("memory.working_memory_days", config.working_memory_days, DAYS),
        ("memory.coactivation_per_note", config.coactivation_per_note as f64, PER_NOTE),
    ]
}

fn association(config: &AssociationConfig) -> Vec<Field> {
    vec![
        ("memory.association.min_similarity", config.min_similarity.into(), UNIT),
        // Above 1: no two queries are that much alike.
        ("memory.association.misleading_similarity", config.misleading_similarity.into(), FACTOR),
        ("memory.association.merge_similarity", config.merge_similarity.into(), FACTOR),
        ("memory.association.per_note", config.per_note as f64, PER_NOTE),
        ("memory.association.half_strength", config.half_strength, POSITIVE),
        ("memory.association.half_life_days", config.half_life_days, 1e-6..=1e7),
        ("memory.association.forget_days", config.forget_days, DAYS),
        ("memory.association.trusted_rate", config.trusted_rate.into(), 1e-6..=1.0),
        ("memory.association.trust_prior", config.trust_prior.into(), FACTOR),
        ("memory.association.breadth", config.breadth.into(), POSITIVE),
    ]
}

fn learning(config: &LearningConfig) -> Vec<Field> {
    vec![
        ("learning.wilson_z", config.wilson_z, 0.0..=10.0),
        ("learning.min_lower_bound", config.min_lower_bound, UNIT),
        ("learning.max_blend", config.max_blend, UNIT),
        ("learning.blend_slope", config.blend_slope, FACTOR),
        ("learning.max_position_weight", config.max_position_weight, 1.0..=1e6),
        ("learning.misleading_weight", config.misleading_weight, FACTOR),
        ("learning.slope", config.slope, 0.0..=1e4),
        ("learning.scout_spread", config.scout_spread, 0.0..=100.0),
        ("learning.factor_spread", config.factor_spread, 0.0..=100.0),
    ]
}

fn exploration(config: &Exploration) -> Vec<Field> {
    vec![
        ("exploration.reach", config.reach as f64, COUNT),
        ("exploration.misleading_weight", config.misleading_weight, FACTOR),
        ("exploration.ignored_weight", config.ignored_weight, FACTOR),
    ]
}

fn retention(config: &RetentionConfig) -> Vec<Field> {
    vec![("retention.receipt_days", config.receipt_days, DAYS)]
}

fn cache(config: &CacheConfig) -> Vec<Field> {
    vec![("cache.min_similarity", config.min_similarity, UNIT)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(config: &Config) -> String {
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn the_defaults_are_within_their_ranges() {
        Config { exploration: Some(Exploration::default()), ..Config::default() }.check().unwrap();
    }

    #[test]
    fn no_number_is_in_no_range() {
        let learning = LearningConfig { wilson_z: f64::NAN, ..LearningConfig::default() };
        assert!(
            error_of(&Config { learning, ..Config::default() }).contains("learning.wilson_z from 0 to 10, found NaN")
        );
    }

    #[test]
    fn the_end_of_a_range_is_in_it_and_the_next_number_is_not() {
        let config = |receipt_days| Config {
            retention: RetentionConfig { receipt_days, ..RetentionConfig::default() },
            ..Config::default()
        };
        config(1e7).check().unwrap();
        assert!(error_of(&config(1e7_f64.next_up())).contains("retention.receipt_days"));
    }

    #[test]
    fn every_field_of_every_part_is_checked_by_its_own_value() {
        let config = Config { exploration: Some(Exploration::default()), ..Config::default() };
        let fields = [ranking(&config.ranking), memory(&config.memory), learning(&config.learning)].concat();
        let mut names: Vec<&str> = fields.iter().map(|(name, _, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), fields.len());
    }
}
