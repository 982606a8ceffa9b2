//! Which files of a folder become notes, and what is said about those that do not.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)]

use std::path::Path;

use terrace::vault::{IndexOptions, IndexReport, Skipped, index_folder};
use terrace::{Config, EmbedderChoice, Engine, Note, SearchMode, SearchRequest, Viewer};

/// Indexes the files into a new store.
fn index(files: &[(&str, &[u8])], use_it: impl FnOnce(&Engine, &IndexReport)) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("vault");
    std::fs::create_dir(&root).unwrap();
    for (path, bytes) in files {
        std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        std::fs::write(root.join(path), bytes).unwrap();
    }
    index_root(&root, &dir.path().join("store"), use_it);
}

fn index_root(root: &Path, store: &Path, use_it: impl FnOnce(&Engine, &IndexReport)) {
    let engine = Engine::open(store, Config { embedder: EmbedderChoice::None, ..Config::default() }).unwrap();
    let report =
        index_folder(&engine, root, &IndexOptions { max_bytes: 1_000, ..IndexOptions::default() }, &mut |_| {});
    use_it(&engine, &report.unwrap());
}

fn find(engine: &Engine, word: &str) -> Vec<Note> {
    let request = SearchRequest { mode: SearchMode::Fulltext, ..SearchRequest::new(word) };
    let found = engine.search(&request).unwrap().results;
    found.iter().map(|result| engine.get(&result.id, &Viewer::default()).unwrap()).collect()
}

fn said<'a>(list: &'a [Skipped], path: &str) -> &'a str {
    let found = list.iter().find(|skipped| skipped.path == path);
    &found.unwrap_or_else(|| panic!("{path} is not among {list:?}")).reason
}

#[test]
fn markdown_of_any_extension_and_case_is_indexed_and_nothing_else() {
    let files: [(&str, &[u8]); 5] =
        [("a.md", b"x"), ("b.MD", b"x"), ("c.markdown", b"x"), ("d.txt", b"x"), ("e.md.bak", b"x")];
    index(&files, |_, report| assert_eq!((report.files, report.added, report.skipped.len()), (3, 3, 0)));
}

#[test]
fn hidden_files_and_folders_are_left_out() {
    let files: [(&str, &[u8]); 3] = [(".git/a.md", b"x"), (".obsidian/x/b.md", b"x"), ("c/.d.md", b"x")];
    index(&files, |_, report| assert_eq!((report.files, report.skipped.len()), (0, 0)));
}

