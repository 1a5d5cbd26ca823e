//! Series: what was measured, over revisions.

use serde::{Deserialize, Serialize};

use crate::{BenchmarkKey, Build, Digest, Failure, Metric, Revision, Sample, Steadiness, Stop};

/// The samples of one benchmark, at one build, on one host, in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The number of the run that took it.
    pub run: i64,
    /// The full name of the revision whose build was executed.
    pub revision: String,
    /// The build's artifact: another recipe gives the same revision another program.
    pub artifact: Digest,
    /// All executions, warmup and failures included, in order of the schedule.
    pub samples: Vec<Sample>,
    /// The result of the search for a warmup, if requested.
    pub steadiness: Option<Steadiness>,
}

/// The key of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesKey {
    /// The benchmark with its parameters.
    pub benchmark: BenchmarkKey,
    /// The host's name.
    pub host: String,
    /// The metric.
    pub metric: Metric,
}

impl SeriesKey {
    /// The display name, without the host: `parse · wall`.
    #[must_use]
    pub fn name(&self) -> String {
        self.metric.series_of(&self.benchmark)
    }
}

/// Executions that reached a limit: of a metric it is known only that it would have been at least
/// this much.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitedExecutions {
    /// How many there are.
    pub count: u32,
    /// The metric's values when the limit was reached, one each, for a metric of which less is
    /// better.
    pub bounds: Vec<f64>,
    /// The limit that the first of them reached, in one line.
    pub why: Option<String>,
}

impl LimitedExecutions {
    /// Whether both counts are 0.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.count == 0
    }

    /// The limited samples among these.
    #[must_use]
    pub fn of<'a>(samples: impl IntoIterator<Item = &'a Sample>, metric: &Metric) -> Self {
        let all: Vec<&Sample> = samples.into_iter().filter(|sample| sample.is_limited()).collect();
        Self {
            count: u32::try_from(all.len()).unwrap_or(u32::MAX),
            bounds: all.iter().filter_map(|sample| sample.bound(metric)).collect(),
            why: all.first().and_then(|sample| Some(sample.outcome.described()?.0)),
        }
    }
}

/// One revision's place in a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The revision.
    pub revision: Revision,
    /// How its build ended; absent when it was never tried on this host.
    pub build: Option<Build>,
    /// Whether that build is by another recipe than the plan's present one, which was not tried
    /// yet. The values are of that build, which does not show whether the revision builds now.
    pub outdated: bool,
    /// The revision that was measured in its stead, because both built to the same artifacts.
    pub equal_to: Option<String>,
    /// The metric's values that count, in the order in which they were taken; where the build is
    /// [several](Self::layouts), the median of each of them.
    pub values: Vec<f64>,
    /// If one source was linked in several orders: the values of each of these builds, which may be
    /// empty. Repeated executions of one order are not independent, so no judgement uses these
    /// values alone. Empty for a single build.
    pub layouts: Vec<Vec<f64>>,
    /// The reason why a measured point has no values.
    pub absent: Option<String>,
    /// The executions that reached a limit.
    pub limited: LimitedExecutions,
    /// The numbers of the runs that they were taken in, each once.
    pub runs: Vec<i64>,
    /// The number of each value's run; empty for several layouts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub value_runs: Vec<i64>,
    /// How far the 95 % interval of the level reaches to either side, as a logarithm, where the
    /// values are at the host's usual speed and that is known; else the values show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
    /// How many executions failed.
    pub failed: u32,
    /// How the first failed one of the newest run failed.
    pub failure: Option<Failure>,
    /// The same in one line, with the last that the program printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_said: Option<String>,
    /// Whether the number of samples was chosen by looking at the values: then only an interval
    /// that is valid at all times holds.
    pub looked_at: bool,
    /// The reason why measuring ended, unless the number of rounds was fixed in advance.
    pub stopped: Option<Stop>,
    /// The result of the last run that looked for a warmup.
    pub steadiness: Option<Steadiness>,
}

