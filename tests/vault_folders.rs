//! Indexing a folder again and again: what changed is written, what did not is left alone, and a note stays the same
//! note wherever its file goes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)]

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::Counting;
use terrace::embed::EmbedderIdentity;
use terrace::vault::{IndexOptions, IndexProgress, IndexReport, index_folder};
use terrace::{Config, EmbedderChoice, Engine, Note, RetrieveRequest, SearchMode, SearchRequest, SearchResult, Viewer};

struct Vault {
    _dir: tempfile::TempDir,
    root: PathBuf,
    store: PathBuf,
    engine: Option<Engine>,
    embedded: Arc<AtomicUsize>,
}

impl Vault {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (root, store) = (dir.path().join("vault"), dir.path().join("store"));
        std::fs::create_dir(&root).unwrap();
        let embedded = Arc::new(AtomicUsize::new(0));
        let mut vault = Self { root, store, engine: None, embedded, _dir: dir };
        vault.reopen();
        vault
    }

    fn reopen(&mut self) {
        self.engine = None;
        let identity = EmbedderIdentity { name: "counting".into(), hash: "1".into(), dims: 2 };
        let embedder = Counting { identity, texts: Arc::clone(&self.embedded) };
        let config = Config { embedder: EmbedderChoice::Custom(Arc::new(embedder)), ..Config::default() };
        self.engine = Some(Engine::open(&self.store, config).unwrap());
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        let to = self.root.join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::rename(self.root.join(from), to).unwrap();
    }

    fn remove(&self, path: &str) {
        std::fs::remove_file(self.root.join(path)).unwrap();
    }

    fn index(&self) -> IndexReport {
        self.index_with(&IndexOptions::default())
    }

    fn index_with(&self, options: &IndexOptions) -> IndexReport {
        index_folder(self.engine(), &self.root, options, &mut |_| {}).unwrap()
    }

    fn search(&self, query: &str) -> Vec<SearchResult> {
        let request = SearchRequest { mode: SearchMode::Fulltext, ..SearchRequest::new(query) };
        self.engine().search(&request).unwrap().results
    }

    /// The one note that a word finds.
    fn only(&self, word: &str) -> Note {
        let found = self.search(word);
        assert_eq!(found.len(), 1, "{word}: {found:?}");
        self.engine().get(&found[0].id, &Viewer::default()).unwrap()
    }

    fn notes(&self) -> u64 {
        self.engine().stats().unwrap().notes
    }

    /// Sets a file's time, so that it looks changed.
    fn touch(&self, path: &str) {
        let file = std::fs::File::options().append(true).open(self.root.join(path)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000)).unwrap();
    }
}

fn paths(list: &[terrace::vault::Skipped]) -> Vec<&str> {
    list.iter().map(|skipped| skipped.path.as_str()).collect()
}

#[test]
fn a_file_that_did_not_change_is_neither_read_nor_embedded_again() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.write("b/b.md", "beta");
    assert_eq!(vault.index().added, 2);
    let embedded = vault.embedded.load(Ordering::SeqCst);
    assert!(embedded >= 2);
    let report = vault.index();
    assert_eq!((report.files, report.unchanged, report.added, report.updated), (2, 2, 0, 0));
    assert_eq!(vault.embedded.load(Ordering::SeqCst), embedded);
}

#[test]
fn a_file_with_a_new_time_and_the_old_bytes_is_not_embedded_again() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    let before = vault.only("alpha");
    let embedded = vault.embedded.load(Ordering::SeqCst);
    vault.touch("a.md");
    assert_eq!(vault.index().unchanged, 1);
    assert_eq!(vault.embedded.load(Ordering::SeqCst), embedded);
    assert_eq!(vault.only("alpha"), before);
}

#[test]
fn what_is_wrong_in_a_file_is_said_at_every_run_until_it_is_mended() {
    let vault = Vault::new();
    vault.write("a.md", "---\nstatus: wip\n---\nalpha");
    let first = vault.index();
    assert_eq!(paths(&first.warnings), ["a.md"]);
    let again = vault.index();
    assert_eq!((again.unchanged, &again.warnings), (1, &first.warnings));
    vault.touch("a.md");
    assert_eq!(vault.index().warnings, first.warnings);
    assert_eq!(vault.index().warnings, first.warnings);
    vault.write("a.md", "alpha");
    assert_eq!((vault.index().warnings, vault.index().warnings), (vec![], vec![]));
}

