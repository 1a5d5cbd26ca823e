//! What tracking came to, as text and as JSON.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use tacho_experiment::analysis::levels::all_levels;
use tacho_experiment::analysis::reference_answer;
use tacho_experiment::analysis::tracked_series::TrackedSeries;
use tacho_experiment::{TrackResult, artifact_meant, other_failures};
use tacho_record::{
    AnswerDifference, BenchmarkKey, Build, BuildGap, Counter, Failure, Revision, Rule, first_of,
    short_name,
};
use tacho_report::build::{RETRY, gap_lines, log_hint, why};
use tacho_report::layouts::TAKES_ORDER;
use tacho_report::run::RESUMES;
use tacho_store::Store;

use super::answer::{self, AllSeries, SeriesAnswer, WaitAnswer};
use super::unbuilt::{self, UnbuiltAnswer};
use super::{excerpt, levels, note, print, print_json, series_table, text};
use crate::error::CliError;

/// How many of those without values are named.
const LACKING: usize = 5;

/// How many other reasons of builds that failed are named.
const OTHERS: usize = 3;

/// How many lines of the first failed build's log are shown.
const LOG_LINES: usize = 8;
/// Of the output of an execution that failed this many lines are shown.
const OUTPUT_LINES: usize = 2;

/// What a session came to.
pub struct TrackReport<'a> {
    pub tracked: &'a TrackResult,
    pub series: TrackedSeries<'a>,
    pub revisions: &'a [Revision],
    pub unbuilt: &'a [BuildGap],
    /// The full names of the revisions that only link the run.
    pub links: &'a [String],
    /// When a cell has enough.
    pub rule: &'a Rule,
}

/// The report in JSON.
#[derive(Serialize)]
pub(super) struct ReportAnswer<'a> {
    run: Option<i64>,
    interrupted: bool,
    samples: usize,
    builds: BuildCounts,
    unbuilt: Vec<UnbuiltAnswer<'a>>,
    building: f64,
    executing: f64,
    total: f64,
    waits: Vec<WaitAnswer>,
    disturbed: BTreeMap<u32, String>,
    series: Vec<SeriesAnswer<'a>>,
}

/// How many builds ended how.
#[derive(Serialize)]
struct BuildCounts {
    built: usize,
    failed: usize,
    timed_out: usize,
    skipped: usize,
}

