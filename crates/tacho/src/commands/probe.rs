//! `tacho probe`: whether a difference depends on the state of the machine.

use tacho_experiment::compare::ResolvedSide;
use tacho_experiment::probe::{
    Availability, ProbeEnd, ProbeRequest, ProbeSubject, ProbeVerdict, availability, kept_probe,
    probe,
};
use tacho_machine::Root;
use tacho_record::{Disturbance, Metric, Plan, ProbeSide, Program, in_backticks};
use tacho_report::comparison::described;
use tacho_store::Store;

use super::compare::measure::of_commands;
use super::compare::rows::{self, ComparisonRows};
use super::compare::sides::{SideLookup, revisions};
use super::defaults::share;
use super::session::{CommandSession, ProjectSession, SessionRequest};
use crate::cli::{CompareArgs, ComparisonArgs, GlobalArgs, ProbeArgs, ReferenceArgs, ShowArgs};
use crate::error::CliError;
use crate::error::probe::ProbeMistake;
use crate::exit::Exit;
use crate::output;
use crate::output::answer::{print_answer, versioned};
use crate::output::probe::{ProbeReport, listed};

/// Why a command has no other layouts.
const NO_LAYOUTS: &str = "a command is linked already; revisions of a plan can be linked again";
/// Rounds where nothing is typed, and where a budget is.
const ROUNDS: [u32; 2] = [30, 60];

pub fn execute(global: &GlobalArgs, command: &ProbeArgs) -> Result<Exit, CliError> {
    for typed in command.only.iter().chain(&command.skip) {
        check_name(typed)?;
    }
    let is_left = |name: &str| {
        let has = |names: &[String]| names.iter().any(|it| it == name);
        (command.only.is_empty() || has(&command.only)) && !has(&command.skip)
    };
    if !Disturbance::NAMES.into_iter().any(is_left) {
        return Err(ProbeMistake::NoneLeft.into());
    }
    if command.list {
        return list(command);
    }
    let margin = share("--margin", &command.margin)?;
    let like = as_compare(command);
    let given = SideLookup::open(global, &like)?;
    let taken = given.sides(&like)?;
    for taken in &taken {
        if matches!(taken.side.program, Program::File { .. } | Program::Layouts { .. }) {
            return Err(ProbeMistake::NotExecuted { name: taken.side.name.clone() }.into());
        }
    }
    if command.b.is_some() {
        check_sides(&taken)?;
    }
    let ComparisonRows { plan, of } = rows::rows(&given, &like, &taken)?;
    let rows = of.rows.into_iter().filter_map(|(key, metrics)| {
        let metric = metrics.into_iter().next()?;
        Some((key, metric_of(command, metric)))
    });
    let number = if command.b.is_some() { 2 } else { 1 };
    let sides = taken
        .iter()
        .take(number)
        .map(|taken| ProbeSide { side: taken.side.clone(), layouts: Vec::new() });
    let request = ProbeRequest {
        sides: sides.collect(),
        rows: rows.collect(),
        margin,
        only: command.only.clone(),
        skip: command.skip.clone(),
        no_layouts: NO_LAYOUTS.into(),
    };
    let end = measure((global, command), (&given, &like), plan, request)?;
    let sides = taken.iter().take(number).map(ResolvedSide::described).collect();
    let report = ProbeReport { end: &end, sides, is_kept: given.project().is_some() };
    let text = || if command.form.markdown { report.markdown() } else { report.text() };
    print_answer(command.form.json, || report.answer(), text)?;
    report.print_notes();
    Ok(exit(&end))
}

/// Checks that two sides are not one revision.
fn check_sides(taken: &[ResolvedSide]) -> Result<(), ProbeMistake> {
    let [a, b] = taken else { return Ok(()) };
    if a.side.program.revision().is_none() || a.side.program != b.side.program {
        return Ok(());
    }
    Err(ProbeMistake::SameSides { a: a.side.name.clone(), b: b.side.name.clone() })
}

/// The default metric: for a command that a shell starts, the whole time, since the shell alone is
/// not executed under disturbances.
fn metric_of(command: &ProbeArgs, first: Metric) -> Metric {
    let is_net = first.name == Metric::NET_WALL && command.metric.is_none();
    Metric::known("wall").filter(|_| is_net).unwrap_or(first)
}

/// Prints what the run of that number probed; whether it probed.
pub fn shown(store: &mut Store, number: &str, command: &ShowArgs) -> Result<bool, CliError> {
    let run = number.parse().ok().map(|number| store.run(number)).transpose()?.flatten();
    let Some(answer) = run.map(|run| kept_probe(store, run)).transpose()?.flatten() else {
        return Ok(false);
    };
    let sides = answer.terms.sides.iter().map(|it| described(&it.side)).collect();
    let end = ProbeEnd::Measured(Box::new(answer));
    let report = ProbeReport { end: &end, sides, is_kept: true };
    let text = || if command.markdown { report.markdown() } else { report.text() };
    print_answer(command.shown.json, || report.answer(), text)?;
    Ok(true)
}

