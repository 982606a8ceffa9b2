use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use roaring::RoaringBitmap;

use super::codes::{PreparedQuery, Row, cosine};
use super::index::VectorHit;
use super::{HnswLayer, SearchMode, VectorIndex};
use crate::Error;
use crate::projection::eligible::Eligible;

/// xorshift64*, and from it roughly normal numbers: a uniform point of the sphere needs them.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn normal(&mut self) -> f32 {
        (0..6).map(|_| self.next()).sum::<f32>() - 3.0
    }

    fn unit(&mut self, dims: usize) -> Vec<f32> {
        unit((0..dims).map(|_| self.normal()).collect())
    }

    fn near(&mut self, centre: &[f32], spread: f32) -> Vec<f32> {
        let step = spread / (centre.len() as f32).sqrt();
        unit(centre.iter().map(|x| x + step * self.normal()).collect())
    }

    /// Vectors in `clusters` bunches.
    fn clustered(&mut self, count: usize, dims: usize, clusters: usize, spread: f32) -> Vec<Vec<f32>> {
        let centres: Vec<_> = (0..clusters).map(|_| self.unit(dims)).collect();
        (0..count).map(|number| self.near(&centres[number % clusters], spread)).collect()
    }
}

/// Passages numbered as they come.
fn numbered(passages: &[Vec<f32>]) -> Vec<(u32, Vec<f32>)> {
    (0..).zip(passages.iter().cloned()).collect()
}

fn built(index: &VectorIndex) -> HnswLayer {
    HnswLayer::build(index, &|| false).unwrap().unwrap()
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / norm).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn ascending(a: u32, b: u32) -> Ordering {
    a.cmp(&b)
}

fn only(ords: impl IntoIterator<Item = u32>, live: usize) -> Eligible {
    Eligible::from_bitmap(&ords.into_iter().collect::<RoaringBitmap>(), live as u32)
}

fn everything(count: usize) -> Eligible {
    only(0..count as u32, count)
}

fn one_each(vectors: &[Vec<f32>]) -> VectorIndex {
    let mut index = VectorIndex::new(vectors[0].len());
    for (ord, vector) in (0..).zip(vectors) {
        index.insert(ord, &numbered(std::slice::from_ref(vector))).unwrap();
    }
    index
}

fn ords(hits: &[VectorHit]) -> Vec<u32> {
    hits.iter().map(|hit| hit.ord).collect()
}

fn exact(index: &VectorIndex, query: &[f32], eligible: &Eligible, k: usize) -> Vec<VectorHit> {
    index.search(query, eligible, k, SearchMode::Exact, &ascending).unwrap()
}

/// Every eligible note by its best passage, from the index's own scores one at a time.
fn one_by_one(index: &VectorIndex, query: &[f32], eligible: &Eligible, k: usize) -> Vec<VectorHit> {
    let query = index.prepare(query).unwrap();
    let mut hits: Vec<_> = eligible.iter().filter_map(|ord| index.best_passage(&query, ord)).collect();
    hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.ord.cmp(&b.ord)));
    hits.truncate(k);
    hits
}

/// The ordinals of the best `k` by floats.
fn by_floats(vectors: &[Vec<f32>], query: &[f32], k: usize) -> Vec<u32> {
    let mut scored: Vec<(u32, f32)> = (0..).zip(vectors.iter().map(|vector| dot(vector, query))).collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored.into_iter().take(k).map(|(ord, _)| ord).collect()
}

fn recall(found: &[u32], wanted: &[u32]) -> f32 {
    wanted.iter().filter(|ord| found.contains(ord)).count() as f32 / wanted.len() as f32
}

