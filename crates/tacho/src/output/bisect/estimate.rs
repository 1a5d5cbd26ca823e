//! What a bisection is expected to take.

use std::time::Duration;

use serde::Serialize;
use tacho_experiment::bisect::{Inquiry, is_disturbed};
use tacho_record::bisection::{BisectionRequest, ByCpu, Candidate, ValueComparison, ValueSource};
use tacho_record::{Bisection, is_mostly_busy};
use tacho_store::{HostId, Store, Values};

use tacho_report::bisection::{noise, subject, varying};

use super::forecast::{about, samples, samples_of};
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
/// So many standard errors apart, both ends differ for certain.
const APART: f64 = 4.0;
/// Where a small change takes this many times as many samples as a clear one, both are said.
const FAR: f64 = 4.0;

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
    /// Whether both are those of the CPU time already.
    is_by_cpu: bool,
    /// By how much both ends differ on the scale of the effect, where what was measured of them
    /// here shows that for certain.
    step: Option<f64>,
    /// Whether both ends are one build, as is known here.
    is_one_build: bool,
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
    one_build: bool,
}

impl BisectForecast {
    /// For machines.
    pub fn forecast<'a>(&self, inquiry: &'a Inquiry) -> BisectForecastAnswer<'a> {
        let asked = &inquiry.asked;
        let samples = self.range(asked);
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
            samples: if self.is_one_build { (0.0, 0.0) } else { samples },
            takes: if self.is_one_build { Some((0.0, 0.0)) } else { takes },
            one_build: self.is_one_build,
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
            is_by_cpu: false,
            step: None,
            is_one_build: false,
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
        let artifact = |of: &Candidate| {
            builds.iter().find(|it| it.revision == of.revision.id)?.state.artifact()
        };
        let ends = candidates.first().zip(candidates.last());
        expected.is_one_build = expected.executes
            && ends.is_some_and(|(first, last)| {
                artifact(first).is_some() && artifact(first) == artifact(last)
            });
        expected.build = median(builds.iter().map(|it| it.took.as_secs_f64()).collect());
        if expected.executes {
            expected.learn(&mut store, (host, &name), inquiry)?;
        }
        Ok(expected)
    }

    /// How long executions take here, and how far their values lie apart: of what was tracked, else
    /// of bisections.
    fn learn(
        &mut self,
        store: &mut Store,
        (host, name): (HostId, &str),
        inquiry: &Inquiry,
    ) -> Result<(), CliError> {
        let asked = &inquiry.asked;
        let walls = store.values(host, &asked.benchmark, "wall")?;
        self.execution =
            median(walls.iter().flat_map(|it| it.values.iter().map(|it| it / 1e9)).collect());
        let values = store.values(host, &asked.benchmark, &asked.metric.name)?;
        self.sd = scatter(asked, &values);
        self.step = self.sd.and_then(|sd| step(inquiry, &values, sd));
        if asked.metric.name == "wall" && asked.by == ValueComparison::Ratio {
            let mut of = |metric| store.values(host, &asked.benchmark, metric);
            let (cpu, waited) = (of("cpu")?, of("cpu-wait")?);
            let busy = sum(&cpu) + sum(&waited);
            let share = (sum(&walls) > 0.0).then(|| busy / sum(&walls));
            self.sd_of_cpu = scatter(asked, &cpu).filter(|_| is_mostly_busy(share));
            self.go_by_cpu(inquiry, &cpu);
        }
        let earlier = earlier(store, name, asked)?;
        let took = |it: &Bisection| it.standing.executing / it.standing.samples as f64;
        self.execution = self.execution.or_else(|| earlier.last().map(took));
        let same = |it: &&Bisection| (&it.asked.metric, it.asked.by) == (&asked.metric, asked.by);
        self.sd = self.sd.or_else(|| earlier.iter().rev().filter(same).find_map(noise));
        Ok(())
    }

    /// By CPU times, which a bisection goes by where other work disturbs the wall times.
    fn go_by_cpu(&mut self, inquiry: &Inquiry, cpu: &[Values]) {
        let Some((wall, of_cpu)) = self.sd.zip(self.sd_of_cpu) else { return };
        if is_disturbed(ByCpu { wall, cpu: of_cpu }, inquiry.asked.least.ln_1p()) {
            self.sd = Some(of_cpu);
            self.step = step(inquiry, cpu, of_cpu);
            self.is_by_cpu = true;
        }
    }

    /// In a few lines.
    pub fn text(&self, inquiry: &Inquiry) -> String {
        let asked = &inquiry.asked;
        if self.is_one_build {
            return "both ends are one and the same build, so nothing between them can show a \
                    change\n"
                .to_owned();
        }
        let outside = match self.left_out {
            0 => String::new(),
            1 => " (1 more touches none of the plan's paths)".to_owned(),
            left => format!(" ({left} more touch none of the plan's paths)"),
        };
        let least = least(asked);
        let built = match self.built {
            0 => String::new(),
            built => format!(", of which {built} may be there"),
        };
        let most = match asked.own_builds() {
            Some(most) => format!(", at most {most}"),
            None => String::new(),
        };
        let question = match self.commits {
            1 => format!(
                "does the one commit{outside} change {} by {least} or more?",
                subject(asked)
            ),
            commits => format!(
                "which of {}{outside} changed {} by {least} or more?",
                count(commits, "commit"),
                subject(asked)
            ),
        };
        format!(
            "{question}\n\
             expected: about {}{built}{most}; {}\n\
             {}\n{}",
            count(self.builds, "build"),
            self.samples(asked),
            self.time(asked),
            self.others(asked),
        )
    }

    /// What other metrics would take, where wall time takes long: they vary less.
    fn others(&self, asked: &BisectionRequest) -> String {
        let Some((build, one)) = self.build.zip(self.execution) else { return String::new() };
        if self.sd.is_none() {
            return String::new();
        }
        let (_, by_wall) = self.range(asked);
        let building = build * self.builds.saturating_sub(self.built) as f64;
        let step = self.step.unwrap_or(0.0);
        let by_cpu =
            self.sd_of_cpu.filter(|_| !self.is_by_cpu).and_then(|sd| samples_of(asked, step, sd));
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
            let (low, high) = self.range(asked);
            let values = if self.is_by_cpu { "CPU times" } else { "values" };
            return match self.step {
                Some(_) => format!(
                    "about {} samples, as {values} {varied} here, and the ends \
                     differ by more than {}",
                    about(high),
                    least(asked)
                ),
                None if samples > FAR * low => format!(
                    "about {low:.0} samples for a clear change, about {} for one of {}, as \
                     {values} {varied} here",
                    about(high),
                    least(asked)
                ),
                None => format!("about {} samples, as {values} {varied} here", about(samples)),
            };
        }
        let much = match asked.by {
            ValueComparison::Failure => "if it is flaky",
            _ => "where there is much noise",
        };
        format!("{} samples, {} and more {much}", SAMPLES.0, SAMPLES.1)
    }

    /// About how many samples it takes where the change is clear, and where it is as small as is
    /// looked for: one number where it is known by how much the ends differ, or where that hardly
    /// matters.
    fn range(&self, asked: &BisectionRequest) -> (f64, f64) {
        let (few, much) = (SAMPLES.0 as f64, SAMPLES.1 as f64);
        let known = |sd| samples_of(asked, self.step.unwrap_or(0.0), sd).map(f64::round);
        match self.sd.and_then(known) {
            None => (few, much),
            Some(samples) if self.step.is_some() || samples <= FAR * few => (samples, samples),
            Some(samples) => (few, samples),
        }
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
                let (low, high) = self.range(asked);
                let [low, high] = [low, high].map(|samples| seconds(building + one * samples));
                if low == high {
                    return format!("about {low}{most}");
                }
                format!("about {low} to {high}{most}")
            }
        }
    }
}

