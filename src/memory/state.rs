//! The whole of memory, current at every moment, behind locks that are held for microseconds.

use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;

use super::{Association, Habits, NodeState, ReceiptEffect, Repeats, Trust, Usage};
use crate::clock::Timestamp;
use crate::config::MemoryConfig;
use crate::model::Ordinal;

/// A note that a task retrieved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WorkingEntry {
    pub activation_count: u64,
    pub first_seen_at: Timestamp,
    pub last_seen_at: Timestamp,
    pub last_receipt: i64,
}

/// What receipts and verdicts have left behind.
pub(crate) struct Memory {
    pub nodes: RwLock<FxHashMap<Ordinal, NodeState>>,
    pub usage: RwLock<FxHashMap<Ordinal, Usage>>,
    pub habits: RwLock<Habits>,
    pub working: RwLock<FxHashMap<String, FxHashMap<Ordinal, WorkingEntry>>>,
    pub association: RwLock<Association>,
    pub trust: RwLock<Trust>,
    pub repeats: Mutex<Repeats>,
    config: MemoryConfig,
}

impl Memory {
    pub(crate) fn new(config: &MemoryConfig) -> Self {
        Self {
            nodes: RwLock::default(),
            usage: RwLock::default(),
            habits: RwLock::new(Habits::new(config.coactivation_per_note)),
            working: RwLock::default(),
            association: RwLock::default(),
            trust: RwLock::default(),
            repeats: Mutex::default(),
            config: config.clone(),
        }
    }

    /// The constants in force.
    pub(crate) fn config(&self) -> &MemoryConfig {
        &self.config
    }

    /// A note's state; that of a new note when nothing was said of it.
    pub(crate) fn node(&self, ord: Ordinal) -> NodeState {
        self.nodes.read().get(&ord).copied().unwrap_or_else(|| NodeState::new(&self.config))
    }

    /// A note's usage.
    pub(crate) fn usage_of(&self, ord: Ordinal) -> Usage {
        self.usage.read().get(&ord).copied().unwrap_or_default()
    }

    /// Takes a receipt in.
    pub(crate) fn retrieved(&self, effect: &ReceiptEffect) {
        {
            let mut usage = self.usage.write();
            for &ord in &effect.ords {
                usage.entry(ord).or_default().retrieved(effect.at, effect.counted);
            }
        }
        if effect.counted {
            let mut habits = self.habits.write();
            effect.pairs().for_each(|(a, b)| habits.add(a, b, 1.0));
        }
        if let Some(task_id) = &effect.task_id {
            let mut working = self.working.write();
            let of_task = working.entry(task_id.clone()).or_default();
            for &ord in &effect.ords {
                let entry = of_task.entry(ord).or_insert(WorkingEntry {
                    activation_count: 0,
                    first_seen_at: effect.at,
                    last_seen_at: effect.at,
                    last_receipt: effect.seq,
                });
                entry.activation_count += 1;
                entry.first_seen_at = entry.first_seen_at.min(effect.at);
                entry.last_seen_at = entry.last_seen_at.max(effect.at);
                entry.last_receipt = entry.last_receipt.max(effect.seq);
            }
        }
    }

    /// Forgets a deleted note.
    pub(crate) fn forget(&self, ord: Ordinal) {
        self.nodes.write().remove(&ord);
        self.usage.write().remove(&ord);
        self.habits.write().forget(ord);
        self.association.write().forget(ord);
        self.working.write().values_mut().for_each(|notes| {
            notes.remove(&ord);
        });
    }
}
