//! How each of several commands did, and against which.

use std::collections::BTreeMap;

use tacho_record::{
    EndReason, Failure, Limit, LimitedExecutions, Metric, Outcome, Rule, Sample, Stop,
};
use tacho_report::bench::BenchWarning;
use tacho_stats::compare::{
    Comparison, ComparisonRules, DuetPair, Look, SampleValue, Sides, Size, Verdict, compare,
    compare_duet, judge_together,
};
use tacho_stats::{Bound, BoundedValue, Summary};

use super::processor_times::{ProcessorTimes, cpu_percent};
use super::warnings::{carry_over, of_command, of_host};
use super::{BenchCommand, BenchQuestion};
use crate::analysis::cpu_waits::beside_cpu_time;
use crate::analysis::estimator::by;
use crate::analysis::execution_times::busy_share;
use crate::analysis::outlier_causes::{self, OutlierExplanation};
use crate::analysis::usual_speed::{UsualSpeed, each_at_usual_speed, with_measured_range};

/// The largest number of commands among which those beaten on time and memory are searched for.
pub const BEATEN_BY: usize = 12;
/// A ratio that differs from 1 by no more comes from rounding.
const LITTLE: f64 = 1e-6;
/// The error that all comparisons of a run together are given.
const ERROR: f64 = 0.05;

/// How all commands did.
#[derive(Clone, Debug)]
pub struct Standings {
    /// One a command, in their order.
    pub each: Vec<CommandResult>,
    /// The command that the others are compared with: the one that was named, else the fastest by
    /// its ratios; `None` if there are not two that gave values.
    pub reference: Option<usize>,
    /// The share by which executions took longer at the host's slow speed, if its speed moved:
    /// times are then those at its usual speed.
    pub uneven: Option<f64>,
    /// Warnings about all numbers.
    pub warnings: Vec<BenchWarning>,
}

/// How a command did.
#[derive(Clone, Debug)]
pub struct CommandResult {
    /// The metric that its time is.
    pub metric: Metric,
    /// The reason why its measuring ended, if a precision was requested; `None` if it was
    /// interrupted.
    pub stopped: Option<Stop>,
    /// Its time, at the host's usual speed where that moved; the smallest and the largest value are
    /// raw.
    pub time: Option<Summary>,
    /// Its time as it was measured, which files for other tools have.
    pub raw: Option<Summary>,
    /// Its processor time in the program, in nanoseconds: the median of all processor time, times
    /// the program's share over all executions, since many kernels sample the split. If a limit was
    /// reached, the mean.
    pub user: Option<BoundedValue>,
    /// The same in the kernel.
    pub sys: Option<BoundedValue>,
    /// The means of both, which files for other tools have.
    pub mean_times: [Option<BoundedValue>; 2],
    /// The median of processor time by wall time, in percent, of the executions that have the
    /// metric `cpu-percent`. `None` if an execution reached a limit, after which the share is
    /// unknown.
    pub cpu_percent: Option<f64>,
    /// Busy time by wall time; `None` if one of them is not read.
    pub busy_share: Option<f64>,
    /// The median of its peak memory, in bytes.
    pub peak_memory: Option<BoundedValue>,
    /// The medians of what was counted, in the order in which that was requested; `None` if no
    /// execution has it.
    pub counters: Vec<(Metric, Option<BoundedValue>)>,
    /// Against the reference, in the rounds that both took part in.
    pub compared: Option<Comparison>,
    /// The word for that, all commands judged together.
    pub verdict: Option<Verdict>,
    /// The commands that are faster and need less memory, for certain.
    pub beaten_by: Vec<usize>,
    /// The executions that reached a limit, with what their times would have been at least.
    pub limited: LimitedExecutions,
    /// The limit on memory that all its executions reached: nothing shows that it even starts below
    /// that.
    pub refused: Option<Limit>,
    /// How many executions failed.
    pub failed: usize,
    /// How the first of them did, and the last of what it printed.
    pub failure: Option<(Failure, String)>,
    /// Outliers with their possible causes.
    pub outliers: Vec<OutlierExplanation>,
    /// Warnings about the numbers.
    pub warnings: Vec<BenchWarning>,
}