impl TrackReport<'_> {
    pub fn print(&self, store: &mut Store, json: bool, total: Duration) -> Result<(), CliError> {
        if json {
            return Ok(print_json(&answer::versioned(self.answer(store, total)?))?);
        }
        let tables: Vec<String> = self.series.0.iter().map(series_table::table).collect();
        let levels = levels::text(self.series.0, &all_levels(store, self.series.0)?);
        print(&format!("{}{levels}\n{}", tables.join("\n"), self.summary(total)))?;
        self.report_equal_layouts();
        self.print_failed_builds(store, total);
        self.print_unbuilt();
        self.print_failed_executions(store)
    }

    pub(super) fn answer(
        &self,
        store: &mut Store,
        total: Duration,
    ) -> Result<ReportAnswer<'_>, CliError> {
        let count = |word: &str| {
            self.tracked.builds.iter().filter(|build| build.state.word() == word).count()
        };
        let (waits, disturbed) = match self.tracked.run {
            Some(run) => (store.waits(run)?, store.disturbed(run)?),
            None => (vec![], vec![]),
        };
        Ok(ReportAnswer {
            run: self.tracked.run,
            interrupted: self.tracked.interrupted,
            samples: self.tracked.samples,
            builds: BuildCounts {
                built: count("built"),
                failed: count("failed"),
                timed_out: count("timed out"),
                skipped: count("skipped"),
            },
            unbuilt: self.unbuilt.iter().map(UnbuiltAnswer::of).collect(),
            building: self.tracked.building.as_secs_f64(),
            executing: self.tracked.executing.as_secs_f64(),
            total: total.as_secs_f64(),
            waits: waits.into_iter().map(WaitAnswer::from).collect(),
            disturbed: disturbed.into_iter().collect(),
            series: AllSeries::from(self.series.0)
                .with_levels(levels::answers(&all_levels(store, self.series.0)?))
                .series,
        })
    }

    /// Builds that do not do as their linker is asked: of those no layout but one is known.
    fn report_equal_layouts(&self) {
        let equal = |build: &&Build| build.state.layouts() == Some(1);
        let Some(first) = self.tracked.builds.iter().find(equal) else { return };
        let count = self.tracked.builds.iter().filter(equal).count();
        let revision = self.revisions.iter().find(|revision| revision.id == first.revision);
        let name = revision.map_or(first.revision.as_str(), Revision::short);
        let others =
            if count > 1 { format!(", and those of {} more", count - 1) } else { String::new() };
        note(
            "note",
            &format!("all layouts of {name} are the same program{others}: there is no interval"),
        );
        note("hint", TAKES_ORDER);
    }

    /// Where the time went, and what is left to do.
    fn summary(&self, total: Duration) -> String {
        let tracked = self.tracked;
        if tracked.interrupted {
            return format!("{RESUMES}\n");
        }
        if tracked.run.is_none() {
            let why = self.series.why_nothing(tracked, self.revisions.len());
            return format!("{}\n", why.words(self.rule));
        }
        let other = total.saturating_sub(tracked.building + tracked.executing);
        format!(
            "{} in {}: {} building, {} executing, {} else\n",
            text::count(tracked.samples, "sample"),
            text::duration(total),
            text::duration(tracked.building),
            text::duration(tracked.executing),
            text::duration(other),
        )
    }

    /// How many builds failed, and how the first one ended; of those that failed before this
    /// session, which took `total`, only how many.
    fn print_failed_builds(&self, store: &Store, total: Duration) {
        let (failed, first) = tacho_experiment::failures(&self.tracked.builds);
        // A revision that links the run was not requested.
        let is_asked = |build: &&Build| !self.links.contains(&build.revision);
        let asked: Vec<Build> = self.tracked.builds.iter().filter(is_asked).cloned().collect();
        let Some(first) = tacho_experiment::failures(&asked).1.or(first) else { return };
        let name = self.name(first);
        let began = Timestamp::now() - total;
        let is_old = |build: &Build| build.state.artifact().is_some() || build.started < began;
        if self.tracked.builds.iter().all(is_old) {
            let was = if failed == 1 { "was" } else { "were" };
            let all = text::count(self.tracked.builds.len(), "revision");
            let line =
                format!("{failed} of {all} did not build earlier, and {was} not tried again");
            note("note", &format!("{line} (`--retry-failed` tries)"));
            return;
        }
        let all = self.tracked.builds.len();
        let builds = text::count(all, "build");
        let line = format!("{failed} of {builds} failed; first {name}: {}", why(&first.state));
        note(if failed == all { "error" } else { "note" }, &line);
        // On a shared store the log may be on another machine.
        if let Some(log) = first.log.and_then(|digest| store.log(digest).ok()) {
            excerpt(&text::last_lines(&String::from_utf8_lossy(&log), LOG_LINES));
        }
        self.print_other_failures(first);
        if let Some(hint) = unbuilt::missing_program(&why(&first.state)) {
            note("hint", &hint);
        }
        if tacho_experiment::was_not_fetched(&first.state) {
            let again = "what could not be fetched is not stored as a failure: the same command \
                         tries again";
            note("hint", again);
        } else {
            note("hint", &format!("{}; {RETRY}", log_hint(name)));
        }
    }

    /// The name of a build's revision.
    fn name(&self, build: &Build) -> &str {
        self.revisions
            .iter()
            .find(|revision| revision.id == build.revision)
            .map_or("?", Revision::short)
    }

    /// Where builds failed otherwise than the first, as where each of several patches does not
    /// apply.
    fn print_other_failures(&self, first: &Build) {
        let others = other_failures(&self.tracked.builds, first);
        for (build, number) in others.iter().take(OTHERS) {
            let (name, why) = (self.name(build), why(&build.state));
            let more =
                if *number > 1 { format!(" and {} more", number - 1) } else { String::new() };
            note("note", &format!("another reason, at {name}{more}: {why}"));
        }
        if let Some(rest) = others.get(OTHERS..).filter(|rest| !rest.is_empty()) {
            let builds = rest.iter().map(|(_, number)| number).sum();
            note("note", &format!("{} failed for further reasons", text::count(builds, "build")));
        }
    }

    /// Which stretches have no builds.
    fn print_unbuilt(&self) {
        for line in gap_lines(self.unbuilt) {
            note("note", &line);
        }
    }

    /// How many executions failed, and how the first of them did.
    fn print_failed_executions(&self, store: &mut Store) -> Result<(), CliError> {
        let Some((failed, key, point)) = self.series.failed_executions() else { return Ok(()) };
        let (benchmark, host) = (&key.benchmark, key.host.clone());
        let failure = point.failure.as_ref();
        let line = || failure.map(Failure::line);
        let why = point.failure_said.clone().or_else(line).unwrap_or_else(|| "?".to_owned());
        let (name, whose) = (point.revision.short(), whose_answer(store, benchmark, failure)?);
        note(
            "note",
            &format!(
                "{} failed; first `{benchmark}` at {name}: {why}{whose}",
                text::count(failed, "execution")
            ),
        );
        if let Some(Failure::NotStarted { missing: Some(program), .. }) = failure
            && let Some(hint) = where_it_is(program)
        {
            note("hint", &hint);
            return Ok(());
        }
        if point.values.is_empty() {
            let printed = last_output(store, &host, benchmark, &point.revision.id)?;
            excerpt(&text::last_lines(&printed, OUTPUT_LINES));
        }
        note(
            "hint",
            &format!("`tacho show {name}` shows the output; `--retry-failed` executes again"),
        );
        Ok(())
    }

    /// Says which have no value as their executions failed.
    pub fn print_lacking(&self) {
        let lacking = self.series.failed_without_values();
        if lacking.is_empty() {
            return self.print_unread();
        }
        let named = lacking.iter().map(|(benchmark, name)| format!("`{benchmark}` at {name}"));
        let list = first_of(named, LACKING);
        note("error", &format!("no values, because executions failed: {list}"));
    }

    /// Says that no value of the metric is there, though nothing was missing.
    fn print_unread(&self) {
        let left = self.series.left();
        let first = self.series.0.first().filter(|_| left > 0 && self.tracked.run.is_none());
        let Some(series) = first.filter(|_| !self.series.has_values()) else { return };
        let metric = &series.key.metric.name;
        let revisions = text::count(left, "revision");
        note("error", &format!("`{metric}` has no values at {revisions}: {NEW_METRIC}"));
        let is_counted = Counter::named(metric).is_some();
        note("hint", &measure_new(metric, is_counted, self.rule.max_rounds));
    }
}

