//! Environments that take turns, as two hosts of different speed that measure one series.
//!
//! The difference between environments is no mode of the program, and would hide changes in all of
//! them. Neighbours show this difference, since they seldom differ by a change: their median
//! difference is removed.

use std::collections::BTreeMap;

use super::series::ValueSeries;
use crate::robust;

/// An environment takes turns if the series returned to it this often.
const VISITS: usize = 6;

/// Values this many places apart are neighbours.
const NEAR: usize = 10;

/// Below this many standard deviations of the neighbours' differences their median is noise, and
/// nothing is taken off.
const CLEAR: f64 = 1.0;

/// The series as if every environment that takes turns were the one that measured most.
pub(super) fn without(series: ValueSeries) -> ValueSeries {
    let visits = visits(&series.environment);
    let turns: Vec<u32> = visits
        .iter()
        .filter(|(_, visits)| visits.count >= VISITS)
        .map(|(&which, _)| which)
        .collect();
    let Some(&usual) =
        turns.iter().max_by_key(|which| visits[which].values).filter(|_| turns.len() > 1)
    else {
        return series;
    };
    let by: BTreeMap<u32, f64> =
        turns.into_iter().map(|which| (which, apart(&series, which, usual))).collect();
    let offset: Vec<f64> =
        series.environment.iter().map(|which| by.get(which).copied().unwrap_or(0.0)).collect();
    if offset.iter().all(|by| *by == 0.0) { series } else { series.without_offset(offset) }
}

/// How often an environment was come to, and how many values it measured.
#[derive(Default)]
struct HostVisits {
    count: usize,
    values: usize,
}

fn visits(environment: &[u32]) -> BTreeMap<u32, HostVisits> {
    let mut all: BTreeMap<u32, HostVisits> = BTreeMap::new();
    for stay in environment.chunk_by(|one, other| one == other) {
        let visits = all.entry(stay[0]).or_default();
        visits.count += 1;
        visits.values += stay.len();
    }
    all
}

/// The difference between an environment's values and those of the usual one nearby; 0 if it is not
/// clear.
fn apart(series: &ValueSeries, which: u32, usual: u32) -> f64 {
    let own = (0..series.len()).filter(|&i| series.environment[i] == which);
    let mut differences: Vec<f64> =
        own.filter_map(|i| Some(series.y[i] - nearest(series, i, usual)?)).collect();
    if which == usual || differences.len() < VISITS {
        return 0.0;
    }
    let middle = robust::median(&mut differences);
    let around: Vec<f64> = differences.iter().map(|difference| difference - middle).collect();
    if middle.abs() > CLEAR * robust::deviation(&around) { middle } else { 0.0 }
}

/// The nearby value of the usual environment: the mean of the next value on either side, or the
/// single one.
fn nearest(series: &ValueSeries, place: usize, usual: u32) -> Option<f64> {
    let is_usual = |i: &usize| series.environment[*i] == usual;
    let before = (place.saturating_sub(NEAR)..place).rev().find(is_usual);
    let after = (place + 1..series.len().min(place + 1 + NEAR)).find(is_usual);
    let known: Vec<f64> = [before, after].into_iter().flatten().map(|i| series.y[i]).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::super::simulated::Maker;
    use super::super::{Detection, Kind, Options, SeriesValue, detect};

    /// How many series of each kind.
    const SERIES: usize = 20;

    /// 200 values in noise of 1 % on hosts that differ by this share, higher by another share from
    /// the middle on.
    fn detection(
        maker: &mut Maker,
        host: &impl Fn(&mut Maker, usize) -> u32,
        apart: f64,
        step: f64,
    ) -> Detection {
        let point = |i: usize, maker: &mut Maker| {
            let host = host(maker, i);
            let level = (1.0 + apart * f64::from(host)) * if i < 100 { 1.0 } else { 1.0 + step };
            SeriesValue {
                environment: host,
                ..SeriesValue::of(100.0 * level * (0.01 * maker.gaussian()).exp())
            }
        };
        let points: Vec<SeriesValue> = (0..200).map(|i| point(i, maker)).collect();
        detect(&points, &Options::default())
    }

    /// In how many series exactly that step was reported, and in how many anything else.
    fn detected(
        seed: u64,
        host: impl Fn(&mut Maker, usize) -> u32,
        apart: f64,
        step: f64,
    ) -> (usize, usize) {
        let (mut right, mut wrong) = (0, 0);
        for series in 0..SERIES {
            let detection = detection(&mut Maker::new(seed + series as u64), &host, apart, step);
            let is_it =
                |at: usize, effect: f64| at.abs_diff(100) <= 2 && (effect - step).abs() < 0.02;
            let mut level = detection.changes.iter().filter(|change| change.kind == Kind::Step);
            let found = level.any(|change| is_it(change.index, change.effect));
            right += usize::from(found);
            wrong += detection.changes.len() + detection.scatter.len() - usize::from(found);
        }
        println!("{apart} apart, step of {step}: {right} right, {wrong} wrong");
        (right, wrong)
    }

    fn in_turn(_: &mut Maker, i: usize) -> u32 {
        u32::try_from(i % 2).unwrap()
    }

    fn at_random(maker: &mut Maker, _: usize) -> u32 {
        u32::from(maker.uniform() < 0.5)
    }

    fn three_in_fives(_: &mut Maker, i: usize) -> u32 {
        u32::try_from(i / 5 % 3).unwrap()
    }

    #[test]
    fn hosts_that_take_turns_hide_no_step() {
        for apart in [0.02, 0.05, 0.1, 0.3, 1.0, 5.0] {
            for step in [0.05, 0.1, -0.1, 0.3] {
                let all = [
                    detected(200, in_turn, apart, step),
                    detected(220, at_random, apart, step),
                    detected(240, three_in_fives, apart, step),
                ];
                for (right, wrong) in all {
                    assert!(right >= SERIES - 1 && wrong <= 1, "{apart}, {step}: {all:?}");
                }
            }
        }
    }

    #[test]
    fn hosts_that_take_turns_are_no_change() {
        for apart in [0.0, 0.01, 0.05, 0.3, 5.0] {
            let all = [
                detected(300, in_turn, apart, 0.0),
                detected(320, at_random, apart, 0.0),
                detected(340, three_in_fives, apart, 0.0),
            ];
            assert!(all.iter().all(|(_, wrong)| *wrong == 0), "{apart}: {all:?}");
        }
    }

    #[test]
    fn the_levels_are_those_of_the_host_that_measured_there() {
        let point = |i: usize| {
            let level =
                if i.is_multiple_of(2) { 100.0 } else { 150.0 } * if i < 100 { 1.0 } else { 1.1 };
            SeriesValue {
                environment: u32::try_from(i % 2).unwrap(),
                ..SeriesValue::of(level * (1.0 + 1e-4 * (i * 7919 % 101) as f64))
            }
        };
        let points: Vec<SeriesValue> = (0..200).map(point).collect();
        let change = &detect(&points, &Options::default()).changes[0];
        assert_eq!(change.index, 100);
        assert!(
            (change.before - 100.5).abs() < 0.5 && (change.after - 110.5).abs() < 0.5,
            "{change:?}"
        );
    }
}
