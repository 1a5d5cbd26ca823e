//! The expected cost of a bisection, from earlier builds and executions on this host.

use tacho_record::bisection::{
    BisectionRequest, BisectionState, ByCpu, Candidate, ValueComparison, ValueSource,
};
use tacho_record::{Bisection, Counter, Plan, Recipes, is_mostly_busy};
use tacho_report::bisection::noise;
use tacho_stats::bisect::{expected_exact_samples, expected_samples};
use tacho_stats::summary::median;
use tacho_store::{HostId, Store, Values};

use super::cpu::is_disturbed;
use super::kept_answer;
use super::request::Inquiry;
use crate::ExperimentError;

/// Builds besides those that halve the range: both ends and what a failure or two cost; those
/// beside the culprit.
const MORE_BUILDS: usize = 4;
/// If all changes are requested: at least one build in each eighth of all candidates.
const BUILDS_OF_ALL: usize = 8;
/// Samples of a metric with little noise, and of one with much.
const SAMPLES: (f64, f64) = (20.0, 150.0);
/// How many times as long an execution takes under callgrind, about (valgrind's manual).
const CALLGRIND: f64 = 50.0;
/// The additional time of callgrind's start, in seconds, roughly.
const CALLGRIND_START: f64 = 0.5;
/// The least number of samples of a revision that shows their spread.
const FEWEST: usize = 5;
/// The number of standard errors between both ends at which they surely differ.
const APART: f64 = 4.0;
/// Values vary by less than this part of the least effect where all samples of a build are alike.
const ALIKE: f64 = 1e-3;
/// If a small change needs this many times as many samples as a clear one, both numbers are shown.
const FAR: f64 = 4.0;

/// The expected cost of a bisection.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct BisectForecast {
    /// Whether an answer is kept, so that nothing is built or executed.
    pub is_answered: bool,
    /// Commits of the range.
    pub commits: usize,
    /// Commits that touch none of the plan's paths.
    pub left_out: usize,
    /// Programs among both ends and the commits: those that are not known to be the same as the one
    /// before.
    pub programs: usize,
    /// Whether some candidates are not built here, and may be the same program as their neighbours.
    pub may_be_fewer: bool,
    /// Builds that it takes.
    pub builds: usize,
    /// How many of them may be there already.
    pub built: usize,
    /// Builds of the unfinished bisection that is resumed, and seconds of its steps.
    pub resumed: (usize, f64),
    /// Whether both ends were built before, and both builds failed.
    pub ends_failed: bool,
    /// Seconds that a build takes, where that is known.
    pub build: Option<f64>,
    /// Seconds that an execution takes, where that is known.
    pub execution: Option<f64>,
    /// The standard deviation of a sample on the scale of the effect, where that is known.
    pub sd: Option<f64>,
    /// Whether `sd` and `step` are of CPU times, which a bisection uses on a disturbed host.
    pub is_by_cpu: bool,
    /// By how much both ends differ on the scale of the effect, where samples of an earlier time
    /// show that for certain.
    pub step: Option<f64>,
    /// Whether both ends are one build.
    pub is_one_build: bool,
    /// Whether anything is executed.
    pub executes: bool,
    /// Seconds that an execution takes which nothing counts, where that is known.
    pub(super) alone: Option<f64>,
    /// Seconds that an execution takes whose instructions are counted, where that is known.
    pub(super) counted: Option<f64>,
    /// The noise for a bisection of wall time, if wall time, CPU time or instructions are bisected.
    pub(super) of_wall: Option<MetricNoise>,
    /// The noise for a bisection of CPU time, if the program is mostly busy.
    pub(super) of_cpu: Option<MetricNoise>,
}

/// How values of a metric vary, on the scale of the effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MetricNoise {
    /// The standard deviation of a sample.
    pub sd: f64,
    /// By how much both ends differ, where samples of an earlier time show that for certain.
    pub step: Option<f64>,
}

impl MetricNoise {
    fn of(inquiry: &Inquiry, values: &[Values]) -> Option<Self> {
        let sd = scatter(&inquiry.asked, values)?;
        Some(Self { sd, step: step(inquiry, values, sd) })
    }
}