/// Why a metric has no values.
pub const NEW_METRIC: &str = "measured before the plan had this metric";

/// What gives values to metrics that the plan did not have before; `names` have commas between.
pub fn measure_new(names: &str, are_counted: bool, rounds: u32) -> String {
    if are_counted {
        return format!("`tacho track --counter {names}` counts what was measured before");
    }
    let (twice, more) = (rounds.saturating_mul(2), text::count(rounds as usize, "more round"));
    format!("`tacho track --rounds {twice}` measures {more} of each revision")
}

/// What the last execution of a benchmark at a revision printed, as far as that is kept.
fn last_output(
    store: &mut Store,
    host: &str,
    benchmark: &BenchmarkKey,
    revision: &str,
) -> Result<String, CliError> {
    let hosts = store.hosts()?;
    let Some((host, _)) = hosts.into_iter().find(|(_, one)| one.name == host) else {
        return Ok(String::new());
    };
    let kept = store.kept_outputs(host, benchmark)?;
    let last = kept.into_iter().rfind(|(_, of, ..)| of == revision);
    // On a shared store the output may be on another machine.
    let content = last.and_then(|(.., digest)| store.log(digest).ok()).unwrap_or_default();
    Ok(String::from_utf8_lossy(&content).into_owned())
}

/// Of a wrong answer the revision that gave the right one, as words that go on: `, the answer of
/// 0123456789` after its digest, else `; 0123456789 printed the expected one`.
fn whose_answer(
    store: &mut Store,
    benchmark: &BenchmarkKey,
    failure: Option<&Failure>,
) -> Result<String, CliError> {
    let Some(Failure::WrongAnswer { shown: Some(shown), .. }) = failure else {
        return Ok(String::new());
    };
    if store.answer(benchmark)?.is_none() {
        return Ok(String::new());
    }
    let Some(id) = reference_answer::given_by(store, benchmark)? else { return Ok(String::new()) };
    let name = short_name(&id);
    Ok(match shown {
        AnswerDifference::Digest => format!(", the answer of {name}"),
        AnswerDifference::Line => format!("; {name} printed the expected one"),
        AnswerDifference::FileDigest | AnswerDifference::Lacks => String::new(),
    })
}

/// How a program is named that is not in its folder, or not in `PATH`.
fn where_it_is(program: &str) -> Option<String> {
    match (artifact_meant(Path::new(program)), program.rsplit_once('/')) {
        (Some(near), Some((_, name))) => {
            Some(format!("did you mean `{{build}}/{near}`? there is no `{name}`"))
        }
        (_, Some(_)) => None,
        (_, None) => Some(format!(
            "install `{program}`, or write `{{build}}/{program}` if the build makes it"
        )),
    }
}