#[test]
fn scores_are_those_of_floats_within_rounding() {
    let mut dice = Dice(1);
    let vectors: Vec<_> = (0..500).map(|_| dice.unit(256)).collect();
    let index = one_each(&vectors);
    for _ in 0..20 {
        let query = dice.unit(256);
        for hit in exact(&index, &query, &everything(500), 500) {
            let by_floats = dot(&vectors[hit.ord as usize], &query);
            assert!((hit.cosine - by_floats).abs() < 0.005, "{} against {by_floats}", hit.cosine);
        }
    }
}

#[test]
fn eight_bits_a_component_lose_next_to_nothing_of_the_best_thirty() {
    let mut dice = Dice(2);
    let random: Vec<_> = (0..3000).map(|_| dice.unit(256)).collect();
    let clustered = dice.clustered(3000, 256, 40, 0.6);
    for vectors in [random, clustered] {
        let index = one_each(&vectors);
        let (mut with_wide_query, mut with_narrow_query) = (0.0, 0.0);
        for number in 0..40 {
            let query = dice.near(&vectors[number * 70], 0.5);
            let wanted = by_floats(&vectors, &query, 30);
            with_wide_query += recall(&ords(&exact(&index, &query, &everything(3000), 30)), &wanted) / 40.0;
            let narrow = Row::new(&query, 256).unwrap().unwrap();
            let mut scored: Vec<(u32, f32)> = index
                .live_rows()
                .map(|(_, row)| (row.owner.ord, cosine(row.codes, &narrow.codes, row.factor * narrow.factor)))
                .collect();
            scored.sort_by(|a, b| b.1.total_cmp(&a.1));
            let found: Vec<u32> = scored.into_iter().take(30).map(|(ord, _)| ord).collect();
            with_narrow_query += recall(&found, &wanted) / 40.0;
        }
        println!("recall@30: {with_wide_query:.4} with a 15-bit query, {with_narrow_query:.4} with an 8-bit one");
        assert!(with_wide_query >= 0.985, "{with_wide_query}");
    }
}

#[test]
fn a_filtered_search_returns_exactly_the_best_matches_at_every_selectivity() {
    let mut dice = Dice(3);
    let vectors: Vec<_> = (0..20_000).map(|_| dice.unit(64)).collect();
    let index = one_each(&vectors);
    for step in [1, 2, 5, 62, 1000, 10_000, 6667] {
        let eligible = only((0..20_000).filter(|ord| ord % step == 0), 20_000);
        let query = dice.unit(64);
        for how in [SearchMode::Exact, SearchMode::Auto, SearchMode::Hnsw] {
            let hits = index.search(&query, &eligible, 50, how, &ascending).unwrap();
            assert_eq!(hits.len(), 50.min(eligible.len() as usize));
            assert_eq!(hits, one_by_one(&index, &query, &eligible, 50), "every {step}th");
        }
    }
}

#[test]
fn nothing_outside_the_filter_is_ever_returned() {
    let mut dice = Dice(4);
    let vectors: Vec<_> = (0..200).map(|_| dice.unit(16)).collect();
    let mut index = one_each(&vectors);
    assert!(index.attach(Arc::new(built(&index))));
    let eligible = only([3, 50, 51, 120, 199], 200);
    for _ in 0..100 {
        let mut found = ords(&index.search(&dice.unit(16), &eligible, 10, SearchMode::Hnsw, &ascending).unwrap());
        found.sort_unstable();
        assert_eq!(found, [3, 50, 51, 120, 199]);
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let mut dice = Dice(5);
    let mut index = VectorIndex::new(8);
    // Uneven notes, so that some lie across the border of two tasks; few directions, so that there are ties.
    let directions: Vec<_> = (0..50).map(|_| dice.unit(8)).collect();
    for ord in 0..9000_u32 {
        let passages: Vec<_> =
            (0..1 + ord % 7).map(|_| directions[(dice.next() * 50.0) as usize % 50].clone()).collect();
        index.insert(ord, &numbered(&passages)).unwrap();
    }
    let all = everything(9000);
    let query = dice.unit(8);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| exact(&index, &query, &all, 700))
    };
    let serial = run(1);
    assert_eq!(serial, run(8));
    assert_eq!(serial, one_by_one(&index, &query, &all, 700));
}

