//! `tacho quirk suggest`.

use serde::Serialize;
use tacho_experiment::buildability::{Window, first_error, remedy, window};
use tacho_record::{BuildState, Revision};
use tacho_subject::history;

use super::{Exit, line};
use crate::cli::Global;
use crate::commands::session::{Session, Wanted};
use crate::error::CliError;
use crate::output::answer::versioned;
use crate::output::{self, text};
use crate::project::Project;

/// What is suggested, in JSON.
#[derive(Serialize)]
struct Suggested<'a> {
    revision: &'a str,
    builds: bool,
    /// Why a quirk says not to build it.
    skipped: Option<&'a str>,
    /// The first line of the log that says what is wrong.
    error: Option<&'a str>,
    first: Option<&'a str>,
    last: Option<&'a str>,
    /// The nearest revisions that build.
    before: Option<&'a str>,
    after: Option<&'a str>,
    revisions: usize,
    quirk: Option<&'a str>,
}

pub fn execute(
    global: &Global,
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
    let mut session = Session::open(project, wait)?;
    session.know(&selected)?;
    let asked =
        Wanted { retry_failed, quiet: global.quiet || json, ..Wanted::new(project.plan.clone(), line) };
    let found = session.measure(project, asked, |bench, question| {
        let Some(build) = bench.build_of(question, &line[at])? else { return Ok(None) };
        if build.state.artifact().is_some() || matches!(build.state, BuildState::Skipped { .. }) {
            return Ok(Some((build, None)));
        }
        Ok(window(bench, question, at)?.map(|window| (build, Some(window))))
    })?;
    let Some((build, window)) = found else { return Ok(Exit::Interrupted) };
    let log = build.log.and_then(|log| session.store.log(log).ok()).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let why = match &build.state {
        BuildState::Failed { why } | BuildState::Skipped { why } => why.clone(),
        other => format!("its build {}", other.word()),
    };
    let skipped = if let BuildState::Skipped { why } = &build.state { Some(why.as_str()) } else { None };
    let error = window.and_then(|_| first_error(&log).or(Some(why)));
    let quirk = window.map(|window| stub(project, line, window, error.as_deref().unwrap_or_default(), &log));
    if json {
        let id = |place: Option<usize>| place.map(|place| line[place].id.as_str());
        let answer = Suggested {
            revision: &wanted.id,
            builds: build.state.artifact().is_some(),
            skipped,
            error: error.as_deref(),
            first: id(window.map(|window| window.first)),
            last: id(window.map(|window| window.last)),
            before: id(window.and_then(|window| window.before)),
            after: id(window.and_then(|window| window.after)),
            revisions: window.map_or(0, |window| window.last - window.first + 1),
            quirk: quirk.as_deref(),
        };
        output::print_json(&versioned(answer))?;
    } else if let (Some(window), Some(quirk)) = (window, quirk) {
        output::print(&told(&wanted, line, window, error.as_deref().unwrap_or_default(), &quirk))?;
    } else if let Some(why) = skipped {
        let by = build.quirks.join("`, `");
        output::print(&format!("{} is not built: `{by}` skips it: {why}\n", wanted.short()))?;
    } else {
        output::print(&format!("{} builds: no quirk is needed\n", wanted.short()))?;
    }
    Ok(Exit::Success)
}

fn told(wanted: &Revision, line: &[Revision], window: Window, error: &str, quirk: &str) -> String {
    let name = |place: usize| {
        let revision = &line[place];
        format!("{}  {}  {}", revision.short(), text::day(revision.date), text::cut(&revision.subject, 44))
    };
    let mut out = format!("{} does not build:\n  {error}\n\n", wanted.short());
    out += &format!("{} in a row:\n", text::count(window.last - window.first + 1, "revision"));
    let whole = |place: usize| if window.skipped.contains(&Some(place)) { "skipped" } else { "builds " };
    let beside = |place: Option<usize>| {
        place.map_or_else(String::new, |place| format!("  {}     {}\n", whole(place), name(place)))
    };
    out += &beside(window.before);
    out += &format!("  fails from  {}\n  fails to    {}\n", name(window.first), name(window.last));
    out += &beside(window.after);
    format!("{out}\na quirk to fill in, for tacho.toml or quirks/*.toml:\n\n{quirk}")
}

/// A quirk to fill in.
fn stub(project: &Project, line: &[Revision], window: Window, error: &str, log: &str) -> String {
    let quoted = |text: &str| toml_text(text);
    let mut out = "[[quirk]]\n".to_owned();
    let remedy = remedy(log);
    let why = remedy.map_or(error, |(_, why)| why);
    out += &format!("why = {}\n", quoted(&why.chars().take(120).collect::<String>()));
    if window.before.is_some() {
        out += &format!("from = {}\n", quoted(line[window.first].short()));
    }
    if let Some(after) = window.after {
        out += &format!("before = {}\n", quoted(line[after].short()));
    }
    if let Some((flags, _)) = remedy {
        out += &format!("environment = {{ CFLAGS = {} }}\n", quoted(flags));
        if let Some(build) = project.plan.subject.build.as_deref().filter(|build| build.contains("make")) {
            out += &format!(
                "# where the makefile sets it: build = {}\n",
                quoted(&format!("{build} CFLAGS='{flags}'"))
            );
        }
        return out;
    }
    out +=
        "# one of these:\n# patch = \"quirks/name.patch\"\n# environment = { CFLAGS = \"-O2 -std=gnu89\" }\n";
    let build = project.plan.subject.build.as_deref().unwrap_or("make -j{jobs}");
    out + &format!("# build = {}\n# skip = true\n", quoted(build))
}

/// A text as TOML writes it, which for one line is as JSON does.
fn toml_text(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
