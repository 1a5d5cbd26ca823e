//! `tacho quirk check`.

use serde::Serialize;
use tacho_record::plan::{Plan, Quirk, Subject};
use tacho_record::{BuildState, Revision};

use super::{Exit, line, named, places};
use crate::cli::Global;
use crate::commands::session::{Session, Wanted};
use crate::error::CliError;
use crate::output::answer::versioned;
use crate::output::{self, table};
use crate::project::Project;

/// A revision at an end of a quirk's range, in JSON.
#[derive(Serialize)]
struct End<'a> {
    revision: &'a str,
    /// Why it does not build with the quirk; absent: it builds.
    with: Option<String>,
    /// Why it does not build without the quirk; absent: it builds.
    without: Option<String>,
}

/// What was found of a quirk, in JSON.
#[derive(Serialize)]
struct Checked<'a> {
    name: &'a str,
    /// `needed`, `not needed`, `fails`, `skips`, `no revisions`.
    verdict: &'static str,
    ends: Vec<End<'a>>,
}

#[derive(Serialize)]
struct Answer<'a> {
    quirks: Vec<Checked<'a>>,
}

pub fn execute(
    global: &Global,
    project: &Project,
    name: Option<&str>,
    (json, wait): (bool, bool),
) -> Result<Exit, CliError> {
    let quirks = named(project, name)?;
    let selected = if quirks.is_empty() { None } else { Some(line(project, None)?) };
    let line = selected.as_ref().map_or(&[][..], |selected| &selected.revisions);
    let mut session = Session::open(project, wait)?;
    if let Some(selected) = &selected {
        session.know(selected)?;
    }
    let quiet = global.quiet || json;
    let mut answer = Answer { quirks: Vec::new() };
    for quirk in quirks {
        let places = places(project, quirk, line)?;
        let mut ends: Vec<&Revision> =
            places.first().into_iter().chain(places.last()).map(|&at| &line[at]).collect();
        ends.dedup_by_key(|revision| &revision.id);
        let Some(with) = built(&mut session, project, project.plan.clone(), &ends, quiet)? else {
            return Ok(Exit::Interrupted);
        };
        let Some(without) = built(&mut session, project, lacking(&project.plan, quirk), &ends, quiet)? else {
            return Ok(Exit::Interrupted);
        };
        let ends = ends.iter().zip(with.into_iter().zip(without));
        let ends: Vec<End> =
            ends.map(|(revision, (with, without))| End { revision: &revision.id, with, without }).collect();
        answer.quirks.push(Checked { name: &quirk.name, verdict: verdict(quirk, &ends), ends });
    }
    let fails = answer.quirks.iter().any(|checked| checked.verdict == "fails");
    if json {
        output::print_json(&versioned(answer))?;
    } else {
        output::print(&answer.text(line))?;
    }
    Ok(if fails { Exit::Worse } else { Exit::Success })
}

/// The plan without a quirk.
pub fn lacking(plan: &Plan, quirk: &Quirk) -> Plan {
    let quirks = plan.subject.quirks.iter().filter(|other| other.name != quirk.name).cloned().collect();
    Plan { subject: Subject { quirks, ..plan.subject.clone() }, ..plan.clone() }
}

/// Why each of these revisions does not build by that plan, if it does not; none when interrupted.
fn built(
    session: &mut Session,
    project: &Project,
    plan: Plan,
    revisions: &[&Revision],
    quiet: bool,
) -> Result<Option<Vec<Option<String>>>, CliError> {
    let revisions: Vec<Revision> = revisions.iter().map(|&revision| revision.clone()).collect();
    let wanted = Wanted { quiet, ..Wanted::new(plan, &revisions) };
    session.measure(project, wanted, |bench, question| {
        let mut all = Vec::new();
        for revision in &question.revisions {
            let Some(build) = bench.build_of(question, revision)? else { return Ok(None) };
            all.push(match build.state {
                BuildState::Built { .. } => None,
                BuildState::Failed { why } => Some(why),
                BuildState::Skipped { why } => Some(format!("skipped: {why}")),
                BuildState::TimedOut { .. } => Some("it timed out".to_owned()),
            });
        }
        Ok(Some(all))
    })
}

fn verdict(quirk: &Quirk, ends: &[End<'_>]) -> &'static str {
    if ends.is_empty() {
        "no revisions"
    } else if quirk.skip && ends.iter().any(|end| end.without.is_some()) {
        "skips"
    } else if !quirk.skip && ends.iter().any(|end| end.with.is_some()) {
        "fails"
    } else if ends.iter().all(|end| end.without.is_none()) {
        "not needed"
    } else {
        "needed"
    }
}

impl Answer<'_> {
    fn text(&self, line: &[Revision]) -> String {
        if self.quirks.is_empty() {
            return "the plan has no quirks\n".to_owned();
        }
        self.quirks.iter().map(|checked| checked.text(line)).collect::<Vec<_>>().join("\n")
    }
}

impl Checked<'_> {
    fn text(&self, line: &[Revision]) -> String {
        let said = |why: &Option<String>| why.clone().unwrap_or_else(|| "builds".to_owned());
        let mut lines = String::new();
        for end in &self.ends {
            let short = line.iter().find(|it| it.id == end.revision).map_or("?", Revision::short);
            let (with, without) = (said(&end.with), said(&end.without));
            lines += &format!("{short} with it: {with}\n{short} without: {without}\n");
        }
        format!("{}: {}\n{}", self.name, self.verdict, table::indent(&lines))
    }
}
