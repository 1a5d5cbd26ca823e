//! Progress bars: the finished and active steps, and the expected time.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tacho_experiment::{Event, Observer, ShadowedModule};
use tacho_record::{Bisection, BuildFailure, BuildState, Cell, Digest, Revision, Unit};
use tacho_report::bisection::WrongAnswers;
use tacho_subject::ReadProgress;

use super::progress_log::ProgressLog;
use super::{terminal, text};

/// The largest number of redraws a second: between two executions nothing unnecessary is printed.
const HERTZ: u8 = 4;
/// How many lines of what went wrong are shown.
const OUTPUT_LINES: usize = 8;

/// Draws how far reading a log has come.
pub fn reading(reading: ReadProgress) {
    static BAR: OnceLock<ProgressBar> = OnceLock::new();
    let bar = BAR.get_or_init(ProgressBar::new_spinner);
    match reading {
        ReadProgress::Bytes(read) => {
            bar.set_message(format!(
                "reading the log of the repository: {}",
                Unit::Bytes.show(read as f64)
            ));
            bar.tick();
        }
        ReadProgress::Ended => bar.finish_and_clear(),
    }
}

/// Draws the progress of an experiment on standard error; prints lines if that is no terminal.
pub struct Progress {
    bar: ProgressBar,
    /// The display names of revisions and commands, by their full names and their digests.
    names: HashMap<String, String>,
    /// The cells that were reported to fail each time.
    given_up: HashSet<String>,
    estimate: TimeEstimate,
    /// When the first build began, and how many were done before.
    building: Option<(Instant, usize)>,
    /// Metrics without a value, in the order in which they were found to have none.
    absent: Vec<Absent>,
    /// Whether a bisection is active, whose bar shows its belief.
    bisecting: bool,
    /// Benchmarks that were said to import from the work tree.
    shadowed: Vec<String>,
    /// How many builds were changed by their own program.
    changed_builds: usize,
    /// The last report of wrong answers of a bisection.
    wrong_answers: Option<WrongAnswers>,
    /// Whether the duration may be reported: only once, and not in quiet output.
    forecasts: bool,
    /// How values of a bisection were expected to vary, where that was said before.
    expected: Option<f64>,
    /// How builds are made, after the name of each.
    how: String,
    /// The printer of lines, if progress cannot be drawn.
    log: Option<ProgressLog>,
}

/// A metric of a benchmark that has no value of some execution, and the first reason that there
/// was.
struct Absent {
    benchmark: String,
    metric: String,
    why: String,
}

impl Progress {
    /// Progress on these revisions; `quiet` draws nothing.
    pub fn new(revisions: &[Revision], quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { terminal::target(HERTZ) };
        let bar = ProgressBar::with_draw_target(None, target);
        let names = revisions.iter().map(|r| (r.id.clone(), r.short().to_owned())).collect();
        let log = if quiet { None } else { ProgressLog::start(&bar, line) };
        Self {
            bar,
            names,
            given_up: HashSet::new(),
            estimate: TimeEstimate::default(),
            building: None,
            absent: Vec::new(),
            bisecting: false,
            shadowed: Vec::new(),
            changed_builds: 0,
            wrong_answers: None,
            forecasts: !quiet,
            expected: None,
            how: String::new(),
            log,
        }
    }

