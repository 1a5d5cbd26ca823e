//! `tacho quirk list`.

use serde::Serialize;
use tacho_record::Revision;

use super::Exit;
use crate::commands::quirk::lookup::{deeds, line, places, range};
use crate::error::CliError;
use crate::output::answer::versioned;
use crate::output::{self, table, text};
use crate::project::Project;

/// A quirk in JSON.
#[derive(Serialize)]
struct ListedQuirk<'a> {
    name: &'a str,
    why: &'a str,
    range: String,
    does: String,
    /// How many revisions of the main line it is for.
    revisions: usize,
    first: Option<&'a str>,
    last: Option<&'a str>,
}

#[derive(Serialize)]
struct QuirkListAnswer<'a> {
    quirks: Vec<ListedQuirk<'a>>,
}

pub fn execute(project: &Project, json: bool) -> Result<Exit, CliError> {
    let quirks = &project.plan.subject.quirks;
    let line = if quirks.is_empty() { Vec::new() } else { line(project, None)?.revisions };
    let mut listed = Vec::new();
    for quirk in quirks {
        let places = places(project, quirk, &line)?;
        let id = |place: Option<&usize>| place.map(|&place| line[place].id.as_str());
        listed.push(ListedQuirk {
            name: &quirk.name,
            why: &quirk.why,
            range: range(quirk),
            does: deeds(quirk),
            revisions: places.len(),
            first: id(places.first()),
            last: id(places.last()),
        });
    }
    if json {
        output::print_json(&versioned(QuirkListAnswer { quirks: listed }))?;
    } else if listed.is_empty() {
        output::print("the plan has no quirks\n")?;
    } else {
        output::print(&listed.iter().map(|one| shown(one, &line)).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(Exit::Success)
}

fn shown(one: &ListedQuirk<'_>, line: &[Revision]) -> String {
    let short = |id: Option<&str>| {
        let revision = line.iter().find(|revision| Some(revision.id.as_str()) == id);
        revision.map_or("?", Revision::short)
    };
    let reach = match one.revisions {
        0 => "no revision".to_owned(),
        1 => format!("1 revision, {}", short(one.first)),
        more => {
            let (first, last) = (short(one.first), short(one.last));
            format!("{}, {first} to {last}", text::count(more, "revision"))
        }
    };
    // The name of a quirk without one is made of the reason.
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let why = if letters(one.why) == letters(one.name) { "" } else { one.why };
    let lines = format!("{why}\n{}: {reach}\n{}\n", one.range, one.does);
    let lines = lines.trim_start_matches('\n');
    format!("{}\n{}", one.name, table::indent(lines))
}
