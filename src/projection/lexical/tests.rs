use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use roaring::RoaringBitmap;
use tantivy::fieldnorm::FieldNormReader;

use super::search::Way;
use super::{LexicalDoc, LexicalIndex, LexicalParams, Opened, QueryWeight, payload};
use crate::Error;
use crate::projection::eligible::Eligible;

const WAYS: [Way; 3] = [Way::Pruning, Way::Exhaustive, Way::ByNote];

/// The store that the indexes belong to.
const STORE: u64 = 7;

fn doc(ord: u32, name: &str, body: &str) -> LexicalDoc {
    let terms = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    LexicalDoc { ord, name_terms: terms(name), body_terms: terms(&format!("{name} {body}")) }
}

fn query(text: &str) -> Vec<QueryWeight> {
    text.split_whitespace().map(|term| QueryWeight { term: term.into(), weight: 1.0 }).collect()
}

fn only(ords: impl IntoIterator<Item = u32>, live: u32) -> Eligible {
    Eligible::from_bitmap(&ords.into_iter().collect::<RoaringBitmap>(), live)
}

fn ascending(a: u32, b: u32) -> Ordering {
    a.cmp(&b)
}

fn found(index: &LexicalIndex, text: &str) -> Vec<u32> {
    let hits = index.search(&query(text), &only(0..10_000, 10_000), 1000, &ascending).unwrap();
    hits.into_iter().map(|(ord, _)| ord).collect()
}

fn filled(docs: &[LexicalDoc], commit_every: usize) -> LexicalIndex {
    let index = LexicalIndex::in_memory().unwrap();
    fill(&index, docs, commit_every);
    index
}

fn fill(index: &LexicalIndex, docs: &[LexicalDoc], commit_every: usize) {
    for (number, doc) in docs.iter().enumerate() {
        index.upsert(doc.clone()).unwrap();
        if (number + 1) % commit_every == 0 {
            index.commit(number as u64).unwrap();
        }
    }
    index.commit(docs.len() as u64).unwrap();
}

/// A generator for corpora too large for proptest: xorshift64*.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    /// Words with a long tail: small numbers are frequent.
    fn words(&mut self, count: u64) -> String {
        (0..count).map(|_| format!("w{} ", self.below(400) * self.below(400) / 400)).collect()
    }
}

fn corpus(size: u32, seed: u64) -> Vec<LexicalDoc> {
    let mut dice = Dice(seed);
    (0..size)
        .map(|ord| {
            let (name, body) = (1 + dice.below(4), 5 + dice.below(120));
            doc(ord, &dice.words(name), &dice.words(body))
        })
        .collect()
}

/// BM25 as its authors write it, over whole documents and without an index.
fn by_hand(docs: &[LexicalDoc], terms: &[QueryWeight], params: LexicalParams) -> BTreeMap<u32, f64> {
    let mut scores = BTreeMap::new();
    let total = docs.len() as f64;
    let name: fn(&LexicalDoc) -> &[String] = |doc| &doc.name_terms;
    let body: fn(&LexicalDoc) -> &[String] = |doc| &doc.body_terms;
    // A length is what its one byte holds, in the mean too.
    let held =
        |length: usize| f64::from(FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length as u32)));
    for (field, factor) in [(body, 1.0), (name, f64::from(params.name_boost))] {
        let mean = docs.iter().map(|doc| held(field(doc).len())).sum::<f64>() / total;
        for QueryWeight { term, weight } in terms {
            let count = |doc| field(doc).iter().filter(|other| *other == term).count() as f64;
            let with_it = docs.iter().filter(|doc| count(doc) > 0.0).count() as f64;
            let idf = (1.0 + (total - with_it + 0.5) / (with_it + 0.5)).ln();
            for doc in docs.iter().filter(|doc| count(doc) > 0.0) {
                let length = held(field(doc).len());
                let tf = count(doc) * 2.2 / (count(doc) + 1.2 * (0.25 + 0.75 * length / mean));
                *scores.entry(doc.ord).or_insert(0.0) += f64::from(*weight) * factor * idf * tf;
            }
        }
    }
    scores
}