    /// Progress on commands, which have no revisions; `quiet` draws nothing.
    pub fn of_commands<'a>(commands: impl Iterator<Item = &'a str>, quiet: bool) -> Self {
        let named = |it: &str| (Digest::of(it).short(), text::cut(it, 40));
        Self { names: commands.map(named).collect(), ..Self::new(&[], quiet) }
    }

    /// Has `how` shown after the name of each build.
    pub fn show_how(&mut self, how: String) {
        self.how = how;
    }

    /// How values of a bisection are expected to vary.
    pub fn expect(&mut self, sd: Option<f64>) {
        self.expected = sd;
    }

    /// Takes the bar away; what is printed after it stays.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Says which metrics that were requested have no value, and why.
    pub fn report_absent(&self) {
        for Absent { benchmark, metric, why } in &self.absent {
            super::note("note", &format!("`{metric}` of `{benchmark}` is absent: {why}"));
        }
    }

    fn begin(&self, verb: &'static str, total: usize, done: usize) {
        if let Ok(style) =
            ProgressStyle::with_template("{prefix} [{bar:20}] {pos}/{len} {wide_msg}")
        {
            self.bar.set_style(style.progress_chars("=> "));
        }
        if self.bar.prefix() != verb {
            self.bar.set_message("");
        }
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        self.start_stage(verb, verb.to_owned());
    }

    /// Leaves out the most executions that there may be: a budget ends long before them.
    fn forget_total(&self) {
        self.bar.unset_length();
        if let Ok(style) = ProgressStyle::with_template("{prefix} {pos} {wide_msg}") {
            self.bar.set_style(style);
        }
    }

    /// Shows the stage before the bar, and prints a line for it if the bar cannot be drawn.
    fn start_stage(&self, stage: &'static str, prefix: String) {
        self.bar.set_prefix(prefix);
        if let Some(log) = &self.log {
            log.begin(stage);
        }
    }

    /// Draws the belief of a bisection, as bars over its commits.
    fn believe(&mut self, bisection: &Bisection) {
        if let Some(line) =
            super::bisect::forecast(bisection, self.expected).filter(|_| self.forecasts)
        {
            self.forecasts = false;
            self.bar.suspend(|| super::note("note", &line));
        }
        let wrong = WrongAnswers::of(bisection);
        // At first sight, and once it is known of which commit on.
        let is_news =
            |said: &WrongAnswers| self.wrong_answers.is_none() || said.is_exact && !said.is_end;
        if wrong != self.wrong_answers {
            if let Some(WrongAnswers { line, why, .. }) = wrong.as_ref().filter(|it| is_news(it)) {
                self.bar.suspend(|| super::note("note", &format!("{line} ({why})")));
            }
            self.wrong_answers = wrong;
        }
        let [first, second] = super::bisect::live(bisection, terminal::columns())
            .map(|line| line.replace('{', "{{").replace('}', "}}"));
        if let Ok(style) =
            ProgressStyle::with_template(&format!("{first}\n{second} · {{wide_msg}}"))
        {
            self.bar.set_style(style);
        }
        self.start_stage("bisecting", super::bisect::plain(bisection));
        if !self.bisecting {
            self.bisecting = true;
            // A build takes long, without output meanwhile.
            self.bar.enable_steady_tick(Duration::from_secs(1));
        }
    }

    /// A line that stays above the bar.
    fn say(&self, line: &str) {
        if !self.bar.is_hidden() {
            self.bar.suspend(|| super::note("note", line));
        }
    }

    /// Names the first build that was changed; that there are others is said once.
    fn warn_of_changed_build(&mut self, cell: &Cell, path: &Path) {
        self.changed_builds += 1;
        let (name, path) = (self.name(cell), path.display().to_string());
        let what = format!("`{}` at {name} changed `{path}` in its own build", cell.benchmark);
        let warning = match self.changed_builds {
            1 => format!("{what}: later executions may measure something else"),
            2 => format!("{what} too; further ones are not reported"),
            _ => return,
        };
        let hint = if path.contains("__pycache__") {
            "`python3 -B` writes no `__pycache__`"
        } else {
            "have the program write elsewhere, or copy the build in `prepare`"
        };
        self.bar.suspend(|| {
            super::note("warning", &warning);
            if self.changed_builds == 1 {
                super::note("hint", hint);
            }
        });
    }

    /// Says of each benchmark once that it executes the same at all revisions.
    fn warn_of_same(&mut self, benchmark: &str) {
        let warning = format!(
            "`{benchmark}` uses nothing of the build: all revisions are measured with the same \
             program"
        );
        let hint = "`{build}` in `command` is the folder of a revision's artifacts";
        self.warn_once(benchmark, &warning, hint);
    }

    /// Warns of each benchmark once, and says once what helps.
    fn warn_once(&mut self, benchmark: &str, warning: &str, hint: &str) {
        if self.shadowed.iter().any(|it| it == benchmark) {
            return;
        }
        let is_first = self.shadowed.is_empty();
        self.shadowed.push(benchmark.to_owned());
        self.bar.suspend(|| {
            super::note("warning", warning);
            if is_first {
                super::note("hint", hint);
            }
        });
    }

    /// Says of each benchmark once that it imports from the work tree, and once what helps.
    fn warn_of_shadowed(&mut self, benchmark: &str, module: &ShadowedModule) {
        let ShadowedModule { taken, meant } = module;
        let warning = format!(
            "`{benchmark}` measures `{taken}` of the current folder at every revision: with `-c` \
             and `-m` Python looks there before `PYTHONPATH`"
        );
        let hint = format!(
            "write `directory = \"{meant}\"` for the benchmark, or set `PYTHONSAFEPATH=1` beside \
             `PYTHONPATH` (Python 3.11)"
        );
        self.warn_once(benchmark, &warning, &hint);
    }

    fn name<'a>(&'a self, cell: &'a Cell) -> &'a str {
        let command = || self.names.get(&cell.artifact.short());
        self.names.get(&cell.revision).or_else(command).unwrap_or(&cell.revision)
    }

    /// Shows which revision is built, and how long the builds that are left will take.
    fn show_build(&mut self, revision: &Revision, done: usize, total: usize) {
        self.begin("building", total, done);
        let (began, before) = *self.building.get_or_insert_with(|| (Instant::now(), done));
        let left = left(began.elapsed(), done - before, total - done);
        self.bar.set_message(format!("{left}{}", self.build_name(revision)));
    }

    fn build_name(&self, revision: &Revision) -> String {
        format!("{} {}{}", revision.short(), text::cut(&revision.subject, 40), self.how)
    }
}

