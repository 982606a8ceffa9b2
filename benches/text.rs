//! What is cheap enough to be measured without a store: analysis of a query and of a note, passages, snippets, sketches.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use terrace::eval::{SyntheticCorpus, SyntheticOptions};
use terrace::text;

fn analysis(criterion: &mut Criterion) {
    let corpus = SyntheticCorpus::new(SyntheticOptions { notes: 100, ..SyntheticOptions::default() });
    let (note, query) = (corpus.note(1), corpus.query(1));
    let terms = text::query_terms(&query);
    criterion.bench_function("query terms", |bench| bench.iter(|| black_box(text::query_terms(&query))));
    criterion.bench_function("markdown of a note", |bench| bench.iter(|| black_box(text::parse_markdown(&note.body))));
    criterion.bench_function("terms of a note", |bench| {
        bench.iter(|| {
            let mut count = 0;
            text::for_each_term(&note.body, |_, _, _| count += 1);
            black_box(count)
        });
    });
    criterion.bench_function("passages of a note", |bench| bench.iter(|| black_box(text::passages(&note.body, 1000))));
    criterion.bench_function("snippet of a passage", |bench| {
        bench.iter(|| black_box(text::snippet(&note.body, &terms, 240)))
    });
    criterion.bench_function("sketch of a note", |bench| {
        bench.iter(|| black_box(text::Sketch::of(&text::shingles(&note.body))));
    });
}

criterion_group!(benches, analysis);
criterion_main!(benches);
