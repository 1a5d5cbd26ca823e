//! The result of tracking, as text and as JSON.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;
use tacho_experiment::analysis::track_details::{FailedBuilds, FailedExecutions, TrackDetails};
use tacho_record::{BuildState, Counter, Failure, first_of};
use tacho_report::build::{RETRY, gap_lines, log_hint, why};
use tacho_report::layouts::TAKES_ORDER;
use tacho_report::run::RESUMES;

use super::answer::{self, AllSeries, SeriesAnswer, WaitAnswer};
use super::unbuilt::UnbuiltAnswer;
use super::{excerpt, levels, note, print, print_json, series_table, text};

/// How many of those without values are named.
const LACKING: usize = 5;

/// How many other reasons of builds that failed are named.
const OTHERS: usize = 3;

/// How many lines of the first failed build's log are shown.
const LOG_LINES: usize = 8;
/// The number of output lines shown of a failed execution.
const OUTPUT_LINES: usize = 2;

/// The result of a session.
pub struct TrackReport<'a>(pub TrackDetails<'a>);

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
    pub fn print(&self, json: bool) -> io::Result<()> {
        if json {
            return print_json(&answer::versioned(self.answer()));
        }
        let series = self.0.session.series.0;
        let tables: Vec<String> = series.iter().map(series_table::table).collect();
        let levels = levels::text(series, &self.0.levels);
        print(&format!("{}{levels}\n{}", tables.join("\n"), self.summary()))?;
        self.report_equal_layouts();
        if let Some(failed) = &self.0.failed_builds {
            self.print_failed_builds(failed);
        }
        for line in gap_lines(self.0.session.unbuilt) {
            note("note", &line);
        }
        if let Some(failed) = &self.0.failed_executions {
            print_failed_executions(failed);
        }
        Ok(())
    }

    pub(super) fn answer(&self) -> ReportAnswer<'_> {
        let TrackDetails { session, levels, waits, disturbed, .. } = &self.0;
        let tracked = session.tracked;
        let count = |is_one: fn(&BuildState) -> bool| {
            tracked.builds.iter().filter(|build| is_one(&build.state)).count()
        };
        ReportAnswer {
            run: tracked.run,
            interrupted: tracked.interrupted,
            samples: tracked.samples,
            builds: BuildCounts {
                built: count(|state| matches!(state, BuildState::Built { .. })),
                failed: count(|state| matches!(state, BuildState::Failed { .. })),
                timed_out: count(|state| matches!(state, BuildState::TimedOut { .. })),
                skipped: count(|state| matches!(state, BuildState::Skipped { .. })),
            },
            unbuilt: session.unbuilt.iter().map(UnbuiltAnswer::of).collect(),
            building: tracked.building.as_secs_f64(),
            executing: tracked.executing.as_secs_f64(),
            total: session.total.as_secs_f64(),
            waits: waits.iter().cloned().map(WaitAnswer::from).collect(),
            disturbed: disturbed.iter().cloned().collect(),
            series: AllSeries::from(session.series.0).with_levels(levels::answers(levels)).series,
        }
    }

    /// Reports builds that ignore the linker's order, and so have only one layout.
    fn report_equal_layouts(&self) {
        let Some((name, others)) = self.0.equal_layouts else { return };
        let others =
            if others > 0 { format!(", and those of {others} more") } else { String::new() };
        note(
            "note",
            &format!("all layouts of {name} are the same program{others}: there is no interval"),
        );
        note("hint", TAKES_ORDER);
    }

    /// The use of the time, and the remaining work.
    fn summary(&self) -> String {
        let session = self.0.session;
        let (tracked, total) = (session.tracked, session.total);
        if tracked.interrupted {
            return format!("{RESUMES}\n");
        }
        if tracked.run.is_none() {
            let why = session
                .series
                .why_nothing(tracked, (session.revisions.len(), session.rule.max_rounds));
            return format!("{}\n", why.words(session.rule));
        }
        let other = total.saturating_sub(tracked.building + tracked.executing);
        format!(
            "{} in {}: {} building, {} executing, {} other\n",
            text::count(tracked.samples, "sample"),
            text::duration(total),
            text::duration(tracked.building),
            text::duration(tracked.executing),
            text::duration(other),
        )
    }

    /// How many builds failed, and how the first one ended; of those that failed before this
    /// session without its log.
    fn print_failed_builds(&self, failed: &FailedBuilds<'_>) {
        let (FailedBuilds { number, first, name, .. }, all) =
            (failed, self.0.session.tracked.builds.len());
        let which = first_word(*number);
        if failed.are_old {
            let was = if *number == 1 { "was" } else { "were" };
            let all = text::count(all, "revision");
            let line = format!(
                "{number} of {all} did not build earlier, and {was} not tried again \
                 (`--retry-failed` tries); {which}{name}: {}",
                why(&first.state)
            );
            if *number == self.0.session.tracked.builds.len() {
                note("error", &line);
                note("hint", &log_hint(name));
            } else {
                note("note", &line);
            }
            return;
        }
        let builds = text::count(all, "build");
        let line = format!("{number} of {builds} failed; {which}{name}: {}", why(&first.state));
        note(if *number == all { "error" } else { "note" }, &line);
        if let Some(log) = &failed.log {
            excerpt(&text::last_lines(log, LOG_LINES));
        }
        print_other_failures(&failed.others);
        if let Some(hint) = &failed.absent {
            note("hint", hint);
        }
        if failed.was_not_fetched {
            let again = "what could not be fetched is not stored as a failure: the same command \
                         tries again";
            note("hint", again);
        } else {
            note("hint", &format!("{}; {RETRY}", log_hint(name)));
        }
    }

    /// Says which have no value as their executions failed. Builds have up to this many `samples`.
    pub fn print_lacking(&self, samples: u32) {
        let lacking = self.0.session.series.failed_without_values();
        if lacking.is_empty() {
            return self.print_unread(samples);
        }
        let named = lacking.iter().map(|(benchmark, name)| format!("`{benchmark}` at {name}"));
        let list = first_of(named, LACKING);
        note("error", &format!("no values, because executions failed: {list}"));
    }

    /// Says that the metric has no value, though no sample was missing.
    fn print_unread(&self, samples: u32) {
        let session = self.0.session;
        let Some((key, left)) = session.series.unread(session.tracked.run) else { return };
        let (metric, revisions) = (&key.metric.name, text::count(left, "revision"));
        note("error", &format!("`{metric}` has no values at {revisions}: {NEW_METRIC}"));
        let is_counted = Counter::named(metric).is_some();
        note("hint", &measure_new(metric, is_counted, samples));
    }
}

