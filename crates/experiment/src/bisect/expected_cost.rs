//! What a bisection is expected to take, from what is known of builds and executions here.

use tacho_record::bisection::{BisectionRequest, ByCpu, Candidate, ValueComparison, ValueSource};
use tacho_record::{Bisection, Build, BuildState, Counter, Digest, Plan, Recipes, is_mostly_busy};
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
/// Where all changes are asked for: in each eighth of all candidates one at least.
const BUILDS_OF_ALL: usize = 8;
/// Samples of a metric with little noise, and of one with much.
const SAMPLES: (f64, f64) = (20.0, 150.0);
/// How many times as long an execution takes under callgrind, about (valgrind's manual).
const CALLGRIND: f64 = 50.0;
/// What the start of callgrind takes besides, in seconds, about.
const CALLGRIND_START: f64 = 0.5;
/// This many samples of a revision show how far they lie apart.
const FEWEST: usize = 5;
/// This many standard errors apart, both ends differ for certain.
const APART: f64 = 4.0;
/// Values vary by less than this part of the least effect where all samples of a build are alike.
const ALIKE: f64 = 1e-3;
/// Where a small change takes this many times as many samples as a clear one, both are given.
const FAR: f64 = 4.0;

/// What a bisection is expected to take.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct BisectForecast {
    /// Whether an answer is kept, so that nothing is built or executed.
    pub is_answered: bool,
    /// Commits of the range.
    pub commits: usize,
    /// Commits that touch none of the plan's paths.
    pub left_out: usize,
    /// Builds that it takes.
    pub builds: usize,
    /// How many of them may be there already.
    pub built: usize,
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
    /// What a bisection of wall time goes by, where wall time, CPU time or instructions are
    /// bisected.
    pub(super) of_wall: Option<MetricNoise>,
    /// What one of CPU time goes by, where the program is mostly busy.
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
    /// Of this inquiry, by what the store has of this host; without a store nothing is known.
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
        expected.learn_builds(store, (id, plan.subject.recipe()), inquiry, retry_failed)?;
        if expected.executes {
            expected.learn_executions(store, (id, host), inquiry)?;
        }
        Ok(expected)
    }

    pub(super) fn unknown(inquiry: &Inquiry) -> Self {
        let candidates = &inquiry.candidates;
        let commits = candidates.len().saturating_sub(1);
        let one_search = builds_of_one_search(commits);
        Self {
            is_answered: false,
            commits,
            left_out: candidates.iter().map(|it| it.left_out).sum(),
            builds: match inquiry.asked.all_gap(candidates.len()) {
                Some(0) => candidates.len(),
                Some(_) => (one_search + BUILDS_OF_ALL).min(candidates.len()),
                None => one_search.min(candidates.len()),
            },
            built: 0,
            ends_failed: false,
            build: None,
            execution: None,
            sd: None,
            is_by_cpu: false,
            step: None,
            is_one_build: false,
            executes: inquiry.asked.of == ValueSource::Execution,
            alone: None,
            counted: None,
            of_wall: None,
            of_cpu: None,
        }
    }

    /// Which builds are there, and how long one takes.
    fn learn_builds(
        &mut self,
        store: &mut Store,
        (host, recipe): (HostId, Digest),
        inquiry: &Inquiry,
        retry_failed: bool,
    ) -> Result<(), ExperimentError> {
        let candidates = &inquiry.candidates;
        let is_kept =
            |it: &Build| it.recipe == recipe && (!retry_failed || it.state.artifact().is_some());
        let builds: Vec<Build> = store.builds(host)?.into_iter().filter(is_kept).collect();
        // The commits of a merge are not built as they are.
        let as_they_are =
            if inquiry.asked.within.is_empty() { 1 } else { candidates.len().saturating_sub(1) };
        // A build whose time is bisected is made now.
        if inquiry.asked.of != ValueSource::Build {
            let is_built = |(at, it): (usize, &Candidate)| {
                at % as_they_are.max(1) == 0
                    && builds.iter().any(|build| build.revision == it.revision.id)
            };
            let all: Vec<bool> = candidates.iter().enumerate().map(is_built).collect();
            self.built = expected_cached(&all, self.builds);
        }
        let artifact = |of: &Candidate| {
            builds.iter().find(|it| it.revision == of.revision.id)?.state.artifact()
        };
        let ends = candidates.first().zip(candidates.last());
        let has_failed = |of: &Candidate| {
            let mut all = builds.iter().filter(|it| it.revision == of.revision.id);
            all.any(|it| it.state.artifact().is_none())
        };
        self.ends_failed = inquiry.asked.of != ValueSource::Build
            && ends.is_some_and(|(first, last)| has_failed(first) && has_failed(last));
        self.is_one_build = self.executes
            && ends.is_some_and(|(first, last)| {
                artifact(first).is_some() && artifact(first) == artifact(last)
            });
        // What is skipped takes no time, which says nothing of the others.
        let was_made = |it: &&Build| !matches!(it.state, BuildState::Skipped { .. });
        let made = builds.iter().filter(was_made);
        let took: Vec<f64> = made.map(|it| it.took.as_secs_f64()).collect();
        self.build = median(&took);
        Ok(())
    }

    /// How long executions take here, and how far their values lie apart: of what was tracked, else
    /// of bisections.
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
        self.sd = self.sd.or_else(|| earlier.iter().rev().filter(same).find_map(noise));
        Ok(())
    }

    /// How wall time and CPU time vary, whichever of them is bisected: what is said of one is the
    /// same then. `waited` is the sum of the times that executions waited for a CPU.
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
            // Of a program that is busy both change alike, so what one shows holds for the other.
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
        let is_alike = self.sd.map_or(counts_instructions(asked), |sd| sd < ALIKE * asked.least);
        match self.sd.and_then(known) {
            _ if is_alike && asked.by != ValueComparison::Failure => {
                (self.exact_samples(), self.exact_samples())
            }
            None => (few, (SAMPLES.1 * searches).round()),
            Some(samples) if step.is_some() || samples <= FAR * few => (samples, samples),
            Some(samples) => (few, samples),
        }
    }

    /// The same of a metric whose values vary so. Where all changes are asked for, what the ends
    /// differ by says nothing of the others.
    pub(super) fn samples_by(&self, asked: &BisectionRequest, noise: MetricNoise) -> Option<f64> {
        let step = noise.step.filter(|_| !asked.all).unwrap_or(0.0);
        Some((samples_of(asked, step, noise.sd)? * self.searches(asked)).round())
    }

    /// How many times the builds of one search are made.
    fn searches(&self, asked: &BisectionRequest) -> f64 {
        let one = builds_of_one_search(self.commits) as f64;
        if asked.all { (self.builds as f64 / one).max(1.0) } else { 1.0 }
    }

    /// About how many samples a metric takes that hardly varies, such as a count of instructions.
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

