//! Markdown notes: their plain text, first heading, links and tags.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::html::{decode_entities, strip_html};
use super::inline::{Marks, WikiLink};
use super::links::relative_target;

/// What a Markdown body says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Readable text: paragraphs are separated by a blank line, code is kept, HTML tags are dropped and their content and
    /// comments kept, a wiki-link shows its label, or its target where it has none.
    pub plain: String,
    /// Targets of wiki-links, embeds, and Markdown links to relative files, without fragments, distinct, in order. Links to
    /// URLs and to the note itself (`[[#heading]]`) are not among them.
    pub links: Vec<String>,
    /// `(target, label)` of every wiki-link with a label, in order. Dendron writes the label first, so a resolver may try
    /// the label when the target resolves to nothing.
    pub alternatives: Vec<(String, String)>,
    /// Inline `#tags` without the `#`, as written, distinct by [`fold_tag`](super::fold_tag), in order.
    pub tags: Vec<String>,
    /// The plain text of the first heading that has any.
    pub first_heading: Option<String>,
}

/// Reads a Markdown body (front matter is to be split off first, see `split`).
///
/// CommonMark with tables, footnotes, task lists and maths, and Obsidian's wiki-links, embeds, `#tags` and `%%` comments.
/// Nothing inside code, maths, HTML or comments is a link or a tag. An inline tag follows a space, a line's beginning or one
/// of `( , ; | > *`, and has letters of any script, digits, emoji, `_`, `-` and `/`, and not digits alone. Any text is
/// Markdown, so nothing fails; the cost is linear.
///
/// ```
/// let note = terrace::text::parse_markdown("# Plan\n\nSee [[Hub|the hub]] and `[[code]]` #todo");
/// assert_eq!(note.plain, "Plan\n\nSee the hub and [[code]] #todo");
/// assert_eq!(note.links, ["Hub"]);
/// assert_eq!(note.tags, ["todo"]);
/// assert_eq!(note.first_heading.as_deref(), Some("Plan"));
/// ```
pub fn parse_markdown(body: &str) -> Parsed {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM;
    let parser = Parser::new_ext(body, options);
    let mut opaque: Vec<Range<usize>> =
        parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone()).collect();
    let events: Vec<(Event<'_>, Range<usize>)> = parser.into_offset_iter().collect();
    let mut targets = Vec::new();
    collect_opaque(&events, &mut opaque, &mut targets);
    opaque.sort_unstable_by_key(|range| (range.start, range.end));
    let marks = Marks::of(body, &opaque);

    let mut writer = Writer::new(body, &marks.links);
    for (event, range) in events {
        writer.event(event, range);
    }
    let (plain, first_heading) = writer.finish();

    targets.extend(
        marks.links.iter().filter(|link| !link.target.is_empty()).map(|link| (link.range.start, link.target.clone())),
    );
    targets.sort_by_key(|(at, _)| *at);
    Parsed {
        plain,
        links: super::links::distinct(targets.into_iter().map(|(_, target)| target)),
        alternatives: marks
            .links
            .iter()
            .filter(|link| !link.target.is_empty())
            .filter_map(|link| Some((link.target.clone(), link.alternative.clone()?)))
            .collect(),
        tags: marks.tags,
        first_heading,
    }
}

/// Finds the source ranges in which nothing is a wiki-link or a tag, and the targets of Markdown links with their place.
fn collect_opaque(
    events: &[(Event<'_>, Range<usize>)],
    opaque: &mut Vec<Range<usize>>,
    targets: &mut Vec<(usize, String)>,
) {
    // For each open link: where its last child ended, since only what follows is its destination.
    let mut open: Vec<usize> = Vec::new();
    for (event, range) in events {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }) => {
                if let Some(target) = relative_target(dest_url) {
                    targets.push((range.start, target));
                }
                if matches!(link_type, LinkType::Autolink | LinkType::Email) {
                    opaque.push(range.clone());
                }
                open.push(range.start);
                continue;
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if let Some(last) = open.pop() {
                    opaque.push(last..range.end);
                }
            }
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_) => opaque.push(range.clone()),
            _ => {}
        }
        if let Some(last) = open.last_mut() {
            *last = range.end.max(*last);
        }
    }
}

