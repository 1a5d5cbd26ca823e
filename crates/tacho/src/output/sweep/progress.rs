//! The progress of a search, whose end is unknown.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tacho_experiment::{Event, Observer};

use crate::output::progress_log::ProgressLog;
use crate::output::text;

/// Draws on standard error how many executions there were, and what is executed; prints lines if
/// that is no terminal.
pub struct StepProgress {
    bar: ProgressBar,
    executions: usize,
    /// The printer of lines, if progress cannot be drawn.
    _log: Option<ProgressLog>,
}

impl StepProgress {
    /// Progress that draws nothing where it is quiet.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(4)
        };
        let bar = ProgressBar::with_draw_target(None, target).with_message("nothing has ended yet");
        if let Ok(style) = ProgressStyle::with_template("searching {elapsed}, {wide_msg}") {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_secs(1));
        }
        let log = if quiet { None } else { ProgressLog::start(&bar, line) };
        Self { bar, executions: 0, _log: log }
    }

    /// Takes the line away; what is printed after it stays.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn line(bar: &ProgressBar) -> String {
    format!("searching for {}, {}", text::duration(bar.elapsed()), bar.message())
}

impl Observer for StepProgress {
    fn note(&mut self, event: &Event<'_>) {
        if let Event::Sampled { cell, .. } = event {
            self.executions += 1;
            let executions = text::count(self.executions, "execution");
            self.bar.set_message(format!("{executions}, {}", text::cut(&cell.benchmark.name, 40)));
        }
    }
}