fn small_corpus() -> impl Strategy<Value = Vec<LexicalDoc>> {
    let words = |most| prop::collection::vec("[a-e]", 0..most);
    prop::collection::vec((words(3), words(60)), 1..30).prop_map(|texts| {
        (0..).zip(texts).map(|(ord, (name, body))| doc(ord, &name.join(" "), &body.join(" "))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_search_returns_the_best_by_bm25_whichever_way_it_goes(
        docs in small_corpus(),
        weights in prop::collection::vec(0.1_f32..3.0, 1..5),
        name_boost in 0.0_f32..2.0,
        k in 1_usize..12,
        commit_every in 1_usize..40,
        modulus in 1_u32..5,
    ) {
        let terms: Vec<_> = ["a", "c", "zz", "b"].iter().zip(weights)
            .map(|(term, weight)| QueryWeight { term: (*term).into(), weight }).collect();
        let params = LexicalParams { name_boost };
        let index = filled(&docs, commit_every);
        index.set_params(params);
        let eligible = only((0..docs.len() as u32).filter(|ord| ord % modulus == 0), docs.len() as u32);
        let mut expected: Vec<(u32, f64)> = by_hand(&docs, &terms, params).into_iter()
            .filter(|&(ord, score)| score > 0.0 && eligible.contains(ord)).collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        expected.truncate(k);

        let first = index.search_by(&terms, &eligible, k, &ascending, Some(Way::Exhaustive)).unwrap();
        prop_assert_eq!(first.len(), expected.len());
        for ((_, score), (_, by_hand)) in first.iter().zip(&expected) {
            prop_assert!((f64::from(*score) - by_hand).abs() < 1e-4 * by_hand, "{score} against {by_hand}");
        }
        for way in WAYS {
            prop_assert_eq!(&index.search_by(&terms, &eligible, k, &ascending, Some(way)).unwrap(), &first);
        }
    }
}

#[test]
fn pruning_finds_what_exhaustive_search_finds_over_full_blocks_and_unequal_segments() {
    let mut docs = corpus(3000, 7);
    // A segment of long notes gives block bounds computed under another mean length than the index's.
    for doc in docs.iter_mut().skip(2000) {
        let copy = doc.body_terms.clone();
        doc.body_terms.extend((0..4).flat_map(|_| copy.clone()));
    }
    let index = LexicalIndex::in_memory().unwrap();
    index.set_bulk(true);
    fill(&index, &docs, 1000);
    assert_eq!(index.segments(), 3);
    let mut dice = Dice(11);
    for _ in 0..40 {
        let length = 1 + dice.below(7);
        let terms = query(&dice.words(length));
        for modulus in [1, 2, 7, 40] {
            let eligible = only((0..3000).filter(|ord| ord % modulus == 0), 3000);
            for k in [1, 10, 100] {
                let [pruned, full, by_note] =
                    WAYS.map(|way| index.search_by(&terms, &eligible, k, &ascending, Some(way)).unwrap());
                assert_eq!(pruned, full);
                assert_eq!(by_note, full);
            }
        }
    }
}

#[test]
fn pruning_does_not_trust_a_bound_that_was_computed_under_another_mean_length() {
    // In their own segment, of short notes, the many notes "t" are the best of each block of 128, and its bound is
    // theirs. Beside the second segment's long notes the two with four "t" are better, and the better one of these
    // comes last, in a block whose bound is below the other's score.
    let fours = |filler| format!("t t t t {}", "f ".repeat(filler));
    let mut docs: Vec<_> = (0..256).map(|ord| doc(ord, "", "t")).collect();
    docs[100] = doc(100, "", &fours(41));
    docs[200] = doc(200, "", &fours(16));
    docs.extend((256..512).map(|ord| doc(ord, "", &"f ".repeat(200))));
    let index = LexicalIndex::in_memory().unwrap();
    index.set_bulk(true);
    fill(&index, &docs, 256);
    for terms in [query("t"), query("t missing"), query("t f")] {
        for way in WAYS {
            let best = index.search_by(&terms, &only(0..256, 256), 1, &ascending, Some(way)).unwrap();
            assert_eq!(best[0].0, 200, "{way:?}");
        }
    }
}

#[test]
fn a_filtered_search_is_the_filtered_unfiltered_search() {
    let index = filled(&corpus(1500, 3), 400);
    let terms = query("w1 w7 w30 w200");
    let all = index.search(&terms, &only(0..1500, 1500), 1500, &ascending).unwrap();
    assert!(all.len() > 500);
    for modulus in [1, 2, 3, 10, 100, 1000] {
        let eligible = only((0..1500).filter(|ord| ord % modulus == 0), 1500);
        let expected: Vec<_> = all.iter().copied().filter(|hit| hit.0 % modulus == 0).collect();
        assert_eq!(index.search(&terms, &eligible, 1500, &ascending).unwrap(), expected);
    }
}

#[test]
fn a_short_result_is_the_head_of_a_long_one() {
    let index = filled(&corpus(800, 5), 300);
    let (terms, all) = (query("w0 w3 w9"), only(0..800, 800));
    let long = index.search(&terms, &all, 100, &ascending).unwrap();
    for k in [1, 5, 10, 50] {
        assert_eq!(index.search(&terms, &all, k, &ascending).unwrap(), long[..k]);
    }
}

#[test]
fn equal_notes_follow_the_tie_order_whatever_the_insertion_order_and_segments() {
    let mut dice = Dice(13);
    for commit_every in [1, 5, 44] {
        let mut docs: Vec<_> = (0..44).map(|ord| doc(ord, "same title", "the very same text of a note")).collect();
        for place in (1..docs.len()).rev() {
            docs.swap(place, dice.below(place as u64 + 1) as usize);
        }
        let index = filled(&docs, commit_every);
        let tie = |a: u32, b: u32| (a % 10).cmp(&(b % 10)).then(b.cmp(&a));
        let mut expected: Vec<u32> = (0..44).collect();
        expected.sort_by(|&a, &b| tie(a, b));
        for way in WAYS {
            for k in [3, 44] {
                let eligible = only(0..44, 44);
                let hits = index.search_by(&query("note same text"), &eligible, k, &tie, Some(way)).unwrap();
                assert_eq!(hits.iter().map(|hit| hit.0).collect::<Vec<_>>(), expected[..k], "{way:?}");
                assert!(hits.iter().all(|hit| hit.1.total_cmp(&hits[0].1).is_eq()));
            }
        }
    }
}

#[test]
fn the_order_and_repetition_of_query_terms_do_not_matter() {
    let index = filled(&corpus(300, 17), 100);
    let all = only(0..300, 300);
    let twice = vec![QueryWeight { term: "w1".into(), weight: 2.0 }, QueryWeight { term: "w5".into(), weight: 1.0 }];
    let expected = index.search(&twice, &all, 50, &ascending).unwrap();
    assert_eq!(index.search(&query("w5 w1 w1"), &all, 50, &ascending).unwrap(), expected);
}

#[test]
fn unusable_queries_find_nothing_and_do_no_harm() {
    let index = filled(&[doc(0, "a", "b")], 1);
    let all = only(0..1, 1);
    for weight in [f32::NAN, f32::INFINITY, -1.0, 0.0] {
        assert!(index.search(&[QueryWeight { term: "a".into(), weight }], &all, 5, &ascending).unwrap().is_empty());
    }
    assert!(index.search(&[], &all, 5, &ascending).unwrap().is_empty());
    assert!(index.search(&query("a"), &all, 0, &ascending).unwrap().is_empty());
    assert!(index.search(&query("a"), &only([], 1), 5, &ascending).unwrap().is_empty());
    assert!(LexicalIndex::in_memory().unwrap().search(&query("a"), &all, 5, &ascending).unwrap().is_empty());
}

#[test]
fn a_change_is_pending_until_the_commit() {
    let index = LexicalIndex::in_memory().unwrap();
    index.upsert(doc(1, "", "apple")).unwrap();
    assert_eq!((index.pending(), found(&index, "apple")), (1, vec![]));
    index.commit(9).unwrap();
    assert_eq!((index.pending(), index.seq(), found(&index, "apple")), (0, 9, vec![1]));
}

#[test]
fn an_upsert_replaces_and_a_deleted_note_can_come_back_once() {
    let index = LexicalIndex::in_memory().unwrap();
    index.upsert(doc(1, "", "apple")).unwrap();
    index.upsert(doc(1, "", "pear")).unwrap();
    index.commit(1).unwrap();
    assert_eq!((found(&index, "apple"), found(&index, "pear")), (vec![], vec![1]));
    index.delete(1).unwrap();
    index.upsert(doc(1, "", "pear plum")).unwrap();
    index.commit(2).unwrap();
    assert_eq!((found(&index, "pear"), index.num_docs()), (vec![1], 1));
    assert_eq!(found(&index, "plum"), [1]);
    index.delete(1).unwrap();
    index.commit(3).unwrap();
    assert_eq!((found(&index, "pear"), index.num_docs()), (vec![], 0));
    assert!(found(&index, "plum").is_empty());
}

#[test]
fn deleted_notes_take_no_places_before_and_after_a_merge() {
    let docs: Vec<_> = (0..20).map(|ord| doc(ord, "", &format!("JWT {}", "x ".repeat(ord as usize)))).collect();
    let index = filled(&docs, 6);
    for ord in found(&index, "JWT").into_iter().take(10) {
        index.delete(ord).unwrap();
    }
    index.commit(21).unwrap();
    for way in WAYS {
        let hits = index.search_by(&query("JWT"), &only(0..20, 20), 10, &ascending, Some(way)).unwrap();
        assert_eq!(hits.len(), 10);
        assert!(hits.iter().all(|hit| hit.0 >= 10));
    }
    index.merge().unwrap();
    assert_eq!((index.segments(), index.num_docs(), index.seq()), (1, 10, 21));
    assert_eq!(found(&index, "JWT").len(), 10);
    assert_eq!(index.doc_freq("JWT").unwrap(), 10);
}

#[test]
fn the_index_can_still_be_written_after_a_merge_and_after_clearing() {
    let index = filled(&corpus(50, 1), 7);
    index.upsert(doc(90, "", "pending")).unwrap();
    index.merge().unwrap();
    assert_eq!((found(&index, "pending"), index.seq()), (vec![90], 50));
    index.clear().unwrap();
    assert_eq!((index.num_docs(), index.seq()), (0, 0));
    index.upsert(doc(3, "", "again")).unwrap();
    index.commit(60).unwrap();
    assert_eq!(found(&index, "again"), [3]);
}

#[test]
fn many_rounds_of_edits_keep_segments_and_size_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = LexicalIndex::open(dir.path(), STORE).unwrap();
    for round in 0..12 {
        for doc in corpus(400, round + 1) {
            index.upsert(doc).unwrap();
        }
        index.commit(round).unwrap();
        assert!(index.segments() < 30);
    }
    assert_eq!(index.num_docs(), 400);
    index.merge().unwrap();
    let fresh_dir = tempfile::tempdir().unwrap();
    let (fresh, _) = LexicalIndex::open(fresh_dir.path(), STORE).unwrap();
    fill(&fresh, &corpus(400, 12), 1000);
    assert!(index.size_bytes() < 3 * fresh.size_bytes(), "{} against {}", index.size_bytes(), fresh.size_bytes());
}

#[test]
fn the_sum_of_idf_counts_weights_and_absent_terms() {
    let index = filled(&[doc(0, "", "a b"), doc(1, "", "a")], 2);
    let terms = [QueryWeight { term: "a".into(), weight: 2.0 }, QueryWeight { term: "zz".into(), weight: 1.0 }];
    let expected = 2.0 * 1.2_f32.ln() + 6.0_f32.ln();
    assert!((index.idf_sum(&terms).unwrap() - expected).abs() < 1e-6);
    assert_eq!((index.doc_freq("a").unwrap(), index.doc_freq("zz").unwrap()), (2, 0));
}

// On disk.

fn sound(dir: &Path) {
    let (index, opened) = LexicalIndex::open(dir, STORE).unwrap();
    assert_eq!(opened, Opened::Fresh);
    fill(&index, &corpus(300, 2), 150);
    index.delete(5).unwrap();
    index.commit(301).unwrap();
}

fn index_files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && path.extension().is_none_or(|extension| extension != "lock"))
        .collect();
    files.sort();
    files
}

