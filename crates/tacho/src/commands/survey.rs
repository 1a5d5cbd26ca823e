//! `tacho track --builds`, `--budget` of a range, `--zoom`: few builds of a long history, each
//! where it is most informative.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde::Serialize;
use tacho_experiment::analysis::planned_metrics::most_samples;
use tacho_experiment::analysis::track_details::TrackedSession;
use tacho_experiment::analysis::tracked_series::TrackedSeries;
use tacho_experiment::survey::{
    ReportedPlace, SurveyOutcome, SurveyRequest, least_of_survey, place, reported,
};
use tacho_record::{BuildGap, Change, Plan, Revision, in_backticks};
use tacho_report::survey::SurveyEnd;
use tacho_subject::{SelectedRevisions, history};

use super::changes::found;
use super::run_words;
use super::session::{CommandSession, SessionRequest};
use crate::cli::{GlobalArgs, TrackArgs};
use crate::commands::edited::report_edits;
use crate::commands::selection::{narrowed, select};
use crate::counters::{counters, usual_name};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::answer::versioned;
use crate::output::survey_report::SurveyReport;
use crate::output::track_report::TrackReport;
use crate::output::{self, text};
use crate::project::Project;

/// Whether the command limits builds: by their number, to one place, or by a time for a range.
pub(super) fn is_survey(command: &TrackArgs) -> bool {
    let range = match command.revisions.as_slice() {
        [] => true,
        [one] => one.contains(".."),
        _ => false,
    };
    let survey = &command.survey;
    let past = command.schedule.missing;
    survey.builds.is_some()
        || survey.zoom.is_some()
        || (range && !past && command.stopping.budget.is_some())
}

pub(super) fn execute(
    global: &GlobalArgs,
    command: &TrackArgs,
    project: &Project,
    mut plan: Plan,
    budget: Option<Duration>,
) -> Result<Exit, CliError> {
    let began = Instant::now();
    let zoom = command.survey.zoom.as_ref().map(|name| Zoom::of(project, name)).transpose()?;
    if let Some(Zoom::Change(change)) = &zoom {
        plan = narrowed(&plan, std::slice::from_ref(&change.series.benchmark.name))?;
    }
    if command.dry_run {
        let selected = select(project, command)?;
        let goal = goal(command, &selected, zoom.as_ref(), budget)?;
        return dry_run(&plan, &selected.revisions, &goal, command.shown.json);
    }
    let mut session = CommandSession::open(project, command.begin.wait)?;
    let waited = began.elapsed();
    let selected = select(project, command)?;
    let goal = goal(command, &selected, zoom.as_ref(), budget)?;
    session.keep_to_line(project, &selected)?;
    report_edits(&mut session.store, &plan, |_| true)?;
    session.report_edited_recipe(project, &selected.revisions)?;
    let mut placed = session.survey(project, (global, command), plan.clone(), &selected, &goal)?;
    let range =
        goal.zoom.map_or(&*selected.revisions, |(first, last)| &selected.revisions[first..=last]);
    // Revisions outside of the range do not matter to a zoom.
    let within: HashSet<&str> = range.iter().map(|revision| revision.id.as_str()).collect();
    placed.tracked.builds.retain(|build| within.contains(build.revision.as_str()));
    let is_built = |it: &&Revision| placed.tracked.builds.iter().any(|one| one.revision == it.id);
    let built: Vec<Revision> = selected.revisions.iter().filter(is_built).cloned().collect();
    let reports = match placed.ended {
        SurveyEnd::Interrupted => Vec::new(),
        _ => session.reported(project, &selected.revisions, &placed)?,
    };
    let series = session.series(project, &plan, &built, command)?;
    session.report_left_behind(&plan, placed.tracked.run)?;
    session.report_noise(placed.tracked.run)?;
    session.report_load(placed.tracked.run, (&plan, command))?;
    report_rounds(command.rounds, TrackedSeries(&series), placed.tracked.run);
    let unbuilt = BuildGap::of(&selected.revisions, &placed.tracked.builds);
    let shown = TrackedSession {
        tracked: &placed.tracked,
        series: TrackedSeries(&series),
        revisions: &selected.revisions,
        unbuilt: &unbuilt,
        links: &[],
        rule: &plan.measure.rule,
        total: began.elapsed().saturating_sub(waited),
    };
    let report = SurveyReport {
        tracked: TrackReport(shown.details(&mut session.store)?),
        placed: &placed,
        findings: placed.findings(&goal, &selected.revisions, (&reports, &series)),
        least: goal.least,
    };
    report.print(command.shown.json)?;
    if !placed.tracked.interrupted {
        report.tracked.print_lacking(most_samples((&mut session.store, session.host_id))?);
    }
    Ok(Exit::of(placed.tracked.interrupted, shown.series.is_whole()))
}

