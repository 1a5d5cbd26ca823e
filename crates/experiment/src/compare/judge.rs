//! The rows of a comparison, from samples and terms alone: today as on the day when they were
//! taken.

use crate::compare::row::FALSE_DISCOVERIES;
use tacho_record::{Comparing, LimitedExecutions, Metric, Outcome, Run, RunState, Sample};
use tacho_report::comparison::ComparedRow;
use tacho_stats::Summary;
use tacho_stats::compare::Verdict;
use tacho_stats::levels::{LayoutValues, Levels, Process};
use tacho_stats::summary::median;

use super::family;
use super::rounds::Sequential;
use crate::analysis::execution_times::busy_share;
use crate::analysis::usual_speed::at_usual_speed;
use crate::build::layouts::executions;

/// All rows, judged together, from the samples of the run's cells in their order.
#[must_use]
pub fn judge(terms: &Comparing, run: &Run, samples: Vec<Vec<Sample>>) -> Vec<ComparedRow> {
    let mut sequential = Sequential::new(terms, &run.rule, samples.len());
    sequential.replay(samples);
    sequential.end(run.state == RunState::Finished);
    let mut rows = Vec::new();
    for ((benchmark, metrics), group) in terms.rows.iter().zip(&sequential.groups) {
        for (metric, comparison) in metrics.iter().zip(&group.comparisons) {
            // Levels belong to the ratio beside them.
            let evened = match comparison.choice.levels {
                Some(levels) => at_levels(levels, &group.samples, metric),
                None => group.at_usual_speed(metric).samples,
            };
            let (failure, printed) = failure(&[0, 1, 2].map(|side| group.side(side).concat()));
            rows.push(ComparedRow {
                benchmark: benchmark.clone(),
                metric: metric.clone(),
                sides: [0, 1].map(|side| of_side(metric, group.part(&evened, side))),
                levels: [0, 1].map(|side| levels(metric, group.part(&evened, side))),
                verdict: comparison.verdict,
                comparison: comparison.clone(),
                settled: group.settled,
                limited: [0, 1]
                    .map(|side| LimitedExecutions::of(group.side(side).iter().flatten(), metric)),
                busy_share: busy_share(group.samples.iter().flatten()),
                round: round_takes(terms, &group.samples),
                failure,
                printed,
                is_wrong: group.samples.iter().flatten().any(|it| it.outcome.is_wrong_answer()),
            });
        }
    }
    believe(&mut rows);
    rows
}

/// Samples of A, of B and of the control, which is A once more, at the host's usual speed, scaled
/// so that the medians of A and B are these levels. Neighbouring executions know the levels more
/// sharply than medians do, which would contradict the ratio.
fn at_levels(levels: [f64; 2], samples: &[Vec<Sample>], metric: &Metric) -> Vec<Vec<Sample>> {
    let programs: Vec<usize> = (0..samples.len()).map(|it| it % 2).collect();
    let mut evened = at_usual_speed(samples, &programs, metric).samples;
    for (side, level) in evened.iter_mut().zip(levels) {
        let counted = side.iter().filter(|it| it.counts());
        let values: Vec<f64> = counted.filter_map(|it| it.value(&metric.name)).collect();
        let scale = median(&values).filter(|median| *median > 0.0).map(|median| level / median);
        let values = side.iter_mut().flat_map(|it| &mut it.values);
        for (_, value) in values.filter(|(name, _)| *name == metric.name) {
            *value *= scale.unwrap_or(1.0);
        }
    }
    evened
}

/// The duration of a round: all its cells one after the other, or the longer one of two at the same
/// time.
fn round_takes(terms: &Comparing, samples: &[Vec<Sample>]) -> f64 {
    let walls = samples.iter().filter_map(|side| mean_wall(side));
    if terms.duet.is_some() { walls.fold(0.0, f64::max) } else { walls.sum() }
}

/// Few of the reported differences may be false.
pub(super) fn believe(rows: &mut [ComparedRow]) {
    let together = family::judged_together(rows);
    let parts = family::parts(rows);
    let judged: Vec<_> = rows.iter().map(|row| &row.comparison).zip(parts).collect();
    let verdicts = family::verdicts(&judged);
    for (row, verdict) in rows.iter_mut().zip(verdicts) {
        row.verdict = verdict;
        if verdict == Verdict::Unclear && row.comparison.verdict != Verdict::Unclear {
            row.comparison.more = row.comparison.more_among(together, FALSE_DISCOVERIES);
        }
    }
}

