//! From bytes to terms: tokenising, passages, snippets, Markdown and front matter, tags, links, paths, URLs.