#[test]
fn a_file_that_changed_keeps_its_id_and_when_it_was_made() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    let before = vault.only("alpha");
    vault.write("a.md", "omega and more");
    let report = vault.index();
    assert_eq!((report.updated, report.added), (1, 0));
    let after = vault.only("omega");
    assert_eq!((after.id, after.created_at), (before.id, before.created_at));
    assert!(vault.search("alpha").is_empty());
}

#[test]
fn a_file_that_moved_keeps_its_id_and_its_statistics() {
    let vault = Vault::new();
    vault.write("old/a.md", "alpha");
    vault.index();
    let before = vault.only("alpha");
    vault.engine().retrieve(&RetrieveRequest::new("alpha")).unwrap();
    vault.rename("old/a.md", "new/b.md");
    let report = vault.index();
    assert_eq!((report.renamed, report.added, report.missing), (1, 0, 0));
    let after = vault.only("alpha");
    assert_eq!((after.id.as_str(), after.path.as_deref()), (before.id.as_str(), Some("new/b.md")));
    assert_eq!((after.title.as_str(), after.namespace.as_str()), ("b", "new"));
    let stats = vault.engine().node_stats(&after.id, &Viewer::default()).unwrap();
    assert_eq!(stats.retrieval_count, 1);
    assert_eq!((vault.notes(), vault.index().unchanged), (1, 1));
}

#[test]
fn a_note_whose_name_is_in_its_front_matter_moves_without_being_embedded() {
    let vault = Vault::new();
    vault.write("a.md", "---\ntitle: T\nnamespace: n\n---\nalpha");
    vault.index();
    let embedded = vault.embedded.load(Ordering::SeqCst);
    vault.rename("a.md", "b.md");
    assert_eq!(vault.index().renamed, 1);
    assert_eq!(vault.embedded.load(Ordering::SeqCst), embedded);
    assert_eq!(vault.only("alpha").path.as_deref(), Some("b.md"));
}

#[test]
fn two_files_of_the_same_bytes_that_both_moved_are_new_notes() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.write("b.md", "alpha");
    vault.index();
    vault.rename("a.md", "c.md");
    vault.rename("b.md", "d.md");
    let report = vault.index();
    assert_eq!((report.renamed, report.added, report.missing), (0, 2, 2));
}

#[test]
fn a_new_file_at_the_path_that_a_moved_one_left_is_another_note() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    vault.rename("a.md", "b.md");
    vault.index();
    vault.write("a.md", "omega");
    assert_eq!(vault.index().added, 1);
    assert_ne!(vault.only("alpha").id, vault.only("omega").id);
}

#[test]
fn an_id_in_the_front_matter_follows_a_file_that_was_moved_and_edited_at_once() {
    let vault = Vault::new();
    vault.write("a.md", "---\nid: mine\n---\nalpha");
    vault.index();
    vault.remove("a.md");
    vault.write("b.md", "---\nid: mine\n---\nomega");
    let report = vault.index();
    assert_eq!((report.renamed, report.missing, vault.notes()), (1, 0, 1));
    assert_eq!(vault.only("omega").id, "mine");
}

#[test]
fn of_two_files_with_one_id_the_later_gets_another_and_a_warning() {
    let vault = Vault::new();
    vault.write("a.md", "---\nid: mine\n---\nalpha");
    vault.write("b.md", "---\nid: mine\n---\nomega");
    let report = vault.index();
    assert_eq!((report.added, paths(&report.warnings)), (2, vec!["b.md"]));
    assert_eq!(vault.only("alpha").id, "mine");
    let made = vault.only("omega").id;
    assert_ne!(made, "mine");
    vault.write("b.md", "---\nid: mine\n---\nomega twice");
    vault.index();
    assert_eq!(vault.only("omega").id, made);
}