impl Observer for Progress {
    #[allow(clippy::too_many_lines, reason = "one arm an event")]
    fn note(&mut self, event: &Event<'_>) {
        match event {
            Event::Absent { benchmark, metric, why } => {
                let reasons = &mut self.absent;
                if !reasons
                    .iter()
                    .any(|absent| (&*absent.benchmark, &*absent.metric) == (*benchmark, *metric))
                {
                    let [benchmark, metric, why] =
                        [benchmark, metric, why].map(|text| (*text).to_owned());
                    reasons.push(Absent { benchmark, metric, why });
                }
            }
            Event::Believed { bisection } => self.believe(bisection),
            Event::BuildBegins { revision, done, .. } if self.bisecting => {
                let name = self.build_name(revision);
                self.bar.set_message(format!("build {}: {name}", done + 1));
            }
            Event::BuildBegins { revision, done, total } => {
                self.show_build(revision, *done, *total);
            }
            Event::BuildEnds { revision, build } => {
                self.bar.inc(1);
                // A patch that does not apply is an error, and nothing was built.
                let tried = Some(BuildFailure::TriedPatch);
                let is_patch =
                    matches!(build.state, BuildState::Failed { cause, .. } if cause == tried);
                if build.state.artifact().is_none() && !is_patch {
                    self.say(&format!("{}: build {}", revision.short(), build.state.word()));
                }
            }
            Event::MeasuringBegins { run, total, done, .. } => {
                self.begin("measuring", *total, *done);
                if run.rule.budget.is_some() {
                    self.forget_total();
                }
                self.estimate = TimeEstimate {
                    most: run.rule.budget,
                    ..TimeEstimate::new(*total - *done.min(total))
                };
            }
            Event::CountingBegins { cell } => self.bar.set_message(format!(
                "counting instructions in software (about 50 times as long) · {} {}",
                self.name(cell),
                cell.benchmark
            )),
            Event::Sampled { cell, .. } if self.bisecting => {
                self.bar.set_message(format!("{} {}", self.name(cell), cell.benchmark));
            }
            Event::Sampled { cell, .. } => {
                self.bar.inc(1);
                let left = self.estimate.after_one();
                self.bar.set_message(format!(
                    "{} left · {} {}",
                    text::duration(left),
                    self.name(cell),
                    cell.benchmark
                ));
            }
            Event::GivenUp { cell, saved } => {
                if let Some(length) = self.bar.length() {
                    self.bar.set_length(length.saturating_sub(*saved as u64));
                }
                self.estimate.left = self.estimate.left.saturating_sub(*saved);
                let what = match self.names.get(&cell.artifact.short()) {
                    Some(command) => format!("`{command}`"),
                    None => format!("{} at {}", cell.benchmark, self.name(cell)),
                };
                // The control of a side is the same command once more.
                if self.given_up.insert(what.clone()) {
                    self.say(&format!("{what} fails each time and is left out"));
                }
            }
            Event::HookBegins { cell, hook } => {
                self.bar.set_message(format!("{hook} of {} {}", self.name(cell), cell.benchmark));
            }
            Event::OtherPath { run } => self.bar.suspend(|| {
                let so = "it may name other programs, so a new run begins";
                super::note("note", &format!("`PATH` differs from interrupted run {run}: {so}"));
            }),
            Event::Trouble { cell, trouble } => {
                let name = format!("`{}` at {}", cell.benchmark, self.name(cell));
                self.bar.suspend(|| {
                    super::note("note", &format!("{name}: {}", trouble.why));
                    super::excerpt(&text::last_lines(&trouble.output, OUTPUT_LINES));
                });
            }
            Event::Waiting { noise, took } => {
                let took = text::duration(*took);
                self.bar.set_message(format!("waiting for a quiet host ({took}): {noise}"));
            }
            Event::Disturbed { round, noise } => {
                self.say(&format!("round {round} is repeated: {noise}"));
            }
            Event::BuildChanged { cell, path } => self.warn_of_changed_build(cell, path),
            Event::ShadowedModule { benchmark, module } => {
                self.warn_of_shadowed(benchmark, module);
            }
            Event::SameForAll { benchmark } => self.warn_of_same(benchmark),
            Event::OutOfTime { rounds } => {
                self.bar.set_length(self.bar.position());
                self.say(&format!(
                    "the budget is used up after {}",
                    text::count(*rounds as usize, "round")
                ));
            }
            Event::Precise { saved, .. } => {
                if let Some(length) = self.bar.length() {
                    self.bar.set_length(length.saturating_sub(*saved as u64));
                }
                self.estimate.left = self.estimate.left.saturating_sub(*saved);
            }
            Event::Surveyed { surveyed, builds } => {
                if let Some(line) = super::survey_report::progress(surveyed, *builds) {
                    self.say(&line);
                }
            }
            Event::NotReproducible { revision, .. } => {
                self.say(&format!("{} gave a different result when built again", revision.short()));
            }
        }
    }
}

