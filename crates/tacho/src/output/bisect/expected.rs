//! What a bisection is expected to take.

use std::time::Duration;

use serde::Serialize;
use tacho_experiment::bisect::Inquiry;
use tacho_record::Bisection;
use tacho_record::bisection::{BisectionRequest, ValueComparison, ValueSource};
use tacho_store::{HostId, Store, Values};

use tacho_report::bisection::{noise, subject, varying};

use super::forecast::{about, samples};
use crate::error::CliError;
use crate::output::text::{count, duration, has_callgrind};
use crate::project::Project;

/// Builds besides those that halve the range: both ends and what a failure or two cost; those
/// beside the culprit.
const MORE_BUILDS: usize = 4;
/// Where all changes are asked for: in each eighth of all candidates one at least.
const BUILDS_OF_ALL: usize = 8;
/// Samples of a metric with little noise, and of one with much.
const SAMPLES: (usize, usize) = (20, 150);
/// Where fewer are expected, there is hardly any noise.
const FEW: f64 = 40.0;
/// How many times as long an execution takes under callgrind, about (valgrind's manual).
const CALLGRIND: f64 = 50.0;
/// This many samples of a revision show how far they lie apart.
const FEWEST: usize = 5;

/// What it is expected to take, from what is known of builds and executions here.
pub struct BisectForecast {
    commits: usize,
    left_out: usize,
    builds: usize,
    built: usize,
    /// Seconds that one takes, where that is known.
    build: Option<f64>,
    execution: Option<f64>,
    /// The standard deviation of a sample on the scale of the effect, where that is known.
    sd: Option<f64>,
    /// The same of the CPU time, where wall time is asked for.
    sd_of_cpu: Option<f64>,
    /// Whether there is anything to execute.
    executes: bool,
}

/// The same for machines: `docs/src/formats`.
#[derive(Debug, Serialize)]
pub struct BisectForecastAnswer<'a> {
    asked: &'a BisectionRequest,
    revisions: Vec<&'a str>,
    left_out: usize,
    builds: usize,
    built: usize,
    samples: (f64, f64),
    takes: Option<(f64, f64)>,
}