#[test]
fn a_file_that_is_given_an_id_leaves_no_second_note_behind() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    vault.write("a.md", "---\nid: mine\n---\nalpha");
    let report = vault.index();
    assert_eq!(paths(&report.warnings), ["a.md"]);
    assert_eq!((vault.notes(), vault.only("alpha").id.as_str()), (1, "mine"));
}

#[test]
fn the_note_of_a_file_that_is_gone_stays_until_pruning_is_asked_for() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.write("b.md", "omega");
    vault.index();
    vault.remove("a.md");
    for _ in 0..2 {
        let report = vault.index();
        assert_eq!((report.missing, report.pruned), (1, 0));
    }
    vault.only("alpha");
    let report = vault.index_with(&IndexOptions { prune: true, ..IndexOptions::default() });
    assert_eq!((report.missing, report.pruned, vault.notes()), (0, 1, 1));
    assert!(vault.search("alpha").is_empty());
}

#[test]
fn a_file_that_became_too_large_is_not_pruned() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    vault.write("a.md", &"omega ".repeat(100));
    let report = vault.index_with(&IndexOptions { prune: true, max_bytes: 64, ..IndexOptions::default() });
    assert_eq!((report.pruned, paths(&report.skipped)), (0, vec!["a.md"]));
    vault.only("alpha");
}

#[test]
fn a_file_that_was_emptied_counts_as_gone() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    vault.write("a.md", " \n");
    let report = vault.index();
    assert_eq!((report.missing, paths(&report.skipped)), (1, vec!["a.md"]));
    assert_eq!(vault.index_with(&IndexOptions { prune: true, ..IndexOptions::default() }).pruned, 1);
    assert_eq!(vault.notes(), 0);
}

#[test]
fn a_note_deleted_from_the_store_comes_back_while_its_file_is_there() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    let id = vault.only("alpha").id;
    vault.engine().delete(&id).unwrap();
    vault.index();
    assert_eq!(vault.only("alpha").id, id);
}

#[test]
fn a_death_between_writing_notes_and_remembering_their_files_doubles_nothing() {
    let mut vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.write("b.md", "---\nid: mine\n---\nomega");
    vault.index();
    let before = (vault.only("alpha").id, vault.only("omega").id);
    vault.engine = None;
    let store = rusqlite::Connection::open(vault.store.join("terrace.db")).unwrap();
    assert_eq!(store.execute("DELETE FROM vault_files", []).unwrap(), 2);
    drop(store);
    vault.reopen();
    let report = vault.index();
    assert_eq!((report.skipped.len(), vault.notes()), (0, 2));
    assert_eq!((vault.only("alpha").id, vault.only("omega").id), before);
    assert_eq!(vault.index().unchanged, 2);
}

#[test]
fn a_death_between_moving_a_note_and_remembering_it_doubles_nothing() {
    let mut vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    let id = vault.only("alpha").id;
    vault.rename("a.md", "b.md");
    vault.index();
    vault.engine = None;
    let store = rusqlite::Connection::open(vault.store.join("terrace.db")).unwrap();
    assert_eq!(store.execute("UPDATE vault_files SET path = 'a.md'", []).unwrap(), 1);
    drop(store);
    vault.reopen();
    assert_eq!(vault.index().renamed, 1);
    assert_eq!((vault.notes(), vault.only("alpha").id), (1, id));
}

#[test]
fn a_note_that_has_the_id_a_file_would_get_is_not_overwritten() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    let id = vault.only("alpha").id;
    vault.remove("a.md");
    vault.index_with(&IndexOptions { prune: true, ..IndexOptions::default() });
    vault.engine().put(Note::new("foreign", "stranger").with_id(&id)).unwrap();
    vault.write("a.md", "alpha");
    vault.index();
    assert_eq!((vault.only("stranger").id, vault.notes()), (id, 2));
}

#[test]
fn two_vaults_in_one_store_keep_apart() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("a.md"), "omega").unwrap();
    let options = IndexOptions { prune: true, ..IndexOptions::default() };
    let report = index_folder(vault.engine(), other.path(), &options, &mut |_| {}).unwrap();
    assert_eq!((report.added, report.pruned), (1, 0));
    assert_ne!(vault.only("alpha").id, vault.only("omega").id);
}