impl BisectForecast {
    /// The forecast for this inquiry, from the store's data of this host; unknown without a store.
    /// `plan` has the benchmark alone, `recipes` are those of the candidates. `retry_failed`:
    /// failed builds are made again.
    pub fn of(
        store: Option<&mut Store>,
        host: &str,
        (plan, recipes): (&Plan, &Recipes),
        inquiry: &Inquiry,
        retry_failed: bool,
    ) -> Result<Self, ExperimentError> {
        let mut expected = Self::unknown(inquiry);
        let Some(store) = store else { return Ok(expected) };
        let Some((id, _)) = store.hosts()?.into_iter().find(|(_, known)| known.name == host) else {
            return Ok(expected);
        };
        let digest = inquiry.digest(&plan.benchmarks, recipes);
        let kept = kept_answer(store, id, (inquiry, digest), retry_failed)?;
        expected.is_answered = kept.is_some();
        if let Some(run) = store.unfinished_run(digest, id)?.filter(|_| !inquiry.again) {
            let builds = store.bisection_of(run.number)?.map_or(0, |it| it.standing.builds);
            let steps = store.observed(run.number)?;
            let seconds = steps.iter().map(|it| it.build.unwrap_or(0.0) + it.executing).sum();
            expected.resumed = (builds, seconds);
        }
        expected.learn_builds(&store.builds(id)?, recipes, inquiry, retry_failed);
        if expected.executes {
            expected.learn_executions(store, (id, host), inquiry)?;
        }
        Ok(expected)
    }

    pub(super) fn unknown(inquiry: &Inquiry) -> Self {
        let candidates = &inquiry.candidates;
        let of = inquiry.asked.of;
        Self {
            is_answered: false,
            commits: candidates.len().saturating_sub(1),
            left_out: candidates.iter().map(|it| it.left_out).sum(),
            programs: candidates.len(),
            may_be_fewer: of != ValueSource::Build && candidates.len() > 2,
            builds: builds_among(&inquiry.asked, candidates.len()),
            built: 0,
            resumed: (0, 0.0),
            ends_failed: false,
            build: None,
            execution: None,
            sd: None,
            is_by_cpu: false,
            step: None,
            is_one_build: false,
            executes: of == ValueSource::Execution,
            alone: None,
            counted: None,
            of_wall: None,
            of_cpu: None,
        }
    }

    /// The duration of executions here, and the spread of their values: from tracked revisions,
    /// otherwise from bisections.
    fn learn_executions(
        &mut self,
        store: &mut Store,
        (host, name): (HostId, &str),
        inquiry: &Inquiry,
    ) -> Result<(), ExperimentError> {
        let asked = &inquiry.asked;
        let walls = store.values(host, &asked.benchmark, "wall")?;
        let seconds: Vec<f64> =
            walls.iter().flat_map(|it| it.values.iter().map(|it| it / 1e9)).collect();
        self.execution = median(&seconds);
        let values = store.values(host, &asked.benchmark, &asked.metric.name)?;
        let vary = MetricNoise::of(inquiry, &values);
        (self.sd, self.step) = (vary.map(|it| it.sd), vary.and_then(|it| it.step));
        if is_compared(asked) {
            let mut of = |metric| store.values(host, &asked.benchmark, metric);
            let (cpu, waited) = (of("cpu")?, of("cpu-wait")?);
            self.learn_times(inquiry, &walls, &cpu, sum(&waited));
        }
        let earlier = earlier(store, name, asked)?;
        let took = |it: &Bisection| it.standing.executing / it.standing.samples as f64;
        let last = |is_counted: bool| {
            let alike = |it: &&Bisection| counts_instructions(&it.asked) == is_counted;
            earlier.iter().rev().find(alike).map(took)
        };
        self.alone = self.execution.or_else(|| last(false));
        // An execution of its own counts them.
        self.counted = last(true).or(self.alone.map(counted));
        self.execution = if counts_instructions(asked) { self.counted } else { self.alone };
        let same = |it: &&Bisection| (&it.asked.metric, it.asked.by) == (&asked.metric, asked.by);
        self.sd = self.sd.or_else(|| earlier.iter().rev().filter(same).find_map(scatter_of));
        Ok(())
    }

