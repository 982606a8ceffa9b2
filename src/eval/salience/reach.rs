//! Whether a note that nobody ever asked for can still be found.

use serde::{Deserialize, Serialize};

use super::report::NoteGroup;
use super::traffic::Traffic;
use crate::engine::Engine;
use crate::error::Result;
use crate::eval::run;
use crate::model::RetrieveRequest;

/// Notes never asked for, looked up by their own title and rarest words, in the used store and in a fresh one of the same
/// notes at the same time. No lookup leaves a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reach {
    /// Notes looked up.
    pub notes: usize,
    /// Share found first in the fresh store.
    pub fresh_at_1: f64,
    /// Share among its first ten.
    pub fresh_at_10: f64,
    /// Share found first in the used store.
    pub used_at_1: f64,
    /// Share among its first ten.
    pub used_at_10: f64,
}

impl Reach {
    pub(super) fn measure(used: &Engine, fresh: &Engine, traffic: &Traffic, most: usize) -> Result<Self> {
        let mut reach = Self::default();
        for target in traffic.of(NoteGroup::Untouched).take(most) {
            let request = RetrieveRequest::new(target.query.as_str());
            let place = |engine: &Engine| -> Result<Option<usize>> {
                Ok(run::ask(engine, &target.id, &request)?.iter().position(|(id, _)| *id == target.id))
            };
            let (in_used, in_fresh) = (place(used)?, place(fresh)?);
            reach.notes += 1;
            reach.fresh_at_1 += f64::from(u8::from(in_fresh == Some(0)));
            reach.fresh_at_10 += f64::from(u8::from(in_fresh.is_some()));
            reach.used_at_1 += f64::from(u8::from(in_used == Some(0)));
            reach.used_at_10 += f64::from(u8::from(in_used.is_some()));
        }
        let count = reach.notes.max(1) as f64;
        for share in [&mut reach.fresh_at_1, &mut reach.fresh_at_10, &mut reach.used_at_1, &mut reach.used_at_10] {
            *share /= count;
        }
        Ok(reach)
    }
}
