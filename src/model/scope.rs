//! Who is asking, and which branch of the tree they ask about.

use serde::{Deserialize, Serialize};

use super::AccessScope;
use crate::error::{Error, Result};

/// Who is asking. Without agent and task: shared notes only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Viewer {
    pub(crate) agent_id: Option<String>,
    pub(crate) task_id: Option<String>,
    pub(crate) owner: bool,
}

impl Viewer {
    /// Someone of whom nothing is known: sees shared notes.
    pub fn anyone() -> Self {
        Self::default()
    }

    /// An agent: sees its own private notes too.
    pub fn agent(agent_id: impl Into<String>) -> Self {
        Self { agent_id: Some(agent_id.into()), ..Self::default() }
    }

    /// The same viewer working on a task: sees that task's notes too.
    #[must_use]
    pub fn on_task(mut self, task_id: impl Into<String>) -> Self {
        self.task_id = Some(task_id.into());
        self
    }

    /// The embedding application itself: sees everything. For administration only; no request field and no
    /// agent-facing tool can become it.
    pub fn owner() -> Self {
        Self { owner: true, ..Self::default() }
    }

    /// The agent asking, if one is.
    pub fn agent_id(&self) -> Option<&str> {
        self.agent_id.as_deref()
    }

    /// The task being worked on, if any.
    pub fn task_id(&self) -> Option<&str> {
        self.task_id.as_deref()
    }

    /// Whether a note of this access scope, author and source may be seen.
    pub(crate) fn may_see(&self, access: AccessScope, author: Option<&str>, source: Option<&str>) -> bool {
        match access {
            _ if self.owner => true,
            AccessScope::Shared => true,
            AccessScope::AgentPrivate => author.is_some() && author == self.agent_id(),
            AccessScope::Task => source.is_some() && source == self.task_id(),
        }
    }

    /// Whether this is the embedding application.
    pub fn is_owner(&self) -> bool {
        self.owner
    }
}

/// A namespace in normal form: without white space and slashes around it; blank is `default`.
///
/// # Errors
/// `invalid_input` when it holds a `*` or an empty, `.` or `..` segment.
pub(crate) fn check_namespace(given: &str) -> Result<String> {
    let namespace = given.trim().trim_matches('/');
    if namespace.is_empty() {
        return Ok("default".to_owned());
    }
    if namespace.contains('*') || namespace.split('/').any(|part| part.is_empty() || part == "." || part == "..") {
        return Err(Error::invalid(format!("expected a namespace such as project/x, found {given:?}")));
    }
    Ok(namespace.to_owned())
}

/// A namespace filter: one namespace, or with a trailing `/**` it and all below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespacePattern {
    namespace: String,
    descendants: bool,
}

impl NamespacePattern {
    /// Reads `a/b` or `a/b/**`; `**` alone admits every namespace.
    ///
    /// # Errors
    /// `invalid_input` when it is blank or holds another `*`.
    pub fn parse(text: &str) -> Result<Self> {
        let (namespace, descendants) = match text.trim() {
            "**" => ("", true),
            plain => plain.strip_suffix("/**").map_or((plain, false), |rest| (rest, true)),
        };
        let namespace = namespace.trim_matches('/');
        if (namespace.is_empty() && text.trim() != "**") || namespace.contains('*') {
            return Err(Error::invalid(format!(
                "namespace filter {text:?}: expected a namespace such as project/x, or project/x/** for it and all below"
            )));
        }
        Ok(Self { namespace: namespace.to_owned(), descendants })
    }

    /// Whether `namespace` passes. Namespaces compare exactly.
    pub fn admits(&self, namespace: &str) -> bool {
        if namespace == self.namespace || (self.descendants && self.namespace.is_empty()) {
            return true;
        }
        self.descendants && namespace.strip_prefix(&self.namespace).is_some_and(|rest| rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_pattern_admits_that_namespace_alone() {
        let pattern = NamespacePattern::parse("project/x").unwrap();
        assert!(pattern.admits("project/x"));
        assert!(!pattern.admits("project/x/y"));
        assert!(!pattern.admits("project/xy"));
    }

    #[test]
    fn a_starred_pattern_admits_it_and_all_below_it() {
        let pattern = NamespacePattern::parse("project/x/**").unwrap();
        assert!(pattern.admits("project/x"));
        assert!(pattern.admits("project/x/y/z"));
        assert!(!pattern.admits("project/xy"));
        assert!(NamespacePattern::parse("**").unwrap().admits("anything"));
    }

    #[test]
    fn a_blank_or_half_starred_pattern_is_refused() {
        for bad in ["", "  ", "/", "a/*/b", "*", "ab**", "/**"] {
            assert_eq!(NamespacePattern::parse(bad).unwrap_err().code(), "invalid_input", "{bad:?}");
        }
    }
}