#[test]
fn a_short_result_is_the_head_of_a_long_one_and_ties_follow_the_tie_order() {
    let mut dice = Dice(6);
    let vector = dice.unit(32);
    let index = one_each(&vec![vector.clone(); 44]);
    let descending = |a: u32, b: u32| b.cmp(&a);
    let long = index.search(&vector, &everything(44), 44, SearchMode::Exact, &descending).unwrap();
    assert_eq!(ords(&long), (0..44).rev().collect::<Vec<_>>());
    let short = index.search(&vector, &everything(44), 3, SearchMode::Exact, &descending).unwrap();
    assert_eq!(short, long[..3]);
}

#[test]
fn a_note_scores_as_its_best_passage() {
    let mut index = VectorIndex::new(3);
    index.insert(0, &numbered(&[vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 1.0, 0.0]])).unwrap();
    index.insert(1, &numbered(&[vec![0.0, 0.6, 0.8]])).unwrap();
    let hits = exact(&index, &[0.0, 1.0, 0.0], &everything(2), 5);
    assert_eq!((hits[0].ord, hits[0].passage, hits[1].ord), (0, 1, 1));
    assert!((hits[0].cosine - 1.0).abs() < 1e-6 && (hits[1].cosine - 0.6).abs() < 0.005);
    assert!(index.similarity(0, 1).unwrap().abs() < 0.005);
    assert_eq!(index.similarity(0, 9), None);
}

#[test]
fn a_wrong_width_and_a_component_that_is_not_finite_are_refused_and_change_nothing() {
    let mut index = VectorIndex::new(2);
    index.insert(7, &numbered(&[vec![1.0, 0.0]])).unwrap();
    let before = exact(&index, &[1.0, 0.0], &everything(8), 5);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(matches!(index.insert(7, &numbered(&[vec![0.0, 1.0], vec![bad, 0.0]])), Err(Error::InvalidInput(_))));
        let eligible = everything(8);
        let refused = index.search(&[bad, 0.0], &eligible, 5, SearchMode::Auto, &ascending);
        assert!(matches!(refused, Err(Error::InvalidInput(_))));
    }
    let wrong = index.insert(7, &numbered(&[vec![1.0, 0.0, 0.0]]));
    assert!(matches!(wrong, Err(Error::DimensionMismatch { expected: 2, got: 3, .. })));
    assert!(matches!(index.prepare(&[1.0]), Err(Error::DimensionMismatch { expected: 2, got: 1, .. })));
    assert_eq!(exact(&index, &[1.0, 0.0], &everything(8), 5), before);
}

#[test]
fn huge_and_tiny_vectors_count_by_their_direction_and_a_zero_vector_is_none() {
    let mut index = VectorIndex::new(2);
    index.insert(0, &numbered(&[vec![1e38, 1e38]])).unwrap();
    index.insert(1, &numbered(&[vec![1e-40, 0.0]])).unwrap();
    index.insert(2, &numbered(&[vec![0.0, 0.0]])).unwrap();
    assert_eq!((index.rows(), index.notes()), (2, 2));
    let hits = exact(&index, &[3e38, 0.0], &everything(3), 5);
    assert_eq!(ords(&hits), [1, 0]);
    assert!((hits[0].cosine - 1.0).abs() < 1e-5 && (hits[1].cosine - 0.5_f32.sqrt()).abs() < 1e-4);
    assert!(exact(&index, &[0.0, 0.0], &everything(3), 5).is_empty());
    assert_eq!(index.best_passage(&index.prepare(&[0.0, 0.0]).unwrap(), 0), None);
}