/// The content of the bar, in a line.
fn line(bar: &ProgressBar) -> String {
    let (stage, message) = (bar.prefix(), bar.message());
    let done = match bar.length() {
        Some(length) => format!(" {}/{length}", bar.position()),
        // With a budget their number is not known.
        None if stage == "measuring" => format!(" {}", bar.position()),
        None => String::new(),
    };
    let parts = [format!("{stage}{done}"), message];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// The expected time of the remaining builds, if this many took this long; `None` before one is
/// done.
fn left(took: Duration, done: usize, left: usize) -> String {
    let each = took.checked_div(u32::try_from(done).unwrap_or(u32::MAX));
    let all = each.map(|each| each.saturating_mul(u32::try_from(left).unwrap_or(u32::MAX)));
    all.map_or_else(String::new, |all| format!("{} left · ", text::duration(all)))
}

/// How long the rest will take, from what was seen: each round executes all alike, so the mean will
/// do.
struct TimeEstimate {
    /// How long all of it may take.
    most: Option<Duration>,
    left: usize,
    seen: u32,
    began: Instant,
}

impl Default for TimeEstimate {
    fn default() -> Self {
        Self::new(0)
    }
}

impl TimeEstimate {
    fn new(left: usize) -> Self {
        Self { most: None, left, seen: 0, began: Instant::now() }
    }

    fn after_one(&mut self) -> Duration {
        self.left = self.left.saturating_sub(1);
        self.seen += 1;
        let elapsed = self.began.elapsed();
        let left =
            (elapsed / self.seen).saturating_mul(u32::try_from(self.left).unwrap_or(u32::MAX));
        self.most.map_or(left, |most| left.min(most.saturating_sub(elapsed)))
    }
}