/// The index is usable, whether it was kept or made anew.
fn usable(index: &LexicalIndex) {
    index.upsert(doc(7000, "", "unmistakable")).unwrap();
    index.commit(400).unwrap();
    assert_eq!(found(index, "unmistakable"), [7000]);
}

#[test]
fn the_sequence_and_the_notes_survive_reopening() {
    let dir = tempfile::tempdir().unwrap();
    sound(dir.path());
    let before = {
        let (index, opened) = LexicalIndex::open(dir.path(), STORE).unwrap();
        assert_eq!(opened, Opened::At(301));
        assert_eq!(index.num_docs(), 299);
        assert_eq!(index.verify().unwrap(), [""; 0]);
        index.search(&query("w1 w20"), &only(0..300, 300), 50, &ascending).unwrap()
    };
    let (index, opened) = LexicalIndex::open(dir.path(), STORE).unwrap();
    assert_eq!((opened, index.seq()), (Opened::At(301), 301));
    assert_eq!(index.search(&query("w1 w20"), &only(0..300, 300), 50, &ascending).unwrap(), before);
}

#[test]
fn what_was_never_committed_is_gone_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = LexicalIndex::open(dir.path(), STORE).unwrap();
    index.upsert(doc(1, "", "lost")).unwrap();
    drop(index);
    let (index, opened) = LexicalIndex::open(dir.path(), STORE).unwrap();
    assert_eq!((opened, index.num_docs()), (Opened::Fresh, 0));
}

