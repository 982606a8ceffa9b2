use super::*;
use crate::store::passages;
use crate::store::testing::{NOW, note, store, store_with_notes};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::value::RawValue;

fn texts() -> impl Strategy<Value = Vec<String>> {
    vec(any::<String>(), 0..3)
}

fn any_metadata() -> impl Strategy<Value = Option<Box<RawValue>>> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("1.50e+3".to_owned()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    let json = scalar.prop_recursive(3, 12, 3, |inner| {
        // Spaces and a repeated key: kept as given, not as understood.
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(|items| format!("[ {} ]", items.join(" ,\n"))),
            inner.prop_map(|value| format!("{{\"k\" :{value},\"k\":{value} }}")),
        ]
    });
    option::of(json.prop_map(|text| RawValue::from_string(text).unwrap()))
}

prop_compose! {
    fn any_note()(
        (id, title, body) in any::<(String, String, String)>(),
        (path, author, source, source_url) in any::<(Option<String>, Option<String>, Option<String>, Option<String>)>(),
        (supersedes, key, namespace, note_type) in any::<(Option<String>, Option<String>, String, String)>(),
        (tags, aliases, links, derived_from_ids) in (texts(), texts(), texts(), texts()),
        (status, access) in (0..Status::ALL.len(), 0..3_usize),
        confidence in option::of(0.0..=1.0_f64),
        (created, updated, expires) in any::<(i64, i64, Option<i64>)>(),
        metadata in any_metadata(),
    ) -> Note {
        Note {
            id, title, body, path, namespace, tags, aliases, links, note_type, author, source, source_url,
            confidence, derived_from_ids, supersedes, key, metadata,
            status: Status::ALL[status],
            access_scope: [AccessScope::Shared, AccessScope::Task, AccessScope::AgentPrivate][access],
            created_at: Some(Timestamp::from_micros(created)),
            updated_at: Some(Timestamp::from_micros(updated)),
            expires_at: expires.map(Timestamp::from_micros),
        }
    }
}

#[test]
fn a_note_comes_back_as_it_was_put() {
    let (_dir, store) = store();
    proptest!(ProptestConfig::with_cases(128), |(note in any_note(), hash: u64)| {
        let row = store.write(|conn| put(conn, &note, hash)).unwrap();
        let found = store.read(|conn| with_hash(conn, row.ord)).unwrap();
        prop_assert_eq!(found, Some((note.clone(), hash)));
        prop_assert_eq!(store.read(|conn| get(conn, &note.id)).unwrap(), Some((row.ord, note)));
    });
}

#[test]
fn putting_an_id_again_keeps_its_ordinal_and_replaces_the_rest() {
    let (_dir, store) = store_with_notes(2);
    let changed = Note { title: "new".into(), ..note("n1") };
    let row = store.write(|conn| put(conn, &changed, 0)).unwrap();
    assert_eq!(row, PutRow { ord: 1, seq: 3, replaced: true });
    assert_eq!(store.read(|conn| by_ord(conn, 1)).unwrap(), Some(changed));
}

#[test]
fn the_ordinal_of_a_deleted_note_is_not_given_again() {
    let (_dir, store) = store_with_notes(2);
    assert_eq!(store.write(|conn| delete(conn, 2)).unwrap(), Some(3));
    assert_eq!(crate::store::testing::put(&store, "n2"), 3);
}

#[test]
fn deleting_a_note_that_is_not_there_is_no_change() {
    let (_dir, store) = store();
    assert_eq!(store.write(|conn| delete(conn, 9)).unwrap(), None);
    assert_eq!(store.read(changes::latest).unwrap(), 0);
}

#[test]
fn hydration_keeps_the_order_asked_and_leaves_out_what_is_gone() {
    let (_dir, store) = store_with_notes(3);
    let found = store.read(|conn| hydrate(conn, &[(3, None), (9, None), (1, None)])).unwrap();
    assert_eq!(found.iter().map(|note| note.id.as_str()).collect::<Vec<_>>(), ["n3", "n1"]);
}

#[test]
fn hydration_brings_the_passage_asked_for_by_default_the_first() {
    let (_dir, store) = store_with_notes(2);
    store.write(|conn| passages::put(conn, 1, &["first", "second"])).unwrap();
    let found = store.read(|conn| hydrate(conn, &[(1, None), (1, Some(1)), (1, Some(7)), (2, None)])).unwrap();
    let texts: Vec<_> = found.iter().map(|note| note.passage.as_deref()).collect();
    assert_eq!(texts, [Some("first"), Some("second"), None, None]);
}

#[test]
fn moving_a_note_is_a_change_of_the_note() {
    let (_dir, store) = store_with_notes(1);
    let later = NOW.plus_days(1.0);
    assert_eq!(store.write(|conn| set_path(conn, 1, Some("x.md"), later)).unwrap(), Some(2));
    let moved = store.read(|conn| by_ord(conn, 1)).unwrap().unwrap();
    assert_eq!((moved.path.as_deref(), moved.updated_at), (Some("x.md"), Some(later)));
    assert_eq!(store.read(|conn| changes::since(conn, 1)).unwrap(), [(2, 1, Op::Put)]);
}

#[test]
fn a_status_is_a_change_of_state_and_leaves_the_times() {
    let (_dir, store) = store_with_notes(1);
    assert_eq!(store.write(|conn| set_status(conn, 1, Status::Archived)).unwrap(), Some(2));
    let archived = store.read(|conn| by_ord(conn, 1)).unwrap().unwrap();
    assert_eq!((archived.status, archived.updated_at), (Status::Archived, Some(NOW)));
    assert_eq!(store.read(|conn| changes::since(conn, 1)).unwrap(), [(2, 1, Op::State)]);
}

#[test]
fn notes_stream_in_the_order_of_their_ordinals() {
    let (_dir, store) = store_with_notes(3);
    let mut seen = Vec::new();
    store
        .read(|conn| {
            for_each(conn, |ord, note, _| {
                seen.push((ord, note.id));
                Ok(())
            })
        })
        .unwrap();
    assert_eq!(seen, [(1, "n1".into()), (2, "n2".into()), (3, "n3".into())]);
}

#[test]
fn an_unknown_status_in_the_file_is_damage_and_not_a_panic() {
    let (_dir, store) = store_with_notes(1);
    store.write(|conn| Ok(conn.execute("UPDATE notes SET status = 'odd'", [])?)).unwrap();
    assert_eq!(store.read(|conn| by_ord(conn, 1)).unwrap_err().code(), "corrupt");
}
