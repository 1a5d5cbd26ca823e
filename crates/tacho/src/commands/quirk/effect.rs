//! `tacho quirk effect`: what a quirk alone does to the numbers, at each edge of its range.
//!
//! The revision beside the edge that has the quirk is built without it too, where that builds; else
//! the one beside it that does not have it is built with it. Both are executed side by side, so
//! that the commit at the edge has no part in it.

use serde::Serialize;
use tacho_experiment::compare::rows_of;
use tacho_experiment::patches::{PlanComparer, PlannedBuild, TryOutcome};
use tacho_experiment::quirks::{BuiltBothWays, QuirkRangeEdge, both_ways, edges_of};
use tacho_record::plan::{Plan, Quirk};
use tacho_record::{Comparing, Metric, Program, QuirkEdge, Revision, Side, StopCondition};

use super::Exit;
use crate::cli::{GlobalArgs, QuirkEffectArgs, ShownMetricArgs};
use crate::commands::compare::exit_status::exit;
use crate::commands::defaults::{MARGIN, rule};
use crate::commands::quirk::lookup::{line, places, skipped};
use crate::commands::selection::narrowed;
use crate::commands::session::{CommandSession, ProjectSession};
use crate::commands::{layout_options, lookup};
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output::answer::{print_answer, versioned};
use crate::output::compare::CompareAnswer;
use crate::output::compare::report::CompareReport;
use crate::output::table;
use crate::output::{self, text};
use crate::project::Project;

/// The result for an edge.
struct EdgeEffect<'a> {
    edge: QuirkRangeEdge<'a>,
    /// The comparison, and the revision that was built in both ways; or the reason why there is
    /// none.
    effect: Result<(&'a Revision, TryOutcome), String>,
}

/// The answer in JSON; docs/src/formats says what each key means.
#[derive(Serialize)]
struct QuirkEffectAnswer<'a> {
    effects: Vec<EffectAnswer<'a>>,
}

#[derive(Serialize)]
struct EffectAnswer<'a> {
    quirk: &'a str,
    begins: bool,
    revision: &'a str,
    at: Option<&'a str>,
    why: Option<&'a str>,
    compared: Option<CompareAnswer<'a>>,
}

pub fn execute(
    global: &GlobalArgs,
    project: &Project,
    command: &QuirkEffectArgs,
) -> Result<Exit, CliError> {
    let quirks = crate::commands::quirk::lookup::named(project, command.name.as_deref())?;
    let selected = line(project, None)?;
    let skipped = skipped(project, &selected.revisions)?;
    let mut edges = Vec::new();
    for quirk in quirks.iter().filter(|quirk| !quirk.skip) {
        let places = places(project, quirk, &selected.revisions)?;
        edges.extend(edges_of(quirk, &places, &skipped, &selected.revisions));
    }
    if edges.is_empty() {
        let answer = || QuirkEffectAnswer { effects: Vec::new() };
        print_answer(command.json, answer, || nothing(&quirks).to_owned())?;
        return Ok(Exit::Success);
    }
    let processes =
        project.plan.measure.levels.filter(|levels| levels.layouts > 1).map(|it| it.processes);
    let request = rule(command.rounds.or(processes), command.budget.as_deref())?;
    let plan = narrowed(&project.plan, &command.benchmark)?.with_rule(request)?;
    let layouts = layout_options::of_plan(&plan)?;
    let mut session = CommandSession::open(project, command.wait)?;
    session.store.put_commits(&selected.commits)?;
    for edge in &edges {
        session.store.put_revisions(&[edge.outside.clone(), edge.inside.clone()])?;
    }
    let (seed, quiet) = (command.seed, global.quiet || command.json);
    let sessions = ProjectSession { session: &mut session, project, seed, quiet };
    let mut comparer = PlanComparer::new(sessions, layouts);
    let mut all = Vec::new();
    for edge in edges {
        let Some(effect) = effect(&mut comparer, project, &plan, &edge)? else {
            return Ok(Exit::Interrupted);
        };
        all.push(EdgeEffect { edge, effect });
        if all.last().is_some_and(EdgeEffect::is_interrupted) {
            break;
        }
    }
    if command.json {
        let reports: Vec<_> = all.iter().map(EdgeEffect::report).collect();
        let effects =
            all.iter().zip(&reports).map(|(tried, report)| tried.answer(report.as_ref())).collect();
        output::print_json(&versioned(QuirkEffectAnswer { effects }))?;
    } else {
        let text = all.iter().map(EdgeEffect::text).collect::<Vec<_>>().join("\n");
        output::print(&text::wrap(&text, Some(output::table_width())))?;
    }
    Ok(all.iter().map(EdgeEffect::exit).max().unwrap_or(Exit::Success))
}