#[test]
fn a_second_writer_is_told_that_the_index_is_locked_and_removes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = LexicalIndex::open(dir.path(), STORE).unwrap();
    fill(&index, &corpus(10, 2), 100);
    fs::write(dir.path().join("meta.json"), "damaged").unwrap();
    assert!(matches!(LexicalIndex::open(dir.path(), STORE), Err(Error::Locked { .. })));
    assert_eq!(fs::read_to_string(dir.path().join("meta.json")).unwrap(), "damaged");
    drop(index);
    assert!(matches!(LexicalIndex::open(dir.path(), STORE), Ok((_, Opened::Discarded(_)))));
}

#[test]
fn a_reader_sees_the_commit_beside_a_writer_and_changes_no_file() {
    let dir = tempfile::tempdir().unwrap();
    sound(dir.path());
    for file in fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "lock") {
            fs::remove_file(file).unwrap();
        }
    }
    let names = |dir: &Path| {
        let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names(dir.path());
    let (reader, opened) = LexicalIndex::open_read_only(dir.path(), STORE).unwrap().unwrap();
    assert_eq!((opened, reader.num_docs()), (Opened::At(301), 299));
    assert!(!found(&reader, "w1").is_empty());
    assert!(matches!(reader.upsert(doc(1, "", "x")), Err(Error::ReadOnly(_))));
    assert!(matches!(reader.commit(1), Err(Error::ReadOnly(_))));
    assert_eq!(names(dir.path()), before);
    let _writer = LexicalIndex::open(dir.path(), STORE).unwrap();
    assert!(LexicalIndex::open_read_only(dir.path(), STORE).unwrap().is_some());
}