/// The least effect that is looked for.
fn least(asked: &BisectionRequest) -> String {
    match asked.by {
        ValueComparison::Ratio | ValueComparison::Failure => {
            format!("{} %", (asked.least * 1e8).round() / 1e6)
        }
        ValueComparison::Difference => asked.metric.unit.show(asked.least),
    }
}

/// By how much the ends differ on the scale of the effect, where these values show that for
/// certain.
fn step(inquiry: &Inquiry, measured: &[Values], sd: f64) -> Option<f64> {
    let scaled = |value: f64| match inquiry.asked.by {
        ValueComparison::Ratio => value.ln(),
        ValueComparison::Difference | ValueComparison::Failure => value,
    };
    let end = |candidate: &Candidate| {
        let of = measured.iter().filter(|it| it.revision == candidate.revision.id);
        let values: Vec<f64> = of.flat_map(|it| &it.values).map(|value| scaled(*value)).collect();
        let (n, level) = (values.len(), median(values)?);
        (n >= FEWEST).then_some((n as f64, level))
    };
    let [(n, first), (m, last)] =
        [end(inquiry.candidates.first()?)?, end(inquiry.candidates.last()?)?];
    let step = (last - first).abs();
    (step.is_finite() && step > APART * sd * (1.0 / n + 1.0 / m).sqrt()).then_some(step)
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

fn sum(all: &[Values]) -> f64 {
    all.iter().flat_map(|it| &it.values).sum()
}

fn seconds(seconds: f64) -> String {
    duration(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default())
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