impl BisectForecast {
    /// For machines.
    pub fn forecast<'a>(&self, inquiry: &'a Inquiry) -> BisectForecastAnswer<'a> {
        let asked = &inquiry.asked;
        let known = self.sd.and_then(|sd| samples(asked, sd)).map(f64::round);
        let samples =
            known.map_or((SAMPLES.0 as f64, SAMPLES.1 as f64), |samples| (samples, samples));
        let building =
            self.build.map(|build| build * self.builds.saturating_sub(self.built) as f64);
        let execution = if self.executes { self.execution } else { Some(0.0) };
        let takes = building
            .zip(execution)
            .map(|(building, one)| (building + one * samples.0, building + one * samples.1));
        BisectForecastAnswer {
            asked,
            revisions: inquiry.candidates.iter().map(|it| it.revision.id.as_str()).collect(),
            left_out: self.left_out,
            builds: self.builds,
            built: self.built,
            samples,
            takes,
        }
    }

    /// Of this inquiry; what was built and executed before is asked of the store, if there is one.
    pub fn of(project: &Project, inquiry: &Inquiry) -> Result<Self, CliError> {
        let candidates = &inquiry.candidates;
        let commits = candidates.len().saturating_sub(1);
        let halvings = commits.max(1).ilog2() as usize + 1;
        let mut expected = Self {
            commits,
            left_out: candidates.iter().map(|it| it.left_out).sum(),
            builds: match inquiry.asked.all_gap(candidates.len()) {
                Some(0) => candidates.len(),
                Some(_) => (halvings + MORE_BUILDS + BUILDS_OF_ALL).min(candidates.len()),
                None => (halvings + MORE_BUILDS).min(candidates.len()),
            },
            built: 0,
            build: None,
            execution: None,
            sd: None,
            sd_of_cpu: None,
            executes: inquiry.asked.of == ValueSource::Execution,
        };
        // Without a store nothing is known; that it cannot be opened is told where it is needed.
        let Ok(mut store) = project.store_to_read() else { return Ok(expected) };
        let name = tacho_measure::host().name;
        let Some((host, _)) = store.hosts()?.into_iter().find(|(_, host)| host.name == name) else {
            return Ok(expected);
        };
        let recipe = project.plan.subject.recipe();
        let builds: Vec<_> =
            store.builds(host)?.into_iter().filter(|it| it.recipe == recipe).collect();
        // The commits of a merge are not built as they are.
        let as_they_are =
            if inquiry.asked.within.is_empty() { 1 } else { candidates.len().saturating_sub(1) };
        let ends = candidates.iter().step_by(as_they_are.max(1));
        let candidate = |id: &str| ends.clone().any(|it| it.revision.id == id);
        // How long a build takes is known of a build that is made now.
        if inquiry.asked.of != ValueSource::Build {
            let built = builds.iter().filter(|it| candidate(&it.revision)).count();
            expected.built = built.min(expected.builds);
        }
        expected.build = median(builds.iter().map(|it| it.took.as_secs_f64()).collect());
        if expected.executes {
            expected.learn(&mut store, (host, &name), &inquiry.asked)?;
        }
        Ok(expected)
    }

    /// How long executions take here, and how far their values lie apart: of what was tracked, else
    /// of bisections.
    fn learn(
        &mut self,
        store: &mut Store,
        (host, name): (HostId, &str),
        asked: &BisectionRequest,
    ) -> Result<(), CliError> {
        let walls = store.values(host, &asked.benchmark, "wall")?;
        self.execution =
            median(walls.iter().flat_map(|it| it.values.iter().map(|it| it / 1e9)).collect());
        self.sd = scatter(asked, &store.values(host, &asked.benchmark, &asked.metric.name)?);
        if asked.metric.name == "wall" && asked.by == ValueComparison::Ratio {
            self.sd_of_cpu = scatter(asked, &store.values(host, &asked.benchmark, "cpu")?);
        }
        let earlier = earlier(store, name, asked)?;
        let took = |it: &Bisection| it.standing.executing / it.standing.samples as f64;
        self.execution = self.execution.or_else(|| earlier.last().map(took));
        let same = |it: &&Bisection| (&it.asked.metric, it.asked.by) == (&asked.metric, asked.by);
        self.sd = self.sd.or_else(|| earlier.iter().rev().filter(same).find_map(noise));
        Ok(())
    }

    /// In a few lines.
    pub fn text(&self, inquiry: &Inquiry) -> String {
        let asked = &inquiry.asked;
        let outside = match self.left_out {
            0 => String::new(),
            1 => " (1 more touches none of the plan's paths)".to_owned(),
            left => format!(" ({left} more touch none of the plan's paths)"),
        };
        let least = match asked.by {
            ValueComparison::Ratio | ValueComparison::Failure => {
                format!("{} %", (asked.least * 1e8).round() / 1e6)
            }
            ValueComparison::Difference => asked.metric.unit.show(asked.least),
        };
        let built = match self.built {
            0 => String::new(),
            built => format!(", of which {built} may be there"),
        };
        let most = match asked.own_builds() {
            Some(most) => format!(", at most {most}"),
            None => String::new(),
        };
        format!(
            "which of {}{outside} changed {} by {least} or more?\n\
             expected: about {}{built}{most}; {}\n\
             {}\n{}",
            count(self.commits, "commit"),
            subject(asked),
            count(self.builds, "build"),
            self.samples(asked),
            self.time(asked),
            self.others(asked),
        )
    }

    /// What other metrics would take, where wall time takes long: they vary less.
    fn others(&self, asked: &BisectionRequest) -> String {
        let Some((build, one)) = self.build.zip(self.execution) else { return String::new() };
        let Some(by_wall) = self.sd.and_then(|sd| samples(asked, sd)) else { return String::new() };
        let building = build * self.builds.saturating_sub(self.built) as f64;
        let by_cpu = self.sd_of_cpu.and_then(|sd| samples(asked, sd));
        let by_cpu = by_cpu.map(|samples| ("cpu", building + one * samples));
        let counted = building + CALLGRIND * one * SAMPLES.0 as f64;
        let counted = has_callgrind().then_some(("instructions=callgrind", counted));
        let is_shorter = |(_, other): &(&str, f64)| *other < building + one * by_wall;
        let line = |(metric, takes): (&str, f64)| format!("{} with `-m {metric}`", seconds(takes));
        let metric = &asked.metric.name;
        let is_time = metric == "wall" && asked.by == ValueComparison::Ratio;
        let all: Vec<String> = [by_cpu, counted]
            .into_iter()
            .flatten()
            .filter(|other| is_time && is_shorter(other))
            .map(line)
            .collect();
        if all.is_empty() { String::new() } else { format!("about {}\n", all.join(", ")) }
    }

    /// How many samples of each kind of noise, or of that which is known here.
    fn samples(&self, asked: &BisectionRequest) -> String {
        if let Some((sd, samples)) = self.sd.and_then(|sd| Some((sd, samples(asked, sd)?))) {
            let varied = match samples {
                few if few < FEW => "hardly varied".to_owned(),
                _ => format!("varied by {}", varying(asked, sd)),
            };
            return format!("about {} samples, as values {varied} here", about(samples));
        }
        let much = match asked.by {
            ValueComparison::Failure => "if it is flaky",
            _ => "where there is much noise",
        };
        format!("{} samples, {} and more {much}", SAMPLES.0, SAMPLES.1)
    }

    fn time(&self, asked: &BisectionRequest) -> String {
        let most = asked
            .own_budget()
            .map_or_else(String::new, |most| format!(", at most {}", seconds(most)));
        let Some(build) = self.build else {
            return format!("how long that takes is known after the first build{most}");
        };
        let building = build * self.builds.saturating_sub(self.built) as f64;
        match self.execution {
            None if self.executes => {
                let builds = seconds(building);
                format!(
                    "about {builds} for the builds; how long executions take is known after the \
                     first{most}"
                )
            }
            None => format!("about {} for the builds{most}", seconds(building)),
            Some(one) => {
                if let Some(samples) = self.sd.and_then(|sd| samples(asked, sd)) {
                    return format!("about {}{most}", seconds(building + one * samples));
                }
                let [low, high] =
                    [SAMPLES.0, SAMPLES.1].map(|samples| seconds(building + one * samples as f64));
                format!("about {low} to {high}{most}")
            }
        }
    }
}

