//! Who may see a file's note: who its front matter says, and its author alone where that cannot be read.

use serde_json::Value;

use crate::model::AccessScope;
use crate::text::{self, FrontMatter};

/// The key of front matter that says it.
const KEY: &str = "access_scope";

/// Takes the access scope from front matter, `text` being the whole file.
///
/// A file that says nothing of it is shared. One that says something else than terrace knows, or says it where it cannot
/// be read as front matter, meant to keep someone out: it gets the narrowest scope and a warning, and where the block
/// could not be read, the author is taken from its line.
pub(super) fn access(front: &mut FrontMatter, text: &str, warnings: &mut Vec<String>) -> AccessScope {
    let given = front.access_scope.take();
    let known = given.as_deref().and_then(|word| AccessScope::parse(&word.trim().to_lowercase()));
    let unread = front.metadata.iter().find(|(key, value)| key.eq_ignore_ascii_case(KEY) && !value.is_null());
    let found = match (given, known, unread) {
        (_, _, Some((_, value))) => format!("its `{KEY}` is {}", shown(&value.to_string())),
        (_, Some(known), None) => return known,
        (Some(given), None, None) => {
            let found = format!("its `{KEY}` is {:?}", shown(&given));
            front.metadata.insert(KEY.to_owned(), Value::String(given));
            found
        }
        (None, None, None) => {
            let Some(block) = unread_block(front, text).filter(|block| speaks_of_access(block)) else {
                return AccessScope::Shared;
            };
            front.author = value_of(&block, "author");
            format!("it has an `{KEY}` in a front matter that cannot be read")
        }
    };
    warnings.push(format!(
        "{found}, so only its author sees the note; write `{KEY}: shared`, `task` or `agent_private` between two lines `---` at the top"
    ));
    AccessScope::AgentPrivate
}

fn shown(value: &str) -> String {
    value.chars().take(60).collect()
}

/// Text that looks like front matter and was not read as such: a block that is no YAML, or one whose fence is not
/// closed, not on a line of its own, or not on the first line.
fn unread_block(front: &FrontMatter, text: &str) -> Option<String> {
    if front.raw.is_some() {
        return front.raw.clone();
    }
    let all = text.trim_start_matches('\u{feff}').trim_start();
    (text::split(text).yaml.is_none() && all.starts_with("---")).then(|| all.to_owned())
}

fn speaks_of_access(block: &str) -> bool {
    lines(block).any(|line| {
        let line = line.to_ascii_lowercase();
        line.split_once(KEY).is_some_and(|(_, rest)| rest.trim_start_matches(['"', '\'', ' ', '\t']).starts_with(':'))
    }) || value_of(block, "scope").is_some_and(|word| text::is_access_word(&word))
}

/// The plain value of a key's line.
fn value_of(block: &str, key: &str) -> Option<String> {
    lines(block).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']).trim();
        let plain = !value.is_empty() && !value.starts_with(['[', '{', '|', '>', '&', '*', '!', '#']);
        (name.trim().eq_ignore_ascii_case(key) && plain).then(|| value.to_owned())
    })
}

fn lines(block: &str) -> impl Iterator<Item = &str> {
    block.split(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scope, the author and the number of warnings of its own that a file gets.
    fn read(text: &str) -> (AccessScope, Option<String>, usize) {
        let (mut front, _, _) = text::parse_front_matter(text);
        let mut warnings = Vec::new();
        let scope = access(&mut front, text, &mut warnings);
        (scope, front.author, warnings.len())
    }

    #[test]
    fn a_scope_that_cannot_be_used_keeps_everyone_but_the_author_out() {
        for text in [
            "---\nauthor: ann\naccess_scope: private\n---\nx",
            "---\nauthor: ann\naccess_scope: [agent_private]\n---\nx",
            "---\nauthor: ann\naccess_scope: {agent: private}\n---\nx",
            "---\nauthor: ann\naccess_scope: \"\"\n---\nx",
            "---\nauthor: ann\nAccess_Scope: agent_private\naccess_scope: shared\n---\nx",
            "---\nauthor: ann\nscope: private\n---\nx",
            "---\nauthor: ann\nbroken: [\naccess_scope: agent_private\n---\nx",
            "---\nauthor: ann\nbroken: [\nscope: agent_private\n---\nx",
            "---\r\nauthor: \"ann\" # me\r\nbroken: [\r\n\"access_scope\" : task\r\n---\r\nx",
            "---\nauthor: ann\naccess_scope: agent_private\nx",
            "\n---\nauthor: ann\naccess_scope: agent_private\n---\nx",
            "--- \rauthor: ann\raccess_scope: agent_private\r---\rx",
        ] {
            assert_eq!(read(text), (AccessScope::AgentPrivate, Some("ann".into()), 1), "{text:?}");
        }
    }

    #[test]
    fn a_scope_that_can_be_read_is_taken_without_a_word() {
        for (word, scope) in [("shared", AccessScope::Shared), ("Task", AccessScope::Task)] {
            assert_eq!(read(&format!("---\naccess_scope: {word}\n---\nx")), (scope, None, 0));
            assert_eq!(read(&format!("---\nscope: {word}\n---\nx")), (scope, None, 0));
        }
    }

    #[test]
    fn a_file_that_says_nothing_of_access_is_shared() {
        for text in [
            "x",
            "access_scope: agent_private",
            "---\naccess_scope:\n---\nx",
            "---\nscope: root.project\n---\nx",
            "---\nbroken: [\n---\naccess_scope: agent_private",
            "---\ntitle: unclosed\nx",
        ] {
            assert_eq!(read(text), (AccessScope::Shared, None, 0), "{text:?}");
        }
    }
}