/// The word before the first of several.
fn first_word(number: usize) -> &'static str {
    if number == 1 { "" } else { "first " }
}

/// Prints the builds that failed for another reason than the first, as when each of several patches
/// does not apply.
fn print_other_failures(others: &[(&str, String, usize)]) {
    for (name, why, number) in others.iter().take(OTHERS) {
        let more = if *number > 1 { format!(" and {} more", number - 1) } else { String::new() };
        note("note", &format!("another reason, at {name}{more}: {why}"));
    }
    if let Some(rest) = others.get(OTHERS..).filter(|rest| !rest.is_empty()) {
        let builds = rest.iter().map(|(.., number)| number).sum();
        note("note", &format!("{} failed for further reasons", text::count(builds, "build")));
    }
}

/// How many executions failed, and how the first of them did.
fn print_failed_executions(failed: &FailedExecutions<'_>) {
    let FailedExecutions { key, point, .. } = failed;
    let (benchmark, name, failure) = (&key.benchmark, point.revision.short(), &point.failure);
    let line = || failure.as_ref().map(Failure::line);
    let why = point.failure_said.clone().or_else(line).unwrap_or_else(|| "?".to_owned());
    let (number, whose) = (text::count(failed.number, "execution"), whose_answer(failed));
    let which = first_word(failed.number);
    note("note", &format!("{number} failed; {which}`{benchmark}` at {name}: {why}{whose}"));
    if let Some(Failure::NotStarted { missing: Some(program), .. }) = failure
        && let Some(hint) = where_it_is(program, failed.meant.as_deref())
    {
        note("hint", &hint);
        return;
    }
    if point.values.is_empty() {
        excerpt(&text::last_lines(&failed.printed, OUTPUT_LINES));
    }
    note("hint", &format!("`tacho show {name}` shows the output; `--retry-failed` executes again"));
    if let Some(giver) = &failed.reference {
        let right = "`expect = { stdout = { file = \"answer.txt\" } }` names the right answer";
        note("hint", &format!("if `{giver}` printed the wrong one: {right}"));
    }
}

/// Why a metric has no values.
pub const NEW_METRIC: &str = "measured before the plan had this metric";

/// The advice for values of metrics that the plan did not have before; `names` have commas between,
/// and builds have up to this many samples.
pub fn measure_new(names: &str, are_counted: bool, samples: u32) -> String {
    if are_counted {
        return format!(
            "the same command with `--counter {names}` counts what was measured before"
        );
    }
    let more = text::count(samples as usize, "more round");
    format!("`tacho track --rounds {}` measures {more} of each revision", samples.saturating_mul(2))
}

/// The revision that gave the right answer, as the end of a sentence on a wrong one.
fn whose_answer(failed: &FailedExecutions<'_>) -> String {
    let Some(Failure::WrongAnswer { shown: Some(shown), .. }) = failed.point.failure else {
        return String::new();
    };
    failed.reference.as_ref().map_or_else(String::new, |name| shown.right_is_of(name))
}

/// How a program is named that is not in its folder, or not in `PATH`.
fn where_it_is(program: &str, meant: Option<&str>) -> Option<String> {
    match (meant, program.rsplit_once('/')) {
        (Some(near), Some((_, name))) => {
            Some(format!("did you mean `{{build}}/{near}`? there is no `{name}`"))
        }
        (None, Some(_)) => None,
        (_, None) => Some(format!(
            "install `{program}`, or write `{{build}}/{program}` if the build makes it"
        )),
    }
}
