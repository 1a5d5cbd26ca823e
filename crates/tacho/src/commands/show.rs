//! `tacho show`: what is known of a revision, or all series again.

use std::collections::BTreeMap;

use serde::Serialize;
use tacho_experiment::equal::Equals;
use tacho_experiment::series;
use tacho_record::{Build, Digest, Direction, Measurement, Metric, Outcome, Revision, Sample, Unit};
use tacho_stats::Summary;
use tacho_store::{HostId, Store};

use super::{Exit, lookup};
use crate::cli::{Global, Show};
use crate::error::CliError;
use crate::output::answer::{self, AllSeries, BuildAnswer, SampleAnswer};
use crate::output::{self, table, text};
use crate::project::Project;

/// How many lines of a failed execution's output are shown.
const OUTPUT_LINES: usize = 8;

pub fn execute(global: &Global, command: &Show) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let mut store = project.store()?;
    let revisions = store.revisions()?;
    match &command.revision {
        None => all(&project, &mut store, &revisions, command)?,
        Some(name) => {
            let known = lookup::revision(&revisions, name);
            let known = known.or_else(|error| lookup::by_repository(&project, &revisions, name).ok_or(error));
            let revision = known?;
            one(&project, &mut store, revision, command)?;
        }
    }
    Ok(Exit::Success)
}

/// All series of all hosts.
fn all(project: &Project, store: &mut Store, revisions: &[Revision], command: &Show) -> Result<(), CliError> {
    let mut series = Vec::new();
    for (id, host) in lookup::hosts(store)? {
        let keys = store.benchmarks(id)?;
        series.extend(lookup::all_series(
            project,
            store,
            (id, &host.name),
            &keys,
            &command.shown,
            revisions,
        )?);
    }
    if command.shown.json {
        return Ok(output::print_json(&answer::versioned(AllSeries::from(series.as_slice())))?);
    }
    let tables: Vec<String> = series.iter().map(table::series).collect();
    Ok(output::print(&tables.join("\n"))?)
}

/// All that is known of one revision.
struct Known {
    revision: Revision,
    hosts: Vec<OnHost>,
}

/// A revision on one host.
struct OnHost {
    host: String,
    build: Option<Build>,
    benchmarks: Vec<Measured>,
}

/// A benchmark at a revision.
struct Measured {
    benchmark: String,
    /// The revision that was executed: another one when both built to the same artifacts.
    revision: String,
    measurements: Vec<Measurement>,
    /// What could not be read, by metric, with the reason.
    absent: BTreeMap<String, String>,
}

fn one(project: &Project, store: &mut Store, revision: Revision, command: &Show) -> Result<(), CliError> {
    let mut hosts = Vec::new();
    for (id, host) in lookup::hosts(store)? {
        hosts.push(on_host(store, (id, host.name), &revision, project.plan.subject.recipe())?);
    }
    if command.build_log {
        return build_log(store, &revision, &hosts);
    }
    let known = Known { revision, hosts };
    if command.shown.json {
        return Ok(output::print_json(&answer::versioned(known.answer()))?);
    }
    let metrics = lookup::named_metrics(store.metrics()?, &command.shown.metric)?;
    output::print(&known.text(&metrics, command.samples))?;
    Ok(())
}

fn on_host(
    store: &mut Store,
    (id, host): (HostId, String),
    revision: &Revision,
    recipe: Digest,
) -> Result<OnHost, CliError> {
    let build = series::present_builds(&store.builds(id)?, recipe).remove(&revision.id);
    let artifact = build.as_ref().and_then(|build| build.state.artifact());
    let equals = Equals::new(&store.counts(id)?);
    let mut benchmarks = Vec::new();
    for key in store.benchmarks(id)? {
        let mut measurements = store.measurements(id, &key)?;
        measurements.retain(|m| Some(m.artifact) == artifact);
        let own = measurements.iter().any(|m| m.revision == revision.id);
        let stands = artifact.and_then(|artifact| equals.of(&key, artifact)).map(|(name, _)| name);
        let executed = if own { Some(revision.id.as_str()) } else { stands };
        measurements.retain(|m| Some(m.revision.as_str()) == executed);
        if let Some(first) = measurements.first() {
            let executed = first.revision.clone();
            let mut absent = BTreeMap::new();
            for measurement in &measurements {
                let found = store.absences(measurement.run, &key)?;
                absent.extend(found.into_iter().map(|absence| (absence.metric, absence.why)));
            }
            benchmarks.push(Measured {
                benchmark: key.to_string(),
                revision: executed,
                measurements,
                absent,
            });
        }
    }
    Ok(OnHost { host, build, benchmarks })
}

