use super::front_matter::{FrontMatter, parse_front_matter, split};
use proptest::prelude::*;

fn read(yaml: &str) -> FrontMatter {
    parse_front_matter(&format!("---\n{yaml}\n---\nbody")).0
}

fn is_refused(yaml: &str) -> bool {
    let text = format!("---\n{yaml}\n---\nbody");
    let (front, body, warning) = parse_front_matter(&text);
    body == "body" && warning.is_some() && front.raw.is_some_and(|raw| raw.contains(yaml)) && front.tags.is_empty()
}

#[test]
fn windows_line_ends_give_what_unix_ones_give() {
    let (front, body, warning) = parse_front_matter("---\r\ntitle: CRLF\r\ntags: [x]\r\n---\r\nbody");
    assert_eq!((front.title.as_deref(), body, warning), (Some("CRLF"), "body", None));
    assert_eq!(front, parse_front_matter("---\ntitle: CRLF\ntags: [x]\n---\nbody").0);
}

#[test]
fn a_fence_may_close_at_the_end_of_the_file() {
    let (front, body, _) = parse_front_matter("---\ntitle: EOF\n---");
    assert_eq!((front.title.as_deref(), body), (Some("EOF"), ""));
}

#[test]
fn dots_close_and_a_byte_order_mark_is_skipped() {
    let (front, body, _) = parse_front_matter("\u{feff}---\ntitle: A\n...\nbody");
    assert_eq!((front.title.as_deref(), body), (Some("A"), "body"));
}

#[test]
fn what_is_not_fenced_is_body() {
    for text in
        ["---\ntitle: unterminated\nbody", "---hello\nbody", "\n---\na: b\n---\n", " ---\na: b\n---\n", "---", ""]
    {
        let (front, body, warning) = parse_front_matter(text);
        assert_eq!((front, body, warning), (FrontMatter::default(), text, None), "{text:?}");
    }
}

#[test]
fn an_empty_block_is_empty_front_matter() {
    assert_eq!(parse_front_matter("---\n\n---\nbody"), (FrontMatter::default(), "body", None));
    assert_eq!(split("---\n---\nbody").body, "body");
}

#[test]
fn broken_yaml_scalars_and_lists_keep_the_note_and_say_why() {
    for yaml in [
        "title: Tabs\n\ttags: [x]",
        "tags: [alpha, beta\ntitle: Oops",
        "just a sentence",
        "- a\n- b",
        "title: {{title}}\nx: <% t %>",
    ] {
        assert!(is_refused(yaml), "{yaml}");
    }
    assert!(is_refused(&format!("x: {}{}", "[".repeat(400), "]".repeat(400))));
}

#[test]
fn an_alias_bomb_is_refused_quickly() {
    let mut yaml = "a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n".to_owned();
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(",");
        yaml.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    let begun = std::time::Instant::now();
    assert!(is_refused(yaml.trim_end()));
    assert!(begun.elapsed() < std::time::Duration::from_secs(2));
}

#[test]
fn tags_are_read_in_any_form() {
    assert_eq!(read("tags: red, green blue").tags, ["red", "green", "blue"]);
    assert_eq!(read("tags: \"#hash #tag/nested\"").tags, ["hash", "tag/nested"]);
    assert_eq!(read("tag: one\nTags: [two]").tags, ["two", "one"]);
    assert_eq!(read("tags: [2024, 1.5, true, null, 007, y2k]").tags, ["2024", "1.5", "true", "007", "y2k"]);
    assert_eq!(read("tags: [no, yes, on, off]").tags, ["no", "yes", "on", "off"]);
    assert_eq!(read("tags:").tags, Vec::<String>::new());
}

#[test]
fn anchors_merge_keys_and_repeated_keys_are_read() {
    assert_eq!(read("base: &b [x,y]\ntags: *b\nmerge:\n  <<: {k: 1}").tags, ["x", "y"]);
    let front = read("tags: [one]\ntags: [two]\naliases: A\naliases: B");
    assert_eq!((front.tags, front.aliases), (vec!["two".to_owned()], vec!["B".to_owned()]));
}

#[test]
fn a_fence_within_a_block_scalar_does_not_close() {
    assert_eq!(read("summary: |\n  ---\n  tags: [fake]\ntags:\n- real").tags, ["real"]);
}

#[test]
fn a_second_document_is_body() {
    let (front, body, _) = parse_front_matter("---\ntags: [first]\n---\ntags: [second]\n---\nrest");
    assert_eq!((front.tags, body), (vec!["first".to_owned()], "tags: [second]\n---\nrest"));
}

#[test]
fn wiki_links_are_found_in_any_value() {
    let front = read(
        "related: \"[[Hub]]\"\nup: [[Hub]]\nparents:\n  - \"[[dup/a/Index|First index]]\"\naliases: [\"[[Self]]\"]",
    );
    let mut links = front.links;
    links.sort();
    assert_eq!(links, ["Hub", "dup/a/Index"]);
    assert_eq!(front.aliases, ["[[Self]]"]);
}

#[test]
fn dates_are_read_and_impossible_ones_named() {
    let front = read("created: 1640257405306\nupdated: 2024-01-05 10:00\nexpires: 2024-01-05T10:00:00+02:00");
    assert_eq!(front.created_at, Some(1_640_257_405_306_000));
    assert_eq!(front.updated_at, Some(1_704_448_800_000_000));
    assert_eq!(front.expires_at, Some(1_704_441_600_000_000));
    let (front, _, warning) = parse_front_matter("---\ntitle: 2024-02-30\ndate: 2024-02-30\n---\n");
    assert_eq!((front.title.as_deref(), front.created_at), (Some("2024-02-30"), None));
    assert_eq!(front.metadata.get("date").and_then(|v| v.as_str()), Some("2024-02-30"));
    assert!(warning.is_some_and(|warning| warning.contains("date")));
}

#[test]
fn known_keys_are_fields_and_others_metadata() {
    let front = read(
        "id: 7\ntype: fact\nstatus: active\nauthor: me\nsource: t1\nurl: https://x.y\nconfidence: 0.5\nnamespace: a/b\n\
         key: k\nscope: shared\nderived_from: [\"[[a]]\", b]\nsupersedes: c\nextra: {deep: [1]}\nlang: no",
    );
    assert_eq!(front.id.as_deref(), Some("7"));
    assert_eq!(front.note_type.as_deref(), Some("fact"));
    assert_eq!(front.source_url.as_deref(), Some("https://x.y"));
    assert_eq!(front.confidence, Some(0.5));
    assert_eq!(front.access_scope.as_deref(), Some("shared"));
    assert_eq!(front.derived_from, ["a", "b"]);
    assert_eq!(front.supersedes.as_deref(), Some("c"));
    assert_eq!(serde_json::Value::Object(front.metadata), serde_json::json!({"extra": {"deep": [1]}, "lang": "no"}));
}

#[test]
fn language_tags_execute_nothing() {
    let (_, body, _) =
        parse_front_matter("---\nx: !!python/object/apply:os.system [\"echo pwned\"]\ntags: [unsafe]\n---\nbody");
    assert_eq!(body, "body");
}

proptest! {
    #[test]
    fn any_text_has_front_matter_or_none(text in any::<String>(), yaml in "[a-c:\\[\\]{}&*!|>'\"#\n -]{0,60}") {
        parse_front_matter(&text);
        parse_front_matter(&format!("---\n{yaml}\n---\n{text}"));
        let parts = split(&text);
        prop_assert!(text.ends_with(parts.body));
    }
}