    /// The variation of wall time and CPU time, whichever is bisected, so that the values for one
    /// are always the same. `waited` is the sum of the times that executions waited for a CPU.
    pub(super) fn learn_times(
        &mut self,
        inquiry: &Inquiry,
        walls: &[Values],
        cpu: &[Values],
        waited: f64,
    ) {
        let share = (sum(walls) > 0.0).then(|| (sum(cpu) + waited) / sum(walls));
        let mut of_wall = MetricNoise::of(inquiry, walls);
        let mut of_cpu = MetricNoise::of(inquiry, cpu).filter(|_| is_mostly_busy(share));
        if let (Some(wall), Some(cpu)) = (&mut of_wall, &mut of_cpu) {
            // Both times of a busy program change alike, so the effect on one holds for the other.
            let known = [cpu.step.or(wall.step), wall.step.or(cpu.step)];
            [cpu.step, wall.step] = known;
            let spreads = ByCpu { wall: wall.sd, cpu: cpu.sd };
            if is_disturbed(spreads, inquiry.asked.least.ln_1p()) {
                *wall = *cpu;
                self.is_by_cpu = inquiry.asked.metric.name == "wall";
            }
        }
        (self.of_wall, self.of_cpu) = (of_wall, of_cpu);
        let of_asked = match inquiry.asked.metric.name.as_str() {
            "wall" => of_wall,
            "cpu" => of_cpu,
            _ => None,
        };
        if let Some(MetricNoise { sd, step }) = of_asked {
            (self.sd, self.step) = (Some(sd), step);
        }
    }

    /// About how many samples it takes where the change is clear, and where it is as small as is
    /// looked for: twice the same number where the ends are known to differ, or where that hardly
    /// matters.
    #[must_use]
    pub fn samples(&self, asked: &BisectionRequest) -> (f64, f64) {
        let searches = self.searches(asked);
        let few = (SAMPLES.0 * searches).round();
        let step = self.step.filter(|_| !asked.all);
        let known = |sd| self.samples_by(asked, MetricNoise { sd, step });
        let is_alike = self.sd.map_or(is_exact(asked), |sd| sd < ALIKE * asked.least);
        match self.sd.and_then(known) {
            _ if is_alike && asked.by != ValueComparison::Failure => {
                (self.exact_samples(), self.exact_samples())
            }
            None => (few, (SAMPLES.1 * searches).round()),
            Some(samples) if step.is_some() || samples <= FAR * few => (samples, samples),
            Some(samples) => (few, samples),
        }
    }

    /// The same for a metric with this noise. If all changes are requested, the difference of the
    /// ends shows nothing about the other candidates.
    pub(super) fn samples_by(&self, asked: &BisectionRequest, noise: MetricNoise) -> Option<f64> {
        let step = noise.step.filter(|_| !asked.all).unwrap_or(0.0);
        let builds = builds_of_one_search(self.programs).min(self.builds);
        Some((samples_of(asked, Some(builds), step, noise.sd)? * self.searches(asked)).round())
    }

    /// How many times the builds of one search are made.
    fn searches(&self, asked: &BisectionRequest) -> f64 {
        let one = builds_of_one_search(self.programs) as f64;
        if asked.all { (self.builds as f64 / one).max(1.0) } else { 1.0 }
    }

    /// The approximate number of samples for a metric that hardly varies, such as a count of
    /// instructions.
    pub(super) fn exact_samples(&self) -> f64 {
        expected_exact_samples(self.builds)
    }

    /// Seconds that the builds take which are not there, where that is known.
    #[must_use]
    pub fn building(&self) -> Option<f64> {
        self.build.map(|build| build * self.builds.saturating_sub(self.built) as f64)
    }

    /// Seconds that all takes, by either number of [`samples`](Self::samples), where that is known.
    #[must_use]
    pub fn takes(&self, asked: &BisectionRequest) -> Option<(f64, f64)> {
        let execution = if self.executes { self.execution } else { Some(0.0) };
        let (low, high) = self.samples(asked);
        let (building, one) = self.building().zip(execution)?;
        Some((building + one * low, building + one * high))
    }
}

/// Builds that are made of that many programs in order of history.
pub(super) fn builds_among(asked: &BisectionRequest, programs: usize) -> usize {
    let one_search = builds_of_one_search(programs);
    match asked.all_gap(programs) {
        Some(0) => programs,
        Some(_) => (one_search + BUILDS_OF_ALL).min(programs),
        None => one_search.min(programs),
    }
}

