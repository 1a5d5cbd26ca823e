//! `tacho quirk suggest`.

use serde::Serialize;
use tacho_experiment::build::failure_range::{
    FailingStretch, FailureRange, StretchNeighbour, find,
};
use tacho_record::{BuildState, Revision};
use tacho_subject::history;

use super::Exit;
use super::remedy::{Proposal, propose};
use crate::cli::GlobalArgs;
use crate::commands::quirk::lookup::{interrupted, line};
use crate::commands::session::{CommandSession, SessionRequest};
use crate::error::CliError;
use crate::output::answer::versioned;
use crate::output::{self, text};
use crate::project::Project;

/// The suggestion, in JSON.
#[derive(Serialize)]
struct QuirkSuggestion<'a> {
    revision: &'a str,
    builds: bool,
    /// Why a quirk says not to build it.
    skipped: Option<&'a str>,
    /// The first line of the log that says what is wrong.
    error: Option<&'a str>,
    first: Option<&'a str>,
    last: Option<&'a str>,
    /// The nearest revisions that build or are skipped.
    before: Option<&'a str>,
    after: Option<&'a str>,
    revisions: usize,
    /// The neighbours that fail for another reason, in order of history.
    others: Vec<NeighbourStretch<'a>>,
    quirk: Option<&'a str>,
    /// Whether the quirk was tried at this revision, which builds with it; otherwise the user must
    /// fill it in.
    works: Option<bool>,
}

/// Revisions in a row beside the stretch that do not build either, in JSON.
#[derive(Serialize)]
struct NeighbourStretch<'a> {
    first: &'a str,
    last: &'a str,
    revisions: usize,
    /// The error of the nearest of them.
    error: &'a str,
}

pub fn execute(
    global: &GlobalArgs,
    project: &Project,
    name: &str,
    (retry_failed, json, wait): (bool, bool, bool),
) -> Result<Exit, CliError> {
    let wanted = history(&project.plan.subject, &project.folder)?.find(name)?;
    let mut selected = line(project, None)?;
    if !selected.revisions.iter().any(|revision| revision.id == wanted.id) {
        selected = line(project, Some(wanted.id.clone()))?;
    }
    let line = &selected.revisions;
    let unknown = || CliError::Unknown { name: name.to_owned(), nearest: None };
    let at = line.iter().position(|revision| revision.id == wanted.id).ok_or_else(unknown)?;
    let mut session = CommandSession::open(project, wait)?;
    session.know(&selected)?;
    let quiet = global.quiet || json;
    let asked =
        SessionRequest { retry_failed, quiet, ..SessionRequest::new(project.plan.clone(), line) };
    let found = session.measure(project, asked, |context, question| {
        let Some(build) = context.build_of(question, &line[at])? else { return Ok(None) };
        if build.state.artifact().is_some() || matches!(build.state, BuildState::Skipped { .. }) {
            return Ok(Some((build, None)));
        }
        let complaint = context.complaint_of(&build);
        Ok(find(context, question, at)?.map(|window| (build, Some((window, complaint)))))
    })?;
    let Some((build, found)) = found else { return Ok(interrupted()) };
    let skipped =
        if let BuildState::Skipped { why } = &build.state { Some(why.as_str()) } else { None };
    let proposal = match &found {
        Some((_, complaint)) => {
            propose(&mut session, project, &line[at], complaint.error(), quiet)?
        }
        None => Proposal::default(),
    };
    if proposal.interrupted {
        return Ok(interrupted());
    }
    let failing = found.map(|(window, complaint)| {
        let error = complaint.error().to_owned();
        let quirk = proposal.quirk(project, line, &window, &error);
        Failing { line, window, error, quirk, is_fix: proposal.has_fix() }
    });
    if json {
        let builds = build.state.artifact().is_some();
        output::print_json(&versioned(suggested(&wanted, (builds, skipped), failing.as_ref())))?;
    } else if let Some(failing) = failing {
        output::print(&failing.text(&wanted))?;
    } else if let Some(why) = skipped {
        let by = build.quirks.join("`, `");
        output::print(&format!("{} is skipped by the quirk `{by}`: {why}\n", wanted.short()))?;
    } else {
        output::print(&format!("{} builds: no quirk is needed\n", wanted.short()))?;
    }
    Ok(Exit::Success)
}