#[test]
fn a_clone_keeps_the_old_answers_while_the_original_is_edited() {
    let mut dice = Dice(8);
    let vectors: Vec<_> = (0..1500).map(|_| dice.unit(16)).collect();
    let mut index = one_each(&vectors);
    let (snapshot, query) = (index.clone(), dice.unit(16));
    let before = exact(&snapshot, &query, &everything(3000), 1500);
    for ord in 0..700 {
        index.remove(ord);
    }
    for ord in 1000..2000 {
        index.insert(ord, &numbered(&[dice.unit(16)])).unwrap();
    }
    index.compact();
    assert_eq!(exact(&snapshot, &query, &everything(3000), 1500), before);
    assert_eq!((index.notes(), index.rows(), index.dead()), (1300, 1300, 0));
}

#[test]
fn compaction_frees_dead_rows_and_changes_no_answer() {
    let mut dice = Dice(9);
    let mut index = VectorIndex::new(16);
    for ord in (0..3000).chain(500..1500) {
        index.insert(ord, &numbered(&[dice.unit(16), dice.unit(16)])).unwrap();
    }
    for ord in 0..100 {
        index.remove(ord);
        index.remove(ord);
    }
    assert_eq!((index.notes(), index.rows(), index.dead()), (2900, 5800, 2200));
    let (query, all, blocks) = (dice.unit(16), everything(3000), index.blocks().len());
    let before = exact(&index, &query, &all, 200);
    index.compact();
    assert_eq!((index.notes(), index.rows(), index.dead()), (2900, 5800, 0));
    assert!(index.blocks().len() < blocks);
    assert_eq!(exact(&index, &query, &all, 200), before);
    assert_eq!(exact(&index, &query, &all, 200), one_by_one(&index, &query, &all, 200));
}

#[test]
fn the_graph_finds_what_the_scan_finds_and_every_outlier_and_duplicate_finds_itself() {
    let mut dice = Dice(10);
    let mut vectors = dice.clustered(4680, 32, 60, 0.8);
    let twin = dice.unit(32);
    vectors.extend(vec![twin; 300]);
    vectors.extend((0..20).map(|_| dice.unit(32)));
    let mut index = one_each(&vectors);
    let layer = built(&index);
    println!("{} of 5000 rows are scanned beside the graph", layer.misses());
    assert!(index.attach(Arc::new(layer)));
    let all = everything(5000);
    let mut total = 0.0;
    for number in 0..100 {
        let query = dice.near(&vectors[number * 45], 0.5);
        let found = index.search(&query, &all, 30, SearchMode::Hnsw, &ascending).unwrap();
        let wanted = exact(&index, &query, &all, 30);
        assert!(found.iter().all(|hit| !ords(&wanted).contains(&hit.ord) || wanted.contains(hit)));
        total += recall(&ords(&found), &ords(&wanted)) / 100.0;
    }
    println!("recall@30 of the graph: {total:.4}");
    assert!(total >= 0.98, "{total}");
    let twins = index.search(&vectors[4680], &all, 300, SearchMode::Hnsw, &ascending).unwrap();
    assert_eq!(ords(&twins), (4680..4980).collect::<Vec<_>>());
    for (ord, outlier) in (4980..).zip(&vectors[4980..]) {
        let found = index.search(outlier, &all, 1, SearchMode::Hnsw, &ascending).unwrap();
        assert_eq!(ords(&found), [ord]);
    }
}

#[test]
fn after_churn_every_living_note_is_the_nearest_to_its_own_vector() {
    let mut dice = Dice(11);
    let first = dice.clustered(4000, 16, 30, 0.9);
    let mut index = one_each(&first);
    let layer = Arc::new(built(&index));
    let mut live: BTreeMap<u32, Vec<f32>> = (0..).zip(first).collect();
    for ord in (0..4000).step_by(2) {
        index.remove(ord);
        live.remove(&ord);
    }
    for ord in (1..4000).step_by(3).take(1200) {
        let vector = dice.unit(16);
        index.insert(ord, &numbered(std::slice::from_ref(&vector))).unwrap();
        live.insert(ord, vector);
    }
    assert!(index.attach(layer));
    assert!(index.needs_rebuild());
    let eligible = only(live.keys().copied(), live.len());
    let check = |index: &VectorIndex, how| {
        for (&ord, vector) in &live {
            assert_eq!(ords(&index.search(vector, &eligible, 1, how, &ascending).unwrap()), [ord]);
        }
    };
    check(&index, SearchMode::Exact);
    check(&index, SearchMode::Hnsw);
    index.compact();
    check(&index, SearchMode::Auto);
}

