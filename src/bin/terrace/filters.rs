//! Which notes a search is about.

use clap::Args;

/// The filters of `retrieve` and `search`; they AND together.
#[derive(Args)]
pub(crate) struct Filters {
    /// Notes of this namespace only; NS/** for it and all below. Repeated: any of them
    #[arg(long = "namespace", value_name = "NS")]
    namespaces: Vec<String>,

    /// Notes with this tag or one below it. Repeated: all of them
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,

    /// Notes whose path begins with these whole segments
    #[arg(long, value_name = "PATH")]
    pub(crate) path_prefix: Option<String>,

    /// Also rejected, superseded and stale knowledge
    #[arg(long)]
    pub(crate) include_inactive: bool,
}

impl Filters {
    /// `None` where no namespace was named: every one.
    pub(crate) fn namespaces(&self) -> Option<Vec<String>> {
        (!self.namespaces.is_empty()).then(|| self.namespaces.clone())
    }
}