#[test]
fn a_reader_gets_nothing_where_there_is_no_usable_index() {
    let dir = tempfile::tempdir().unwrap();
    assert!(LexicalIndex::open_read_only(dir.path(), STORE).unwrap().is_none());
    assert!(LexicalIndex::open_read_only(&dir.path().join("missing"), STORE).unwrap().is_none());
    sound(dir.path());
    fs::write(dir.path().join("meta.json"), "damaged").unwrap();
    let (empty, opened) = LexicalIndex::open_read_only(dir.path(), STORE).unwrap().unwrap();
    assert!(matches!(opened, Opened::Discarded(_)) && empty.num_docs() == 0, "{opened:?}");
    assert_eq!(fs::read_to_string(dir.path().join("meta.json")).unwrap(), "damaged");
}

#[test]
fn a_foreign_directory_and_another_format_are_discarded_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("meta.json"), "{}").unwrap();
    fs::create_dir(dir.path().join("kept")).unwrap();
    let (index, opened) = LexicalIndex::open(dir.path(), STORE).unwrap();
    assert!(matches!(opened, Opened::Discarded(_)));
    assert!(dir.path().join("kept").is_dir());
    usable(&index);
    drop(index);

    let meta = dir.path().join("meta.json");
    let other = fs::read_to_string(&meta).unwrap();
    let other = other.replace(&payload::write(STORE, 400), &payload::seal(payload::FORMAT + 1, STORE, 400));
    fs::write(&meta, other).unwrap();
    let (index, opened) = LexicalIndex::open(dir.path(), STORE).unwrap();
    assert!(matches!(&opened, Opened::Discarded(why) if why.contains("format")), "{opened:?}");
    assert_eq!(index.num_docs(), 0);
}

