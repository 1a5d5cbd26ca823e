//! Which commit made a change that was found in a series: what that change asks of a bisection.

use tacho_record::{Change, Revision};

use crate::cli::{Bisect, Global};
use crate::error::CliError;
use crate::project::Project;

/// The command that the change stands for, with all else as it was typed.
pub fn asked(global: &Global, command: &Bisect, name: &str) -> Result<Bisect, CliError> {
    let mut store = Project::open(global)?.store()?;
    let unknown = || CliError::UnknownChange { name: name.to_owned(), nearest: None };
    let (_, change) = store.change(name)?.ok_or_else(unknown)?;
    let revisions = store.revisions()?;
    let short = |id: &str| {
        let known = revisions.iter().find(|revision| revision.id == id);
        known.map_or(id, Revision::short).to_owned()
    };
    let finding = &change.finding;
    Ok(Bisect {
        good: Some(short(&finding.good)),
        bad: short(&finding.bad),
        benchmark: Some(change.series.benchmark.to_string()),
        metric: Some(change.series.metric.name.clone()),
        min_effect: command.min_effect.clone().or_else(|| Some(least(&change))),
        before: Some(format!("{},{}", finding.before, finding.after)),
        ..command.clone()
    })
}

/// Half of what it changed: what it was then, it need not be now.
fn least(change: &Change) -> String {
    match change.finding.effect {
        Some(effect) if effect != 0.0 => format!("{}%", (effect.abs() * 50.0).clamp(0.1, 50.0)),
        _ => format!("{}", (change.finding.after - change.finding.before).abs() / 2.0),
    }
}
