//! One bisection: asked and measured.

use std::collections::BTreeMap;

use tacho_experiment::bisect::{
    BisectForecast, BisectionResult, Inquiry, MergeRange, bisect, same_program,
};
use tacho_experiment::probe::{NO_OTHER_ORDERS, other_orders};
use tacho_record::bisection::BisectionRequest;
use tacho_record::{Plan, Recipes, Revision};

use crate::cli::{BisectArgs, GlobalArgs};
use crate::commands::bisect::range::Range;
use crate::commands::edited;
use crate::commands::edited::report_edits;
use crate::commands::session::{CommandSession, SessionRequest};
use crate::error::CliError;
use crate::output::answer::versioned;
use crate::output::bisect::{expected_answer, expected_text};
use crate::output::{self, text};
use crate::project::Project;

/// The bisected commits.
#[derive(Clone, Copy)]
pub(crate) enum BisectedCommits<'a> {
    /// The commits of the requested range.
    All,
    /// The commits of a merge.
    Merge(&'a MergeRange),
}

/// Bisects one range; `None` if it was only to be said what that would take.
pub(crate) fn once(
    global: &GlobalArgs,
    project: &Project,
    command: &BisectArgs,
    inside: BisectedCommits<'_>,
) -> Result<Option<BisectionResult>, CliError> {
    let (good, bad) = super::range::ends(command)?;
    let (range, onto, within, spent) = match inside {
        BisectedCommits::All => {
            let range = Range::select(project, good, bad)
                .map_err(|error| super::typed_subject::mistaken(project, error))?;
            (range, BTreeMap::new(), Vec::new(), None)
        }
        BisectedCommits::Merge(MergeRange { selected, onto, within, spent }) => {
            let range = Range { selected: selected.clone(), exchanged: false, aside: None };
            (range, onto.clone(), within.clone(), Some(*spent))
        }
    };
    let aside = range.aside.clone();
    let mut target = super::target::requested(&project.plan, command)?;
    target.plan.subject.onto = onto;
    if matches!(inside, BisectedCommits::All) {
        edited::announce(project, &range.selected.revisions);
        let typed = command.test.as_deref().or(command.typed.run.as_deref());
        if let Some(same) = same_program(&target.plan, target.of, typed, &project.folder) {
            output::note("warning", &same.warning());
            output::note("hint", &same.hint());
        }
    }
    let layouts = if command.probe { other_orders(&target.plan) } else { Vec::new() };
    let mut inquiry = Inquiry {
        asked: BisectionRequest {
            typed: project.is_typed.then(|| super::typed_subject::kept(command)),
            aside: aside.as_ref().map(|aside| aside.id.clone()),
            within,
            spent,
            ..target.asked(command, (good, bad), range.exchanged, &layouts)?
        },
        layouts,
        aside,
        candidates: range.candidates(&project.plan.subject.paths),
        again: command.again,
    };
    // Earlier samples of a branch's commits are not of these commits merged into the first parent.
    if let (Some(name), BisectedCommits::All) = (&command.change, inside) {
        inquiry.asked.prior = super::change::prior(project, name, &inquiry.candidates)?;
    }
    if command.probe && inquiry.layouts.is_empty() {
        output::note("note", &format!("other orders of linking are left out: {NO_OTHER_ORDERS}"));
    }
    let expected = expected(project, &target.plan, &inquiry, command.retry_failed)?;
    if command.dry_run {
        if command.form.json {
            output::print_json(&versioned(expected_answer(&expected, &inquiry)))?;
        } else {
            let width = Some(output::table_width());
            output::print(&text::wrap(&expected_text(&expected, &inquiry), width))?;
        }
        return Ok(None);
    }
    let is_quiet = global.quiet || command.form.json || command.form.markdown;
    if !(is_quiet || expected.is_answered) {
        let width = output::terminal_width_beside().unwrap_or(output::COLUMNS);
        let wrapped = text::wrap(&expected_text(&expected, &inquiry), Some(width));
        output::aside(wrapped.trim_end());
    }
    let expected = expected.sd.filter(|_| !expected.is_by_cpu);
    bisected(global, project, command, target.plan, (&range, &inquiry, expected)).map(Some)
}

/// The expected cost. A store that cannot be opened is reported when it is needed.
fn expected(
    project: &Project,
    plan: &Plan,
    inquiry: &Inquiry,
    retry_failed: bool,
) -> Result<BisectForecast, CliError> {
    let (mut store, host) = (project.store_to_read().ok(), tacho_machine::host().name);
    let all: Vec<Revision> = inquiry.candidates.iter().map(|it| it.revision.clone()).collect();
    // Faults of quirks are reported there too.
    let recipes = tacho_subject::recipes(&plan.subject, &project.folder, &all)
        .unwrap_or_else(|_| Recipes::usual(plan.subject.recipe()));
    let of = (plan, &recipes);
    Ok(BisectForecast::of(store.as_mut(), &host, of, inquiry, retry_failed)?)
}

/// Has it measured; values are expected to vary by as much, where that is known.
pub(crate) fn bisected(
    global: &GlobalArgs,
    project: &Project,
    command: &BisectArgs,
    plan: Plan,
    (range, inquiry, expected): (&Range, &Inquiry, Option<f64>),
) -> Result<BisectionResult, CliError> {
    let mut session = CommandSession::open(project, command.begin.wait)?;
    session.know(&range.selected)?;
    // What was typed is no entry of a plan that may be edited.
    let is_planned =
        |name: &str| !project.is_typed && project.plan.benchmarks.iter().any(|it| it.name == name);
    report_edits(&mut session.store, &plan, is_planned)?;
    let with_left_out =
        inquiry.candidates.iter().flat_map(|it| it.before.iter().chain([&it.revision]));
    let revisions: Vec<Revision> = with_left_out.chain(&inquiry.aside).cloned().collect();
    let quiet = global.quiet || command.form.json;
    let (seed, retry_failed) = (command.begin.seed, command.retry_failed);
    let counted = plan
        .benchmarks
        .iter()
        .flat_map(|it| super::target::counted(it, &inquiry.asked.metric))
        .collect();
    let wanted = SessionRequest {
        counted,
        retry_failed,
        seed,
        quiet,
        expected,
        ..SessionRequest::new(plan, &revisions)
    };
    session.measure(project, wanted, |context, question| bisect(context, question, inquiry))
}