impl Standings {
    /// The standings of the commands with these samples; `reference` is the command that the others
    /// are compared with.
    #[must_use]
    pub fn of(
        question: &BenchQuestion,
        samples: &[Vec<Sample>],
        reference: Option<usize>,
        margin: f64,
    ) -> Self {
        let usual = usual_speed_of(question, samples);
        let alone = |(at, command): (usize, &BenchCommand)| {
            let usual = (usual.samples[at].as_slice(), usual.reaches[at]);
            CommandResult::alone(command, &samples[at], usual, question)
        };
        let mut standings = Self {
            each: question.commands.iter().enumerate().map(alone).collect(),
            reference,
            uneven: usual.uneven,
            warnings: of_host(samples).into_iter().chain(carry_over(question, samples)).collect(),
        };
        standings.reference = standings.choose(reference);
        let how = StandingHow {
            rules: ComparisonRules {
                margin,
                estimator: question.estimator.map(by),
                ..ComparisonRules::default()
            },
            at_once: question.duet.is_some(),
        };
        standings.compare(samples, &how);
        if reference.is_none() {
            standings.settle(samples, &how);
        }
        standings.find_beaten(samples, &how);
        standings
    }

    /// The standings without times and memory, for an answer about another metric.
    #[must_use]
    pub fn without_times(&self) -> Self {
        let mut other = Self { uneven: None, warnings: Vec::new(), ..self.clone() };
        for command in &mut other.each {
            (command.compared, command.verdict) = (None, None);
            (command.user, command.sys, command.peak_memory) = (None, None, None);
            command.outliers.clear();
            command.warnings.clear();
        }
        other
    }

    /// The reference, if it and another gave values.
    fn choose(&self, named: Option<usize>) -> Option<usize> {
        let times = self.by_time();
        let known = named.is_none_or(|named| times.contains(&named));
        named.or(times.first().copied()).filter(|_| times.len() > 1 && known)
    }