impl CommandSession {
    fn survey(
        &mut self,
        project: &Project,
        (global, command): (&GlobalArgs, &TrackArgs),
        plan: Plan,
        selected: &SelectedRevisions,
        goal: &SurveyRequest,
    ) -> Result<SurveyOutcome, CliError> {
        self.know(selected)?;
        let wanted = SessionRequest {
            counted: counters(&command.counter)?.into_iter().map(|asked| asked.counter).collect(),
            seed: command.begin.seed,
            quiet: global.quiet || command.shown.json,
            asked: run_words::asked(&command.revisions, &selected.revisions),
            ..SessionRequest::new(plan, &selected.revisions)
        };
        self.measure(project, wanted, |context, question| place(context, question, goal))
    }

    /// The report of `tacho changes` for each place that was found on this host.
    fn reported(
        &mut self,
        project: &Project,
        revisions: &[Revision],
        placed: &SurveyOutcome,
    ) -> Result<Vec<Vec<ReportedPlace>>, CliError> {
        let found = found::look(project, &mut self.store)?;
        let on_host = found.hosts.iter().find(|(host, _)| *host == self.host_id);
        let of = |analysed| reported((analysed, &found.orders), revisions, &placed.surveyed);
        Ok(on_host.map(|(_, analysed)| of(analysed)).unwrap_or_default())
    }
}

/// The place of a zoom.
enum Zoom {
    /// At a change that `tacho changes` reports.
    Change(Box<Change>),
    /// After the first and up to the second of these revisions, by their full names; an end that
    /// was not named is that of history.
    Between(Option<String>, Option<String>),
}

impl Zoom {
    /// The range, or the one change of that name.
    fn of(project: &Project, name: &str) -> Result<Self, CliError> {
        if let Some((from, to)) = name.split_once("..") {
            let history = history(&project.plan.subject, &project.folder)?;
            let id = |name: &str| match name {
                "" => Ok(None),
                name => history.find(name).map(|revision| Some(revision.id)),
            };
            return Ok(Self::Between(id(from)?, id(to)?));
        }
        let mut store = project.store()?;
        let found = found::look(project, &mut store)?;
        let named = found::named(project, &found, name)?;
        match named.as_slice() {
            [one] => Ok(Self::Change(Box::new((*one).clone()))),
            many => {
                let candidates = in_backticks(many.iter().map(|change| &change.name));
                Err(CliError::Ambiguous { name: name.to_owned(), candidates })
            }
        }
    }

    /// After which and up to which of these revisions.
    fn window(&self, revisions: &[Revision]) -> Result<(usize, usize), CliError> {
        let place = |id: &str| {
            let unknown = || CliError::Unknown { name: id.to_owned(), nearest: None };
            revisions.iter().position(|revision| revision.id == id).ok_or_else(unknown)
        };
        let (from, to) = match self {
            Self::Change(change) => (Some(&change.finding.good), Some(&change.finding.bad)),
            Self::Between(from, to) => (from.as_ref(), to.as_ref()),
        };
        let first = from.map_or(Ok(0), |id| place(id))?;
        let last = to.map_or(Ok(revisions.len().saturating_sub(1)), |id| place(id))?;
        if first < last {
            return Ok((first, last));
        }
        let short = |at: usize| revisions[at].short().to_owned();
        let (from, to) = (short(first), short(last));
        Err(CliError::NoRange { from, to, is_same: first == last })
    }
}