/// Builds that it takes to find one change among that many commits.
fn builds_of_one_search(commits: usize) -> usize {
    commits.max(1).ilog2() as usize + 1 + MORE_BUILDS
}

/// How many of the expected builds may be there already, by which candidates are built. Both ends
/// are needed; which of the others are is not known beforehand, so that as large a part of them is
/// taken to be there as of all.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of builds")]
fn expected_cached(is_built: &[bool], builds: usize) -> usize {
    let count = |of: &[bool]| of.iter().filter(|it| **it).count();
    let [first, inner @ .., last] = is_built else { return count(is_built).min(builds) };
    let ends = count(&[*first, *last]);
    let needed = builds.saturating_sub(2).min(inner.len());
    if inner.is_empty() {
        return ends.min(builds);
    }
    let share = count(inner) as f64 / inner.len() as f64;
    (ends + (share * needed as f64).round() as usize).min(builds)
}

/// About how many samples it takes where a sample has this standard deviation and the ends are
/// known to differ by `step`, both on the scale of the effect: more than the least effect is found
/// sooner. None of failures: how much executions vary follows from the rates, which are not known.
#[must_use]
pub fn samples_of(asked: &BisectionRequest, step: f64, sd: f64) -> Option<f64> {
    let least = match asked.by {
        ValueComparison::Difference => asked.least,
        ValueComparison::Ratio => asked.least.ln_1p(),
        ValueComparison::Failure => return None,
    };
    Some(expected_samples(least.max(step), sd)).filter(|samples| samples.is_finite())
}

/// How many seconds an execution takes that callgrind counts as well, by those that it takes alone.
fn counted(seconds: f64) -> f64 {
    seconds * (1.0 + CALLGRIND) + CALLGRIND_START
}

/// Whether callgrind counts each sample.
pub(super) fn counts_instructions(asked: &BisectionRequest) -> bool {
    asked.metric.name == Counter::CallgrindInstructions.name()
}

/// Whether a metric is one of those that are compared: what a program takes, one way or another.
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

/// How far samples of one revision usually lie apart on the scale of the effect, as a standard
/// deviation.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_that_may_not_be_needed_are_not_counted_as_there() {
        let of = |built: &[usize], builds| {
            let all: Vec<bool> = (0..20).map(|at| built.contains(&at)).collect();
            expected_cached(&all, builds)
        };
        assert_eq!(of(&[0, 19], 8), 2, "both ends");
        assert_eq!(of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 8), 4, "an end and half of the six others");
        assert_eq!(of(&(0..20).collect::<Vec<_>>(), 8), 8);
        assert_eq!(of(&[], 8), 0);
        assert_eq!((expected_cached(&[true, true], 2), expected_cached(&[true], 1)), (2, 1));
    }
}
