//! A bar on standard error while a long file is read.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};

/// The bar; gone without trace when one of its clones is dropped.
#[derive(Clone, Debug)]
pub struct Progress(Option<ProgressBar>);

impl Progress {
    pub fn hidden() -> Self {
        Progress(None)
    }

    /// A bar for `len` bytes, if standard error is a terminal.
    pub fn bar(len: u64) -> Self {
        if !io::stderr().is_terminal() {
            return Progress::hidden();
        }
        let bar = ProgressBar::with_draw_target(Some(len), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(
            "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta}",
        );
        bar.set_style(style.expect("a template of known fields"));
        Progress(Some(bar))
    }

    pub fn advance(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(bytes);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
