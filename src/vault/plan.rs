//! What a folder's files mean beside what is remembered of them: which to read, which moved, which are gone.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_128;

use super::report::{Skipped, warned};
use super::walk::{Found, FoundFile};
use crate::engine::Engine;
use crate::store::vault_files::VaultFile;

/// A file that is new or may have changed.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub file: FoundFile,
    /// What is remembered of it; under its old path when it moved.
    pub known: Option<VaultFile>,
}

impl Candidate {
    /// Whether it is known under another path.
    pub fn moved(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.path != self.file.path)
    }
}

/// What there is to do.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// By path.
    pub read: Vec<Candidate>,
    pub unchanged: usize,
    /// What was wrong in the unchanged files when they were read.
    pub warnings: Vec<Skipped>,
    /// Files that were indexed before and are not there any more, by path.
    pub gone: BTreeMap<String, VaultFile>,
}

impl Plan {
    /// Files of the size and time that are remembered are not read. A note that was deleted from the store while its
    /// file stayed is made again: a store shows what its folder says.
    pub fn of(found: &Found, known: Vec<VaultFile>, engine: &Engine) -> Self {
        let snapshot = engine.snapshot();
        let mut known: FxHashMap<String, VaultFile> = known.into_iter().map(|row| (row.path.clone(), row)).collect();
        let mut plan = Self::default();
        for file in &found.files {
            let row = known.remove(&file.path);
            let same = row.as_ref().is_some_and(|row| {
                row.size == file.size && row.mtime == file.mtime && snapshot.catalog.ord(&row.note_id).is_some()
            });
            match row {
                Some(row) if same => {
                    plan.unchanged += 1;
                    plan.warnings.extend(warned(&file.path, row.warnings));
                }
                row => plan.read.push(Candidate { file: file.clone(), known: row }),
            }
        }
        plan.gone = known.into_iter().filter(|(path, _)| found.would_have_seen(path)).collect();
        plan.find_moved();
        plan
    }

    /// A file that is gone and a new one of the same bytes are one file that moved, if there is one of each.
    fn find_moved(&mut self) {
        let sizes: FxHashSet<u64> = self.gone.values().map(|row| row.size).collect();
        let fresh: Vec<(usize, String)> = self
            .read
            .par_iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.known.is_none() && sizes.contains(&candidate.file.size))
            .filter_map(|(at, candidate)| Some((at, fingerprint(&std::fs::read(&candidate.file.absolute).ok()?))))
            .collect();
        let mut by_hash: FxHashMap<String, (Vec<usize>, Vec<String>)> = FxHashMap::default();
        for (at, hash) in fresh {
            by_hash.entry(hash).or_default().0.push(at);
        }
        for (path, row) in &self.gone {
            if let Some((_, paths)) = by_hash.get_mut(&row.hash) {
                paths.push(path.clone());
            }
        }
        for (fresh, gone) in by_hash.into_values() {
            if let ([at], [path]) = (fresh.as_slice(), gone.as_slice())
                && let Some(candidate) = self.read.get_mut(*at)
            {
                candidate.known = self.gone.remove(path);
            }
        }
    }
}

/// The hash by which a file's bytes are compared: XXH3-128, in hexadecimal.
pub(super) fn fingerprint(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}