#[test]
fn a_missing_or_shortened_file_is_noticed_at_open() {
    let dir = tempfile::tempdir().unwrap();
    sound(dir.path());
    for file in index_files(dir.path()) {
        let bytes = fs::read(&file).unwrap();
        for keep in [None, Some(bytes.len() / 2), Some(bytes.len() - 1)] {
            let copy = tempfile::tempdir().unwrap();
            for other in index_files(dir.path()) {
                fs::copy(&other, copy.path().join(other.file_name().unwrap())).unwrap();
            }
            let target = copy.path().join(file.file_name().unwrap());
            match keep {
                None => fs::remove_file(&target).unwrap(),
                Some(length) => fs::write(&target, &bytes[..length]).unwrap(),
            }
            let (index, opened) = LexicalIndex::open(copy.path(), STORE).unwrap();
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            // tantivy's list of files to clean up is no part of the index: it may go missing without harm. The last
            // byte of a JSON file is a line feed.
            let harmless =
                name == ".managed.json" && keep.is_none() || name.ends_with(".json") && keep == Some(bytes.len() - 1);
            assert!(harmless || matches!(opened, Opened::Discarded(_)), "{name} cut to {keep:?}: {opened:?}");
            if keep.is_none() {
                usable(&index);
            }
        }
    }
}

#[test]
fn a_flipped_byte_is_found_by_verify_and_never_panics_a_search() {
    let dir = tempfile::tempdir().unwrap();
    sound(dir.path());
    let segment_file = |path: &PathBuf| !path.file_name().unwrap().to_string_lossy().ends_with(".json");
    for file in index_files(dir.path()).into_iter().filter(segment_file) {
        let bytes = fs::read(&file).unwrap();
        for place in (0..bytes.len()).step_by(bytes.len() / 3 + 1) {
            let copy = tempfile::tempdir().unwrap();
            for other in index_files(dir.path()) {
                fs::copy(&other, copy.path().join(other.file_name().unwrap())).unwrap();
            }
            let mut flipped = bytes.clone();
            flipped[place] ^= 0x55;
            fs::write(copy.path().join(file.file_name().unwrap()), flipped).unwrap();
            let (index, opened) = LexicalIndex::open(copy.path(), STORE).unwrap();
            if opened == Opened::At(301) {
                let name = file.file_name().unwrap().to_string_lossy().into_owned();
                assert_eq!(index.verify().unwrap(), [name]);
                for way in WAYS {
                    let _ = index.search_by(&query("w1 w2 w9 w33"), &only(0..300, 300), 10, &ascending, Some(way));
                }
            }
        }
    }
}

#[test]
fn a_flipped_digit_of_the_sequence_is_noticed_at_open() {
    let dir = tempfile::tempdir().unwrap();
    sound(dir.path());
    let meta = dir.path().join("meta.json");
    let text = fs::read_to_string(&meta).unwrap();
    assert!(text.contains(" 301 "));
    fs::write(&meta, text.replace(" 301 ", " 331 ")).unwrap();
    assert!(matches!(LexicalIndex::open(dir.path(), STORE).unwrap().1, Opened::Discarded(_)));
}
