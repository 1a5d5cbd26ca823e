//! `tacho try`: a revision with and without a diff.

use std::path::Path;

use serde::Serialize;
use tacho_experiment::compare::rows_of;
use tacho_experiment::patches::{PatchFile, PlanComparer, TryEnd, TryOutcome, check_patches};
use tacho_record::{BenchmarkKey, Comparing, Metric, Plan, Program, Revision, Side, StopCondition};
use tacho_subject::history;

use super::compare::exit_status::exit;
use super::compare::fail_on::{fail_on, metrics};
use super::session::{CommandSession, ProjectSession};
use super::{edited, layout_options, patches};
use crate::cli::{GlobalArgs, TryArgs};
use crate::commands::defaults::{MARGIN, rule, share};
use crate::commands::selection::narrowed;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::exit::Exit;
use crate::output;
use crate::output::answer::versioned;
use crate::output::compare::report::CompareReport;
use crate::output::compare::{CompareAnswer, FailOnGate};
use crate::project::Project;

/// The answer in JSON; docs/src/formats says what each key means.
#[derive(Serialize)]
struct TryAnswer<'a> {
    base: &'a str,
    tries: Vec<PatchAnswer<'a>>,
}

#[derive(Serialize)]
struct PatchAnswer<'a> {
    patches: &'a [String],
    #[serde(flatten)]
    compared: CompareAnswer<'a>,
}

pub fn execute(global: &GlobalArgs, command: &TryArgs) -> Result<Exit, CliError> {
    if command.patch.is_empty() {
        return Err(CliError::NoPatch);
    }
    let fail_on = fail_on(&command.terms)?;
    let project = Project::open(global)?.counting(&command.terms.counter, &command.terms.metric)?;
    let rounds = layout_options::rounds(&command.terms, &project.plan);
    let request = rule(rounds, command.terms.budget.as_deref())?;
    let plan = narrowed(&project.plan, &command.terms.benchmark)?.with_rule(request)?;
    let plan = command.terms.reference.applied(plan);
    let history = history(&project.plan.subject, &project.folder)?;
    let base = history.find(&command.base)?;
    let is_revision =
        |path: &Path| !path.exists() && path.to_str().is_some_and(|it| history.find(it).is_ok());
    if let Some(path) = command.patch.iter().find(|path| is_revision(path)) {
        return Err(CliError::RevisionAsPatch { name: path.display().to_string() });
    }
    let terms = terms(&project, &plan, command, &base)?;
    let is_compared =
        |name: &str| terms.rows.iter().any(|(_, of)| of.iter().any(|it| it.name == name));
    output::directions::announce_plan(&plan, is_compared);
    let patches = command.patch.iter().map(|path| patches::typed(&project, path));
    let patches = patches.collect::<Result<Vec<_>, _>>()?;
    if let Some(twice) = named_twice(&patches) {
        return Err(CliError::PatchTwice { name: twice.name.clone() });
    }
    check_patches(&project.folder, (&base, &plan), &patches)?;
    // Piped input is most likely the edits themselves.
    let is_input = command.patch.iter().any(|path| patches::is_input(path));
    let mut uncommitted = String::new();
    if !is_input {
        edited::announce(&project, std::slice::from_ref(&base));
        uncommitted = edited::markdown(&project, std::slice::from_ref(&base));
    }
    let quiet = global.quiet || command.form.json;
    let layouts = layout_options::layouts(&command.terms, &plan)?;
    let are_laid_out = !layouts.is_empty();
    let mut session = CommandSession::open(&project, command.begin.wait)?;
    session.store.put_revisions(std::slice::from_ref(&base))?;
    let (session, seed) = (&mut session, command.begin.seed);
    let sessions = ProjectSession { session, project: &project, seed, quiet };
    let mut comparer = PlanComparer::new(sessions, layouts);
    if let Some(order) = &command.terms.order {
        let found = comparer.order_effect(&base, &plan)?;
        layout_options::report_order(order, base.short(), found.as_ref());
    }
    let tried = match comparer.try_patches((&base, &plan), &patches, &terms)? {
        TryEnd::Interrupted => return Ok(Exit::Interrupted),
        TryEnd::NotBuilt(why) => return Err(not_built(&base, why, are_laid_out)),
        TryEnd::Compared(tried) => tried,
    };
    print((command, &uncommitted), &base, &tried, fail_on.as_ref())?;
    let exits = tried.iter().map(|tried| exit(&tried.compared, fail_on.as_ref(), false));
    Ok(exits.max().unwrap_or(Exit::Success))
}

