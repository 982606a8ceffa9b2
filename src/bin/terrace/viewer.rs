//! Who is asking.

use clap::Args;
use terrace::{Engine, Error, Result, Viewer};

/// Makes the viewer: without either, shared notes only.
#[derive(Args)]
pub(crate) struct Asker {
    /// Ask as this agent: its private notes are seen too
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,

    /// Ask for this task: its notes are seen too. A beginning of at least 6 characters is enough
    #[arg(long, value_name = "TASK")]
    pub(crate) task: Option<String>,
}

impl Asker {
    /// The viewer that the options make.
    pub(crate) fn viewer(&self, engine: &Engine) -> Result<Viewer> {
        let viewer = match &self.agent {
            Some(agent) => Viewer::agent(agent),
            None => Viewer::anyone(),
        };
        let Some(task) = &self.task else { return Ok(viewer) };
        match engine.get_task(task) {
            Ok(found) => Ok(viewer.on_task(found.id)),
            Err(Error::TaskNotFound(_)) => Ok(viewer.on_task(task)),
            Err(error) => Err(error),
        }
    }
}
