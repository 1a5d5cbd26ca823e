//! `tacho quirk effect`: what a quirk alone does to the numbers, at each edge of its range.
//!
//! The revision beside the edge that has the quirk is built without it too, where that builds; else the one beside it that does not
//! have it is built with it. Both are executed side by side, so that the commit at the edge has no part in it.

use serde::Serialize;
use tacho_experiment::compare::rows_of;
use tacho_record::plan::{Plan, Quirk, Subject};
use tacho_record::{Comparing, Metric, Program, QuirkEdge, Revision, Side, Until};

use super::check::lacking;
use super::{Exit, line, places};
use crate::cli::{Effect, Global, Shown};
use crate::commands::compare::mistake::Mistake;
use crate::commands::compare::{exit, wished};
use crate::commands::lookup;
use crate::commands::over;
use crate::commands::session::Session;
use crate::commands::track::narrowed;
use crate::commands::r#try::{Diff, MARGIN, Tried, Trying};
use crate::error::CliError;
use crate::output;
use crate::output::answer::versioned;
use crate::output::compare::{CompareAnswer, Report};
use crate::output::table;
use crate::project::Project;

/// An edge of a quirk's range: the revisions on both sides of it.
struct Edge<'a> {
    quirk: &'a Quirk,
    /// The one that has the quirk.
    inside: &'a Revision,
    /// The one that does not.
    outside: &'a Revision,
    begins: bool,
}

/// What came of an edge.
struct Told<'a> {
    edge: Edge<'a>,
    /// The comparison, and the revision that was built in both ways; else why there is none.
    effect: Result<(&'a Revision, Tried), String>,
}

/// The answer in JSON; docs/formats.md says what each key means.
#[derive(Serialize)]
struct Answer<'a> {
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

pub fn execute(global: &Global, project: &Project, command: &Effect) -> Result<Exit, CliError> {
    let quirks = super::named(project, command.name.as_deref())?;
    let selected = line(project, None)?;
    let mut edges = Vec::new();
    for quirk in quirks.into_iter().filter(|quirk| !quirk.skip) {
        edges.extend(edges_of(quirk, &places(project, quirk, &selected.revisions)?, &selected.revisions));
    }
    let Some(base) = edges.first().map(|edge| edge.inside.clone()) else {
        output::print("no quirk begins or ends within this history\n")?;
        return Ok(Exit::Success);
    };
    let processes = project.plan.measure.levels.filter(|levels| levels.layouts > 1).map(|it| it.processes);
    let wishes = wished(command.rounds.or(processes), command.budget.as_deref())?;
    let plan = narrowed(&project.plan, &command.benchmark)?.wishing(wishes)?;
    let layouts = over::of_plan(&plan)?;
    let session = Session::open(project, command.wait)?;
    let quiet = global.quiet || command.json;
    let mut trying = Trying { session, project, base, layouts, build: None, quiet };
    trying.session.store.put_commits(&selected.commits)?;
    let mut all = Vec::new();
    for edge in edges {
        let Some(effect) = effect(&mut trying, &plan, &edge, command.seed)? else {
            return Ok(Exit::Interrupted);
        };
        all.push(Told { edge, effect });
        if all.last().is_some_and(Told::is_interrupted) {
            break;
        }
    }
    if command.json {
        let reports: Vec<_> = all.iter().map(Told::report).collect();
        let effects = all.iter().zip(&reports).map(|(told, report)| told.answer(report.as_ref())).collect();
        output::print_json(&versioned(Answer { effects }))?;
    } else {
        output::print(&all.iter().map(Told::text).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(all.iter().map(Told::exit).max_by_key(|exit| *exit as u8).unwrap_or(Exit::Success))
}

/// Where a quirk that is for these places of a line of history begins and ends in it.
fn edges_of<'a>(quirk: &'a Quirk, places: &[usize], line: &'a [Revision]) -> Vec<Edge<'a>> {
    let is_in = |place: usize| places.contains(&place);
    let edge = |before: usize| {
        let (old, new) = (&line[before], &line[before + 1]);
        match (is_in(before), is_in(before + 1)) {
            (false, true) => Some(Edge { quirk, inside: new, outside: old, begins: true }),
            (true, false) => Some(Edge { quirk, inside: old, outside: new, begins: false }),
            _ => None,
        }
    };
    (1..line.len()).filter_map(|after| edge(after - 1)).collect()
}

/// The plan by which a quirk is for all of history.
fn always(plan: &Plan, quirk: &Quirk) -> Plan {
    let all = plan.subject.quirks.iter().cloned();
    let unbound = |it: Quirk| if it.name == quirk.name { Quirk { start: None, end: None, ..it } } else { it };
    let quirks = all.map(unbound).collect();
    Plan { subject: Subject { quirks, ..plan.subject.clone() }, ..plan.clone() }
}

/// A revision beside the edge, and what it came to side by side; or why neither can be had in both ways. None when interrupted.
type Beside<'a> = Option<Result<(&'a Revision, Tried), String>>;

fn effect<'a>(
    trying: &mut Trying<'_>,
    plan: &Plan,
    edge: &Edge<'a>,
    seed: Option<u64>,
) -> Result<Beside<'a>, CliError> {
    trying.session.store.put_revisions(&[edge.outside.clone(), edge.inside.clone()])?;
    let mut reasons = Vec::new();
    let ways = [
        (edge.inside, lacking(plan, edge.quirk), plan.clone()),
        (edge.outside, plan.clone(), always(plan, edge.quirk)),
    ];
    for (revision, without, with) in ways {
        trying.base = revision.clone();
        let Some(a) = trying.built(&without)? else { return Ok(None) };
        let Some(b) = trying.built(&with)? else { return Ok(None) };
        match (a, b) {
            (Ok(a), built @ Ok(_)) => {
                let terms = terms(trying.project, plan, edge, revision)?;
                let names = vec![terms.sides[1].name.clone()];
                let tried = trying.one(Diff { names, plan: with, built }, &a, &terms, seed)?;
                return Ok(Some(Ok((revision, tried))));
            }
            (a, b) => {
                let why =
                    |way: &str, why: String| format!("{} {way} it does not build: {why}", revision.short());
                reasons.extend(a.err().map(|it| why("without", it)));
                reasons.extend(b.err().map(|it| why("with", it)));
            }
        }
    }
    Ok(Some(Err(reasons.join("; "))))
}