/// The whole log of the revision's last build, as it was printed.
fn build_log(store: &mut Store, revision: &Revision, hosts: &[OnHost]) -> Result<(), CliError> {
    let log = hosts.iter().rev().find_map(|host| host.build.as_ref()?.log);
    match log {
        Some(digest) => Ok(output::print(&String::from_utf8_lossy(&store.log(digest)?))?),
        None => Err(CliError::Unknown { name: format!("build log of {}", revision.short()), nearest: None }),
    }
}

/// A revision in JSON.
#[derive(Serialize)]
struct KnownAnswer<'a> {
    revision: &'a Revision,
    hosts: Vec<HostAnswer<'a>>,
}

/// A revision on one host, in JSON.
#[derive(Serialize)]
struct HostAnswer<'a> {
    host: &'a str,
    build: Option<BuildAnswer>,
    benchmarks: Vec<MeasuredAnswer<'a>>,
}

/// A benchmark at a revision, in JSON.
#[derive(Serialize)]
struct MeasuredAnswer<'a> {
    benchmark: &'a str,
    executed_at: &'a str,
    absent: &'a BTreeMap<String, String>,
    samples: Vec<SampleAnswer<'a>>,
}

impl Known {
    fn answer(&self) -> KnownAnswer<'_> {
        KnownAnswer { revision: &self.revision, hosts: self.hosts.iter().map(OnHost::answer).collect() }
    }

    fn text(&self, metrics: &[Metric], samples: bool) -> String {
        let revision = &self.revision;
        let mut out = format!("revision {}", revision.id);
        for tag in revision.tags.iter().filter(|tag| **tag != revision.id) {
            out += &format!("  {tag}");
        }
        out += "\n";
        if !revision.subject.is_empty() {
            out += &format!("  {}  {}\n  {}\n", text::day(revision.date), revision.author, revision.subject);
        }
        for host in &self.hosts {
            out += &host.text(metrics, samples, revision);
        }
        out
    }
}

impl OnHost {
    fn answer(&self) -> HostAnswer<'_> {
        let benchmarks = self.benchmarks.iter().map(Measured::answer).collect();
        HostAnswer { host: &self.host, build: self.build.as_ref().map(BuildAnswer::from), benchmarks }
    }

    fn text(&self, metrics: &[Metric], samples: bool, revision: &Revision) -> String {
        let mut out = format!(
            "\non {}: {}\n",
            self.host,
            self.build.as_ref().map_or_else(|| "not built".into(), build_line)
        );
        for measured in &self.benchmarks {
            let stand_in = if measured.revision == revision.id {
                String::new()
            } else {
                format!(" (measured at {}, which built to the same artifacts)", measured.revision)
            };
            out +=
                &format!("\n{}{stand_in}\n{}", measured.benchmark, table::indent(&measured.summary(metrics)));
            out += &table::indent(&measured.failures());
            out += &table::indent(&measured.left_behind());
            out += &table::indent(&measured.absent(metrics));
            if samples {
                out += &format!("\n{}", table::indent(&measured.samples(metrics)));
            }
        }
        out
    }
}

fn build_line(build: &Build) -> String {
    let took = text::duration(build.took);
    match &build.state {
        tacho_record::BuildState::Built { artifact, size } => {
            format!("built in {took}, {}, artifacts {}", Unit::Bytes.show(*size as f64), artifact.short())
        }
        tacho_record::BuildState::Failed { why } => format!("build failed after {took}: {why}"),
        other => format!("build {} after {took}", other.word()),
    }
}

