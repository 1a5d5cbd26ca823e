//! Measuring both sides: with the plan's subject, or commands as they are found.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_experiment::analysis::reference;
use tacho_experiment::build::programs::{laid_out, order_effect};
use tacho_experiment::compare::{ComparisonResult, compare, unexecuted};
use tacho_experiment::{Context, ExperimentError, Question};
use tacho_record::{
    Comparing, Digest, Metric, Plan, Program, Recipes, ReferenceMode, RuleError, RuleRequest,
    in_backticks,
};
use tacho_store::{Location, Store};

use super::sides::{SideLookup, revisions};
use crate::cli::{CompareArgs, GlobalArgs};
use crate::commands::defaults::rule;
use crate::commands::edited;
use crate::commands::edited::report_edits;
use crate::commands::layout_options;
use crate::commands::seed::random_seed;
use crate::commands::session::{CommandSession, ProjectSession, SessionRequest, conditions};
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output::{self, progress::Progress};

/// Measures on these terms, and says how long a build took where there are several of a side;
/// `plan` is `None` if both sides are commands.
pub fn measure(
    given: &SideLookup,
    (global, command): (&GlobalArgs, &CompareArgs),
    plan: Option<Plan>,
    terms: &Comparing,
) -> Result<(ComparisonResult, Option<Duration>), CliError> {
    let quiet = global.quiet || command.form.json;
    if !terms.executes(0) && !terms.executes(1) {
        if command.terms.wants_layouts() {
            return Err(CompareMistake::NoLayouts.into());
        }
        return Ok((read(given, terms)?, None));
    }
    let plan = plan.map(|plan| command.terms.reference.applied(plan));
    let (Some(project), Some(plan)) = (given.project(), plan) else {
        if command.terms.wants_layouts() {
            return Err(CompareMistake::NoLayouts.into());
        }
        let of = ("tacho compare", command);
        let (compared, summary) = of_commands(given, of, quiet, |context, question| {
            let compared = compare(context, question, terms)?;
            let run = compared.run();
            let summary = run.map(|run| reference::summary(context.store, run)).transpose()?;
            Ok((compared, summary.flatten()))
        })?;
        if let Some(summary) = summary {
            output::note("note", &tacho_report::host::reference(&summary));
        }
        return Ok((compared, None));
    };
    let are_executed = terms.executes(0) && terms.executes(1);
    let are_revisions = are_executed
        && terms.sides.iter().all(|side| matches!(side.program, Program::Revision { .. }));
    if command.terms.wants_layouts() && !are_revisions {
        return Err(CompareMistake::NoLayouts.into());
    }
    let layouts = if are_revisions && terms.duet.is_none() {
        layout_options::layouts(&command.terms, &plan)?
    } else {
        Vec::new()
    };
    let mut session = CommandSession::open(project, command.begin.wait)?;
    let selected = given.select(&terms.sides);
    if let Some(selected) = &selected {
        session.know(selected)?;
    }
    let revisions = revisions(selected.as_ref());
    edited::announce(project, &revisions);
    report_edits(&mut session.store, &plan, |name| {
        terms.rows.iter().any(|(key, _)| key.name == name)
    })?;
    let (mut terms, mut took) = (terms.clone(), None);
    let mut order = command.terms.order.as_ref();
    for side in terms.sides.iter_mut().filter(|_| !layouts.is_empty()) {
        let known =
            revisions.iter().find(|revision| Some(revision.id.as_str()) == side.program.revision());
        let Some(revision) = known else { continue };
        let mut sessions = ProjectSession { session: &mut session, project, seed: None, quiet };
        match laid_out(&mut sessions, &plan, revision, &layouts)? {
            Ok((program, each)) => {
                if let Some(order) = order.take() {
                    let found = order_effect(&mut sessions, &plan, (revision, &program))?;
                    layout_options::report_order(order, &side.name, found.as_ref());
                }
                (side.program, took) = (program, Some(each));
            }
            Err(ended) => return Ok((ComparisonResult::not_laid_out(&side.name, &ended), None)),
        }
    }
    let is_referenced = plan.measure.reference.mode() != ReferenceMode::Off;
    let wanted =
        SessionRequest { seed: command.begin.seed, quiet, ..SessionRequest::new(plan, &revisions) };
    let compared =
        session.measure(project, wanted, |context, question| compare(context, question, &terms))?;
    session.report_reference(compared.run().map(|run| run.number), is_referenced)?;
    Ok((compared, took))
}

