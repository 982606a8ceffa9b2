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
    /// The root it is remembered under, where it moved here from a folder that is gone.
    pub from: Option<String>,
}

impl Candidate {
    /// Whether it is known under another path or root.
    pub fn moved(&self) -> bool {
        self.from.is_some() || self.known.as_ref().is_some_and(|known| known.path != self.file.path)
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
    /// file stayed is made again: a store shows what its folder says. `lost` are the files of vaults whose folder is
    /// gone, each with its root: new files here may be those.
    pub fn of(found: &Found, known: Vec<VaultFile>, lost: Vec<(String, VaultFile)>, engine: &Engine) -> Self {
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
                row => plan.read.push(Candidate { file: file.clone(), known: row, from: None }),
            }
        }
        plan.gone = known.into_iter().filter(|(path, _)| found.would_have_seen(path)).collect();
        plan.find_moved(lost);
        plan
    }

    /// A file that is gone and a new one of the same bytes are one file that moved: if both have the same path, since
    /// then their folder moved as a whole, or else if there is one of each.
    fn find_moved(&mut self, lost: Vec<(String, VaultFile)>) {
        let gone = self.gone.values().map(|row| (None, row.clone()));
        let mut gone: Vec<(Option<String>, VaultFile)> =
            gone.chain(lost.into_iter().map(|(root, row)| (Some(root), row))).collect();
        let sizes: FxHashSet<u64> = gone.iter().map(|(_, row)| row.size).collect();
        let fresh: Vec<(usize, String)> = self
            .read
            .par_iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.known.is_none() && sizes.contains(&candidate.file.size))
            .filter_map(|(at, candidate)| Some((at, fingerprint(&std::fs::read(&candidate.file.absolute).ok()?))))
            .collect();
        self.settle(&fresh, &mut gone, |hash, path| format!("{hash} {path}"));
        self.settle(&fresh, &mut gone, |hash, _| hash.to_owned());
    }

    /// Pairs new files with gone ones where `key`, of a file's hash and path, is that of exactly one on either side.
    fn settle(
        &mut self,
        fresh: &[(usize, String)],
        gone: &mut Vec<(Option<String>, VaultFile)>,
        key: impl Fn(&str, &str) -> String,
    ) {
        let mut by_key: FxHashMap<String, (Vec<usize>, Vec<usize>)> = FxHashMap::default();
        for (at, hash) in fresh {
            let Some(candidate) = self.read.get(*at).filter(|candidate| candidate.known.is_none()) else { continue };
            by_key.entry(key(hash, &candidate.file.path)).or_default().0.push(*at);
        }
        for (at, (_, row)) in gone.iter().enumerate() {
            if let Some((_, gone)) = by_key.get_mut(&key(&row.hash, &row.path)) {
                gone.push(at);
            }
        }
        let mut taken = FxHashSet::default();
        for pair in by_key.into_values() {
            if let ([fresh], [old]) = (pair.0.as_slice(), pair.1.as_slice())
                && let (Some(candidate), Some((from, row))) = (self.read.get_mut(*fresh), gone.get(*old))
            {
                if from.is_none() {
                    self.gone.remove(&row.path);
                }
                (candidate.known, candidate.from) = (Some(row.clone()), from.clone());
                taken.insert(*old);
            }
        }
        let mut at = 0..;
        gone.retain(|_| at.next().is_none_or(|at| !taken.contains(&at)));
    }
}

/// The hash by which a file's bytes are compared: XXH3-128, in hexadecimal.
pub(super) fn fingerprint(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}