impl Measured {
    fn answer(&self) -> MeasuredAnswer<'_> {
        let samples = self.all().map(|(run, sample)| SampleAnswer::of(run, sample)).collect();
        MeasuredAnswer {
            benchmark: &self.benchmark,
            executed_at: &self.revision,
            absent: &self.absent,
            samples,
        }
    }

    fn all(&self) -> impl Iterator<Item = (i64, &Sample)> {
        self.measurements.iter().flat_map(|m| m.samples.iter().map(move |sample| (m.run, sample)))
    }

    /// A row a metric.
    fn summary(&self, metrics: &[Metric]) -> String {
        let head = ["metric", "n", "median", "95 % interval", "spread", "min", "max"];
        let mut list = table::plain(&head, &[1, 2, 3, 4, 5, 6]);
        for metric in metrics {
            let counted = self.all().filter(|(_, sample)| sample.counts());
            let values: Vec<f64> = counted.filter_map(|(_, sample)| sample.value(&metric.name)).collect();
            let limited = self.all().filter(|_| metric.better == Direction::Lower);
            let bounds: Vec<f64> = limited.filter_map(|(_, sample)| sample.bound(&metric.name)).collect();
            let Some(summary) = Summary::censored(&values, &bounds) else { continue };
            let show = |value| metric.unit.show(value);
            let interval = summary.interval.map(|interval| text::interval(&metric.unit, interval));
            list.add_row([
                metric.name.clone(),
                summary.n.to_string(),
                text::median(&metric.unit, &summary),
                interval.unwrap_or_default(),
                summary.spread().map_or_else(String::new, text::percent),
                show(summary.min),
                show(summary.max),
            ]);
        }
        if list.is_empty() { String::new() } else { table::render(&list) }
    }

    /// How many executions failed or reached a limit, and how the first of each ended.
    fn failures(&self) -> String {
        let told = |wanted: fn(&Outcome) -> bool, what: &str| {
            let told = self.all().filter(|(_, sample)| wanted(&sample.outcome));
            let told: Vec<_> = told.filter_map(|(_, sample)| sample.outcome.told()).collect();
            let Some((why, output)) = told.first() else { return String::new() };
            let lines = text::last_lines(output, OUTPUT_LINES);
            let shown: String = lines.iter().map(|line| format!("  | {line}\n")).collect();
            format!("{} {what}; the first: {why}\n{shown}", text::count(told.len(), "execution"))
        };
        let limited = told(|outcome| !outcome.is_failure(), "reached a limit");
        format!("{}{limited}", told(Outcome::is_failure, "failed"))
    }

    /// Which of these metrics could not be read, and why; several with one reason together.
    fn absent(&self, metrics: &[Metric]) -> String {
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (metric, why) in &self.absent {
            if metrics.iter().any(|known| known.name == *metric) {
                reasons.entry(why).or_default().push(metric);
            }
        }
        reasons.iter().map(|(why, metrics)| format!("{}: {why}\n", metrics.join(", "))).collect()
    }

    /// How many executions left processes behind.
    fn left_behind(&self) -> String {
        let left = self.all().filter_map(|(_, sample)| sample.value("left-behind"));
        match left.filter(|left| *left > 0.0).count() {
            0 => String::new(),
            untidy => {
                format!("{} left processes behind, which were killed\n", text::count(untidy, "execution"))
            }
        }
    }

    /// A row a sample.
    fn samples(&self, metrics: &[Metric]) -> String {
        let mut head = vec!["run", "round", "position", "at"];
        head.extend(metrics.iter().map(|metric| metric.name.as_str()));
        head.push("");
        let numbers: Vec<usize> = (0..head.len() - 1).filter(|&index| index != 3).collect();
        let mut list = table::plain(&head, &numbers);
        for (run, sample) in self.all() {
            let round =
                if sample.place.round == 0 { "warm-up".to_owned() } else { sample.place.round.to_string() };
            let mut row =
                vec![run.to_string(), round, sample.place.position.to_string(), sample.at.to_string()];
            let shown =
                |m: &Metric| sample.value(&m.name).map_or_else(|| "–".to_owned(), |value| m.unit.show(value));
            row.extend(metrics.iter().map(shown));
            row.push(sample.outcome.told().map_or_else(String::new, |(line, _)| line));
            list.add_row(row);
        }
        table::render(&list)
    }
}