/// A comparison without executions disturbs no other one, and waits for none.
fn read(given: &SideLookup, terms: &Comparing) -> Result<ComparisonResult, CliError> {
    Ok(match given.store() {
        Some(store) => unexecuted(&mut store.borrow_mut(), terms)?,
        None => unexecuted(&mut Store::open(&Location::Memory)?, terms)?,
    })
}

/// Commands: kept beside the plan if there is one, otherwise not kept.
pub fn of_commands<T>(
    given: &SideLookup,
    (name, command): (&str, &CompareArgs),
    quiet: bool,
    experiment: impl FnOnce(&mut Context<'_>, &Question) -> Result<T, ExperimentError>,
) -> Result<T, CliError> {
    let mut session = CommandSession::locked(name, command.begin.wait, given.project())?;
    let question = question_of_commands(command, conditions(&session.host, None))?;
    let typed = [Some(&command.a), command.b.as_ref()].into_iter().flatten();
    let commands = typed.map(|it| it.strip_prefix("command:").unwrap_or(it));
    let mut progress = Progress::of_commands(commands, quiet);
    let answer = session.execute(&mut progress, |context| experiment(context, &question));
    progress.clear();
    Ok(answer?)
}

fn question_of_commands(
    command: &CompareArgs,
    conditions: BTreeMap<String, String>,
) -> Result<Question, CliError> {
    Ok(Question {
        plan: command.terms.reference.applied(empty_plan()?.with_rule(request(command, None)?)?),
        plan_text: String::new(),
        plan_folder: crate::project::current_folder()?,
        revisions: Vec::new(),
        recipes: Recipes::usual(Digest::of("")),
        counted: Vec::new(),
        measure_equal: false,
        retry_failed: false,
        seed: command.begin.seed.unwrap_or_else(random_seed),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        conditions,
    })
}

/// A plan without a benchmark.
pub fn empty_plan() -> Result<Plan, CliError> {
    let text = "[subject]\n[[benchmark]]\nname = \"command\"\ncommand = \"true\"\n";
    let mut plan = tacho_record::plan::parse(text, "").map_err(CliError::Plan)?;
    plan.benchmarks.clear();
    Ok(plan)
}

/// The metrics that two commands are compared by.
pub fn metrics_of_commands(
    programs: [&Program; 2],
    named: &[String],
) -> Result<Vec<Metric>, CliError> {
    let shell = matches!(programs[0], Program::Command { shell: true, .. });
    let time = if shell { Metric::NET_WALL } else { "wall" };
    let wanted = match named {
        [] => vec![time.to_owned()],
        [all] if all == "all" => Metric::BUILT_IN.iter().map(|name| (*name).to_owned()).collect(),
        named => named.to_vec(),
    };
    let known = |name: &String| {
        let unknown = || CliError::UnknownMetric {
            name: name.clone(),
            known: in_backticks(Metric::BUILT_IN),
        };
        Metric::known(name).ok_or_else(unknown)
    };
    wanted.iter().map(known).collect()
}

/// The stopping rule from the options, and the plan's layouts.
pub(crate) fn request(
    command: &CompareArgs,
    plan: Option<&Plan>,
) -> Result<RuleRequest, RuleError> {
    let rounds =
        plan.map_or(command.terms.rounds, |plan| layout_options::rounds(&command.terms, plan));
    rule(rounds, command.terms.budget.as_deref())
}