/// Checks that there is a disturbance of this name.
fn check_name(typed: &str) -> Result<(), CliError> {
    if Disturbance::NAMES.contains(&typed) {
        return Ok(());
    }
    let known = in_backticks(Disturbance::NAMES);
    Err(ProbeMistake::Unknown { name: typed.to_owned(), known }.into())
}

/// The disturbances that are available here for a revision that a plan builds, or for a command.
fn list(command: &ProbeArgs) -> Result<Exit, CliError> {
    // Builds are in the cache, as a rule on the disk of temporary files or of homes.
    let builds = std::env::temp_dir();
    let subject = if command.command {
        ProbeSubject { benchmarks: &[], layouts: &[], no_layouts: NO_LAYOUTS, folder: None }
    } else {
        let folder = Some(builds.as_path());
        ProbeSubject { benchmarks: &[], layouts: &[1], no_layouts: "", folder }
    };
    let found: Availability = availability(&Root::this_machine(), subject, |_| true);
    if command.form.json {
        output::print_json(&versioned(output::probe::list_answer(&found)))?;
    } else {
        output::print(&listed(&found))?;
    }
    Ok(Exit::Success)
}

/// The equal options of `tacho compare`, whose names of sides are used here too.
fn as_compare(command: &ProbeArgs) -> CompareArgs {
    let a = command.a.clone().unwrap_or_default();
    let usual = ROUNDS[usize::from(command.budget.is_some())];
    CompareArgs {
        b: Some(command.b.clone().unwrap_or_else(|| a.clone())),
        a,
        command: command.command,
        terms: ComparisonArgs {
            benchmark: command.benchmark.clone(),
            metric: command.metric.iter().cloned().collect(),
            counter: Vec::new(),
            rounds: Some(command.rounds.unwrap_or(usual)),
            budget: command.budget.clone(),
            margin: command.margin.clone(),
            estimator: None,
            layouts: None,
            order: None,
            linker: None,
            fail_on: Vec::new(),
            reference: ReferenceArgs::default(),
        },
        all_rounds: false,
        precision: None,
        save_as: None,
        force: false,
        better: None,
        kept: false,
        regardless: false,
        no_control: true,
        duet: false,
        junit: None,
        begin: command.begin.clone(),
        form: command.form.clone(),
    }
}

/// Measures; `plan` is `None` if the sides are commands.
fn measure(
    (global, command): (&GlobalArgs, &ProbeArgs),
    (given, like): (&SideLookup, &CompareArgs),
    plan: Option<Plan>,
    mut request: ProbeRequest,
) -> Result<ProbeEnd, CliError> {
    let quiet = global.quiet || command.form.json;
    let root = Root::this_machine();
    let (Some(project), Some(plan)) = (given.project(), plan) else {
        return of_commands(given, ("tacho probe", like), quiet, |context, question| {
            probe(context, question, &request, &root)
        });
    };
    let mut session = CommandSession::open(project, command.begin.wait)?;
    let sides: Vec<_> = request.sides.iter().map(|it| it.side.clone()).collect();
    let both = [sides[0].clone(), sides[sides.len() - 1].clone()];
    let selected = given.select(&both);
    if let Some(selected) = &selected {
        session.know(selected)?;
    }
    let revisions = revisions(selected.as_ref());
    let mut sessions = ProjectSession { session: &mut session, project, seed: None, quiet };
    request.lay_out(&mut sessions, &plan, &revisions)?;
    let wanted =
        SessionRequest { seed: command.begin.seed, quiet, ..SessionRequest::new(plan, &revisions) };
    session.measure(project, wanted, |context, question| probe(context, question, &request, &root))
}

fn exit(end: &ProbeEnd) -> Exit {
    let answer = match end {
        ProbeEnd::Interrupted => return Exit::Interrupted,
        ProbeEnd::NotBuilt { .. } | ProbeEnd::NothingToDo(_) => return Exit::Error,
        ProbeEnd::Measured(answer) => answer,
    };
    if answer.interrupted {
        return Exit::Interrupted;
    }
    let of = |row: &tacho_experiment::probe::ProbeRow| match row.verdict() {
        _ if row.usual.iter().any(Option::is_none) => Exit::Error,
        ProbeVerdict::Depends(_) => Exit::DependsOnMachine,
        ProbeVerdict::Undecided { .. } => Exit::Undecided,
        ProbeVerdict::Levels(_) | ProbeVerdict::NoDifference | ProbeVerdict::Upheld => {
            Exit::Success
        }
    };
    answer.rows.iter().map(of).max().unwrap_or(Exit::Success)
}