impl Point {
    /// Its build by the present plan.
    #[must_use]
    pub fn present_build(&self) -> Option<&Build> {
        self.build.as_ref().filter(|_| !self.outdated)
    }

    /// The build that is shown: an outdated one only as long as its values are.
    #[must_use]
    pub fn shown_build(&self) -> Option<&Build> {
        let has_any = !self.values.is_empty() || self.failed > 0 || self.limited.count > 0;
        self.build.as_ref().filter(|_| !self.outdated || has_any)
    }

    /// Whether one run measured both points; true if a point's runs are unknown.
    #[must_use]
    pub fn shares_run(&self, other: &Self) -> bool {
        let is_unknown = self.runs.is_empty() || other.runs.is_empty();
        is_unknown || self.runs.iter().any(|run| other.runs.contains(run))
    }

    /// Whether the plan's recipe was edited between the builds of both, so that a difference may
    /// not be a commit's. Builds of one plan on both sides of a quirk's start have the same recipe.
    #[must_use]
    pub fn is_of_another_recipe(&self, other: &Self) -> bool {
        let is_edited =
            |own: &Build, other: &Build| own.recipe != other.recipe && own.quirks == other.quirks;
        let builds = self.build.as_ref().zip(other.build.as_ref());
        builds.is_some_and(|(own, others)| {
            self.outdated != other.outdated || self.outdated && is_edited(own, others)
        })
    }

    /// The values that were taken in runs that measured the other point too.
    #[must_use]
    pub fn values_beside(&self, other: &Self) -> Vec<f64> {
        let values = self.values.iter().zip(&self.value_runs);
        values.filter(|(_, run)| other.runs.contains(run)).map(|(value, _)| *value).collect()
    }

    /// Whether there are several values and all are equal, as counts are: the host does not affect
    /// them.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let first = self.values.first().copied().unwrap_or(0.0);
        let is_same = |value: &f64| value.total_cmp(&first).is_eq();
        self.values.len() > 1 && self.limited.count == 0 && self.values.iter().all(is_same)
    }

    /// Whether the revision is built, and neither it nor an equal build was ever executed.
    #[must_use]
    pub fn is_left(&self) -> bool {
        let is_built = self.shown_build().is_some_and(|build| build.state.artifact().is_some());
        let was_executed = self.failed > 0 || self.limited.count > 0 || self.absent.is_some();
        is_built && self.equal_to.is_none() && self.values.is_empty() && !was_executed
    }
}

/// The measurements of one metric of one benchmark on one host, over revisions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The key.
    pub key: SeriesKey,
    /// One a revision, in order of history; revisions that failed to build are among them, without
    /// values.
    pub points: Vec<Point>,
    /// The runs in which the host's speed moved; the values are those at its usual speed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uneven: Vec<HostUnevenness>,
    /// The changes of its level that are reported, or were and are not seen now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<LevelChange>,
}

/// A reported change of a level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelChange {
    /// The full name of the revision that is most likely the first at the new level.
    pub revision: String,
    /// Whether the level rises.
    pub rises: bool,
    /// By how much, as a share of the level before; `None` if that is 0.
    pub effect: Option<f64>,
    /// Whether its interval is on one side of 0.
    pub is_sure: bool,
    /// Whether the last analysis saw it: later samples may make a change uncertain.
    pub is_seen: bool,
}

impl Series {
    /// The reported change of the level at a revision.
    #[must_use]
    pub fn change_at(&self, revision: &str) -> Option<&LevelChange> {
        self.changes.iter().find(|change| change.revision == revision && change.is_seen)
    }
}

/// How unevenly the host ran while a run measured a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostUnevenness {
    /// The number of the run.
    pub run: i64,
    /// How much longer executions took at the host's slow speed than at its fast one: 0.5 is 50 %.
    pub slower: f64,
    /// How many times as many samples would be as sharp without taking the host's speed off; at
    /// least 1.
    pub gain: f64,
}
