//! The quirks of a plan by name, what they do, and where in history they act.

use std::collections::BTreeSet;

use tacho_record::plan::Quirk;
use tacho_record::{Revision, in_backticks};
use tacho_report::run::RESUMES;
use tacho_subject::{RevisionQuery, SelectedRevisions, Selection, history};

use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::project::Project;

/// Says that the user stopped the command, which prints no answer then.
pub(crate) fn interrupted() -> Exit {
    output::note("note", RESUMES);
    Exit::Interrupted
}

/// The main line of history up to a revision, or up to `HEAD`.
pub(crate) fn line(project: &Project, to: Option<String>) -> Result<SelectedRevisions, CliError> {
    let history = history(&project.plan.subject, &project.folder)?;
    let what = RevisionQuery::Range { from: None, to };
    let selected = history.select(&Selection::commits(what))?;
    report_stray(project, &selected.revisions)?;
    Ok(selected)
}

/// Says which quirks begin or end on another branch than these revisions.
pub fn report_stray(project: &Project, revisions: &[Revision]) -> Result<(), CliError> {
    for (quirk, edge) in
        tacho_subject::stray_edges(&project.plan.subject, &project.folder, revisions)?
    {
        let begins = project
            .plan
            .subject
            .quirks
            .iter()
            .any(|it| it.name == quirk && it.start.as_ref() == Some(&edge));
        let which = if begins { "beginning" } else { "end" };
        let typed = &edge.typed;
        output::note(
            "note",
            &format!(
                "the {which} of quirk `{quirk}` ({typed}) is on another branch, not on this one"
            ),
        );
        output::note("hint", "name a commit of this line of history, or a date");
    }
    Ok(())
}

/// Says which quirks are for none of these revisions, which are all of a line of history.
pub fn report_idle(project: &Project, revisions: &[Revision]) -> Result<(), CliError> {
    if project.plan.subject.quirks.is_empty() {
        return Ok(());
    }
    let recipes = tacho_subject::recipes(&project.plan.subject, &project.folder, revisions)?;
    let met: BTreeSet<&String> = revisions.iter().flat_map(|it| recipes.quirks(&it.id)).collect();
    for quirk in project.plan.subject.quirks.iter().filter(|quirk| !met.contains(&quirk.name)) {
        let (name, range) = (&quirk.name, range(quirk));
        output::note(
            "note",
            &format!("the quirk `{name}` ({range}) applies to none of these revisions"),
        );
    }
    Ok(())
}

/// The quirk of this name; all quirks without a name.
pub(crate) fn named<'a>(
    project: &'a Project,
    name: Option<&str>,
) -> Result<Vec<&'a Quirk>, CliError> {
    let all = &project.plan.subject.quirks;
    let quirks: Vec<&Quirk> =
        all.iter().filter(|quirk| name.is_none_or(|name| quirk.name == name)).collect();
    if let (Some(name), true) = (name, quirks.is_empty()) {
        let known = in_backticks(all.iter().map(|quirk| &quirk.name));
        return Err(CliError::UnknownQuirk { name: name.to_owned(), known });
    }
    Ok(quirks)
}

/// The places in a line of history that a quirk is for.
pub(crate) fn places(
    project: &Project,
    quirk: &Quirk,
    line: &[Revision],
) -> Result<Vec<usize>, CliError> {
    let subject =
        tacho_record::plan::Subject { quirks: vec![quirk.clone()], ..project.plan.subject.clone() };
    let recipes = tacho_subject::recipes(&subject, &project.folder, line)?;
    Ok((0..line.len()).filter(|&place| !recipes.quirks(&line[place].id).is_empty()).collect())
}

/// The places in a line of history that a quirk says not to build, whichever it is.
pub(crate) fn skipped(project: &Project, line: &[Revision]) -> Result<BTreeSet<usize>, CliError> {
    let mut skipped = BTreeSet::new();
    for quirk in project.plan.subject.quirks.iter().filter(|quirk| quirk.skip) {
        skipped.extend(places(project, quirk, line)?);
    }
    Ok(skipped)
}

/// A range in words: ``from `v1`, before `v2` ``.
pub(crate) fn range(quirk: &Quirk) -> String {
    let edges: Vec<&str> =
        [&quirk.start, &quirk.end].into_iter().flatten().map(|edge| edge.typed.as_str()).collect();
    if edges.is_empty() { "all of history".to_owned() } else { edges.join(", ") }
}

/// The actions of a quirk, in a few words.
pub(crate) fn deeds(quirk: &Quirk) -> String {
    let commands = &quirk.commands;
    let texts = [
        ("before-checkout", &commands.before_checkout),
        ("after-checkout", &commands.after_checkout),
        ("before-build", &commands.before_build),
        ("build", &quirk.build),
        ("after-build", &commands.after_build),
    ];
    let mut deeds: Vec<String> = Vec::new();
    deeds.extend(quirk.skip.then(|| "skip".to_owned()));
    deeds.extend(quirk.once.then(|| "once".to_owned()));
    deeds.extend(quirk.patches.iter().map(|patch| format!("patch {patch}")));
    deeds.extend(quirk.take.iter().map(|take| format!("take {} from {}", take.path, take.from)));
    deeds.extend(quirk.environment.iter().map(|(name, value)| format!("{name}={value}")));
    for (key, text) in texts {
        let mut lines = text.iter().flat_map(|text| text.trim().lines());
        let first = lines.next();
        let more = if lines.next().is_some() { " …" } else { "" };
        deeds.extend(first.map(|line| format!("{key} `{line}{more}`")));
    }
    deeds.join(", ")
}
