//! `tacho changes --confirm`: both sides of changes, measured again.

use tacho_experiment::changes::{
    CONFIRMATION_ROUNDS, Confirmation, ConfirmationResult, StoredChanges, awaits_confirmation,
    confirm, other_layouts,
};
use tacho_record::{Change, RuleRequest};

use super::{filter, found};
use crate::cli::{ChangeQueryArgs, GlobalArgs};
use crate::commands::lookup;
use crate::commands::session::{CommandSession, SessionRequest};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::answer::print_answer;
use crate::output::changes::{ConfirmationReport, ConfirmationRequest};
use crate::project::Project;

pub fn execute(
    global: &GlobalArgs,
    command: &ChangeQueryArgs,
    names: &[String],
) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let plan = project.plan.clone().with_rule(request(command)?)?;
    // Without a store there is no change to measure again: reported before the host is locked.
    drop(project.store()?);
    let mut session = CommandSession::open(&project, command.wait)?;
    let found = found::look(&project, &mut session.store)?;
    let asked = asked(&project, &found, &mut session, command, names)?;
    let (wanted, left_out) = found.divided(asked, session.host_id, &project.plan);
    let confirmation = if wanted.is_empty() {
        None
    } else {
        let quiet = global.quiet || command.list.form.json;
        let sides = SessionRequest {
            seed: command.seed,
            quiet,
            ..SessionRequest::new(plan, &found.revisions)
        };
        Some(session.measure(&project, sides, |context, question| {
            confirm(context, question, &wanted, &other_layouts())
        })?)
    };
    let mut confirmed = report(&mut session, confirmation, &wanted, left_out)?;
    confirmed.named = !names.is_empty();
    let text = || confirmed.text();
    print_answer(command.list.form.json, || confirmed.answer(), text)?;
    Ok(exit(&confirmed))
}

/// The stopping rule from the options.
fn request(command: &ChangeQueryArgs) -> Result<RuleRequest, CliError> {
    let budget = command.budget.as_deref().map(tacho_record::duration).transpose()?;
    Ok(RuleRequest {
        rounds: Some(command.rounds.unwrap_or(CONFIRMATION_ROUNDS)),
        budget,
        ..RuleRequest::default()
    })
}

/// The changes that are requested: those that are named, else those that are listed, new, and not
/// measured again yet.
fn asked(
    project: &Project,
    found: &StoredChanges,
    session: &mut CommandSession,
    command: &ChangeQueryArgs,
    names: &[String],
) -> Result<Vec<Change>, CliError> {
    lookup::named_metrics(session.store.metrics()?, &command.list.metric)?;
    found::check_benchmarks(project, found, &command.list.benchmark)?;
    let orders = found::range(project, &found.revisions, command.list.range.as_deref())?;
    if !names.is_empty() {
        let filter = filter::of(&command.list, orders);
        let all = found::all_named(project, found, names)?.into_iter();
        return Ok(all
            .filter(|change| filter.shows_named(change, found.place(change)))
            .cloned()
            .collect());
    }
    let filter = filter::of(&command.list, orders).or_new();
    let is_open = |change: &&Change| {
        found.is_planned(change)
            && awaits_confirmation(change)
            && filter.shows_kept(change, found.place(change))
    };
    Ok(found.changes().filter(is_open).cloned().collect())
}

/// The report, with the changes in their present kept form.
fn report(
    session: &mut CommandSession,
    confirmation: Option<Confirmation>,
    wanted: &[Change],
    left_out: Vec<(Change, String)>,
) -> Result<ConfirmationReport, CliError> {
    let mut all = Vec::new();
    let mut confirmed = ConfirmationReport::default();
    if let Some(confirmation) = confirmation {
        confirmed.run = confirmation.run;
        confirmed.samples = confirmation.samples;
        confirmed.interrupted = confirmation.interrupted;
        confirmed.took = confirmation.building + confirmation.executing;
        for (change, answer) in wanted.iter().zip(confirmation.answers) {
            let host = change.series.host.clone();
            let known = session.store.change(&change.name)?;
            let mut change = known.map_or_else(|| change.clone(), |(_, change)| change);
            change.series.host = host;
            all.push(ConfirmationRequest { change, answer });
        }
    }
    all.extend(left_out.into_iter().map(|(change, why)| {
        let answer = ConfirmationResult::NotMeasured { why };
        ConfirmationRequest { change, answer }
    }));
    confirmed.changes = all;
    Ok(confirmed)
}

/// As `tacho changes` itself; an error when something was named and nothing of it could be
/// measured.
fn exit(confirmed: &ConfirmationReport) -> Exit {
    let nothing = confirmed
        .changes
        .iter()
        .all(|asked| matches!(asked.answer, ConfirmationResult::NotMeasured { .. }));
    match confirmed {
        ConfirmationReport { interrupted: true, .. } => Exit::Interrupted,
        ConfirmationReport { changes, .. } if !changes.is_empty() && nothing => Exit::Error,
        ConfirmationReport { .. } if confirmed.has_regression() => Exit::Worse,
        _ => Exit::Success,
    }
}