/// The summary of a side: for one build, of its executions; for several layouts, of the median of
/// each, since executions of one layout are not independent. The middle is then the geometric mean
/// of these medians, on which the ratio is based.
fn of_side(metric: &Metric, builds: &[Vec<Sample>]) -> Option<Summary> {
    let [side] = builds else {
        let medians: Vec<Summary> =
            builds.iter().filter_map(|build| summary(metric, build)).collect();
        let of = |is_bound: bool| -> Vec<f64> {
            medians.iter().filter(|of| of.is_bound == is_bound).map(|of| of.median).collect()
        };
        let summary = Summary::censored(&of(false), &of(true))?;
        let of_all = of(false);
        let logs = of_all.iter().map(|median| median.ln()).sum::<f64>() / of_all.len() as f64;
        let is_mean = summary.censored == 0 && of_all.iter().all(|median| *median > 0.0);
        return Some(Summary {
            median: if is_mean { logs.exp() } else { summary.median },
            ..summary
        });
    };
    summary(metric, side)
}

pub(super) fn summary(metric: &Metric, side: &[Sample]) -> Option<Summary> {
    let counted: Vec<f64> =
        side.iter().filter(|it| it.counts()).filter_map(|it| it.value(&metric.name)).collect();
    let bounds: Vec<f64> = side.iter().filter_map(|it| it.bound(metric)).collect();
    Summary::sampled(&counted, &bounds, false)
}

/// The variations between values of one execution, between executions and between links; `None` if
/// executions reached a limit, which hides how far they differ.
pub(crate) fn levels(metric: &Metric, builds: &[Vec<Sample>]) -> Option<Levels> {
    let measured: Vec<Vec<Process>> =
        builds.iter().map(|build| executions(build, &metric.name)).collect();
    let is_known = builds.len() > 1 && !builds.iter().flatten().any(Sample::is_limited);
    Levels::of(LayoutValues(&measured)).filter(|_| is_known)
}

/// How the first execution failed that did, and at which side; and what it printed.
pub(super) fn failure(samples: &[Vec<Sample>]) -> (Option<(String, usize)>, String) {
    let first = |is_it: fn(&Outcome) -> bool| {
        samples.iter().enumerate().find_map(|(side, samples)| {
            let failed = samples.iter().find(|sample| is_it(&sample.outcome))?;
            // The third side is the first one again.
            let (why, printed) = failed.outcome.described()?;
            Some(((why, side % 2), printed.to_owned()))
        })
    };
    let (why, printed) =
        first(Outcome::is_wrong_answer).or_else(|| first(Outcome::is_failure)).unzip();
    (why, printed.unwrap_or_default())
}

pub(super) fn mean_wall(side: &[Sample]) -> Option<f64> {
    let walls: Vec<f64> = side.iter().filter_map(|sample| sample.value("wall")).collect();
    (!walls.is_empty()).then(|| walls.iter().sum::<f64>() / walls.len() as f64)
}

#[cfg(test)]
mod tests {
    use tacho_record::Place;

    use super::*;

    fn side(values: [f64; 3]) -> Vec<Sample> {
        let sample = |(round, value)| {
            let mut sample = Sample {
                place: Place { round, position: 0 },
                at: jiff::Timestamp::default(),
                outcome: Outcome::Valid,
                values: vec![],
            };
            sample.add("wall", value);
            sample.add("cpu", 1.0);
            sample
        };
        (1..).zip(values).map(sample).collect()
    }

    #[test]
    fn the_medians_that_are_shown_are_the_levels_of_the_ratio() {
        let samples = [side([90.0, 100.0, 130.0]), side([150.0, 200.0, 180.0])];
        let wall = Metric::built_in("wall").unwrap();
        let sides = at_levels([98.0, 110.0], &samples, &wall);
        for (samples, level) in sides.iter().zip([98.0, 110.0]) {
            let values: Vec<f64> = samples.iter().filter_map(|it| it.value("wall")).collect();
            assert!((median(&values).unwrap() - level).abs() < 1e-9, "{values:?}");
            assert!(samples.iter().all(|it| it.value("cpu") == Some(1.0)));
        }
        let [first, second] = [0, 1].map(|at| sides[1][at].value("wall").unwrap());
        assert!((second / first - 200.0 / 150.0).abs() < 1e-9, "{first} {second}");
    }

    #[test]
    fn what_no_speed_moves_has_no_order_of_time() {
        let mut side = side([1.0, 2.0, 3.0]);
        for sample in &mut side {
            sample.add("peak-memory", 5.0);
        }
        for (name, is_known) in [("wall", true), ("peak-memory", false)] {
            let values = crate::compare::rounds::values(&Metric::built_in(name).unwrap(), &side);
            assert!(values.iter().all(|it| it.position.is_some() == is_known), "{name}");
        }
    }
}