/// The bisections here of what is executed in the same way, as far as they have samples; the newest
/// is the last.
fn earlier(
    store: &mut Store,
    host: &str,
    asked: &BisectionRequest,
) -> Result<Vec<Bisection>, CliError> {
    let executed = |asked: &BisectionRequest| {
        (asked.benchmark.clone(), asked.test.clone(), asked.typed.clone())
    };
    let alike = |it: &Bisection| {
        it.host == host && it.standing.samples > 0 && executed(&it.asked) == executed(asked)
    };
    Ok(store.bisections()?.into_iter().map(|(bisection, _)| bisection).filter(alike).collect())
}

/// How far samples of one revision usually lie apart on the scale of the effect, as a standard
/// deviation.
fn scatter(asked: &BisectionRequest, measured: &[Values]) -> Option<f64> {
    let of = |values: &Values| {
        let ratios = asked.by == ValueComparison::Ratio;
        let scaled = |value: f64| if ratios { value.ln() } else { value };
        let values: Vec<f64> = values.values.iter().map(|value| scaled(*value)).collect();
        let level = median(values.clone()).filter(|_| values.len() >= FEWEST)?;
        median(values.iter().map(|value| (value - level).abs()).collect()).map(|off| 1.4826 * off)
    };
    median(measured.iter().filter_map(of).filter(|sd| sd.is_finite()).collect())
}

fn seconds(seconds: f64) -> String {
    duration(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default())
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