/// The effect of a diff on a revision, by one benchmark and metric, for another command.
pub(super) struct TryRequest {
    pub(super) plan: Plan,
    pub(super) row: (BenchmarkKey, Metric),
    pub(super) base: Revision,
    pub(super) patch: PatchFile,
    pub(super) wait: bool,
    pub(super) seed: Option<u64>,
    pub(super) quiet: bool,
}

/// Builds and compares; `None` if interrupted before there was something to compare.
pub(super) fn ask(project: &Project, asked: TryRequest) -> Result<Option<TryOutcome>, CliError> {
    let TryRequest { plan, row: (key, metric), base, patch, wait, seed, quiet } = asked;
    let side = Side {
        name: base.short().to_owned(),
        program: Program::Revision { revision: base.id.clone() },
    };
    let rows = vec![(key, vec![metric])];
    let terms =
        Comparing::between([side.clone(), side], rows, MARGIN, StopCondition::Settled(None));
    let mut session = CommandSession::open(project, wait)?;
    session.store.put_revisions(std::slice::from_ref(&base))?;
    let sessions = ProjectSession { session: &mut session, project, seed, quiet };
    let mut comparer = PlanComparer::new(sessions, Vec::new());
    match comparer.try_patches((&base, &plan), &[patch], &terms)? {
        TryEnd::Interrupted => Ok(None),
        TryEnd::NotBuilt(why) => Err(not_built(&base, why, false)),
        TryEnd::Compared(tried) => Ok(tried.into_iter().next()),
    }
}

/// The error if the base does not build without a diff.
fn not_built(base: &Revision, why: String, is_laid_out: bool) -> CliError {
    let name = base.short().to_owned();
    // The log of a layout is not that of the revision.
    if is_laid_out { CliError::NotLaidOut { name, why } } else { CliError::NotBuilt { name, why } }
}

/// On which terms all are compared; the sides are still empty.
fn terms(
    project: &Project,
    plan: &Plan,
    command: &TryArgs,
    base: &Revision,
) -> Result<Comparing, CliError> {
    let fail_on = fail_on(&command.terms)?;
    let program = Program::Revision { revision: base.id.clone() };
    let side = Side { name: command.base.clone(), program };
    let refused =
        |why| CompareMistake::NotComparable { a: side.name.clone(), b: side.name.clone(), why };
    let keys = rows_of(plan, [&side.program, &side.program]).map_err(refused)?;
    let row = |key: BenchmarkKey| -> Result<(BenchmarkKey, Vec<Metric>), CliError> {
        let metrics = metrics(project, &key, &command.terms)?;
        Ok((key, metrics))
    };
    let rows = keys.into_iter().map(row).collect::<Result<_, _>>()?;
    let margin = share("--margin", &command.terms.margin)?;
    let until = StopCondition::Settled(fail_on.as_ref().and_then(FailOnGate::limit));
    Ok(Comparing {
        estimator: command.terms.estimator(),
        fail_on: fail_on.as_ref().map(|it| it.kept(&[])),
        ..Comparing::between([side.clone(), side], rows, margin, until)
    })
}

/// A diff that is given twice.
fn named_twice(patches: &[PatchFile]) -> Option<&PatchFile> {
    let before = |at: usize| patches[..at].iter().any(|other| other.path == patches[at].path);
    (1..patches.len()).find(|at| before(*at)).map(|at| &patches[at])
}

/// Prints all results; in Markdown also the `edits` that are measured nowhere.
fn print(
    (command, edits): (&TryArgs, &str),
    base: &Revision,
    tried: &[TryOutcome],
    fail_on: Option<&FailOnGate>,
) -> Result<(), CliError> {
    let report = |tried| CompareReport { fail_on, ..report(tried, base) };
    let reports: Vec<CompareReport<'_>> = tried.iter().map(report).collect();
    if command.form.json {
        let answers = tried.iter().zip(&reports);
        let answers = answers
            .map(|(tried, report)| PatchAnswer {
                patches: &tried.patches,
                compared: report.answer(),
            })
            .collect();
        output::print_json(&versioned(TryAnswer { base: &base.id, tries: answers }))?;
    } else {
        let described =
            reports.iter().map(|it| if command.form.markdown { it.markdown() } else { it.text() });
        let described = described.filter(|it| !it.is_empty());
        let edits = if command.form.markdown { edits } else { "" };
        output::print(&(described.collect::<Vec<_>>().join("\n") + edits))?;
    }
    for report in &reports {
        report.announce();
    }
    Ok(())
}

/// The comparison of the base with and without patches, to be shown.
pub(super) fn report<'a>(tried: &'a TryOutcome, base: &Revision) -> CompareReport<'a> {
    let [without, with] = &tried.terms.sides;
    let described = [
        format!("{} (the revision {})", without.name, base.short()),
        format!("{} with {}", without.name, with.name),
    ];
    CompareReport::of(tried, described)
}