fn goal(
    command: &TrackArgs,
    selected: &SelectedRevisions,
    zoom: Option<&Zoom>,
    budget: Option<Duration>,
) -> Result<SurveyRequest, CliError> {
    let asked = command.survey.min_effect.map(|percent| percent / 100.0);
    let change = zoom.and_then(|it| if let Zoom::Change(it) = it { Some(it) } else { None });
    let known = change.and_then(|change| change.finding.effect);
    let of_change = change.map(|change| change.series.metric.name.clone());
    // The first of the metrics that are shown; a survey looks for the changes of one.
    let shown = command.shown.metric.first().filter(|name| *name != "all");
    Ok(SurveyRequest {
        least: least_of_survey(asked, known),
        builds: command.survey.builds.map(|builds| builds as usize),
        budget,
        zoom: zoom.map(|zoom| zoom.window(&selected.revisions)).transpose()?,
        metric: of_change.or_else(|| shown.map(|name| usual_name(name))),
    })
}

/// The intended steps, in JSON.
#[derive(Serialize)]
struct SurveyDryAnswer<'a> {
    revisions: Vec<&'a str>,
    least: f64,
    builds: Option<usize>,
    budget: Option<f64>,
    good: Option<&'a str>,
    bad: Option<&'a str>,
    benchmarks: usize,
}

/// Says what would be done.
fn dry_run(
    plan: &Plan,
    revisions: &[Revision],
    goal: &SurveyRequest,
    json: bool,
) -> Result<Exit, CliError> {
    let benchmarks = plan.keyed_benchmarks().len();
    if json {
        let id = |at: usize| revisions[at].id.as_str();
        output::print_json(&versioned(SurveyDryAnswer {
            revisions: revisions.iter().map(|revision| revision.id.as_str()).collect(),
            least: goal.least,
            builds: goal.builds,
            budget: goal.budget.map(|budget| budget.as_secs_f64()),
            good: goal.zoom.map(|(good, _)| id(good)),
            bad: goal.zoom.map(|(_, bad)| id(bad)),
            benchmarks,
        }))?;
        return Ok(Exit::Success);
    }
    let among = match goal.zoom {
        Some((first, last)) => format!(
            "between {} and {}, {} apart",
            revisions[first].short(),
            revisions[last].short(),
            text::count(last - first, "revision")
        ),
        None => format!("among {}", text::count(revisions.len(), "revision")),
    };
    let most = goal.builds.map(|builds| format!(" with at most {}", text::count(builds, "build")));
    let time = goal.budget.map(|time| format!(" in {}, builds included", text::duration(time)));
    let would = format!(
        "would look for changes of {} or more {among}{}{}, and execute {} {} at each built \
         revision\n",
        text::percent(goal.least),
        most.unwrap_or_default(),
        time.unwrap_or_default(),
        text::count(benchmarks, "benchmark"),
        text::rule(&plan.measure.rule),
    );
    output::print(&text::wrap(&would, Some(output::table_width())))?;
    Ok(Exit::Success)
}

/// Says that what was measured before gets no more rounds here, however many were requested.
fn report_rounds(rounds: Option<u32>, series: TrackedSeries<'_>, run: Option<i64>) {
    let Some(rounds) = rounds else { return };
    let left = series.left_below(rounds, run);
    if left > 0 {
        let (revisions, fewer) =
            (text::count(left, "revision"), text::count(rounds as usize, "sample"));
        let keep = if left == 1 { "keeps" } else { "keep" };
        output::note(
            "note",
            &format!(
                "{revisions} {keep} fewer than {fewer}: with `--budget` or `--builds`, `--rounds` \
                 applies only to newly measured revisions"
            ),
        );
        output::note("hint", "without `--budget` and `--builds`, each revision gets all rounds");
    }
}
