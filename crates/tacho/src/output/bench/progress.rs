//! The progress of `tacho bench`: how much of the time is behind us, and what is known by now.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tacho_experiment::bench::BenchQuestion;
use tacho_experiment::{Event, Observer};
use tacho_record::{Metric, Rule, Sample, Unit};
use tacho_report::summary::SummaryText;
use tacho_stats::Summary;

use crate::output::progress_log::ProgressLog;
use crate::output::{self, text};

/// The largest number of redraws a second: between two executions no unnecessary work is done.
const HERTZ: u8 = 4;
/// The time before the first drawing.
const PATIENCE: Duration = Duration::from_millis(500);
/// How many commands are shown, a line each.
const LINES: usize = 8;
/// How wide the name of a command may become.
const NAME: usize = 32;
/// How many steps the bar has.
const STEPS: f64 = 1000.0;

/// Draws on standard error; prints lines if that is no terminal.
pub struct BenchProgress {
    bar: ProgressBar,
    rule: Rule,
    began: Instant,
    drawn: Option<Instant>,
    /// The printer of lines, if progress cannot be drawn.
    log: Option<ProgressLog>,
    commands: Vec<CommandProgress>,
    /// Whether a step failed that no sample shows, as a cleanup.
    is_troubled: bool,
}

/// The progress of a command.
struct CommandProgress {
    name: String,
    metric: Metric,
    values: Vec<f64>,
    /// The lower bounds of executions that reached a limit.
    bounds: Vec<f64>,
    /// Samples that were not the warmup, and what they took.
    counted: u32,
    took: f64,
    is_done: bool,
}

impl BenchProgress {
    /// Progress of that question; `quiet` draws nothing.
    pub fn new(question: &BenchQuestion, quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(HERTZ)
        };
        let bar = ProgressBar::with_draw_target(Some(1000), target);
        if let Ok(style) =
            ProgressStyle::with_template("measuring [{bar:20}] {elapsed}, {prefix}{msg}")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        let known = |command: &tacho_experiment::bench::BenchCommand| CommandProgress {
            name: command.name.clone(),
            metric: command.time(),
            values: Vec::new(),
            bounds: Vec::new(),
            counted: 0,
            took: 0.0,
            is_done: false,
        };
        // The first execution may take long, and nothing else draws before it has ended.
        bar.set_prefix("nothing has ended yet");
        let log = if quiet { None } else { ProgressLog::start(&bar, line) };
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_secs(1));
        }
        let commands = question.commands.iter().map(known).collect();
        let (rule, began) = (question.rule.clone(), Instant::now());
        Self { bar, rule, began, drawn: None, log, commands, is_troubled: false }
    }

    /// Whether a step failed that no sample shows, as a cleanup.
    pub fn is_troubled(&self) -> bool {
        self.is_troubled
    }

    /// Takes the bar away; what is printed after it stays.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn sampled(&mut self, name: &str, sample: &Sample) {
        let is_seen = !self.bar.is_hidden() || self.log.is_some();
        let is_drawn = !is_seen || self.began.elapsed() < PATIENCE || self.is_drawn();
        let Some(known) = self.commands.iter_mut().find(|known| known.name == name) else { return };
        if sample.place.round > 0 {
            known.counted += 1;
            known.took += sample.value("wall").unwrap_or_default();
            known.values.extend(sample.value(&known.metric.name).filter(|_| sample.counts()));
            known.bounds.extend(sample.bound(&known.metric));
        }
        if is_drawn {
            return;
        }
        self.drawn = Some(Instant::now());
        self.draw();
    }

    /// Whether the last drawing is recent enough.
    fn is_drawn(&self) -> bool {
        self.drawn.is_some_and(|drawn| drawn.elapsed() < Duration::from_secs(1) / HERTZ.into())
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of 1000
    fn draw(&self) {
        let elapsed = self.began.elapsed().as_secs_f64();
        let done = self.done().clamp(0.001, 1.0);
        self.bar.set_position((STEPS * done) as u64);
        let left = Duration::from_secs_f64((elapsed / done - elapsed).clamp(0.0, 1e9));
        self.bar.set_prefix(format!("{} left", text::duration(left)));
        self.bar.set_message(self.so_far());
    }

    /// The results of each command so far, one a line.
    fn so_far(&self) -> String {
        let width = self.commands.iter().map(|known| known.name.chars().count()).max();
        let width = width.unwrap_or(0).min(NAME);
        let line = |known: &CommandProgress| {
            let summary = Summary::censored(&known.values, &known.bounds)?;
            let SummaryText { n, median, margin, .. } =
                SummaryText::of(&Unit::Nanoseconds, Some(&summary));
            let name = text::cut(&known.name, width);
            Some(format!("\n  {name:width$}  {median} {margin}  n {n} so far"))
        };
        let more = self.commands.len().saturating_sub(LINES);
        let more = (more > 0).then(|| format!("\n  and {}", text::count(more, "more command")));
        self.commands.iter().take(LINES).filter_map(line).chain(more).collect()
    }

    /// The share of the measuring that is behind us, as far as can be reported.
    fn done(&self) -> f64 {
        let budget = self
            .rule
            .budget
            .map_or(0.0, |budget| self.began.elapsed().as_secs_f64() / budget.as_secs_f64());
        let (mut took, mut all) = (0.0, 0.0);
        for known in &self.commands {
            let one = if known.counted > 0 { known.took / f64::from(known.counted) } else { 1.0 };
            let rounds = if known.is_done { f64::from(known.counted) } else { self.rounds(one) };
            took += known.took;
            all += (one * rounds).max(known.took);
        }
        budget.max(if all > 0.0 { took / all } else { 0.0 })
    }

    /// How many executions of that length there will be.
    fn rounds(&self, one: f64) -> f64 {
        let (fewest, most) = (f64::from(self.rule.min_rounds), f64::from(self.rule.max_rounds));
        let by_time =
            self.rule.each.map_or(most, |each| (each.as_nanos() as f64 / one.max(1.0)).ceil());
        by_time.max(fewest).min(most)
    }
}

fn line(bar: &ProgressBar) -> String {
    format!("measuring for {}, {}", text::duration(bar.elapsed()), bar.prefix())
}

impl Observer for BenchProgress {
    fn note(&mut self, event: &Event<'_>) {
        match event {
            Event::Sampled { cell, sample } => self.sampled(&cell.benchmark.name, sample),
            Event::GivenUp { cell, .. } | Event::Precise { cell, .. } => {
                let found =
                    self.commands.iter_mut().find(|known| known.name == cell.benchmark.name);
                if let Some(known) = found {
                    known.is_done = true;
                }
            }
            Event::HookBegins { cell, hook } => {
                self.bar.set_prefix(format!("{hook} of {}", text::cut(&cell.benchmark.name, 40)));
            }
            Event::Trouble { cell, trouble } => {
                self.is_troubled = true;
                self.bar.suspend(|| {
                    let name = text::cut(&cell.benchmark.name, 40);
                    output::note("error", &format!("`{name}`: {}", trouble.why));
                    for line in text::last_lines(&trouble.output, 8) {
                        output::aside(&format!("  | {line}"));
                    }
                });
            }
            _ => {}
        }
    }
}