/// On which terms: all benchmarks by their first metrics.
fn terms(project: &Project, plan: &Plan, edge: &Edge<'_>, base: &Revision) -> Result<Comparing, CliError> {
    let (name, quirk) = (base.short(), &edge.quirk.name);
    let side = |way: &str| {
        let program = Program::Revision { revision: base.id.clone() };
        Side { name: format!("{name} {way} {quirk}"), program }
    };
    let sides = [side("without"), side("with")];
    let refused = |why| Mistake::NotComparable { a: sides[0].name.clone(), b: sides[1].name.clone(), why };
    let keys = rows_of(plan, [&sides[0].program, &sides[1].program]).map_err(refused)?;
    let shown = Shown { metric: Vec::new(), json: false };
    let mut rows = Vec::new();
    for key in keys {
        let metrics: Vec<Metric> = lookup::metrics(project, &[], &key, &shown)?;
        rows.push((key, metrics));
    }
    let first = if edge.begins { edge.inside } else { edge.outside };
    Ok(Comparing {
        rows,
        sides,
        earlier: [None, None],
        exported: [Vec::new(), Vec::new()],
        control: true,
        duet: None,
        estimator: None,
        margin: MARGIN,
        until: Until::Settled(None),
        quirk: Some(QuirkEdge { quirk: quirk.clone(), revision: first.id.clone(), begins: edge.begins }),
    })
}

impl Told<'_> {
    fn is_interrupted(&self) -> bool {
        self.exit() == Exit::Interrupted
    }

    fn exit(&self) -> Exit {
        self.effect.as_ref().map_or(Exit::Success, |(_, tried)| exit(&tried.compared, None))
    }

    /// The first revision that is built otherwise.
    fn first(&self) -> &Revision {
        if self.edge.begins { self.edge.inside } else { self.edge.outside }
    }

    fn report(&self) -> Option<Report<'_>> {
        let (_, tried) = self.effect.as_ref().ok()?;
        Some(Report {
            terms: &tried.terms,
            told: tried.terms.sides.each_ref().map(|side| side.name.clone()),
            compared: &tried.compared,
            build: tried.build,
            otherwise: Vec::new(),
        })
    }

    fn answer<'a>(&'a self, report: Option<&'a Report<'a>>) -> EffectAnswer<'a> {
        EffectAnswer {
            quirk: &self.edge.quirk.name,
            begins: self.edge.begins,
            revision: &self.first().id,
            at: self.effect.as_ref().ok().map(|(revision, _)| revision.id.as_str()),
            why: self.effect.as_ref().err().map(String::as_str),
            compared: report.map(Report::answer),
        }
    }

    fn text(&self) -> String {
        let verb = if self.edge.begins { "begins" } else { "ends before" };
        let head = format!("{} {verb} {}\n", self.edge.quirk.name, self.first().short());
        let report = || self.report().map_or_else(String::new, |report| report.text());
        let told = match &self.effect {
            Ok(_) => report(),
            Err(why) => format!("its effect cannot be told from the commit's: {why}\n"),
        };
        head + &table::indent(&told)
    }
}
