//! Deepening by temperature: a setting, off by default, that its receipt tells of.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{Seeded, TestStore, note, supplied};
use terrace::{Receipt, RetrieveRequest, Viewer};

/// The receipt of a retrieve whose best candidates have nothing in common.
fn receipt(widen_above: Option<f64>) -> Receipt {
    let store = TestStore::with(|config| {
        config.embedder = supplied(64);
        if let Some(threshold) = widen_above {
            config.lcma.widen_above = threshold;
        }
    });
    let mut seeded = Seeded(3);
    for at in 0..30 {
        store.put_with_vector(note(&format!("n{at}"), "Pump log", "pump"), seeded.vector(64)).unwrap();
    }
    let request = RetrieveRequest { vector: Some(seeded.vector(64)), ..RetrieveRequest::new("pump") };
    let answer = store.retrieve(&request).unwrap();
    assert!(answer.temperature > 0.85, "{}", answer.temperature);
    store.receipt(&answer.receipt_id, &Viewer::owner()).unwrap()
}

#[test]
fn by_default_no_temperature_widens() {
    let receipt = receipt(None);
    assert_eq!((receipt.terrace_reached, receipt.widening), (1, None));
}

#[test]
fn above_its_threshold_a_retrieve_doubles_seeds_and_depth_and_says_so() {
    let widening = receipt(Some(0.85)).widening.unwrap();
    assert_eq!((widening["seeds"].as_u64(), widening["depth"].as_u64()), (Some(20), Some(400)));
}