#[test]
fn a_hidden_folder_that_is_the_root_itself_is_indexed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".notes");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("a.md"), "x").unwrap();
    index_root(&root, &dir.path().join("store"), |_, report| assert_eq!(report.added, 1));
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_not_followed_out_of_the_root_nor_in_circles() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("vault");
    std::fs::create_dir_all(root.join("sub")).unwrap();
    std::fs::create_dir(dir.path().join("outside")).unwrap();
    std::fs::write(dir.path().join("outside/secret.md"), "secret").unwrap();
    std::fs::write(root.join("a.md"), "alpha").unwrap();
    let link = |to: &Path, from: &str| std::os::unix::fs::symlink(to, root.join(from)).unwrap();
    link(&dir.path().join("outside"), "out");
    link(&dir.path().join("outside/secret.md"), "secret.md");
    link(&root, "sub/loop");
    index_root(&root, &dir.path().join("store"), |engine, report| {
        assert_eq!(report.added, 1);
        assert!(find(engine, "secret").is_empty());
        for path in ["out", "secret.md", "sub/loop"] {
            assert!(said(&report.skipped, path).contains("symbolic link"));
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_are_reported() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("vault");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join(std::ffi::OsStr::from_bytes(b"bad-\xff.md")), "x").unwrap();
    std::fs::write(root.join("new\nline.md"), "x").unwrap();
    std::fs::write(root.join("fine.md"), "x").unwrap();
    index_root(&root, &dir.path().join("store"), |_, report| {
        assert_eq!(report.added, 1);
        assert!(said(&report.skipped, "bad-\u{fffd}.md").contains("UTF-8"));
        assert!(said(&report.skipped, "new\nline.md").contains("line break"));
    });
}

#[test]
fn files_that_are_empty_too_large_or_no_text_are_reported_and_the_rest_is_indexed() {
    let large = vec![b'x'; 1_001];
    let files: [(&str, &[u8]); 6] = [
        ("empty.md", b""),
        ("bom.md", b"\xef\xbb\xbf"),
        ("large.md", &large),
        ("png.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("utf16.md", b"\xff\xfea\0b\0"),
        ("good.md", b"alpha"),
    ];
    index(&files, |engine, report| {
        assert_eq!((report.added, report.skipped.len()), (1, 5));
        assert!(said(&report.skipped, "empty.md").contains("empty"));
        assert!(said(&report.skipped, "bom.md").contains("empty"));
        assert!(said(&report.skipped, "large.md").contains("1001 bytes"));
        assert!(said(&report.skipped, "png.md").contains("PNG"));
        assert!(said(&report.skipped, "utf16.md").contains("UTF-16"));
        assert_eq!(find(engine, "alpha").len(), 1);
    });
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_skipped_with_the_systems_reason() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("vault");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("a.md"), "alpha").unwrap();
    std::fs::write(root.join("b.md"), "beta").unwrap();
    std::fs::set_permissions(root.join("a.md"), std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(root.join("a.md")).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    index_root(&root, &dir.path().join("store"), |_, report| {
        assert_eq!(report.added, 1);
        assert!(said(&report.skipped, "a.md").contains("could not be read"));
    });
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_with_a_warning() {
    index(&[("latin1.md", b"caf\xe9 na\xefve zebra")], |engine, report| {
        assert_eq!(find(engine, "zebra")[0].body, "caf\u{fffd} na\u{fffd}ve zebra");
        assert!(said(&report.warnings, "latin1.md").contains("U+FFFD"));
    });
}

#[test]
fn a_block_that_is_no_yaml_is_kept_and_its_words_are_found() {
    index(&[("a.md", b"---\ntitle: [zebra\n---\nalpha")], |engine, report| {
        assert_eq!(find(engine, "zebra")[0].title, "a");
        assert_eq!(find(engine, "alpha").len(), 1);
        assert!(said(&report.warnings, "a.md").contains("YAML"));
    });
}

#[test]
fn front_matter_alone_is_a_note() {
    index(&[("a.md", b"---\ntitle: Zebra\n---\n")], |engine, _| {
        let note = &find(engine, "zebra")[0];
        assert_eq!((note.title.as_str(), note.body.as_str()), ("Zebra", ""));
    });
}

#[test]
fn crlf_byte_order_mark_and_a_fence_at_the_end_change_no_field() {
    let files: [(&str, &[u8]); 4] = [
        ("lf/x.md", b"---\ntitle: T\ntags: [x]\n---\nzebra"),
        ("crlf/x.md", b"---\r\ntitle: T\r\ntags: [x]\r\n---\r\nzebra"),
        ("bom/x.md", b"\xef\xbb\xbf---\ntitle: T\ntags: [x]\n---\nzebra"),
        ("eof/x.md", b"---\ntitle: T\ntags: [x, zebra]\n---"),
    ];
    index(&files, |engine, report| {
        assert_eq!(report.warnings, []);
        let found = find(engine, "zebra");
        assert_eq!(found.len(), 4);
        for note in found {
            assert_eq!((note.title.as_str(), note.tags[0].as_str()), ("T", "x"), "{:?}", note.path);
        }
    });
}

#[test]
fn an_unclosed_or_glued_fence_is_body() {
    let files: [(&str, &[u8]); 2] = [("a.md", b"---\ntitle: zebra\nbody"), ("b.md", b"---zebra\nbody")];
    index(&files, |engine, report| {
        assert_eq!(report.warnings, []);
        let mut titles: Vec<String> = find(engine, "zebra").into_iter().map(|note| note.title).collect();
        titles.sort();
        assert_eq!(titles, ["a", "b"]);
    });
}

#[test]
fn a_title_is_any_text_and_touches_no_path() {
    let files: [(&str, &[u8]); 3] = [
        ("a.md", b"---\ntitle: TCP/IP notes\n---\nx"),
        ("b.md", b"---\ntitle: \"..\"\n---\nx"),
        ("c.md", b"---\ntitle: CON\n---\nx"),
    ];
    index(&files, |engine, report| {
        assert_eq!(report.added, 3);
        let note = &find(engine, "TCP/IP notes")[0];
        assert_eq!((note.title.as_str(), note.path.as_deref()), ("TCP/IP notes", Some("a.md")));
    });
}

#[test]
fn the_end_of_a_long_note_is_found() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("vault")).unwrap();
    let text = format!("{}zebra stripes", "plain filler words here. ".repeat(1_600));
    std::fs::write(dir.path().join("vault/long.md"), &text).unwrap();
    let engine = Engine::open(dir.path().join("store"), Config::default()).unwrap();
    index_folder(&engine, &dir.path().join("vault"), &IndexOptions::default(), &mut |_| {}).unwrap();
    let found = find(&engine, "zebra");
    assert_eq!(found[0].body, text);
    let request = SearchRequest { mode: SearchMode::Semantic, ..SearchRequest::new("zebra stripes") };
    assert!(engine.search(&request).unwrap().results[0].snippet.contains("zebra"));
}
