//! Which note a file is.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::Result;
use crate::store::vault_files::VaultFile;
use crate::store::{notes, vault_files};

/// The note ids of one folder's files.
///
/// An id that the front matter gives is taken unless another file has it. Else a file keeps the id it has; a new file's
/// is made from folder and path, so that a file whose note was written but not yet remembered when the process died
/// gets the same one again.
pub(super) struct Identities {
    root: String,
    /// Ids of the folder's files, with the path of the file.
    owners: FxHashMap<String, String>,
}

/// The id a file gets.
#[derive(Debug, Default)]
pub(super) struct Identity {
    pub id: String,
    /// The file that had this id and is gone: root and path.
    pub taken_from: Option<(String, String)>,
    /// Why the id is not the one that the front matter gives.
    pub warning: Option<String>,
}

impl Identities {
    pub fn new(root: &str, known: &[VaultFile]) -> Self {
        let owners = known.iter().map(|row| (row.note_id.clone(), row.path.clone())).collect();
        Self { root: root.to_owned(), owners }
    }

    /// Decides on the id of the file at `path`, known so far by the id `known`. `gone` are the files that are not there
    /// any more.
    pub fn assign(
        &mut self,
        conn: &Connection,
        path: &str,
        given: &str,
        known: Option<&str>,
        gone: &BTreeMap<String, VaultFile>,
    ) -> Result<Identity> {
        let mut identity = Identity::default();
        if !given.is_empty() {
            match self.holder(conn, given, path)? {
                Some((root, holder)) if self.is_there(&root, &holder, gone) => {
                    identity.warning =
                        Some(format!("its `id` {given:?} is that of {holder:?}, so another was made; give it its own"));
                }
                holder => {
                    identity.id = given.to_owned();
                    identity.taken_from = holder;
                }
            }
        }
        if identity.id.is_empty() {
            identity.id = match known {
                Some(known) => known.to_owned(),
                None => self.made(conn, path)?,
            };
        }
        if let Some(known) = known.filter(|known| *known != identity.id)
            && self.owners.get(known).is_some_and(|owner| owner == path)
        {
            self.owners.remove(known);
        }
        self.owners.insert(identity.id.clone(), path.to_owned());
        Ok(identity)
    }

    /// Whether a file of any folder has this id.
    pub fn is_owned(&self, conn: &Connection, id: &str) -> Result<bool> {
        Ok(self.owners.contains_key(id) || self.elsewhere(conn, id)?.is_some())
    }

    /// A file that moved has its id under its new path from now on.
    pub fn moved(&mut self, id: &str, path: &str) {
        self.owners.insert(id.to_owned(), path.to_owned());
    }

    /// The other file that has this id: root and path.
    fn holder(&self, conn: &Connection, id: &str, path: &str) -> Result<Option<(String, String)>> {
        match self.owners.get(id) {
            Some(owner) if owner == path => Ok(None),
            Some(owner) => Ok(Some((self.root.clone(), owner.clone()))),
            None => self.elsewhere(conn, id),
        }
    }

    fn elsewhere(&self, conn: &Connection, id: &str) -> Result<Option<(String, String)>> {
        Ok(vault_files::of_note(conn, id)?.into_iter().find(|(root, _)| *root != self.root))
    }

    fn is_there(&self, root: &str, path: &str, gone: &BTreeMap<String, VaultFile>) -> bool {
        if root == self.root { !gone.contains_key(path) } else { Path::new(root).join(path).exists() }
    }

    fn made(&self, conn: &Connection, path: &str) -> Result<String> {
        let mut attempt = 0_u32;
        loop {
            let hash = xxh3_64(format!("{}\u{1f}{path}\u{1f}{attempt}", self.root).as_bytes());
            let id = format!("note_{:012x}", hash & 0xffff_ffff_ffff);
            let taken = self.is_owned(conn, &id)?
                || match notes::ord_of(conn, &id)? {
                    None => false,
                    // Without an owner and at this very path: written, and not remembered when the process died.
                    Some(ord) => notes::by_ord(conn, ord)?.is_some_and(|note| note.path.as_deref() != Some(path)),
                };
            if !taken {
                return Ok(id);
            }
            attempt += 1;
        }
    }
}
