//! Every plot is a well-formed document that holds its labels.

use std::collections::BTreeMap;

use super::*;
use crate::eval::{NoteGroup, Percentiles, Quantiles, SalienceDay, SalienceReport};

/// The texts of a document, after checking that its elements close in order and that no markup stands in a text.
fn texts(svg: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut texts = Vec::new();
    let mut rest = svg;
    while let Some((before, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').expect("a tag ends");
        assert!(!before.contains('>'), "markup in {before:?}");
        if open.last().is_some_and(|tag| tag == "text") {
            let text = before.trim().replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
            texts.push(text.replace("&apos;", "'").replace("&amp;", "&"));
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default().to_owned());
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        }
        rest = after;
    }
    assert!(open.is_empty(), "left open: {open:?}");
    texts.retain(|text| !text.is_empty());
    texts
}

fn bar(label: &str, mean: f64) -> Bar {
    Bar { label: label.to_owned(), mean, lo: mean - 0.1, hi: mean + 0.1 }
}

#[test]
fn quality_bars_hold_their_names_groups_and_numbers() {
    let groups = [
        BarGroup { name: String::new(), bars: vec![bar("all scouts", 0.7)] },
        BarGroup { name: "alone".into(), bars: vec![bar("a < b & \"c\"", 0.25), bar("scout_vector", 0.95)] },
    ];
    let texts = texts(&quality_bars("scifact", "nDCG@10", &groups).unwrap());
    for label in ["scifact", "nDCG@10", "all scouts", "alone", "a < b & \"c\"", "0.250", "0.950", "0.0", "1.0"] {
        assert!(texts.iter().any(|text| text == label), "{label} in {texts:?}");
    }
}

#[test]
fn values_that_are_no_numbers_still_make_a_document() {
    let groups = [BarGroup { name: "x".into(), bars: vec![bar("nan", f64::NAN), bar("far", 1e300)] }];
    assert!(texts(&quality_bars("h", "m", &groups).unwrap()).contains(&"NaN".to_owned()));
    let wild = Curve { label: "wild".into(), points: vec![(f64::NAN, 1.0), (0.0, -1.0), (f64::INFINITY, 2.0)] };
    assert!(texts(&latency_by_size("h", std::slice::from_ref(&wild)).unwrap()).contains(&"wild".to_owned()));
    assert!(texts(&recall_by_latency("h", &[wild]).unwrap()).contains(&"recall".to_owned()));
    assert!(texts(&stage_percentiles("h", &BTreeMap::new()).unwrap()).contains(&"h".to_owned()));
    assert!(texts(&quality_bars("h", "m", &[]).unwrap()).contains(&"m".to_owned()));
}

#[test]
fn latency_by_size_has_axes_of_decades() {
    let curve = Curve { label: "p50".into(), points: vec![(1e4, 0.5), (1e6, 8.0)] };
    let svg = latency_by_size("a whole retrieve", &[curve]).unwrap();
    let texts = texts(&svg);
    for label in ["notes", "milliseconds", "10k", "100k", "1M", "0.1", "1", "10", "p50"] {
        assert!(texts.iter().any(|text| text == label), "{label} in {texts:?}");
    }
    assert_eq!(svg.matches("<circle").count(), 2);
}

#[test]
fn recall_begins_below_its_lowest_value() {
    let curve = Curve { label: "ef".into(), points: vec![(0.2, 0.83), (1.5, 0.99)] };
    let texts = texts(&recall_by_latency("vectors", &[curve]).unwrap());
    assert!(texts.contains(&"0.8".to_owned()) && !texts.contains(&"0.7".to_owned()), "{texts:?}");
}

#[test]
fn a_stage_has_a_name_and_three_percentiles() {
    let of = Percentiles { p50: 0.0, p95: 31.0, p99: 900.0 };
    let svg = stage_percentiles("10 000 notes", &[("receipt".to_owned(), of)].into()).unwrap();
    assert!(texts(&svg).contains(&"receipt".to_owned()));
    // Each is filled and ringed.
    assert_eq!(svg.matches("<circle").count(), 6);
}

#[test]
fn salience_has_a_panel_for_each_group_and_a_key() {
    let spread = Quantiles { p05: 0.3, median: 0.4, p95: 0.5, ..Quantiles::default() };
    let day = |day| SalienceDay { day, groups: NoteGroup::ALL.map(|group| (group, spread)).into() };
    let report = SalienceReport { days: vec![day(0), day(400)], ..SalienceReport::default() };
    let svg = salience_over_days("a year", &report).unwrap();
    let texts = texts(&svg);
    for label in NoteGroup::ALL.map(|group| format!("{}: 0 notes", group.as_str())) {
        assert!(texts.contains(&label), "{label} in {texts:?}");
    }
    for label in ["a year", "days", "salience", "400", "1.0", "median", "5 % to 95 % of the notes"] {
        assert!(texts.iter().any(|text| text == label), "{label} in {texts:?}");
    }
    assert_eq!(svg.matches("<polygon").count(), 2 * NoteGroup::ALL.len());
}
