//! The bisection of a change of a series.

use tacho_experiment::bisect::{ends_of_change, least_of_change, prior_of_change};
use tacho_record::bisection::{Candidate, ValueComparison};
use tacho_record::{Change, ChangeKind, Revision};

use crate::cli::{BisectArgs, GlobalArgs};
use crate::error::CliError;
use crate::output;
use crate::project::Project;

/// The command that the change means, with the other options as typed.
pub fn asked(
    global: &GlobalArgs,
    command: &BisectArgs,
    name: &str,
) -> Result<BisectArgs, CliError> {
    let mut store = Project::open(global)?.store()?;
    let unknown = || CliError::UnknownChange { name: name.to_owned(), nearest: None };
    let (_, change) = store.change(name)?.ok_or_else(unknown)?;
    let revisions = store.revisions()?;
    let short = |id: &str| {
        let known = revisions.iter().find(|revision| revision.id == id);
        known.map_or(id, Revision::short).to_owned()
    };
    let finding = &change.finding;
    let (good, bad) = (&finding.good, &finding.bad);
    let wider = ends_of_change(&mut store, &change, &revisions)?;
    if wider != (good.clone(), bad.clone()) {
        let [from, to] = [&wider.0, &wider.1].map(|id| short(id));
        let why = format!(
            "the range is widened to `{from}`..`{to}`: revisions before and after the change show \
             how far builds vary"
        );
        output::note("note", &why);
    }
    let (good, bad) = (short(&wider.0), short(&wider.1));
    let unit = &change.series.metric.unit;
    let what = match finding.kind {
        ChangeKind::Spread => "its spread",
        ChangeKind::ModeShare => "the share of a mode",
        ChangeKind::Build
        | ChangeKind::Step
        | ChangeKind::DipStart
        | ChangeKind::DipEnd
        | ChangeKind::Environment => "",
    };
    if !what.is_empty() {
        return Err(CliError::NoLevel { name: change.name, what, good, bad });
    }
    Ok(BisectArgs {
        good: Some(good),
        bad: Some(bad),
        benchmark: Some(change.series.benchmark.to_string()),
        metric: Some(change.series.metric.name.clone()),
        min_effect: command.min_effect.clone().or_else(|| Some(least(&change))),
        before: Some([finding.before, finding.after].map(|value| unit.exact(value)).join(",")),
        ..command.clone()
    })
}

/// How likely each candidate is to be the cause, by what the series has of revisions in the range
/// and around it.
pub fn prior(
    project: &Project,
    name: &str,
    candidates: &[Candidate],
) -> Result<Vec<f64>, CliError> {
    let mut store = project.store()?;
    let Some((_, change)) = store.change(name)? else { return Ok(Vec::new()) };
    Ok(prior_of_change(&mut store, &change, candidates)?)
}

/// The least effect that the change asks for, as it would be typed.
fn least(change: &Change) -> String {
    match least_of_change(change) {
        (ValueComparison::Difference, least) => change.series.metric.unit.exact(least),
        (_, share) => format!("{:.1}%", share * 100.0),
    }
}
