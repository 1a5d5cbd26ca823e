//! `tacho track --builds`, `--budget` of a range, `--zoom`: few builds of a long history, each where it tells most.

use std::time::{Duration, Instant};

use tacho_experiment::survey::{Ended, Placed, Wish, place};
use tacho_experiment::{Tracked, unbuilt};
use tacho_record::{Change, Plan, Revision};
use tacho_subject::Selected;

use super::changes::found::Found;
use super::session::{Session, Wanted};
use super::track::{counters, select};
use super::{Exit, track};
use crate::cli::{Global, Track};
use crate::error::CliError;
use crate::output::surveyed::Report;
use crate::output::{self, text, tracked};
use crate::project::Project;

/// The smallest change that is looked for, where nothing else is asked for.
const LEAST: f64 = 0.05;
/// What is looked for in a zoom, as a share of the change that is known.
const OF_KNOWN: f64 = 0.5;
/// No smaller change is looked for in a zoom, unless that is asked for.
const SMALLEST: f64 = 0.005;

/// Whether few builds are to do: a number of them, one place, or a time for a range.
pub(super) fn is_wished(command: &Track) -> bool {
    let range = match command.revisions.as_slice() {
        [] => true,
        [one] => one.contains(".."),
        _ => false,
    };
    let survey = &command.survey;
    let past = command.schedule.missing;
    survey.builds.is_some() || survey.zoom.is_some() || (range && !past && command.stopping.budget.is_some())
}

pub(super) fn execute(
    global: &Global,
    command: &Track,
    project: &Project,
    plan: Plan,
    budget: Option<Duration>,
) -> Result<Exit, CliError> {
    let began = Instant::now();
    let change = command.survey.zoom.as_ref().map(|name| zoomed(project, name)).transpose()?;
    let mut plan = plan;
    if let Some(change) = &change {
        plan = track::narrowed(&plan, std::slice::from_ref(&change.series.benchmark.name))?;
    }
    if command.dry_run {
        let selected = select(project, command)?;
        let wish = wish(command, &selected, change.as_ref(), budget)?;
        return dry_run(&plan, &selected.revisions, &wish);
    }
    let mut session = Session::open(project, command.begin.wait)?;
    let waited = began.elapsed();
    let selected = select(project, command)?;
    let wish = wish(command, &selected, change.as_ref(), budget)?;
    session.tell_of_edits(&plan)?;
    let placed = session.survey(project, (global, command), plan.clone(), &selected, &wish)?;
    let built: Vec<Revision> = built(&selected.revisions, &placed);
    let series = session.series(project, &plan, &built, command)?;
    session.tell_of_left_behind(&plan, placed.run)?;
    session.tell_of_noise(placed.run)?;
    let came_to = came_to(&placed);
    let unbuilt = unbuilt(&selected.revisions, &placed.builds);
    let report = Report {
        tracked: tracked::Report {
            tracked: &came_to,
            series: &series,
            revisions: &selected.revisions,
            unbuilt: &unbuilt,
        },
        placed: &placed,
        wish: &wish,
    };
    report.print(&mut session.store, command.shown.json, began.elapsed().saturating_sub(waited))?;
    Ok(match placed.ended {
        Ended::Interrupted => Exit::Interrupted,
        _ if report.tracked.has_values() => Exit::Success,
        _ => Exit::Error,
    })
}

impl Session {
    fn survey(
        &mut self,
        project: &Project,
        (global, command): (&Global, &Track),
        plan: Plan,
        selected: &Selected,
        wish: &Wish,
    ) -> Result<Placed, CliError> {
        self.know(selected)?;
        let wanted = Wanted {
            counted: counters(&command.counter)?.into_iter().map(|asked| asked.counter).collect(),
            seed: command.begin.seed,
            quiet: global.quiet || command.shown.json,
            ..Wanted::new(plan, &selected.revisions)
        };
        self.measure(project, wanted, |bench, question| place(bench, question, wish))
    }
}

/// The one change of that name.
fn zoomed(project: &Project, name: &str) -> Result<Change, CliError> {
    let mut store = project.store()?;
    let found = Found::look(project, &mut store)?;
    let named = found.named(project, name)?;
    match named.as_slice() {
        [one] => Ok((*one).clone()),
        many => {
            let candidates =
                many.iter().map(|change| format!("`{}`", change.name)).collect::<Vec<_>>().join(", ");
            Err(CliError::Ambiguous { name: name.to_owned(), candidates })
        }
    }
}

fn wish(
    command: &Track,
    selected: &Selected,
    change: Option<&Change>,
    budget: Option<Duration>,
) -> Result<Wish, CliError> {
    let asked = command.survey.min_effect.map(|percent| percent / 100.0).filter(|least| *least > 0.0);
    let known = change
        .and_then(|change| change.finding.effect)
        .map(|effect| (OF_KNOWN * effect.abs()).clamp(SMALLEST, LEAST));
    let place = |id: &String| {
        let unknown = || CliError::Unknown { name: id.clone(), nearest: None };
        selected.revisions.iter().position(|revision| revision.id == *id).ok_or_else(unknown)
    };
    let zoom =
        |change: &Change| Ok::<_, CliError>((place(&change.finding.good)?, place(&change.finding.bad)?));
    Ok(Wish {
        least: asked.or(known).unwrap_or(LEAST),
        builds: command.survey.builds.map(|builds| builds as usize),
        budget,
        zoom: change.map(zoom).transpose()?,
        metric: change.map(|change| change.series.metric.name.clone()),
    })
}

/// Says what would be done.
fn dry_run(plan: &Plan, revisions: &[Revision], wish: &Wish) -> Result<Exit, CliError> {
    let among = match wish.zoom {
        Some((first, last)) => format!(
            "between {} and {}, {} apart",
            revisions[first].short(),
            revisions[last].short(),
            text::count(last - first, "revision")
        ),
        None => format!("among {}", text::count(revisions.len(), "revision")),
    };
    let most = wish.builds.map(|builds| format!(" with at most {}", text::count(builds, "build")));
    let time = wish.budget.map(|time| format!(" in {}, builds included", text::duration(time)));
    output::print(&format!(
        "would look for changes of {} or more {among}{}{}, and execute {} {} at each that is built\n",
        text::percent(wish.least),
        most.unwrap_or_default(),
        time.unwrap_or_default(),
        text::count(tacho_experiment::benchmarks(plan).len(), "benchmark"),
        text::rule(&plan.measure.rule),
    ))?;
    Ok(Exit::Success)
}

/// The revisions that have a build, in order of history.
fn built(revisions: &[Revision], placed: &Placed) -> Vec<Revision> {
    let is_built = |revision: &&Revision| placed.builds.iter().any(|build| build.revision == revision.id);
    revisions.iter().filter(is_built).cloned().collect()
}

/// The same, as tracking tells it.
fn came_to(placed: &Placed) -> Tracked {
    Tracked {
        builds: placed.builds.clone(),
        run: placed.run,
        samples: placed.samples,
        interrupted: placed.ended == Ended::Interrupted,
        unsettled: placed.ended == Ended::Unsettled,
        building: placed.building,
        executing: placed.executing,
    }
}