/// The finding for a revision: whether it builds, why it is skipped, the stretch in which it fails.
fn suggested<'a>(
    wanted: &'a Revision,
    (builds, skipped): (bool, Option<&'a str>),
    failing: Option<&'a Failing<'a>>,
) -> QuirkSuggestion<'a> {
    let window = failing.map(|failing| &failing.window);
    let id = |place: Option<usize>| Some(failing?.line[place?].id.as_str());
    QuirkSuggestion {
        revision: &wanted.id,
        builds,
        skipped,
        error: failing.map(|failing| failing.error.as_str()),
        first: id(window.map(|window| window.first)),
        last: id(window.map(|window| window.last)),
        before: id(window.and_then(|window| window.before.as_ref()?.whole())),
        after: id(window.and_then(|window| window.after.as_ref()?.whole())),
        revisions: window.map_or(0, |window| window.last - window.first + 1),
        others: failing.map_or_else(Vec::new, Failing::others),
        quirk: failing.map(|failing| failing.quirk.as_str()),
        works: failing.map(|failing| failing.is_fix),
    }
}

/// A stretch that does not build, and what may be done about it.
struct Failing<'a> {
    line: &'a [Revision],
    window: FailureRange,
    error: String,
    quirk: String,
    /// Whether the quirk was tried and the revision builds with it.
    is_fix: bool,
}

impl Failing<'_> {
    /// The neighbours that fail for another reason, in order of history.
    fn others(&self) -> Vec<NeighbourStretch<'_>> {
        let before = failing(self.window.before.as_ref()).iter().rev();
        before
            .chain(failing(self.window.after.as_ref()))
            .map(|stretch| {
                let (first, last) = ends(stretch);
                NeighbourStretch {
                    first: &self.line[first].id,
                    last: &self.line[last].id,
                    revisions: last - first + 1,
                    error: &stretch.error,
                }
            })
            .collect()
    }

    /// The revisions that fail for another reason, and that reason; `nth` counts from this stretch
    /// on.
    fn otherwise(&self, nth: usize, stretch: &FailingStretch) -> String {
        let (first, last) = ends(stretch);
        let [from, to] = [first, last].map(|place| self.line[place].short());
        let which = if first == last { from.to_owned() } else { format!("{from} to {to}") };
        let reason = match (stretch.is_mixed && first != last, first == last) {
            (true, _) => format!("fail for other reasons, {} for", self.line[stretch.near].short()),
            (_, true) => "fails for another reason".to_owned(),
            (_, false) => "fail for another reason".to_owned(),
        };
        let many = text::count(last - first + 1, "revision");
        let where_to = if nth == 0 { "next to" } else { "beyond" };
        format!("\n{many} {where_to} these, {which}, {reason}:\n  {}\n", stretch.error)
    }

    fn text(&self, wanted: &Revision) -> String {
        let window = &self.window;
        let name = |place: usize| {
            let revision = &self.line[place];
            let (day, subject) = (text::day(revision.date), text::cut(&revision.subject, 44));
            format!("{}  {day}  {subject}", revision.short())
        };
        let beside = |beside: Option<&StretchNeighbour>| {
            let Some(beside) = beside else { return String::new() };
            let how = match beside {
                StretchNeighbour::Builds(_) => "builds",
                StretchNeighbour::Skipped(_) => "skipped",
                StretchNeighbour::Fails { .. } => "other error",
            };
            let near = beside.near().map_or_else(String::new, name);
            format!("  {how:<13}  {near}\n")
        };
        let mut out = format!("{} does not build:\n  {}\n\n", wanted.short(), self.error);
        out += &format!("{} in a row:\n", text::count(window.last - window.first + 1, "revision"));
        out += &beside(window.before.as_ref());
        out += &format!("  first failure  {}\n", name(window.first));
        out += &format!("  last failure   {}\n", name(window.last));
        out += &beside(window.after.as_ref());
        for beside in [&window.before, &window.after] {
            for (nth, stretch) in failing(beside.as_ref()).iter().enumerate() {
                out += &self.otherwise(nth, stretch);
            }
        }
        let what = if self.is_fix {
            format!("{} builds with this quirk, for tacho.toml or quirks/*.toml", wanted.short())
        } else {
            "a quirk to fill in, for tacho.toml or quirks/*.toml".to_owned()
        };
        format!("{out}\n{what}:\n\n{}", self.quirk)
    }
}

/// The stretches beside that fail for other reasons, the nearest first.
fn failing(beside: Option<&StretchNeighbour>) -> &[FailingStretch] {
    match beside {
        Some(StretchNeighbour::Fails { stretches, .. }) => stretches,
        _ => &[],
    }
}

/// The first and the last place of a stretch, in order of history.
fn ends(stretch: &FailingStretch) -> (usize, usize) {
    let FailingStretch { near, far, .. } = *stretch;
    (near.min(far), near.max(far))
}