/// Why there is no edge to measure.
fn nothing(quirks: &[&Quirk]) -> &'static str {
    if !quirks.is_empty() && quirks.iter().all(|quirk| quirk.skip) {
        "a quirk with `skip` leaves its revisions unbuilt, so it has no effect to measure\n"
    } else {
        "no quirk begins or ends within this history\n"
    }
}

/// A revision beside the edge, with its comparison; or the reason why neither builds in both ways.
/// `None` if interrupted.
type EdgeTrial<'a> = Option<Result<(&'a Revision, TryOutcome), String>>;

fn effect<'a>(
    comparer: &mut PlanComparer<ProjectSession<'_>>,
    project: &Project,
    plan: &Plan,
    edge: &QuirkRangeEdge<'a>,
) -> Result<EdgeTrial<'a>, CliError> {
    let mut build = |revision: &Revision, plan: &Plan| comparer.built(revision, plan);
    let made = match both_ways(&project.folder, plan, edge, &mut build)? {
        Some(Ok(made)) => made,
        Some(Err(why)) => return Ok(Some(Err(why))),
        None => return Ok(None),
    };
    let BuiltBothWays { revision, with: plan_with, programs: [without, with] } = made;
    let terms = terms(project, plan, edge, revision)?;
    let names = vec![terms.sides[1].name.clone()];
    let with = PlannedBuild { names, plan: plan_with, built: Ok(with) };
    Ok(Some(Ok((revision, comparer.compare(revision, (&without, with), &terms)?))))
}

/// On which terms: all benchmarks by their first metrics.
fn terms(
    project: &Project,
    plan: &Plan,
    edge: &QuirkRangeEdge<'_>,
    base: &Revision,
) -> Result<Comparing, CliError> {
    let (name, quirk) = (base.short(), &edge.quirk.name);
    let side = |way: &str| {
        let program = Program::Revision { revision: base.id.clone() };
        Side { name: format!("{name} {way} {quirk}"), program }
    };
    let sides = [side("without"), side("with")];
    let refused = |why| CompareMistake::NotComparable {
        a: sides[0].name.clone(),
        b: sides[1].name.clone(),
        why,
    };
    let keys = rows_of(plan, [&sides[0].program, &sides[1].program]).map_err(refused)?;
    let shown = ShownMetricArgs { metric: Vec::new(), json: false };
    let mut rows = Vec::new();
    for key in keys {
        let metrics: Vec<Metric> = lookup::metrics(project, &[], &key, &shown)?;
        rows.push((key, metrics));
    }
    let (revision, begins) = (edge.first.id.clone(), edge.begins);
    Ok(Comparing {
        quirk: Some(QuirkEdge { quirk: quirk.clone(), revision, begins }),
        ..Comparing::between(sides, rows, MARGIN, StopCondition::Settled(None))
    })
}

impl EdgeEffect<'_> {
    fn is_interrupted(&self) -> bool {
        self.effect.as_ref().is_ok_and(|(_, tried)| tried.compared.is_interrupted())
    }

    fn exit(&self) -> Exit {
        self.effect.as_ref().map_or(Exit::Success, |(_, tried)| exit(&tried.compared, None, false))
    }

    fn report(&self) -> Option<CompareReport<'_>> {
        let (_, tried) = self.effect.as_ref().ok()?;
        let described = tried.terms.sides.each_ref().map(|side| side.name.clone());
        Some(CompareReport::of(tried, described))
    }

    fn answer<'a>(&'a self, report: Option<&'a CompareReport<'a>>) -> EffectAnswer<'a> {
        EffectAnswer {
            quirk: &self.edge.quirk.name,
            begins: self.edge.begins,
            revision: &self.edge.first.id,
            at: self.effect.as_ref().ok().map(|(revision, _)| revision.id.as_str()),
            why: self.effect.as_ref().err().map(String::as_str),
            compared: report.map(CompareReport::answer),
        }
    }

    fn text(&self) -> String {
        let verb = if self.edge.begins { "begins" } else { "ends before" };
        let head = format!("{} {verb} {}\n", self.edge.quirk.name, self.edge.first.short());
        let report = || {
            let report = self.report();
            let failed = report.as_ref().and_then(CompareReport::not_built).map(|why| why + "\n");
            failed.or_else(|| Some(report?.text())).unwrap_or_default()
        };
        let described = match &self.effect {
            Ok(_) => report(),
            Err(why) => format!(
                "the effect of the quirk cannot be separated from that of the commit: {why}\n"
            ),
        };
        head + &table::indent(&described)
    }
}
