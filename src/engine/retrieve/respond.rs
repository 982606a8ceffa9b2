//! The answer, in the shape of `lithos_retrieve`.

use super::{Ranking, Shown};
use crate::model::{Conflict, RetrieveResponse};

pub(super) fn response(
    ranking: Ranking,
    shown: Vec<Shown>,
    conflicts: Option<Vec<Conflict>>,
    receipt_id: String,
) -> RetrieveResponse {
    RetrieveResponse {
        results: shown.into_iter().map(|shown| shown.note).collect(),
        temperature: ranking.temperature,
        terrace_reached: ranking.terrace,
        receipt_id,
        degraded: !ranking.failed.is_empty(),
        failed_scouts: ranking.failed,
        skipped_scouts: ranking.skipped,
        conflicts,
    }
}
