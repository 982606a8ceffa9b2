use std::sync::OnceLock;

use super::*;
use crate::config::EmbedderChoice;

/// 200 notes over 400 days, of which callers judge only what they meant; simulated once for all tests.
fn report() -> &'static SalienceReport {
    static REPORT: OnceLock<SalienceReport> = OnceLock::new();
    REPORT.get_or_init(|| simulate(400, 1))
}

fn simulate(days: u32, shown: usize) -> SalienceReport {
    let dir = tempfile::tempdir().unwrap();
    let options = SalienceOptions { notes: 200, days, per_day: 1, shown, reach: 100, ..SalienceOptions::default() };
    let config = Config { embedder: EmbedderChoice::None, threads: 1, ..Config::default() };
    simulate_salience(dir.path(), &config, &options, &mut |_, _, _| {}).unwrap()
}

fn end(group: NoteGroup) -> GroupEnd {
    report().groups[&group]
}

#[test]
fn notes_cited_more_end_above_those_cited_less_and_these_above_the_untouched() {
    let medians = [NoteGroup::Frequent, NoteGroup::Regular, NoteGroup::Rare, NoteGroup::Untouched]
        .map(|group| end(group).salience.median);
    assert!(medians.windows(2).all(|pair| pair[0] > pair[1]), "{medians:?}");
    assert!(report().ordered_pairs > 0.9, "{}", report().ordered_pairs);
}

#[test]
fn misleading_notes_end_below_every_note_that_was_left_alone() {
    let misleading = end(NoteGroup::Misleading);
    assert!(misleading.salience.median < end(NoteGroup::Untouched).salience.median, "{misleading:?}");
    assert_eq!(misleading.quarantined, 1.0);
}

#[test]
fn idle_notes_keep_above_the_floor() {
    let untouched = end(NoteGroup::Untouched);
    assert!(untouched.salience.median > 0.3 && untouched.salience.p05 > 0.3, "{untouched:?}");
    assert_eq!(untouched.at_floor, 0.0);
}

#[test]
fn no_note_leaves_the_scale() {
    let spread = report().days.iter().flat_map(|day| day.groups.values());
    assert!(spread.clone().count() > 200);
    assert!(spread.clone().all(|of| of.least >= 0.0 && of.most <= 1.0));
}

#[test]
fn only_notes_that_are_cited_often_come_near_the_ceiling() {
    for group in NoteGroup::ALL.into_iter().filter(|group| *group != NoteGroup::Frequent) {
        assert_eq!(end(group).at_ceiling, 0.0, "{group:?}");
    }
}

#[test]
fn bare_retrieves_turn_back_nothing_that_feedback_turned() {
    let bare = report().bare;
    assert_eq!((bare.retrieves, bare.turned_back), (200, 0), "{bare:?}");
    assert!(bare.turned > 0, "{bare:?}");
}

#[test]
fn bare_retrieves_decide_only_between_notes_within_half_a_percent() {
    for bare in [report().bare, simulate(100, 5).bare] {
        assert!(bare.largest_change <= 0.005 && bare.widest_gap <= 0.005, "{bare:?}");
    }
}

#[test]
fn only_ignoring_and_blaming_take_a_note_below_the_floor() {
    let left_alone = NoteGroup::ALL.into_iter().filter(|it| !matches!(it, NoteGroup::Ignored | NoteGroup::Misleading));
    for group in left_alone {
        assert_eq!(end(group).below_floor, 0.0, "{group:?}");
    }
}

#[test]
fn a_simulation_repeats_to_the_digit() {
    assert_eq!(simulate(30, 5), simulate(30, 5));
}

#[test]
fn options_out_of_range_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let options = SalienceOptions { days: 0, ..SalienceOptions::default() };
    let refused = simulate_salience(dir.path(), &Config::default(), &options, &mut |_, _, _| {}).unwrap_err();
    assert!(refused.to_string().contains("expected at least 50 notes, 1 day"), "{refused}");
}

#[test]
fn a_note_nobody_asked_for_is_found_as_in_a_fresh_store() {
    let reach = report().reach;
    assert_eq!(reach.notes, 100);
    assert_eq!(reach.used_at_10, reach.fresh_at_10, "{reach:?}");
    assert!(reach.used_at_1 >= reach.fresh_at_1 - 0.02, "{reach:?}");
}

#[test]
fn looking_a_note_up_without_a_verdict_moves_its_salience_no_more_than_leaving_it() {
    // Notes are made a minute apart, and age as much.
    let (looked_up, untouched) = (end(NoteGroup::LookedUp).salience, end(NoteGroup::Untouched).salience);
    assert!((looked_up.least - untouched.least).abs() < 1e-4 && (looked_up.most - untouched.most).abs() < 1e-4);
}
