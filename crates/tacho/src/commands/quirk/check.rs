//! `tacho quirk check`.

use serde::Serialize;
use tacho_experiment::quirks::{QuirkNeed, lacking, spread};
use tacho_record::plan::Plan;
use tacho_record::{Digest, Revision};
use tacho_report::build::why_not;

use super::Exit;
use crate::cli::{GlobalArgs, QuirkCheckArgs};
use crate::commands::quirk::lookup::{interrupted, line, named, places, skipped};
use crate::commands::session::{CommandSession, SessionRequest};
use crate::error::CliError;
use crate::output::answer::print_answer;
use crate::output::{self, table, text};
use crate::project::Project;

/// A revision that was tried, in JSON.
#[derive(Serialize)]
struct QuirkTrial<'a> {
    revision: &'a str,
    /// Why it does not build with the quirk; absent: it builds.
    with: Option<String>,
    /// Why it does not build without the quirk; absent: it builds.
    without: Option<String>,
    /// Whether it builds to other artifacts with the quirk than without; absent if one of them does
    /// not build.
    differs: Option<bool>,
}

impl<'a> QuirkTrial<'a> {
    fn of(revision: &'a Revision, with: BuildDigest, without: BuildDigest) -> Self {
        let differs =
            with.as_ref().ok().zip(without.as_ref().ok()).map(|(with, without)| with != without);
        Self { revision: &revision.id, with: with.err(), without: without.err(), differs }
    }
}

/// The result for a quirk, in JSON.
#[derive(Serialize)]
struct QuirkCheckRow<'a> {
    name: &'a str,
    /// `needed`, `not needed`, `fails`, `skips`, `no revisions`.
    verdict: &'static str,
    #[serde(skip)]
    need: QuirkNeed,
    /// How many revisions it is for, those left out that another quirk skips.
    revisions: usize,
    tried: Vec<QuirkTrial<'a>>,
}

#[derive(Serialize)]
struct QuirkCheckAnswer<'a> {
    quirks: Vec<QuirkCheckRow<'a>>,
}

pub fn execute(
    global: &GlobalArgs,
    project: &Project,
    command: &QuirkCheckArgs,
) -> Result<Exit, CliError> {
    let quirks = named(project, command.name.as_deref())?;
    let selected = if quirks.is_empty() { None } else { Some(line(project, None)?) };
    let line = selected.as_ref().map_or(&[][..], |selected| &selected.revisions);
    let skipped = skipped(project, line)?;
    let mut session = CommandSession::open(project, command.wait)?;
    if let Some(selected) = &selected {
        session.know(selected)?;
    }
    let quiet = global.quiet || command.json;
    let (mut answer, mut fails) = (QuirkCheckAnswer { quirks: Vec::new() }, false);
    for quirk in quirks {
        let mut places = places(project, quirk, line)?;
        places.retain(|place| quirk.skip || !skipped.contains(place));
        let number = if command.all { places.len() } else { command.revisions as usize };
        let tried: Vec<&Revision> =
            spread(places.len(), number).map(|at| &line[places[at]]).collect();
        let name = &quirk.name;
        let plan = (project.plan.clone(), format!(" with `{name}`"));
        let Some(with) = built(&mut session, project, plan, &tried, quiet)? else {
            return Ok(interrupted());
        };
        let plan = (lacking(&project.plan, quirk), format!(" without `{name}`"));
        let Some(without) = built(&mut session, project, plan, &tried, quiet)? else {
            return Ok(interrupted());
        };
        let tried = tried.iter().zip(with.into_iter().zip(without));
        let tried: Vec<QuirkTrial> = tried
            .map(|(revision, (with, without))| QuirkTrial::of(revision, with, without))
            .collect();
        let builds: Vec<[bool; 2]> =
            tried.iter().map(|it| [it.with.is_none(), it.without.is_none()]).collect();
        let need = QuirkNeed::of(quirk, &builds);
        fails |= need == QuirkNeed::Fails;
        answer.quirks.push(QuirkCheckRow {
            name: &quirk.name,
            verdict: need.name(),
            need,
            revisions: places.len(),
            tried,
        });
    }
    print_answer(command.json, || &answer, || answer.text(line))?;
    Ok(if fails { Exit::Worse } else { Exit::Success })
}

/// The artifact of a revision, or the reason why it does not build.
type BuildDigest = Result<Digest, String>;

/// The artifacts of these revisions by a plan, with words that name it; `None` if
/// interrupted.
fn built(
    session: &mut CommandSession,
    project: &Project,
    (plan, how): (Plan, String),
    revisions: &[&Revision],
    quiet: bool,
) -> Result<Option<Vec<BuildDigest>>, CliError> {
    let revisions: Vec<Revision> = revisions.iter().map(|&revision| revision.clone()).collect();
    let wanted = SessionRequest { quiet, how, ..SessionRequest::new(plan, &revisions) };
    session.measure(project, wanted, |context, question| {
        let mut all = Vec::new();
        for revision in &question.revisions {
            let Some(build) = context.build_of(question, revision)? else { return Ok(None) };
            all.push(build.state.artifact().ok_or_else(|| why_not(&build.state)));
        }
        Ok(Some(all))
    })
}

impl QuirkCheckAnswer<'_> {
    fn text(&self, line: &[Revision]) -> String {
        if self.quirks.is_empty() {
            return "the plan has no quirks\n".to_owned();
        }
        let all = self.quirks.iter().map(|checked| checked.text(line)).collect::<Vec<_>>();
        text::wrap(&all.join("\n"), output::terminal_width())
    }
}

impl QuirkCheckRow<'_> {
    fn text(&self, line: &[Revision]) -> String {
        let said = |why: &Option<String>| why.clone().unwrap_or_else(|| "builds".to_owned());
        let mut lines = String::new();
        for one in &self.tried {
            let short = line.iter().find(|it| it.id == one.revision).map_or("?", Revision::short);
            let (with, without) = (said(&one.with), said(&one.without));
            lines += &format!("{short} with quirk: {with}\n{short} without quirk: {without}\n");
        }
        if self.tried.len() < self.revisions {
            let (tried, all) = (self.tried.len(), text::count(self.revisions, "revision"));
            lines += &format!("tried {tried} of {all}; `--all` tries each\n");
        }
        format!("{}: {}{}\n{}", self.name, self.verdict, self.other_builds(), table::indent(&lines))
    }

    /// The remark on a quirk that builds do not need, but that changes them.
    fn other_builds(&self) -> String {
        let differ = self.tried.iter().filter(|one| one.differs == Some(true)).count();
        if self.need != QuirkNeed::NotNeeded || differ == 0 {
            return String::new();
        }
        let tried = text::count(self.tried.len(), "revision");
        format!(
            " to build, but {differ} of {tried} tried give other artifacts with it: `tacho \
             quirk effect {}` measures what it does",
            self.name
        )
    }
}
