use super::markdown::{Parsed, parse_markdown};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn links(body: &str) -> Vec<String> {
    parse_markdown(body).links
}

fn tags(body: &str) -> Vec<String> {
    parse_markdown(body).tags
}

fn plain(body: &str) -> String {
    parse_markdown(body).plain
}

#[test]
fn plain_text_keeps_what_a_reader_sees() {
    let body = "# Head *one*\n\nText with **bold** and [a link](x.md).\nNext line.\n\n* one\n* two\n  * three\n\n\
                | a | b |\n|---|---|\n| c | d |\n\n```rust\nlet x;\n```\n\n> quoted\n\n---\nend";
    assert_eq!(
        plain(body),
        "Head one\n\nText with bold and a link.\nNext line.\n\none\ntwo\nthree\n\na b\nc d\n\nlet x;\n\nquoted\n\nend"
    );
}

#[test]
fn html_is_dropped_and_its_text_kept() {
    let body = "<details><summary>S</summary>\n\n**bold** <img src=x>\n\n<td>cell &amp; more</td>\n<!-- secret -->\n";
    let text = plain(body);
    for word in ["S", "bold", "cell & more", "secret"] {
        assert!(text.contains(word), "{text}");
    }
    assert!(!text.contains('<') && !text.contains("img"), "{text}");
}

#[test]
fn wiki_links_show_their_label_or_target() {
    assert_eq!(plain("see [[a_b_c]] and [[x*y*|the *label*]], ![[pic.png]]."), "see a_b_c and the *label*, pic.png.");
    assert_eq!(plain("\\[[escaped]]"), "[[escaped]]");
}

#[test]
fn targets_lose_heading_and_block() {
    assert_eq!(links("[[Missing#Sec|shown]] [[dup/a#Head^b|x]] [[b^blk]] ![[e]]"), ["Missing", "dup/a", "b", "e"]);
}

#[test]
fn links_to_nothing_or_to_the_note_itself_are_none() {
    assert!(links("[[#Local]] [[^blk]] [[]] [[|]] [[ ]] [x](#here) \\[[escaped]] [[open").is_empty());
}

#[test]
fn the_innermost_brackets_are_the_link() {
    assert_eq!(links("[[unclosed [[Nested [[Hub]] ]]"), ["Hub"]);
}

#[test]
fn markdown_links_to_files_are_decoded_and_urls_left_out() {
    assert_eq!(
        links("[a](dup/b.md#x) [b](a%20b.md) ![i](pic.png) [c](https://x.y/z.md) <https://a.b> [r]\n\n[r]: ref.md"),
        ["dup/b.md", "a b.md", "pic.png", "ref.md"]
    );
}

#[test]
fn links_are_distinct_and_in_order() {
    assert_eq!(links("[[b]] [x](a.md) [[b]] [[c]]"), ["b", "a.md", "c"]);
}

#[test]
fn labels_are_alternatives() {
    let parsed = parse_markdown("[[The label|dendron.target#h]] [[x]]");
    assert_eq!(parsed.links, ["The label", "x"]);
    assert_eq!(parsed.alternatives, [("The label".to_owned(), "dendron.target".to_owned())]);
}

#[test]
fn links_in_tables_are_whole() {
    let parsed = parse_markdown("| x | y |\n|---|---|\n| [[a\\|b]] | [[c|d]] |\n");
    assert_eq!(parsed.links, ["a", "c"]);
    assert_eq!(parsed.alternatives, [("a".to_owned(), "b".to_owned()), ("c".to_owned(), "d".to_owned())]);
}

#[test]
fn code_maths_and_comments_hold_no_links_or_tags() {
    let body = "```md\n[[NotALink]] #notatag\n---\ntags: [no]\n---\n```\n`[[AlsoNot]]` `#nope`\n\n    [[Indented]] #indented\n\n\
                ~~~\n[[Tilde]]\n~~~\n<!-- [[Commented]] #commented -->\n\ntext <!-- [[C2]] #c2 --> more\n\n\
                %%[[ObsidianComment]] #obscomment%%\n$$x_{[[m]]}$$ $ #n $y [[k]] #m$\n[[Hub]] #real";
    let parsed = parse_markdown(body);
    assert_eq!(parsed.tags, ["n", "real"]);
    assert_eq!(parsed.links, ["Hub"]);
    for word in ["NotALink", "AlsoNot", "Indented", "Commented", "C2"] {
        assert!(parsed.plain.contains(word), "{word}");
    }
}

#[test]
fn tags_follow_obsidian() {
    let body = "#🔥 #🔥/hot #日本語 #a/b/c #1984 #y1984 #trailing/ #CamelCase #camelcase a#not http://x.y/#frag &#35;ent \\#esc \
                #tag,#tag2;#tag3. (#paren) \"#quote\" ##head #️⃣ # space #हिन्दी [x](#dest) [y](z.md \"#title\")";
    assert_eq!(
        tags(body),
        ["🔥", "🔥/hot", "日本語", "a/b/c", "y1984", "trailing", "CamelCase", "tag", "tag2", "tag3", "paren", "हिन्दी"]
    );
}

#[test]
fn a_heading_is_no_tag_and_the_first_one_is_kept() {
    let parsed = parse_markdown("text\n\nTitle *here*\n====\n\n# Second");
    assert_eq!(parsed.first_heading.as_deref(), Some("Title here"));
    assert!(parsed.tags.is_empty());
}

#[test]
fn windows_line_ends_read_alike() {
    let body = "# A\n\ntext [[b]] #c\nmore\n\n- x\n";
    assert_eq!(parse_markdown(&body.replace('\n', "\r\n")), parse_markdown(body));
}

#[test]
fn hostile_texts_are_read_in_linear_time() {
    let hostile = [
        "[".repeat(20_000),
        "[".repeat(20_000) + &"]".repeat(20_000),
        "*".repeat(30_000),
        "*a ".repeat(20_000),
        "> ".repeat(3_000) + "deep",
        "- ".repeat(3_000) + "deep",
        "[[n]] ".repeat(5_000),
        "[a](b.md) ".repeat(5_000),
        "%%".repeat(20_001),
        "<!-- ".repeat(10_000),
        "<a ".repeat(20_000),
        "`".repeat(20_000),
        "$".repeat(20_000),
        "`a``b```".repeat(5_000),
        "#".repeat(50_000),
        "![".repeat(20_000),
        "|a".repeat(10_000) + "\n" + &"|-".repeat(10_000),
        "[^1]: ".repeat(5_000),
        "&".repeat(50_000),
        "[x]: y\n".repeat(10_000),
    ];
    for text in hostile {
        let begun = Instant::now();
        parse_markdown(&text);
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(2), "{:?} took {took:?}", text.chars().take(12).collect::<String>());
    }
}

proptest! {
    #[test]
    fn any_text_is_markdown(body in any::<String>()) {
        parse_markdown(&body);
    }

    #[test]
    fn any_mixture_of_markup_is_markdown(body in "([\\[\\]|#`*_$%<>!a()\n\\\\ é~-]|\\[\\[|\\]\\]){0,60}") {
        let Parsed { links, tags, .. } = parse_markdown(&body);
        prop_assert!(links.iter().all(|link| !link.is_empty()));
        prop_assert!(tags.iter().all(|tag| !tag.is_empty()));
    }
}
