//! A progress bar on standard error, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// Shows how far a long command has come. Where standard error is no terminal nothing is shown.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new() -> Self {
        Self(ProgressBar::no_length().with_style(style("{msg}")))
    }

    /// A stage of which nobody knows how long it is.
    pub(crate) fn begin(&self, stage: &'static str) {
        self.0.set_style(style("{msg}"));
        self.0.set_message(stage);
    }

    /// A stage, `done` of `total` through.
    pub(crate) fn at(&self, stage: &'static str, done: usize, total: usize) {
        if self.0.length() != Some(total as u64) || self.0.message() != stage {
            self.0.set_style(style("{msg} {wide_bar} {pos}/{len} {eta}"));
            self.0.set_message(stage);
            self.0.set_length(total as u64);
        }
        self.0.set_position(done as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