/// Builds that it takes to find one change among that many programs.
fn builds_of_one_search(programs: usize) -> usize {
    let commits = programs.saturating_sub(1);
    commits.max(1).ilog2() as usize + 1 + MORE_BUILDS
}

/// About how many samples it takes with this many builds, if that is known, where a sample has this
/// standard deviation and the ends are known to differ by `step`, both on the scale of the effect:
/// a larger effect than the least one is found sooner. `None` for failures, whose variation follows
/// from unknown rates.
pub(super) fn samples_of(
    asked: &BisectionRequest,
    builds: Option<usize>,
    step: f64,
    sd: f64,
) -> Option<f64> {
    let least = match asked.by {
        ValueComparison::Difference => asked.least,
        ValueComparison::Ratio => asked.least.ln_1p(),
        ValueComparison::Failure => return None,
    };
    Some(expected_samples(builds, least.max(step), sd)).filter(|samples| samples.is_finite())
}

/// How many seconds an execution takes that callgrind counts as well, by those that it takes alone.
fn counted(seconds: f64) -> f64 {
    seconds * (1.0 + CALLGRIND) + CALLGRIND_START
}

/// Whether callgrind counts each sample.
pub(super) fn counts_instructions(asked: &BisectionRequest) -> bool {
    asked.metric.name == Counter::CallgrindInstructions.name()
}

/// Whether all samples of a build are alike, or nearly.
fn is_exact(asked: &BisectionRequest) -> bool {
    counts_instructions(asked) || asked.of == ValueSource::Artifacts
}

/// The standard deviation of a sample as a bisection saw it: also where it took few, all alike.
fn scatter_of(bisection: &Bisection) -> Option<f64> {
    let BisectionState { ends, ladder, .. } = &bisection.standing;
    let is_alike = |place: usize| {
        let mut of_end = ladder.iter().filter(|it| it.is_of(place));
        of_end.any(|rung| rung.samples > 1 && rung.error == 0.0)
    };
    let alike = || (is_alike(ends.0) && is_alike(ends.1)).then_some(0.0);
    noise(bisection).or_else(alike)
}

/// Whether a metric is one of those whose costs are compared: wall time, CPU time or instructions.
pub(super) fn is_compared(asked: &BisectionRequest) -> bool {
    let is_time = ["wall", "cpu"].contains(&asked.metric.name.as_str());
    asked.by == ValueComparison::Ratio && (is_time || counts_instructions(asked))
}

/// Values on the scale of the effect.
fn scaled(asked: &BisectionRequest, values: &[f64]) -> Vec<f64> {
    let is_ratio = asked.by == ValueComparison::Ratio;
    values.iter().map(|value| if is_ratio { value.ln() } else { *value }).collect()
}

/// By how much the ends differ on the scale of the effect, where these values show that for
/// certain.
fn step(inquiry: &Inquiry, measured: &[Values], sd: f64) -> Option<f64> {
    let end = |candidate: &Candidate| {
        let of = measured.iter().filter(|it| it.revision == candidate.revision.id);
        let values: Vec<f64> = of.flat_map(|it| scaled(&inquiry.asked, &it.values)).collect();
        let (n, level) = (values.len(), median(&values)?);
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
) -> Result<Vec<Bisection>, ExperimentError> {
    let executed = |asked: &BisectionRequest| {
        (asked.benchmark.clone(), asked.test.clone(), asked.typed.clone())
    };
    let alike = |it: &Bisection| {
        it.host == host && it.standing.samples > 0 && executed(&it.asked) == executed(asked)
    };
    Ok(store.bisections()?.into_iter().map(|(bisection, _)| bisection).filter(alike).collect())
}

/// The usual standard deviation of samples of one revision, on the scale of the effect.
fn scatter(asked: &BisectionRequest, measured: &[Values]) -> Option<f64> {
    let of = |values: &Values| {
        let values = scaled(asked, &values.values);
        let level = median(&values).filter(|_| values.len() >= FEWEST)?;
        let off: Vec<f64> = values.iter().map(|value| (value - level).abs()).collect();
        median(&off).map(|off| 1.4826 * off)
    };
    let each: Vec<f64> = measured.iter().filter_map(of).collect();
    median(&each)
}

fn sum(all: &[Values]) -> f64 {
    all.iter().flat_map(|it| &it.values).sum()
}