    /// The commands that gave values, the fastest first; those of whose median only a lower bound
    /// is known come last.
    #[must_use]
    pub fn by_time(&self) -> Vec<usize> {
        let known = |(index, it): (usize, &CommandResult)| Some((index, it.time?.known_median()));
        let mut times: Vec<(usize, BoundedValue)> =
            self.each.iter().enumerate().filter_map(known).collect();
        let rank = |of: &BoundedValue| (of.if_exact().is_none(), of.value);
        times.sort_by(|(_, one), (_, other)| {
            let (one, other) = (rank(one), rank(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        });
        times.into_iter().map(|(index, _)| index).collect()
    }

    /// Whether no other command is significantly faster than the reference, and the reference has
    /// the smallest median.
    #[must_use]
    pub fn is_reference_fastest(&self) -> bool {
        self.is_none_faster() && self.smaller_median().is_none()
    }

    /// The command of the smallest median, where that reads smaller than that of the reference
    /// although nothing says that another is faster.
    #[must_use]
    pub fn smaller_median(&self) -> Option<usize> {
        let reference = self.reference.filter(|_| self.is_none_faster())?;
        let smallest = *self.by_time().first()?;
        let median = |index: usize| self.each[index].time.map(|time| time.median);
        let shown = |index: usize| median(index).map(|it| self.each[index].metric.unit.show(it));
        let is_smaller = median(smallest)? < median(reference)?;
        (is_smaller && shown(smallest) != shown(reference)).then_some(smallest)
    }

    /// Whether nothing shows that another command is faster than the reference: no ratio, no median
    /// if there is no ratio, and no command was cut off in less time than the reference took.
    fn is_none_faster(&self) -> bool {
        let median = |index: usize| self.each[index].time?.known_median().if_exact();
        let Some(own) = self.reference.and_then(median) else { return false };
        let is_slower = |other: &CommandResult| {
            let Some(time) = other.time else { return true };
            let is_compared = other.compared.as_ref().is_some_and(|it| it.estimate.is_some());
            own <= time.median || (is_compared && !time.is_bound)
        };
        self.quicker().is_none() && self.each.iter().all(is_slower)
    }

    /// The command that its ratio calls faster than the reference, by the most.
    fn quicker(&self) -> Option<usize> {
        let time = |(index, it): (usize, &CommandResult)| {
            let estimate = it.compared.as_ref()?.estimate?;
            let difference = estimate.known_difference();
            let is_known = matches!(difference.bound, Bound::Exact | Bound::AtMost);
            let little = LITTLE * it.time?.median.abs();
            (is_known && difference.value < -little).then_some((index, difference.value))
        };
        let faster = self.each.iter().enumerate().filter_map(time);
        faster.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(index, _)| index)
    }

    /// Has that one be the reference that the ratios call the fastest; where they go round in a
    /// circle, the one of the smallest median stays.
    fn settle(&mut self, samples: &[Vec<Sample>], how: &StandingHow) {
        let mut tried = Vec::from_iter(self.reference);
        while let Some(quicker) = self.quicker() {
            let is_circle = tried.contains(&quicker);
            self.reference = if is_circle { tried.first().copied() } else { Some(quicker) };
            self.compare(samples, how);
            if is_circle {
                return;
            }
            tried.push(quicker);
        }
    }

    fn compare(&mut self, samples: &[Vec<Sample>], how: &StandingHow) {
        let Some(reference) = self.reference else { return };
        (self.each[reference].compared, self.each[reference].verdict) = (None, None);
        let others: Vec<usize> = (0..self.each.len())
            .filter(|index| *index != reference && self.each[*index].time.is_some())
            .collect();
        let time = |index: usize| (samples[index].as_slice(), &self.each[index].metric);
        let rows: Vec<Comparison> =
            others.iter().map(|&index| by_time(time(reference), time(index), how)).collect();
        let verdicts = judge_together(&rows, ERROR);
        for ((index, row), verdict) in others.into_iter().zip(rows).zip(verdicts) {
            self.each[index].compared = Some(row);
            self.each[index].verdict = Some(verdict);
        }
    }

    fn find_beaten(&mut self, samples: &[Vec<Sample>], how: &StandingHow) {
        let number = self.each.len();
        if number > BEATEN_BY {
            return;
        }
        for index in 0..number {
            let by = (0..number).filter(|&other| self.beats(other, index, samples, how)).collect();
            self.each[index].beaten_by = by;
        }
    }

    /// Whether `one` is faster than `other` and needs less memory, both for certain and by more
    /// than the margin.
    fn beats(&self, one: usize, other: usize, samples: &[Vec<Sample>], how: &StandingHow) -> bool {
        let (better, worse) = (&self.each[one], &self.each[other]);
        let medians = |it: &CommandResult| Some((it.time?.median, it.peak_memory?.value));
        let (Some(less), Some(more)) = (medians(better), medians(worse)) else { return false };
        // Memory is counted, and no clock rounds it.
        let counted =
            StandingHow { rules: ComparisonRules { resolution: Some(0.0), ..how.rules }, ..*how };
        let certain = |metric: [&Metric; 2], how: &StandingHow| {
            let (a, b) =
                ((samples[other].as_slice(), metric[1]), (samples[one].as_slice(), metric[0]));
            let comparison = against(a, b, how);
            comparison.verdict == Verdict::Faster && comparison.size == Size::Beyond
        };
        less.0 < more.0
            && less.1 < more.1
            && Metric::built_in("peak-memory").is_some_and(|memory| certain([&memory; 2], &counted))
            && self.is_faster(one, other, samples, how)
    }

    /// Whether `one` is faster than `other` by more than the margin; by its row if one of them is
    /// the reference.
    fn is_faster(
        &self,
        one: usize,
        other: usize,
        samples: &[Vec<Sample>],
        how: &StandingHow,
    ) -> bool {
        let row = |index: usize, word: Verdict| {
            let CommandResult { compared, verdict, .. } = &self.each[index];
            *verdict == Some(word) && compared.as_ref().is_some_and(|it| it.size == Size::Beyond)
        };
        match self.reference {
            Some(reference) if reference == one => row(other, Verdict::Slower),
            Some(reference) if reference == other => row(one, Verdict::Faster),
            _ => {
                let time = |index: usize| (samples[index].as_slice(), &self.each[index].metric);
                let compared = by_time(time(other), time(one), how);
                compared.verdict == Verdict::Faster && compared.size == Size::Beyond
            }
        }
    }
}

/// All samples with times at the host's usual speed. Commands at the same time have no order, and
/// those with times of other metrics no common path. Times stay as measured beside ratios that an
/// estimator makes of them as measured.
fn usual_speed_of(question: &BenchQuestion, samples: &[Vec<Sample>]) -> UsualSpeed {
    let times: Vec<Metric> = question.commands.iter().map(BenchCommand::time).collect();
    let is_one = times.windows(2).all(|pair| pair[0] == pair[1]);
    let is_default = question.duet.is_none() && question.estimator.is_none();
    match times.first().filter(|_| is_one && is_default) {
        Some(time) => each_at_usual_speed(samples, time),
        None => UsualSpeed::unknown(samples),
    }
}

/// How commands are compared.
struct StandingHow {
    rules: ComparisonRules,
    /// Whether they were executed at the same time: each round is a pair.
    at_once: bool,
}

/// B against A by their times, unless waiting for a CPU is all that those show.
fn by_time(a: (&[Sample], &Metric), b: (&[Sample], &Metric), how: &StandingHow) -> Comparison {
    let by_cpu = || {
        let cpu = Metric::built_in("cpu").expect("a built-in metric");
        against((a.0, &cpu), (b.0, &cpu), how)
    };
    beside_cpu_time(against(a, b, how), [&[a.0], &[b.0]], how.rules.margin, by_cpu)
}

/// B against A, each with its metric, in the rounds that both took part in.
fn against(a: (&[Sample], &Metric), b: (&[Sample], &Metric), how: &StandingHow) -> Comparison {
    if how.at_once {
        return in_pairs(a, b, &how.rules);
    }
    let last = |samples: &[Sample]| samples.last().map_or(0, |sample| sample.place.round);
    let common = last(a.0).min(last(b.0));
    let side = |(samples, metric): (&[Sample], &Metric)| -> Vec<SampleValue> {
        let common = samples.iter().filter(|sample| sample.place.round <= common);
        common
            .filter_map(|it| {
                Some(compared(it, metric)?.in_round(it.place.round).at(it.place.position))
            })
            .collect()
    };
    let (a, b) = (side(a), side(b));
    let look = Look::only(a.len().min(b.len()), ERROR);
    compare(&Sides { a: &a, b: &b, control: &[] }, &how.rules, look)
}

/// The same of commands that were executed at the same time: the one at the even position had the
/// first processor.
fn in_pairs(
    a: (&[Sample], &Metric),
    b: (&[Sample], &Metric),
    rules: &ComparisonRules,
) -> Comparison {
    let counted = |(samples, metric): (&[Sample], &Metric)| -> BTreeMap<u32, (SampleValue, u32)> {
        let one = |it: &Sample| Some((it.place.round, (compared(it, metric)?, it.place.position)));
        samples.iter().filter_map(one).collect()
    };
    let (a, b) = (counted(a), counted(b));
    let pair = |(round, (a, _)): (&u32, &(SampleValue, u32))| {
        let (b, position) = *b.get(round)?;
        Some(DuetPair { a: *a, b, swapped: position % 2 == 0 })
    };
    let pairs: Vec<DuetPair> = a.iter().filter_map(pair).collect();
    compare_duet(&pairs, rules, Look::only(pairs.len(), ERROR))
}

/// A sample's value, as it is compared; a lower bound if a limit was reached.
fn compared(sample: &Sample, metric: &Metric) -> Option<SampleValue> {
    let exact = sample.value(&metric.name).filter(|_| sample.counts()).map(SampleValue::new);
    exact.or_else(|| Some(SampleValue::new(sample.bound(metric)?).at_least()))
}

/// The reason why the measuring of these samples ended, if a precision of the median was requested.
fn stopped(rule: &Rule, time: Option<&Summary>, samples: &[Sample]) -> Option<Stop> {
    let precision = rule.precision.as_ref()?;
    let rounds = samples.iter().filter(|sample| sample.place.round > 0).count();
    let is_reached =
        time.and_then(Summary::precision).is_some_and(|reach| reach <= precision.share);
    let by = if is_reached && time.is_some_and(|time| time.n >= rule.min_rounds as usize) {
        EndReason::Precision
    } else if rounds >= rule.max_rounds as usize {
        EndReason::MaxRounds
    } else if rule.budget.is_some() {
        EndReason::Budget
    } else {
        return None;
    };
    Some(Stop { by, precision: Some(precision.clone()) })
}

impl CommandResult {
    /// The summary of a command's own samples, the same at the host's usual speed, and the reach of
    /// its level's interval.
    fn alone(
        command: &BenchCommand,
        samples: &[Sample],
        (usual, reach): (&[Sample], Option<f64>),
        question: &BenchQuestion,
    ) -> Self {
        let looked_at = question.rule.precision.is_some();
        let metric = command.time();
        let counted: Vec<&Sample> = samples.iter().filter(|sample| sample.counts()).collect();
        let read = |metric: &Metric| {
            let values: Vec<f64> = counted.iter().filter_map(|it| it.value(&metric.name)).collect();
            (values, LimitedExecutions::of(samples, metric))
        };
        let median_of = |metric: &Metric| {
            let (values, limited) = read(metric);
            Some(Summary::censored(&values, &limited.bounds)?.known_median()).filter(|_| {
                // If more is better there are no bounds, and the other values alone are no
                // evidence.
                limited.bounds.len() == limited.count as usize
            })
        };
        let built_in = |name: &str| Metric::built_in(name);
        let failures: Vec<_> =
            samples.iter().filter(|sample| sample.outcome.is_failure()).collect();
        let failure = failures.first().and_then(|sample| match &sample.outcome {
            Outcome::Failed { failure, output } => Some((failure.clone(), output.clone())),
            _ => None,
        });
        let (values, limited) = read(&metric);
        let raw = Summary::sampled(&values, &limited.bounds, looked_at);
        let [user, sys] = ["user", "sys"].map(|name| built_in(name).map(|it| read(&it)));
        let times = ProcessorTimes::of(user.as_ref(), sys.as_ref());
        let counted_usual = usual.iter().filter(|sample| sample.counts());
        let values: Vec<f64> = counted_usual.filter_map(|it| it.value(&metric.name)).collect();
        Self {
            stopped: stopped(&question.rule, raw.as_ref(), samples),
            time: Summary::sampled(&values, &limited.bounds, looked_at)
                .map(|time| with_measured_range(time, raw, reach.filter(|_| !looked_at))),
            raw,
            user: times.user,
            sys: times.sys,
            mean_times: times.means,
            cpu_percent: cpu_percent(&counted).filter(|_| limited.count == 0),
            busy_share: busy_share(samples),
            peak_memory: built_in("peak-memory").and_then(|memory| median_of(&memory)),
            counters: question
                .counters
                .iter()
                .map(|asked| asked.counter.metric())
                .map(|metric| (metric.clone(), median_of(&metric)))
                .collect(),
            compared: None,
            verdict: None,
            beaten_by: Vec::new(),
            limited,
            refused: refused(samples),
            failed: failures.len(),
            failure,
            outliers: outlier_causes::explain(samples, &metric),
            warnings: of_command(command, samples, usual, question),
            metric,
        }
    }
}

/// The limit on memory that all of these reached.
fn refused(samples: &[Sample]) -> Option<Limit> {
    let reached = |sample: &Sample| match &sample.outcome {
        Outcome::LimitReached { reached, .. } => {
            Some(reached.limit).filter(|it| *it != Limit::CpuTime)
        }
        _ => None,
    };
    let mut limits = samples.iter().filter(|sample| sample.place.round > 0).map(reached);
    let first = limits.next()??;
    limits.all(|limit| limit.is_some()).then_some(first)
}