/// Writes the plain text.
struct Writer<'a> {
    body: &'a str,
    links: std::iter::Peekable<std::slice::Iter<'a, WikiLink>>,
    plain: String,
    html: Option<String>,
    lists: usize,
    heading: Option<usize>,
    first_heading: Option<String>,
}

impl<'a> Writer<'a> {
    fn new(body: &'a str, links: &'a [WikiLink]) -> Self {
        Self {
            body,
            links: links.iter().peekable(),
            plain: String::with_capacity(body.len()),
            html: None,
            lists: 0,
            heading: None,
            first_heading: None,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, range),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.plain.push_str(&text),
            Event::Html(text) => match &mut self.html {
                Some(html) => html.push_str(&text),
                None => self.plain.push_str(&strip_html(&text)),
            },
            Event::InlineHtml(text) => self.plain.push_str(&strip_html(&text)),
            Event::SoftBreak | Event::HardBreak => self.lines(1),
            Event::Rule => self.lines(2),
            Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::CodeBlock(_) | Tag::Table(_) | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => {
                self.block();
            }
            Tag::Heading { .. } => {
                self.block();
                self.heading = Some(self.plain.len());
            }
            Tag::HtmlBlock => {
                self.block();
                self.html = Some(String::new());
            }
            Tag::List(_) => {
                if self.lists == 0 {
                    self.lines(2);
                }
                self.lists += 1;
            }
            Tag::Item | Tag::TableHead | Tag::TableRow => self.lines(1),
            Tag::TableCell if !self.plain.is_empty() && !self.plain.ends_with(['\n', ' ']) => self.plain.push(' '),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                let text = self.heading.take().and_then(|start| self.plain.get(start..)).unwrap_or_default().trim();
                if self.first_heading.is_none() && !text.is_empty() {
                    self.first_heading = Some(text.to_owned());
                }
                self.block();
            }
            TagEnd::HtmlBlock => {
                if let Some(html) = self.html.take() {
                    let text = strip_html(&html);
                    self.plain.push_str(text.trim());
                }
                self.block();
            }
            TagEnd::List(_) => {
                self.lists = self.lists.saturating_sub(1);
                self.block();
            }
            TagEnd::Paragraph | TagEnd::CodeBlock | TagEnd::Table | TagEnd::BlockQuote(_) => self.block(),
            TagEnd::Item | TagEnd::TableHead | TagEnd::TableRow => self.lines(1),
            _ => {}
        }
    }

    /// Text from the source, with each wiki-link in it replaced by what it shows.
    fn text(&mut self, text: &str, range: Range<usize>) {
        let mut at = range.start;
        let literal = self.body.get(range.clone()) == Some(text);
        while let Some(link) = self.links.peek() {
            let link = *link;
            if link.range.end <= at {
                self.links.next();
                continue;
            }
            if link.range.start >= range.end {
                break;
            }
            if link.range.start >= at {
                if literal {
                    self.plain.push_str(self.body.get(at..link.range.start).unwrap_or_default());
                }
                self.plain.push_str(&decode_entities(link.shown()));
            }
            at = link.range.end;
            if at >= range.end {
                return; // the rest of the link is in the texts that follow
            }
            self.links.next();
        }
        if at == range.start {
            self.plain.push_str(text);
        } else if literal {
            self.plain.push_str(self.body.get(at..range.end).unwrap_or_default());
        }
    }

    /// A block's border: a blank line, or a line's end inside lists.
    fn block(&mut self) {
        self.lines(if self.lists > 0 { 1 } else { 2 });
    }

    /// Ends the plain text, unless it is empty, with at least `count` newlines.
    fn lines(&mut self, count: usize) {
        if self.plain.is_empty() {
            return;
        }
        let present = self.plain.bytes().rev().take(count).take_while(|&b| b == b'\n').count();
        for _ in present..count {
            self.plain.push('\n');
        }
    }

    fn finish(mut self) -> (String, Option<String>) {
        self.plain.truncate(self.plain.trim_end().len());
        (self.plain, self.first_heading)
    }
}
