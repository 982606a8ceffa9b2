//! The built-in model gives the tokens and vectors that data/static-en-256/reference.json pins.
#![cfg(feature = "builtin-embedder")]
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

use proptest::prelude::*;
use terrace::embed::{Embedder, StaticEmbedder, builtin, check_vector};

#[derive(serde::Deserialize)]
struct Reference {
    tolerance: f32,
    items: Vec<Item>,
}

#[derive(serde::Deserialize)]
struct Item {
    text: String,
    token_ids: Vec<u32>,
    first8: Vec<f32>,
    norm: f32,
    cosine_to_previous: Option<f32>,
}

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/static-en-256");

fn reference() -> Reference {
    let json = std::fs::read(format!("{MODEL}/reference.json")).unwrap();
    serde_json::from_slice(&json).unwrap()
}

fn embed(text: &str) -> Option<Vec<f32>> {
    builtin().unwrap().embed_query(text).unwrap()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn tokens_are_those_of_the_reference() {
    let embedder = StaticEmbedder::builtin().unwrap();
    let items = reference().items;
    assert_eq!(items.len(), 20);
    for item in items {
        assert_eq!(embedder.tokens(&item.text), item.token_ids, "{:?}", item.text);
    }
}

#[test]
fn vectors_are_those_of_the_reference() {
    let reference = reference();
    let mut previous = vec![0.0; 256];
    for item in reference.items {
        let vector = embed(&item.text);
        assert_eq!(vector.is_some(), item.norm > 0.0, "{:?}", item.text);
        let vector = vector.unwrap_or_else(|| vec![0.0; 256]);
        for (got, expected) in vector.iter().zip(&item.first8) {
            assert!((got - expected).abs() <= reference.tolerance, "{:?}: {got}, {expected}", item.text);
        }
        assert!((dot(&vector, &vector) - item.norm).abs() < 1e-5, "{:?}", item.text);
        if let Some(cosine) = item.cosine_to_previous {
            assert!((dot(&vector, &previous) - cosine).abs() <= reference.tolerance, "{:?}", item.text);
        }
        previous = vector;
    }
}

#[test]
fn a_directory_of_the_same_files_is_the_same_model() {
    let from_dir = StaticEmbedder::from_dir(MODEL).unwrap();
    assert_eq!(from_dir.identity(), builtin().unwrap().identity());
    assert_eq!(from_dir.embed_query("Call the plumber").unwrap(), embed("Call the plumber"));
}

#[test]
fn a_missing_file_is_named() {
    let empty = tempfile::tempdir().unwrap();
    let Err(error) = StaticEmbedder::from_dir(empty.path()) else { panic!("opened an empty directory") };
    assert_eq!(error.code(), "io");
    assert!(error.to_string().contains("model.safetensors"), "{error}");
}

#[test]
fn blank_and_unknown_texts_have_no_vector() {
    for text in ["", "  \n\t\u{a0}", "\u{200b}\u{0}", "\u{e000}", &"x".repeat(101)] {
        assert_eq!(embed(text), None, "{text:?}");
    }
}

#[test]
fn a_word_of_100_kilobytes_is_one_unknown_token() {
    let embedder = StaticEmbedder::builtin().unwrap();
    assert_eq!(embedder.tokens(&"a".repeat(100_000)), [0]);
    assert_eq!(embedder.tokens(&format!("{} cat", "é".repeat(50_000))).len(), 2);
}

#[test]
fn what_follows_the_first_512_tokens_changes_nothing() {
    let embedder = StaticEmbedder::builtin().unwrap();
    let start = "cat ".repeat(512);
    let long = format!("{start}{}", "dog é ".repeat(150_000));
    assert_eq!(embedder.tokens(&long).len(), 512);
    assert_eq!(embedder.embed_query(&long).unwrap(), embedder.embed_query(&start).unwrap());
}

#[test]
fn threads_get_the_same_bits() {
    let texts: Vec<String> = reference().items.into_iter().map(|item| item.text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let expected = builtin().unwrap().embed_passages(&texts).unwrap();
    std::thread::scope(|scope| {
        let all = || builtin().unwrap().embed_passages(&texts).unwrap();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(all)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
}

proptest! {
    #[test]
    fn any_text_has_a_unit_vector_or_none(text in any::<String>()) {
        if let Some(vector) = embed(&text) {
            prop_assert!((dot(&vector, &vector) - 1.0).abs() < 1e-5);
            prop_assert!(check_vector(&vector, builtin().unwrap().identity()).unwrap().is_some());
        }
    }

    #[test]
    fn case_accents_and_spacing_make_no_difference(words in "[a-z]{1,8}( [a-z]{1,8}){0,5}") {
        let shouted = words.to_uppercase().replace('E', "É").replace(' ', " \u{200b}\n");
        prop_assert_eq!(embed(&shouted), embed(&words));
    }
}