#[test]
fn a_vault_that_moved_as_a_whole_keeps_its_notes_and_what_was_learned() {
    let mut vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.write("b/twin.md", "same");
    vault.write("twin.md", "same");
    vault.index();
    let before = vault.only("alpha");
    vault.engine().retrieve(&RetrieveRequest::new("alpha")).unwrap();
    let moved = vault.root.with_file_name("elsewhere");
    std::fs::rename(&vault.root, &moved).unwrap();
    let old = std::mem::replace(&mut vault.root, moved);
    let embedded = vault.embedded.load(Ordering::SeqCst);
    let report = vault.index();
    assert_eq!(vault.embedded.load(Ordering::SeqCst), embedded, "nothing is embedded again");
    assert_eq!((report.renamed, report.added, vault.notes()), (3, 0, 3), "{report:?}");
    assert_eq!(vault.only("alpha").id, before.id);
    assert_eq!(vault.engine().node_stats(&before.id, &Viewer::default()).unwrap().retrieval_count, 1);
    assert_eq!(vault.index().unchanged, 3);
    vault.engine = None;
    let store = rusqlite::Connection::open(vault.store.join("terrace.db")).unwrap();
    let left = "SELECT count(*) FROM vault_files WHERE root = ?1";
    let left: i64 = store.query_row(left, [old.to_str().unwrap()], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "the old folder is forgotten");
}

#[test]
fn a_copy_of_a_vault_that_is_still_there_is_another_vault() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    let copy = tempfile::tempdir().unwrap();
    std::fs::write(copy.path().join("a.md"), "alpha").unwrap();
    let report = index_folder(vault.engine(), copy.path(), &IndexOptions::default(), &mut |_| {}).unwrap();
    assert_eq!((report.added, vault.notes()), (1, 2));
}

#[test]
fn many_files_are_written_with_progress_that_ends_at_all_of_them() {
    let vault = Vault::new();
    for n in 0..1_500 {
        vault.write(&format!("{}/{n}.md", n % 7), &format!("note{n}"));
    }
    let mut seen = Vec::new();
    let report = index_folder(vault.engine(), &vault.root, &IndexOptions::default(), &mut |at| seen.push(at)).unwrap();
    assert_eq!((report.added, vault.notes()), (1_500, 1_500));
    assert_eq!(seen.first(), Some(&IndexProgress::Scanning));
    assert_eq!(seen.last(), Some(&IndexProgress::Writing { done: 1_500, total: 1_500 }));
    assert!(seen.contains(&IndexProgress::Reading { done: 1_500, total: 1_500 }));
}

#[test]
fn a_root_that_is_missing_or_a_file_is_named_in_the_error() {
    let vault = Vault::new();
    vault.write("a.md", "alpha");
    for (path, code) in [("nowhere", "io"), ("a.md", "invalid_input")] {
        let root = vault.root.join(path);
        let error = index_folder(vault.engine(), &root, &IndexOptions::default(), &mut |_| {}).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(path), "{error}");
    }
}

#[test]
fn a_store_opened_read_only_is_not_indexed_into() {
    let mut vault = Vault::new();
    vault.write("a.md", "alpha");
    vault.index();
    vault.engine = None;
    let config = Config { read_only: true, ..Config::default() };
    let engine = Engine::open(&vault.store, config).unwrap();
    let error = index_folder(&engine, &vault.root, &IndexOptions::default(), &mut |_| {}).unwrap_err();
    assert_eq!(error.code(), "read_only");
}

#[test]
fn the_files_themselves_stay_untouched() {
    let vault = Vault::new();
    vault.write("a.md", "---\r\nid: mine\r\n---\r\nalpha");
    vault.write("b/c.md", "---\nbroken: [\n---\nomega");
    vault.write("b/d.txt", "other");
    let before = tree(&vault.root);
    vault.index();
    vault.index_with(&IndexOptions { prune: true, ..IndexOptions::default() });
    assert_eq!(tree(&vault.root), before);
}

/// Every file with its bytes and time.
fn tree(root: &Path) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let modified = entry.metadata().unwrap().modified().unwrap();
                found.push((entry.path(), std::fs::read(entry.path()).unwrap(), modified));
            }
        }
    }
    found.sort();
    found
}
