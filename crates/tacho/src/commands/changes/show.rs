//! `tacho changes show`: the evidence for a change.

use serde::Serialize;
use tacho_experiment::changes::StoredChanges;
use tacho_experiment::compare::quirk_effects;
use tacho_record::Change;
use tacho_report::quirk::QuirkEffect;
use tacho_store::Store;

use super::found;
use crate::cli::GlobalArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::output::answer::print_answer;
use crate::output::changes::{Evidence, EvidenceAnswer};
use crate::project::Project;

pub fn execute(global: &GlobalArgs, name: &str, json: bool) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let mut store = project.store_to_read()?;
    let found = found::look(&project, &mut store)?;
    let mut all = Vec::new();
    for change in found::named(&project, &found, name)? {
        all.push(evidence(&project, &mut store, &found, change)?);
    }
    let answer = || ChangesShowAnswer { changes: all.iter().map(Evidence::answer).collect() };
    let text = |one: &Evidence| one.text(Some(output::table_width()));
    print_answer(json, answer, || all.iter().map(text).collect::<Vec<_>>().join("\n"))?;
    Ok(Exit::Success)
}

/// The answer in JSON.
#[derive(Serialize)]
struct ChangesShowAnswer<'a> {
    changes: Vec<EvidenceAnswer<'a>>,
}

fn evidence(
    project: &Project,
    store: &mut Store,
    found: &StoredChanges,
    change: &Change,
) -> Result<Evidence, CliError> {
    let finding = &change.finding;
    let (after, up_to) = found.place(change);
    let mut commits = store.commits(after, up_to)?;
    commits.retain(|commit| !change.same_program.contains(&commit.id));
    let event = found
        .events()
        .into_iter()
        .find(|event| event.changes.iter().any(|one| one.name == change.name));
    let others =
        event.into_iter().flat_map(|event| event.changes).filter(|one| one.name != change.name);
    Ok(Evidence {
        link: project.plan.subject.link.clone(),
        good: found.revision(&finding.good),
        revision: found.revision(&finding.revision),
        bad: found.revision(&finding.bad),
        commits,
        sides: found.sides(change),
        planned: found.is_planned(change),
        together: others.filter(|other| found.is_planned(other)).cloned().collect(),
        happenings: store.happenings(&change.name)?,
        judged: found.series().filter(|it| it.is_judged()).count(),
        by_runs: found.series_of(change).is_some_and(|judged| judged.judgement.history.is_some()),
        quirks: of_quirks(store, (after, up_to), change)?,
        change: change.clone(),
    })
}

/// The known effects of quirks alone at these places of history, in the series of the change.
fn of_quirks(
    store: &mut Store,
    (after, up_to): (u64, u64),
    change: &Change,
) -> Result<Vec<QuirkEffect>, CliError> {
    let mut all = quirk_effects(store)?;
    if all.is_empty() {
        return Ok(all);
    }
    let revisions = store.revisions()?;
    all.retain(|effect| {
        let order = revisions.iter().find(|it| it.id == effect.edge.revision).map(|it| it.order);
        let row = (&effect.row.benchmark, &effect.row.metric.name, &effect.host);
        let of = (&change.series.benchmark, &change.series.metric.name, &change.series.host);
        row == of && order.is_some_and(|order| after < order && order <= up_to)
    });
    Ok(all)
}