#[test]
fn a_graph_is_to_be_rebuilt_after_a_tenth_of_its_rows_came_or_went() {
    let mut dice = Dice(13);
    let mut index = one_each(&(0..100).map(|_| dice.unit(4)).collect::<Vec<_>>());
    assert!(!index.needs_rebuild());
    let layer = Arc::new(built(&index));
    assert!(index.attach(layer));
    for ord in 0..4 {
        index.remove(ord);
        index.insert(100 + ord, &numbered(&[dice.unit(4)])).unwrap();
    }
    index.remove(50);
    assert!(!index.needs_rebuild());
    index.remove(51);
    assert!(index.needs_rebuild());
}

#[test]
fn a_graph_over_other_row_numbers_is_refused() {
    let mut dice = Dice(12);
    let mut index = one_each(&[dice.unit(4), dice.unit(4)]);
    let layer = Arc::new(built(&index.clone()));
    assert!(!one_each(&[dice.unit(4)]).attach(Arc::clone(&layer)));
    index.insert(2, &numbered(&[dice.unit(4)])).unwrap();
    assert!(index.attach(Arc::clone(&layer)));
    index.compact();
    assert!(!index.attach(layer));
}

#[test]
fn an_empty_index_answers_and_builds() {
    let mut index = VectorIndex::new(4);
    assert!(index.attach(Arc::new(built(&index))));
    let all = everything(5);
    assert!(index.search(&[1.0, 0.0, 0.0, 0.0], &all, 5, SearchMode::Hnsw, &ascending).unwrap().is_empty());
    index.remove(3);
    index.compact();
    assert_eq!((index.rows(), index.dead(), index.notes()), (0, 0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_sequence_of_edits_leaves_what_a_fresh_index_of_the_survivors_has(
        edits in prop::collection::vec((0_u32..12, prop::collection::vec(prop::array::uniform3(-2_i8..3), 0..4)), 0..40),
        query in prop::array::uniform3(-2_i8..3),
    ) {
        let vector = |parts: &[i8; 3]| parts.iter().map(|&part| f32::from(part)).collect::<Vec<_>>();
        let (mut edited, mut fresh, mut survivors) = (VectorIndex::new(3), VectorIndex::new(3), BTreeMap::new());
        for (ord, passages) in edits {
            let passages: Vec<_> = passages.iter().map(vector).collect();
            if passages.is_empty() {
                edited.remove(ord);
            } else {
                edited.insert(ord, &numbered(&passages)).unwrap();
            }
            survivors.insert(ord, passages);
        }
        for (&ord, passages) in &survivors {
            fresh.insert(ord, &numbered(passages)).unwrap();
        }
        let (query, all) = (vector(&query), everything(12));
        prop_assert_eq!(exact(&edited, &query, &all, 12), exact(&fresh, &query, &all, 12));
        prop_assert_eq!((edited.rows(), edited.notes()), (fresh.rows(), fresh.notes()));
    }
}

#[test]
fn a_wide_query_does_not_overflow() {
    let vector = vec![1.0; 8192];
    let row = Row::new(&vector, 8192).unwrap().unwrap();
    let query = PreparedQuery::new(&vector, 8192).unwrap();
    assert!((query.cosine(&row.codes, row.factor) - 1.0).abs() < 1e-5);
}
